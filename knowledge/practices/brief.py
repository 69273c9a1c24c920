"""The brief of a project: what an agent should know before it starts, best first, in few tokens."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

import polars as pl

from cairn.knowledge.extraction.rules.entities import project_name
from cairn.knowledge.nlp.text import estimated_tokens
from cairn.knowledge.practices.tasks import TASKS
from cairn.knowledge.schema.fact_types import is_event
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import BRIEFS

PRACTICE, DIRECTIVE, REFUSAL, ERROR = "practice", "directive", "refusal", "error"
FACT, PLACE, RECENT = "fact", "place", "recent"

HEADINGS = {
    PRACTICE: "How to work here",
    DIRECTIVE: "What the person wants",
    REFUSAL: "What the person refused",
    ERROR: "What went wrong, and what ended it",
    FACT: "What is known",
    PLACE: "Where things are",
    RECENT: "What was done last",
}
"""Kinds of lines in their order, each with what stands above it."""

MOST = {
    PRACTICE: 14, DIRECTIVE: 8, REFUSAL: 4, ERROR: 4, FACT: 7, PLACE: 5, RECENT: 2,
}  # fmt: skip
"""Lines of each kind."""

MOST_COMMANDS = 4
"""Commands of one task: those that are in force."""

LONGEST = 160
"""Characters of a line."""

KINDS = {"directs": DIRECTIVE, "asks": DIRECTIVE, "refuses": REFUSAL}
"""Kind of a fact's line by its predicate; of any other it is FACT."""

DECIDES, MOST_DECISIONS = "decides", 2
"""Decisions are facts whose day matters: the latest of them."""

FIRST_PRACTICES, FIRST_WANTED, FIRST = 6, 6, 2
"""Lines of a kind that have room before any other kind has more."""

_ONE_PLACE, _PROVEN = "edit", 2
"""Kind of a fix that changed code: it seldom helps elsewhere, unless it ended as many errors."""

_TELLS_NOTHING = r"^\W*[/<•*-]|:\s*$|^.{0,9}$|^(?:\S+\s+){0,5}\S*\?\W*$"
"""A title that is a slash command, pasted, announces what does not stand in it, is too short, or a
short question."""

_BY_THE_WAY = (
    r"(?:^|/)(?:\.\w*ignore|[^/]*[.-]lock(?:b|\.\w+)?|[^/]*\.lockb?|go\.sum|changelog(?:\.\w+)?)$"
    r"|(?:^|/)(?:\.changeset|dist|node_modules|vendor|coverage|(?:__)?generated(?:__)?"
    r"|\.next|__snapshots__)/"
)
"""Files that are edited on the way, generated or ignored: nobody looks there for the work."""

_GOES_WITHOUT_SAYING = r"^git commit(?: (?:-a|-m|-am|<message>|--amend|--no-edit))*$"
"""A command that nobody needs to be told."""

_CHOSE, _NOT_CHOSEN = "Chose ", ", not "
"""How a choice of options begins, and what leads up to those that were not taken."""

_FEWEST_ASKED = "What is asked of the person… "
"""Room that a question keeps beside a long answer."""

_LOOSE = " ,;:([{–—-"

_TASK_ORDER = {task: place for place, task in enumerate(TASKS)}
_LONG_AGO = datetime(1, 1, 1, tzinfo=UTC)


class BriefLine(NamedTuple):
    """One line: what it says, and what bears it out."""

    id: str
    kind: str
    text: str
    support: int
    """Runs, statements, or times that a fix ended an error."""
    conversations: int
    last_seen: datetime | None


class Ground(NamedTuple):
    """What a brief rests on: tables of one namespace, as they were known at a moment."""

    practices: pl.DataFrame
    project_facts: pl.DataFrame
    error_signatures: pl.DataFrame
    facts: pl.DataFrame
    """As `passed_on` gives them."""
    conversations: pl.DataFrame


def known_projects(conversations: pl.DataFrame) -> dict[str, datetime]:
    """Names of projects, each with its latest event. Checkouts of one name are one project.

    Wants project and ended_at.
    """
    found: dict[str, datetime] = {}
    for project, at in conversations.select("project", "ended_at").iter_rows():
        if project and (name := project_name(project)):
            found[name] = max(found.get(name, _LONG_AGO), at or _LONG_AGO)
    return found


def briefs(namespace: str, ground: Ground) -> pl.DataFrame:
    """The table BRIEFS: the lines of each project of a namespace."""
    return BRIEFS.frame(
        {"namespace": namespace, "project": project, "place": place, "line_id": line.id}
        | line._asdict()
        for project in known_projects(ground.conversations)
        for place, line in enumerate(brief(project, ground))
    )


def brief(project: str, ground: Ground) -> list[BriefLine]:
    """What is known of a project, in the order in which lines are given room.

    The best of each kind come first, then the rest of each; of a kind as many as MOST.
    """
    counts = dict.fromkeys(HEADINGS, 0)
    kept: list[BriefLine] = []
    for line in _lines(project, ground):
        counts[line.kind] += 1
        if counts[line.kind] <= MOST[line.kind]:
            kept.append(line)
    return kept


def within(budget: int, lines: Iterable[BriefLine]) -> list[BriefLine]:
    """Lines of `brief` that fit a budget, kind by kind.

    A line that does not fit is left out, and what comes after it may still fit.

    Args:
        budget: Tokens of all lines with their headings (characters / 4).
        lines: In the order in which they are given room.
    """
    kept: list[BriefLine] = []
    left, headings = budget, set[str]()
    for line in lines:
        heading = 0 if line.kind in headings else estimated_tokens(HEADINGS[line.kind]) + 1
        cost = estimated_tokens(f"- {line.text}\n") + heading
        if cost <= left:
            kept.append(line)
            headings.add(line.kind)
            left -= cost
    order = list(HEADINGS)
    return sorted(kept, key=lambda line: order.index(line.kind))


def passed_on(memory: pl.LazyFrame, latest: datetime, policy: Policy) -> pl.DataFrame:
    """Facts that a brief may tell: knowledge that stands, surer than what is passed on unasked.

    Args:
        memory: Facts as `cairn.knowledge.consolidation.standing.seen_at` gives them.
        latest: What is known; nothing was seen later.
        policy: The bar.
    """
    surer = pl.col("effective") > policy.passive_above
    return (
        memory.filter(~is_event(), pl.col("status") == "active", surer)
        .select(
            "fact_id", "entity", "predicate", "content", "source_count", "conversation_count",
            pl.min_horizontal("last_seen", pl.lit(latest)), "effective",
        )
        .collect()
    )  # fmt: skip


def text_of(lines: list[BriefLine]) -> str:
    """Lines under their headings."""
    told: list[str] = []
    for kind, heading in HEADINGS.items():
        own = [f"- {line.text}" for line in lines if line.kind == kind]
        told += [f"{heading}:", *own] if own else []
    return "\n".join(told)


def _lines(project: str, ground: Ground) -> Iterator[BriefLine]:
    """All lines in the order in which they are given room: the best of each kind come first."""
    wanted, known, decided = _facts(project, ground.facts)
    proven, others = _errors(project, ground.error_signatures)
    kinds = (
        (list(_practices(project, ground.practices)), FIRST_PRACTICES),
        (wanted, FIRST_WANTED),
        (proven, FIRST),
        (known, FIRST),
        (decided, 1),
        (list(_places(project, ground.project_facts)), FIRST),
        (list(_recent(project, ground.conversations)), 1),
        (others, 0),
    )
    yield from (line for lines, first in kinds for line in lines[:first])
    yield from (line for lines, first in kinds for line in lines[first:])


def _practices(project: str, practices: pl.DataFrame) -> Iterator[BriefLine]:
    """Commands in force, the best of each task first; those of several checkouts once."""
    task = ["task", "task_order"]
    rows = (
        _of(project, practices)
        .filter(
            pl.col("replaced_by").is_null(),
            ~pl.col("command").str.contains(_GOES_WITHOUT_SAYING),
        )
        .group_by("task", "command", "folder")
        .agg(
            pl.col("practice_id", "env").sort_by("rank", "practice_id").first(),
            pl.col("rank").min(),
            pl.col("runs", "conversations").sum(),
            pl.col("last_seen").max(),
        )
        .with_columns(task_order=pl.col("task").replace_strict(_TASK_ORDER, default=len(TASKS)))
        .sort(
            *task, "conversations", "rank", "command", "folder",
            descending=[False, False, True, False, False, False],
        )
        .with_columns(rank=pl.int_range(pl.len()).over(task))
        .filter(pl.col("rank") < MOST_COMMANDS)
        .sort("rank", "task_order", maintain_order=True)
    )  # fmt: skip
    for row in rows.iter_rows(named=True):
        where = f" (in {row['folder']})" if row["folder"] else ""
        env = (given if "=" in given else f"{given}=…" for given in row["env"])
        command = " ".join([*env, row["command"]])
        yield BriefLine(
            row["practice_id"], PRACTICE, _short(f"{row['task']}: `{command}`{where}"),
            row["runs"], row["conversations"], row["last_seen"],
        )  # fmt: skip


def _facts(project: str, facts: pl.DataFrame) -> tuple[list[BriefLine], ...]:
    """What is wanted of a project, what is known of it, and what was decided, with its day.

    What was said most often comes first, of decisions the latest; at most MOST_DECISIONS of them.
    """
    rows = facts.filter(pl.col("entity").str.to_lowercase() == project.lower())
    said = rows.sort("conversation_count", "effective", "fact_id", descending=[True, True, False])
    lines = [_of_fact(row) for row in said.iter_rows(named=True) if row["predicate"] != DECIDES]
    latest = said.filter(predicate=DECIDES).sort("last_seen", descending=True, maintain_order=True)
    return (
        [line for line in lines if line.kind != FACT],
        [line for line in lines if line.kind == FACT],
        [_of_fact(row) for row in latest.head(MOST_DECISIONS).iter_rows(named=True)],
    )


def _of_fact(row: Mapping[str, Any]) -> BriefLine:
    told = _short(row["content"])
    if row["predicate"] == DECIDES:
        told = _day(row["last_seen"]) + _choice(row["content"], LONGEST - len("2026-01-01: "))
    return BriefLine(
        row["fact_id"], KINDS.get(row["predicate"], FACT), told,
        row["source_count"], row["conversation_count"], row["last_seen"],
    )  # fmt: skip


def _errors(project: str, signatures: pl.DataFrame) -> tuple[list[BriefLine], list[BriefLine]]:
    """Errors with what ended them, the best proven first; then those that were one place's."""
    rows = (
        _of(project, signatures)
        .filter(pl.col("fix").is_not_null(), pl.col("wins") > pl.col("losses"))
        .with_columns(
            one_place=(pl.col("fix_kind") == _ONE_PLACE) & (pl.col("wins") < _PROVEN)
        )
        .sort(
            "rank", "conversations", "fix_last_seen", "fix_id",
            descending=[True, True, True, False], nulls_last=True,
        )
    )  # fmt: skip
    proven: list[BriefLine] = []
    others: list[BriefLine] = []
    for row in rows.iter_rows(named=True):
        error = _short(row["key_line"], LONGEST * 5 // 8)
        line = BriefLine(
            row["fix_id"], ERROR, _short(f"{error} → {row['fix']}", 2 * LONGEST),
            row["wins"], row["conversations"], row["fix_last_seen"],
        )  # fmt: skip
        (others if row["one_place"] else proven).append(line)
    return proven, others


def _places(project: str, known: pl.DataFrame) -> Iterator[BriefLine]:
    """Package managers, then the files that are edited most."""
    order = {"package_manager": 0, "edited_file": 1}
    rows = (
        _of(project, known)
        .filter(
            pl.col("kind").is_in(list(order)),
            (pl.col("kind") != "edited_file")
            | ~pl.col("name").str.to_lowercase().str.contains(_BY_THE_WAY),
        )
        .sort(pl.col("kind").replace_strict(order), "rank", "project_fact_id")
        .unique(["kind", "name"], keep="first", maintain_order=True)
    )
    for row in rows.iter_rows(named=True):
        said = "Packages are managed by" if row["kind"] == "package_manager" else "Often edited:"
        yield BriefLine(
            row["project_fact_id"], PLACE, _short(f"{said} {row['name']}"),
            row["conversations"], row["conversations"], row["last_seen"],
        )  # fmt: skip


def _recent(project: str, conversations: pl.DataFrame) -> Iterator[BriefLine]:
    """The last conversations of people, by what was made in them, else by what was asked first.

    What was made twice is told once.
    """
    asked = pl.when(
        pl.col("title").str.contains(r"\w"), ~pl.col("title").str.contains(_TELLS_NOTHING)
    ).then("title")
    rows = (
        _of(project, conversations)
        .with_columns(told=pl.coalesce("subject", asked))
        .filter(pl.col("human_messages") > 0, pl.col("told").is_not_null())
        .sort("ended_at", "conversation_id", descending=[True, False], nulls_last=True)
        .unique("told", keep="first", maintain_order=True)
    )
    for row in rows.iter_rows(named=True):
        told = f"{_day(row['ended_at'])}{row['told']}"
        yield BriefLine(
            row["conversation_id"], RECENT, _short(told, LONGEST * 3 // 4),
            row["human_messages"], 1, row["ended_at"],
        )  # fmt: skip


def _of(project: str, rows: pl.DataFrame) -> pl.DataFrame:
    """Rows of a project, by the last folder of its root."""
    named = {
        root: project_name(root) for root in rows["project"].drop_nulls().unique().to_list() if root
    }
    return rows.filter(pl.col("project").is_in([r for r, name in named.items() if name == project]))


def _day(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d}: " if moment else ""


def _choice(content: str, most: int) -> str:
    """A decision by what was chosen: without what was not, its question cut before its answer."""
    told = " ".join(content.split())
    asked, mark, answer = told.partition("? ")
    if not mark:
        chose = told.startswith(_CHOSE)
        return _short(told.partition(_NOT_CHOSEN)[0] if chose else told, most)
    answer = _short(answer.partition(_NOT_CHOSEN)[0], most - len(_FEWEST_ASKED))
    room = most - len(answer) - len(" ")
    return f"{asked}? {answer}" if len(asked) < room else f"{_short(asked, room)} {answer}"


def _short(text: str, most: int = LONGEST) -> str:
    """A text of at most so many characters; cut at the end of a word."""
    text = " ".join(text.split())
    if len(text) <= most:
        return text
    head = text[: most - 1]
    whole, _, cut = head.rpartition(" ") if not text[most - 1].isspace() else (head, "", "")
    return f"{(whole if len(cut) < most // 4 else head).rstrip(_LOOSE)}…"
