"""The brief of a project: what an agent should know before it starts, best first, in few tokens."""

# ruff: noqa: E501  (a pattern is easier to read where it is not broken)

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

import polars as pl

from cairn.knowledge.dialogue.overruled import parts_of_choice
from cairn.knowledge.dialogue.sentences import capitalised
from cairn.knowledge.dialogue.trust import OUTCOME, PERSON, TRUSTS
from cairn.knowledge.nlp.plain_words import lead_in, plain_words
from cairn.knowledge.nlp.text import estimated_tokens, words
from cairn.knowledge.practices.briefs.convention_lines import asked_again, convention_lines
from cairn.knowledge.practices.briefs.error_lines import proven_errors, recurring_errors
from cairn.knowledge.practices.briefs.line import (
    DIRECTIVE,
    ERROR,
    LONGEST,
    PLACE,
    PRACTICE,
    BriefLine,
    short,
)
from cairn.knowledge.practices.briefs.practice_lines import (
    FIRST_PRACTICES,
    TASK_ORDER,
    by_proof,
    practice_lines,
)
from cairn.knowledge.practices.habits import is_habit
from cairn.knowledge.practices.installs import LANGUAGES
from cairn.knowledge.practices.places.projects import names_of, naming
from cairn.knowledge.schema.fact_types import is_event
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import BRIEFS

REFUSAL, FACT, RECENT = "refusal", "fact", "recent"

HEADINGS = {
    PRACTICE: "How to work here",
    DIRECTIVE: "What is wanted here",
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
"""Lines of each kind, beside those of `convention_lines`."""

KINDS = {"directs": DIRECTIVE, "asks": DIRECTIVE, "refuses": REFUSAL}
"""Kind of a fact's line by its predicate; else it is FACT, of a person's habit DIRECTIVE."""

REFUSED_CALL = r"^[^`:]*`([^`]+)`"
"""The call in what a person refused: of several words about one call the best tells enough."""

_NO_COMMAND = pl.lit("…")
_ONE_CALL = r"…|(?:^|\s)[/~]\S*/|(?:\s\S*\w\.\w{1,9}\b.*){2}"
"""A call of a tool, or of many files: it was refused that once."""

STATES = "states"
DECIDES, MOST_DECISIONS = "decides", 2
"""Decisions are facts whose day matters: the latest of them."""

FIRST_WANTED, FIRST = 6, 2
"""Lines of a kind that have room before any other kind has more."""

_MAKES = (
    r"(?i)^(?:(?:please|pls|can|could|you|we|i|let'?s|now|want|need|would|like|to|also|go ahead and) ){0,5}"
    r"(?:add|allow|build|change|clean up|configure|convert|create|delete|disable|drop|enable|extract|fix|hide|implement"
    r"|improve|install|integrate|introduce|mend|migrate|move|optimi[sz]e|port|rebuild|reduce|refactor|remove|rename"
    r"|replace|restructure|rewrite|set ?up|simplify|speed up|split|support|switch|turn|unify|update|upgrade|wire|wrap"
    r"|write) \S+ \S+"
)
"""How a request begins that tells what was made; others ask, greet, paste, or point at what does not
stand in them."""

_POINTS = (
    r"(?i)[:?]\W*$|^(?:\S+ ){0,6}\w+ (?:the following|(?:this|that|the) (?:branch|plan|task|issue))\b"
    r"|\b(?:some|the|these|those|my) (?:\w+ )?conflicts?\b"
)
"""A request that announces, asks, or points; what was in the way of a merge is so that day alone."""
_SLOT = r"[{<]\s*[A-Za-z][\w .-]*[}>]|\$\{?[A-Za-z]"
"""What a template has where another text belongs."""

_LATEST = 10
"""Conversations among which the last ones are that tell what was made: others are long over."""

_BEGINNING = 40
"""Characters by which two titles are one text, pasted twice."""

_BY_THE_WAY = (
    r"redacted|(?:^|/)\.git/|(?:^|/)(?:\.\w*ignore|[^/]*[.-]lock(?:b|\.\w+)?|[^/]*\.lockb?|go\.(?:mod|sum)|(?:changelog|readme|agents|claude|gemini)(?:\.\w+)?"
    r"|package\.json|(?:pyproject|cargo)\.toml)$"
    r"|(?:^|/)(?:\.changeset|dist|node_modules|vendor|coverage|(?:__)?generated(?:__)?"
    r"|\.next|__snapshots__)/"
)
"""Files that are edited on the way, generated or hidden, or that everybody looks at first: none
of them tells where the work is."""

MOST_FILES = 4
"""Files that are named as often edited."""

_OFTEN, _FEWEST_EDITING = 0.1, 4
"""Of the conversations that edit files, those that edit one which is often edited; and their
number."""

_BY_TRUST = {trust: place for place, trust in enumerate(reversed(TRUSTS))}
_KIND_ORDER = {kind: place for place, kind in enumerate(HEADINGS)}
_CHOSE = "Chose "
"""How a choice begins that answers no question."""

_FEWEST_ASKED = "What is asked of the person… "
"""Room that a question keeps beside a long answer."""

_LONG_AGO = datetime(1, 1, 1, tzinfo=UTC)


class Ground(NamedTuple):
    """What a brief rests on: tables of one namespace, as they were known at a moment."""

    practices: pl.DataFrame
    project_facts: pl.DataFrame
    error_signatures: pl.DataFrame
    facts: pl.DataFrame
    """As `passed_on` gives them."""
    conversations: pl.DataFrame
    projects: pl.DataFrame
    """The table PROJECTS; `project` of the others is the folder that stands for all checkouts."""
    muted: frozenset[str] = frozenset()
    """Ids of lines that somebody wants told no more."""


def known_projects(conversations: pl.DataFrame, projects: pl.DataFrame) -> dict[str, datetime]:
    """Names of projects, each with its latest event. Those of one name are one project.

    Args:
        conversations: project (the folder that stands for all checkouts) and ended_at.
        projects: The table PROJECTS, for their names.
    """
    called = naming(projects)
    found: dict[str, datetime] = {}
    for project, at in conversations.select("project", "ended_at").iter_rows():
        if project and (name := called(project)):
            found[name] = max(found.get(name, _LONG_AGO), at or _LONG_AGO)
    return found


def briefs(namespace: str, ground: Ground) -> pl.DataFrame:
    """The table BRIEFS: the lines of each project of a namespace."""
    return BRIEFS.frame(
        {"namespace": namespace, "project": project, "place": place, "line_id": line.id}
        | line._asdict()
        for project in known_projects(ground.conversations, ground.projects)
        for place, line in enumerate(brief(project, ground))
    )


def brief(project: str, ground: Ground) -> list[BriefLine]:
    """What is known of a project, in the order in which lines are given room.

    The best of each kind come first, then the rest of each; of a kind as many as MOST.
    """
    counts = dict.fromkeys(HEADINGS, 0)
    conventions = list(convention_lines(_of(project, ground.project_facts, ground.projects)))
    kept: list[BriefLine] = []
    for line in _lines(project, ground, conventions):
        if line.id in ground.muted:
            continue
        counts[line.kind] += line not in conventions
        if line in conventions or counts[line.kind] <= MOST[line.kind]:
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
    return sorted(kept, key=_place)


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
            "fact_id", "entity", "predicate", "content", "trust", "source_count",
            "conversation_count", pl.min_horizontal("last_seen", pl.lit(latest)), "effective",
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


def _lines(project: str, ground: Ground, conventions: list[BriefLine]) -> Iterator[BriefLine]:
    """All lines in the order in which they are given room: the best of each kind come first."""
    practices, signatures, places, talks = (
        _of(project, rows, ground.projects)
        for rows in (
            ground.practices, ground.error_signatures, ground.project_facts, ground.conversations
        )
    )  # fmt: skip
    names = names_of(project, ground.projects)
    wanted, written, known, decided = _facts(names, ground.facts, practices)
    managers = places.filter(kind="package_manager")["name"].to_list()
    first, more = by_proof(list(practice_lines(practices, managers)))
    proven, changed = proven_errors(signatures)
    kinds = (
        (first, FIRST_PRACTICES),
        (wanted, FIRST_WANTED),
        (written, FIRST),
        (list(asked_again(places)), FIRST),
        (proven, FIRST),
        (list(recurring_errors(signatures)), 1),
        ([line for line in conventions if line.kind == PRACTICE], 0),
        (more, 0),
        (known, FIRST),
        (decided, 1),
        ([line for line in conventions if line.kind == PLACE], 0),
        (list(_places(places)), FIRST),
        (list(_recent(talks)), 1),
        (changed, 0),
    )
    yield from (line for lines, first in kinds for line in lines[:first])
    yield from (line for lines, first in kinds for line in lines[first:])


def _still_refused(facts: pl.DataFrame, practices: pl.DataFrame) -> pl.DataFrame:
    """Facts without refusals of a command that was let run in more sessions, and later."""
    ran = practices.group_by("command").agg(pl.col("conversations", "last_seen").max())
    since = facts.filter(predicate="refuses").join(
        ran, left_on=pl.col("content").str.extract(REFUSED_CALL), right_on="command", suffix="_ran"
    )
    let = since.filter(
        pl.col("conversations") > pl.col("conversation_count"),
        pl.col("last_seen_ran") > pl.col("last_seen"),
    )
    return facts.join(let, on="fact_id", how="anti")


def _facts(
    names: set[str], facts: pl.DataFrame, practices: pl.DataFrame
) -> tuple[list[BriefLine], ...]:
    """What is wanted of a project, and written down of it; what is known; what was decided when.

    A person's word comes first, then what was seen, then what agents said; of these what was said
    most often, of decisions the latest: at most MOST_DECISIONS of them. What a person says of how
    they work is wanted. A call that was refused twice is told once, and so are the same words, be
    it as a decision and a refusal.
    """
    rows = facts.filter(
        pl.col("entity").str.to_lowercase().is_in(sorted(names)),
        # Of a host it is not known what it is there for.
        pl.col("predicate") != "connects_to_host",
    )
    rows = _still_refused(rows, practices)
    by_person = pl.col("trust") == PERSON
    said = (
        rows.with_columns(
            kind=pl.when((pl.col("predicate") == STATES) & by_person & is_habit())
            .then(pl.lit(DIRECTIVE))
            .otherwise(pl.col("predicate").replace_strict(KINDS, default=FACT)),
            place=pl.col("trust").replace_strict(_BY_TRUST, default=len(TRUSTS)),
        )
        .sort(
            "place", "conversation_count", "effective", "last_seen", "fact_id",
            descending=[False, True, True, True, False], nulls_last=True,
        )
        .with_columns(
            call=pl.when(kind=REFUSAL)
            .then(pl.col("content").str.extract(REFUSED_CALL).fill_null(_NO_COMMAND))
            .otherwise("fact_id")
        )
        .unique("call", keep="first", maintain_order=True)
        .filter((pl.col("kind") != REFUSAL) | ~pl.col("call").str.contains(_ONE_CALL))
    )  # fmt: skip
    said = said.sort(pl.col("kind") == FACT, maintain_order=True)
    said = said.filter(pl.Series(not_told_before(said["content"]), dtype=pl.Boolean))
    rows = said.filter(pl.col("predicate") != DECIDES)
    lines = [(_of_fact(row), row["trust"] == OUTCOME) for row in rows.iter_rows(named=True)]
    latest = said.filter(predicate=DECIDES).sort("last_seen", descending=True, maintain_order=True)
    return (
        [line for line, seen in lines if line.kind != FACT and not seen],
        [line for line, seen in lines if line.kind != FACT and seen],
        [line for line, _ in lines if line.kind == FACT],
        [_of_fact(row) for row in latest.head(MOST_DECISIONS).iter_rows(named=True)],
    )


def not_told_before(contents: Iterable[str]) -> list[bool]:
    """Whether the words of each stand in none before it, whatever leads in; unless it is denied."""
    told: list[str] = []
    new: list[bool] = []
    for content in contents:
        own = " ".join(word for word in words(content) if word not in _LEADS)
        again = re.compile(rf"(?<!\bnot )(?<!\bnever )(?<!\bno )(?<!\S){re.escape(own)}(?!\S)")
        new.append(not any(again.search(other) for other in told))
        told.append(own)
    return new


_LEADS = frozenset(["please", "always", "also", "from", "now", "on", "going", "forward"])


def _of_fact(row: Mapping[str, Any]) -> BriefLine:
    content, predicate = row["content"], row["predicate"]
    if predicate == DECIDES:
        told = _day(row["last_seen"]) + _choice(content, LONGEST - len("2026-01-01: "))
    else:
        told = short(_without_lead(content) if predicate == STATES else content)
    return BriefLine(
        row["fact_id"], row["kind"], told,
        row["source_count"], row["conversation_count"], row["last_seen"],
    )  # fmt: skip


def _without_lead(content: str) -> str:
    """A sentence from where it says something on: without "and also", "ok but"."""
    plain = plain_words(content)
    if _AIMS.match(plain.text):
        return content
    return capitalised(content[plain.places[lead_in(plain.text).opening] :])


_AIMS = re.compile(r"(?:the|my|our) (?:idea|plan|goal|aim|point|intention)\b")
"""How a sentence begins that tells what is to be: without it, it would be so already."""


def _places(known: pl.DataFrame) -> Iterator[BriefLine]:
    """Package managers, then in one line the files that are edited most."""
    best = known.sort("rank", "project_fact_id").unique(
        ["kind", "name"], keep="first", maintain_order=True
    )
    for row in best.filter(kind="package_manager").iter_rows(named=True):
        of = LANGUAGES.get(row["name"])
        said = f"{of} packages are managed by" if of else "Packages are managed by"
        yield BriefLine(
            row["project_fact_id"], PLACE, short(f"{said} {row['name']}"),
            row["conversations"], row["conversations"], row["last_seen"],
        )  # fmt: skip
    edited = best.filter(
        pl.col("kind") == "edited_file",
        ~pl.col("name").str.to_lowercase().str.contains(_BY_THE_WAY),
        pl.col("share") >= _OFTEN,
        pl.col("conversations") >= _FEWEST_EDITING,
    ).head(MOST_FILES)
    told = "Often edited:"
    for place, name in enumerate(edited["name"]):
        more = f"{told}{',' if place else ''} {name}"
        told = more if len(more) <= LONGEST else told
    for row in edited.head(1).iter_rows(named=True):
        yield BriefLine(
            row["project_fact_id"], PLACE, short(told),
            row["conversations"], row["conversations"], row["last_seen"],
        )  # fmt: skip


def _recent(conversations: pl.DataFrame) -> Iterator[BriefLine]:
    """The last conversations of people, by what was made in them, else by what was asked first.

    What was made twice is told once; what was asked twice is a text that is pasted, and is not told.
    """
    beginning = pl.col("title").str.head(_BEGINNING)
    asked = pl.when(
        pl.col("title").str.contains(_MAKES),
        ~pl.col("title").str.contains(_POINTS),
        beginning.is_first_distinct() & beginning.is_last_distinct(),
    ).then("title")
    made = pl.when(~pl.col("subject").str.contains(_SLOT)).then("subject")
    rows = (
        conversations.filter(pl.col("human_messages") > 0)
        .with_columns(told=pl.coalesce(made, asked))
        .sort("ended_at", "conversation_id", descending=[True, False], nulls_last=True)
        .head(_LATEST)
        .filter(pl.col("told").is_not_null())
        .unique("told", keep="first", maintain_order=True)
    )
    for row in rows.iter_rows(named=True):
        told = f"{_day(row['ended_at'])}{row['told']}"
        yield BriefLine(
            row["conversation_id"], RECENT, short(told, LONGEST * 3 // 4),
            row["human_messages"], 1, row["ended_at"],
        )  # fmt: skip


def _of(project: str, rows: pl.DataFrame, projects: pl.DataFrame) -> pl.DataFrame:
    """Rows of a project, by the name that the folder of each has."""
    called = naming(projects)
    folders = rows["project"].drop_nulls().unique().to_list()
    return rows.filter(pl.col("project").is_in([f for f in folders if f and called(f) == project]))


def _day(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d}: " if moment else ""


def _place(line: BriefLine) -> tuple[int, int]:
    """Place of a line among those that are told: by its kind, of practices by their task."""
    task = TASK_ORDER.get(line.text.partition(":")[0], 0) if line.kind == PRACTICE else 0
    return _KIND_ORDER[line.kind], task


def _choice(content: str, most: int) -> str:
    """A decision by what was chosen: without what was not, its question cut before its answer."""
    told = " ".join(content.split())
    asked, answer, _ = parts_of_choice(told)
    if not asked:
        return short(answer if told.startswith(_CHOSE) else told, most)
    answer = short(answer, most - len(_FEWEST_ASKED))
    return f"{short(asked, most - len(answer) - len(' '))} {answer}"
