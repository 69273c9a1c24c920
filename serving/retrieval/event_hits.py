"""Events that a search finds where it asks for them: by their words, since no index holds them."""

from collections import Counter
from collections.abc import Iterable
from math import log

import polars as pl

from cairn.knowledge.consolidation.verdicts.standing import IN_FORCE
from cairn.knowledge.nlp.text import STOP_WORDS
from cairn.knowledge.schema.fact_types import is_event
from cairn.knowledge.schema.predicates import EVENT_PREDICATES
from cairn.knowledge.schema.tables import CONVERSATIONS, FACT_SOURCES
from cairn.resources.vector_index.protocol import Filters, Hit
from cairn.serving.read.reader import Reader
from cairn.serving.retrieval.ranking import stems

FACTS = "fact"


def asked_for(only: Filters, *, events: bool) -> bool:
    """Whether a search is for events, too: it says so, or names a predicate of theirs."""
    return events or not EVENT_PREDICATES.isdisjoint(only.predicates or ())


def event_hits(reader: Reader, query: str, only: Filters, limit: int) -> list[Hit]:
    """Events with words of a query: those with the rarest come first, then the latest."""
    if only.categories or (only.kinds is not None and FACTS not in only.kinds):
        return []  # those are of learnings
    wanted = stems(query, but=STOP_WORDS)
    held = pl.col("status").is_in(list(only.statuses or IN_FORCE))
    there = (
        reader.memory()
        .filter(is_event(), held, *_besides(only))
        .select("fact_id", "entity", "content", "predicate", "last_event_at")
        .sort(
            pl.col("last_event_at").dt.epoch("us").fill_null(0), "fact_id",
            descending=[True, False],
        )
        .collect()
    )  # fmt: skip
    if only.sources:
        there = there.join(_heard(reader, only.sources), on="fact_id", how="semi")
    own = [wanted & stems(f"{row[0] or ''} {row[1]}") for row in _texts(there)]
    often = Counter(word for words in own for word in words)
    rarity = {word: log(1 + there.height / count) for word, count in often.items()}
    worth = [sum(rarity[word] for word in sorted(words)) for words in own]
    best = sorted((at for at, its in enumerate(worth) if its), key=lambda at: -worth[at])[:limit]
    rows = there.to_dicts()
    return [
        Hit(
            rows[at]["fact_id"], FACTS, None, worth[at], None, rank,
            {"predicate": rows[at]["predicate"]}, None,
        )
        for rank, at in enumerate(best, 1)
    ]  # fmt: skip


def _texts(there: pl.DataFrame) -> Iterable[tuple[str | None, str]]:
    return there.select("entity", "content").iter_rows()


def _besides(only: Filters) -> list[pl.Expr]:
    """What a search asks of facts beside its words."""
    among = {
        "entity_id": only.entity_ids,
        "predicate": only.predicates,
        "knowledge_type": only.knowledge_types,
        "info_type": only.info_types,
    }
    asked = [pl.col(name).is_in(list(any_of)) for name, any_of in among.items() if any_of]
    if only.from_day:
        asked.append(pl.col("last_event_at").dt.strftime("%Y-%m-%d") >= only.from_day)
    if only.to_day:
        asked.append(pl.col("first_seen").dt.strftime("%Y-%m-%d") <= only.to_day)
    return asked


def _heard(reader: Reader, sources: Iterable[str]) -> pl.DataFrame:
    """Facts from some kinds of logs."""
    talks = reader.table(CONVERSATIONS, ["conversation_id", "source"])
    mine = talks.filter(pl.col("source").is_in(list(sources)))
    said = reader.table(FACT_SOURCES, ["fact_id", "conversation_id"])
    return said.join(mine, on="conversation_id", how="semi").select("fact_id").unique().collect()
