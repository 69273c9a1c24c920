"""A year of made-up facts, their sources and episodes, of the shape that real ones have."""

import random
from datetime import timedelta
from typing import NamedTuple

import numpy as np
import polars as pl

from benchmarks.pairs import statements
from cairn.knowledge.engine.stage import Frames
from cairn.knowledge.nlp.text import words
from cairn.knowledge.schema.calendar import EPOCH, day
from cairn.knowledge.schema.tables import ENTITIES, EPISODES, FACT_SOURCES, FACTS, LEARNINGS

NAMESPACE = "benchmark"
DAYS = 365
FACTS_OF_AN_ENTITY = 12
FACTS_OF_A_CONVERSATION = 25
EPISODES_OF_A_CONVERSATION = 5
LATE = 0.01
"""Share of the conversations that are of the last night."""

_PREDICATES = ("states", "states", "states", "discovery", "provides_solution", "identifies_issue",
               "connects_to_host", "executed_command")  # fmt: skip


class World(NamedTuple):
    """Tables of facts and episodes before the last night, and after it."""

    before: dict[str, pl.DataFrame]
    after: dict[str, pl.DataFrame]


def world(count: int) -> World:
    """About `count` facts, and what was known of them a night before.

    Entities have facts by Zipf's law; every third fact is one of its entity said with another word.
    A fact has one source or a few, in different conversations; half of the episodes say what some
    fact says, among other words. Everything is drawn from a seed.
    """
    dice = np.random.default_rng(0)
    said = statements(count)
    entity = _entities(count, dice)
    predicate = dice.integers(0, len(_PREDICATES), count)
    base = np.arange(2, count, 3)
    _like_the_one_that_it_repeats(said, entity, predicate, base)
    conversations = max(count // FACTS_OF_A_CONVERSATION, 100)
    known = pl.DataFrame(
        {
            "fact_id": [f"f_{number:016x}" for number in dice.permutation(count)],
            "entity_id": [f"e_{number:08}" for number in entity],
            "predicate": [_PREDICATES[number] for number in predicate],
            "content": said,
        }
    ).with_row_index("fact")
    sources = _sources(count, conversations, dice).join(known, on="fact")
    episodes = _episodes(said, conversations, dice)
    late = int(conversations * (1 - LATE))
    tables = [
        _tables(
            sources.filter(pl.col("conversation") < limit),
            episodes.filter(pl.col("conversation") < limit),
        )
        for limit in (late, conversations)
    ]
    return World(*tables)


def _entities(count: int, dice: np.random.Generator) -> np.ndarray:
    entities = max(count // FACTS_OF_AN_ENTITY, 10)
    share = 1 / np.arange(1, entities + 1) ** 0.9
    return dice.choice(entities, count, p=share / share.sum())


def _like_the_one_that_it_repeats(
    said: list[str], entity: np.ndarray, predicate: np.ndarray, again: np.ndarray
) -> None:
    """Each statement that repeats another is about its entity: a word of one before is changed."""
    dice = random.Random(1)
    last: dict[int, int] = {}
    fresh = iter(again)
    waiting = next(fresh, None)
    for number in range(len(said)):
        if number == waiting:
            of = last.get(int(entity[number]))
            if of is not None:
                spoken = said[of].split()
                spoken[dice.randrange(len(spoken))] = dice.choice(said[number].split())
                said[number], predicate[number] = " ".join(spoken), predicate[of]
            waiting = next(fresh, None)
        last[int(entity[number])] = number


def _sources(count: int, conversations: int, dice: np.random.Generator) -> pl.DataFrame:
    times = np.minimum(dice.geometric(0.6, count), 30)
    fact = np.repeat(np.arange(count, dtype=np.uint32), times)
    conversation = dice.integers(0, conversations, len(fact))
    return pl.DataFrame(
        {
            "fact": fact,
            "conversation": conversation,
            "confidence": dice.choice([0.6, 0.7, 0.8, 0.9], len(fact)),
            "minute": dice.integers(0, 60, len(fact)),
        }
    ).with_row_index("source").with_columns(_when(conversations))  # fmt: skip


def _episodes(said: list[str], conversations: int, dice: np.random.Generator) -> pl.DataFrame:
    count = conversations * EPISODES_OF_A_CONVERSATION
    vocabulary = sorted({word for text in said[:20_000] for word in words(text)})
    echo = dice.integers(0, len(said), count)
    texts: list[str] = []
    for number in range(count):
        few = number % 2
        others = dice.integers(0, len(vocabulary), 2 if few else int(dice.integers(20, 120)))
        rest = " ".join(vocabulary[each] for each in others)
        texts.append(f"{said[echo[number]]} {rest}" if few else rest)
    return pl.DataFrame(
        {
            "conversation": np.arange(count) // EPISODES_OF_A_CONVERSATION,
            "seq": np.arange(count) % EPISODES_OF_A_CONVERSATION,
            "minute": 12 * (np.arange(count) % EPISODES_OF_A_CONVERSATION),
            "text": texts,
        }
    ).with_row_index("episode").with_columns(_when(conversations))  # fmt: skip


def _when(conversations: int) -> list[pl.Expr]:
    """Conversations begin one after the other, and are an hour long."""
    step = timedelta(days=DAYS) / conversations
    began = pl.lit(EPOCH + timedelta(days=20_000)) + pl.col("conversation") * step
    began = began.cast(pl.Datetime("us", "UTC"))
    return [
        (began + pl.duration(minutes="minute")).alias("occurred_at"),
        day(began).alias("day"),
        pl.concat_str(pl.lit("s_"), "conversation").alias("conversation_id"),
    ]


def _tables(sources: pl.DataFrame, episodes: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """The tables above consolidation, as their stages would make them."""
    own = pl.lit(NAMESPACE).alias("namespace")
    sources = sources.with_columns(own, record_id=pl.concat_str(pl.lit("r_"), "source"))
    by_time = ["occurred_at", "record_id"]
    facts = (
        sources.sort("fact", *by_time)
        .group_by("fact", maintain_order=True)
        .agg(
            pl.col("namespace", "fact_id", "entity_id", "predicate", "content").first(),
            object=pl.col("content").first(),
            base_confidence=pl.col("confidence").first(),
            source_count=pl.len(),
            conversation_count=pl.col("conversation").n_unique(),
            first_seen=pl.col("occurred_at").first(),
            last_seen=pl.col("occurred_at").last(),
            source_record_ids=pl.col("record_id").head(20),
        )
        .with_columns(
            extractor=pl.lit("rule@1"),
            trust=pl.lit("person"),
            event=pl.lit(value=False),
            derived_from=pl.lit([], pl.List(pl.String)),
        )
    )
    entities = facts.group_by("namespace", "entity_id").agg(
        name=pl.col("entity_id").first(),
        display_name=pl.col("entity_id").first(),
        type=pl.lit("project"),
        aliases=pl.lit([], pl.List(pl.String)),
        first_seen=pl.col("first_seen").min(),
        last_seen=pl.col("last_seen").max(),
        introduced_by=pl.col("source_record_ids").list.first().first(),
        mentions=pl.col("source_count").sum(),
        facts=pl.len(),
    )
    heard = episodes.select(
        own,
        "day",
        "conversation_id",
        "seq",
        "text",
        episode_id=pl.concat_str(pl.lit("p_"), "episode"),
        request="text",
        answer=pl.lit(""),
        started_at="occurred_at",
        ended_at="occurred_at",
        records=pl.lit(2),
        tool_calls=pl.lit(0),
        errors=pl.lit(0),
    )
    candidates = sources.with_columns(candidate_id=pl.concat_str(pl.lit("c_"), "source"))
    return {
        "facts": FACTS.frame(facts),
        "fact_sources": FACT_SOURCES.frame(candidates),
        "entities": ENTITIES.frame(entities),
        "episodes": EPISODES.frame(heard),
        "learnings": LEARNINGS.empty(),
    }


def read(stage_reads: tuple[str, ...], tables: Frames) -> Frames:
    """The tables that a stage reads."""
    return {name: tables[name] for name in stage_reads}
