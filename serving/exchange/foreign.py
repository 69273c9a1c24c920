"""What other programs remembered, and files of notes, as statements: one by one, with where from.

What kind a file is, is told by its content. Whatever it says is data.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cairn.knowledge.extraction.documents import FENCE, note_sentences
from cairn.knowledge.ingest.inbox_events.documents import NamedInText
from cairn.knowledge.ingest.inbox_events.imported import ImportedMemory
from cairn.knowledge.nlp.markup import FRONT_MATTER
from cairn.knowledge.nlp.spans import asks
from cairn.serving.exchange.claude_mem import claude_mem, is_sqlite
from cairn.serving.exchange.folder import ExchangeError
from cairn.serving.exchange.memories import ForeignMemories, ForeignMemory, instant, texts
from cairn.serving.exchange.pack import is_pack, pack_of

NOTES = frozenset({".md", ".markdown", ".txt", ".mdc"})
LARGEST = 512 * 1024 * 1024


def read_foreign(file: Path, kind: str | None = None) -> ForeignMemories:
    """Statements of a file of another program.

    Args:
        file: mem0's, Zep's or Graphiti's JSON, claude-mem's SQLite, or notes as Markdown.
        kind: One of KINDS, where its content is not to tell it.

    Raises:
        ExchangeError: it cannot be read, or is none of these.
    """
    try:
        if kind == "claude-mem" or (kind is None and is_sqlite(file)):
            return claude_mem(file)
        if file.stat().st_size > LARGEST:
            raise ExchangeError(f"{file} is too large to be a file of notes or memories")
        content = file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ExchangeError(f"{file} is neither text nor SQLite") from None
    except OSError as error:
        raise ExchangeError(f"{file}: {error.strerror or error}") from None
    if kind == "notes" or (kind is None and file.suffix.lower() in NOTES):
        return notes(content, file)
    value = _json(content, file)
    for name, (recognises, read) in _JSON.items():
        if kind == name or (kind is None and recognises(value)):
            return read(value, file)
    raise ExchangeError(
        f"{file} is of no known kind ({', '.join(KINDS)}): say which with --from, or give a text"
        " to `cairn ingest`"
    )


def notes(content: str, file: Path) -> ForeignMemories:
    """Bullets and sentences of prose of a CLAUDE.md or AGENTS.md, about the project of its folder.

    Headings are context; front matter, code, tables, comments, open to-dos, quotations of other
    files and questions are left out.
    """
    project = file.resolve().parent.name
    about = NamedInText(project, "project") if project else None
    modified = datetime.fromtimestamp(file.stat().st_mtime, UTC)
    label = f"{file.name} of {project}" if project else file.name
    found = [
        ForeignMemory(text, ImportedMemory("notes", label, about=about, heading=heading), modified)
        for heading, text in note_sentences(_prose(content))
        if not text.startswith("@") and not asks(text)
    ]
    return ForeignMemories("notes", label, tuple(found))


def _unwrapped(content: str) -> str:
    """Markdown whose paragraphs and bullets are one line each, without its code."""
    lines: list[str] = []
    code = wraps = False
    for line in content.splitlines():
        fence = FENCE.match(line) is not None
        code ^= fence
        if code or fence:
            wraps = False
        elif wraps and line.strip() and not _BEGINS.match(line):
            lines[-1] += " " + line.strip()
        else:
            lines.append(line)
            wraps = bool(line.strip()) and not line.lstrip().startswith(("#", "|", "@"))
    return "\n".join(lines)


def _prose(content: str) -> str:
    """As `_unwrapped`, without what is no prose: front matter, comments, tables, open to-dos."""
    lines = _unwrapped(FRONT_MATTER.sub("", content))
    return _NO_PROSE.sub("", _COMMENT.sub("", lines))


_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_NO_PROSE = re.compile(
    r"^[ \t]*\|.*$|^[ \t]*[-*+][ \t]+\[ \][ \t].*$"
    r"|(?<=\n\n)(?:(?:\t|[ ]{4,})(?![-*+•]|\d{1,3}[.)]).*\n?)+",
    re.MULTILINE,
)


def mem0(value: Any, file: Path) -> ForeignMemories:
    """`results` of mem0's get_all or of an export of it; what was deleted there is left out."""
    found: list[ForeignMemory] = []
    skipped = 0
    for row in _rows(value, "results", "memories"):
        text = row.get("memory") or row.get("text")
        if row.get("event") == "DELETE" or not isinstance(text, str) or not text.strip():
            skipped += 1
            continue
        whose = next((str(row[name]) for name in _WHOSE if isinstance(row.get(name), str)), "")
        told = ImportedMemory(
            "mem0",
            whose,
            _text(row.get("id")),
            tags=tuple(texts(row.get("categories"))),
        )
        end = instant(row.get("expiration_date"))
        at = instant(row.get("updated_at")) or instant(row.get("created_at"))
        found.append(ForeignMemory(_while(text, None, end), told, at))
    return ForeignMemories("mem0", file.name, tuple(found), skipped)


def graphiti(value: Any, file: Path) -> ForeignMemories:
    """Edges of Zep or Graphiti, each about its source node, with the time in which it held."""
    rows = list(_rows(value, "edges", "facts"))
    nodes = {
        str(row.get("uuid")): row
        for row in (value.get("nodes") if isinstance(value, dict) else None) or []
        if isinstance(row, dict)
    }
    found: list[ForeignMemory] = []
    skipped = 0
    for row in rows:
        text = row.get("fact")
        if not isinstance(text, str) or not text.strip():
            skipped += 1
            continue
        node = nodes.get(str(row.get("source_node_uuid")), {})
        name = _text(node.get("name")) or _text(row.get("source_node_name"))
        labels = texts(node.get("labels") or row.get("source_node_labels"))
        types = [_TYPES[one.casefold()] for one in labels if one.casefold() in _TYPES]
        start = instant(row.get("valid_at"))
        end = instant(row.get("invalid_at")) or instant(row.get("expired_at"))
        told = ImportedMemory(
            "graphiti",
            _text(row.get("group_id")) or _text(row.get("graph_id")) or "",
            _text(row.get("uuid")),
            about=NamedInText(name, [*types, "topic"][0]) if name else None,
            tags=tuple(texts([row.get("name")])),
        )
        at = instant(row.get("created_at")) or start
        found.append(ForeignMemory(_while(text, start, end), told, at))
    return ForeignMemories("graphiti", file.name, tuple(found), skipped)


def pack(value: Any, file: Path) -> ForeignMemories:
    """Statements of a pack that a colleague shared, about its project."""
    found = pack_of(value, file)
    label = f"pack of {found.project}"
    made = instant(found.made_at)
    about = NamedInText(found.project, "project")
    memories = [
        ForeignMemory(
            one.text,
            ImportedMemory("pack", found.project, about=about, tags=(one.kind,)),
            instant(one.last_seen) or made,
        )
        for one in found.statements
    ]
    return ForeignMemories("pack", label, tuple(memories))


def _while(text: str, start: datetime | None, end: datetime | None) -> str:
    """A statement with the time in which it held, in words that say so: nothing else would."""
    if end is None:
        return text
    since = f"from {start:%Y-%m-%d} " if start and start < end else ""
    return f"{text.strip().rstrip('.')}, {since}until {end:%Y-%m-%d}."


def _json(content: str, file: Path) -> Any:
    """A value, or a list of the values of lines."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        try:
            return [json.loads(line) for line in content.splitlines() if line.strip()]
        except (ValueError, RecursionError):
            raise ExchangeError(f"{file} is no valid JSON: {error}") from None


def _rows(value: Any, *names: str) -> Iterator[Mapping[str, Any]]:
    """Objects of a list, or of the first of these fields that is one."""
    if isinstance(value, dict):
        value = next((value[name] for name in names if isinstance(value.get(name), list)), [])
    yield from (row for row in value if isinstance(row, dict))


def _text(value: Any) -> str | None:
    return value.strip() or None if isinstance(value, str) else None


def _has(*names: str, within: Sequence[str]) -> Callable[[Any], bool]:
    """Whether most objects of a value have one of these fields, as a text."""

    def recognises(value: Any) -> bool:
        rows = list(_rows(value, *within)) if isinstance(value, (dict, list)) else []
        fit = sum(any(isinstance(row.get(name), str) for name in names) for row in rows)
        return bool(rows) and 2 * fit > len(rows)

    return recognises


_BEGINS = re.compile(r"^\s*(?:[-*+•>#|@]|\d{1,3}[.)]\s|<!--)")
"""How a line begins that goes on with none before it."""
_WHOSE = ("user_id", "agent_id", "app_id", "run_id")
_TYPES = {
    "person": "person", "user": "person", "project": "project", "tool": "tool",
    "software": "tool", "package": "package", "system": "system", "host": "host",
}  # fmt: skip
"""Labels of nodes that Cairn has a type for."""
_JSON: Mapping[str, tuple[Callable[[Any], bool], Callable[[Any, Path], ForeignMemories]]] = {
    "pack": (is_pack, pack),
    "graphiti": (_has("fact", within=("edges", "facts")), graphiti),
    "mem0": (_has("memory", within=("results", "memories")), mem0),
}
KINDS = (*_JSON, "claude-mem", "notes")
