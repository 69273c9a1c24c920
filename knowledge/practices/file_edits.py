"""The files that agents edited, as the repository has them."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from cairn.knowledge.dialogue.tool_calls import steps
from cairn.knowledge.dialogue.turns import Turn, conversations, heads, readable
from cairn.knowledge.practices.command_runs import EXTRACTOR
from cairn.knowledge.practices.places.checkouts import checkouts_of
from cairn.knowledge.schema.tables import FILE_EDITS

_PLAIN = re.compile(r"[\w@+~ ./:\\()\[\]-]{1,300}")


def file_edits(raw_logs: pl.DataFrame) -> pl.DataFrame:
    """One row for each call and file of its project that it edited.

    Each conversation is read by its own rows alone.
    """
    head = heads(raw_logs, EXTRACTOR.label)
    return FILE_EDITS.frame(
        head[namespace, conversation] | row
        for namespace, conversation, turns in conversations(readable(raw_logs))
        for row in _edited(turns)
    )


def _edited(turns: Sequence[Turn]) -> Iterator[dict[str, Any]]:
    project = next((turn.project for turn in turns if turn.project), None)
    if project is None:
        return
    made = steps(turns)
    checkouts = checkouts_of(turns, made)
    for step in made:
        if step.kind != "edit" or step.worked is not True:
            continue
        folder = checkouts.relative(step.call.cwd or project)
        plain = (file for file in step.files if _PLAIN.fullmatch(file))
        for path in sorted({checkouts.beside(folder, file) or "" for file in plain} - {""}):
            yield {
                "project": project,
                "path": path,
                "record_id": step.call.record_id,
                "seq": step.call.seq,
                "occurred_at": step.result.occurred_at if step.result else step.call.occurred_at,
            }
