"""What another program, or a file of notes, remembered: one statement an event, with where from.

It is no person's word, whoever said it there: who imports it vouches for nothing in it.
"""

from typing import Any

import msgspec

from cairn.knowledge.ingest.inbox_events.documents import NamedInText

IMPORTED = "imported"
"""Kind of such a row of raw_logs, and type of the event."""


class ImportedMemory(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is told of a statement beside its text."""

    program: str = ""
    """mem0, graphiti, claude-mem, notes or pack."""
    source: str = ""
    """The file, the project or the person of whom it was kept there."""
    memory_id: str | None = None
    """Its id there."""
    about: NamedInText | None = None
    tags: tuple[str, ...] = ()
    heading: str | None = None
    """Under which it stood."""


_MEMORY = msgspec.json.Decoder(ImportedMemory)


def memory_of(tool_input: str | None) -> ImportedMemory:
    """What the `tool_input` of a row tells; nothing of one that cannot be read."""
    try:
        return _MEMORY.decode(tool_input or "")
    except msgspec.DecodeError:
        return ImportedMemory()


def memory_from(given: Any) -> ImportedMemory:
    """What an event tells; nothing if it has not the form of one."""
    try:
        return msgspec.convert(given, ImportedMemory)
    except msgspec.ValidationError:
        return ImportedMemory()
