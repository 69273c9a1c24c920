r"""The rules of redaction, as data.

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

from knowledge.redaction import judge
from knowledge.redaction.judge import Found

_TAIL = (
    r"(?:[_.-]?(?:[0-9]{1,3}|prod(?:uction)?|dev(?:elopment)?|stag(?:e|ing)|test|local|live|value"
    r"|base(?:64)?|b64|old|new|current|default|main|master|root|admin|primary|secondary|raw"
    r"|plain(?:text)?|hex|string|str|key)){0,2}"
)
_PASSWORD = rf"(?:pass(?:w(?:or)?d|phrase|code)?|pwd|pswd|psk|pw){_TAIL}"
_OWNED_KEY = (
    r"(?:api|access|secret|private|account|encryption|signing|master|auth|shared|service"
    r"|subscription|admin|deploy|app|client|webhook|storage|license|registration|function|host)"
    r"[ _.-]?key"
)
_TOKEN = rf"(?:token|secret|{_OWNED_KEY}|auth|credentials?|jwt|bearer){_TAIL}"
_SLOTS = {
    "ws": r"[ \t]+",
    "ows": r"[ \t]*",
    "any": r"\s*",
    "seg": r"\s(?:(?:[^\n|;&]|\\\n)*?\s)??",  # the rest of a command, up to an option
    "q": r"\\*[\"']",
    "oq": r"(?:\\*[\"'`])?",
    "close": r"\\*[\"'`]?\]?",
    "sep": r"(?P<sep>[ \t]*(?::[ \t]*[A-Za-z][\w.| ]*=|=>|:=|[=:])[ \t]*)",
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
    "password": rf"(?P<key>[\w.-]*{_PASSWORD})",
    "token": rf"(?P<key>[\w.-]*{_TOKEN})",
}

# Raw JSON: what may stand between words, between a key and its value, and in an unquoted value.
_GAP = r"(?:[\s\"',\\\[\]]|\\[nrtu]|u00[0-9a-fA-F]{2})"
_CLOSE = r"(?:[\s\"'`\\\])#]|\\[nrt]|u00[0-9a-fA-F]{2})*"
_SEP = r"(?:[=:>]|u003[eE])"
_QUOTE = r"(?:[\\\"'`]|u002[27])+"
_RANDOM = r"(?:[\w+/=.~:%!#^*@$&?\\-]*[0-9]|[A-Za-z+/\\]{20})"
_BARE = r"(?:[^\s\"'`,;&)}\]<>|\\]|\\[u/\\])"
_SEG = rf"{_GAP}" r"(?:(?:[^\n|;&\\]|\\\\\\n|\\[^nr])*(?:[\s\"',]|\\[nrt]))?"


ALSO = (
    # Escaped ASCII that no encoder escapes by habit: `\u0070assword` must not pass unseen. Quotes,
    # `&`, `<` and `>` are escaped by habit, and the openings and follows know them.
    r"\\u00(?:2[013-589a-fA-F]|3[0-9abdfABDF]|[4-7][0-9a-fA-F])",
    # {"name": "DB_PASSWORD", "value": …}, whatever the order of its fields.
    r"(?i:\"(?:name|key)\"\s*:\s*\"[\w.-]*(?:pass|pwd|psk|pw|secret|token|key|auth)[\w-]*\")",
    # A list under such a name.
    rf"(?i:{_PASSWORD}|token|secret|{_OWNED_KEY}|credential)s?\"\s*:\s*\[",
)
"""What the prefilter must also see: secrets that the structure of JSON tells, not the rules."""


class Follow(Enum):
    """What comes after a rule's opening in raw JSON wherever the rule could match."""

    NOTHING = ""
    RANDOM = r"[\w./+=\\-]{16}"
    OPTION = rf"{_SEG}(?:-h?[pPawNkK]|\\?/p:){_GAP}*[^\s-]"
    USER = rf"{_SEG}(?:-[a-zA-Z]*[uUa]|--(?:proxy-)?user|--(?:src-|dest-)?creds|--auth)[^:]*:"
    PASSWORD = (
        rf"{_CLOSE}(?:(?:{_SEP}|[,(])(?:[\s\[(@$fFrRbBuU>=]|\\[nrt])*{_QUOTE}[^\"'`\\,)]"
        rf"|{_SEP}(?:[\s>=]|\\[nrt])*{_BARE}{{3}})"
    )
    SECRET = (
        rf"{_CLOSE}(?:{_SEP}(?:[\s\[(@$>=\"'`\\:A-Za-z|]|\\[nrt]|u00[0-9a-fA-F]{{2}})*"
        rf"|[,(](?:[\s@$fFrRbBuU]|\\[nrt])*{_QUOTE}){_RANDOM}"
    )
    RANDOM_WORD = rf"(?:=|{_GAP}+)[\\\"']*{_RANDOM}"
    WORD = rf"(?:=|{_GAP}+)[\\\"']*[^\s\"'\\-]"
    SENTENCE = r"[^.\n:=\"'`,;()\\]*\s(?:is|to|was):?(?:\s|\\[nrt])+[\"'`\\]*[^\s\"'`,;\\]*[0-9]"
    PAIR = rf"{_GAP}*,?{_GAP}*(?i:value)"


@dataclass(frozen=True)
class Rule:
    """One kind of secret: where it stands, who judges it, and an example."""

    name: str
    opening: str
    follow: Follow
    pattern: str
    example: str
    judge: Callable[[Found], bool] = judge.not_example
    personal: bool = False

    @property
    def exact(self) -> str:
        """RE2 pattern over decoded text, its slots filled."""
        return re.sub(r"\{([a-z]+)\}", lambda slot: _SLOTS[slot[1]], self.pattern)


def _shape(name: str, opening: str, rest: str, example: str) -> Rule:
    """A token that is known by its looks alone."""
    return Rule(name, opening, Follow.RANDOM, rf"\b(?P<s>{opening}{rest})", example)


def _command(name: str, opening: str, follow: Follow, pattern: str, example: str) -> Rule:
    """A secret given to a command; the pattern goes on after the command's name."""
    return Rule(name, opening, follow, rf"\b{opening}{pattern}", example, judge.given)


_SHAPES = (
    _shape("aws_access_key", r"A(?:KIA|SIA|BIA|CCA)", r"[A-Z0-9]{16}", "AKIA" + "Q3EGRIPQ7ZKX2M4T"),
    _shape("github", r"gh[pousr]_", r"[A-Za-z0-9]{30,}", "ghp_" + "x7Kq" * 9),
    _shape("github", r"github_pat_", r"\w{30,}", "github_pat_" + "11AB7" * 10),
    _shape(
        "gitlab",
        r"(?:gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct)-|GR1348941)",
        r"[\w-]{18,}",
        "glpat-" + "x7Kq-" * 4,
    ),
    _shape(
        "slack", r"x(?:ox[a-z]|app)-", r"[0-9A-Za-z-]{20,}", "xoxb-" + "12345-" * 4 + "aBc9" * 6
    ),
    _shape(
        "stripe", r"(?:[sr]k_(?:live|test)|whsec)_", r"[A-Za-z0-9+/=]{16,}", "sk_live_" + "a1B2" * 6
    ),
    _shape("anthropic", r"sk-ant-", r"[\w-]{20,}", "sk-ant-api03-" + "a1B2" * 12),
    Rule(
        "openai",
        r"sk-",
        Follow.RANDOM,
        r"\b(?P<s>sk-[\w-]{20,})",
        "sk-proj-" + "a1B2" * 12,
        judge.strong_token,
    ),
    _shape("google", r"AIza", r"[\w-]{35}", "AIza" + "a1B2_" * 7),
    _shape("google", r"(?:ya29\.|GOCSPX-|1\\*/\\*/0)", r"[\w-]{20,}", "GOCSPX-" + "a1B2_" * 7),
    _shape("npm", r"npm_", r"[A-Za-z0-9]{36}", "npm_" + "a1B2" * 9),
    _shape("pypi", r"pypi-", r"[\w-]{50,}", "pypi-" + "AgEIcHlwaS5vcmc" + "a1B2" * 15),
    _shape("sendgrid", r"SG\.", r"[\w-]{16,}\.[\w-]{16,}", "SG." + "a1B2" * 5 + "." + "a1B2" * 10),
    _shape("twilio", r"SK[0-9a-f]{8}", r"[0-9a-f]{24}\b", "SK" + "a1b2" * 8),
    _shape("mailgun", r"key-[0-9a-f]{8}", r"[0-9a-f]{24}\b", "key-" + "a1b2" * 8),
    _shape("huggingface", r"hf_", r"[A-Za-z0-9]{30,}", "hf_" + "a1B2" * 9),
    _shape("digitalocean", r"do[opr]_v1_", r"[0-9a-f]{64}", "dop_v1_" + "a1b2" * 16),
    _shape("vault", r"hv[sbr]\.", r"[\w-]{20,}", "hvs." + "a1B2" * 7),
    _shape("docker", r"dckr_(?:pat|oat)_", r"[\w-]{20,}", "dckr_pat_" + "a1B2" * 7),
    _shape("groq", r"gsk_", r"[A-Za-z0-9]{40,}", "gsk_" + "a1B2" * 13),
    _shape("tailscale", r"tskey-", r"[a-z]+-[A-Za-z0-9-]{20,}", "tskey-auth-" + "a1B2" * 10),
    _shape("sentry", r"sntry[su]_", r"[\w+/=-]{30,}", "sntrys_" + "a1B2" * 12),
    _shape("shopify", r"shp(?:at|ca|pa|ss)_", r"[0-9a-fA-F]{32}", "shpat_" + "a1b2" * 8),
    _shape("linear", r"lin_(?:api|oauth)_", r"[A-Za-z0-9]{32,}", "lin_api_" + "a1B2" * 10),
    _shape("atlassian", r"ATATT3", r"[\w=-]{60,}", "ATATT3" + "a1B2" * 20),
    _shape("databricks", r"dapi[0-9a-f]{8}", r"[0-9a-f]{24}", "dapi" + "a1b2" * 8),
    _shape("age", r"AGE-SECRET-KEY-1", r"[A-Z0-9]{40,}", "AGE-SECRET-KEY-1" + "Q7ZK" * 14),
    Rule(
        "telegram",
        r":AA",
        Follow.RANDOM,
        r"(?:\b|bot)(?P<s>[0-9]{8,10}:AA[\w-]{30,})",
        "bot1234567890:AA" + "a1B2x" * 7,
    ),
    Rule(
        "discord",
        r"\.[\w-]{6}\.[\w-]{11}",
        Follow.RANDOM,
        r"\b(?P<s>[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,})",
        "M" + "a1B2" * 6 + ".Xy7_aB." + "a1B2" * 8,
    ),
    Rule(
        "jwt",
        r"eyJ[\w-]{8,}\.eyJ",
        Follow.NOTHING,
        r"\b(?P<s>eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{16,})",
        "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0In0." + "a1B2" * 10,
    ),
    Rule(
        "private_key",
        r"PRIVATE KEY(?: BLOCK)?-----",
        Follow.NOTHING,
        r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?:\s|\\+[nrt]|[\"'+,])*"
        r"(?P<s>(?:(?:Proc-Type|DEK-Info|Version|Comment)[^\n\\]*(?:\s|\\+[nrt]|[\"'+,])+)*"
        r"[A-Za-z0-9+/=]{16,}(?:(?:\s|\\+[nrt]|[\"'+,])+[A-Za-z0-9+/=]{16,})*"
        r"(?:(?:\s|\\+[nrt]|[\"'+,])+[A-Za-z0-9+/]{1,63}={0,2})?)",
        "-----BEGIN " + "PRIVATE KEY-----\n" + "a1B2" * 16 + "\nQ==\n-----END PRIVATE KEY-----",
    ),
    Rule(
        "azure",
        r"(?i:AccountKey|SharedAccessKey|SharedSecretValue)=",
        Follow.RANDOM,
        r"(?i:AccountKey|SharedAccessKey|SharedSecretValue)=(?P<s>[A-Za-z0-9+/%]{30,}={0,2})",
        "AccountName=a;AccountKey=" + "a1B2" * 21 + "==;",
    ),
    Rule(
        "signed_url",
        r"(?:[?&]|u0026)(?:sig|X-Amz-(?:Signature|Security-Token))=",
        Follow.NOTHING,
        r"[?&](?:sig|X-Amz-(?:Signature|Security-Token))=(?P<s>[A-Za-z0-9%+/=_.-]{24,})",
        "https://a.example/b?se=1&sig=" + "a1B2" * 10 + "%3D",
    ),
    Rule(
        "slack",
        r"hooks\.slack\.com",
        Follow.NOTHING,
        r"hooks\.slack\.com{sl}(?:services|workflows|triggers){sl}(?P<s>[\w/\\+-]{20,})",
        "https://hooks.slack.com/services/" + "T0A1B2C3D/B9Z8Y7X6W/" + "a1B2" * 6,
    ),
    Rule(
        "discord",
        r"discord(?:app)?\.com\\*/api",
        Follow.NOTHING,
        r"discord(?:app)?\.com{sl}api{sl}webhooks{sl}[0-9]+{sl}(?P<s>[\w-]{30,})",
        "https://discord.com/api/webhooks/12345/" + "a1B2" * 10,
    ),
)

_PLACES = (
    Rule(
        "url",
        r":\\*/\\*/[^\s/:@\"'<>]*:[^\s/@\"'<>]+@",
        Follow.NOTHING,
        r":{sl}{sl}[^\s/:@\"'<>\\]*:(?P<s>[^\s/@\"'<>\\]+)@[\w\[.-]",
        "postgres://app:kiwi77@db/app",
        judge.embedded,
    ),
    Rule(
        "url",
        r"https?:\\*/\\*/[\w-]{20,}(?::x-oauth-basic)?@",
        Follow.NOTHING,
        r"https?:{sl}{sl}(?P<s>[\w-]{20,})(?::x-oauth-basic)?@",
        "https://" + "a1b2" * 8 + "@git.example.com/a.git",
        judge.strong_token,
    ),
    Rule(
        "authorization",
        r"(?i:authorization)[^\w]*(?:\w+\s+)?[\w.~+/=:%-]{6}",
        Follow.NOTHING,
        r"(?i:\bauthorization{close}{sep}{oq}\[?{oq}(?:(?:bearer|basic|token|apikey|digest|bot)\s+)?)"
        r"(?P<s>[\w.~+/=:%-]{6,})",
        "Authorization: Basic YWRtaW46cGFzcw==",
        judge.header_value,
    ),
    Rule(
        "bearer",
        r"(?i:bearer)(?:\s|\\t)+[\w.~+/=\\-]{16}",
        Follow.NOTHING,
        r"(?i:\bbearer)[ \t]+(?P<s>[\w.~+/=-]{16,})",
        "-H 'X-Auth: Bearer " + "a1B2" * 8 + "'",
        judge.strong_token,
    ),
    Rule(
        "cookie",
        r"(?i:cookie)[^\w][^\n]*(?i:sess|sid|auth)[\w-]*=",
        Follow.NOTHING,
        r"(?i:cookie{close}{ows}[:=][^\n]*?\b(?:sess(?:ion)?(?:[_-]?(?:id|key|token))?|[\w.]*sid"
        r"|[\w-]*sessid|[\w-]*auth)=)(?P<s>[\w%.~+/:-]{20,})",
        "Set-Cookie: session=" + "a1B2" * 8 + "; Path=/",
        judge.cookie_value,
    ),
    Rule(
        "netrc",
        rf"(?:machine|default){_GAP}[^\n]*login{_GAP}",
        Follow.NOTHING,
        r"\b(?:machine\s+\S+|default)\s+login\s+\S+\s+password\s+{arg}",
        "machine a.example login bob password kiwi77",
        judge.given,
    ),
    Rule(
        "pgpass",
        r":(?:5432|5433|6432):[\w*-]+:[\w*-]+:",
        Follow.NOTHING,
        r"\b[\w.*-]+:(?:5432|5433|6432):[\w*-]+:[\w*-]+:(?P<s>[^\s:\"'\\]+)",
        "db:5432:app:app:kiwi77",
        judge.given,
    ),
    Rule(
        "sql",
        r"(?i:identified[^\n]*by|(?:with|encrypted|set|user\s\S+)\s+password)",
        Follow.NOTHING,
        r"(?i:\b(?:identified(?:\s+with\s+\S+)?\s+by|(?:with|encrypted|set|user\s+\S+)\s+password)"
        r"\s*=?\s*(?:password\s+)?)(?:'(?P<s1>[^'\n]+)'|\\+[\"'](?P<s2>[^\"'\\\n]+))",
        "CREATE USER web IDENTIFIED BY 'kiwi77'",
        judge.given,
    ),
    Rule(
        "password",
        r"(?i:ConvertTo-SecureString)",
        Follow.NOTHING,
        r"(?i:\bConvertTo-SecureString{ws}(?:-String{ws})?){quoted}",
        'ConvertTo-SecureString "kiwi77" -AsPlainText',
        judge.given,
    ),
    Rule(
        "password",
        rf"(?:auth\s*=\s*\(|HTTPBasicAuth\(|login\(){_GAP}*[\"'\\]",
        Follow.NOTHING,
        r"\b(?:auth{ows}={ows}\(|HTTPBasicAuth\(|login\(){any}{q}[^\"'\n\\]*{q}{any},{any}{quoted}",
        'auth=("bob", "kiwi77")',
        judge.given,
    ),
    Rule(
        "password",
        r"(?:requirepass|masterauth|bindpw|rootpw|smtp_password)",
        Follow.WORD,
        r"(?m:^{ows})(?:requirepass|masterauth|(?:root)?bindpw|rootpw|smtp_password){ws}{arg}",
        "requirepass kiwi77",
        judge.given,
    ),
)

_COMMANDS = (
    _command(
        "sshpass", r"sshpass", Follow.OPTION, r"{seg}-p{ows}{arg}", "sshpass -p 'kiwi77' ssh nas"
    ),
    _command(
        "mysql",
        r"(?:mysql(?:dump|admin|import|check|sh|slap)?|mariadb(?:-(?:dump|admin))?|mycli)",
        Follow.OPTION,
        r"{seg}-p{arg}",
        "mysql -u root -pkiwi77 shop",
    ),
    _command(
        "curl",
        r"(?:curl|wget|https?|xh|skopeo|podman|buildah)",
        Follow.USER,
        r"{seg}(?:-[a-zA-Z]*[uUa]{ows}|--(?:proxy-)?user[= \t]+|--(?:src-|dest-)?creds[= \t]+"
        r"|--auth[= \t]+){oq}[^\s:\"'/]*:(?P<s>[^\s\"'`|;&<>\\]+)",
        "curl -u alice:kiwi77 https://a.example",
    ),
    _command(
        "login",
        r"(?:docker|podman|nerdctl|buildah|skopeo|oras|helm|az|oc|cf|argocd|crane)",
        Follow.OPTION,
        r"{seg}login{seg}-p{ows}{arg}",
        "docker login -u ci -p kiwi77 r.example",
    ),
    _command(
        "login",
        r"(?:mongo(?:sh|dump|restore|import|export|stat)?|twine|cqlsh)",
        Follow.OPTION,
        r"{seg}-p{ws}{arg}",
        "mongosh -u admin -p kiwi77",
    ),
    _command(
        "login",
        r"(?:sqlcmd|bcp|mosquitto_(?:pub|sub)|ipmitool)",
        Follow.OPTION,
        r"{seg}-P{ows}{arg}",
        "sqlcmd -S a -U sa -P 'kiwi77'",
    ),
    _command(
        "redis",
        r"(?:redis|valkey|keydb)-cli",
        Follow.OPTION,
        r"{seg}-a{ws}{arg}",
        "redis-cli -a kiwi77 ping",
    ),
    _command(
        "ldap",
        r"ldap(?:search|modify|add|delete|whoami|passwd)",
        Follow.OPTION,
        r"{seg}-w{ows}{arg}",
        "ldapsearch -x -w kiwi77 -b dc=a",
    ),
    _command(
        "rdp", r"(?:x|wl)?freerdp3?", Follow.OPTION, r"{seg}/p:{arg}", "xfreerdp /v:a /p:kiwi77"
    ),
    _command("archive", r"(?:un)?zip", Follow.OPTION, r"{seg}-P{ws}{arg}", "unzip -P kiwi77 a.zip"),
    _command(
        "archive",
        r"(?:7z[arz]?|(?:un)?rar)",
        Follow.OPTION,
        r"{seg}-h?p{arg}",
        "7z x -pkiwi77 a.7z",
    ),
    _command(
        "openssl",
        r"openssl[ \t]+enc",
        Follow.OPTION,
        r"{seg}-[kK]{ws}{arg}",
        "openssl enc -d -k kiwi77 -in a",
    ),
    _command(
        "ssh_keygen",
        r"ssh-keygen",
        Follow.OPTION,
        r"{seg}-[NP]{ows}{arg}",
        "ssh-keygen -N 'kiwi77' -f a",
    ),
    Rule(
        "openssl",
        rf"-pass(?:in|out)?(?:{_GAP}|=)+pass:",
        Follow.NOTHING,
        r"-pass(?:in|out)?[ \t=]+{oq}pass:{arg}",
        "openssl rsa -in a -passin pass:kiwi77",
        judge.given,
    ),
    Rule(
        "smb",
        rf"(?:-U|--user=){_GAP}*[\w.@/\\-]+%[^\s]",
        Follow.NOTHING,
        r"(?:-U{ows}|--user=){oq}[\w.@/\\-]+%(?P<s>[^\s\"'\\]+)",
        "smbclient //a/b -U 'bob%kiwi77'",
        judge.given,
    ),
    _command(
        "net_use",
        r"net[ \t]+use",
        Follow.NOTHING,
        r"{ws}\S+{ws}(?:\S+{ws})?(?P<s>[^\s/-]\S*){ws}/(?i:user):",
        r"net use \\srv\a kiwi77 /user:bob",
    ),
    Rule(
        "stdin",
        r"(?:--password-stdin|--with-token|--stdin|sudo[^\n|;&]*\s-\w*S)",
        Follow.NOTHING,
        r"\b(?:echo|printf){ws}(?:-n{ws})?{arg}{ows}\|(?:[^\n|]*?(?:--password-stdin|--with-token"
        r"|--stdin)|{ows}sudo{ws}(?:-\S+{ws})*?-\w*S)",
        "echo 'kiwi77' | sudo -S true",
        judge.given,
    ),
    Rule(
        "stdin",
        r"(?:--password-stdin|--with-token|sudo[^\n|;&]*\s-\w*S)",
        Follow.NOTHING,
        r"(?:--password-stdin|--with-token|sudo{ws}-S)[^\n|;&]*?<<<{ows}{arg}",
        "gh auth login --with-token <<< kiwi77a1b2",
        judge.given,
    ),
    Rule(
        "chpasswd",
        r"chpasswd",
        Follow.NOTHING,
        r"\b(?:echo|printf){ws}{oq}[\w.-]+:(?P<s>[^\s\"'|\\]+){oq}{ows}\|[^\n|]*?chpasswd",
        "echo 'bob:kiwi77' | chpasswd",
        judge.given,
    ),
    _command(
        "htpasswd",
        r"htpasswd",
        Follow.NOTHING,
        r"{ws}(?:-\w+{ws})*?(?:-\w*n\w*b\w*|-\w*bn\w*|-\w*b\w*{ws}(?:-\w+{ws})*\S+){ws}\S+{ws}{arg}",
        "htpasswd -b .htpasswd bob kiwi77",
    ),
    _command(
        "vault",
        rf"vault{_GAP}+login",
        Follow.WORD,
        r"{ws}(?:-\S+{ws})*{arg}",
        "vault login s.a1B2c3D4",
    ),
    Rule(
        "aws_configure",
        r"(?:secret_access_key|session_token)",
        Follow.WORD,
        r"\bconfigure{ws}set{ws}\S*(?:secret_access_key|session_token){ws}{arg}",
        "aws configure set aws_secret_access_key " + "a1B2" * 10,
        judge.given,
    ),
    _command(
        "wifi",
        r"nmcli",
        Follow.NOTHING,
        r"{seg}(?:password|psk){ws}{arg}",
        "nmcli d wifi connect a password kiwi77",
    ),
)


def _keyed(name: str, key: str, bare: str, follow: Follow, example: str) -> tuple[Rule, ...]:
    """The forms in which a named value is written, for one family of names."""
    slot = "{" + name + "}"
    words = rf"(?i:{_PASSWORD if name == 'password' else _TOKEN})"
    quoted = judge.password_quoted if name == "password" else judge.token_value
    unquoted = judge.password_bare if name == "password" else judge.token_value
    return (
        Rule(
            name,
            rf"-[\w.-]*{words}",
            Follow.WORD if name == "password" else Follow.RANDOM_WORD,
            rf"(?P<key>-[\w.-]*?{words})(?P<sep>=|[ \t]+){{arg}}",
            f"tool --{key} {example} run",
            judge.flag_value,
        ),
        Rule(
            name,
            words,
            follow,
            rf"(?i:{slot}{{close}}){{sep}}{{quoted}}",
            f'"{key}": "{example}"',
            quoted,
        ),
        Rule(
            name, words, follow, rf"(?i:{slot}{{close}}){{sep}}{{bare}}", bare + example, unquoted
        ),
        Rule(
            name,
            words,
            Follow.PAIR,
            rf"(?i:\b(?:name|key|id){{oq}}{{ows}}[:=]{{ows}}{{oq}}{slot}{{oq}}){{any}},?{{any}}{{oq}}"
            r"(?i:value{oq}{ows}[:=]{ows}){oq}(?P<s>[^\s\"'\\<>]+)",
            f"- name: {key}\n  value: {example}",
            judge.named_value,
        ),
        Rule(
            name,
            words,
            follow,
            rf"(?i:{{q}}[#.]?{slot}{{q}}{{any}},{{any}}){{quoted}}",
            f"define('{key}', '{example}')",
            judge.named_value,
        ),
        Rule(
            name,
            words,
            follow,
            rf"(?i:{slot}\({{any}}){{quoted}}{{any}}\)",
            f'with_{key}("{example}")',
            judge.named_value,
        ),
        Rule(
            name,
            words,
            follow,
            rf"(?i:<{slot}>){{any}}(?P<s>[^\s<\"'\\]+)",
            f"<{key}>{example}</{key}>",
            judge.named_value,
        ),
    )


_NAMED = (
    *_keyed("password", "password", "DB_PASS=", Follow.PASSWORD, "kiwi-77b"),
    *_keyed("token", "api_token", "API_TOKEN=", Follow.SECRET, "a1B2c3D4e5F6g7H8"),
    Rule(
        "password",
        rf"(?i:{_PASSWORD})",
        Follow.PASSWORD,
        r"(?im:^[ \t]*(?:- )?{password}{close})(?P<sep>:[ \t]+)(?P<s>[a-z]+)(?m:[ \t]*$)",
        "password: sesame",
        judge.password_line,
    ),
    Rule(
        "password",
        r"(?i:pass(?:word|phrase|wd)|pwd|pw)",
        Follow.SENTENCE,
        r"(?i:\b(?P<key>pass(?:word|phrase|wd)|pwd|pw)\b[^.\n:=\"'`,;()\\]*?\s(?:is|to|was):?)\s+"
        r"[\"'`]?(?P<s>[^\s\"'`,;\\]+)",
        "the password is kiwi-77b",
        judge.named_value,
    ),
    Rule(
        "token",
        rf"(?i:token|secret|{_OWNED_KEY})",
        Follow.SENTENCE,
        rf"(?i:\b(?P<key>token|secret|{_OWNED_KEY})\b[^.\n:=\"'`,;()\\]*?\s(?:is|to|was):?)\s+"
        r"[\"'`]?(?P<s>[\w.+/=-]{16,})",
        "your API key is: a1B2c3D4e5F6g7H8",
        judge.strong_token,
    ),
)


def _personal(name: str, pattern: str, example: str, decides: Callable[[Found], bool]) -> Rule:
    return Rule(
        name, pattern, Follow.NOTHING, rf"(?P<s>{pattern})", example, decides, personal=True
    )


_PERSONAL = (
    _personal(
        "email",
        r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}",
        "write to bob@mail.example",
        judge.anything,
    ),
    _personal(
        "iban",
        r"[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?",
        "DE89 3704 0044 0532 0130 00",
        judge.iban,
    ),
    _personal(
        "card",
        r"(?:[3-6][0-9]{3}(?:[ -]?[0-9]{4}){2}[ -]?[0-9]{1,7}"
        r"|3[47][0-9]{2}[ -]?[0-9]{6}[ -]?[0-9]{5})",
        "card 4111 1111 1111 1111",
        judge.card,
    ),
    _personal(
        "phone",
        r"\+[1-9][0-9]{0,2}[ .-]?(?:\([0-9]{1,4}\)[ .-]?)?[0-9]{1,4}(?:[ ./-]?[0-9]{2,4}){1,4}",
        "call +49 30 1234567",
        judge.phone,
    ),
    _personal("phone", r"\([0-9]{3}\) ?[0-9]{3}[ .-][0-9]{4}", "call (555) 010-9999", judge.phone),
)

RULES: tuple[Rule, ...] = (*_SHAPES, *_PLACES, *_COMMANDS, *_NAMED, *_PERSONAL)
"""All rules, the most particular first: where two overlap, the first gives the name."""
