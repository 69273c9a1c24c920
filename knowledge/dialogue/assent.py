"""Assent: how a person says that what an agent said is so, or is to be done so.

Precise rather than generous: to go on with the work, or to say thanks, is no assent. Words of
assent are a sentence of their own, beside thanks and what is to be done next; "Exactly the
opposite." is another sentence. Where the agent asked something, they answer what was asked.
That something works is no assent, but an outcome.
"""

import re
from collections.abc import Callable
from itertools import dropwhile

import polars as pl

from cairn.knowledge.dialogue.fault_words import DENIES, bare
from cairn.knowledge.nlp.patterns import lazy_pattern
from cairn.knowledge.nlp.text import STOP_WORDS, sentences, words
from cairn.knowledge.nlp.vocabulary import stem

_VERY = (
    r"(?:(?:all|quite|very|really|indeed|also|too|exactly|precisely|absolutely|totally|fully"
    r"|completely|entirely|perfectly|definitely|certainly|clearly|of course) )*"
)
_LEAD = (
    r"(?:yes|yep|yeah|yup|ah|aha|oh|wow|ok|okay|alright|right|sure|well|great|nice|cool|good|super"
    r"|excellent|awesome|brilliant|perfect|wonderful|interesting|i see|hm+|haha"
    r"|(?:many )?thanks|thank you)"
)
_IT_IS = r"(?:that|this|it)(?:'s|s| is| was| really is| indeed is)"
_OF_ITSELF = (
    rf"(?:(?:{_IT_IS} )?(?:a )?{_VERY}(?:good|nice|great|excellent) (?:catch|find|point)"
    rf"|you(?:'re| are|r|re) {_VERY}(?:right|correct)"
    rf"|{_IT_IS} {_VERY}(?:the (?:\w+ )?(?:cause|reason|problem|issue|culprit|explanation)"
    r"|what (?:i|we) (?:also )?(?:meant|thought|expected|suspected|saw|see|found)))"
)
_SO = (
    rf"(?:{_OF_ITSELF}|(?:exactly|precisely)(?: (?:right|so|that|this|it))?"
    rf"|{_VERY}(?:correct|agreed|confirmed|indeed|true|spot on|right on)|absolutely"
    rf"|(?:(?:that|this|it) )?{_VERY}makes (?:a lot of |(?:perfect|total|much|good) )?sense"
    r"|i (?:can |do |also |can also )?(?:\w+ly )?(?:agree|concur)"
    r"(?: with (?:you|that|this|it|both))?"
    r"|i (?:can |do |also |can also )?(?:\w+ly )?confirm(?: (?:that|this|it|both))?"
    rf"|{_IT_IS} {_VERY}(?:right|correct|true|the (?:fix|solution|case)))"
)
_HERE = (
    r"(?: (?:too|as well|also|here|indeed|to me|for me|on my (?:side|end)|on our (?:side|end)))*"
)
_LIKES = (
    rf"(?:(?:(?:that|this|it|all) )?sounds {_VERY}(?:good|great|right|fine|reasonable|perfect)"
    rf"|(?:{_IT_IS} )?{_VERY}(?:fine|ok|okay|good|great) (?:with|by|for) (?:me|us)"
    rf"|(?:{_IT_IS} )?(?:an? |the )?{_VERY}(?:good|great|nice|excellent|right) (?:idea|plan|call)"
    r"|approved|i approve(?: (?:it|that|this))?|lgtm|looks good(?: to me)?|works for me)"
)
_PRAISES = (
    rf"(?:{_IT_IS} )?(?:an? |the )?{_VERY}(?:good|great|nice|excellent|right) (?:choice|decision)"
)
_WILL = r"(?:let's|lets|let us|please|we'll|we will|i'd|i would|just|then|so|and|yes|ok|okay)"
_CHOOSE = (
    r"(?:go (?:ahead )?with|go for|use|take|choose|pick|stick (?:with|to)|keep(?: to)?|do|adopt"
    r"|switch to|move to|opt for|settle on)"
)
_THAT = (
    r"(?:it|that|this|so|(?:it|that) (?:so|this way|that way|like (?:this|that))"
    r"|(?:that|this|your) (?:one|option|way|choice|plan|proposal|suggestion|idea|recommendation))"
)
_NEXT = (
    r"(?:please|go on|go ahead|continue|carry on|proceed|go for it|do (?:it|that|so)"
    r"|let's do (?:it|that|so)|of course|definitely)(?: please| then| now)*"
)
_THANKS = r"(?:(?:many )?thanks|thank you|thx|cheers|well done|nice work|great work|good job)\b.*"
_FURTHER = (
    rf"(?:{_NEXT}|{_THANKS}|(?:(?:and|so|now|then|also|next) )*"
    r"(?:please|let's|lets|go on|go ahead|continue|carry on|proceed) .*)"
)

_ASSENTS = lazy_pattern(rf"(?:{_LEAD} )*{_SO}{_HERE}")
_ASSENTS_OF_ITSELF = lazy_pattern(rf"(?:{_LEAD} )*{_OF_ITSELF}{_HERE}")
_APPROVES = lazy_pattern(
    rf"(?:{_LEAD} )*(?:(?:{_SO}|{_LIKES}|{_PRAISES}){_HERE}|(?:{_WILL} )*{_CHOOSE} {_THAT}"
    r"(?: (?:then|please|now))*|please do)"
)
_APPROVES_OF_ITSELF = lazy_pattern(rf"(?:{_LEAD} )*{_PRAISES}")
_YES = lazy_pattern(r"(?:(?:yes|yep|yeah|yup|sure) ?)+(?:please|indeed|absolutely|definitely|do)?")
_NAMES = lazy_pattern(rf"(?:{_LEAD} )*(?:{_WILL} )*{_CHOOSE} (?P<option>.+)")
_LEADS = lazy_pattern(rf"(?:{_LEAD} ?)+(?:(?:again|a lot|so much|very much)|for .*)?|{_THANKS}")
_BEHIND = lazy_pattern(_FURTHER)
_BEHIND_YES = lazy_pattern(rf"{_NEXT}|{_THANKS}")

_END = lazy_pattern(r"[.!]+(?=[\s)\"]|$)|\n+")
_BREAK = lazy_pattern(r"[,;…]+|\s[-–—]+\s|—|\.{2,}")
_EDGES = lazy_pattern(r"^[^\w§]+|[^\w§%]+$")

_RESERVES = lazy_pattern(
    r"\b(?:but|however|except|although|though|actually|wait|instead|unless|wrong|rather|stop"
    r"|not (?:sure|quite|right|what|so|the)|don't|do not|didn't|doesn't|isn't|shouldn't"
    r"|never mind|no longer|if|when|once|until|whether|maybe|perhaps|probably|possibly|hardly"
    r"|barely|almost|partly|half|sometimes|supposedly|allegedly|apparently)\b|\?"
)
"""What takes back, doubts or asks, in the same breath."""

_DENIED = lazy_pattern(
    r"\b(?:no|not|never|none|nothing|nobody|nowhere|neither|nor|without|cannot|only|opposite"
    r"|reverse|contrary|invent\w*|made (?:it |that |this |all )*up|mak(?:e|ing) things up|nonsense"
    r"|bullshit|lie[sd]?|lying|hallucinat\w*|sarcas\w*|prove|proof)\b|n't\b"
)
"""… and what denies: a person who agrees has no need of it."""

_TAKEN_BACK = lazy_pattern(
    r"(?:^|[.!\n])\s*(?:but|however|except|although|though|wait|actually|no|nope|unless)\b"
)
"""How a later sentence begins that takes an assent back."""

_WORKS_NOW = (
    r"(?:(?:now|all|also|finally|does|again|indeed|just|really|is now|are now) )*"
    r"(?:works|worked|passes|pass|loads|loaded|starts|started|is working|are working"
    r"|did (?:it|the trick)|(?:has |have )?(?:fixed|solved|resolved) (?:it|that|this|the \w+)"
    r"|(?:is |are )?(?:now )?(?:fixed|solved|resolved|gone|green))"
    r"(?: (?:now|again|fine|well|perfectly|great|too|as expected|as it should|like a charm|here"
    r"|for me|on my (?:side|end|machine)))*"
)
_WORKS = lazy_pattern(
    rf"(?:{_LEAD} )*(?:(?:and|now|so|yes) )*(?:(?:it|that|this|all|everything|that one"
    r"|(?:all )?(?:of )?(?:the |our |my )?(?!(?:i|we|he|she|they)\b)[\w-]+(?: [\w-]+)?)(?:'s)? )?"
    rf"{_WORKS_NOW}"
)
"""How people say that what was done works, in a sentence or a part of one. Who mended it by
themselves does not say so."""
_DID_IT = lazy_pattern(r"\b((?:that|this|it) (?:did it|did the trick|(?:fixed|solved) it)):\s")
"""What names behind a colon what made it work."""
_UNHARMED = lazy_pattern(
    r"\bwithout (?:a|any) (?:single )?(?:loss|errors?|problems?|issues?|failures?|crash)\b"
)
_WORKS_NOT = lazy_pattern(
    r"\b(?:no|not|never|none|nothing|nobody|hardly|barely|can't|cannot|won't|seldom|rarely|slowly"
    r"|only|make|makes|made|should|must|might|could|would|may|ensure|sure)\b|n't\b"
)

_ASKS = lazy_pattern(
    r"^(?:(?:so|and|or|then|please) )*(?:let me know|tell me|say|shall (?:i|we)|should (?:i|we)"
    r"|do you want|would you like|want me to)\b"
)
_TO_PERSON = lazy_pattern(r"\b(?:you|i|we|me|us|ok|okay|right|correct|agreed)\b")
_LAST = 3
"""Sentences at the end of a message in which a question to a person is looked for."""

_CONFIRM = lazy_pattern(
    r"(?:(?:so|and) )?(?:is|was|does|do|would|are|sounds?|ok|okay|right|correct|agreed?|fine"
    r"|makes?|any|you)(?: (?:that|this|it|you|all|be|sounds?|seem|look|make|match|agree|agreed"
    r"|ok|okay|fine|good|right|correct|true|so|sense|sensible|reasonable|happy|objections?|to|with|for|by|me|us"
    r"|what|see|saw|expect|expected|mean|meant|think|approve|confirm|a|choice|decision|plan|idea))*"
)
"""A question that asks for assent to all that was said before it."""
_OFFER = lazy_pattern(
    r"(?:(?:so|and|then|ok|okay) )*(?:are you (?:ok|okay|fine|happy) with"
    r"|(?:(?:shall|should|can|may|could) (?:i|we)|want me to"
    r"|(?:do you want|would you like) (?:me|us) to|is it (?:ok|okay|fine) (?:to|for me to))"
    r" (?:(?:then|now|just) )*"
    rf"(?:{_CHOOSE}|go ahead))(?: (?P<option>.+))?"
)
"""A question whether to do something that was said before it."""
_UP_TO = lazy_pattern(
    r" (?:for|in|on|with|as|to|when|instead|rather|over|and|here|then|now|from)\b.*"
)
_OTHER = lazy_pattern(
    r"\b(?:instead of|rather than|as opposed to|in place of|over|and not|not|against|from|without"
    r"|replac\w+|drop\w*|remov\w+|avoid\w*|no longer)\s+[^,;.()—]*?"
    r"(?=\s+(?:because|since|so that|due to|to|with|by|and|in favou?r|we|i|for)\b|[,;.()—]|$)"
)
_REASON = lazy_pattern(
    r"(?<=\S)\s*\b(?:because|since|so that|due to|to avoid|given that|otherwise|which"
    r"|as (?:it|this|that|the|we))\b.*"
)

LIKED = frozenset({
    "👍", "✅", "💯", "👌", "☑", "✔", "+1", "thumbsup", "thumbs_up", "thumbs up", "yes",
})  # fmt: skip
"""Reactions that say yes; a heart or a laugh says something else."""

SIGNED = "Exactly."
"""What such a reaction says."""

_TONES = "[\\x{1F3FB}-\\x{1F3FF}\\x{FE0F}]"


def says_so(text: str, message: str = "", *statements: str) -> bool:
    """Whether a person's message says that what was said before it is so.

    Args:
        text: The person's message.
        message: What it answers. Where that asks something else than whether it is so, only words
            that no question is answered with say so.
        statements: What is to be so: in other words, the same.
    """
    asked = _questions(message)
    about = all(_CONFIRM.fullmatch(one) or _within(statements, one) for one in asked)
    rule = _ASSENTS if about else _ASSENTS_OF_ITSELF

    def says(parts: list[str]) -> bool:
        return _alone(parts, rule.fullmatch, _BEHIND)

    return _said(text, says)


def approves(text: str, message: str = "", decision: str = "") -> bool:
    """Whether a person's message says that something is to be done as was said before it.

    Args:
        text: The person's message.
        message: What it answers. Where that asks about something else, only who names the choice
            approves of it.
        decision: The sentence that says what is to be done.
    """
    about = all(_CONFIRM.fullmatch(one) or _offers(one, decision) for one in _questions(message))
    rule = _APPROVES if about else _APPROVES_OF_ITSELF

    def agrees(part: str) -> object:
        named = _NAMES.fullmatch(part)
        return rule.fullmatch(part) or (named and _is_choice(named["option"], decision))

    def says(parts: list[str]) -> bool:
        if _alone(parts, agrees, _BEHIND):
            return True
        return (
            about
            and bool(_YES.fullmatch(parts[0]))
            and all(_BEHIND_YES.fullmatch(part) or agrees(part) for part in parts[1:])
        )

    return _said(text, says)


def works(text: str) -> bool:
    """Whether a person's message says that it works, without a doubt."""
    opening = opening_of(text)
    if DENIES.search(opening) or _RESERVES.search(opening):
        return False
    if _UNHARMED.search(opening) and not _WORKS_NOT.search(opening):
        return True
    return any(
        _WORKS.fullmatch(part) and not _WORKS_NOT.search(part)
        for sentence in _END.split(_DID_IT.sub(r"\1, ", opening))
        for part in _parts(sentence)
    )


def opening_of(text: str) -> str:
    """How a message begins, as it is looked at here."""
    return bare(text.lstrip()[:200].split("\n\n", 1)[0])


def _said(text: str, says: Callable[[list[str]], bool]) -> bool:
    """Whether the first sentence that is no greeting says it, and nothing takes it back."""
    opening = opening_of(text)
    denied = _DENIED.search(_UNHARMED.sub("", opening))  # what went "without a loss" denies nothing
    if _RESERVES.search(opening) or denied or _TAKEN_BACK.search(bare(text)):
        return False
    for parts in map(_parts, _END.split(opening)):
        if parts and says(parts):
            return True
        rest = list(dropwhile(_LEADS.fullmatch, parts))
        if rest:
            return says(rest)
    return False


def _alone(parts: list[str], agrees: Callable[[str], object], behind: re.Pattern[str]) -> bool:
    """Whether a sentence begins with assent and has nothing beside it but what may be `behind`."""
    return bool(agrees(parts[0])) and all(agrees(one) or behind.fullmatch(one) for one in parts[1:])


def _parts(sentence: str) -> list[str]:
    """What stands between commas and dashes, without marks about it and signs between."""
    parts = (_EDGES.sub("", " ".join(part.split())) for part in _BREAK.split(sentence))
    return [part for part in parts if part]


def _questions(message: str) -> list[str]:
    """What a message asks a person at its end, without marks."""
    found: list[str] = []
    every = [bare(message[slice(*span)]) for span in sentences(message)]
    for at, sentence in enumerate(every[-_LAST:], max(0, len(every) - _LAST)):
        last = at == len(every) - 1
        one = " ".join(_parts(sentence))
        marked = sentence.rstrip(" \"')*_").endswith("?") and (last or _TO_PERSON.search(one))
        if marked or _ASKS.search(one):
            found.append(one)
    return found


def _within(statements: tuple[str, ...], question: str) -> bool:
    """Whether a question asks whether a statement is so: most of its words stand in it."""
    asked = _weighty(question)
    return any(4 * len(told & asked) >= 3 * len(told) > 0 for told in map(_weighty, statements))


def _offers(question: str, decision: str) -> bool:
    """Whether a question asks whether to do as was decided."""
    offer = _OFFER.fullmatch(question)
    if not offer or " or " in question:
        return False
    option = _UP_TO.sub("", offer["option"] or "it")
    return re.fullmatch(_THAT, option) is not None or _is_choice(option, decision)


def _is_choice(option: str, decision: str) -> bool:
    """Whether what is named is what was decided on, and neither the other option nor a reason."""
    said = _REASON.sub("", bare(decision))
    other = frozenset[str]().union(*(_weighty(each[0]) for each in _OTHER.finditer(said)))
    named = _weighty(option)
    return bool(named - other) and named <= _weighty(_OTHER.sub(" ", said))


def _weighty(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words(text) if word not in STOP_WORDS)


def assented_by_sign(raw_logs: pl.DataFrame) -> list[str]:
    """Records of agents' messages that a person's reaction says yes to."""
    sign = pl.col("text").str.replace_all(_TONES, "").str.strip_chars(" :!.\t\n").str.to_lowercase()
    reactions = raw_logs.filter(
        pl.col("kind") == "reaction", pl.col("origin") == "human", sign.is_in(list(LIKED))
    )
    messages = raw_logs.filter(kind="message", origin="agent")
    answered = reactions.select("namespace", native_id="reply_to").drop_nulls()
    return messages.join(answered, on=["namespace", "native_id"], how="semi")["record_id"].to_list()
