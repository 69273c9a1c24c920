"""What could not be read or done: lines, files and units, each with its place and why."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from cairn.knowledge.engine.work import ATTEMPTS
from cairn.knowledge.schema.identity import digest_column
from cairn.knowledge.schema.tables import DEAD_LETTERS, SOURCE_FILES, WORK
from cairn.serving.query.review.pairs import readers, settled

if TYPE_CHECKING:
    from cairn.resources.context import State
    from cairn.serving.read.reader import Reader

LONGEST_LINE = 2_000
"""Bytes that are shown of a line that could not be read."""


def letters(state: "State", namespace: str | None = None) -> list[dict[str, Any]]:
    """Dead letters, refused files and failed units, sorted by place (file:line:byte offset).

    They have `review_id`, by which they are dismissed; what somebody dismissed is not among them.
    """
    columns = [
        "namespace", "dead_letter_id", "stage", "source_file", "source_line", "source_offset",
        "unit", "reason", "answer",
    ]  # fmt: skip
    nothing = pl.lit(None, pl.String)
    files = state.warehouse.read(SOURCE_FILES).filter(
        pl.col("outcome").is_in(["rejected", "failed"])
    )
    failed = state.warehouse.read(WORK).filter(pl.col("outcome") == "failed")
    found = pl.concat(
        [
            state.warehouse.read(DEAD_LETTERS).select(columns),
            files.select(
                "namespace",
                nothing.alias("dead_letter_id"),
                pl.lit("records").alias("stage"),
                pl.col("path").alias("source_file"),
                pl.lit(1, pl.Int64).alias("source_line"),
                pl.lit(0, pl.Int64).alias("source_offset"),
                nothing.alias("unit"),
                "reason",
                nothing.alias("answer"),
            ),
            failed.select(
                "namespace",
                nothing.alias("dead_letter_id"),
                "stage",
                pl.col("unit").alias("source_file"),
                pl.lit(None, pl.Int64).alias("source_line"),
                pl.lit(None, pl.Int64).alias("source_offset"),
                "unit",
                pl.concat_str(
                    pl.lit("attempt "), "attempts", pl.lit(f" of {ATTEMPTS} failed")
                ).alias("reason"),
                nothing.alias("answer"),
            ),
        ]
    )
    if namespace is not None:
        found = found.filter(pl.col("namespace") == namespace)
    place = ["namespace", "source_file", "source_line", "source_offset", "stage", "dead_letter_id"]
    # By the end of its path: what was dismissed stays so where logs or home were moved.
    file = pl.col("source_file").str.split("/").list.tail(2).list.join("/")
    own = digest_column(
        "namespace", file, "source_line", "source_offset", "stage", "reason", prefix="v_"
    )
    rows = found.sort(place).with_columns(review_id=own).collect().to_dicts()
    there = {row["namespace"] for row in rows}
    gone = {one.namespace: settled(one) for one in readers(state, namespace)
            if one.namespace in there}  # fmt: skip
    return [
        row for row in rows
        if row["namespace"] not in gone or not gone[row["namespace"]]([row["review_id"]])
    ]  # fmt: skip


def shown(state: "State", rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Letters with the `line` as it stands in its file, and the answer that was none.

    Both are redacted, and null where there is none: `model_output` as it came, with `model` and
    `attempts`.
    """
    keys = {row["answer"] for row in rows if row["answer"]}
    kept = state.answers.read(keys) if keys else {}
    found: list[dict[str, Any]] = []
    for row in rows:
        answer = kept.get(row["answer"])
        known = (answer.model, answer.attempts, answer.text) if answer else (None, None, None)
        found.append(
            {**row, "line": _line(row["source_file"], row["source_offset"]),
             **dict(zip(("model", "attempts", "model_output"), known, strict=True))}
        )  # fmt: skip
    return found


def _line(file: str, offset: int | None) -> str | None:
    """What stands at a place of a file, without secrets; None where nothing does any more."""
    from cairn.knowledge.redaction import redactor

    if offset is None:
        return None
    try:
        with Path(file).open("rb") as logs:
            logs.seek(offset)
            line = logs.readline(LONGEST_LINE)
    except (OSError, ValueError):
        return None
    return redactor().redact_text(line.decode("utf-8", "replace").strip())[0] or None


def dead_letters(reader: "Reader", limit: int = 20) -> dict[str, Any]:
    """Letters of a namespace by place, as they stand now, and how many there are."""
    found = letters(reader.state, reader.namespace)
    return {"total": len(found), "items": shown(reader.state, found[:limit])}
