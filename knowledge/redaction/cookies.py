"""Cookies that stand for a login: by the names that frameworks, servers and sites give them."""

import re

from cairn.knowledge.redaction import scoring
from cairn.knowledge.redaction.patterns import GAP, QUOTE, Follow, SecretRule

# Names that nothing but a cookie has; they need no word of cookies beside them.
_OWN = (
    r"(?:"
    r"(?:__Secure-|__Host-)[\w.-]+"  # RFC 6265bis
    r"|[A-Z]*SESS(?:ION)?ID(?:SSO|[A-Z]{8})?(?:[._][\w-]+)?"  # PHP, Java, ASP, Perl, SAP, Jenkins
    r"|(?i:jsessionid|phpsessid)|S?SESS[0-9a-f]{32}"
    r"|ASP\.NET_SessionId|\.ASPX[A-Z]+|\.AspNet(?:Core)?\.[\w.-]+"
    r"|(?:connect|sails|koa|express|rack|beaker)[.:](?:sid|sess(?:ion)?(?:\.id)?)(?:\.sig)?"
    r"|(?:next-auth|authjs|better-auth)\.[\w.-]+"
    r"|(?:_\w+|laravel|symfony|ci|user|reddit|grafana|ory_kratos|auth|auth\w+|xf|mod_auth_openidc)_session"
    r"|wordpress_(?:logged_in|sec)_\w+|remember_(?:user_token|web_\w+)|sb-\w+-auth-token(?:\.[0-9])?"
    r"|cf_clearance|CFTOKEN|li_at|LtpaToken2?|P(?:VE|MG|BS)AuthCookie|KEYCLOAK_(?:SESSION|IDENTITY)\w*"
    r"|(?:OP|BW)_SESSION\w*|[A-Za-z_]*(?i:session_cookie)|S?APISID|[HS]SID"
    r")"
)
# What of those names the prefilter looks for: ends of them, for what begins with a loop is slow.
_CORES = (
    r"(?:__Secure-|__Host-|\.AspNet|next-auth\.|authjs\.|better-auth\.)[\w.-]+",
    r"SESS(?:ION)?ID[\w.-]*|(?i:jsessionid|phpsessid)|SESS[0-9a-f]{32}|ASP\.NET_SessionId|\.ASPX[A-Z]+",
    r"[.:](?:sid|sess)[\w.]*",
    r"_(?:session|SESSION\w*)|(?i:session_cookie)",
    r"wordpress_\w+|remember_\w+|-auth-token(?:\.[0-9])?",
    r"cf_clearance|CFTOKEN|li_at|LtpaToken2?|P(?:VE|MG|BS)AuthCookie|KEYCLOAK_[A-Z]\w*|APISID|[HS]SID",
)
# Words of which a cookie's name has one where it is known for a cookie, and names without any.
_ANY = (
    r"(?:[\w.:-]*(?i:sess|sid|auth|login|remember|ident|sso|ticket|token|jwt)[\w.:-]*"
    r"|(?i:cakephp|symfony)|frontend|adminhtml|[fb]e_typo_user|PrestaShop-\w+|xs|datr|d|ds|TGC|TGT|CASTGC|__ac|_t|cadata|li_rm|ct0|NID|LSID|OSID|iPlanetDirectoryPro|MRHSession"
    r"|SVPNCOOKIE|DSID|rtFa|__client|phpMyAdmin|i_like_gitea|Horde|SimpleSAML|cookie)"
)
_NAMES = rf"(?:{_OWN}|{_ANY})"
is_cookie = re.compile(_NAMES).fullmatch
is_own_cookie = re.compile(_OWN).fullmatch
_VALUE = r"(?P<s>[^\s;,\"'`\\<>(){}\[\]]{8,})"
_LOGIN = r"[\w.:-]*(?:(?i:sess|sid|auth|remember|jwt)|li_at|cf_cl|__[SH])[\w.:-]*"
_SPACE = r"(?:[\s\"'\\]|\\[nrt]|u002[27])"
_COOKIE = r"(?i:cookie)(?:s|_\w+|s?\.\w+)?[\s\"'\\]*[:=({\[]"
_COOKIE_WORDS = (
    rf"(?i:cookie)(?:s|_\w+|s?\.\w+)?{_SPACE}*[:=({{\[]",
    rf"(?i:cookie)s?{_SPACE}+[\w.:-]+=",
)
_BOOL = r"(?:TRUE|FALSE)"
_TAB = r"(?:\t|\\+t|u0009)"


def _cookie(
    opening: str | tuple[str, ...], follow: Follow, pattern: str, example: str
) -> SecretRule:
    return SecretRule("cookie", opening, follow, pattern, example, scoring.cookie_value)


COOKIES = (
    _cookie(  # a header, an option, a variable, and those after the first
        (*_COOKIE_WORDS, rf"-[bB]{GAP}+[\w.:-]+="),
        Follow.NOTHING,
        rf"(?:(?:{_COOKIE}|\bcurl{{seg}}-b)(?:[^\n]*?[^\w.:\n-])??|(?i:cookies?)[\s\"'\\]+)"
        rf"(?P<key>{_NAMES})={{oq}}{_VALUE}",
        "Set-Cookie: session=" + "a1B2" * 8 + "; Path=/",
    ),
    _cookie(  # a mapping, or what sets one
        _COOKIE_WORDS,
        Follow.NOTHING,
        rf"{_COOKIE}[^\n]*?{{q}}(?P<key>{_NAMES}){{q}}[\s\])]*(?::|,|=>|=)[\s(]*{{oq}}{_VALUE}",
        "requests.get(url, cookies={'sessionid': '" + "a1b2" * 8 + "'})",
    ),
    _cookie(_CORES, Follow.SECRET,
        rf"(?:^|[^\w.-])(?P<key>{_OWN}){{close}}[ \t]*(?:=>|[=:])[ \t]*{{oq}}{_VALUE}",
        "PHPSESSID=" + "a1b2" * 7),
    _cookie(_CORES, Follow.SECRET, rf"{{q}}(?P<key>{_OWN}){{q}}{{any}},{{any}}{{q}}{_VALUE}",
        'set("PHPSESSID", "' + "a1b2" * 7 + '")'),
    _cookie(  # as browsers and their drivers write them
        rf"(?i:name)(?:{QUOTE})?\s*[:=]\s*{QUOTE}{_LOGIN}{QUOTE}[^{{}}]*?(?i:value)",
        Follow.NOTHING,
        rf"(?i:name){{oq}}\s*[:=]\s*{{q}}(?P<key>{_LOGIN}){{q}}[^{{}}]*?\b(?i:value){{oq}}"
        rf"{{any}}[:=]{{any}}{{q}}{_VALUE}",
        "{name: 'sid', value: '" + "a1B2" * 8 + "', url: base}",
    ),
    _cookie(  # a jar as Netscape's, curl's and wget's
        rf"{_BOOL}{_TAB}\S*?{_TAB}{_BOOL}{_TAB}",
        Follow.NOTHING,
        rf"{_BOOL}\t\S+\t{_BOOL}\t[0-9.]+\t(?P<key>{_NAMES})\t(?P<s>\S{{8,}})",
        "#HttpOnly_a.example\tFALSE\t/\tTRUE\t0\tPHPSESSID\t" + "a1b2" * 7,
    ),
)  # fmt: skip
