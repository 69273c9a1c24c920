"""Words for what is at fault, beside those of the rule `identifies_issue`.

They are looked for in what `bare` makes of a sentence.
"""

from cairn.knowledge.nlp.patterns import lazy_pattern

_NOT_SO = r"(?:that|this|it)(?:'s| is| was) (?:still )?(?:wrong|not (?:right|correct)|incorrect)\b"
_MARKS = r"[,.!:;\s—–-]"
CORRECTS = lazy_pattern(
    rf"(?i)^(?:(?:hmm,? |sorry,? )?(?:no|nope|not quite|wrong)\b{_MARKS}+(?:{_NOT_SO}{_MARKS}*)?"
    rf"|{_NOT_SO}{_MARKS}*)"
)
"""How a person begins who puts something right."""
DENIES = lazy_pattern(
    r"\bstill (?!works?\b|fine\b|ok\b)|\bsame (?:error|problem|issue|thing|result)\b"
    r"|\bno (?:change|luck)\b"
    r"|\b(?:fails?|failed|crash\w*|happen\w*|broken|there|back|wrong) again\b|\b(?:nope|worse)\b"
    r"|(?:\bnot|n't|\bnever) (?:\w+ )?(?:work|fix|help|solve|right|correct|there|gone)\w*"
    r"|^no\b(?! longer)"
)
"""How a person says that it is still wrong."""

TAKES_BACK = lazy_pattern(
    r"\b(?:revert|undo|roll(?:ing|ed)? (?:it |that |this )?back|take (?:it|that|this) back"
    r"|put (?:it|that|this|them) back|change (?:it|that|this) back)\b"
    r"|^(?:please )?(?:stop (?:it|that|this|doing|changing|editing|using)\b|stop\W*$"
    r"|(?:don't|do not|never) (?:do|change|touch|edit|use|remove|delete|disable|skip|make)\b)"
    r"|^why (?:did|are|would) you\b"
    r"|\byou should(?:n't| not) have\b|\bnot (?:like that|what i (?:asked|wanted|meant))\b"
)
"""… and who does not want what was done."""

_CODE_SPAN = lazy_pattern(r"`[^`\n]*`")


def bare(text: str) -> str:
    """Text as the senses of words are looked for: in lower case, each piece of code one mark."""
    return _CODE_SPAN.sub("§", text).replace("’", "'").lower()
