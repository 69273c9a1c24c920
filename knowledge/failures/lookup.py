"""What ended an error before, by the output that shows it again."""

from collections.abc import Collection
from pathlib import PurePosixPath
from typing import Any

import polars as pl

from cairn.knowledge.dialogue.errors import key_lines
from cairn.knowledge.engine.wilson import wilson
from cairn.knowledge.failures.signatures import (
    alike,
    failure_lines,
    is_generic,
    names_any,
    signature,
    slots,
)
from cairn.knowledge.schema.calendar import UNDATED

MOST_KEYS = 8
"""Key lines of an output that are looked up."""


def candidates(text: str) -> list[tuple[str | None, str, tuple[str, ...]]]:
    """Tool family (None if not known), signature and names of what may be the error in a text."""
    found: list[tuple[str | None, str, tuple[str, ...]]] = [
        (line.family, line.signature, line.names) for line in failure_lines(text)[:MOST_KEYS]
    ]
    # A line that nobody knows by itself may be one that was known by what was run.
    lines = [line for line in text.splitlines() if line.strip()]
    others = lines if len(lines) == 1 else [line.message for line in key_lines(text, MOST_KEYS)]
    for line in others:
        told = signature(line)
        if told and all(told != known for _, known, _ in found):
            found.append((None, told, slots(line)))
    return found


def lesson(
    signatures: pl.DataFrame, text: str, project: str | None = None, limit: int = 3
) -> dict[str, Any]:
    """What ended an error before.

    A signature is found as it is; else by all its words beside the slots, of the same family. A fix
    that names what stood in a slot is for that name only, and so is any fix of an error that
    its own words do not tell from others.

    Args:
        signatures: The table ERROR_SIGNATURES.
        text: A key line, or a whole output.
        project: A folder, or its name: only what was seen there.
        limit: Fixes, at most.

    Returns:
        signature (None if the text has no line that says why), tool_family, failures, last_seen,
        and fixes: id, text, wins, losses, last_seen, the best by their rank first.
    """
    if project is not None:
        name = PurePosixPath(project.rstrip("/")).name
        signatures = signatures.filter(
            pl.col("project").str.strip_chars_end("/").str.extract(r"([^/]*)$") == name
        )
    asked = candidates(text)
    best: dict[str, Any] | None = None
    for exact in (True, False):
        for family, told, names in asked:
            known = _known(signatures, family, told, exact=exact)
            if known.is_empty():
                continue
            found = {
                "signature": known["signature"][0],
                "tool_family": known["tool_family"][0],
                "failures": int(
                    known.unique(["project", "signature_id"], keep="any")["failures"].sum()
                ),
                "last_seen": known["last_seen"].max(),
                "fixes": _fixes(known, told, names)[:limit],
            }
            if found["fixes"]:
                return found
            best = best or found
    if best is not None:
        return best
    first = asked[0] if asked else (None, None, ())
    return {
        "signature": first[1], "tool_family": first[0], "failures": 0, "last_seen": None,
        "fixes": [],
    }  # fmt: skip


def _known(signatures: pl.DataFrame, family: str | None, told: str, *, exact: bool) -> pl.DataFrame:
    """Rows of a signature."""
    if exact:
        found = signatures.filter(pl.col("signature") == told)
        mine = found.filter(pl.col("tool_family") == (family or ""))
        return found if mine.is_empty() else mine
    if family is None:
        return signatures.clear()
    mine = signatures.filter(pl.col("tool_family") == family)
    near = sorted({other for other in mine["signature"] if alike(told, other)})
    return mine.filter(pl.col("signature") == near[0]) if near else mine.clear()


def _fixes(known: pl.DataFrame, told: str, names: tuple[str, ...]) -> list[dict[str, Any]]:
    """Fixes of one signature over all projects, the best first."""
    united = (
        known.filter(pl.col("fix").is_not_null())
        .sort("namespace", "project", "fix_id")
        .group_by("fix_id", maintain_order=True)
        .agg(
            pl.col("fix", "fix_kind").first(),
            pl.col("wins", "losses").sum(),
            names=pl.col("names").explode().drop_nulls().unique().sort(),
            last_seen=pl.col("fix_last_seen").max(),
        )
    )
    rows: list[dict[str, Any]] = []
    for row in united.iter_rows(named=True):
        if not is_of(names, row["names"]) and is_for_its_names(
            row["fix"], row["fix_kind"], told, row["names"]
        ):
            continue
        rows.append(
            {
                "id": row["fix_id"],
                "text": row["fix"],
                "wins": row["wins"],
                "losses": row["losses"],
                "last_seen": row["last_seen"],
                "rank": wilson(row["wins"], row["losses"]),
            }
        )
    rows.sort(key=lambda row: (row["last_seen"] or UNDATED, row["id"]), reverse=True)
    rows.sort(key=lambda row: -row["rank"])
    return [{key: value for key, value in row.items() if key != "rank"} for row in rows]


def is_of(names: Collection[str], ended: Collection[str]) -> bool:
    """Whether an error with some names is one of those that a fix ended, by all of their names."""
    return set(ended) <= set(names) or (bool(names) and set(names) <= set(ended))


def is_for_its_names(fix: str, kind: str | None, told: str, names: Collection[str]) -> bool:
    """Whether a fix is for what stood in the slots of its error alone, and not for all like it."""
    return kind == "install" or is_generic(told) or names_any(fix, names)


def known_by(failures: pl.DataFrame, moment: Any) -> pl.DataFrame:
    """FAILURES as they were known at a moment: what was not settled then was open."""
    there = failures.filter((pl.col("occurred_at") <= moment).fill_null(value=True))
    later = (pl.col("settled_at") > moment).fill_null(value=False)
    return there.with_columns(
        outcome=pl.when(later).then(pl.lit("open")).otherwise("outcome"),
        **{
            name: pl.when(~later).then(pl.col(name)).alias(name)
            for name in ("fix", "fix_kind", "cause", "passed_record_id")
        },
    )
