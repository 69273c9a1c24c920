"""What the hook client looks up: a small copy of what is known, made with each publication.

The client reads nothing else and imports nothing of Cairn's. So whatever decides stands here, and
what it needs to apply that (patterns, stop words, bars) is part of the copy.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import polars as pl

from cairn.knowledge.consolidation.verdicts.standing import known_stretches, seen_at
from cairn.knowledge.dialogue.trust import OUTCOME, PERSON
from cairn.knowledge.failures.lookup import is_for_its_names
from cairn.knowledge.failures.signatures import SLOT, SLOTTING
from cairn.knowledge.interests.preferences import muted
from cairn.knowledge.learnings.recurrence.occurrences import RECURRENCE
from cairn.knowledge.llm.fence import CLOSING, all_harmless, fenced, harmless, opening
from cairn.knowledge.nlp.names import HOME
from cairn.knowledge.nlp.text import STOP_WORDS, estimated_tokens
from cairn.knowledge.offers.utility import offered_no_more
from cairn.knowledge.practices.briefs.brief import (
    HEADINGS,
    REFUSED_CALL,
    BriefLine,
    passed_on,
    within,
)
from cairn.knowledge.practices.briefs.error_lines import what_ended
from cairn.knowledge.practices.briefs.line import short
from cairn.knowledge.practices.places.projects import in_projects, naming
from cairn.knowledge.schema import tables
from cairn.knowledge.schema.calendar import watermark
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.predicates import NAME_PREDICATES

SCHEMA = 1
"""Rises when the file changes so that a client of before would misread it."""

BRIEF_TOKENS = 400

FACT, LEARNING, EPISODE, FIX, WARNING = "fact", "learning", "episode", "fix", "warning"

WORD = r"[^\W_]+(?:[._-][^\W_]+)*"
"""What counts as a word of a prompt and of a text, casefolded."""

ENDING = r"(?<=\w{3})(?:ing|ed|es|s)$"
"""What is cut from a word, so that tests, tested and test are one."""

COMMON = 0.02
"""Share of the texts that a word may stand in, and still tell one from others …"""
FEW = 20
"""… and texts that it may stand in anyway."""

LONGEST_TEXT, LONGEST_EPISODE = 240, 320
"""Characters of what is offered."""

INDEXED = 600
"""Characters of a request and of its answer by which an episode is found."""

NEVER_WORKED = 3
"""Runs of a command that all failed, for an agent to be warned of it."""

_HEADINGS = {
    FACT: HEADINGS["fact"],
    LEARNING: "What was learnt",
    EPISODE: "What was done before",
    FIX: "What ended this error before",
    WARNING: "Before this is run",
}

EVERYWHERE = ""
"""In place of a project: what was said in none may be offered in each."""

Rows = list[tuple[Any, ...]]


READS = (
    tables.MEMORY, tables.VALID_TIMES, tables.MEMORY_ENTITIES, tables.FACT_SOURCES,
    tables.CONVERSATIONS, tables.LEARNINGS, tables.EPISODES, tables.ERROR_SIGNATURES,
    tables.PRACTICES, tables.BRIEFS, tables.PROJECTS, tables.UTILITY,
    tables.PREFERENCES,
)  # fmt: skip
"""Tables that it is made of."""


def facts_now(reads: Mapping[str, pl.DataFrame], policy: Policy) -> pl.DataFrame:
    """Facts of a namespace that may be told unasked, as of its latest event.

    Args:
        reads: MEMORY, VALID_TIMES, MEMORY_ENTITIES and CONVERSATIONS of it, by name.
        policy: Bars and rates.
    """
    talks = reads["conversations"]
    logged = pl.coalesce(pl.col("logged_at", "last_input_at").max())
    as_of = watermark(talks.select(occurred_at=logged))
    latest = max(as_of, watermark(talks, "last_input_at"))
    stretches = known_stretches(reads["valid_times"].lazy(), latest)
    memory = seen_at(
        reads["memory"].lazy(), stretches, reads["memory_entities"].lazy(), as_of, latest, policy
    )
    return passed_on(memory, latest, policy)


class RecallText(NamedTuple):
    """What may be offered at a prompt, in one project."""

    id: str
    kind: str
    project: str
    text: str
    found_by: str


def lookup(
    namespace: str, generation: str | None, reads: Mapping[str, pl.DataFrame], policy: Policy
) -> dict[str, Rows]:
    """The rows of each table of the lookup file, as TABLES declares them, in one order.

    What is of one project is never in another: a row that speaks for several is there for each.

    Args:
        namespace: Whose, for the fence.
        generation: Of vectors, for the same.
        reads: The tables READS of the namespace, by name.
        policy: Bars and rates, and what is held out.
    """
    holds = reads["preferences"].filter(pl.col("ended_at").is_null())
    stopped = {*offered_no_more(reads["utility"]), *muted(holds)}
    projects_of = reads["projects"]
    called = naming(projects_of)
    talks = in_projects(reads["conversations"], projects_of)
    facts = facts_now(reads, policy)
    said = facts.join(
        reads["fact_sources"].select("fact_id", "conversation_id").unique(), on="fact_id"
    )
    fence = estimated_tokens(fenced("-", namespace, generation))
    of = {
        talk: called(project) if project else EVERYWHERE
        for talk, project in talks.select("conversation_id", "project").rows()
    }
    found = [
        one
        for one in {
            *_facts(said, of),
            *_learnings(reads["learnings"], of),
            *_episodes(reads["episodes"], of),
        }
        if one.id not in stopped
    ]
    safe = all_harmless([one.text for one in found])
    return {
        "meta": [
            (key, json.dumps(value))
            for key, value in {
                "schema": SCHEMA,
                "generation": generation,
                "opening": opening(namespace, generation),
                "closing": CLOSING,
                "fence_tokens": fence,
                "headings": HEADINGS | _HEADINGS,
                "holdout_share": policy.holdout_share,
                "home_folder": HOME.pattern,
                "slotting": SLOTTING,
                "word": WORD,
                "ending": ENDING,
                "stopped": sorted(_STOPPED),
                "bars": {kind: bar._asdict() for kind, bar in BARS.items()},
            }.items()
        ],
        "folders": sorted((folder, called(folder)) for folder in projects_of["folder"].to_list()),
        "lines": list(_brief_lines(reads["briefs"], fence, stopped)),
        **recall_tables(one._replace(text=text) for one, text in zip(found, safe, strict=True)),
        "errors": sorted(set(_errors(reads["error_signatures"], called, stopped))),
        "warnings": sorted(set(_warnings(said, reads["practices"], called, of))),
    }


def recall_tables(found: Iterable[RecallText]) -> dict[str, Rows]:
    """The tables by which texts are found: texts, projects, words, postings."""
    # Two facts may be told in the same words.
    texts = sorted({(one.kind, one.project, one.text): one for one in sorted(found)}.values())
    words, postings, weights = _index([text.found_by for text in texts])
    names = sorted({text.project for text in texts})
    projects = {name: number for number, name in enumerate(names)}
    return {
        "texts": [
            (number, text.id, text.kind, text.project, text.text, _tokens(text.text), weight)
            for number, (text, weight) in enumerate(zip(texts, weights, strict=True))
        ],
        "projects": sorted(projects.items()),
        "words": words,
        "postings": sorted(
            (word, projects[texts[number].project], number) for word, number in postings
        ),
    }


TABLES = {
    "meta": "key TEXT PRIMARY KEY, value TEXT",
    "folders": "place TEXT PRIMARY KEY, project TEXT",
    "lines": "project TEXT, place INTEGER, id TEXT, kind TEXT, text TEXT, tokens INTEGER, "
    "PRIMARY KEY (project, place)",
    "texts": "number INTEGER PRIMARY KEY, id TEXT, kind TEXT, project TEXT, text TEXT, "
    "tokens INTEGER, weight REAL",
    "projects": "name TEXT PRIMARY KEY, number INTEGER",
    "words": "word TEXT PRIMARY KEY, number INTEGER, tells REAL",
    "postings": "word INTEGER, project INTEGER, text INTEGER, PRIMARY KEY (word, project, text)",
    "errors": "anchor TEXT, signature TEXT, project TEXT, rank REAL, id TEXT, text TEXT, "
    "tokens INTEGER, names TEXT, PRIMARY KEY (signature, project, id)",
    "warnings": "command TEXT, project TEXT, id TEXT, text TEXT, tokens INTEGER, "
    "PRIMARY KEY (command, project, id)",
}
"""Columns of the tables of the lookup file, as SQL. `anchor` is a word that stands in each line of
a signature; the fix of an error with `names` (JSON) is for these names alone."""


def terms(text: str) -> set[str]:
    """Words of a text that may tell what it is about; the client cuts a prompt alike."""
    words = map(_without_ending, set(_WORDS.findall(text.casefold())))
    return {word for word in words if len(word) > 2 and word not in _STOPPED}


_WORDS = re.compile(WORD)


@lru_cache(100_000)
def _without_ending(word: str) -> str:
    return re.sub(ENDING, "", word)


_STOPPED = frozenset(re.sub(ENDING, "", word) for word in STOP_WORDS)


class Bar(NamedTuple):
    """How sure it must be that a text is about a prompt."""

    words: int
    """Words that stand in both, at least."""
    of_text: float
    """Least share of what the words of the text tell …"""
    of_prompt: float
    """… and of what those words of the prompt tell that are known …"""
    at_most: float
    """… and the most of that: who asks the same again is not told that it was asked."""


BARS = {FACT: Bar(2, 0.3, 0.1, 1), LEARNING: Bar(3, 0.12, 0.15, 1), EPISODE: Bar(5, 0.12, 0.3, 0.9)}
"""Read on 1,832 prompts of 13 projects, with what was known before each: see docs/agents.md."""


def _brief_lines(
    briefs: pl.DataFrame, fence: int, stopped: Collection[str]
) -> Iterator[tuple[Any, ...]]:
    """The lines of each brief that fit its limit, in the order in which they are shown."""
    for (project,), rows in sorted(briefs.sort("place").group_by("project", maintain_order=True)):
        named = rows.select(pl.col("line_id").alias("id"), *BriefLine._fields[1:])
        safe = (
            line._replace(text=harmless(line.text))
            for line in (BriefLine(**row) for row in named.iter_rows(named=True))
        )
        told = (line for line in safe if line.text.strip() and line.id not in stopped)
        lines = within(BRIEF_TOKENS - fence, told)
        for place, line in enumerate(lines):
            yield project, place, line.id, line.kind, line.text, _tokens(line.text)


def _facts(said: pl.DataFrame, of: dict[str, str]) -> Iterator[RecallText]:
    """What people said, and what was written down, in the projects in which it was."""
    written = (pl.col("trust") == OUTCOME) & ~pl.col("predicate").is_in(NAME_PREDICATES)
    sure = said.filter((pl.col("trust") == PERSON) | written)
    for fact, content, talk in sure.select("fact_id", "content", "conversation_id").iter_rows():
        if talk in of:
            yield RecallText(fact, FACT, of[talk], short(content, LONGEST_TEXT), content)


def _learnings(learnings: pl.DataFrame, of: dict[str, str]) -> Iterator[RecallText]:
    """Learnings, but for routines: the brief tells how the commands of a project are run."""
    routine = (pl.col("category") == "workflow") & (pl.col("extractor") == RECURRENCE)
    for row in learnings.filter(~routine).iter_rows(named=True):
        said = short(f"{row['title']}: {row['content']}", LONGEST_TEXT)
        for talk in row["conversation_ids"]:
            if talk in of:
                found_by = f"{row['title']} {row['content']}"
                yield RecallText(row["learning_id"], LEARNING, of[talk], said, found_by)


def _episodes(episodes: pl.DataFrame, of: dict[str, str]) -> Iterator[RecallText]:
    """What was asked and answered before; not what was never answered."""
    for row in episodes.filter(pl.col("answer") != "").iter_rows(named=True):
        if row["conversation_id"] not in of:
            continue
        asked, answered = row["request"], row["answer"]
        half = LONGEST_EPISODE // 2
        said = f"{row['day']}: {short(asked, half)} → {short(answered, half)}"
        found_by = f"{asked[:INDEXED]} {answered[:INDEXED]}"
        yield RecallText(row["episode_id"], EPISODE, of[row["conversation_id"]], said, found_by)


def _index(texts: list[str]) -> tuple[Rows, list[tuple[int, int]], list[float]]:
    """What each word tells, in which texts it stands, and what all words of each text tell."""
    of_text = [terms(text) for text in texts]
    stands = Counter(word for words in of_text for word in words)
    most = max(FEW, COMMON * len(texts))
    telling = sorted(word for word, texts_ in stands.items() if texts_ <= most)
    tells = {word: math.log((1 + len(texts)) / (0.5 + stands[word])) for word in telling}
    numbers = {word: number for number, word in enumerate(telling)}
    words: Rows = [(word, numbers[word], round(tells[word], 4)) for word in telling]
    postings = [
        (numbers[word], text)
        for text, found in enumerate(of_text)
        for word in sorted(found)
        if word in numbers
    ]
    weights = [round(sum(tells[w] for w in sorted(found) if w in tells), 4) for found in of_text]
    return words, postings, weights


def _errors(
    signatures: pl.DataFrame, called: Callable[[str], str], stopped: Collection[str]
) -> Iterator[tuple[Any, ...]]:
    """What ended an error, where that is proven."""
    for row in what_ended(signatures).iter_rows(named=True):
        signature = row["signature"]
        anchor = max(terms(SLOT.sub(" ", signature)), key=lambda w: (len(w), w), default="")
        if not (anchor and row["project"]) or row["fix_id"] in stopped:
            continue
        bound = is_for_its_names(row["fix"], row["fix_kind"], signature, row["names"])
        said = harmless(
            f"{short(row['key_line'])} was ended {_times(row['wins'])} by: {short(row['fix'])}"
        )
        yield (
            anchor, signature, called(row["project"]), round(row["rank"], 6), row["fix_id"], said,
            _tokens(said), json.dumps(row["names"] if bound else []),
        )  # fmt: skip


def _warnings(
    said: pl.DataFrame, practices: pl.DataFrame, called: Callable[[str], str], of: dict[str, str]
) -> Iterator[tuple[Any, ...]]:
    """Commands that a person refused, and those that never worked."""
    refused = said.filter(predicate="refuses").with_columns(
        call=pl.col("content").str.extract(REFUSED_CALL)
    )
    seen = set[tuple[str, str]]()
    for row in refused.drop_nulls("call").iter_rows(named=True):
        if row["conversation_id"] in of:
            command, project = " ".join(row["call"].split()), of[row["conversation_id"]]
            seen.add((command, project))
            text = harmless(short(f"Refused before: {row['content']}", LONGEST_TEXT))
            yield command, project, row["fact_id"], text, _tokens(text)
    failing = practices.filter(
        pl.col("passed") == 0, pl.col("failed") >= NEVER_WORKED, pl.col("conversations") > 1
    )
    for row in failing.iter_rows(named=True):
        command, project = row["command"], called(row["project"])
        if (command, project) not in seen:
            text = harmless(f"Failed in all {row['failed']} runs so far: `{short(command)}`")
            yield command, project, row["practice_id"], text, _tokens(text)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _tokens(text: str) -> int:
    """Tokens of a text as a line of its own."""
    return estimated_tokens(f"- {text}\n")
