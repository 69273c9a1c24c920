"""Telling people: by Apprise, or in a file of the home where nothing is set.

Text of logs goes out as text, never as markup, and no address in it is fetched: a picture is told
by its address alone.
"""

import json
import logging
import re
from collections.abc import Container, Iterator
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from cairn.resources.home.atomic_files import append_lines, replace_file
from cairn.resources.home.home import Home, check_namespace
from cairn.resources.home.settings import Settings

DEFAULT = "default"
"""Namespace of an address that names none, where the settings name none either."""
FILE = "file"
"""Where it is told if nothing is set."""

LONGEST_TITLE, LONGEST_STATEMENT, LONGEST_ADDRESS = 200, 400, 500
"""Characters: with three statements, what the tightest of chats takes (Discord: 2000)."""
_CALL = re.compile(r"(?<!\w)@(?=\w)|<(?=[@!#&])")


def _plain(text: str, most: int) -> str:
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    line = line if len(line) <= most else line[: most - 1] + "…"
    return _CALL.sub("\\g<0>\u200b", line)


class OutgoingMessage(NamedTuple):
    """What one person is told at once."""

    record_id: str
    """What it becomes in the logs once it was told."""
    begun_id: str
    """What the logs hold of it before: all that they do if the process dies meanwhile."""
    namespace: str
    title: str
    statements: tuple[str, ...]
    image_url: str | None
    at: datetime

    def plain(self) -> "OutgoingMessage":
        """The same on lines of their own: no control character, and nobody is called by it.

        A chat reads `@everyone`, `<@id>` or `<!here>` of any text; a space of no width ends that.
        """
        picture = (self.image_url or "").replace("@", "%40")
        return self._replace(
            title=_plain(self.title, LONGEST_TITLE),
            statements=tuple(_plain(one, LONGEST_STATEMENT) for one in self.statements),
            image_url=picture if picture and picture == _plain(picture, LONGEST_ADDRESS) else None,
        )

    @property
    def body(self) -> str:
        """Statements a line each, and the address of a picture."""
        lines = [f"- {one}" for one in self.statements]
        return "\n".join([*lines, self.image_url] if self.image_url else lines)


class Sent(NamedTuple):
    """How it went."""

    to: str
    """Kinds of places that it reached, such as `mailto, slack`; and those that it did not."""
    error: str | None = None
    """Why it reached none."""


def _given(settings: Settings) -> Iterator[tuple[str, str]]:
    """Each address with the namespace that it is of; `*` is all that have none of their own."""
    for each in (settings.notify.get_secret_value() if settings.notify else "").split():
        name, equals, address = each.partition("=")
        own = equals and "://" not in name
        yield (name, address) if own else (settings.namespace or DEFAULT, each)


def unreadable(settings: Settings) -> list[str]:
    """Addresses that Apprise cannot read, each as its namespace and scheme: the rest is secret."""
    from apprise import Apprise

    _silence()
    return [
        f"{name}={address.split('://')[0]}://…"
        for name, address in _given(settings)
        if Apprise.instantiate(address, suppress_exceptions=True) is None
    ]


def places(settings: Settings, namespace: str) -> list[str]:
    """Addresses of Apprise that a namespace is told at; none if it is told in its file."""
    given = list(_given(settings))
    own = [address for name, address in given if name == namespace]
    return own or [address for name, address in given if name == "*"]


def send(home: Home, settings: Settings, message: OutgoingMessage) -> Sent:
    """Tells it, once, at every place of its namespace.

    Raises:
        Exception: what a service's plugin raises: then nobody knows whether it was told.
    """
    message = message.plain()
    told, missed = list[str](), list[str]()
    addresses = places(settings, message.namespace)
    if not addresses:
        _append(told_in(home, message.namespace), message)
        return Sent(FILE)
    for address in addresses:
        kind = address.split("://")[0].lower()
        (told if _by_apprise(address, message) else missed).append(kind)
    if not told:
        return Sent("", f"{', '.join(missed)} took nothing")
    reached = ", ".join(told)
    return Sent(f"{reached}; not {', '.join(missed)}" if missed else reached)


def _by_apprise(address: str, message: OutgoingMessage) -> bool:
    from apprise import Apprise, AppriseAsset, NotifyFormat

    _silence()
    asset = AppriseAsset(app_id="Cairn", app_desc="Cairn", async_mode=False, http_redirects=False)
    service = Apprise(asset=asset)
    return service.add(address) and bool(
        service.notify(
            body=message.body or message.title, title=message.title, body_format=NotifyFormat.TEXT
        )
    )


def _silence() -> None:
    """It logs addresses, and what services answer, with what is secret in them."""
    logging.getLogger("apprise").setLevel(logging.CRITICAL)


def told_in(home: Home, namespace: str) -> Path:
    """The file in which a namespace is told, one JSON object a line."""
    return home.root / "notifications" / f"{check_namespace(namespace)}.jsonl"


def _append(file: Path, message: OutgoingMessage) -> None:
    line = {
        "at": message.at.isoformat(),
        "record_id": message.record_id,
        "begun_id": message.begun_id,
        "title": message.title,
        "statements": message.statements,
        "image_url": message.image_url,
    }
    file.parent.mkdir(mode=0o700, exist_ok=True)
    append_lines(file, json.dumps(line, ensure_ascii=False).encode() + b"\n")


def forget_told(home: Home, namespace: str, gone: Container[str] | None) -> None:
    """Takes lines out of the file of a namespace: those of these records, or all of them.

    What a crash left of a line goes with any: nobody knows what it is of.
    """
    file = told_in(home, namespace)
    if not file.exists():
        return
    if gone is None:
        file.unlink()
        return
    lines = file.read_bytes().split(b"\n")
    kept = [
        line for line in lines if (ids := _records(line)) and not any(map(gone.__contains__, ids))
    ]
    replace_file(file, b"".join(line + b"\n" for line in kept), 0o600)


def _records(line: bytes) -> list[str]:
    """Ids of a line's records; none of what a crash left of one."""
    try:
        told = json.loads(line)
        return [told["record_id"], told.get("begun_id", "")]
    except (ValueError, KeyError, TypeError, AttributeError):
        return []
