"""Tokens that are known by their looks alone."""

from collections.abc import Callable

from cairn.knowledge.redaction import scoring
from cairn.knowledge.redaction.patterns import Follow, SecretRule
from cairn.knowledge.redaction.scoring import SecretMatch


def _shape(name: str, opening: str, rest: str, example: str, *, edge: str = "{edge}") -> SecretRule:
    """A token that is known by its looks alone; with no edge also when letters are glued to it."""
    return SecretRule(name, opening, Follow.RANDOM, rf"{edge}(?P<s>{opening}{rest})", example)


def service(
    name: str,
    example: str,
    *shapes: tuple[str, str],
    decides: Callable[[SecretMatch], bool] = scoring.service_token,
) -> SecretRule:
    """Tokens of several services: what each begins with, and what must come after that."""
    opening = tuple(start for start, _ in shapes)
    whole = "|".join(f"(?:{start}){rest}" for start, rest in shapes)
    return SecretRule(name, opening, Follow.RANDOM, rf"{{edge}}(?P<s>{whole})", example, decides)


_BREAK = r"(?:\s|\\+[nrt]|[\"'+,]|\b[0-9]{1,4}(?:\t|→|\\+t|: ?| ?\|))"
"""What may stand between the lines of a key: quotes of a string, numbers of lines."""

_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"

TOKENS = (
    _shape("aws_access_key", r"A(?:KIA|SIA|BIA|CCA)", r"[A-Z0-9]{16}",
        "s7AKIA" + "Q3EGRIPQ7ZKX2M4T", edge=""),
    SecretRule(
        "aws_secret",  # it stands beside its key's name, in a call, a table or a file
        r"A(?:KIA|SIA|BIA|CCA)",
        Follow.RANDOM,
        r"\bA(?:KIA|SIA)[A-Z0-9]{16}[^\w/+]{1,8}(?P<s>[A-Za-z0-9/+]{40})(?:[^\w/+=]|$)",
        "s3fs: AKIA" + "Q3EGRIPQ7ZKX2M4T" + ":" + "a1B2/" * 8,
    ),
    _shape("aws_session", r"(?:IQoJb3JpZ2lu|FwoGZXIvYXdz)", r"[\w+/=%-]{60,}",
        "IQoJb3JpZ2lu" + "a1B2" * 20),
    _shape("github", r"gh[pousr]_", r"(?:[A-Za-z0-9]{30,}|[0-9]+_eyJ[\w.-]{30,})",
        "s7ghp_" + "x7Kq" * 9, edge=""),
    _shape("github", r"github_pat_", r"\w{30,}", "github_pat_" + "11AB7" * 10, edge=""),
    _shape(
        "gitlab",
        r"(?:gl(?:pat|dt|rtr?|cbt|ptt|ft|imt|agent|oas|soat|ffct|wt)-|GR1348941)",
        r"[\w-]{18,}(?:\.[0-9a-z]{2}\.?[0-9a-z]{7,9})?",  # routable ones tell their length
        "s7glpat-" + "x7Kq-" * 4,
        edge="",
    ),
    _shape("slack", r"x(?:ox[a-z]|app|wfp)-", r"(?:[0-9A-Za-z+/=-]|%2[BFbf]|%3[Dd]){20,}",
        "s7xoxb-" + "12345-" * 4 + "aBc9" * 6, edge=""),
    _shape("stripe", r"(?:[sr]k_(?:live|test|prod|org_live|org_test)|whsec)_",
        r"[A-Za-z0-9+/=]{16,}", "s7sk_live_" + "a1B2" * 6, edge=""),
    _shape("anthropic", r"sk-ant-", r"[\w-]{20,}", "s7sk-ant-api03-" + "a1B2" * 12, edge=""),
    SecretRule("openai", r"sk-", Follow.RANDOM, r"{edge}(?P<s>sk-[\w-]{20,})",
        "sk-proj-" + "a1B2" * 12, scoring.strong_token),
    _shape("google", r"AIza", r"[\w-]{35}", "AIza" + "a1B2_" * 7),
    _shape("google", r"(?:ya29\.|GOCSPX-|1\\*/\\*/0|AQ\.Ab8)", r"[\w-]{20,}(?:\.[\w-]{20,})?",
        "GOCSPX-" + "a1B2_" * 7),
    _shape("npm", r"npm_", r"[A-Za-z0-9]{36,}", "s7npm_" + "a1B2" * 9, edge=""),
    _shape("pypi", r"pypi-", r"[\w-]{50,}", "pypi-" + "AgEIcHlwaS5vcmc" + "a1B2" * 15),
    _shape("sendgrid", r"SG\.", r"[\w-]{16,}\.[\w-]{16,}", "SG." + "a1B2" * 5 + "." + "a1B2" * 10),
    _shape("twilio", r"SK[0-9a-f]{8}", r"[0-9a-f]{24}", "SK" + "a1b2" * 8),
    SecretRule(
        "twilio",  # the token that stands beside its account
        r"AC[0-9a-f]{8}",
        Follow.NOTHING,
        r"\bAC[0-9a-f]{32}\W{1,6}(?P<s>[0-9a-f]{32})\b",
        'Client("AC' + "0a1b" * 8 + '", "' + "a1b2" * 8 + '")',
    ),
    _shape("mailgun", r"key-[0-9a-f]{8}", r"[0-9a-f]{24}\b", "key-" + "a1b2" * 8, edge="{free}"),
    SecretRule("mailgun", r"-[0-9a-f]{8}-[0-9a-f]", Follow.NOTHING,
        r"\b(?P<s>[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8})\b",
        "api:" + "a1b2" * 8 + "-0a1b2c3d-4e5f6a7b"),
    SecretRule("mailchimp", r"-us[0-9]", Follow.NOTHING, r"\b(?P<s>[0-9a-f]{32}-us[0-9]{1,2})\b",
        "a1b2" * 8 + "-us14"),
    _shape("huggingface", r"hf_", r"[A-Za-z0-9]{30,}", "s7hf_" + "a1B2" * 9, edge=""),
    _shape("huggingface", r"api_org_", r"[A-Za-z]{34}", "api_org_" + "aCbD" * 9),
    _shape("digitalocean", r"do[opr]_v1_", r"[0-9a-f]{64}", "dop_v1_" + "a1b2" * 16, edge=""),
    _shape("vault", r"hv[sbr]\.", r"[\w-]{20,}", "hvs." + "a1B2" * 7),
    SecretRule("hashicorp", r"\.atlasv1\.", Follow.RANDOM,
        r"\b(?P<s>[A-Za-z0-9]{10,20}\.atlasv1\.[\w=-]{40,})",
        "a1B2c3D4e5F6g7.atlasv1." + "a1B2" * 16),
    SecretRule("airtable", r"\.[0-9a-f]{32}", Follow.NOTHING,
        r"\b(?P<s>pat[A-Za-z0-9]{14}\.[0-9a-f]{64})", "patA1b2C3d4E5f6g7." + "a1b2" * 16),
    _shape("docker", r"dckr_(?:pat|oat)_", r"[\w-]{20,}", "dckr_pat_" + "a1B2" * 7, edge=""),
    _shape("groq", r"gsk_", r"[A-Za-z0-9]{40,}", "gsk_" + "a1B2" * 13),
    _shape("tailscale", r"tskey-", r"[a-z]+-[A-Za-z0-9-]{20,}", "tskey-auth-" + "a1B2" * 10),
    _shape("sentry", r"sntry[a-z]_", r"[\w+/=-]{30,}", "s7sntrys_" + "a1B2" * 12, edge=""),
    _shape("shopify", r"shp[a-z]{2,3}_", r"[0-9a-fA-F]{32}", "s7shpat_" + "a1b2" * 8, edge=""),
    _shape("linear", r"lin_(?:api|oauth|wh)_", r"[A-Za-z0-9]{32,}", "lin_api_" + "a1B2" * 10),
    _shape("atlassian", r"AT[A-Z]{1,2}TT3", r"[\w=-]{60,}", "ATATT3" + "a1B2" * 20),
    _shape("atlassian", r"ATBB", r"[A-Za-z0-9]{28,}", "ATBB" + "a1B2" * 8),
    _shape("databricks", r"(?:dapi|dose|dkea)[0-9a-f]{8}", r"[0-9a-f]{24,28}(?:-[0-9]+)?",
        "dapi" + "a1b2" * 8 + "-2"),
    SecretRule("service_token",
        r"(?:PMAK-|N(?:RAK|RAA|RII|RIQ|RSP)-|ntn_|figd_|sq0[a-z]{3}-|gl(?:sa|c)_|sbp_|sb_secret_|pscale_[a-z]+_|r8_"
        r"|pplx-|xai-|pul-|dp\.(?:pt|st|ct|sa|scim|audit)\.|[Ff]m[12][ar]?_|fo1_|secret_)",
        Follow.RANDOM,
        r"{edge}(?P<s>(?:PMAK-|N(?:RAK|RAA|RII|RIQ|RSP)-|ntn_|figd_|sq0[a-z]{3}-|gl(?:sa|c)_|sbp_|sb_secret_"
        r"|pscale_[a-z]+_|r8_|pplx-|xai-|pul-|dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?"
        r"|[Ff]m[12][ar]?_|fo1_|secret_)[\w+/=-]{22,})",
        "glsa_" + "a1B2" * 8 + "_a1b2c3d4", scoring.strong_token),
    service(  # models, search and data for them
        "service_token",
        "nvapi-" + "a1B2" * 16,
        (r"nvapi-", r"[\w-]{50,}"),
        (r"tgp_v1_", r"[\w-]{30,}"),
        (r"jina_[0-9a-f]{8}", r"[0-9a-f]{24}[A-Za-z0-9_-]{20,}"),
        (r"lsv2_[a-z]{2}_", r"[0-9a-f]{32}_[0-9a-f]{8,}"),
        (r"pcsk_", r"\w{40,}"),
        (r"e2b_[0-9a-f]{8}", r"[0-9a-f]{24,}"),
        (r"tvly-", r"[\w-]{20,}"),
        (r"fc-[0-9a-f]{8}", r"[0-9a-f]{24}"),
        (r"ph[xs]_", r"[A-Za-z0-9]{36,}"),
        (r"csk-", r"[a-z0-9]{40,}"),
        (r"sk_[0-9a-f]{8}", r"[0-9a-f]{40}"),
        (r"fw_", r"[A-Za-z0-9]{22,}"),
        (r"rpa_", r"[A-Z0-9]{36,}\w*"),
        (r"pa-", r"[\w-]{43}\b"),
        (r"wandb_v1_", r"\w{40,}"),
        (r"cmVmd|AKCp", r"[A-Za-z0-9]{59,}"),
        (r"a[ks]-[A-Za-z0-9]{20}", r"[A-Za-z0-9]{2}\b"),
    ),
    service(  # clouds, hosting, networks
        "service_token",
        "rnd_" + "a1B2" * 7,
        (r"rnd_", r"[A-Za-z0-9]{24,}"),
        (r"vc[a-z]_", r"[A-Za-z0-9]{24,}"),
        (r"cf[au]t_|cfk_", r"\w{40,}"),
        (r"v1\.0-[0-9a-f]{8}", r"[0-9a-f]{16}-[0-9a-f]{100,}"),
        (r"nf[a-z]_", r"[A-Za-z0-9]{36,}"),
        (r"HRKU-", r"[\w-]{36,}"),
        (r"dd[pow]_", r"[A-Za-z0-9]{30,}"),
        (r"napi_", r"[a-z0-9]{40,}"),
        (r"AVNS_", r"[\w-]{16,}"),
        (r"LTAI", r"[A-Za-z0-9]{20}\b"),
        (r"AKID", r"[A-Za-z0-9]{32,}"),
        (r"ABSK", r"[A-Za-z0-9+/]{100,}={0,2}"),
        (r"bedrock-api-key-", r"[A-Za-z0-9+/=]{20,}"),
        (r"sha256~", r"[\w-]{43}"),
        (r"SWMTKN-1-", r"[a-z0-9]{40,}-[a-z0-9]{20,}"),
        (r"K10[0-9a-f]{16}", r"[0-9a-f]{48}::[\w-]+:[\w.]{8,}"),
        (r"eyJhIjoi", r"[\w+/=-]{60,}"),  # {"a": … of a tunnel
        (r"bkua_|bkct_|bkat_|bkaj_", r"[0-9a-f]{32,}"),
        (r"CCIP(?:AT|RJ)_", r"\w{40,}"),
        (r"dt0[a-z][0-9]{2}\.", r"[A-Z0-9]{8,24}\.[A-Z0-9]{40,}"),
        (r"hc[abx]i[ck]_", r"[a-z0-9]{40,}"),
        (r"sdk-[0-9a-f]{8}-|api-[0-9a-f]{8}-", r"(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"),
    ),
    service(  # code and what is built from it
        "service_token",
        "sqp_" + "a1b2" * 10,
        (r"sq[apu]_[0-9a-f]{8}", r"[0-9a-f]{32}"),
        (r"sgp_", r"[\w]{40,}"),
        (r"snyk_[a-z]+\.", r"[\w.-]{30,}"),
        (r"rubygems_", r"[0-9a-f]{40,}"),
        (r"cio[A-Za-z0-9]{16}", r"[A-Za-z0-9]{16}\b"),
        (r"oy2[a-z0-9]{20}", r"[a-z0-9]{23}\b"),
        (r"CLOJARS_", r"[0-9a-f]{60}"),
        (r"packagist_[a-z]+_", r"[0-9a-f]{60,}"),
        (r"pnu_|pnb_|dbt[cu]_", r"[\w=-]{36,}"),
        (r"rdme_", r"[a-z0-9]{60,}"),
        (r"API-", r"[A-Z0-9]{25,}\b"),
        (r"ops_eyJ", r"[\w+/=-]{60,}"),
        (r"A3-", r"[A-Z0-9]{6}-[A-Z0-9-]{11,12}(?:-[A-Z0-9]{5}){3}"),
        (r"n8n_api_", r"[\w.-]{30,}"),
        (r"CFPAT-", r"[\w-]{40,}"),
        (r"eyJ2ZXIiOi", r"[\w+/=-]{60,}"),  # {"ver": … of an enrollment
        (r"eyJrIjoi", r"[\w+/=-]{60,}"),
    ),
    service(  # people, shops, messages
        "service_token",
        "xkeysib-" + "a1b2" * 16 + "-a1B2c3D4e5F6g7H8",
        (r"x(?:key|smtp)sib-", r"[0-9a-f]{64}-\w{12,}"),
        (r"md-", r"[A-Za-z0-9_-]{22}\b"),
        (r"re_[A-Za-z0-9]{8}_", r"[A-Za-z0-9]{20,}"),
        (r"pat-[a-z]{2}[0-9]-", _UUID),
        (r"[st]k\.eyJ", r"[\w-]{30,}\.[\w-]{20,}"),
        (r"ATTA", r"[0-9a-f]{60,}[0-9A-Fa-f]*"),
        (r"sl\.(?:u\.)?[\w-]{40}", r"[\w-]{60,}"),
        (r"EZ[AT]K", r"[A-Za-z0-9]{54}"),
        (r"FLWSECK(?:_TEST)?-", r"[0-9a-z-]{12,}(?:-X)?"),
        (r"shippo_(?:live|test)_", r"[0-9a-f]{40}"),
        (r"duffel_(?:live|test)_", r"[\w=-]{40,}"),
        (r"access-(?:sandbox|development|production)-", _UUID),
        (r"pdl_(?:live|sdbx)_apikey_", r"\w{30,}"),
        (r"fio-u-|p8e-", r"[\w=-]{32,}"),
        (r"os_v2_(?:app|org)_", r"[a-z0-9]{60,}"),
        (r"sec-c-", r"[\w=-]{40,}"),
        (r"mfa\.", r"[\w-]{80,}"),
        (r"ico-|tfp_", r"[\w]{32,}"),
        (r"xprv", r"[1-9A-HJ-NP-Za-km-z]{100,}"),
        (r"nsec1", r"[a-z0-9]{58}"),
    ),
    SecretRule(  # looks like part of a picture: so nothing of base64 may stand before it
        "service_token",
        r"EAA[A-Za-z]",
        Follow.RANDOM,
        r"(?:^|[^\w/+])(?P<s>EAA[A-Za-z][A-Za-z0-9]{80,}|EAAA[\w-]{56,60})\b",
        "EAAB" + "a1B2" * 24,
        scoring.service_token,
    ),
    _shape("age", r"AGE-SECRET-KEY-1", r"[A-Z0-9]{40,}", "AGE-SECRET-KEY-1" + "Q7ZK" * 14),
    SecretRule("telegram", r":AA", Follow.RANDOM, r"(?:{edge}|bot)(?P<s>[0-9]{8,10}:AA[\w-]{30,})",
        "bot1234567890:AA" + "a1B2x" * 7),
    SecretRule(
        "discord",  # begins with the bot's number in base64
        r"(?:[MNO][DTjz][AEIMQUYcgk][wxyz0-5]){3}",
        Follow.RANDOM,
        r"(?P<s>(?:[MNO][DTjz][AEIMQUYcgk][wxyz0-5]){4}[\w-]{7,11}\.[\w-]{6}\.[\w-]{27,})",
        "Authorization: Bot " + "MTIz" * 6 + ".Xy7_aB." + "a1B2" * 8,
    ),
    SecretRule(
        "jwt",  # encrypted: header, key, vector, text and tag
        r"eyJ[\w-]{8,}\.[\w-]*\.[\w-]{8}",
        Follow.NOTHING,
        r"{edge}(?P<s>eyJ[\w-]{8,}\.[\w-]*\.[\w-]{8,}(?:\.[\w-]{8,}){1,2})",
        "eyJhbGciOiJkaXIi" + "a1B2" * 5 + ".." + "a1B2" * 4 + "." + "a1B2" * 10 + "." + "a1B2" * 5,
        scoring.strong_token,
    ),
    SecretRule("jwt", r"eyJ[\w-]{8,}\.eyJ", Follow.NOTHING,
        r"{edge}(?P<s>eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{16,})",
        "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0In0." + "a1B2" * 10),
    SecretRule("private_key", r"PRIVATE KEY(?: BLOCK)? ?----", Follow.NOTHING,
        rf"-----? ?BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)? ?-----?{_BREAK}*"
        rf"(?P<s>(?:(?:Proc-Type|DEK-Info|Version|Comment)[^\n\\]*{_BREAK}+)*"
        rf"[A-Za-z0-9+/=]{{16,}}(?:{_BREAK}+[A-Za-z0-9+/=]{{16,}})*"
        rf"(?:{_BREAK}+[A-Za-z0-9+/]{{1,63}}={{0,2}})?)",
        "-----BEGIN " + "PRIVATE KEY-----\n" + "a1B2" * 16 + "\nQ==\n-----END PRIVATE KEY-----"),
    _shape(
        "private_key",  # in base64, as Kubernetes keeps it
        r"LS0tLS1CRUdJTiB(?:QUklWQVRF|SU0EgUFJJVkFURS|FQyBQUklWQVRF|PUEVOU1NIIFBSSVZBVE)",
        r"[A-Za-z0-9+/=]{16,}",
        "LS0tLS1CRUdJTiBQUklWQVRF" + "a1B2" * 12,
    ),
    SecretRule("private_key", r"Private-Lines:", Follow.NOTHING,
        rf"\bPrivate-Lines: ?[0-9]+{_BREAK}+(?P<s>[A-Za-z0-9+/=]{{16,}}"
        rf"(?:{_BREAK}+[A-Za-z0-9+/=]{{16,}})*)",
        "Private-Lines: 1\n" + "a1B2" * 12),
    SecretRule("azure", r"(?i:AccountKey|SharedAccessKey|SharedSecretValue)=", Follow.RANDOM,
        r"(?i:AccountKey|SharedAccessKey|SharedSecretValue)=(?P<s>[A-Za-z0-9+/%]{30,}={0,2})",
        "AccountName=a;AccountKey=" + "a1B2" * 21 + "==;"),
    SecretRule("signed_url", r"(?:[?&]|u0026)(?:sig|X-Amz-(?:Signature|Security-Token))=",
        Follow.NOTHING,
        r"[?&](?:sig|X-Amz-(?:Signature|Security-Token))=(?P<s>[A-Za-z0-9%+/=_.-]{24,})",
        "https://a.example/b?se=1&sig=" + "a1B2" * 10 + "%3D"),
    SecretRule("slack", r"hooks\.slack\.com", Follow.NOTHING,
        r"hooks\.slack\.com{sl}(?:services|workflows|triggers){sl}(?P<s>[\w/\\+-]{20,})",
        "https://hooks.slack.com/services/" + "T0A1B2C3D/B9Z8Y7X6W/" + "a1B2" * 6),
    SecretRule("discord", r"discord(?:app)?\.com\\*/api", Follow.NOTHING,
        r"discord(?:app)?\.com{sl}api{sl}webhooks{sl}[0-9]+{sl}(?P<s>[\w-]{30,})",
        "https://discord.com/api/webhooks/12345/" + "a1B2" * 10),
)  # fmt: skip
