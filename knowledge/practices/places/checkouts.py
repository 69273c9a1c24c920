"""The folders of repositories that each conversation saw, and what it saw of them."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import polars as pl

from cairn.knowledge.dialogue.tool_calls import PATH_INPUTS, ToolStep, steps
from cairn.knowledge.dialogue.turns import Turn, conversations, heads, readable
from cairn.knowledge.engine.extractors import Extractor
from cairn.knowledge.nlp.names import worktree_place
from cairn.knowledge.practices.places.folders import Checkouts, normal, under
from cairn.knowledge.practices.places.repositories import (
    REMOTE,
    remote_of,
    repository_folder,
    seen_of_repositories,
    worktrees_of,
)
from cairn.knowledge.schema.tables import CHECKOUTS

EXTRACTOR = Extractor(
    "checkouts", "rule", 3,
    "Folders of repositories: where a conversation worked, remotes and worktrees that git showed.",
)  # fmt: skip

PROJECT, LAYOUT, FILE = "project", "layout", "file"
"""A conversation worked there; its path says that it is a worktree; what was opened in it."""

REMOTE_FIELD = "repository_url"
"""Where the head of a session says from where its repository is fetched."""

DEEP = 3
"""Folders above a file that make its path a mark of its repository: `src/app.py` is of many."""
MOST_FILES = 200


def checkouts_of(turns: Sequence[Turn], known: Sequence[ToolStep] | None = None) -> Checkouts:
    """The folders in which a conversation had its project, by their paths and by what git said."""
    project = next((turn.project for turn in turns if turn.project), None)
    worktrees = worktrees_of(steps(turns) if known is None else known, project)
    return Checkouts(project, (turn.cwd for turn in turns if turn.cwd), worktrees)


def checkouts(raw_logs: pl.DataFrame) -> pl.DataFrame:
    """One row for each conversation, folder and thing that was seen of it.

    Each conversation is read by its own rows alone.
    """
    head = heads(raw_logs, EXTRACTOR.label)
    rows: dict[tuple[str, ...], dict[str, Any]] = {}

    def add(namespace: str, conversation: str, row: dict[str, Any]) -> None:
        key = (namespace, conversation, row["folder"], row["evidence"], row["value"])
        rows.setdefault(key, head[namespace, conversation] | row)

    for namespace, conversation, row in _heads(raw_logs):
        add(namespace, conversation, row)
    for namespace, conversation, turns in conversations(readable(raw_logs)):
        for row in _seen(turns):
            add(namespace, conversation, row)
    return CHECKOUTS.frame(rows.values())


def _heads(raw_logs: pl.DataFrame) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Remotes that the log itself tells."""
    told = pl.col("tool_input").str.json_path_match(f"$.{REMOTE_FIELD}")
    heads = (
        raw_logs.filter(
            pl.col("kind") == "note", pl.col("origin") == "system", pl.col("cwd").is_not_null()
        )
        .with_columns(url=told)
        .drop_nulls("url")
        .sort("namespace", "conversation_id", "seq", "record_id")
    )
    columns = ["namespace", "conversation_id", "cwd", "url", "record_id", "occurred_at"]
    for namespace, conversation, cwd, url, record, at in heads.select(columns).iter_rows():
        if remote := remote_of(url):
            folder = repository_folder(normal(cwd))
            yield namespace, conversation, _row(folder, REMOTE, remote, record, at)


def _seen(turns: Sequence[Turn]) -> Iterator[dict[str, Any]]:
    first = next((turn for turn in turns if turn.project), None)
    if first is None or first.project is None:
        return
    made = steps(turns)
    known = checkouts_of(turns, made)
    project = normal(first.project)
    yield _row(project, PROJECT, "", first.record_id, first.occurred_at)
    yield from islice(_files(made, known), MOST_FILES)
    begun = next((normal(turn.cwd) for turn in turns if turn.cwd), None)
    for root in known.roots:
        place = worktree_place(root)
        # The name of a worktree is one folder, unless the session began in one further down.
        if place and place.repository == project and (place.end == len(root) or root == begun):
            shown = next((turn for turn in turns if under(normal(turn.cwd or ""), root)), first)
            yield _row(root, LAYOUT, project, shown.record_id, shown.occurred_at)
    for one in seen_of_repositories(made, first.project):
        if one.folder != one.value:
            yield _row(*one[:3], one.turn.record_id, one.turn.occurred_at)


def _row(folder: str, evidence: str, value: str, record: str, at: Any) -> dict[str, Any]:
    return {
        "folder": folder, "evidence": evidence, "value": value, "record_id": record,
        "occurred_at": at,
    }  # fmt: skip


def _files(made: Sequence[ToolStep], known: Checkouts) -> Iterator[dict[str, Any]]:
    """Files deep in the repository that tools were given, each where it was first."""
    found: set[str] = set()
    for step in made:
        inputs, result = step.call.input, step.result
        named = [inputs[name] for name in PATH_INPUTS if isinstance(inputs.get(name), str)]
        if step.worked is not True or result is None or not (named or step.files):
            continue
        folder = known.relative(step.call.cwd or known.project or "")
        plain = {path for path in (*named, *step.files) if "\n" not in path}
        for place in sorted({known.beside(folder, path) or "" for path in plain} - found):
            if place.count("/") >= DEEP and "." in place.rsplit("/", 1)[-1]:
                found.add(place)
                yield _row(known.project or "", FILE, place, result.record_id, result.occurred_at)
