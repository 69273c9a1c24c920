"""A pack: what is known of one project, for a colleague, without people, secrets and machines."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import polars as pl

from cairn.knowledge.consolidation.verdicts.standing import STANDING
from cairn.knowledge.practices.briefs.brief import FACT, KINDS
from cairn.knowledge.schema.tables import BRIEFS, CONVERSATIONS, PROJECTS, RAW_LOGS
from cairn.resources.home.atomic_files import replace_file
from cairn.serving.exchange.folder import ExchangeError
from cairn.serving.exchange.share_rules import PUBLIC, ShareRules, users_in
from cairn.serving.query.work import project_called
from cairn.serving.read.reader import Reader

FORMAT, VERSION = "cairn-pack", 1
BRIEFED = {
    "practice": "practice", "directive": "convention", "error": "error", "fact": "fact",
    "place": "fact",
}  # fmt: skip
"""Lines of a brief that go, and what they are in a pack. What was refused or done last is a
person's own."""


class PackStatement(msgspec.Struct, frozen=True):
    """One thing that is known."""

    kind: str
    """practice, convention, error, fact or lesson."""
    text: str
    last_seen: str | None = None
    """Day."""


class KnowledgePack(msgspec.Struct, frozen=True, kw_only=True):
    """The file."""

    format: str = FORMAT
    version: int = VERSION
    project: str
    made_at: str
    cairn: str
    statements: list[PackStatement]


class LeftOut(NamedTuple):
    """A statement that does not go, and why."""

    why: str
    kind: str
    text: str


class PreparedPack(NamedTuple):
    """What would be written, and what not."""

    pack: KnowledgePack
    left_out: Sequence[LeftOut]
    changed: int
    """Statements whose paths were shortened."""

    @property
    def kinds(self) -> dict[str, int]:
        """How many go, by kind."""
        return dict(Counter(one.kind for one in self.pack.statements))

    @property
    def reasons(self) -> dict[str, int]:
        """How many do not, by reason."""
        return dict(Counter(one.why for one in self.left_out))


def prepare_pack(reader: Reader, project: str) -> PreparedPack:
    """What is known of a project and may be shared; nothing is written.

    Raises:
        UnknownId: no project is called that.
        ExchangeError: nothing of it may be shared.
    """
    name = project_called(reader, project)
    folders = reader.table(PROJECTS).filter(pl.col("name") == name).collect()
    own = sorted({*folders["folder"], *folders["project"]})
    rules = _rules(reader, own)
    kept: dict[str, PackStatement] = {}
    left_out: list[LeftOut] = []
    changed = 0
    for kind, text, last_seen in _known(reader, name, own):
        cleaned = rules.cleaned(" ".join(text.split()))
        if (why := rules.refuses(cleaned)) is not None:
            left_out.append(LeftOut(why, kind, text))
        elif cleaned not in kept:
            changed += cleaned != " ".join(text.split())
            kept[cleaned] = PackStatement(
                kind, cleaned, f"{last_seen:%Y-%m-%d}" if last_seen else None
            )
    if not kept:
        raise ExchangeError(f"of project {name} nothing is known that may be shared")
    pack = KnowledgePack(
        project=name,
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        cairn=version("cairn-logs"),
        statements=list(kept.values()),
    )
    if (why := rules.refuses(name)) is not None:
        raise ExchangeError(f"the name of project {name} is that of {why}: it is not shared")
    return PreparedPack(pack, left_out, changed)


def write_pack(prepared: PreparedPack, file: Path) -> None:
    """Writes a pack: whole, or not at all.

    Raises:
        ExchangeError: something else stands there.
    """
    if file.exists() and not _is_pack_of(file, prepared.pack.project):
        raise ExchangeError(f"{file} is there, and is no pack of {prepared.pack.project}")
    file.parent.mkdir(parents=True, exist_ok=True)
    told = msgspec.json.format(msgspec.json.encode(prepared.pack), indent=2)
    replace_file(file, told + b"\n")


def is_pack(value: Any) -> bool:
    """Whether a JSON value is a pack."""
    return isinstance(value, dict) and value.get("format") == FORMAT


def pack_of(value: Any, file: Path) -> KnowledgePack:
    """The pack that a JSON value is.

    Raises:
        ExchangeError: it has not the form of one, or is of a newer version.
    """
    found = value.get("version")
    if isinstance(found, int) and found > VERSION:
        raise ExchangeError(f"{file} was made by a newer Cairn: update this one first")
    try:
        return msgspec.convert(value, KnowledgePack)
    except msgspec.ValidationError as error:
        raise ExchangeError(f"{file} is no whole pack: {error}") from None


def _rules(reader: Reader, folders: Sequence[str]) -> ShareRules:
    """What may not be named: everybody and every machine that the namespace knows."""
    entities = reader.entities().select("type", "name", "display_name", "aliases").collect()

    def names(kind: str) -> set[str]:
        mine = entities.filter(type=kind)
        return {*mine["name"], *mine["display_name"], *mine["aliases"].explode().drop_nulls()}

    logs = reader.table(RAW_LOGS, ["name", "cwd", "origin"])
    speakers = logs.filter(pl.col("origin") == "human").select("name").unique().collect()["name"]
    users = users_in(logs.select("cwd").unique().collect()["cwd"].drop_nulls())
    people = names("person") | {*speakers.drop_nulls()} | users
    hosts = names("host")
    # A machine goes by the first part of its name among those who work with it.
    short = {one.partition(".")[0] for one in hosts if one[:1].isalpha() and one not in PUBLIC}
    return ShareRules(sorted(people), sorted(hosts | short), folders)


def _known(
    reader: Reader, name: str, folders: Sequence[str]
) -> Iterator[tuple[str, str, datetime | None]]:
    """Kind, text and last day of what is known of a project; what its brief tells comes first."""
    mine = reader.entities().filter(type="project", display_name=name).collect()
    facts = reader.about(mine["entity_id"].to_list()).filter(
        pl.col("status").is_in(STANDING),
        ~pl.col("event").fill_null(value=False),
        pl.col("predicate") != "refuses",
    )
    # Of the same words the wish counts, not what it is about.
    facts = facts.sort(~pl.col("predicate").is_in(KINDS), "fact_id")
    told = ["fact_id", "predicate", "content", "last_seen"]
    whole = {
        id_: (BRIEFED[KINDS.get(predicate, FACT)], text, seen)
        for id_, predicate, text, seen in facts.select(told).iter_rows()
    }
    lines = reader.table(BRIEFS).filter(pl.col("project") == name).collect().sort("place")
    for id_, kind, text, seen in lines.select("line_id", "kind", "text", "last_seen").iter_rows():
        if kind in BRIEFED:  # a line is short; a fact that it tells goes as it is
            yield BRIEFED[kind], *whole.pop(id_, ("", text, seen))[1:]
    yield from whole.values()
    talks = reader.table(CONVERSATIONS, ["conversation_id", "project"])
    there = talks.filter(pl.col("project").is_in(folders)).collect()["conversation_id"]
    lessons = reader.learnings().collect()
    in_it = pl.col("conversation_ids").list.eval(pl.element().is_in(there.implode())).list.all()
    for title, content, seen in (
        lessons.filter(in_it).select("title", "content", "created_at").iter_rows()
    ):
        yield "lesson", content if title in content else f"{title}: {content}", seen


def _is_pack_of(file: Path, project: str) -> bool:
    try:
        value = msgspec.json.decode(file.read_bytes())
    except (OSError, ValueError):
        return False
    return is_pack(value) and value.get("project") == project
