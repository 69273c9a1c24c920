"""The rules of redaction, as data: places, named values, personal data."""

from collections.abc import Callable

from cairn.knowledge.redaction import scoring, shapes
from cairn.knowledge.redaction.arguments import ARGUMENTS
from cairn.knowledge.redaction.cookies import COOKIES
from cairn.knowledge.redaction.inputs import INPUTS
from cairn.knowledge.redaction.patterns import (
    GAP,
    OWNED_KEY,
    PASSWORD,
    QUOTE,
    TOKEN,
    Follow,
    SecretRule,
)
from cairn.knowledge.redaction.prefixes import PREFIXED
from cairn.knowledge.redaction.printed import PRINTED
from cairn.knowledge.redaction.scoring import SecretMatch
from cairn.knowledge.redaction.shell_detectors import COMMANDS
from cairn.knowledge.redaction.tokens import TOKENS
from cairn.knowledge.redaction.tools import TOOLS

_PLACES = (
    SecretRule("url", r":\\*/\\*/[^\s/:@\"'<>]*:[^\s/@\"'<>]+@", Follow.NOTHING,
        r":{sl}{sl}[^\s/:@\"'<>\\]*:(?P<s>[^\s/\"'<>\\]+)@[\w\[.-]", "postgres://app:kiwi77@db/app",
        scoring.embedded),
    SecretRule("url", r":\\*/\\*/[\w-]{20,}(?::x-oauth-basic)?@", Follow.NOTHING,
        r":{sl}{sl}(?P<s>[\w-]{20,})(?::x-oauth-basic)?@",
        "https://" + "a1b2" * 8 + "@git.example.com/a.git", scoring.strong_token),
    SecretRule("authorization", r"(?i:authorization)[^\w]*(?:\w+(?:\s|\\[nrt])+)?[\w.~+/=:%-]{6}",
        Follow.NOTHING,
        r"(?i:\bauthorization{close}{sep}{oq}\[?{oq}(?:(?:bearer|basic|token|apikey|digest|bot)\s+)?)"
        r"(?P<s>[\w.~+/=:%-]{6,})",
        "Authorization: Basic YWRtaW46cGFzcw==", scoring.header_value),
    SecretRule("bearer", r"(?i:bearer)(?:\s|\\t)+[\w.~+/=\\-]{16}", Follow.NOTHING,
        r"(?i:\bbearer)[ \t]+(?P<s>[\w.~+/=-]{16,})", "-H 'X-Auth: Bearer " + "a1B2" * 8 + "'",
        scoring.strong_token),
    SecretRule("netrc", rf"login{GAP}+[^\s\"'\\]+{GAP}+password{GAP}", Follow.NOTHING,
        r"\b(?:machine\s+\S+|default)\s+login\s+\S+\s+password\s+{arg}",
        "machine a.example login bob password kiwi77", scoring.after_login),
    SecretRule("pgpass", r":(?:5432|5433|6432|\*):[\w*-]+:[\w*-]+:", Follow.NOTHING,
        r"[\w.*-]+:(?:5432|5433|6432|\*):[\w*-]+:[\w*-]+:(?P<s>[^\s:\"'\\]+)",
        "db:5432:app:app:kiwi77", scoring.given),
    SecretRule("sql",
        r"(?i:identified(?:\s|\\[nrt])+(?:with|by)|password(?:\s|\\[nrt])*[=(]?(?:\s|\\[nrt])*[\\'\"])",
        Follow.NOTHING,
        r"(?i:\b(?:identified(?:\s+with\s+\S+)?\s+by|(?:with|encrypted|set|login|(?:user|role)\s+\S+)\s+password)"
        r"\s*=?\s*(?:password\s+)?|=\s*password\s*\()(?:'(?P<s1>[^'\n]+)'|\\+[\"'](?P<s2>[^\"'\\\n]+))",
        "CREATE USER web IDENTIFIED BY 'kiwi77'", scoring.given),
    SecretRule("password", r"(?i:ConvertTo-SecureString)", Follow.NOTHING,
        r"(?i:\bConvertTo-SecureString{ws}(?:-String{ws})?){quoted}",
        'ConvertTo-SecureString "kiwi77" -AsPlainText', scoring.given),
    SecretRule("password", rf"(?:auth\s*=\s*\(|HTTPBasicAuth\(){GAP}*[\"'\\]", Follow.NOTHING,
        r"\b(?:auth{ows}={ows}\(|HTTPBasicAuth\(){any}{q}[^\"'\n\\]*{q}{any},{any}{quoted}",
        'auth=("bob", "kiwi77")', shapes.basic),
    SecretRule("password", rf"login\({GAP}*[\"'\\]", Follow.NOTHING,
        r"\blogin\({any}{q}[^\"'\n\\]*{q}{any},{any}{quoted}", 'login("bob", "kiwi77")',
        shapes.logged_in),
    SecretRule("password",
        rf"(?:connect|mysqli)\((?:\s|\\[nrt])*{QUOTE}(?:[^\"'\\,()]|\\u)*{QUOTE},", Follow.NOTHING,
        r"\b(?:mysqli|\w*connect)\({any}{q}[^\"'\n\\]*{q}{any},{any}"
        r"{q}[\w.@-]+{q}{any},{any}{quoted}",
        "mysqli_connect('db', 'root', 'kiwi-77b')", scoring.strong_password),
    SecretRule("password", rf"send(?:_user)?{GAP}+(?:--{GAP}+)?[\"'\\]", Follow.NOTHING,
        r"assword[^\n]{0,60}?\bsend(?:_user)?{ws}(?:--{ws})?{quoted}",
        r'expect "assword:"; send "kiwi77\r"', scoring.given),
    SecretRule("password", rf"(?i:variable{GAP}+[\w.-]*{PASSWORD})", Follow.NOTHING,
        r"\b(?i:variable{ws}\"{password}\"){any}\{[^}]*?\bdefault{ows}={ows}{quoted}",
        'variable "db_password" { default = "kiwi-77b" }', scoring.password_quoted),
    SecretRule("password", rf"(?:requirepass|masterauth|bindpw|rootpw|smtp_password){GAP}",
        Follow.NOTHING,
        r"(?:(?m:^{ows})|(?i:\bconfig{ws}set{ws}))(?:requirepass|masterauth|(?:root)?bindpw|rootpw"
        r"|smtp_password){ws}(?:--plaintext{ws})?{arg}",
        "requirepass kiwi77", scoring.given),
)  # fmt: skip


def _keyed(name: str, key: str, bare: str, follow: Follow, example: str) -> tuple[SecretRule, ...]:
    """The forms in which a named value is written, for one family of names."""
    slot = "{" + name + "}"
    words = rf"(?i:{PASSWORD if name == 'password' else TOKEN})"
    quoted = scoring.password_quoted if name == "password" else scoring.token_value
    unquoted = scoring.password_bare if name == "password" else scoring.token_value
    return (
        SecretRule(
            name,
            words,
            Follow.WORD if name == "password" else Follow.RANDOM_WORD,
            rf"(?P<key>-[\w.-]*?{words})(?P<sep>=|[ \t]+){{arg}}",
            f"tool --{key} {example} run",
            scoring.flag_value,
        ),
        SecretRule(
            name,
            words,
            follow,
            rf"(?i:{slot}{{close}}){{sep}}{{quoted}}",
            f'"{key}": "{example}"',
            quoted,
        ),
        SecretRule(
            name, words, follow, rf"(?i:{slot}{{close}}){{sep}}{{bare}}", bare + example, unquoted
        ),
        SecretRule(
            name,
            words,
            Follow.DIGIT if name == "password" else Follow.RANDOM_WORD,
            r"(?i:\b(?:set|put|setx|config|write|insert|use|using|with)\s(?:-\S+\s|the\s)*|:)"
            rf"(?i:{{oq}}[\w./:@-]*?\b[\w.]*?{slot}){{oq}}{{ws}}{{arg}}",
            f"kv put app/{key} {example}",
            scoring.named_value,
        ),
        SecretRule(
            name,
            words,
            Follow.PAIR,
            rf"(?i:\b(?:name|key|id){{oq}}{{ows}}[:=]{{ows}}{{oq}}{slot}{{oq}}){{any}},?{{any}}{{oq}}"
            r"(?i:value{oq}{ows}[:=]{ows}){oq}(?P<s>[^\s\"'\\<>]+)",
            f"- name: {key}\n  value: {example}",
            scoring.named_value,
        ),
        SecretRule(
            name,
            words,
            follow,
            rf"(?i:{{q}}[#.]?{slot}{{q}}{{any}},{{any}}){{quoted}}",
            f"define('{key}', '{example}')",
            scoring.named_value,
        ),
        SecretRule(
            name,
            words,
            follow,
            rf"(?i:{slot}\({{any}}){{quoted}}{{any}}\)",
            f'with_{key}("{example}")',
            scoring.named_value,
        ),
        SecretRule(
            name,
            words,
            follow,
            rf"(?i:<{slot}>){{any}}(?P<s>[^\s<\"'\\]+)",
            f"<{key}>{example}</{key}>",
            scoring.named_value,
        ),
    )


_NAMED = (
    *_keyed("password", "password", "DB_PASS=", Follow.PASSWORD, "kiwi-77b"),
    *_keyed("token", "api_token", "API_TOKEN=", Follow.SECRET, "a1B2c3D4e5F6g7H8"),
    SecretRule("password", rf"(?i:{PASSWORD})", Follow.PASSWORD,
        r"(?im:^[ \t]*(?:- )?{password}{close})(?P<sep>:[ \t]+)(?P<s>[a-z]+)(?m:[ \t]*$)",
        "password: sesame", scoring.password_line),
    SecretRule("password", r"(?i:pass(?:word|wort|phrase|wd)|pwd|pw)", Follow.SENTENCE,
        r"(?i:\b(?P<key>pass(?:word|wort|phrase|wd)|pwd|pw)\b[^.\n:=\"'`,;()\\]*?"
        r"\s(?:is|to|was|ist|lautet)(?:\s(?:now|generated\sfor\s[^\s:]+))?:?)\s+"
        r"[\"'`]?(?P<s>[^\s\"'`,\\]+)",
        "the password is kiwi-77b", scoring.named_value),
    SecretRule("token", rf"(?i:token|secret|{OWNED_KEY})", Follow.SENTENCE,
        rf"(?i:\b(?P<key>token|secret|{OWNED_KEY})\b[^.\n:=\"'`,;()\\]*?\s(?:(?:is|to|was):?\s+|\())"
        r"[\"'`]?(?P<s>[\w.+/=-]{16,})",
        "your API key is: a1B2c3D4e5F6g7H8", scoring.strong_token),
)  # fmt: skip


def _personal(
    name: str, pattern: str, example: str, decides: Callable[[SecretMatch], bool]
) -> SecretRule:
    return SecretRule(
        name, pattern, Follow.NOTHING, rf"(?P<s>{pattern})", example, decides, personal=True
    )


_PERSONAL = (
    _personal("email", r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}", "write to bob@mail.example",
        scoring.anything),
    _personal("iban", r"[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?",
        "DE89 3704 0044 0532 0130 00", scoring.iban),
    _personal("card",
        r"(?:[3-6][0-9]{3}(?:[ -]?[0-9]{4}){2}[ -]?[0-9]{1,7}"
        r"|3[47][0-9]{2}[ -]?[0-9]{6}[ -]?[0-9]{5})",
        "card 4111 1111 1111 1111", scoring.card),
    _personal("phone",
        r"\+[1-9][0-9]{0,2}[ .-]?(?:\([0-9]{1,4}\)[ .-]?)?[0-9]{1,4}(?:[ ./-]?[0-9]{2,4}){1,4}",
        "call +49 30 1234567", scoring.phone),
    _personal("phone", r"\([0-9]{3}\) ?[0-9]{3}[ .-][0-9]{4}", "call (555) 010-9999",
        scoring.phone),
)  # fmt: skip

RULES: tuple[SecretRule, ...] = (
    *TOKENS,
    *PREFIXED,
    *COOKIES,
    *_PLACES,
    *COMMANDS,
    *TOOLS,
    *ARGUMENTS,
    *PRINTED,
    *INPUTS,
    *_NAMED,
    *_PERSONAL,
)
"""All rules, the most particular first: where two overlap, the first gives the name."""
