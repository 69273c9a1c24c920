"""A line that was written down stands until a later session takes it out, or brings it back."""

from datetime import timedelta

import polars as pl
import pytest

from cairn.knowledge.assembly.build import build_from_logs
from cairn.knowledge.engine.stage import StageContext
from cairn.knowledge.schema.policy import Policy
from tests.knowledge.conftest import BEGIN

FILE = "/home/ada/shop-api/AGENTS.md"
RULE = "Never print labels at night."
OTHER = "Always weigh a parcel first."


@pytest.fixture
def standing(session, embedder):
    def sentences(*edits):
        """Days of edits (what an edit takes out, and brings in): what a brief tells after them."""
        logs = pl.concat(
            session(
                ("human", "Please add the parcel scale to the docs."), ("edit", FILE, *edit),
                ("agent", "Done."), conversation=f"c{day}", begin=BEGIN + timedelta(days=day),
            ).with_columns(trigger=pl.lit("user_message"))
            for day, edit in enumerate(edits)
        )  # fmt: skip
        made = build_from_logs(logs, StageContext(Policy(), embedder))
        told = made["briefs"].filter(kind="directive")["text"].to_list()
        return sorted(line for line in told if not line.startswith("Asked"))

    return sentences


def test_it_ends_when_it_is_taken_out_and_holds_again_when_it_is_back(standing) -> None:
    wrote, took = ("# Parcels", f"# Parcels\n\n- {RULE}"), (f"- {RULE}", f"- {OTHER}")
    assert standing(wrote) == [RULE]
    assert standing(wrote, took) == [OTHER]
    assert standing(wrote, took, took[::-1]) == [RULE]


def test_what_was_never_seen_written_is_taken_out_of_nothing(standing) -> None:
    assert standing((f"- {RULE}", f"- {OTHER}")) == [OTHER]
