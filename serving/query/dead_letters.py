"""What could not be read or done: lines, files and units, each with its place and why."""

from typing import TYPE_CHECKING, Any

import polars as pl

from cairn.knowledge.engine.work import ATTEMPTS
from cairn.knowledge.schema.tables import DEAD_LETTERS, SOURCE_FILES, WORK

if TYPE_CHECKING:
    from cairn.resources.context import State
    from cairn.serving.read.reader import Reader


def letters(state: "State", namespace: str | None = None) -> list[dict[str, Any]]:
    """Dead letters, refused files and failed units, sorted by place (file:line:byte offset)."""
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
    order = ["namespace", "source_file", "source_line", "source_offset", "stage", "dead_letter_id"]
    return found.sort(order).collect().to_dicts()


def with_answers(state: "State", rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Letters with the answer that was none: `model_output` as it came, redacted, or null."""
    keys = {row["answer"] for row in rows if row["answer"]}
    kept = state.answers.read(keys) if keys else {}
    found: list[dict[str, Any]] = []
    for row in rows:
        answer = kept.get(row["answer"])
        known = (answer.model, answer.attempts, answer.text) if answer else (None, None, None)
        found.append(
            {**row, **dict(zip(("model", "attempts", "model_output"), known, strict=True))}
        )
    return found


def dead_letters(reader: "Reader", limit: int = 20) -> dict[str, Any]:
    """Letters of a namespace by place, as they stand now, and how many there are."""
    found = letters(reader.state, reader.namespace)
    return {"total": len(found), "items": with_answers(reader.state, found[:limit])}
