r"""What rules are made of: their form, the slots of their patterns, and what the prefilter needs.

A pattern is RE2 over decoded text, with slots in braces for what recurs (`{arg}`: a shell word,
quoted or not). Groups named s, s1, … hold what is replaced; `key` and `sep` go to the judge.

The prefilter reads raw JSON, where a quote may be `\"`, a newline `\n`, and a command's words the
items of a list. So a rule also has an `opening`, cheap and literal, and a `Follow` that must come
after it; rules of one follow share one alternation, which keeps the automaton small and fast.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from cairn.knowledge.redaction import scoring
from cairn.knowledge.redaction.scoring import SecretMatch

_TAIL = (
    r"(?:[_.-]?(?:[0-9]{1,3}|prod(?:uction)?|dev(?:elopment)?|stag(?:e|ing)|test|local|live|value"
    r"|base(?:64)?|b64|old|new|current|default|main|master|root|admin|primary|secondary|raw"
    r"|plain(?:text)?|hex|string|str|key)){0,2}"
)
PASSWORD = rf"(?:pass(?:w(?:or)?d|wort|phrase|code)?|pwd|pswd|psk|pw){_TAIL}"
OWNED_KEY = (
    r"(?:api|access|secret|private|account|encryption|signing|master|auth|shared|service"
    r"|subscription|admin|deploy|app|client|webhook|storage|license|registration|function|host|pre[_-]?shared|unseal|recovery)"
    r"[ _.-]?key"
)
TOKEN = rf"(?:token|secret|{OWNED_KEY}|auth|credentials?|jwt|bearer){_TAIL}"
_SLOTS = {
    # The start of a word, also after the escapes of nested strings, of addresses and of terminals.
    "edge": r"(?:\b|_|\\[nrtbf]|u00[0-9a-fA-F]{2}|%[0-9a-fA-F]{2}|\x1b\[[0-9;]*m)",
    # The same, and no part of a longer name: `cache-key-…`.
    "free": r"(?:^|[^\w.-]|\\[nrtbf]|%[0-9A-F]{2}|u00[0-9a-f]{2}|\x1b\[[0-9;]*m)",
    "ws": r"[ \t]+",
    "ows": r"[ \t]*",
    "any": r"\s*",
    "seg": r"\s(?:(?:[^\n|;&]|\\\n)*?\s)??",  # the rest of a command, up to an option
    "q": r"\\*[\"']",
    "oq": r"(?:\\*[\"'`])?",
    "close": r"(?:\x1b\[[0-9;]*m)?\\*[\"'`]?\]?",
    "sep": r"(?P<sep>[ \t]*(?::[ \t]*&?[A-Za-z][\w.| ]*=|=>|:=|={2,3}|[=:])[ \t]*)",
    "sl": r"\\*/",
    "arg": (
        r"(?:'(?P<s1>[^'\n]+)'|\"(?P<s2>(?:[^\"\\\n]|\\.)+)\"|\\+[\"'](?P<s3>[^\"'\\\n]+)\\+[\"']"
        r"|(?P<s4>[^\s\"'`;|&<>()\\]+))"
    ),
    "quoted": (
        r"[fFrRbBuU@$]{0,2}(?:\"(?P<s1>(?:[^\"\\\n]|\\.)+)(?:\"|(?m:$))|'(?P<s2>(?:[^'\\\n]|\\.)+)(?:'|(?m:$))"
        r"|`(?P<s4>[^`\\\n]+)`|\\+[\"'](?P<s3>[^\"'\\\n]+)(?:\\+[\"']|(?m:$)))"
    ),
    "bare": r"(?P<s>[^\s\"'`,;&()\[\]{}<>|\\$*=][^\s\"'`,;&)}\]<>|\\]*)",
    "password": rf"(?P<key>[\w.-]*{PASSWORD})",
    "token": rf"(?P<key>[\w.-]*{TOKEN})",
}

# Raw JSON: what may stand between words, between a key and its value, and in an unquoted value.
GAP = r"(?:[\s\"',\\\[\]]|\\[nrtu]|u00[0-9a-fA-F]{2})"
_CLOSE = r"(?:[\s\"'`\\\])#]|\\[nrt]|u00[0-9a-fA-F]{2}|(?:\x1b|u001[bB])\[[0-9;]*[mM])*"
_SEP = r"(?:[=:>]|u003[eE])"
QUOTE = r"(?:[\\\"'`]|u002[27])+"
_RANDOM = r"(?:[\w+/=.~:%!#^*@$&?\\-]*[0-9]|[A-Za-z+/\\]{20})"
_BARE = r"(?:[^\s\"'`,;&)}\]<>|\\]|\\[u/\\])"
_SEG = rf"{GAP}" r"(?:(?:[^\n|;&\\]|\\\\\\n|\\[^nr])*(?:[\s\"',]|\\[nrt]))?"


ALSO = (
    # Escaped ASCII that no encoder escapes by habit: `\u0070assword` must not pass unseen. Quotes,
    # `&`, `<` and `>` are escaped by habit, and the openings and follows know them.
    r"\\u00(?:2[013-589a-fA-F]|3[0-9abdfABDF]|[4-7][0-9a-fA-F])",
    # {"name": "DB_PASSWORD", "value": …}, whatever the order of its fields.
    r"(?i:\"(?:name|key)\"\s*:\s*\"[\w.-]*(?:pass|pwd|psk|pw|secret|token|key|auth|sess|sid)[\w.-]*\")",
    # A jar of cookies, and what only a cookie has.
    r"(?i:\"cookie_?(?:s|jar)?\"\s*:\s*[\[{])|\"(?:httpOnly|sameSite)\"",
    # A list under such a name.
    rf"(?i:{PASSWORD}|token|secret|{OWNED_KEY}|credential)s?(?:_b64|_hex)?\"\s*:\s*(?:\[|\{{\s*\"value\")",
)
"""What the prefilter must also see: secrets that the structure of JSON tells, not the rules."""


class Follow(Enum):
    """What comes after a rule's opening in raw JSON wherever the rule could match."""

    NOTHING = ""
    RANDOM = r"[\w./+=\\-]{16}"
    OPTION = rf"{_SEG}(?:{QUOTE})?(?:-h?[pPawNkK]|\\?/p:){GAP}*[^\s-]"
    USER = rf"{_SEG}(?:-[a-zA-Z]*[uUa]|--(?:proxy-)?user|--(?:src-|dest-)?creds|--auth)[^:]*:"
    PASSWORD = (
        rf"{_CLOSE}(?:(?:{_SEP}|[,(])(?:[\s\[(@$fFrRbBuU>=]|\\[nrt])*{QUOTE}[^\"'`\\,)]"
        rf"|{_SEP}(?:[\s>=&]|\\[nrt]|u0026)*{_BARE}{{3}})"
    )
    SECRET = (
        rf"{_CLOSE}(?:{_SEP}(?:[\s\[(@$>=\"'`\\:A-Za-z|&]|\\[nrt]|u00[0-9a-fA-F]{{2}})*"
        rf"|[,(](?:[\s@$fFrRbBuU]|\\[nrt])*{QUOTE}){_RANDOM}"
    )
    RANDOM_WORD = rf"(?:=|{GAP}+)[\\\"']*{_RANDOM}"
    DIGIT = rf"{GAP}+\S*[0-9]"
    WORD = (
        rf"(?:=[\\\"']*[^\s\"'\\-]|\s+(?:[\\\"']|u002[27])+\s*\S"
        rf"|{GAP}+(?:[A-Za-z]+(?:[^\sA-Za-z\"'`;|&<>()\\]|\\[/u])|[^\sA-Za-z\"'`;|&<>()\\-]))"
    )
    SENTENCE = (
        r"(?:[^.\n:=\"'`,;()\\]|\\[unrt])*(?:(?:\s|\\[nrt])(?i:is|to|was|ist|lautet)"
        r"(?:(?:\s|\\[nrt])(?i:now|generated(?:\s|\\[nrt])for(?:\s|\\[nrt])[^\s:]+))?:?(?:\s|\\[nrt])+|\s\()"
        r"[\"'`\\]*[^\s\"'`,;]*[0-9]"
    )
    PAIR = rf"{GAP}*,?{GAP}*(?i:value)"


@dataclass(frozen=True)
class SecretRule:
    """One kind of secret: where it stands, who judges it, and an example."""

    name: str
    opening: str | tuple[str, ...]
    follow: Follow
    pattern: str
    example: str
    judge: Callable[[SecretMatch], bool] = scoring.not_example
    personal: bool = False
    each: str = ""
    """Where a match is only a region, `rest`: what each secret in it looks like."""

    @property
    def openings(self) -> tuple[str, ...]:
        """Alternatives of the opening."""
        return (self.opening,) if isinstance(self.opening, str) else self.opening

    @property
    def exact(self) -> str:
        """RE2 pattern over decoded text, its slots filled."""
        return filled(self.pattern)


def filled(pattern: str) -> str:
    """A pattern with its slots filled."""
    return re.sub(r"\{([a-z]+)\}", lambda slot: _SLOTS[slot[1]], pattern)
