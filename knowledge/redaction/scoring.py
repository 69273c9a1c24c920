"""Whether a value that stands where a secret would is one: shape, words, and the key before it.

Rules find places; these functions say no to variables, placeholders, masks, types, paths and code.
"""

import re
from typing import NamedTuple


class SecretMatch(NamedTuple):
    """What a rule matched: the key (empty where a rule has none), what separates, the value."""

    key: str
    separator: str
    value: str


_TEMPLATE = re.compile(
    r"""\*\*|x{4,}|X{4,}|•|\.\.\.|…|<[^<>]*>|\{\{|\}\}|\$\{|\$\(|%\(|`|\[redacted
      |(?i:redacted|filtered|masked|hidden|placeholder|change[-_]?me|replace[-_]?(?:me|this|with)
      |(?:^|[-_ ])your?[-_]?|insert[-_]|example$|-here$)""",
    re.VERBOSE,
)
_VARIABLE = re.compile(
    r"\$[A-Za-z_]\w*(?:[:.]\w+)*|%\w+%|\$\d|@\w+@|:['\"]?\w+['\"]?|!\w+|\{[\w.]*\}|#\{.*"
)
_CODE = re.compile(r".*[\w\])]\(.*|.*\)|\[.*|\(.*|.*(?:->|::|=>|\?\.|\|\||&&).*|.*\w\[.*|=.*")
_DOTTED = re.compile(r"[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+")
_PATH = re.compile(r"(?:~|\.{1,2})?/.*|[A-Za-z]:[\\/].*|[\w.-]+(?:/[\w.-]+)+\.\w{1,5}")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://.*")
_PORT = re.compile(r"[0-9]{2,5}[?#]")
_PIECES = re.compile(r"[^A-Za-z0-9]+")
_HUMPS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_TOKEN_CHARACTERS = re.compile(r"[\w+/=.~:%!#^*@$&?-]+", re.ASCII)
_NAME = re.compile(r"[\w .-]+", re.ASCII)
_BASE64 = re.compile(r"[A-Za-z0-9+/]{10,}={1,2}")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def _listed(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Words that stand for a value, name a type, or tell a state; a value made of these alone is none.
_WORDS = _listed(
    """
    a an and any api apikey app auth access account arg args array as auto basic bearer bool
    boolean bytes can cannot char credential credentials custom current default demo digest
    disable disabled dummy email empty enable enabled enter env environment error example
    expired fail failed fake false field file foo bar baz for from function getpass goes hash
    hashed header here id incorrect input insert int integer invalid is it jwt key keyring
    kwargs label length login masked match mandatory me missing mock must my name needed new
    nil no none not null number num object of off oauth ok old omitted on optional or pass
    passcode passphrase passwd password passwords placeholder private prompt pw pwd query raw
    required reset sample secret secrets self session set some sso str string strong stub test
    text the this to todo token tokens true tbd type undefined unset update used user username
    val valid validated value varchar var void was weak with wrong x xxx yes you your
    string_type secretstr charfield textfield any_type
    """
)
_TECHNICAL = _listed(
    """
    base64 base32 base62 sha1 sha256 sha512 sha3 md5 hmac256 oauth2 oauth1 utf8 utf16 argon2
    argon2id argon2i pbkdf2 bcrypt2 rs256 hs256 es256 hs512 ed25519 x509 pkcs8 pkcs12 aes128
    aes256 rsa2048 rsa4096 ipv4 ipv6 http2 s3 ec2 k8s i18n l10n e2e oidc2 p256 http1 int32
    int64 uint8 uint32 uint64 str32 float32 float64 tls12 tls13
    """
)


def words(key: str) -> list[str]:
    """Lower-case words of an identifier: `dbPassword_2` gives db, password, 2."""
    return [hump.lower() for hump in _HUMPS.findall(key)]


def is_name(text: str) -> bool:
    """Whether a text could name a field: identifiers, dashes, dots and blanks."""
    return len(text) <= 80 and bool(_NAME.fullmatch(text))


def is_template(value: str) -> bool:
    """Whether a value is nothing, a variable, a template or a mask."""
    return not value or bool(_TEMPLATE.search(value) or _VARIABLE.fullmatch(value))


def stands_in(value: str) -> bool:
    """Whether a value is a variable, template, mask or placeholder."""
    value = value.strip()
    if is_template(value) or (len(set(value.lower())) < 3 and not value.isdigit()):
        return True
    pieces = [piece for piece in _PIECES.split(value.lower()) if piece]
    return all(piece in _WORDS or piece in _TECHNICAL for piece in pieces)


def is_code(value: str) -> bool:
    """Whether an unquoted value reads as an expression: a call, an attribute, an index."""
    return bool(_CODE.fullmatch(value)) or _dotted(value)


def _dotted(value: str) -> bool:
    """Whether a value reads as attributes of attributes: `settings.database.password`."""
    return bool(_DOTTED.fullmatch(value)) and all(map(_wordy, value.split(".")))


def is_place(value: str) -> bool:
    """Whether a value is a path or an address."""
    if _URL.fullmatch(value):
        return True
    return bool(_PATH.fullmatch(value)) and all(map(_wordy, value.split("/")))


def _wordy(text: str) -> bool:
    """Whether each piece between punctuation could be a word or a small number."""
    return all(_word(piece) for piece in _PIECES.split(text) if piece)


def _word(piece: str) -> bool:
    if piece.isdigit():
        return len(piece) <= 4
    letters = piece.rstrip("0123456789")
    if not letters.isalpha() or len(piece) - len(letters) > 2:
        return False
    humps = _HUMPS.findall(letters)
    return len(letters) / len(humps) >= 3 or len(letters) < 4


def _mixed(value: str) -> bool:
    return any(c.isdigit() for c in value) and any(c.isalpha() for c in value)


def _shouted(found: SecretMatch) -> bool:
    """Whether this is an assignment as a shell or a .env file has it: `NAME=value`."""
    return found.key.isupper() and found.separator == "="


def given(found: SecretMatch) -> bool:
    """A value that a command was given as its password: anything that does not stand in for one."""
    return not is_template(found.value) and not found.value.startswith("-")


def argument(found: SecretMatch) -> bool:
    """A value at a place of a command that takes a secret, and a word at times."""
    value = found.value
    if not given(found) or stands_in(value) or is_place(value) or is_code(value):
        return False
    return len(value) >= 4 and not (value.isalpha() and (value.islower() or value.isupper()))


def credential(found: SecretMatch) -> bool:
    """A word of random shape that a service gave out."""
    return looks_random(found.value) and given(found) and not _version(found.value)


def dense(found: SecretMatch) -> bool:
    """A literal among the arguments of a client: a key, and no name of a model, file or account."""
    value = found.value
    runs = [piece for piece in re.split(r"[^A-Za-z0-9+/]+", value) if piece]
    longest = max(runs, key=len, default="")
    return len(longest) >= 16 and _mixed(longest) and looks_random(value) and not_example(found)


def literal(found: SecretMatch) -> bool:
    """A literal where a function takes a secret: no name of a variable, no plain word."""
    value = found.value
    if len(value) < 6 or stands_in(value) or is_place(value) or is_code(value):
        return False
    return any(c.isdigit() for c in value) and not re.fullmatch(
        r"[A-Z][A-Z0-9_]*|\w+=.+|(?i:[rhep]s|a|sha)-?\d{3}\w*", value
    )


_PROMPT = re.compile(r"(?i:sudo|enter|type|confirm|verify|://|[<{])")
_NOUNS = _listed(
    """
    user username users account host hostname server database file path in at see role email line
    error policy hash hashed length name type id version digest sha256 fingerprint expires status
    required failed invalid incorrect wrong store manager method mode count field format
    """
)


def printed(found: SecretMatch) -> bool:
    """What a server prints after words that tell of a fresh password; no prompt, no other noun."""
    last = words(found.key)[-1:] or [""]
    if last[0] in _NOUNS or _PROMPT.search(found.key):
        return False
    value = found.value.rstrip(".,:")
    if len(value) < 8 or value.startswith("//") or re.fullmatch(r"\w+=[^=].*", value):
        return False
    return _scrambled(value) and not stands_in(value) and not is_place(value)


def _scrambled(value: str) -> bool:
    """Whether a value is no word, name, number, date or expression."""
    return strong_password(SecretMatch("", "", value)) or looks_random(value)


def printed_token(found: SecretMatch) -> bool:
    """A key or token after its name in what a server prints."""
    return len(found.value) >= 8 and looks_random(found.value)


def code(found: SecretMatch) -> bool:
    """One of a list of codes that let one in once."""
    return any(c.isdigit() for c in found.value) or "-" in found.value


def _version(value: str) -> bool:
    """Whether a value could be a version, a date or the name of a file, a model or a machine."""
    runs = [piece for piece in _PIECES.split(value) if piece]
    return max(map(len, runs), default=0) < 10 and not _UUID.fullmatch(value)


_OPEN_NAMES = _listed(
    """
    user username host hostname port name database db dbname url uri endpoint server region
    bucket email mode env environment type path file cert crt ca
    """
)


def entry(found: SecretMatch) -> bool:
    """A value of a collection of secrets, unless its name tells that this one is none."""
    parts = words(found.key)
    return bool(parts) and parts[-1] not in _OPEN_NAMES and argument(found)


def embedded(found: SecretMatch) -> bool:
    """A password inside an address: given, no word of an example, and no port with a query."""
    return given(found) and not stands_in(found.value) and not _PORT.match(found.value)


def after_login(found: SecretMatch) -> bool:
    """A password on the line of a login: prose may speak of both as well."""
    return given(found) and not (found.value.isalpha() and found.value.islower())


_PASSWORD_ENDS = (
    *("password", "passwd", "passwort", "passphrase", "passcode", "pwd", "pswd", "psk"),
    *("storepass", "keypass", "dbpass", "userpass"),
)


def password_key(key: str) -> str | None:
    """The word that makes a key one of a password, else None."""
    for word in reversed(words(key)):
        if word.endswith(_PASSWORD_ENDS) or word in ("pass", "pw", "sshpass"):
            return word
        if not (word.isdigit() or word in TAILS):
            return None
    return None


_NEVER_OWNS = _listed(
    """
    next page continuation sync cancel cancellation stop eos bos pad unk sep cls mask special
    start end max min num first last prev previous sub return per image text word new_line line
    total prompt completion input output cache cached reasoning budget
    """
)
_KEY_OWNERS = _listed(
    """
    api access secret private account encryption signing master auth shared service
    subscription admin deploy app client webhook storage license registration function host
    preshared unseal recovery
    """
)
TAILS = _listed(
    """
    prod production dev development stage staging test local live value base base64 b64 old new
    current default main master root admin primary secondary raw plain plaintext hex string str
    s key b
    """
)


def token_key(key: str) -> str | None:
    """The word that makes a key one of a token, secret or key, else None."""
    parts = words(key)
    for at in range(len(parts) - 1, -1, -1):
        word, before = parts[at], parts[at - 1] if at else ""
        if word.endswith("token"):
            return None if before in _NEVER_OWNS else word
        if word.endswith("secret") or word in ("credential", "credentials", "jwt", "bearer"):
            return word
        if word in ("auth", "authorization"):
            return word
        if word in ("key", "keys") and before in _KEY_OWNERS:
            return f"{before} key"
        if word.endswith("key") and word.removesuffix("key") in _KEY_OWNERS:
            return word
        if not (word.isdigit() or word in TAILS):
            return None
    return None


def password_quoted(found: SecretMatch) -> bool:
    """A quoted value under a password's key."""
    key = password_key(found.key)
    value = found.value
    if not key or len(value) < 3 or stands_in(value) or is_place(value) or _dotted(value):
        return False
    if value[0] in ",)":  # the end of an empty one
        return False
    if key == "pass" and len(words(found.key)) == 1 and not _mixed(value):
        return False
    if any(c.isspace() for c in value):
        parts = _PIECES.split(value.lower())
        if key == "passphrase":
            return len(parts) > 2 and not any(part in _WORDS for part in parts)
        if _shouted(found):
            return any(c.isdigit() for c in value)
        return len(parts) <= 4 and any(map(_mixed, set(parts) - _TECHNICAL))
    return "==" not in found.separator or strong_password(found)


def password_bare(found: SecretMatch) -> bool:
    """An unquoted value under a password's key: a plain word only in `NAME=value`."""
    key = password_key(found.key)
    value = found.value.rstrip("!?.:")
    if not key or len(value) < 3 or stands_in(value) or is_code(found.value) or is_place(value):
        return False
    if _shouted(found) or (found.separator == "=" and _BASE64.fullmatch(found.value)):
        return True
    if value.isdigit():
        return "=" in found.separator and len(value) >= 4 and key != "pass"
    if not _mixed(value) or value.lower() in _TECHNICAL:
        return False
    stem = value.rstrip("0123456789").lower()
    return len(value) >= 5 and not all(word in _WORDS for word in words(stem) or [""])


def password_line(found: SecretMatch) -> bool:
    """A plain word that is all of its `password: word` line, as in YAML."""
    value = found.value
    return bool(password_key(found.key)) and len(value) >= 5 and not stands_in(value)


def token_value(found: SecretMatch) -> bool:
    """A value under the key of a token: long and mixed enough to be no word, path or code."""
    return bool(token_key(found.key)) and (
        looks_random(found.value)
        or (
            found.key.isupper()
            and found.separator.strip() == "="
            and len(found.value) >= 8
            and _TOKEN_CHARACTERS.fullmatch(found.value) is not None
            and _mixed(found.value)
            and not (stands_in(found.value) or is_code(found.value) or is_place(found.value))
        )
    )


def looks_random(value: str) -> bool:
    """Whether a value has the shape of a generated token rather than of a word, path or code."""
    if len(value) < 8 or not _TOKEN_CHARACTERS.fullmatch(value) or stands_in(value):
        return False
    if is_code(value) or is_place(value) or _wordy(value):
        return False
    if _mixed(value):
        return True
    return (
        len(value) >= 20
        and value.isascii()
        and value.isalpha()
        and not value.islower()
        and not value.isupper()
    )


def strong_password(found: SecretMatch) -> bool:
    """A value in a looser place, such as a call's argument or a sentence: letters and digits."""
    value = found.value.strip().rstrip(".,;:!?)")
    if len(value) < 6 or any(c.isspace() for c in value) or stands_in(value) or is_code(value):
        return False
    if is_place(value) or not _mixed(value) or value.lower() in _TECHNICAL:
        return False
    pieces = [piece for piece in _PIECES.split(value) if piece]
    if not all(piece.isdigit() or (piece.isalpha() and len(piece) > 1) for piece in pieces):
        return True
    # Words and numbers: `Tulip-2024` is one, `AES-256` and `step-3-of-5` are none.
    return len(pieces) == 2 and len(pieces[0]) > 4 and len(pieces[1]) > 1


def strong_token(found: SecretMatch) -> bool:
    """A long value of random shape, wherever it stands."""
    return len(found.value) >= 16 and looks_random(found.value)


def header_value(found: SecretMatch) -> bool:
    """Credentials of an Authorization header, after its scheme."""
    value = found.value
    return len(value) >= 6 and not stands_in(value) and not is_code(value) and not value.isalpha()


_OPEN = re.compile("_(ga|gid|gcl|hj|dd|pk_|fbp|_utm|_hs)|a(i|js)_|.*(?i:csrf|side(?!.*sess))")


def cookie_value(found: SecretMatch) -> bool:
    """A session cookie's value: long and of random shape; ids of visitors are not secret."""
    value = re.sub("[|@:]+|%7[cC]", ".", found.value)
    if len(value) < 16 or _OPEN.match(found.key):  # `sidebar` is no `sid`
        return False
    if _UUID.fullmatch(value):  # `session_id` is a login's in a cookie, and an agent's in a log
        return "session" not in found.key or "." in found.key
    return looks_random(value)


def not_example(found: SecretMatch) -> bool:
    """A known token's shape, unless it is a documentation's example or a mask."""
    return not _TEMPLATE.search(found.value) and "EXAMPLE" not in found.value


def service_token(found: SecretMatch) -> bool:
    """A service's shape: letters and digits, no example, no name that begins alike, no picture."""
    value = found.value
    return not_example(found) and _mixed(value) and not _wordy(value) and "AAAAA" not in value


def flag_value(found: SecretMatch) -> bool:
    """A value after a long option; a plain word after a space may be prose about the option."""
    key, value = found.key.lstrip("-"), found.value
    if value.startswith("-") or stands_in(value) or is_code(value):
        return False
    if password_key(key):
        plain = value.isalpha() and (value.isupper() or found.separator != "=")
        return not plain and not is_place(value)
    return bool(token_key(key)) and looks_random(value)


def named_value(found: SecretMatch) -> bool:
    """A value tied to a secret's name more loosely than by an assignment."""
    if password_key(found.key):
        return strong_password(found)
    return bool(token_key(found.key)) and looks_random(found.value)


def anything(found: SecretMatch) -> bool:
    """What the pattern alone decides."""
    return bool(found.value)


def card(found: SecretMatch) -> bool:
    """A card number by the Luhn check (ISO/IEC 7812-1), of a card network's prefix."""
    digits = [int(c) for c in found.value if c.isdigit()]
    if not 13 <= len(digits) <= 19 or digits[0] not in (3, 4, 5, 6) or len(set(digits)) < 2:
        return False
    doubled = (d if i % 2 == 0 else sum(divmod(2 * d, 10)) for i, d in enumerate(reversed(digits)))
    return sum(doubled) % 10 == 0


def iban(found: SecretMatch) -> bool:
    """An account number by the mod 97 check of ISO 13616."""
    number = found.value.replace(" ", "")
    if not 15 <= len(number) <= 34:
        return False
    return int("".join(str(int(c, 36)) for c in number[4:] + number[:4])) % 97 == 1


def phone(found: SecretMatch) -> bool:
    """A telephone number: 8 to 15 digits (ITU-T E.164)."""
    return 8 <= sum(c.isdigit() for c in found.value) <= 15
