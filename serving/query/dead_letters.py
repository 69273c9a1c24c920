"""What could not be read or done: lines, files and units, each with its place and why."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from cairn.knowledge.engine.work import ATTEMPTS
from cairn.knowledge.schema.identity import digest
from cairn.knowledge.schema.tables import DEAD_LETTERS, SOURCE_FILES, WORK
from cairn.serving.query.review.pairs import dismissed, readers

if TYPE_CHECKING:
    from cairn.resources.context import State
    from cairn.serving.read.reader import Reader

LONGEST_LINE = 2_000
"""Bytes that are shown of a line that could not be read."""


def letters(state: "State", namespace: str | None = None) -> list[dict[str, Any]]:
    """Dead letters, refused files and failed units, sorted by place (file:line:byte offset).

    What somebody dismissed is not among them.
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
    rows = found.sort(place).collect().to_dicts()
    if not rows:
        return rows
    there = {row["namespace"] for row in rows}
    gone = {one.namespace: dismissed(one) for one in readers(state, namespace)
            if one.namespace in there}  # fmt: skip
    # Each id takes a look into the file.
    return [
        row for row in rows
        if not (own := gone.get(row["namespace"])) or review_id(row) not in own
    ]  # fmt: skip


def review_id(letter: dict[str, Any]) -> str:
    """By which a letter is dismissed: its place, why, and the line as it stands.

    Of the path the end, so that what was dismissed stays so where logs or home were moved.
    """
    return _review_id(letter, _raw(letter))


def _review_id(letter: dict[str, Any], line: str) -> str:
    place = [letter[name] for name in ("source_line", "source_offset", "stage", "reason")]
    file = "/".join(letter["source_file"].split("/")[-2:])
    return "v_" + digest(file, *place, line)


def shown(state: "State", rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Letters with `review_id`, the `line` as it stands in its file, and the answer that was none.

    Both are redacted, and null where there is none: `model_output` as it came, with `model` and
    `attempts`.
    """
    from cairn.knowledge.redaction import redactor

    keys = {row["answer"] for row in rows if row["answer"]}
    kept = state.answers.read(keys) if keys else {}
    found: list[dict[str, Any]] = []
    for row in rows:
        answer = kept.get(row["answer"])
        known = (answer.model, answer.attempts, answer.text) if answer else (None, None, None)
        said = dict(zip(("model", "attempts", "model_output"), known, strict=True))
        raw = _raw(row)
        line = redactor().redact_text(raw.strip())[0] or None
        found.append({**row, "review_id": _review_id(row, raw), "line": line, **said})
    return found


def _raw(letter: dict[str, Any]) -> str:
    """The line that a letter is about, as it stands in its file; nothing where none does any more.

    It may hold secrets.
    """
    if letter["source_offset"] is None:
        return ""
    try:
        with Path(letter["source_file"]).open("rb") as logs:
            logs.seek(letter["source_offset"])
            return logs.readline(LONGEST_LINE).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""


def dead_letters(reader: "Reader", limit: int = 20) -> dict[str, Any]:
    """Letters of a namespace by place, as they stand now, and how many there are."""
    found = letters(reader.state, reader.namespace)
    return {"total": len(found), "items": shown(reader.state, found[:limit])}
