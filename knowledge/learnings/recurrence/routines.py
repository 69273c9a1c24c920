"""Commands that pass in the same order in three conversations of a project: routines."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import polars as pl

from cairn.knowledge.dialogue.shortcuts.commands import weakenings
from cairn.knowledge.dialogue.trust import OUTCOME
from cairn.knowledge.extraction.rules.entities import project_name
from cairn.knowledge.learnings.draft import Draft
from cairn.knowledge.learnings.drafting import labelled
from cairn.knowledge.learnings.quotes import shorten
from cairn.knowledge.learnings.recurrence.occurrences import (
    Request,
    each_conversation,
    lesson,
    occurrences,
)
from cairn.knowledge.learnings.scoring import LONGEST_TITLE, DraftGrounds
from cairn.knowledge.schema.calendar import UNDATED

FEWEST_RUN = 3
"""Conversations in which the same commands are run."""

FEWEST_STEPS = 2
"""Commands beside the commit: that one command came before it tells nothing."""

SEQUENCE = (5, 4, 3, 2)
"""Lengths of a sequence of commands, the longest first."""

USUAL = 0.5
"""Of the conversations that run the rarest command of a sequence, those that run all of it."""

_Sequence = tuple[tuple[str, ...], dict[str, list[dict[str, Any]]]]


def routines(
    runs: pl.DataFrame, requests: Mapping[str, list[Request]]
) -> Iterator[tuple[str, Draft]]:
    """Sequences of commands that passed in the same order in three conversations of a project."""
    ordered = runs.filter(pl.col("task").is_not_null() & pl.col("project").is_not_null()).sort(
        "conversation_id", "seq", "record_id", "place"
    )
    by_project: defaultdict[str, dict[str, list[dict[str, Any]]]] = defaultdict(dict)
    for (conversation, project), own in ordered.group_by(
        "conversation_id", "project", maintain_order=True
    ):
        rows = list(own.iter_rows(named=True))
        by_project[project_name(str(project))].setdefault(str(conversation), []).extend(rows)
    for project, conversations in sorted(by_project.items()):
        for commands, places in _joined(_sequences(conversations)):
            tasks = [row["task"] for row in next(iter(places.values()))]
            if sum(task != "commit" for task in tasks) < FEWEST_STEPS:
                continue
            yield from _routine(project, commands, places, requests)


def _sequences(conversations: Mapping[str, list[dict[str, Any]]]) -> list[_Sequence]:
    """Sequences that are usual, the longest first: each with where it was first run."""
    found: defaultdict[tuple[str, ...], dict[str, list[dict[str, Any]]]] = defaultdict(dict)
    ran: Counter[str] = Counter()
    for conversation, rows in sorted(conversations.items()):
        ran.update({_shown(row) for row in rows})
        for piece in _pieces(rows):
            for length in SEQUENCE:
                for at in range(len(piece) - length + 1):
                    window = piece[at : at + length]
                    commands = tuple(_shown(row) for row in window)
                    if len(set(commands)) == length and _passed(window):
                        found[commands].setdefault(conversation, window)
    usual = [
        (commands, places)
        for commands, places in found.items()
        if len(places) >= max(FEWEST_RUN, USUAL * min(ran[command] for command in commands))
    ]
    return sorted(usual, key=lambda one: (-len(one[0]), -len(one[1]), one[0]))


def _joined(found: Sequence[_Sequence]) -> list[_Sequence]:
    """Sequences of which no two share a command: those that follow each other are one.

    A turn of the same wheel, or a part of it, is no routine of its own; nor is it on other files.
    """
    kept: list[_Sequence] = []
    for one in found:
        mine = set(map(_without_files, one[0]))
        near = [at for at, other in enumerate(kept) if mine & set(map(_without_files, other[0]))]
        if not near:
            kept.append(one)
        elif len(near) == 1:
            other = kept[near[0]]
            kept[near[0]] = _chained(other, one) or _chained(one, other) or other
    return kept


def _without_files(command: str) -> tuple[str, ...]:
    """The words of a command that tell what is done, and not to what or how."""
    return tuple(word for word in command.split() if _PLAIN.fullmatch(word))


_PLAIN = re.compile(r"\w[\w:-]*")


def _chained(first: _Sequence, then: _Sequence) -> _Sequence | None:
    """One sequence of two, where what one ends in is what the other goes on with."""
    (commands, places), (more, others) = first, then
    if commands[-1] != more[0] or set(commands) & set(more[1:]):
        return None
    both = {
        conversation: [*window, *others[conversation][1:]]
        for conversation, window in places.items()
        if conversation in others and _place(window[-1]) <= _place(others[conversation][0])
    }
    return ((*commands, *more[1:]), both) if len(both) >= FEWEST_RUN else None


def _place(row: Mapping[str, Any]) -> tuple[int, int]:
    return row["seq"], row["place"]


def _pieces(rows: Sequence[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Commands up to a commit, which ends a piece of work; one that is repeated counts last."""
    piece: list[dict[str, Any]] = []
    for _, same in groupby(rows, key=_shown):
        piece.append(list(same)[-1])
        if piece[-1]["task"] == "commit":
            yield piece
            piece = []
    yield piece


def _passed(window: Sequence[dict[str, Any]]) -> bool:
    """Whether nothing tells that a command failed, and of one that it passed; none bypasses."""
    known = [row["passed"] for row in window]
    return (
        False not in known
        and True in known
        and not any(weakenings(row["command"]) for row in window)
    )


def _shown(row: Mapping[str, Any]) -> str:
    return f"cd {row['folder']} && {row['command']}" if row["folder"] else str(row["command"])


def _routine(
    project: str,
    commands: Sequence[str],
    places: Mapping[str, list[dict[str, Any]]],
    requests: Mapping[str, list[Request]],
) -> Iterator[tuple[str, Draft]]:
    ran = [
        {**row, "at": row["occurred_at"] or UNDATED, "quote_field": None, "candidate_id": ""}
        for window in places.values()
        for row in window
    ]
    seen = [one._replace(project=project) for one in occurrences(ran, requests)]
    steps = " ".join(f"{at}. `{command}`." for at, command in enumerate(commands, 1))
    tasks = dict.fromkeys(row["task"].replace("_", " ") for row in places[seen[0].conversation])
    content = labelled(
        ("When", f"before work on {project} is called done: {', '.join(tasks)}."),
        ("Steps", steps),
        ("Seen", "In this order, and passed, in three sessions and more."),
    )
    grounds = DraftGrounds(
        steps=True, guidance=True, changed=False, parts=3, stands_alone=True, linked=len(seen),
        proofs=len(seen),
    )  # fmt: skip
    title = shorten(f"Routine: {', then '.join(commands)}", LONGEST_TITLE)
    base = lesson("workflow", title, content, grounds, {project})
    yield from each_conversation(base, seen, FEWEST_RUN, OUTCOME, "commands_repeated")
