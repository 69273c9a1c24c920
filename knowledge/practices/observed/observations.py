"""The table of what is told of a project by calls, working folders and requests in passing.

One conversation at a time.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from cairn.knowledge.dialogue.tool_calls import steps
from cairn.knowledge.dialogue.turns import CONVERSATION, Turn, conversations, heads, readable
from cairn.knowledge.engine.extractors import Extractor
from cairn.knowledge.practices.observed.branches import branches, remotes, worked_on
from cairn.knowledge.practices.observed.calls import Observation, shell_call
from cairn.knowledge.practices.observed.commits import commits
from cairn.knowledge.practices.observed.ports import ports, services
from cairn.knowledge.practices.observed.requests import requests
from cairn.knowledge.practices.observed.systems import of_folder, systems
from cairn.knowledge.practices.observed.versions import versions
from cairn.knowledge.practices.places.folders import Checkouts
from cairn.knowledge.schema.tables import OBSERVATIONS

EXTRACTOR = Extractor(
    "observations", "rule", 6,
    "What calls tell of a project: versions, commits, branches, remotes, ports, services, systems; "
    "and what a person asks for.",
)  # fmt: skip

RULES = (versions, commits, branches, remotes, ports, services, systems)


def observations(raw_logs: pl.DataFrame) -> pl.DataFrame:
    """One row for each call or request, and each thing of its project that it tells.

    Each conversation is read by its own rows alone.
    """
    head = heads(raw_logs, EXTRACTOR.label)
    placed = (
        raw_logs.filter(pl.col("cwd").is_not_null())
        .sort(*CONVERSATION, "seq", "record_id")
        .unique([*CONVERSATION, "cwd", "branch"], keep="first", maintain_order=True)
    )
    places = {(namespace, of): turns for namespace, of, turns in conversations(placed)}
    return OBSERVATIONS.frame(
        head[namespace, conversation] | row
        for namespace, conversation, turns in conversations(readable(raw_logs))
        for row in _of(turns, places.get((namespace, conversation), []))
    )


def _of(turns: Sequence[Turn], where: Sequence[Turn]) -> Iterator[dict[str, Any]]:
    """What one conversation tells: `where` are the records of new folders and branches."""
    project = next((turn.project for turn in turns if turn.project), None)
    if project is None:
        return
    checkouts = Checkouts(project, (turn.cwd for turn in where if turn.cwd))
    for turn, place, told in _by_logs(where, checkouts):
        yield _row(project, turn, turn, place, told)
    for turn in turns:
        for place, told in enumerate(requests(turn)):
            yield _row(project, turn, turn, place, told)
    for step in steps(turns):
        call = shell_call(step, checkouts)
        if call is None:
            continue
        found: dict[tuple[str, ...], Observation] = {}
        for each in (each for rule in RULES for each in rule(call)):
            found.setdefault((each.kind, each.name, each.value or ""), each)
        for place, told in enumerate(found.values()):
            # What a call tells is known once it has ended.
            yield _row(project, step.call, step.result or step.call, place, told)


def _by_logs(
    where: Sequence[Turn], checkouts: Checkouts
) -> Iterator[tuple[Turn, int, Observation]]:
    """Systems and branches that the log itself tells, each where it comes first.

    Their places are below 0, so that they stand beside what a call of the same record tells.
    """
    seen: set[Observation] = set()
    for turn in where:
        if not turn.cwd or checkouts.relative(turn.cwd) is None:
            continue
        told = (of_folder(turn.cwd), worked_on(turn.branch) if turn.branch else None)
        for place, each in enumerate(told, -len(told)):
            if each is not None and each not in seen:
                seen.add(each)
                yield turn, place, each


def _row(project: str, turn: Turn, ended: Turn, place: int, told: Observation) -> dict[str, Any]:
    return {
        "record_id": turn.record_id,
        "place": place,
        "seq": turn.seq,
        "occurred_at": ended.occurred_at,
        "project": project,
        **told._asdict(),
    }
