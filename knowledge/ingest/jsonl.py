"""From the bytes of a log file to JSON payloads, whatever state the file is in."""

import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

import msgspec

from cairn.knowledge.ingest.adapter import Adapter, Head

SAMPLE = 20
"""Objects by which a kind of data is recognised."""
SAMPLE_LINES = 400
"""Lines searched for them: what has no object there is no log."""
NOWHERE = Head(None, session=False, native_id=None, time=None)
"""Head of a line that tells nothing of its place: it takes its neighbour's."""

_BOM = "\ufeff".encode()
_BLANK = b" \t\r\n\0" + _BOM
_GAP = re.compile("[ \t\r\n\ufeff]*")
_INK = re.compile(rb"\S")
_LENIENT = json.JSONDecoder(
    strict=False,
    parse_constant=lambda _name: None,
    parse_float=lambda text: number if math.isfinite(number := float(text)) else None,
)
_KINDS = {list: "an array", str: "a string", bool: "true or false", type(None): "null"}


class DamagedObject(NamedTuple):
    """A JSON object found on a damaged line, and its byte offset there."""

    offset: int
    payload: bytes


class Fault(NamedTuple):
    """What could not be read: where, and why in words that quote nothing of it."""

    line: int
    offset: int
    reason: str


@dataclass
class Payloads:
    """JSON payloads of a file with the places they came from, as parallel lists.

    `lines` count from 0 and `offsets` are bytes, both from the start of what was read. `as_read`
    says that each payload stands in the file as it is here, at its offset; `mended` holds the
    indices of those that do not.
    """

    payloads: list[bytes] = field(default_factory=list[bytes])
    heads: list[Head] = field(default_factory=list[Head])
    lines: list[int] = field(default_factory=list[int])
    offsets: list[int] = field(default_factory=list[int])
    faults: list[Fault] = field(default_factory=list[Fault])
    mended: set[int] = field(default_factory=set[int])
    as_read: bool = True

    def add(self, payload: bytes, head: Head, line: int, offset: int) -> None:
        """Append one payload."""
        self.payloads.append(payload)
        self.heads.append(head)
        self.lines.append(line)
        self.offsets.append(offset)


def objects_on(line: bytes) -> Iterator[DamagedObject | Fault]:
    """JSON objects on a line that did not decode as one, in order, and what else stands there.

    Objects glued together come one by one. NUL runs and a byte order mark are left out, invalid
    UTF-8 and lone surrogates become U+FFFD, raw control characters in strings are escaped. What
    follows the first unreadable place is one fault: an object inside a torn one is not a record.
    """
    text = line.replace(b"\0", b"").decode("utf-8", "surrogateescape")
    position = _end_of_gap(text, 0)
    while position < len(text):
        offset = len(text[:position].encode("utf-8", "surrogateescape"))
        try:
            value, end = _LENIENT.raw_decode(text, position)
        except json.JSONDecodeError as error:
            yield Fault(0, offset, f"not JSON: {error.msg}")
            return
        except (ValueError, RecursionError) as error:
            why = "nested too deeply" if isinstance(error, RecursionError) else type(error).__name__
            yield Fault(0, offset, f"not JSON that can be held: {why}")
            return
        if isinstance(value, dict):
            yield DamagedObject(offset, _strict(text[position:end], value))
        else:
            yield Fault(0, offset, _no_object(value))
        position = _end_of_gap(text, end)


def is_blank(data: bytes) -> bool:
    """Whether there is nothing but white space, NULs and a byte order mark."""
    return not data[:1000].strip(_BLANK) and not data.strip(_BLANK)


def document(data: bytes) -> tuple[bool, Any]:
    """Whether all of `data` is one JSON value, and that value.

    A file of several lines whose first one is a value of its own is not a document.
    """
    start = len(data) - len(data[:1000].lstrip(_BLANK)) - len(data[1000:])
    newline = data.find(b"\n", start)
    several = newline >= 0 and _INK.search(data, newline) is not None
    if several and _value(data[start:newline]) is not None:
        return False, None
    value = _value(data[start:])
    return value is not None, value


def unfinished(data: bytes) -> bool:
    """Whether `data` is the beginning of one JSON value that still goes on."""
    try:
        msgspec.json.decode(data.strip(_BLANK))
    except msgspec.DecodeError as error:
        return "truncated" in str(error)
    except (ValueError, RecursionError):
        return False
    return False


def complete_length(data: bytes) -> int:
    """Bytes up to the end of the last line that is whole; one without newline may be.

    A last line that does not decode is still being written; what follows it is for later.
    """
    if data.endswith(b"\n"):
        return len(data)
    start = data.rfind(b"\n") + 1
    last = data[start:]
    if not last.strip():
        return len(data)
    found = list(objects_on(last))
    whole = bool(found) and all(isinstance(item, DamagedObject) for item in found)
    return len(data) if whole else start


def sample(data: bytes) -> list[dict[str, Any]]:
    """The first objects of a file of lines, at most `SAMPLE`."""
    return list(islice(_objects(islice(_lines(data), SAMPLE_LINES)), SAMPLE))


def decoded_lines(data: bytes, adapter: Adapter) -> Payloads:
    """Payloads of a file of lines, split on the newline byte only."""
    out = Payloads(as_read=not adapter.lines_packed)
    head, packed = adapter.head, adapter.lines_packed
    offset = 0
    for number, line in enumerate(data.split(b"\n")):
        try:
            found = NOWHERE if packed else head(line)
            value = msgspec.json.decode(line) if packed else None
        except (ValueError, RecursionError):
            _mend(out, line, number, offset, adapter)
        else:
            if packed:
                _unpacked(out, value, number, offset, adapter)
            else:
                out.add(line, found, number, offset)
        offset += len(line) + 1
    out.payloads = [payload.strip() for payload in out.payloads]
    return out


def decoded_document(value: Any, data: bytes, adapter: Adapter) -> Payloads:
    """Payloads of a file that is one JSON value; one that is its own payload stays as it is."""
    out = Payloads(as_read=False)
    if adapter.unpack is not None and not _is_own_payload(value, adapter.unpack):
        _unpacked(out, value, 0, 0, adapter)
        return out
    payload = data.strip(_BLANK)
    if not _is_strict(payload):
        payload = msgspec.json.encode(value)
    out.add(payload, head_of(adapter, payload), 0, 0)
    return out


def head_of(adapter: Adapter, payload: bytes) -> Head:
    """Head of a payload; one whose fields are of other types than expected tells no place."""
    try:
        return adapter.head(payload)
    except (ValueError, RecursionError):
        return NOWHERE


def _lines(data: bytes) -> Iterator[bytes]:
    """Lines one by one, so that a look at the first ones does not split all."""
    start = 0
    while start <= len(data):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        yield data[start:end]
        start = end + 1


def _objects(lines: Iterator[bytes]) -> Iterator[dict[str, Any]]:
    for line in lines:
        try:
            value = msgspec.json.decode(line)
        except (ValueError, RecursionError):
            pieces = [item.payload for item in objects_on(line) if isinstance(item, DamagedObject)]
            yield from (msgspec.json.decode(payload) for payload in pieces)
        else:
            if isinstance(value, dict):
                yield value


def _is_own_payload(value: Any, unpack: Callable[[Any], Iterator[Any]]) -> bool:
    """Whether unpacking gives the value itself: a file of lines that has one line so far."""
    try:
        return next(unpack(value), None) is value
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        return False


def _mend(out: Payloads, line: bytes, number: int, offset: int, adapter: Adapter) -> None:
    """Add what a line holds that did not decode as it stands."""
    for item in objects_on(line):
        if isinstance(item, Fault):
            out.faults.append(Fault(number, offset + item.offset, item.reason))
        elif adapter.lines_packed:
            value = msgspec.json.decode(item.payload)
            _unpacked(out, value, number, offset + item.offset, adapter)
        else:
            out.mended.add(len(out.payloads))
            head = head_of(adapter, item.payload)
            out.add(item.payload, head, number, offset + item.offset)


def _unpacked(out: Payloads, value: Any, number: int, offset: int, adapter: Adapter) -> None:
    """Add the payload objects that a value holds."""
    if adapter.unpack is None:
        return
    try:
        for item in adapter.unpack(value):
            if not isinstance(item, dict):
                out.faults.append(Fault(number, offset, _no_object(item)))
                continue
            payload = msgspec.json.encode(item)
            out.add(payload, head_of(adapter, payload), number, offset)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        reason = f"{adapter.name} could not unpack it: {type(error).__name__}"
        out.faults.append(Fault(number, offset, reason))


def _no_object(value: Any) -> str:
    return f"not an object but {_KINDS.get(type(value), 'a number')}"


def _value(data: bytes) -> Any:
    """The JSON value that `data` is, damaged text mended; None if it is none."""
    try:
        return msgspec.json.decode(data.strip(_BLANK))
    except (ValueError, RecursionError):
        text = data.strip(_BLANK).decode("utf-8", "replace")
    try:
        value, end = _LENIENT.raw_decode(text)
    except (ValueError, RecursionError):
        return None
    whole = _end_of_gap(text, end) == len(text)
    return json.loads(_strict(text[:end], value)) if whole else None


def _strict(text: str, value: Any) -> bytes:
    """A decoded value as JSON that every reader takes: as it was written, if that will do."""
    written = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace").encode()
    if _is_strict(written):
        return written
    dumped = json.dumps(value, ensure_ascii=False)
    return dumped.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


def _is_strict(payload: bytes) -> bool:
    try:
        payload.decode()
        msgspec.json.decode(payload)
    except (ValueError, RecursionError):
        return False
    return True


def _end_of_gap(text: str, position: int) -> int:
    gap = _GAP.match(text, position)
    return gap.end() if gap else position
