"""Words for what is at fault, beside those of the rule `identifies_issue`.

They are looked for in what `bare` makes of a sentence.
"""

from cairn.knowledge.nlp.patterns import lazy_pattern

_SHOWS = (
    r"(?:is|are|was|were|shows?|says?|reads?|returns?|returned|prints?|printed|gives?|gave|gets?|got"
    r"|outputs?|displays?|comes? (?:back|out)(?: as)?)"
)
_IT_SHOULD = r"(?<!\bwe )(?<!\bi )(?<!\byou )(?:should|ought to|supposed to)"
WRONG_VALUE = lazy_pattern(
    rf"\b{_SHOWS} [^;?]{{1,60}}[,;]? (?:but|though|although|whereas|while|and not|not)\b"
    rf"[^?]*(?:{_IT_SHOULD}|\b(?:expected|expect|correct|instead of|rather than))\b"
    rf"|\b{_SHOWS} [^,;?]{{1,60}} (?:instead of|rather than) \S"
    rf"|{_IT_SHOULD} (?:be|have been|show|return|print|say|give|equal|read)\b"
    r"[^?]*\b(?:but|not|instead|rather)\b"
    r"|\bexpected\b[^?]{2,80}\b(?:but |got\b|instead\b)"
)
"""A value that is there and another that should be: neither is a mere wish."""

WRONG = lazy_pattern(
    r"\b(?:wrong|incorrect(?:ly)?|off by (?:one|a|\d+)|(?:not|isn't) (?:right|correct)|broken"
    r"|garbled|truncated|duplicated|cut off)\b"
    r"|\b(?:does|do|did)(?:es)? nothing\b|\bnothing happens\b|\bno effect\b"
    r"|\b(?:stays?|remains?|comes? (?:up|out|back)|is|are) (?:completely |always |still )?"
    r"(?:empty|blank|stuck|frozen|unresponsive)\b"
    r"|\b(?:freezes|hangs|disappears|vanishes|flickers|overlaps?|loops? forever)\b"
    r"|\b(?:can't|cannot|can not|unable to) (?:log|sign|connect|open|start|save|load|see|click"
    r"|scroll|install|build|run|reach|import|upload)\w*\b"
    r"|\bno longer (?:works?|shows?|loads?|starts?|responds?)\b"
    r"|\b(?:drops|loses|skips|ignores|misses|forgets|duplicates|overwrites|swallows|truncates)\b"
    r"|\b(?:blank|white|black|empty) (?:page|screen|window)\b|\btakes forever\b|\btoo slow\b"
    r"|\bthere(?:'s| is| are| seems to be) (?:an? |some |another )?(?:[\w§-]+ ){0,2}"
    r"(?:bug|problem|issue|error)s?\b"
    r"|^why (?:is|are|does|do|did|can't|isn't|aren't|doesn't|don't|won't) (?!you\b|we\b|i\b)"
)
"""Other ways in which people say that something is at fault, beside ISSUE."""

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

REQUIRES = lazy_pattern(
    r"\b(?:should|must|needs? to|has to|have to|ought to|is supposed to|are supposed to)\b"
)

WRONG_OUTPUT = lazy_pattern(
    r"\b(?:outputs?|results?|values?|totals?|sums?|counts?|numbers?|responses?|pages?|tables?|order"
    r"|dates?|times?|prices?|names?|labels?|format|rows?|lines?)\b[^,;?]{0,40}"
    r"\b(?:wrong|incorrect|not (?:right|correct)|off by|missing|empty|duplicated|garbled)\b"
)
"""What an agent says of what a command printed, though the command did not fail."""

NAMES_VALUE = lazy_pattern(r"\d|[\"“§]|(?<!\w)'")
"""A number, a quotation or code."""

NAMES_ONLY = lazy_pattern(
    r"\b(?:the|an?|this|these|those|all|any|every|my|our) (?:\w+ )?"
    r"(?:failing|failed|broken|crashing|missing|wrong) (?=\w)"
)
"""A fault that only says which thing is meant: "remove the failing test"."""

_CODE_SPAN = lazy_pattern(r"`[^`\n]*`")


def bare(text: str) -> str:
    """Text as the senses of words are looked for: in lower case, each piece of code one mark."""
    return _CODE_SPAN.sub("§", text).replace("’", "'").lower()
