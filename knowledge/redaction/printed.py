"""Secrets that servers and tools print: at their first start, when asked for one, in a table."""

from collections.abc import Callable

from cairn.knowledge.redaction import scoring
from cairn.knowledge.redaction.patterns import Follow, SecretRule
from cairn.knowledge.redaction.scoring import SecretMatch

_INK = r"(?:\x1b\[[0-9;]*m)*"
_FRAME = r"(?:\s|\x1b\[[0-9;]*m|[|*•>`\"'-]|│|║|┃|\[redacted:\w+\])*"
"""What may stand between a label and its value: blanks, new lines, colours, lines of a box."""

_RAW_FRAME = r"(?:[\s|*>`\"'\\-]|[^\x00-\x7f]|\\[nrt]|u[0-9a-fA-F]{4}|\[[0-9;]*m|\[redacted:\w+\])*"
_VALUE = r"(?P<s>[^\s\"'`|│║┃\x1b,;<>]{6,})"
_LABEL = r"(?:passw(?:or[dt])|passphrase|kennwort)s?"
_FRESH = (
    r"(?:initial|generated|temporary|temp|default|bootstrap|one[ -]time|random|following|new|first"
    r"|admin\w*|root|superuser|elastic|operator|setup|enrollment|join|reset|created|interface|master"
    r"|changed|recovery|backup|emergency|session|user|login|copy)"
)
_KEPT = r"(?:unseal|recovery|root|join|bootstrap|enrollment|license|setup)[ _-](?:key|token|code)"
_KEY = (
    r"(?:pre-?auth|auth|api|access|secret|recovery|join|node|agent|personal access|service|deploy"
    r"|machine|registration)[ -](?:key|token)"
)
_MADE = r"(?:created|generated|new|your|successfully|once|again|save|copy|store|following|reset)"
# Commands that print a secret and nothing else.
_PRINTS = (
    r"(?:initialAdminPassword|initial_root_password|initial-password|node-token|vault-token|urandom"
    r"|openssl(?:\s|\\t)+rand|\bpwgen|\bapg(?:\s|\\t)|makepasswd|gen(?:key|psk)|token_(?:hex|urlsafe)"
    r"|get_random_secret_key|random(?:Bytes|_bytes)|gen\.secret|key:generate|(?:rails|rake)(?:\s|\\t)+secret"
    r"|print-access-token|get-access-token|get-login-password|auth(?:\s|\\t)+token|print(?:\s|\\t)+token"
    r"|op(?:\s|\\t)+read|pass(?:\s|\\t)+show|get(?:\s|\\t)+password|find-generic-password"
    r"|output(?:\s|\\t)+-raw|join-token(?:\s|\\t)+-q|token(?:\s|\\t)+create|create(?:\s|\\t)+token"
    r"|base64(?:\s|\\t)+-{1,2}[dD]|reset-password)"
)


def _printed(
    opening: str,
    follow: Follow,
    pattern: str,
    example: str,
    decides: Callable[[SecretMatch], bool] = scoring.printed,
) -> SecretRule:
    return SecretRule("printed", opening, follow, pattern, example, decides)


PRINTED = (
    _printed(  # `Unseal Key 1: …`, `Initial Root Token: …`
        rf"(?i:{_KEPT})",
        Follow.NOTHING,
        rf"(?i:\b(?P<key>{_KEPT}s?)"
        rf"(?:[ #]*[0-9]{{1,2}})?(?: \([^()\n]*\))?)(?:[ \t]*[:=]|[ \t]{{2,}}){_FRAME}{_VALUE}",
        "Unseal Key 1: " + "a1B2" * 11,
        scoring.printed_token,
    ),
    _printed(r"Key [0-9]{1,2}:", Follow.NOTHING, rf"\bKey [0-9]{{1,2}}:[ \t]+{_VALUE}",
        "Key 1: " + "a1b2" * 16, scoring.dense),
    _printed(  # `Created preauth key`, and the key below; `Your API key (shown only once): …`
        rf"(?i:{_KEY})[^\n\\]*?(?:\n|\\+[nr]|[:=])",
        Follow.NOTHING,
        rf"(?im:^(?P<key>[^\n]*?(?:\b{_MADE}\b[^\n]*?{_KEY}|{_KEY}[^\n]*?\b{_MADE}\b)[^\n:=]*?))"
        rf"[ \t]*(?::{_FRAME}|\n{_FRAME})(?P<s>[\w+/=.~-]{{20,}})[\"'`]?{_INK}[ \t]*(?m:$)",
        "Created preauth key\n" + "a1b2c3d4" * 6,
        scoring.credential,
    ),
    _printed(  # `A temporary password is generated for root@localhost: …`, on its line or below
        rf"(?i:{_LABEL})[^\n:|]*?(?:[:|]|│|║|u25\d{{2}}){_RAW_FRAME}[^\s\"\\]*[0-9]",
        Follow.NOTHING,
        rf"(?im:^(?P<key>[^\n]*?(?:\b{_FRESH}\b[^\n]*?{_LABEL}"
        rf"|{_LABEL}[^\n]*?\b{_FRESH}\b)[^\n:|│║]*?))"
        rf"{_INK}[ \t]*(?P<sep>[:|]|│|║){_FRAME}{_VALUE}[\"'`]?{_INK}"
        rf"(?:[ \t]*(?:[|]|│|║))?[ \t]*(?m:$)",
        "A temporary password is generated for root@localhost: kiwi-77b",
    ),
    _printed(  # it has every kind of mark
        r"(?i:password)(?:\s|\\[nrt])is(?:\s|\\[nrt])generated(?:\s|\\[nrt])for",
        Follow.NOTHING,
        r"(?i:password is generated for) \S+: (?P<s>\S+)",
        "A temporary password is generated for root@localhost: qe;k>Ab,kd)f",
        scoring.given,
    ),
    _printed(r"PASSWORD(?:\s|\\t)+\w+(?:\s|\\t)+=", Follow.NOTHING,
        rf"\bPASSWORD{{ws}}\w+{{ws}}={{ws}}{_VALUE}", "PASSWORD elastic = kiwi77bxKiwi",
        scoring.printed_token),
    _printed(r"New value:", Follow.NOTHING,
        rf"(?i:(?P<key>password)[^\n]*\n{{any}})?\bNew value: {_VALUE}",
        "Password for the [elastic] user successfully reset.\nNew value: kiwi-77bx"),
    _printed(r"(?i:secret)[ _]?(?:ID|id)\W+[0-9a-f]{8}-", Follow.NOTHING,
        r"(?i:secret[ _]?id)[\s\"':=|\\]+(?P<s>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})",
        "SecretID:   0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d", scoring.given),
    _printed(
        _PRINTS.replace(r"\b", ""),  # a boundary doubles the automaton's states
        Follow.NOTHING,
        rf"{_PRINTS}[^\n>]*\n{_INK}(?P<s>[^\s\x1b]{{8,}}){_INK}[ \t]*(?m:$)",
        "$ openssl rand -hex 16\n" + "a1b2" * 8,
        scoring.credential,
    ),
    _printed(r"(?i:with|using)(?:\s|\\[nrt])+(?i:the(?:\s|\\[nrt])+)?(?i:password)", Follow.NOTHING,
        rf"(?im:^(?P<key>[^\n]*?\b(?:user|superuser|admin\w*|root|account|login)\b[^\n]*?\b(?:with|using)"
        rf"(?: the)? password)):?[ \t]+[\"'`]?{_VALUE}",
        "Created superuser admin with password Kiwi-77-moor", scoring.literal),
    SecretRule("printed", r"(?i:(?:recovery|backup|scratch|emergency)[ -]codes?)", Follow.NOTHING,
        rf"(?i:\b(?:recovery|backup|scratch|emergency)[ -]codes?)[^\n:]*:"
        rf"(?P<rest>(?:{_FRAME}(?:[0-9]{{1,2}}[.)] )?"
        rf"[0-9A-Za-z]{{3,10}}(?:[- ]?[0-9A-Za-z]{{3,8}}){{1,5}}[ \t]*(?:\n|$))+)",
        "Recovery codes:\n  a1b2c-3d4e5\n  f6g7h-8i9j0", scoring.code,
        each=r"(?P<s>[0-9A-Za-z]{3,10}(?:[- ][0-9A-Za-z]{3,8}){1,5}|[0-9A-Za-z]{8,})"),
)  # fmt: skip
