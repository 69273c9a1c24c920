"""Secrets that code hands to a function or a constructor, by their place among its arguments."""

from collections.abc import Callable

from cairn.knowledge.redaction import scoring, shapes
from cairn.knowledge.redaction.patterns import QUOTE, Follow, SecretRule
from cairn.knowledge.redaction.scoring import SecretMatch

_OPEN = r"\((?:\s|\\[nrt])*"
_ARGUMENT = (
    r"(?:\{[^{}\n]*\}|\[[^\[\]\n]*\]|[\w.]*\([^()\n]*\)|{q}[^\"'`\n\\]*{q}|[^\s\"'`,(){}\[\]]+)"
)
_LITERAL = rf"(?:{QUOTE}[^\"'`\\\n]*{QUOTE})"
_BYTES = (
    r"(?:\[\]byte\(|b|Buffer\.from\(|(?:new )?TextEncoder\(\)\.encode\(|[\w.]+\.GetBytes\()?{any}"
)

# Functions whose first argument is a secret, if it is written out.
_FIRST = (
    r"(?:Fernet|(?i:cookie_?parser|secure_?cookie\w*\.new)|New(?:CookieStore|SecureCookie)|(?:cookie|memstore)\.NewStore"
    r"|(?:Timestamp|URLSafe\w*|JSONWeb\w*|Timed\w*)(?:Signer|Serializer)|MessageVerifier\.new"
    r"|MessageEncryptor\.new|(?:hmac|HMAC)\.new|hmacShaKeyFor|HMAC(?:256|384|512)|SecretKeySpec"
    r"|SymmetricSecurityKey|SignedString|ssh\.Password|KeyCredential|scrypt(?:Sync)?|pbkdf2(?:Sync)?|\.derive"
    r"|new_from_slice|set_?[pP]assword)"
)
# Functions whose second is, after what they sign, hash or seal, or the name of how.
_SECOND = (
    r"(?:(?i:jwt|jose|jws|token\w*)(?:\.|::)?(?:sign|verify|encode|decode)|jwt_(?:en|de)code|createHmac"
    r"|create(?:De)?[Cc]ipheriv|hash_hmac|HMAC\.(?:hex)?digest|AES\.(?:en|de)crypt|pgp_sym_\w+crypt"
    r"|AES_(?:EN|DE)CRYPT|(?i:simple_bind(?:_s)?)|hmac::Key::new|pbkdf2_hmac)"
)
# Functions that log in with a user and a password, perhaps after a host and a port.
_LOGIN = (
    r"(?:(?:mysqli|[cC]onnect(?:ion)?|PDO|FTP(?:_TLS)?|IMAP4?\w*|SMTP(?:\w*|\.start)|Redis|StrictRedis|Connection)"
    r"|(?:[bB]asic_?[aA]uth|[cC]redentials?|Password(?:Authentication|Token)|PlainAuth\w*|AuthTokens\.basic"
    r"|auth\.basic|[aA]uthenticate|signIn|sign_in|[lL]ogin"
    r"|username_pw_set|[aA]uth(?:enticator|Provider|entication)?|[cC]redentials?\.\w+|keyring\.set_password))"
)
# Clients of services: an argument of random shape is their key.
_CLIENT = (
    r"(?:(?i:client)|[cC]redentials?(?:\.\w+)?|Key|API|Api|Bot|SDK|Auth|(?i:search)|Pusher|OpenAI|Stripe|Octokit"
    r"|Github|Gitlab|configure|config|[tT]oken|from_string|Web3|connect|init|new)"
)


def _called(
    opening: str,
    names: str,
    arguments: str,
    example: str,
    judged: Callable[[SecretMatch], bool] = scoring.literal,
) -> SecretRule:
    return SecretRule(
        "argument",
        opening,
        Follow.NOTHING,
        rf"\b(?:new )?{names}\({{any}}{arguments}",
        example,
        judged,
    )


ARGUMENTS = (
    _called(rf"{_FIRST}\(", rf"{_FIRST}", rf"{_BYTES}{{quoted}}",
        'TimestampSigner("kiwi_Peak_77")'),
    _called(rf"{_SECOND}{_OPEN}", rf"{_SECOND}", rf"{_ARGUMENT}{{any}},{{any}}{_BYTES}{{quoted}}",
        "jwt.sign({ id: user.id }, 'kiwi_Hill_77', { expiresIn: '1h' })"),
    _called(rf"{_LOGIN}{_OPEN}(?:{QUOTE}|[^\s(){{}},]+,)", rf"\w*?{_LOGIN}",
        rf"(?:{_ARGUMENT}{{any}},{{any}}){{1,3}}{{quoted}}",
        'DriverManager.getConnection(url, "app", "kiwi9Fjord")', shapes.last_argument),
    SecretRule(  # the password at any place among them: `PlainAuth("", user, password, host)`
        "argument",
        rf"{_LOGIN}{_OPEN}(?:{QUOTE}|[^\s(){{}},]+,)",
        Follow.NOTHING,
        rf"\b(?:new )?\w*?{_LOGIN}\({{any}}{_ARGUMENT}{{any}}(?P<rest>,(?:{_LITERAL}|[^()\"'`;])*)",
        'PlainAuth("", "bob@a.example", "kiwi9Fjord", "a.example")',
        shapes.made_up,
        each=r"[,\s(][fFrRbBuU@]{0,2}\\*[\"'`](?P<s>[^\"'`\n\\]+)\\*[\"'`]",
    ),
    SecretRule(  # what a program types into a prompt
        "argument",
        rf"(?:send_?line|tn\.write)\(b?{QUOTE}",
        Follow.NOTHING,
        r"\b(?:send_?line|tn\.write)\({any}{quoted}",
        "child.sendline('kiwi-77bx')",
        shapes.made_up,
    ),
    SecretRule(  # and into a field
        "argument",
        rf"(?i:assword)[\"'`\\\])]*\.(?:fill|type|press_?[sS]equentially|send_?[kK]eys|set_value|setValue)\({QUOTE}",
        Follow.NOTHING,
        r"(?i:assword)[\"'`\\\])]*\.(?:fill|type|press_?[sS]equentially|send_?[kK]eys|set_value|setValue)\({any}{quoted}",
        "getByLabel('Password').fill('kiwi-77bx')",
        shapes.logged_in,
    ),
    SecretRule("argument", r"(?i:session|cookie_?session)\w*\((?:\s|\\[nrt])*\{", Follow.NOTHING,
        r"(?i:session)\w*\({any}\{[^{}]*?\b(?:secret|keys)['\"]?{any}:{any}\[?{any}{quoted}",
        "session({ secret: 'kiwi tree 77' })", scoring.literal),
    SecretRule("argument", rf"{_CLIENT}\([^()]*?[\"'`\\]\w[\w+/=.:~-]{{19}}", Follow.NOTHING,
        rf"{_CLIENT}\((?P<rest>[^()]*)\)", 'Client("demo", "' + "a1B2" * 8 + '")', scoring.dense,
        each=r"[\"'`](?P<s>[\w+/=.:~-]{20,})\\*[\"'`]"),
)  # fmt: skip
