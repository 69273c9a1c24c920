"""The rules of redaction, as data: places, commands, named values, personal data."""

from collections.abc import Callable

from knowledge.redaction import judge
from knowledge.redaction.judge import Found
from knowledge.redaction.patterns import GAP, OWNED_KEY, PASSWORD, TOKEN, Follow, Rule
from knowledge.redaction.tokens import TOKENS


def _command(name: str, opening: str, follow: Follow, pattern: str, example: str) -> Rule:
    """A secret given to a command; the pattern goes on after the command's name."""
    return Rule(name, opening, follow, rf"\b{opening}{pattern}", example, judge.given)


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
        rf"(?:machine|default){GAP}[^\n]*login{GAP}",
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
        rf"(?:auth\s*=\s*\(|HTTPBasicAuth\(|login\(){GAP}*[\"'\\]",
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
        rf"-pass(?:in|out)?(?:{GAP}|=)+pass:",
        Follow.NOTHING,
        r"-pass(?:in|out)?[ \t=]+{oq}pass:{arg}",
        "openssl rsa -in a -passin pass:kiwi77",
        judge.given,
    ),
    Rule(
        "smb",
        rf"(?:-U|--user=){GAP}*[\w.@/\\-]+%[^\s]",
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
        rf"vault{GAP}+login",
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
    words = rf"(?i:{PASSWORD if name == 'password' else TOKEN})"
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
        rf"(?i:{PASSWORD})",
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
        rf"(?i:token|secret|{OWNED_KEY})",
        Follow.SENTENCE,
        rf"(?i:\b(?P<key>token|secret|{OWNED_KEY})\b[^.\n:=\"'`,;()\\]*?\s(?:is|to|was):?)\s+"
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

RULES: tuple[Rule, ...] = (*TOKENS, *_PLACES, *_COMMANDS, *_NAMED, *_PERSONAL)
"""All rules, the most particular first: where two overlap, the first gives the name."""
