"""Tokens that are known by their looks alone."""

from knowledge.redaction import judge
from knowledge.redaction.patterns import Follow, Rule


def _shape(name: str, opening: str, rest: str, example: str, *, edge: str = r"\b") -> Rule:
    """A token that is known by its looks alone; with no edge also when letters are glued to it."""
    return Rule(name, opening, Follow.RANDOM, rf"{edge}(?P<s>{opening}{rest})", example)


_BREAK = r"(?:\s|\\+[nrt]|[\"'+,]|\b[0-9]{1,4}(?:\t|→|\\+t|: ?| ?\|))"
"""What may stand between the lines of a key: quotes of a string, numbers of lines."""

TOKENS = (
    _shape(
        "aws_access_key",
        r"A(?:KIA|SIA|BIA|CCA)",
        r"[A-Z0-9]{16}",
        "s7AKIA" + "Q3EGRIPQ7ZKX2M4T",
        edge="",
    ),
    _shape(
        "aws_session",
        r"(?:IQoJb3JpZ2lu|FwoGZXIvYXdz)",
        r"[\w+/=%-]{60,}",
        "IQoJb3JpZ2lu" + "a1B2" * 20,
    ),
    _shape("github", r"gh[pousr]_", r"[A-Za-z0-9]{30,}", "s7ghp_" + "x7Kq" * 9, edge=""),
    _shape("github", r"github_pat_", r"\w{30,}", "github_pat_" + "11AB7" * 10, edge=""),
    _shape(
        "gitlab",
        r"(?:gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct)-|GR1348941)",
        r"[\w-]{18,}",
        "s7glpat-" + "x7Kq-" * 4,
        edge="",
    ),
    _shape(
        "slack",
        r"x(?:ox[a-z]|app)-",
        r"[0-9A-Za-z-]{20,}",
        "s7xoxb-" + "12345-" * 4 + "aBc9" * 6,
        edge="",
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
    _shape("npm", r"npm_", r"[A-Za-z0-9]{36}", "s7npm_" + "a1B2" * 9, edge=""),
    _shape("pypi", r"pypi-", r"[\w-]{50,}", "pypi-" + "AgEIcHlwaS5vcmc" + "a1B2" * 15),
    _shape("sendgrid", r"SG\.", r"[\w-]{16,}\.[\w-]{16,}", "SG." + "a1B2" * 5 + "." + "a1B2" * 10),
    _shape("twilio", r"SK[0-9a-f]{8}", r"[0-9a-f]{24}\b", "SK" + "a1b2" * 8),
    _shape("mailgun", r"key-[0-9a-f]{8}", r"[0-9a-f]{24}\b", "key-" + "a1b2" * 8),
    _shape("huggingface", r"hf_", r"[A-Za-z0-9]{30,}", "s7hf_" + "a1B2" * 9, edge=""),
    _shape("digitalocean", r"do[opr]_v1_", r"[0-9a-f]{64}", "dop_v1_" + "a1b2" * 16, edge=""),
    _shape("vault", r"hv[sbr]\.", r"[\w-]{20,}", "hvs." + "a1B2" * 7),
    _shape("docker", r"dckr_(?:pat|oat)_", r"[\w-]{20,}", "dckr_pat_" + "a1B2" * 7, edge=""),
    _shape("groq", r"gsk_", r"[A-Za-z0-9]{40,}", "gsk_" + "a1B2" * 13),
    _shape("tailscale", r"tskey-", r"[a-z]+-[A-Za-z0-9-]{20,}", "tskey-auth-" + "a1B2" * 10),
    _shape("sentry", r"sntry[su]_", r"[\w+/=-]{30,}", "sntrys_" + "a1B2" * 12),
    _shape("shopify", r"shp(?:at|ca|pa|ss)_", r"[0-9a-fA-F]{32}", "shpat_" + "a1b2" * 8),
    _shape("linear", r"lin_(?:api|oauth)_", r"[A-Za-z0-9]{32,}", "lin_api_" + "a1B2" * 10),
    _shape("atlassian", r"ATATT3", r"[\w=-]{60,}", "ATATT3" + "a1B2" * 20),
    _shape("databricks", r"dapi[0-9a-f]{8}", r"[0-9a-f]{24}", "dapi" + "a1b2" * 8),
    Rule(
        "service_token",
        r"(?:PMAK-|NRAK-|ntn_|figd_|sq0[a-z]{3}-|gl(?:sa|c)_|sbp_|pscale_[a-z]+_|r8_|pplx-|xai-"
        r"|pul-|dp\.(?:pt|st|ct|sa)\.|Fm2_|fo1_|secret_)",
        Follow.RANDOM,
        r"\b(?P<s>(?:PMAK-|NRAK-|ntn_|figd_|sq0[a-z]{3}-|gl(?:sa|c)_|sbp_|pscale_[a-z]+_|r8_|pplx-|xai-"
        r"|pul-|dp\.(?:pt|st|ct|sa)\.|Fm2_|fo1_|secret_)[\w+/=-]{22,})",
        "glsa_" + "a1B2" * 8 + "_a1b2c3d4",
        judge.strong_token,
    ),
    _shape("age", r"AGE-SECRET-KEY-1", r"[A-Z0-9]{40,}", "AGE-SECRET-KEY-1" + "Q7ZK" * 14),
    Rule(
        "telegram",
        r":AA",
        Follow.RANDOM,
        r"(?:\b|bot)(?P<s>[0-9]{8,10}:AA[\w-]{30,})",
        "bot1234567890:AA" + "a1B2x" * 7,
    ),
    Rule(
        "discord",  # begins with the bot's number in base64
        r"(?:[MNO][DTjz][AEIMQUYcgk][wxyz0-5]){3}",
        Follow.RANDOM,
        r"(?P<s>(?:[MNO][DTjz][AEIMQUYcgk][wxyz0-5]){4}[\w-]{7,11}\.[\w-]{6}\.[\w-]{27,})",
        "Authorization: Bot " + "MTIz" * 6 + ".Xy7_aB." + "a1B2" * 8,
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
        r"PRIVATE KEY(?: BLOCK)? ?----",
        Follow.NOTHING,
        rf"-----? ?BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)? ?-----?{_BREAK}*"
        rf"(?P<s>(?:(?:Proc-Type|DEK-Info|Version|Comment)[^\n\\]*{_BREAK}+)*"
        rf"[A-Za-z0-9+/=]{{16,}}(?:{_BREAK}+[A-Za-z0-9+/=]{{16,}})*"
        rf"(?:{_BREAK}+[A-Za-z0-9+/]{{1,63}}={{0,2}})?)",
        "-----BEGIN " + "PRIVATE KEY-----\n" + "a1B2" * 16 + "\nQ==\n-----END PRIVATE KEY-----",
    ),
    _shape(
        "private_key",  # in base64, as Kubernetes keeps it
        r"LS0tLS1CRUdJTiB(?:QUklWQVRF|SU0EgUFJJVkFURS|FQyBQUklWQVRF|PUEVOU1NIIFBSSVZBVE)",
        r"[A-Za-z0-9+/=]{16,}",
        "LS0tLS1CRUdJTiBQUklWQVRF" + "a1B2" * 12,
    ),
    Rule(
        "private_key",
        r"Private-Lines:",
        Follow.NOTHING,
        rf"\bPrivate-Lines: ?[0-9]+{_BREAK}+(?P<s>[A-Za-z0-9+/=]{{16,}}"
        rf"(?:{_BREAK}+[A-Za-z0-9+/=]{{16,}})*)",
        "Private-Lines: 1\n" + "a1B2" * 12,
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
