"""Who asks, which namespaces they may know of, and the one reader that answers a request."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from cairn.resources.home.api_keys import AccessKey, Keyring
from cairn.resources.warehouse.publication import namespaces
from cairn.serving.http.errors import HttpRefused, NotThere
from cairn.serving.models.parameters import Parameters, moments
from cairn.serving.read.namespaces import Several, to_read, to_tell
from cairn.serving.read.reader import NothingPublished, Reader
from cairn.serving.retrieval.open_memory import Memory

BEARER = "bearer "
ASK_FOR_KEY = {"WWW-Authenticate": "Bearer"}


@dataclass(frozen=True)
class Caller:
    """Whoever asks: the holder of a key, or anyone on this machine where there is none."""

    key: AccessKey | None = None

    def may_know(self, namespace: str) -> bool:
        """Whether a namespace is there for them."""
        return self.key is None or namespace in self.key.namespaces

    @property
    def may_tell(self) -> bool:
        """Whether they may send events."""
        return self.key is None or not self.key.read_only


@dataclass(frozen=True)
class HttpGate:
    """Whether a request needs a key, and whose it is."""

    keyring: Keyring
    local: bool
    """The server listens on this machine alone, and may go without keys."""

    @property
    def open(self) -> bool:
        """Whether whoever can reach the server may ask.

        Raises:
            KeyListError: the list of keys cannot be read: then nobody may.
        """
        return self.local and not self.keyring.keys()

    def caller(self, authorization: str | None) -> Caller:
        """The one who sends such a header.

        Raises:
            Refused: they need a key, and have none that opens anything.
            KeyListError: the list of keys cannot be read.
        """
        if self.open:
            return Caller()
        given = authorization or ""
        if not given.lower().startswith(BEARER):
            raise HttpRefused(401, "a key is needed: Authorization: Bearer …", ASK_FOR_KEY)
        key = self.keyring.whose(given[len(BEARER) :].strip())
        if key is None:
            raise HttpRefused(401, "the key opens nothing", ASK_FOR_KEY)
        return Caller(key)


@dataclass(frozen=True)
class Access:
    """What one request may see."""

    request: Request
    memory: Memory
    caller: Caller

    def known(self) -> list[str]:
        """Namespaces that are published and that the caller may know of."""
        there = self.memory.state.readable_namespaces()
        return [name for name in there if self.caller.may_know(name)]

    def measured(self) -> list[str]:
        """The same, and those in which something waits and nothing is published."""
        state = self.memory.state
        there = {*state.readable_namespaces(), *state.namespaces()}
        return sorted(name for name in there if self.caller.may_know(name))

    def namespace(self, wanted: str | None) -> str:
        """The published namespace that a request is about: the one it names, else the only one.

        Raises:
            NotThere: the caller may not know of it, or nothing is published there.
            Refused: it names none, and there are several.
        """
        there = self.known()
        try:
            found = wanted or to_read(there, self._preferred)
        except Several as several:
            raise _unchosen(several) from None
        if found is None:
            raise NotThere("nothing is published here yet")
        if found in there:
            self.memory.state.follow(found)
        if found not in there or found not in namespaces(self.memory.state.home):
            raise NotThere("nothing is published in that namespace")
        return self._noted(found)

    def inbox(self, wanted: str | None) -> str:
        """The namespace that an event is for, which need not be published yet.

        Raises:
            NotThere: the caller may not know of it.
            Refused: it names none, and there are several; or the caller may send no events.
        """
        self.telling()
        key = self.caller.key
        try:
            found = wanted or (
                to_tell(self.known(), self._preferred)
                if key is None
                else to_read(key.namespaces, self._preferred)
            )
        except Several as several:
            raise _unchosen(several) from None
        if found is None or not self.caller.may_know(found):
            raise NotThere("nothing is published in that namespace")
        return self._noted(found)

    def telling(self) -> None:
        """Makes sure that the caller may send events.

        Raises:
            Refused: they may not.
        """
        if not self.caller.may_tell:
            raise HttpRefused(403, "the key is read-only: it sends no events")

    @property
    def _preferred(self) -> str | None:
        preferred = self.memory.state.settings.namespace
        return preferred if preferred and self.caller.may_know(preferred) else None

    def _noted(self, namespace: str) -> str:
        """Keeps the namespace for the metrics, now that the caller is known to know of it."""
        self.request.state.namespace = namespace
        return namespace

    def reader(self, wanted: Parameters) -> Reader:
        """The reader of a request: whatever is published meanwhile, it keeps to what it began with.

        Raises:
            NotThere: as `namespace`.
            Refused: as `namespace`.
        """
        try:
            return self.memory.reader(self.namespace(wanted.namespace), *moments(wanted))
        except NothingPublished:  # gone in this moment
            raise NotThere("nothing is published in that namespace") from None


def _unchosen(several: Several) -> HttpRefused:
    return HttpRefused(400, f"choose with `namespace`: {', '.join(several.names)}")


async def access(request: Request) -> Access:
    """What the request at hand may see.

    Raises:
        Refused: its body is no JSON. A browser lets any page send other kinds anywhere.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if request.method == "POST" and kind != "application/json":
        raise HttpRefused(415, "send JSON: content-type: application/json")
    return Access(request, request.app.state.memory, request.state.caller)


Asked = Annotated[Access, Depends(access)]
