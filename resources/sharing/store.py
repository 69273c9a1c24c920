"""The place that homes share: a folder, or an object store."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from operator import methodcaller
from pathlib import Path
from typing import Any, NamedTuple

from cairn.resources.home.damage import first_line
from cairn.resources.home.home import HomeError

RETRIES = {"max_retries": 5, "retry_timeout": timedelta(seconds=20)}
"""How long a request goes on that a store does not answer, or answers by an error of its own."""


_SECRET = re.compile(r"(?<=//)[^/@\s]+(?=@)|(?<=\?)[^\s):]+")
"""In an address: who asks, and what is asked, which may be signed."""


class StoredObject(NamedTuple):
    """Something in a store."""

    name: str
    size: int
    modified: datetime


@dataclass(frozen=True)
class SharedStore:
    """Objects by name; one that is put is there as a whole or not at all.

    What it cannot do is a `HomeError` that names it; what is not there, a `FileNotFoundError`.
    """

    address: str
    """A folder; or an object store, as `s3://bucket/folder`."""
    options: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """Of the object store, as `AWS_REGION`, in letters of any size."""

    def get(self, name: str) -> bytes:
        """What an object holds."""
        return self._asked(lambda store: bytes(store.get(name).bytes()))

    def get_ranges(self, name: str, ranges: Collection[tuple[int, int]]) -> Sequence[bytes]:
        """Parts of an object, by where each begins and how long it is; near ones by one request."""
        starts, lengths = zip(*ranges, strict=True) if ranges else ((), ())
        found = self._asked(lambda store: store.get_ranges(name, starts=starts, lengths=lengths))
        return [bytes(each) for each in found]

    def put(self, name: str, content: bytes | Path) -> None:
        """Puts an object, in place of one that is there."""
        self._asked(lambda store: store.put(name, content))

    def put_new(self, name: str, content: bytes) -> bool:
        """Puts an object where none is; whether it was this call that did."""
        from obstore.exceptions import AlreadyExistsError

        def put(store: Any) -> bool:
            try:
                store.put(name, content, mode="create")
            except AlreadyExistsError:
                return False
            return True

        # Where the answer was lost, it was asked for once more.
        return self._asked(put) or self.get(name) == content

    def listed(self, folder: str, after: str | None = None) -> list[StoredObject]:
        """What is in a folder and those in it, by name; only what comes after a name in it."""
        offset = f"{folder}/{after}" if after else None
        found = self._asked(lambda store: store.list(f"{folder}/", offset=offset).collect())
        named = [StoredObject(one["path"], one["size"], one["last_modified"]) for one in found]
        return sorted(named)

    def folders(self) -> list[str]:
        """Names of the folders at its root."""
        return sorted(self._asked(lambda store: store.list_with_delimiter())["common_prefixes"])

    def delete(self, names: Collection[str]) -> None:
        """Removes objects, as far as they are there."""
        try:
            self._asked(lambda store: store.delete([*names]))
        except FileNotFoundError:  # a folder gives up at the first
            for name in names:
                with suppress(FileNotFoundError):
                    self._asked(methodcaller("delete", name))

    def clean(self, folder: str) -> None:
        """Removes what a kill left of objects that were being put, where the store is a folder."""
        address = self.address.removeprefix("file://")
        if "://" not in address:
            for path in (Path(address).expanduser() / folder).rglob("*#*"):
                path.unlink(missing_ok=True)

    @cached_property
    def _opened(self) -> Any:
        from obstore.store import LocalStore, from_url

        address = self.address.removeprefix("file://")
        if "://" not in address:
            folder = Path(address).expanduser()
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            return LocalStore(folder, automatic_cleanup=True)
        given: dict[str, Any] = {name.lower(): value for name, value in self.options.items()}
        plain = [given.pop(f"{of}allow_http", "") for of in ("aws_", "azure_", "")]
        # Who gives an address without encryption means it.
        insecure = any(each.startswith("http://") for each in given.values())
        allowed = insecure or "true" in map(str.lower, plain)
        client = {"allow_http": allowed, "connect_timeout": "5s"}
        open_url: Any = from_url  # its options are typed for each kind of store
        return open_url(self.address, config=given, client_options=client, retry_config=RETRIES)

    def _asked(self, ask: Callable[[Any], Any]) -> Any:
        from obstore.exceptions import BaseError

        try:
            return ask(self._opened)
        except FileNotFoundError:
            raise
        except (BaseError, OSError, ValueError) as error:
            found = f"{self.address}, which homes share, cannot be used: {_reason(error)}"
            raise HomeError(_SECRET.sub("…", found)) from error


def _reason(error: Exception) -> str:
    """Why something was refused, without how often it was asked for."""
    text = first_line(error, 2_000)
    asked, told, why = text.partition(" - ")
    return f"{why} ({asked.partition(' in ')[0].rpartition('performing ')[2]})" if told else text
