"""What counting tells of a project: its package managers, files, versions, forms, ports, system."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, groupby
from math import comb
from operator import attrgetter
from typing import Any

import polars as pl

from cairn.knowledge.practices.conventions import conventions
from cairn.knowledge.practices.counted import Bearer, CountedFact, most_first
from cairn.knowledge.schema.identity import digest
from cairn.knowledge.schema.tables import PROJECT_FACTS

MIN_CONVERSATIONS = 2
"""Conversations that bear out a package manager, or that a file is edited again and again."""
MIN_TOGETHER = 3
"""Conversations that edit two files, for them to belong together."""
SHARE_TOGETHER = 0.6
"""Of the conversations that edit either, those that edit both."""
CHANCE = 0.01
"""How likely it may be that as many conversations edit both without any tie between them."""
SHARE_OF_MANAGER = 0.8
"""Of the conversations that use a manager of a language, those that use this one."""
MOST_FILES = 30
MOST_SOURCES = 5

MANAGERS: Mapping[str, str] = {
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun"), "JavaScript"),
    **dict.fromkeys(("uv", "poetry", "pdm", "pipenv", "pip", "conda", "mamba", "rye"), "Python"),
    **dict.fromkeys(("bundle", "gem"), "Ruby"),
    **dict.fromkeys(("gradle", "gradlew", "mvn", "mvnw"), "Java"),
    "cargo": "Rust",
    "mix": "Elixir",
    "composer": "PHP",
}
"""Program -> what it manages the packages of; one of them is a project's."""

_GLOBAL = frozenset({"-g", "--global", "global", "tool", "--user"})
"""What is installed for a person, and not for the project."""

_ALSO = {"pip3": "pip", "gradlew": "gradle", "mvnw": "mvn"}
"""Other names of the same; `npx` alone does not tell that npm is used."""


def project_facts(
    command_runs: pl.DataFrame, file_edits: pl.DataFrame, observations: pl.DataFrame
) -> pl.DataFrame:
    """One row for each fact of a project; rows may come in any order."""
    rows: list[dict[str, Any]] = []
    for (namespace, project), runs in command_runs.filter(pl.col("project").is_not_null()).group_by(
        "namespace", "project"
    ):
        rows += _rows(str(namespace), str(project), _managers(runs))
    for (namespace, project), edits in file_edits.group_by("namespace", "project"):
        files = _files(edits)
        rows += _rows(str(namespace), str(project), files)
        rows += _rows(str(namespace), str(project), list(_together(files)))
    for (namespace, project), told in observations.group_by("namespace", "project"):
        for _, facts in groupby(conventions(told), key=attrgetter("kind")):
            rows += _rows(str(namespace), str(project), list(facts))
    return PROJECT_FACTS.frame(rows)


def _managers(runs: pl.DataFrame) -> list[CountedFact]:
    used: defaultdict[str, dict[str, dict[str, Bearer]]] = defaultdict(lambda: defaultdict(dict))
    ordered = runs.sort("conversation_id", "seq", "record_id", "place")
    columns = ["command", "conversation_id", "occurred_at", "record_id"]
    for command, conversation, at, record in ordered.select(columns).iter_rows():
        program = str(command).split()[0].rsplit("/", 1)[-1]
        program = _ALSO.get(program, program)
        if program in MANAGERS and not _GLOBAL & set(str(command).split()):
            seen = Bearer(conversation, at, record)
            used[MANAGERS[program]][program].setdefault(conversation, seen)
    found: list[CountedFact] = []
    for by_name in used.values():
        every = len({conversation for seen in by_name.values() for conversation in seen})
        found += [
            CountedFact("package_manager", name, None, list(seen.values()), every)
            for name, seen in by_name.items()
            if len(seen) >= max(MIN_CONVERSATIONS, SHARE_OF_MANAGER * every)
        ]
    return found


def _files(edits: pl.DataFrame) -> list[CountedFact]:
    """Files edited in several conversations; of the conversations that edited any."""
    found: defaultdict[str, list[Bearer]] = defaultdict(list)
    by_conversation = (
        edits.sort("conversation_id", "seq", "record_id")
        .group_by("path", "conversation_id", maintain_order=True)
        .agg(pl.col("occurred_at").max(), pl.col("record_id").first())
    )
    for path, *seen in by_conversation.iter_rows():
        found[path].append(Bearer(*seen))
    every = edits["conversation_id"].n_unique()
    often = [
        CountedFact("edited_file", path, None, seen, every)
        for path, seen in found.items()
        if len(seen) >= MIN_CONVERSATIONS
    ]
    return sorted(often, key=most_first)[:MOST_FILES]


def _together(files: Sequence[CountedFact]) -> Iterator[CountedFact]:
    for one, other in combinations(sorted(files, key=lambda file: file.name), 2):
        seen = {each.conversation: each for each in one.seen}
        both = [seen[each.conversation] for each in other.seen if each.conversation in seen]
        a, b, every = len(one.seen), len(other.seen), one.every
        often = len(both) >= max(MIN_TOGETHER, SHARE_TOGETHER * (a + b - len(both)))
        if often and by_chance(len(both), a, b, every) < CHANCE:
            yield CountedFact("edited_together", one.name, other.name, both, every)


def by_chance(both: int, one: int, other: int, every: int) -> float:
    """How likely two sets of `one` and `other` out of `every` share `both` or more.

    The upper tail of the hypergeometric distribution (Fisher's exact test, one-sided).
    """
    ways = sum(
        comb(one, shared) * comb(every - one, other - shared)
        for shared in range(both, min(one, other) + 1)
        if other - shared <= every - one
    )
    return ways / comb(every, other)


def _rows(namespace: str, project: str, found: Sequence[CountedFact]) -> Iterator[dict[str, Any]]:
    for rank, fact in enumerate(sorted(found, key=most_first), 1):
        kind, name, other, seen, every, having, among = fact
        times = [each.at for each in seen if each.at is not None]
        newest = sorted(seen, key=lambda s: (s.at.timestamp() if s.at else 0.0, s.record))[::-1]
        yield {
            "project_fact_id": "p_" + digest(namespace, project, kind, name, other),
            "namespace": namespace,
            "project": project,
            "kind": kind,
            "name": name,
            "other": other,
            "conversations": len(seen),
            "share": len(seen) / every,
            "having": having,
            "among": among,
            "first_seen": min(times, default=None),
            "last_seen": max(times, default=None),
            "rank": rank,
            "source_record_ids": [each.record for each in newest[:MOST_SOURCES]],
        }
