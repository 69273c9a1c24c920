"""What people say of a learning: a thumb up or down moves its confidence.

A reaction in the inbox names the learning in `reply_to`, and may say what it meant: the category
and messages that it rests on. So it is found again when a changed rule, prompt or model words it
anew, which gives it another id.

Learnings do not fade, so a history is the product of the maps `c + s (1 - c)` for s > 0 and
`c (1 + s)` for s < 0 in the order of event time and record; nothing else of when or how it arrived
counts.
"""

from typing import Any

import msgspec
import polars as pl

from cairn.knowledge.consolidation.confidence import history
from cairn.knowledge.schema.calendar import undated
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import LEARNINGS

STRENGTH = 0.3
"""How strong a thumb is unless the reaction says otherwise."""

UP = ("👍", "+1", "thumbsup", "thumbs up", "thumbs_up", "up", "upvote")
DOWN = ("👎", "-1", "thumbsdown", "thumbs down", "thumbs_down", "down", "downvote")

_ID = r"^l_[0-9a-f]{16}$"
_TONES = "[\\x{1F3FB}-\\x{1F3FF}\\x{FE0F}]"
"""Skin tones and presentation selectors behind an emoji."""

REACTIONS = (
    (pl.col("kind") == "reaction")
    & (pl.col("origin") == "human")
    & pl.col("reply_to").str.contains(_ID)
)
"""Rows of RAW_LOGS that may be thumbs for learnings."""

SCHEMA = pl.Schema(
    {
        "namespace": pl.String(),
        "learning_id": pl.String(),
        "record_id": pl.String(),
        "weight": pl.Float64(),
        "occurred_at": pl.Datetime("us", "UTC"),
        "category": pl.String(),
        "records": pl.List(pl.String()),
    }
)


class RatedThing(msgspec.Struct, frozen=True):
    """What a thumb is for, beside the id that it had."""

    category: str
    records: tuple[str, ...]
    """Messages that it rests on."""


class _Said(msgspec.Struct, frozen=True):
    meant: Any = None


def feedback(raw_logs: pl.DataFrame) -> pl.DataFrame:
    """Thumbs up and down that people gave learnings.

    Args:
        raw_logs: Rows of RAW_LOGS; reactions whose `reply_to` is a learning are read. Their
            strength, 0 to 1, is `strength` in `tool_input`, else STRENGTH.

    Returns:
        Rows of SCHEMA, sorted: who is meant, by which record, how strongly (-1 to 1), when; and as
        `Meant` has them category and records, empty where a thumb says no more than an id.
    """
    thumb = pl.col("text").str.replace_all(_TONES, "").str.strip_chars(" :\t\n").str.to_lowercase()
    sign = pl.when(thumb.is_in(UP)).then(1.0).when(thumb.is_in(DOWN)).then(-1.0)
    told = pl.col("tool_input").str.json_path_match("$.strength").cast(pl.Float64, strict=False)
    strength = told.fill_nan(None).fill_null(STRENGTH).clip(0.0, 1.0)
    thumbs = (
        raw_logs.filter(REACTIONS)
        .select(
            "namespace",
            "record_id",
            "occurred_at",
            "tool_input",
            learning_id="reply_to",
            weight=sign * strength,
        )
        .drop_nulls("weight")
    )
    meant = [meant_of(said) for said in thumbs["tool_input"]]
    return (
        thumbs.with_columns(
            category=pl.Series([one and one.category for one in meant], dtype=pl.String),
            records=pl.Series(
                [list(one.records) if one else [] for one in meant], dtype=pl.List(pl.String)
            ),
        )
        .select(SCHEMA.names())
        .sort("namespace", "learning_id", "record_id")
    )


def meant_of(tool_input: str | None) -> RatedThing | None:
    """What the `tool_input` of a reaction says that it means; None if it says nothing of that."""
    try:
        return msgspec.convert(msgspec.json.decode(tool_input or "", type=_Said).meant, RatedThing)
    except msgspec.DecodeError:
        return None


def moved(
    stored: pl.DataFrame, names: pl.DataFrame, given: pl.DataFrame | None, policy: Policy
) -> pl.DataFrame:
    """Learnings with the column `feedback`, and `confidence` as it stands after it.

    Args:
        stored: namespace, learning_id, category, source_record_ids, confidence and more.
        names: namespace, named, learning_id: who stands for each learning that was ever drafted,
            so that a thumb for one that was merged goes to the one that stays.
        given: Rows of SCHEMA; None for none.
        policy: For the maps.
    """
    given = pl.DataFrame(schema=SCHEMA) if given is None else given
    key = ["namespace", "learning_id"]
    told = _placed(given, stored, names).select(
        "namespace",
        "occurred_at",
        "weight",
        fact_id="learning_id",
        evidence_id="record_id",
        kind=pl.lit("feedback"),
    )
    first = stored.select(
        "namespace", "confidence", fact_id="learning_id", occurred_at=undated(),
        decay_per_day=pl.lit(0.0),
    )  # fmt: skip
    steps = (
        history(first, told, policy)
        .filter(cause="feedback")
        .join(
            told.select("namespace", "fact_id", "evidence_id", "weight", given_at="occurred_at"),
            on=["namespace", "fact_id", "evidence_id"],
        )
        .sort("namespace", "fact_id", "seq")
        .group_by("namespace", learning_id="fact_id", maintain_order=True)
        .agg(
            after=pl.col("confidence").last(),
            feedback=pl.struct(
                record_id="evidence_id", occurred_at="given_at", weight="weight",
                confidence="confidence",
            ),
        )
    )  # fmt: skip
    none = pl.lit([], dtype=LEARNINGS.schema["feedback"])
    return (
        stored.join(steps, on=key, how="left")
        .with_columns(
            pl.coalesce("after", "confidence").alias("confidence"),
            pl.col("feedback").fill_null(none),
        )
        .drop("after")
    )


def _placed(given: pl.DataFrame, stored: pl.DataFrame, names: pl.DataFrame) -> pl.DataFrame:
    """Thumbs with the learning that each moves: the one that it names, else what it meant.

    That is the learning of its category with which it has the most messages in common.
    """
    key = ["namespace", "named"]
    thumbs = given.rename({"learning_id": "named"})
    named = thumbs.join(names.unique(key, keep="any"), on=key)
    meant = (
        thumbs.join(names, on=key, how="anti")
        .explode("records")
        .join(
            stored.select(
                "namespace", "category", "learning_id", records="source_record_ids"
            ).explode("records"),
            on=["namespace", "category", "records"],
        )
        .group_by("namespace", "record_id", "learning_id")
        .agg(pl.col("occurred_at", "weight").first(), shared=pl.col("records").n_unique())
        .sort("shared", "learning_id", descending=[True, False])
        .unique(["namespace", "record_id"], keep="first", maintain_order=True)
    )
    columns = ["namespace", "learning_id", "record_id", "occurred_at", "weight"]
    return pl.concat([named.select(columns), meant.select(columns)])


def unplaced(given: pl.DataFrame, stored: pl.DataFrame) -> pl.DataFrame:
    """Feedback that moved no learning: there is none of the id it names, so a person must look."""
    used = stored.select("namespace", "feedback").explode("feedback").drop_nulls()
    records = used.select("namespace", pl.col("feedback").struct.field("record_id"))
    return given.join(records, on=["namespace", "record_id"], how="anti")
