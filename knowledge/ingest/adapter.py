"""What an adapter is: how one kind of source is recognised and read."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple


class Head(NamedTuple):
    """What intake must know of a line: enough to place it, without reading all of it."""

    thread: str | None
    """Native session id, or name of the channel; None takes the nearest line's in its file."""
    session: bool
    """Whether `thread` is a native session; a channel is cut where it was silent."""
    native_id: str | None
    """The source's own id of the line, or its place in a document; unique in the namespace."""
    time: str | None
    """As the source has it: ISO 8601, without an offset in its timezone; or a number since 1970."""
    ordinal: int | None = None
    """Place within its document, where the source is one document."""
    silent: bool = False
    """Whether `events` gives nothing for it, by its kind alone: then it is not asked at all."""


class Event(NamedTuple):
    """One message, call, result, … within a line. A line may hold none, one or several."""

    kind: str
    """message, thinking, tool_call, tool_result, search, command, reaction, note, summary,
    decision, document, knowledge, imported or effect."""
    origin: str
    """human, agent, tool, system, recalled or external."""
    text: str = ""
    role: str | None = None
    """Role in the source's own words: user, assistant, system, tool, …"""
    block: int = 0
    """Place of this event within its line."""
    parent_id: str | None = None
    name: str | None = None
    """Name of the speaker."""
    trigger: str | None = None
    """user_message, learn_command or enrichment; None is filled from the episode."""
    tool_name: str | None = None
    tool_input: str | None = None
    """JSON object: input of a call, or attributes of a search, reaction or command."""
    call_id: str | None = None
    """Links a call and its result."""
    is_error: bool = False
    model: str | None = None
    cwd: str | None = None
    sidechain: bool = False
    reply_to: str | None = None
    """Native id of the message that a reaction answers."""
    proactive: bool = False
    branch: str | None = None
    """Branch that was checked out, where the source says so."""


@dataclass(frozen=True)
class Adapter:
    """How one kind of source is recognised and read.

    `recognises` gets the first decoded objects of a file (at most 20; a document that is one JSON
    value comes as a list of that one) and says whether they are its kind. `head` and `events` get
    one stored payload (JSON bytes). `unpack` turns a file that is one document, or an object
    that holds many messages, into payload objects, each complete in itself; None where a line is
    a payload as it stands. In a file of several lines it is asked only if `lines_packed` says that
    each of them holds many messages. `one_session` says that a file is one session, whatever its
    later lines say. `version` rises when its output changes; `rank` orders who is asked first, the
    most particular formats at 0 and the plain form last.
    """

    name: str
    version: int
    about: str
    recognises: Callable[[list[Any]], bool]
    head: Callable[[bytes], Head]
    events: Callable[[bytes], Iterable[Event]]
    unpack: Callable[[Any], Iterator[Any]] | None = None
    rank: int = 5
    lines_packed: bool = False
    one_session: bool = False

    @property
    def fingerprint(self) -> str:
        """Names what it gives."""
        return f"{self.name}@{self.version}"
