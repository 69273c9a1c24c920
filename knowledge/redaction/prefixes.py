"""Tokens that begin with words: of any service by one scheme, and of some by their own."""

from cairn.knowledge.redaction import shapes
from cairn.knowledge.redaction.patterns import Follow, SecretRule
from cairn.knowledge.redaction.tokens import service

_RUN = r"[A-Za-z0-9]{16}"
_KIND = (
    r"(?i:live|prod|production|test|sandbox|dev|development|staging|stage|server|api|key|pat|oat|sk"
    r"|secret|token|auth|access)"
)
"""Ends of words of which a token's prefix has one: what it is, or where it is valid."""

_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_MODHEX = r"[cbdefghijklnrtuv]{8}"

PREFIXED = (
    SecretRule(  # `acme_live_…`, `acme-api-v1-…`, `secret_…`
        "service_token",
        rf"{_KIND}[_-](?:[a-z0-9]{{1,3}}[_.-])?{_RUN}",
        Follow.NOTHING,
        rf"{{free}}(?P<s>(?:[A-Za-z0-9]+[_.-]){{0,4}}[A-Za-z]*?{_KIND}[_-](?:[a-z0-9]{{1,3}}[_.-])?{_RUN}[\w+/=.-]*)",
        "acme_live_" + "a1B2c3D4e5F6" * 2,
        shapes.tagged,
    ),
    service("service_token", "vk1.a." + "a1B2c3D4e5F6" * 5, (r"vk1\.a\.", r"[\w-]{40,}"),
        (r"AQVN", r"[\w-]{35,38}\b"),
        (r"t1\.[A-Z0-9a-z_-]{8}", r"[A-Z0-9a-z_-]*={0,2}\.[\w-]{86}={0,2}"),
        (r"IGQ[A-Z]", r"[\w-]{80,}"), (r"akab-", r"[a-z0-9]{16}-[a-z0-9]{16}\b"),
        (r"dnkey-", r"[\w=-]{26}-[\w=-]{52}"), (r"tk-us-", r"[\w-]{48}"),
        (r"zpka_[0-9a-f]{8}", r"[0-9a-f]{24}_[0-9a-f]{8}"), (r"CCDB1_", r"\w{20,24}_\w{40}"),
        (r"gcntfy-", rf"[\w-]+-{_UUID}-{_UUID}"), (r"aact_(?:prod|hmlg)_", r"[\w:=-]{40,}"),
        (r"lsxs_[a-z]{2}_", r"[A-Za-z0-9]{20,}"), (r"depot_[a-z]+_", r"[0-9a-f]{64}"),
        (r"sktsec_", r"[\w-]{40,}"), (r"(?:nbwt|edbt)1_eyJ", r"[\w+/=-]{30,}"),
        (r"nf[a-z]?-live-", r"[\w-]{30,}"), (r"mlsn\.", r"[0-9a-f]{64}"),
        (r"KGAT_[0-9a-f]{8}", r"[0-9a-f]{24}"), (r"pk_[0-9]+_", r"[A-Z0-9]{32}\b"),
        (r"configcat-(?:proxy|sdk)-[0-9]", r"/[\w-]{22}/[\w-]{22}")),
    service(  # that begin like other words
        "service_token",
        "unkey_" + "a1B2c3D4e5F6" * 2,
        (r"y[0-6]_", r"[\w-]{30,}"),
        (r"AKLT", r"[\w-]{40,}"),
        (r"s-s4t2(?:ud|af)-", r"[0-9a-f]{64}"),
        (r"sm_(?:aat|pat|sat)_", r"[A-Za-z0-9]{16}\b"),
        (r"(?:rootly|dtn)_[0-9a-f]{8}", r"[0-9a-f]{56}"),
        (r"(?:api|client)_(?:live|sandbox)(?:_[a-z]{2})?\.[\w-]{8}", r"[\w-]*\.[\w-]{20,}"),
        (r"fnA[A-Z]", r"[\w-]{36}\b"),
        (r"tk_", r"[a-z0-9]{29}\b"),
        (r"(?:aio|unkey|rf|pd|wf|xau|tss|pina|ctp|dsp|lm[ab]|mka)_", r"[A-Za-z0-9]{20,}\b"),
        (r"pylf_v1_[a-z]{2}_", r"[A-Za-z0-9]{30,}"),
        (r"wrka(?:us|eu|jp|sg|au)-|llx-|m0-|lmnt-|sess-", r"[A-Za-z0-9]{40,}"),
        (r"(?:cu|scp-(?:live|test)|cal_(?:live|test))[_-][0-9a-f]{8}", r"[0-9a-f]{24}\b"),
        (r"[s]er\.[A-Za-z0-9]{6}", r"[A-Za-z0-9]{16}\b"),
        (r"4b1d[A-Za-z0-9]{8}", r"[A-Za-z0-9]{30}\b"),
        (r"(?:pat|sat)\.[\w-]{8}", r"[\w-]*\.[0-9a-f]{24}\.[\w-]{16,}"),
        (r"secret-(?:live|test)-", r"[\w=-]{30,}"),
        (r"secret-token:[\w.%-]{8}", r"[\w.%-]{8,}"),  # RFC 8959
        decides=shapes.random_text,
    ),
    service("service_token", "waka_0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d",
        (r"(?:waka|ovsxat)_", _UUID), (r"(?:xaat|xapt|ctx7sk|UNAK|luma)-", _UUID),
        (r"persona_(?:production|sandbox)_", _UUID),
        (r"1000\.[0-9a-f]{16}", r"[0-9a-f]{16}\.[0-9a-f]{32}"),
        (r"access_token\$(?:production|sandbox)\$", r"[a-z0-9]{16}\$[0-9a-f]{32}"),
        (r":APA91b", r"[\w-]{100,}")),
    SecretRule("service_token", r"[0-9]:[0-9a-f]{12}", Follow.NOTHING,
        r"\b(?P<s>[0-9]/[0-9]{10,}(?:/[0-9]{10,})?:[0-9a-f]{32})\b",
        "2/1201234567890123/1209876543210987:" + "a1b2" * 8),
    SecretRule("service_token", r"[um][0-9]{5,9}-[0-9a-f]{12}", Follow.NOTHING,
        r"\b(?P<s>[um][0-9]{5,9}-[0-9a-f]{24})\b", "u1234567-" + "a1b2" * 6),
    SecretRule("service_token", r"(?:development|production|test|default)\.[0-9a-f]{12}",
        Follow.NOTHING,
        r"(?P<s>(?:\*|\b[\w-]+|\[\]):(?:development|production|test|default)\.[0-9a-f]{56,64})\b",
        "*:production." + "a1b2" * 14),
    SecretRule(  # addresses that let anybody write who knows them
        "webhook",
        r"(?:webhook\.office|hooks\.zapier|hc-ping|maker\.ifttt|hooks\.airtable)\.com",
        Follow.NOTHING,
        r"(?:webhook\.office\.com{sl}webhookb2|hooks\.zapier\.com{sl}hooks{sl}catch|hc-ping\.com"
        r"|maker\.ifttt\.com{sl}trigger{sl}\w+(?:{sl}json)?{sl}with{sl}key"
        r"|hooks\.airtable\.com{sl}workflows{sl}v1{sl}genericWebhook){sl}(?P<s>[\w@/\\-]{16,})",
        "https://acme.webhook.office.com/webhookb2/"
        + "a1b2" * 8
        + "/IncomingWebhook/"
        + "c3d4" * 8,
    ),
    SecretRule(  # what opens a volume: as systemd writes it, and as BitLocker does
        "printed",
        rf"(?:-{_MODHEX}){{2}}",
        Follow.NOTHING,
        rf"\b(?P<s>{_MODHEX}(?:-{_MODHEX}){{7}})\b",
        "-".join(["cbdefghi", "jklnrtuv"] * 4),
    ),
    SecretRule("printed", r"(?:-[0-9]{6}){4}", Follow.NOTHING,
        r"\b(?P<s>[0-9]{6}(?:-[0-9]{6}){7})\b", "Password:\n  " + "-".join(["130746"] * 8)),
)  # fmt: skip
