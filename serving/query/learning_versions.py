"""Earlier versions of learnings, from the answers that are kept."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from cairn.knowledge.schema.tables import RAW_LOGS
from cairn.serving.read.reader import Reader


def versions_of(reader: Reader, learnings: pl.DataFrame) -> Mapping[str, list[dict[str, Any]]]:
    """Each wording of some learnings that prompts and models gave, the oldest first.

    `learnings` has namespace, learning_id, category, source_record_ids.

    Returns:
        By learning_id, rows of learnings.llm.versions.VERSIONS; none for a learning of
        which only rules spoke. An answer that saw a record that is gone tells nothing.
    """
    answers = reader.state.answers
    prompts = [f"learning_{category}" for category in learnings["category"].unique()]
    sources = learnings["source_record_ids"].explode().drop_nulls().unique()
    kept = answers.about(reader.namespace, prompts, sources)
    if not kept:
        return {}
    from cairn.knowledge.learnings.llm.versions import ANSWERS, versions

    saw = pl.DataFrame(
        [(key, record) for key, seen in answers.records(k.key for k in kept).items()
         for record in seen],
        schema={"key": pl.String, "record_id": pl.String}, orient="row",
    )  # fmt: skip
    places = reader.table(RAW_LOGS, ["record_id", "conversation_id", "seq"])
    shown = (
        saw.lazy()
        .join(places, on="record_id", how="left")
        .filter(pl.col("seq").is_not_null().all().over("key"))
        .sort("key", "conversation_id", "seq")
        .group_by("key", "conversation_id", maintain_order=True)
        .agg(record_ids="record_id")
        .collect()
    )
    said = pl.DataFrame([answer._asdict() for answer in kept]).join(shown, on="key")
    found = versions(learnings, said.select(ANSWERS.names()).cast(ANSWERS))
    return {
        str(learning_id): rows.drop("learning_id").to_dicts()
        for (learning_id,), rows in found.group_by("learning_id", maintain_order=True)
    }
