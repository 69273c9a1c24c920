"""What is known as pages for people: one of each entity and project, linked, readable in Obsidian.

Words of logs are text and nothing else: whatever marks they have are escaped.
"""

import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl

from cairn.knowledge.consolidation.verdicts.standing import STANDING
from cairn.knowledge.llm.prompt_injection import without_orders
from cairn.knowledge.schema.identity import digest
from cairn.knowledge.schema.tables import BRIEFS
from cairn.serving.exchange.exporting import Tell, WrittenExport
from cairn.serving.exchange.folder import read_manifest, written
from cairn.serving.read.display import count, one_line
from cairn.serving.read.reader import Reader, best_first

QUOTES = 3
"""Quotes of a fact that a page shows."""
LONGEST_QUOTE, LONGEST_NAME = 400, 48
MOST_WORDS = 4
"""Words of a name that is looked for in a sentence."""

_MARKS = re.compile(r"([\\`*_{}\[\]#|~$=%^@])")
_LINKS = re.compile(r"(?i)\b(https?|ftp|file|obsidian|mailto)(:)|\b(www)(\.)")
_BULLET = re.compile(r"^(\d*)([-+.)])")
_WORD = re.compile(r"[\w.-]*\w")


@dataclass(frozen=True)
class NotePage:
    """A page on its way to a file."""

    path: str
    """Below the folder, without its ending."""
    name: str
    type: str
    head: Mapping[str, Any]
    facts: Sequence[Mapping[str, Any]] = ()
    lines: Sequence[tuple[str, str]] = field(default=())
    """Of a project, kind and text of its brief."""


def export_markdown(reader: Reader, target: Path, *, replace: bool, tell: Tell) -> WrittenExport:
    """Writes a page per entity that something is known of, one per project, and an index.

    Raises:
        ExchangeError: the folder cannot be written to.
    """
    with written(reader, target, "markdown", replace=replace) as folder:
        pages = _pages(reader)
        tell(count(len(pages), "page"))
        for kind in sorted({page.path.partition("/")[0] for page in pages}):
            (folder.path / kind).mkdir(mode=0o700)
        named = {page.name.casefold(): page for page in reversed(pages)}
        quotes = reader.sources([one["fact_id"] for page in pages for one in page.facts], QUOTES)
        for page in pages:
            text = "".join(f"{line}\n" for line in _page(page, named, quotes))
            folder.write(f"{page.path}.md", [text.encode()])
        index = "".join(f"{line}\n" for line in _index(reader, pages))
        folder.write("index.md", [index.encode()])
    target = target.absolute()
    return WrittenExport(target, read_manifest(target))


def escaped(text: str) -> str:
    """Words of a log on one line, as Markdown that says just them."""
    line = one_line(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    line = _MARKS.sub(r"\\\1", line)
    # A bare address would be a link.
    line = _LINKS.sub(lambda m: f"{m[1] or m[3]}\\{m[2] or m[4]}", line)
    # What begins a list does so at the beginning of a line alone.
    return _BULLET.sub(r"\1\\\2", line)


def file_name(name: str, id_: str) -> str:
    """A file's name: letters and digits of ASCII, and of the id, by which it is the only one."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    words = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:LONGEST_NAME].strip("-")
    tail = re.sub(r"[^a-z0-9]", "", id_.lower())[-12:]
    return f"{words}-{tail}" if words else tail


def _pages(reader: Reader) -> list[NotePage]:
    """Pages, those with the most facts first."""
    standing = reader.memory().filter(
        pl.col("status").is_in(STANDING), ~pl.col("event").fill_null(value=False)
    )
    about: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in best_first(standing).collect().iter_rows(named=True):
        about[row["entity_id"]].append(row)
    briefs: dict[str, list[tuple[str, str]]] = defaultdict(list)
    lines = reader.table(BRIEFS).collect().sort("project", "place")
    for project, kind, text in lines.select("project", "kind", "text").iter_rows():
        briefs[project].append((kind, text))
    entities = reader.top_entities().collect()
    pages: list[NotePage] = []
    for row in entities.iter_rows(named=True):
        id_, type_, name = row["entity_id"], row["type"], row["display_name"]
        facts = about.get(id_, [])
        told = briefs.pop(name, []) if type_ == "project" else []
        if not (facts or told):
            continue
        head = {
            "id": id_,
            "type": type_,
            "name": name,
            "aliases": [one for one in row["aliases"] or [] if one != name],
            "first_seen": row["first_seen"],
            "last_seen": row["last_seen"],
            "facts": len(facts),
        }
        folder = "projects" if type_ == "project" else "entities"
        pages.append(NotePage(f"{folder}/{file_name(name, id_)}", name, type_, head, facts, told))
    for name, told in briefs.items():
        id_ = digest(reader.namespace, "project", name)
        head = {"id": id_, "type": "project", "name": name, "aliases": [], "facts": 0}
        pages.append(NotePage(f"projects/{file_name(name, id_)}", name, "project", head, (), told))
    return pages


def _page(
    page: NotePage, named: Mapping[str, NotePage], quotes: Mapping[str, Sequence[Mapping[str, Any]]]
) -> Iterator[str]:
    yield from _front_matter(page.head)
    yield from ("", f"# {escaped(page.name)}", "", "Back to [[index]].")
    for kind in dict.fromkeys(kind for kind, _ in page.lines):
        yield from ("", f"## {kind.capitalize()}", "")
        yield from (f"- {_linked(text, page, named)}" for own, text in page.lines if own == kind)
    if page.facts:
        yield from ("", "## Facts", "")
    for fact in page.facts:
        since = fact["first_seen"]
        day = f", since {since:%Y-%m-%d}" if since else ""
        yield f"- {_linked(fact['content'], page, named)} ({fact['effective']:.2f}{day})"
        for quote in quotes.get(fact["fact_id"], ()):
            yield f"    - {_quoted(quote)}"


def _quoted(quote: Mapping[str, Any]) -> str:
    """A quote with where it is from."""
    said = without_orders(str(quote["quote"] or ""), "agent")
    words = escaped(one_line(said, LONGEST_QUOTE))
    at = quote["occurred_at"]
    where = f"{escaped(str(quote['file']))}:{quote['line']}"
    return f"“{words}”, {where}" + (f", {at:%Y-%m-%d %H:%M}" if at else "")


def _linked(text: str, page: NotePage, named: Mapping[str, NotePage]) -> str:
    """A sentence, and behind it links to the pages of what it names."""
    words = _WORD.findall(one_line(text).casefold())
    found: dict[str, NotePage] = {}
    for start in range(len(words)):
        for end in range(min(len(words), start + MOST_WORDS), start, -1):
            other = named.get(" ".join(words[start:end]))
            if other is not None and other.path != page.path:
                found.setdefault(other.path, other)
                break
    links = " ".join(map(_link, found.values()))
    return f"{escaped(text)} → {links}" if links else escaped(text)


def _link(page: NotePage) -> str:
    """A link of Obsidian; what would end it, or be a tag of HTML, is left out of its words."""
    shown = re.sub(r"[\[\]|<>#^\\]+", " ", one_line(page.name, LONGEST_NAME)).strip()
    return f"[[{page.path}|{shown or page.path}]]"


def _front_matter(head: Mapping[str, Any]) -> Iterator[str]:
    """YAML whose values are JSON, which is YAML, so that no text of a log is anything else."""
    yield "---"
    for name, value in head.items():
        if value is not None:
            yield f"{name}: {json.dumps(_plain(value))}"
    yield "---"


def _plain(value: Any) -> Any:
    """A value of JSON; texts on one line."""
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, datetime):
        return value.isoformat()
    return one_line(value) if isinstance(value, str) else value


def _index(reader: Reader, pages: Iterable[NotePage]) -> Iterator[str]:
    by_type: dict[str, list[NotePage]] = defaultdict(list)
    for page in pages:
        by_type[page.type].append(page)
    watermark = reader.manifest.watermark
    yield from _front_matter({"namespace": reader.namespace, "as_of": watermark})
    yield from ("", f"# {escaped(reader.namespace)}")
    for type_ in sorted(by_type, key=lambda one: (one != "project", one)):
        yield from ("", f"## {type_.capitalize()}", "")
        mine = sorted(by_type[type_], key=lambda page: (page.name.casefold(), page.path))
        yield from (f"- {_link(page)} ({count(len(page.facts), 'fact')})" for page in mine)
