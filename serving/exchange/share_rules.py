"""What leaves no machine in a pack: secrets, people, hosts, and what lies below home folders.

A statement that names one goes as a whole, since what is left of it would say something else. Paths
in the project's own folder are told from there; of any other one below a home folder `~/…` is left.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from cairn.knowledge.redaction import redactor

SECRET, PERSONAL, PERSON, HOST, HOME_PATH = (
    "a secret", "an address or number of a person", "a person", "a host", "a path of a home folder",
)  # fmt: skip
"""Why a statement is left out."""

PUBLIC = frozenset({
    "github.com", "gitlab.com", "bitbucket.org", "python.org", "docs.python.org", "golang.org",
    "stackoverflow.com", "developer.mozilla.org", "example.com", "example.org", "example.net",
    "localhost", "127.0.0.1", "0.0.0.0", "::1",  # noqa: S104  words of a text
})  # fmt: skip
"""Hosts that everybody knows, and the machine itself."""

_GENERIC = frozenset({
    "user", "users", "root", "admin", "administrator", "runner", "ubuntu", "debian", "vagrant",
    "node", "app", "dev", "developer", "test", "guest", "public", "shared", "home", "default", "me",
    "you",
})  # fmt: skip
"""Names of home folders that name nobody."""

_STOPS = r"""\s"'`:;,|<>()\[\]{}"""
_HOME = re.compile(
    rf"(?<![\w.~-])(?:/mnt/[a-z])?(?:/(?:var/|export/)?home/[^/\\{_STOPS}]+|/[Uu]sers/[^/\\{_STOPS}]+|/root\b"
    rf"|[A-Za-z]:(?:\\+|/)Users(?:\\+|/)[^/\\{_STOPS}]+)"
)
_USER = re.compile(rf"(?:/home/|/[Uu]sers/|\\+Users\\+|:/Users/)([^/\\{_STOPS}]+)")
_DASHED = re.compile(r"(?<![\w])-(?:home|Users)-\w+|~[A-Za-z]\w+/")
_BELOW = re.compile(rf"~(?:[/\\]+[^/\\{_STOPS}]+)+[/\\]*")
_AT = re.compile(r"[\w.+-]+@[\w-]+[\w.-]*")
_TAGGED = r"(?:-(?:alpha|beta|rc|next|canary|dev|pre)[\w.]*)?(?![\w@.-]*[\w@-])"
_PACKAGE = re.compile(
    rf"/[\w.+-]+@v?\d+(?:\.\d+)*{_TAGGED}|[\w.+-]+@(?:v?\d+\.\d+\.\d+{_TAGGED}|(?:latest|next|canary)\b(?![.\w-]))"
)
"""A package with its version, and no account on a machine."""
_URL_HOST = re.compile(r"\b[a-z][a-z0-9+.-]*://(?:[^\s/@]*@)?(\[[0-9a-fA-F:]+\]|[^\s/:?#\"'`<>)]+)")
_IPV4 = re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.]*\d)")
_IPV6 = re.compile(r"(?<![\w:])(?:[0-9a-fA-F]{1,4}:){2,}(?::?[0-9a-fA-F]{1,4})+(?![\w:])|fe80::\S+")
_DOMAIN = re.compile(
    r"(?i)(?<![\w./\\@-])(?:[a-z0-9-]+\.)+(?:com|net|org|edu|gov|info|biz|io|dev|app|cloud|local|lan"
    r"|internal|corp|intranet|home|arpa|de|at|ch|eu|uk|us|fr|nl|it|es|be|dk|se|no|fi|cz|ca|au|jp|in"
    r"|br|cn|ru)(?![\w-])"
)


@dataclass(frozen=True)
class ShareRules:
    """What is left out of the pack of one project."""

    people: Sequence[str] = ()
    """Names of people, and of home folders."""
    hosts: Sequence[str] = ()
    folders: Sequence[str] = ()
    """Folders of the project, as they are stored: from `~`."""

    def cleaned(self, text: str) -> str:
        """A text whose paths say nothing of home folders."""
        text = _HOME.sub("~", text)
        for folder in sorted(self.folders, key=len, reverse=True):
            if len(folder) > 1:
                text = re.sub(rf"{re.escape(folder)}(?:[/\\]+|(?![\w.-]))", "./", text)
        text = re.sub(r"(?<![\w.])\./(?=[\s\"'`,;:)\]]|$)", ".", text)
        return _BELOW.sub("~/…", text)

    def refuses(self, text: str) -> str | None:
        """Why a text, cleaned, is left out; None if it may go."""
        if "[redacted:" in text or redactor().redact_text(text)[1]:
            return SECRET
        if redactor(personal=True).redact_text(text)[1]:
            return PERSONAL
        if _HOME.search(text) or _DASHED.search(text):
            return HOME_PATH
        if _AT.search(_PACKAGE.sub("", text)) or self._named_host(text):
            return HOST
        return PERSON if self._person and self._person.search(text) else None

    def _named_host(self, text: str) -> bool:
        found = {host.strip("[]").casefold() for host in _URL_HOST.findall(text)}
        found |= {one.casefold() for one in (*_IPV4.findall(text), *_DOMAIN.findall(text))}
        found |= {match[0].casefold() for match in _DOMAIN.finditer(text)}
        found |= {match[0].casefold() for match in _IPV6.finditer(text)}
        return bool(found - PUBLIC) or bool(self._host and self._host.search(text))

    @cached_property
    def _person(self) -> re.Pattern[str] | None:
        return _any_of(one for one in self.people if one.casefold() not in _GENERIC)

    @cached_property
    def _host(self) -> re.Pattern[str] | None:
        return _any_of(one for one in self.hosts if one.casefold() not in PUBLIC)


def users_in(texts: Iterable[str]) -> set[str]:
    """Names of users whose home folders some texts name."""
    return {name for text in texts for name in _USER.findall(text)}


def _any_of(names: Iterable[str]) -> re.Pattern[str] | None:
    """Any of some names as a whole word, in any case; none that is a letter or two."""
    each = sorted({name.strip() for name in names if len(name.strip()) > 2}, key=len, reverse=True)
    if not each:
        return None
    return re.compile(rf"(?i)(?<![\w])(?:{'|'.join(map(re.escape, each))})(?![\w])")
