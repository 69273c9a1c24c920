"""What is held in quarantine, since it gives orders to a language model."""

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from cairn.resources.context import State

WHY = {"instructions": "it gives orders to a model, or stands in a message that does"}
"""Why something is held, by the reason that its row has."""

_COLUMNS = (
    "namespace", "id", "kind", "content", "quote", "origin", "conversation_id", "record_id",
    "occurred_at", "extractor", "reason",
)  # fmt: skip


def proposals(state: "State", namespace: str | None, *, by_rules: bool = False) -> pl.DataFrame:
    """Names and facts that a model proposed, or that rules found."""
    from cairn.knowledge.llm.prompt_injection import QUARANTINED_ORDERS
    from cairn.knowledge.schema.tables import KNOWN_ONLY_CANDIDATES, REJECTED_FACTS, THEME_FACTS

    tables = (
        REJECTED_FACTS,
        KNOWN_ONLY_CANDIDATES,
        THEME_FACTS,
    )  # columns of candidates, and reason
    rows = pl.concat(
        state.warehouse.read(table, namespace=namespace)
        .filter(pl.col("reason") == QUARANTINED_ORDERS, (pl.col("mode") == "rule") == by_rules)
        .rename({"candidate_id": "id"})
        .select(_COLUMNS)
        for table in tables
    )
    return _told(state, rows.collect(), namespace)


def lessons(state: "State", namespace: str | None) -> pl.DataFrame:
    """Drafts of lessons, each by the first message that it rests on."""
    from cairn.knowledge.learnings.draft import decode
    from cairn.knowledge.llm.prompt_injection import QUARANTINED_ORDERS
    from cairn.knowledge.schema.tables import LEARNING_CANDIDATES, REJECTED_FACTS

    columns = ["namespace", "conversation_id", "drafts"]
    kept = (
        state.warehouse.read(LEARNING_CANDIDATES, namespace=namespace)
        .filter(pl.col("drafts").str.contains(f'"refused":"{QUARANTINED_ORDERS}"', literal=True))
        .select(columns)
        .collect()
    )
    rows = [
        {
            "namespace": owner,
            "kind": draft.category,
            "content": f"{draft.title}\n{draft.content}",
            "quote": quote.text if quote else None,
            "conversation_id": conversation,
            "record_id": quote.record_id if quote else None,
            "occurred_at": draft.occurred_at,
            "extractor": draft.extractor,
            "reason": draft.refused,
        }
        for owner, conversation, drafts in kept.iter_rows()
        for draft in decode(drafts)
        if draft.refused == QUARANTINED_ORDERS
        for quote in [next(iter(draft.quotes), None)]
    ]
    types = {name: REJECTED_FACTS.schema.get(name, pl.String) for name in _COLUMNS}
    return _told(state, pl.DataFrame(rows, schema=types), namespace)


def lines(state: "State", namespace: str | None) -> pl.DataFrame:
    """Lines that are left out of episodes, and commands that nothing comes of."""
    from cairn.knowledge.ingest.sessions import in_episodes
    from cairn.knowledge.llm.prompt_injection import QUARANTINED_ORDERS, order_spans, orders_among
    from cairn.knowledge.schema.tables import EPISODES, RAW_LOGS

    episodes = state.warehouse.read(EPISODES, namespace=namespace)
    if "quarantined" not in episodes.collect_schema():  # of a version before this
        episodes = episodes.with_columns(quarantined=pl.lit(0))
    quarantined = episodes.filter(pl.col("quarantined") > 0).select(
        "namespace", "episode_id", "quarantined"
    )
    logs = (
        state.warehouse.read(RAW_LOGS, namespace=namespace)
        .filter(in_episodes() | (pl.col("kind") == "command"))
        .join(quarantined, on=["namespace", "episode_id"], how="left")
        .filter(pl.col("quarantined").is_not_null() | (pl.col("kind") == "command"))
        .collect()
    )
    logs = logs.filter(orders_among(logs["text"]))
    content = [
        "\n".join(text[start:end].strip() for start, end in order_spans(text, origin))
        for text, origin in logs.select("text", "origin").iter_rows()
    ]
    rows = logs.with_columns(
        pl.Series("content", content, dtype=pl.String),
        id="record_id",
        quote=pl.lit(None, pl.String),
        extractor=pl.lit("episodes"),
        reason=pl.lit(QUARANTINED_ORDERS),
    ).filter(pl.col("content") != "")
    return _told(state, rows.select(_COLUMNS), namespace)


def _told(state: "State", rows: pl.DataFrame, namespace: str | None) -> pl.DataFrame:
    """Held rows by time, with who said it, by which prompt it was found, and what the order is."""
    from cairn.knowledge.llm.prompt_injection import orders
    from cairn.knowledge.schema.tables import RAW_LOGS

    place = ["namespace", "record_id"]
    columns = [*place, "origin", "name", "text"]
    said = state.warehouse.read(RAW_LOGS, namespace=namespace).select(columns)
    found = (
        rows.lazy()
        .join(said, on=place, how="left", suffix="_said")
        .with_columns(
            origin=pl.coalesce("origin", "origin_said"),
            prompt=pl.col("extractor").str.extract(r"/([^@]+)@"),
        )
        .sort("namespace", "occurred_at", "record_id", "content", "extractor", nulls_last=True)
        .collect()
    )
    words = [
        next((order for text in texts if text and (order := orders(text, origin or ""))), None)
        for origin, *texts in found.select("origin", "content", "quote", "text").iter_rows()
    ]
    order = pl.Series("order", words, dtype=pl.String)
    return found.with_columns(order).select(*_COLUMNS[:-2], "name", "prompt", "reason", "order")
