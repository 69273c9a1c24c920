"""A sentence as rules match it: contractions written out, and what leads into it told apart.

People write "don't", "dont" and "do not", and put "by the way", "haha" or "lately" in front. A rule
has its forms once, in plain wording, and finds each place in the words that were written.
"""

# ruff: noqa: E501  (a pattern is easier to read where it is not broken)

import re
from functools import lru_cache
from typing import NamedTuple

from cairn.knowledge.nlp.patterns import lazy_pattern

_HIDDEN = lazy_pattern(
    r"`[^`\n]*`|[\"“][^\"“”\n]*[\"”]|(?<!\w)'[^'\n]*'(?!\w)|‘[^‘’\n]*’(?!\w)|\b\w+://\S+"
)
_ALIKE = str.maketrans("’\n\t*", "'   ")

_NOT = "do|does|did|is|are|was|were|has|have|had|should|would|could|must|need|might"
_BEGINS = (
    r"(?:^\W*|[,;:.!?(–—-]\s*"
    r"|\b(?:ok|okay|and|then|so|but|yes|yeah|no|now|please|also|great|good|well|hey|because)\s+)"
)
_MISTYPED = (
    ("bel(?:ei|i|e)ve", "believe"),
    ("jsut", "just"),  # codespell:ignore jsut
    ("shoud|shuold|shoudl", "should"),  # codespell:ignore shoud,shuold,shoudl
    ("alwasy|allways", "always"),  # codespell:ignore alwasy,allways
    ("thougth|thougt|thouhgt", "thought"),  # codespell:ignore thougth,thougt,thouhgt
    ("becuase|becasue|beacuse", "because"),  # codespell:ignore becuase,becasue,beacuse
)
"""Words that make a rule's form, as they are often mistyped."""

_WRITTEN_OUT: tuple[tuple[str, str], ...] = (
    (rf"\b(?P<verb>{_NOT})n'?t\b", "{verb} not"),
    (r"\b(?:can't|cant|can not)\b", "cannot"),
    (r"\bwon'?t\b", "will not"),
    (r"\bi'?m\b", "i am"),
    (r"\b(?P<they>we|you|they)'re\b", "{they} are"),
    (r"\b(?P<you>you|they)re\b", "{you} are"),
    (rf"(?<![\w'])(?P<where>{_BEGINS})were(?= (?:not (?:to|supposed|allowed|using|going))\b)",
     "{where}we are"),
    (r"\b(?P<have>i|we|you|they)'ve\b", "{have} have"),
    (r"\b(?P<ve>i|we|you|they)ve\b(?<!\bwe ve)", "{ve} have"),
    (r"\b(?P<will>i|we|you|they|he|she|it|that|there)'ll\b", "{will} will"),
    (r"\b(?P<had>i|we|you|they|he|she)'d(?= (?:better|been|had|never|(?!need\b|feed\b|embed\b|speed\b)\w+ed)\b)", "{had} had"),
    (r"\b(?P<would>i|we|you|they|he|she|it|that)'d\b", "{would} would"),
    (r"\bid(?= (?:like|love|prefer|rather|say|want)\b)", "i would"),
    (r"\b(?P<been>it|that|there|he|she|who|what)'s(?= (?:been|got)\b)", "{been} has"),
    (r"\b(?P<it>it|that|this|there|here|he|she|what|who|how|where|when|why)'s\b", "{it} is"),
    (r"\b(?P<what>that|there|what|here|how|where)s\b", "{what} is"),
    (rf"(?P<at>{_BEGINS})its(?= (?:not|called|named|an?|the|just|only|actually|x{{3,}}|\w+[/_.]))",
     "{at}it is"),
    (r"\blet's\b", "let us"),
    (rf"(?P<lead>{_BEGINS})lets\b", "{lead}let us"),
    (r"\bgonna\b", "going to"),
    (r"\bwanna\b", "want to"),
    (r"\bdunno\b", "do not know"),
    (r"\b(?:pls|plz)\b", "please"),
    *((rf"\b(?:{wrong})\b", right) for wrong, right in _MISTYPED),
    (r"\bu\b", "you"),
    (r"\bw/o(?= )", "without"),
    (r"\bw/(?= )", "with"),
)  # fmt: skip
_SHORT = tuple((lazy_pattern(short), long) for short, long in _WRITTEN_OUT)
"""Short forms, and how they are written out; an apostrophe may be missing where none is meant."""

_MAY_BE_SHORT = lazy_pattern(
    r"'|nt\b|\bw/|\b(?:im|ive|weve|youve|theyve|youre|theyre|were|id|its|lets|can not|thats|theres|whats"
    r"|heres|hows|wheres|gonna|wanna|dunno|pls|plz|u)\b|"
    rf"\b(?:{'|'.join(wrong for wrong, _ in _MISTYPED)})\b"
)


class PlainWords(NamedTuple):
    """Words as rules match them, and where each character of them stands in what was written."""

    text: str
    places: tuple[int, ...]
    """One more than characters: the last is the end."""


@lru_cache(maxsize=4_096)
def plain_words(written: str) -> PlainWords:
    """A sentence in lower case, contractions written out; code and quotations `x` all through."""
    hidden = _HIDDEN.sub(lambda found: "x" * len(found[0]), written)
    lower = hidden.lower()
    if len(lower) != len(hidden):
        lower = "".join(one if len(one := each.lower()) == 1 else each for each in hidden)
    return written_out(lower.translate(_ALIKE))


def written_out(plain: str) -> PlainWords:
    """The same words, in lower case already, with their contractions written out."""
    places: tuple[int, ...] = tuple(range(len(plain) + 1))
    if not _MAY_BE_SHORT.search(plain):
        return PlainWords(plain, places)
    for short, long in _SHORT:
        made: list[str] = []
        kept: list[int] = []
        at = 0
        for found in short.finditer(plain):
            full = long.format(**found.groupdict())
            made += [plain[at : found.start()], full]
            kept += places[at : found.start()]
            last = found.end() - found.start() - 1
            kept += [places[found.start() + min(each, last)] for each in range(len(full))]
            at = found.end()
        if made:
            plain = "".join([*made, plain[at:]])
            places = (*kept, *places[at:])
    return PlainWords(plain, places)


_INTERJECTIONS = (
    r"please|and|but|also|so(?!\ far)|ok|okay|yes|yep|yeah|yup|hm+|mm+k?|k(?=,)|uh+|um+|dude|oh|ah|aha|wow|haha\w*|hehe\w*|wait|actually|sorry"
    r"|thanks(?:\ a\ lot|\ so\ much)?|thank\ you(?:\ so\ much|\ very\ much)?|then|now|just|note|important|fyi|btw"
    r"|remember(?!\ to\b)|reminder|again|great(?:\ news)?|good|nice|cool|perfect|well|finally|like(?=\ for\b)"
    r"|additionally|hey|hi|hello|anyways?|honestly|frankly|personally|basically|besides|alright|sure"
    r"|by\ the\ way|(?:as|like)\ i\ said|to\ be\ (?:honest|clear|fair)|in\ short|in\ general|of\ course|for\ context"
    r"|just\ so\ you\ know|for\ the\ record|in\ any\ case|in\ fact|which\ means|that\ means|meaning|you\ know(?=,)|i\ mean(?=,)|plus|(?:the\ )?idea\ (?:is|was)"
)
"""What leads into a sentence, whatever stands behind it."""

_SET_OFF = (
    r"(?:no\ )*no|nope|nah|right|that|stop|rule|(?!(?:on|rep|app|recent|late|current|usual|normal|general|typical|previous|original|local|dai|week|month|year|fami|ear)ly\b)\w+ly|first|second|third|one\ (?:more|last)\ thing"
    r"|thinking\ again|on\ second\ thoughts?|keep\ in\ mind|guess\ what|good\ (?:morning|evening|afternoon|news|idea|point)"
    r"|speaking\ of\ [^,;.!?]{1,30}|as\ for\ [^,;.!?]{1,30}|exactly|indeed|understood|agreed|lol|not\ (?:much|really)"
    r"|(?:that|it)\ (?:is|was)\ (?:great|good|nice|cool|helpful|fine|interesting|right|true|awesome|funny)"
    r"|(?:that|it)\ sounds\ (?:great|good|nice|cool|fun|delicious|interesting)|how\ \w+|what\ an?\ [^,;.!?]{1,30}"
    r"|my\ (?:dear|friend)|(?:hi|hello|hey|thanks),?\ \w+"
)
"""What leads into a sentence if a mark sets it off."""

_OPENING = lazy_pattern(
    rf"^(?:(?:{_SET_OFF})\s*[,.:;!—–-]+\s+|(?:{_INTERJECTIONS})\b(?:\ that\b)?[\s,.:;!—–-]+)+",
    re.VERBOSE,
)
_CIRCUMSTANCE = lazy_pattern(
    r"""(?P<when>(?:
        (?:in|on|at|for|to|with|within|under|during|over|since|after|before|by|from|until|inside|throughout|around)
          \ (?:(?!\b(?:we|i|you|they|it|he|she)\b)[^,;:.!?]){1,50}
      | (?:when|whenever|once|if|while|as)\ [^,;:.!?]{1,60}
      | (?:last|this|next|every|each|most|these|those|one|a\ few|some|the\ other|once|twice)\ (?:[\w'-]+\ ?){1,4}
      | today|tonight|yesterday|recently|lately|currently|nowadays|usually|normally|generally|typically|sometimes
        |often|originally|previously|locally|instead|otherwise|additionally|unfortunately|luckily|fortunately
      ),\s+
      | (?:in|on|at|for|during|under)\ (?!(?:all|each|every|any)\b)(?:[\w'/.-]+\ ){1,4}(?=(?:we|i|you)\ )
      | (?:from\ (?:now|here)\ on|going\ forward|so\ far|today|yesterday|recently|lately|nowadays|generally|typically|currently|usually|normally|sometimes|often
          |(?:last|every|each|this|these|most)\ \w+)\ (?=(?:we|i|my|our)\ )
    )""",
    re.VERBOSE,
)


class LeadIn(NamedTuple):
    """How far what leads into a sentence goes: what says nothing, and the circumstance behind."""

    opening: int
    clause: int


def lead_in(plain: str) -> LeadIn:
    """Where a sentence begins to say something, and where its main clause begins.

    "By the way, in tests, use fakes": the opening is "by the way, ", the circumstance "in tests, ".
    """
    found = _OPENING.match(plain)
    opening = found.end() if found else 0
    circumstance = _CIRCUMSTANCE.match(plain, opening)
    return LeadIn(opening, circumstance.end() if circumstance else opening)
