"""The rules of redaction, as data.

A pattern is RE2 with a few slots in braces. Each slot has two forms: one for decoded text, and a
wider one for the prefilter, which reads raw JSON, where a quote may be `\\"`, a newline `\\n`, and
a command's words the items of a list. So the prefilter follows from the pattern, and cannot drift.
Groups named s, s1, … hold what is replaced; `key` and `sep` go to the judge.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from knowledge.redaction import judge
from knowledge.redaction.judge import Found

# Slot: (in decoded text, in raw JSON).
_GAP = r"(?:[\s\"',\\\[\]]|\\[nrtu]|u00[0-9a-fA-F]{2})"
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
_SLOTS: dict[str, tuple[str, str]] = {
    "ws": (r"[ \t]+", _GAP + "+"),
    "ows": (r"[ \t]*", _GAP + "*"),
    "any": (r"\s*", _GAP + "*"),
    "seg": (r"(?:[^\n|;&]|\\\n)*?", r"(?:[^\n|;&\\]|\\\\\\n|\\[^nr])*?"),
    "flag": (r"\s", r"[\s\"',nrt]"),
    "end": (r"\b", ""),
    "q": (r"\\*[\"']", r"(?:[\\\"']|u002[27])+"),
    "oq": (r"(?:\\*[\"'`])?", r"(?:[\\\"'`]|u002[27])*"),
    "close": (r"\\*[\"'`]?\]?", r"(?:[\\\"'`\]]|u002[27])*"),
    "sep": (
        r"(?P<sep>[ \t]*(?::[ \t]*[A-Za-z][\w.| ]*=|=>|:=|[=:])[ \t]*)(?:[fFrRbBuU@$]{1,2}[\"'])?",
        r"(?:\s|\\t)*(?::[^\n\"'=,;]*=|=>|=\\u003[eE]|:=|[=:])(?:[\sfFrRbBuU@$]|\\t)*",
    ),
    "sl": (r"\\*/", r"\\*/"),
    "lt": ("<", "(?:<|u003[cC])"),
    "gt": (">", "(?:>|u003[eE])"),
    "arg": (
        r"(?:'(?P<s1>[^'\n]+)'|\"(?P<s2>(?:[^\"\\\n]|\\.)+)\"|\\+[\"'](?P<s3>[^\"'\\\n]+)\\+[\"']"
        r"|(?P<s4>[^\s\"'`;|&<>()\\]+))",
        r"[\\\"']*[^\s\"'`;|&<>()]",
    ),
    "quoted": (
        r"(?:\"(?P<s1>(?:[^\"\\\n]|\\.)+)(?:\"|$)|'(?P<s2>(?:[^'\\\n]|\\.)+)(?:'|$)"
        r"|`(?P<s4>[^`\\\n]+)`|\\+[\"'](?P<s3>[^\"'\\\n]+)(?:\\+[\"']|$))",
        r"(?:[\\\"'`]|u002[27])+[^\s\"'`,\])}]",
    ),
    "bare": (r"(?P<s>[^\s\"'`,;&)}\]<>|\\]+)", r"[^\s\"'`,;&)}\]<>|\\]{3}"),
    "password": (rf"(?P<key>[\w.-]*{_PASSWORD})", rf"{_PASSWORD}"),
    "token": (rf"(?P<key>[\w.-]*{_TOKEN})", rf"{_TOKEN}"),
}


@dataclass(frozen=True)
class Rule:
    """One kind of secret: where it stands, who judges it, and an example with what is left."""

    name: str
    pattern: str
    example: str
    judge: Callable[[Found], bool] = judge.not_example
    personal: bool = False

    @property
    def exact(self) -> str:
        """RE2 pattern for decoded text."""
        return _render(self.pattern, 0)

    @property
    def hint(self) -> str:
        """RE2 pattern for raw JSON, matching wherever `exact` could match the decoded text."""
        wide = _render(self.pattern, 1).replace(r"\b", "")
        return re.sub(r"\?P<\w+>", "?:", wide)


def _render(pattern: str, form: int) -> str:
    return re.sub(r"\{([a-z]+)\}", lambda slot: _SLOTS[slot[1]][form], pattern)


def _shape(name: str, pattern: str, example: str) -> Rule:
    """A token that is known by its looks alone."""
    return Rule(name, rf"\b(?P<s>{pattern})", example)


def _command(name: str, pattern: str, example: str) -> Rule:
    return Rule(name, pattern, example, judge.given)


_SHAPES = (
    _shape("aws_access_key", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}", "AKIA" + "Q3EGRIPQ7ZKX2M4T"),
    _shape("github", r"gh[pousr]_[A-Za-z0-9]{30,}", "ghp_" + "x7Kq" * 9),
    _shape("github", r"github_pat_[A-Za-z0-9_]{30,}", "github_pat_" + "11AB7" * 10),
    _shape(
        "gitlab",
        r"(?:gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct)-|GR1348941)[\w-]{18,}",
        "glpat-" + "x7Kq-" * 4,
    ),
    _shape("slack", r"x(?:ox[a-z]|app)-[0-9A-Za-z-]{20,}", "xoxb-" + "1234567890-" * 2 + "aBc9" * 6),
    Rule(
        "slack",
        r"hooks\.slack\.com{sl}(?:services|workflows|triggers){sl}(?P<s>[\w/\\+-]{20,})",
        "https://hooks.slack.com/services/" + "T0A1B2C3D/B9Z8Y7X6W/" + "a1B2" * 6,
    ),
    _shape("stripe", r"(?:[sr]k_(?:live|test)_|whsec_)[A-Za-z0-9+/=]{16,}", "sk_live_" + "a1B2" * 6),
    _shape("anthropic", r"sk-ant-[\w-]{20,}", "sk-ant-api03-" + "a1B2" * 12),
    Rule("openai", r"\b(?P<s>sk-[A-Za-z0-9_-]{20,})", "sk-proj-" + "a1B2" * 12, judge.strong_token),
    _shape(
        "google",
        r"(?:AIza[\w-]{35}|ya29\.[\w-]{20,}|GOCSPX-[\w-]{20,}|1//0[\w-]{30,})",
        "AIza" + "a1B2_" * 7,
    ),
    _shape("npm", r"npm_[A-Za-z0-9]{36}", "npm_" + "a1B2" * 9),
    _shape("pypi", r"pypi-[\w-]{50,}", "pypi-" + "AgEIcHlwaS5vcmc" + "a1B2" * 15),
    Rule(
        "telegram", r"(?:\b|bot)(?P<s>[0-9]{8,10}:AA[\w-]{30,})", "bot1234567890:AA" + "a1B2x" * 7
    ),
    Rule(
        "discord",
        r"\b(?P<s>[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,})",
        "M" + "a1B2" * 6 + ".Xy7_aB." + "a1B2" * 8,
    ),
    Rule(
        "discord",
        r"discord(?:app)?\.com{sl}api{sl}webhooks{sl}[0-9]+{sl}(?P<s>[\w-]{30,})",
        "https://discord.com/api/webhooks/12345/" + "a1B2" * 10,
    ),
    _shape("sendgrid", r"SG\.[\w-]{16,}\.[\w-]{16,}", "SG." + "a1B2" * 5 + "." + "a1B2" * 10),
    _shape("twilio", r"SK[0-9a-f]{32}\b", "SK" + "a1b2" * 8),
    _shape("mailgun", r"key-[0-9a-f]{32}\b", "key-" + "a1b2" * 8),
    _shape("huggingface", r"hf_[A-Za-z0-9]{30,}", "hf_" + "a1B2" * 9),
    _shape("digitalocean", r"do[opr]_v1_[0-9a-f]{64}", "dop_v1_" + "a1b2" * 16),
    _shape("vault", r"hv[sbr]\.[\w-]{20,}", "hvs." + "a1B2" * 7),
    _shape("docker", r"dckr_(?:pat|oat)_[\w-]{20,}", "dckr_pat_" + "a1B2" * 7),
    _shape("groq", r"gsk_[A-Za-z0-9]{40,}", "gsk_" + "a1B2" * 13),
    _shape("tailscale", r"tskey-[a-z]+-[A-Za-z0-9-]{20,}", "tskey-auth-" + "a1B2" * 10),
    _shape("sentry", r"sntry[su]_[\w+/=-]{30,}", "sntrys_" + "a1B2" * 12),
    _shape("shopify", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}", "shpat_" + "a1b2" * 8),
    _shape("linear", r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}", "lin_api_" + "a1B2" * 10),
    _shape("atlassian", r"ATATT3[\w=-]{60,}", "ATATT3" + "a1B2" * 20),
    _shape("databricks", r"dapi[0-9a-f]{32}", "dapi" + "a1b2" * 8),
    _shape("age", r"AGE-SECRET-KEY-1[A-Z0-9]{40,}", "AGE-SECRET-KEY-1" + "Q7ZK" * 14),
    _shape(
        "jwt",
        r"eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{16,}",
        "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0In0." + "a1B2" * 10,
    ),
    Rule(
        "private_key",
        r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
        r"(?P<s>(?:(?:\s|\\+[nrt]|[\"'+,])*(?:Proc-Type|DEK-Info|Version|Comment)[^\n\\]*)*"
        r"(?:(?:\s|\\+[nrt]|[\"'+,])*[A-Za-z0-9+/=]{16,})+"
        r"(?:(?:\s|\\+[nrt]|[\"'+,])+[A-Za-z0-9+/]{1,63}={0,2})?)",
        "-----BEGIN " + "PRIVATE KEY-----\n" + "a1B2" * 16 + "\nQ==\n-----END PRIVATE KEY-----",
        judge.not_example,
    ),
    Rule(
        "azure",
        r"(?i:(?:AccountKey|SharedAccessKey|SharedSecretValue)=)(?P<s>[A-Za-z0-9+/%]{30,}={0,2})",
        "AccountName=a;AccountKey=" + "a1B2" * 21 + "==;",
    ),
    Rule(
        "signed_url",
        r"(?:[?&]|u0026)(?:sig|X-Amz-(?:Signature|Security-Token))=(?P<s>[A-Za-z0-9%+/=_.-]{24,})",
        "https://a.example/b?se=1&sig=" + "a1B2" * 10 + "%3D",
    ),
)

_PLACES = (
    Rule(
        "url",
        r":{sl}{sl}[^\s/:@\"'<>]*:(?P<s>[^\s/@\"'<>]+)@[\w\[.-]",
        "postgres://app:kiwi77@db/app",
        judge.given,
    ),
    Rule(
        "url",
        r"https?:{sl}{sl}(?P<s>[\w-]{20,})(?::x-oauth-basic)?@",
        "https://" + "a1b2" * 8 + "@git.example.com/a.git",
        judge.strong_token,
    ),
    Rule(
        "authorization",
        r"(?i:\bauthorization{close}{sep}{oq}(?:[\[][\"'])?(?:(?:bearer|basic|token|apikey|digest|bot)\s+)?)"
        r"(?P<s>[\w.~+/=:%-]{6,})",
        "Authorization: Basic YWRtaW46cGFzcw==",
        judge.header_value,
    ),
    Rule(
        "bearer",
        r"(?i:\bbearer)[ \t]+(?P<s>[\w.~+/=-]{16,})",
        "-H 'X-Auth: Bearer " + "a1B2" * 8 + "'",
        judge.strong_token,
    ),
    Rule(
        "cookie",
        r"(?i:\bcookie{close}{any}[:=][^\n]*?\b(?:sess(?:ion)?(?:[_-]?(?:id|key|token))?|[\w.]*sid"
        r"|[\w-]*sessid|[\w-]*auth)=)(?P<s>[\w%.~+/:-]{20,})",
        "Set-Cookie: session=" + "a1B2" * 8 + "; Path=/",
        judge.cookie_value,
    ),
    Rule(
        "netrc",
        r"\blogin{ws}\S+\s+password{ws}{arg}",
        "machine a.example login bob password kiwi77",
        judge.given,
    ),
    Rule(
        "pgpass",
        r"\b[\w.*-]+:(?:5432|5433|6432|\*):[\w*-]+:[\w*-]+:(?P<s>[^\s:]+)",
        "db:5432:app:app:kiwi77",
        judge.given,
    ),
    Rule(
        "sql_password",
        r"(?i:\b(?:identified(?:{ws}with{ws}\S+)?{ws}by|(?:with|encrypted|set|user{ws}\S+){ws}password)"
        r"{ws}?=?{ows}(?:password{ws})?)(?:'(?P<s1>[^'\n]+)'|\\+[\"'](?P<s2>[^\"'\\\n]+))",
        "CREATE USER web IDENTIFIED BY 'kiwi77'",
        judge.given,
    ),
    Rule(
        "password",
        r"(?i:\bConvertTo-SecureString{ws}(?:-String{ws})?){quoted}",
        'ConvertTo-SecureString "kiwi77" -AsPlainText',
        judge.given,
    ),
    Rule(
        "password",
        r"\b(?:auth{ows}={ows}\(|HTTPBasicAuth\(|login\(){any}{q}[^\"'\n\\]*{q}{any},{any}{quoted}",
        'auth=("bob", "kiwi77")',
        judge.given,
    ),
    Rule(
        "password",
        r"(?m:^{ows})(?:requirepass|masterauth|bindpw|rootbindpw|rootpw|smtp_password){ws}{arg}",
        "requirepass kiwi77",
        judge.given,
    ),
)

_COMMANDS = (
    _command("sshpass", r"\bsshpass{seg}{flag}-p{ows}{arg}", "sshpass -p 'kiwi77' ssh root@nas"),
    _command(
        "mysql",
        r"\b(?:mysql|mariadb|mycli){seg}{flag}-p{arg}",
        "mysql -u root -pkiwi77 shop",
    ),
    _command(
        "curl",
        r"\b(?:curl|wget|http|https|xh|skopeo|podman|buildah){seg}{flag}"
        r"(?:-[a-zA-Z]*[uUa]{ows}|--(?:proxy-)?user(?:=|{ws})|--(?:src-|dest-)?creds(?:=|{ws})"
        r"|--auth(?:=|{ws})){oq}[^\s:\"'/]*:(?P<s>[^\s\"'`|;&<>\\]+)",
        "curl -u alice:kiwi77 https://a.example",
    ),
    _command(
        "login",
        r"\b(?:docker|podman|nerdctl|buildah|skopeo|oras|helm|az|oc|cf|argocd|crane){seg}\blogin\b"
        r"{seg}{flag}-p{ows}{arg}",
        "docker login -u ci -p kiwi77 r.example",
    ),
    _command(
        "login",
        r"\b(?:mongo(?:sh|dump|restore|import|export|stat)?|twine|cqlsh){seg}{flag}-p{ws}{arg}",
        "mongosh -u admin -p kiwi77",
    ),
    _command(
        "login",
        r"\b(?:sqlcmd|bcp|mosquitto_(?:pub|sub)|isql|ipmitool){seg}{flag}-P{ows}{arg}",
        "sqlcmd -S a -U sa -P 'kiwi77'",
    ),
    _command("redis", r"\b(?:redis|valkey|keydb)-cli{seg}{flag}-a{ws}{arg}", "redis-cli -a kiwi77 ping"),
    _command(
        "ldap",
        r"\bldap(?:search|modify|add|delete|whoami|passwd){seg}{flag}-w{ows}{arg}",
        "ldapsearch -x -w kiwi77 -b dc=a",
    ),
    _command(
        "smb",
        r"\b(?:smb\w*|rpcclient|net){seg}{flag}(?:-U{ows}|--user=){oq}[^\s%\"']+%(?P<s>[^\s\"'\\]+)",
        "smbclient //a/b -U 'bob%kiwi77'",
    ),
    _command(
        "net_use",
        r"(?i:\bnet{ws}use{ws}\S+{ws}(?:\S+{ws})?)(?P<s>[^\s/-]\S*){ws}/(?i:user):",
        r"net use \\srv\a kiwi77 /user:bob",
    ),
    _command("rdp", r"\b(?:\w*freerdp3?|mstsc){seg}{flag}/p:{arg}", "xfreerdp /v:a /u:bob /p:kiwi77"),
    _command(
        "archive",
        r"\b(?:(?:un)?zip|zipcloak){seg}{flag}-P{ws}{arg}",
        "unzip -P kiwi77 a.zip",
    ),
    _command("archive", r"\b(?:7z[arz]?|(?:un)?rar){seg}{flag}-h?p{arg}", "7z x -pkiwi77 a.7z"),
    _command("openssl", r"{flag}{oq}pass:{arg}", "openssl rsa -in a -passin pass:kiwi77"),
    _command("openssl", r"\bopenssl{ws}enc{seg}{flag}-[kK]{ws}{arg}", "openssl enc -d -k kiwi77 -in a"),
    _command("ssh_keygen", r"\bssh-keygen{seg}{flag}-[NP]{ows}{arg}", "ssh-keygen -N 'kiwi77' -f a"),
    _command(
        "stdin",
        r"\b(?:echo|printf){ws}(?:-n{ws})?{arg}{ows}\|(?:[^\n|]*?(?:--password-stdin|--with-token|--stdin)"
        r"|{ows}sudo{ws}(?:-\S+{ws})*?-\w*S)",
        "echo 'kiwi77' | sudo -S true",
    ),
    _command(
        "stdin",
        r"(?:--password-stdin|--with-token|sudo{ws}-S)[^\n|;&]*?{lt}{lt}{lt}{ows}{arg}",
        "gh auth login --with-token <<< kiwi77a1b2",
    ),
    _command(
        "chpasswd",
        r"\b(?:echo|printf){ws}{oq}[\w.-]+:(?P<s>[^\s\"'|\\]+){oq}{ows}\|[^\n|]*?chpasswd",
        "echo 'bob:kiwi77' | chpasswd",
    ),
    _command(
        "htpasswd",
        r"\bhtpasswd{ws}(?:-\w+{ws})*?(?:-\w*n\w*b\w*|-\w*bn\w*|-\w*b\w*{ws}\S+){ws}(?:-\w+{ws})*\S+?{ws}{arg}",
        "htpasswd -b .htpasswd bob kiwi77",
    ),
    _command("vault", r"\bvault{ws}login{ws}(?:-\S+{ws})*{arg}", "vault login s.a1B2c3D4"),
    _command(
        "aws_configure",
        r"\bconfigure{ws}set{ws}\S*(?:secret_access_key|session_token){ws}{arg}",
        "aws configure set aws_secret_access_key " + "a1B2" * 10,
    ),
    _command("wifi", r"\b(?:nmcli|wpa_passphrase){seg}\b(?:password|psk){ws}{arg}", "nmcli d wifi connect a password kiwi77"),
)


def _flag(found: Found) -> bool:
    """A value after a long option; a plain word after a space may be prose about the option."""
    if found.value.startswith("-") or not judge.given(found) or judge.is_code(found.value):
        return False
    key, value = found.key.lstrip("-"), found.value
    plain = value.isalpha() and (value.isupper() or not found.separator.startswith("="))
    if judge.password_key(key):
        return not plain and not judge.is_place(value)
    return bool(judge.token_key(key)) and judge.looks_random(value)


def _anywhere(found: Found) -> bool:
    if judge.password_key(found.key):
        return judge.strong_password(found)
    return bool(judge.token_key(found.key)) and judge.looks_random(found.value)


def _keyed(name: str, example: str) -> tuple[Rule, ...]:
    """The forms in which a named value is written, for one family of names."""
    slot = "{" + name + "}"
    quoted = judge.password_quoted if name == "password" else judge.token_value
    bare = judge.password_bare if name == "password" else judge.token_value
    key = "password" if name == "password" else "api_token"
    return (
        Rule(
            name,
            rf"{{flag}}(?P<key>--?(?i:[\w.-]*?(?:{_PASSWORD if name == 'password' else _TOKEN})))"
            r"(?P<sep>=|{ws}){arg}",
            f"tool --{key} {example} run",
            _flag,
        ),
        Rule(name, rf"(?i:{slot}{{close}}){{sep}}{{quoted}}", f'"{key}": "{example}"', quoted),
        Rule(name, rf"(?i:{slot}{{close}}){{sep}}{{bare}}", f"{key.upper()}={example}", bare),
        Rule(
            name,
            rf"(?i:\b(?:name|key|id){{oq}}{{ows}}[:=]{{ows}}{{oq}}{slot}{{oq}}){{any}},?{{any}}{{oq}}"
            r"(?i:value{oq}{ows}[:=]{ows}){oq}(?P<s>[^\s\"'\\<>]+)",
            f"- name: {key}\n  value: {example}",
            _anywhere,
        ),
        Rule(
            name,
            rf"(?i:{{q}}[#.]?{slot}{{q}}{{any}},{{any}}){{quoted}}",
            f"define('{key}', '{example}')",
            _anywhere,
        ),
        Rule(
            name,
            rf"(?i:{slot}\({{any}}){{quoted}}{{any}}\)",
            f'with_{key}("{example}")',
            _anywhere,
        ),
        Rule(
            name,
            rf"(?i:{{lt}}{slot}{{gt}}){{any}}(?P<s>[^\s<]+)",
            f"<{key}>{example}</{key}>",
            _anywhere,
        ),
    )


_NAMED = (
    *_keyed("password", "kiwi-77!"),
    *_keyed("token", "a1B2c3D4e5F6g7H8"),
    Rule(
        "password",
        r"(?im:^[ \t]*(?:- )?{password}{close})(?P<sep>:[ \t]+)(?P<s>[a-z]+)(?:[ \t]*$)",
        "password: sesame",
        judge.password_line,
    ),
    Rule(
        "password",
        r"(?i:\b(?P<key>(?:pass(?:word|phrase|wd)|pwd|pw))\b[^.\n:=\"'`,;()]*?\b(?:is|to|was)\b:?)\s+"
        r"[\"'`]?(?P<s>[^\s\"'`,;]+)",
        "the password is kiwi-77b",
        judge.strong_password,
    ),
    Rule(
        "token",
        rf"(?i:\b(?P<key>token|secret|{_OWNED_KEY})\b[^.\n:=\"'`,;()]*?\b(?:is|to)\b:?)\s+"
        r"[\"'`]?(?P<s>[\w.+/=-]{16,})",
        "your API key is: a1B2c3D4e5F6g7H8",
        judge.strong_token,
    ),
)

_PERSONAL = (
    Rule("email", r"\b(?P<s>[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,})\b", "write to a@b.example", personal=True),
    Rule("iban", r"\b(?P<s>[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?)\b",
         "DE89 3704 0044 0532 0130 00", judge.iban, personal=True),
    Rule("card", r"\b(?P<s>[3-6][0-9]{3}(?:[ -]?[0-9]{4}){2}[ -]?[0-9]{1,7}|3[47][0-9]{2}[ -]?[0-9]{6}[ -]?[0-9]{5})\b",
         "4111 1111 1111 1111", judge.luhn, personal=True),
    Rule("phone", r"(?P<s>\+[1-9][0-9]{0,2}[ .-]?(?:\([0-9]{1,4}\)[ .-]?)?[0-9]{1,4}(?:[ ./-]?[0-9]{2,4}){1,4})\b",
         "call +49 30 1234567", judge.phone, personal=True),
    Rule("phone", r"(?P<s>\([0-9]{3}\) ?[0-9]{3}[ .-][0-9]{4})\b", "call (555) 010-9999", judge.phone, personal=True),
)  # fmt: skip

RULES: tuple[Rule, ...] = (*_SHAPES, *_PLACES, *_COMMANDS, *_NAMED, *_PERSONAL)
"""All rules, the most particular first: where two overlap, the first gives the name."""
