"""Nothing is struck out for good: take a source away, and what it had struck out stands again."""

import json
from datetime import datetime, timedelta
from random import Random

import polars as pl
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cairn.knowledge.assembly.build import build
from cairn.knowledge.engine.stage import StageContext
from cairn.knowledge.schema.policy import Policy
from tests.knowledge.assembly.test_build import records
from tests.knowledge.rows import START
from tests.knowledge.toy_embedder import ToyEmbedder

MEANS = StageContext(Policy(), ToyEmbedder())
PLACES = ("Berlin", "Rome", "Oslo")


def said(text: str, hour: int) -> tuple[str, bytes]:
    """A conversation of its own in which a person says this."""
    at = (START + timedelta(hours=hour)).isoformat()
    name = f"{hour:03}"
    line = {"role": "user", "name": "Mira", "content": text, "timestamp": at,
            "conversation_id": f"talk-{name}", "id": f"m-{name}"}  # fmt: skip
    return f"{name}.jsonl", json.dumps(line).encode() + b"\n"


def told(*talks: tuple[str, bytes]) -> dict[str, pl.DataFrame]:
    return build(records(list(talks)), MEANS, until="memory")


def ends(tables: dict[str, pl.DataFrame]) -> dict[str, datetime | None]:
    return dict(tables["memory"].select("content", "valid_to").iter_rows())


def at(hour: int) -> datetime:
    return START + timedelta(hours=hour)


def test_without_the_denial_its_evidence_is_gone_and_confidence_is_as_before() -> None:
    likes = said("I like very strong black coffee from the old machine.", 0)
    hates = said("I hate very strong black coffee from the old machine.", 30)
    both, alone = told(likes, hates), told(likes)
    assert both["evidence"].filter(kind="contradiction").height == 2
    assert both["memory"]["confidence"].max() < 0.45
    assert alone["evidence"].is_empty()
    assert alone["memory"]["confidence"].item() == 0.8


@settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    moves=st.lists(st.sampled_from(PLACES), min_size=2, max_size=6),
    gone=st.integers(0, 5),
    shuffled=st.randoms(use_true_random=False),
)
def test_what_holds_follows_from_the_sources_that_are_there(
    moves: list[str], gone: int, shuffled: Random
) -> None:
    """Against a plain loop, with every source and without one of them."""
    talks = dict(enumerate(moves))
    less = {hour: place for hour, place in talks.items() if hour != gone}
    for there in (talks, less):
        if not there:
            continue
        files = [said(f"I live in {place}.", hour) for hour, place in there.items()]
        shuffled.shuffle(files)
        expected: dict[str, datetime | None] = {}
        for hour, place in there.items():
            now = f"I live in {place}."
            before = {other: end or at(hour) for other, end in expected.items() if other != now}
            expected = {**before, now: None}
        assert ends(told(*files)) == expected
