"""Whether a value has the shape of something made at random, or of a password that one made up."""

import re

from cairn.knowledge.redaction import scoring
from cairn.knowledge.redaction.scoring import SecretMatch

_SPLIT = re.compile(r"[_.:/$~=+-]+")
_TAG = re.compile(r"[A-Za-z]{1,12}|[A-Za-z0-9]{1,3}|[a-z]{1,8}[0-9]{1,3}")
_CLASSES = re.compile(r"[a-z]+|[A-Z]+|[0-9]+")
_HEX = re.compile(r"[0-9a-f]+|[0-9A-F]+")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_FILE = re.compile(r"\.[a-z]{2,5}$|/")
_DIGESTS = (32, 40, 56, 64, 96, 128)
_COUNTED = re.compile(r"0123|1234|abcd|(.)\1{4}", re.IGNORECASE)


def _listed(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Words of which a token's prefix has one, and those that tell of a setting as well as of a token.
_SECRET = _listed("api apikey key pat oat sk rk secret token auth access oauth live")
_SETTING = _listed("prod production test sandbox dev development staging stage server srv")
# Words that name what is no secret, though it is long and random.
_OPEN = _listed(
    """
    cache hash hashed sha sha1 sha256 sha512 md5 digest etag checksum idempotency commit build
    image public pub pk publishable anon id ids uuid guid restore lock fake dummy sample mock my
    your cursor page node modules trace request span fixture integrity example session thread call
    msg message file chunk object blob row index idx foreign primary partition sort group shard
    toolu srvtoolu run resp req chatcmpl container item step event evt batch job task pod rs
    """
)


def scrambled(text: str) -> bool:
    """Whether letters and digits change as they do by chance, not as in words and dates."""
    if len(text) < 16 or len(set(text)) < 9 or _COUNTED.search(text):
        return False
    digits = sum(c.isdigit() for c in text)
    letters = {c.isupper() for c in text if c.isalpha()}
    if not digits and (len(letters) < 2 or len(text) < 20):
        return False
    return digits < len(text) and len(_CLASSES.findall(text)) >= 0.25 * len(text)


def _runs(text: str) -> list[str]:
    return [piece for piece in _SPLIT.split(text) if piece]


def _longest(text: str) -> str:
    return max(_runs(text), key=len, default="")


def _split(value: str) -> tuple[list[str], str]:
    """The words before a token, in small letters, and what comes after them."""
    at, tags = 0, list[str]()
    while separator := _SPLIT.search(value, at):
        word = value[at : separator.start()]
        if word and not _TAG.fullmatch(word):
            break
        tags.append(word.lower())
        at = separator.end()
    return tags, value[at:]


def tagged(found: SecretMatch) -> bool:
    """A random text after words such as `acme_live_`, of which one says that it is a secret.

    A digest after the name of a stage is a build's: `shop-prod-<sha>`.
    """
    tags, rest = _split(found.value)
    if not scoring.not_example(found) or not _OPEN.isdisjoint(tags) or _FILE.search(rest):
        return False
    strong = any(tag in _SECRET or tag.endswith(("key", "token", "secret")) for tag in tags)
    if not strong and _SETTING.isdisjoint(tags):
        return False
    longest = _longest(rest)
    if _HEX.fullmatch(rest.replace("-", "")) and not strong:
        return not (_UUID.fullmatch(rest) or len(rest) in _DIGESTS) and scrambled(longest)
    return len(rest) >= 20 and scrambled(longest)


def random_text(found: SecretMatch) -> bool:
    """What follows a service's own prefix: by chance, and no documentation's example."""
    return scoring.not_example(found) and scrambled(_longest(_split(found.value)[1] or found.value))


_NUMBERED = re.compile(r"[A-Za-z]+(?:[-_.]?[A-Za-z]+)*[-_.]?[0-9]{1,4}")
_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}(?::[0-9]+)?|[0-9.:]+|[\w.+-]+@[\w.-]+")


def made_up(found: SecretMatch) -> bool:
    """A password among other arguments: no host, address, mailbox, name with a number."""
    value = re.sub(r"(?:\\[nrt])+$", "", found.value)
    if _HOST.fullmatch(value) or (_NUMBERED.fullmatch(value) and value.islower()):
        return False
    return scoring.strong_password(SecretMatch("", "", value))


def last_argument(found: SecretMatch) -> bool:
    """A password at the end of a login's arguments, where its host and port may stand, too."""
    return not _HOST.fullmatch(found.value) and scoring.strong_password(found)


def logged_in(found: SecretMatch) -> bool:
    """What a login is handed as its password; a test hands over words such as `wrong`, too."""
    value = found.value
    if not scoring.given(found) or scoring.stands_in(value) or scoring.is_place(value):
        return False
    return not (value.isalpha() and value.islower())


def basic(found: SecretMatch) -> bool:
    """The password of a pair that is handed to a client; a plain word may be one."""
    return scoring.given(found) and not scoring.stands_in(found.value)


_SETTING_LINE = re.compile(r"\w+(?:[=: ]+)[0-9]{1,5};?")


def said(found: SecretMatch) -> bool:
    """What is written into a command that reads a secret: no format, and no line of settings."""
    value = found.value
    if re.search(r"%[sbdq]", value) or _SETTING_LINE.fullmatch(value):
        return False
    return scoring.argument(found)


# Long options that take no value: the word after them is the command's own.
_SWITCHES = _listed(
    "raw quiet check response nointeraction verbose debug stdin insecure force batch yes global"
)


def word(found: SecretMatch) -> bool:
    """A word that a command takes, unless it is the value of the option before it."""
    option = found.key
    alone = option.startswith("--") and not re.search(r"[=\s]", option)
    if alone and option[2:] not in _SWITCHES:
        return False
    return scoring.argument(found)


_SECRET_WORDS = _listed(
    "pass password passwd pw pwd key apikey secret token auth credential credentials dsn psk pin"
)


def setting(found: SecretMatch) -> bool:
    """A value of a list of settings, some of them secret: by its name."""
    names = scoring.words(found.key)
    return bool(names) and names[-1] in _SECRET_WORDS and scoring.argument(found)
