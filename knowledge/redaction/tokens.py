"""Tokens that are known by their looks alone."""

from knowledge.redaction import judge
from knowledge.redaction.patterns import Follow, Rule


def _shape(name: str, opening: str, rest: str, example: str) -> Rule:
    """A token that is known by its looks alone."""
    return Rule(name, opening, Follow.RANDOM, rf"\b(?P<s>{opening}{rest})", example)


TOKENS = (
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
