"""The semantic gate of a model's names: on labelled names, and what else falls with a name."""

from collections.abc import Sequence
from typing import Any

import polars as pl
import pytest

from benchmarks.names import labelled, labelled_in_results, refused, shares
from cairn.knowledge.assembly.stages import FUNNEL_STAGE
from cairn.knowledge.extraction.introductions import introductions
from cairn.knowledge.extraction.llm_extraction import full_mode
from cairn.knowledge.extraction.llm_units import Extraction
from cairn.knowledge.llm.client import Ask
from cairn.knowledge.quality.funnel import CHECKS, funnel
from cairn.knowledge.resolution.gating import entities
from cairn.knowledge.schema.policy import Policy
from cairn.resources.embedders.choice import load_embedder
from tests.knowledge.extraction.rules.fixtures import human, order, raw_logs
from tests.knowledge.said import contexts
from tests.knowledge.scripted_model import FreeModel

WORDLLAMA = load_embedder("wordllama")
SAID = "The battery radio resets whenever the board transmits."
OFF = "Sunflowers in a warm garden turn to the evening light and feed many bees and birds."


def found(
    facts: Sequence[tuple[str, str]], *, policy: Policy | None = None, liked: bool = False
) -> Extraction:
    """What full mode makes of a message that names a topic, and of facts (about, statement)."""
    name = {"name": "battery radio", "message": 1, "quote": SAID}

    def answer(ask: Ask) -> dict[str, Any]:
        if SAID not in ask.given:
            return {}
        if ask.prompt.name == "names":
            return {"names": [name]}
        told = [fact for fact in facts if f"- {fact[0]} (" in ask.given]
        fact = {"message": 1, "quote": SAID, "stance": "asserted"}
        return {"facts": [{**fact, "entity": about, "statement": text} for about, text in told]}

    said = [*([order("/like battery radio")] if liked else []), human(SAID, episode_id="e1")]
    logs = raw_logs(said, project="/srv/board")
    return full_mode(logs, FreeModel(answer), WORDLLAMA, policy or Policy())


def why(extraction: Extraction) -> dict[str, str]:
    return dict(extraction.refused.select("content", "reason").iter_rows())


def test_no_labelled_name_to_keep_is_refused_and_some_that_are_none_are() -> None:
    rows = labelled()
    assert len(rows) > 300
    figures = shares(rows, WORDLLAMA, Policy())
    assert figures["the gate"]["good"] <= 0.01
    assert figures["the gate"]["unfounded"] >= 0.25
    assert figures["the gate"]["leaked"] >= 0.4
    # What the gate is not: a bare name, and a whole message, refuse what should be kept.
    assert figures["name, with the message"]["good"] > 0.7
    assert figures["name and statements, with the message"]["good"] > 0.35


def test_names_of_advertisements_in_results_are_refused_and_hardly_another() -> None:
    rows = labelled_in_results()
    off = dict(zip([row.name for row in rows], refused(rows, WORDLLAMA, Policy()), strict=True))
    assert off["Nordvale mattress"]
    assert not off["Quillwater Duo"]
    refusals = [row.good for row in rows if off[row.name]]
    assert refusals.count(True) <= 1
    assert refusals.count(False) > 0.75 * sum(not row.good for row in rows)
    assert not any(refused(rows, WORDLLAMA, Policy(min_asked_similarity=0.0)))


def test_the_gate_does_not_depend_on_the_names_beside_one() -> None:
    rows = labelled()[:40]
    together = refused(rows, WORDLLAMA, Policy())
    assert refused(rows[::-1], WORDLLAMA, Policy()) == together[::-1]
    assert [refused([row], WORDLLAMA, Policy())[0] for row in rows] == together


def test_a_name_that_does_not_fit_falls_with_what_was_said_of_it() -> None:
    extraction = found([("battery radio", OFF), ("board", "The board transmits.")])
    assert why(extraction) == {"battery radio is a topic": "off_context", OFF: "off_context"}
    assert extraction.candidates["content"].to_list() == ["The board transmits."]
    assert extraction.outcomes["outcome"].to_list() == ["done"]


def test_what_is_said_of_a_name_that_a_rule_found_too_stays() -> None:
    extraction = found([("battery radio", OFF)], liked=True)
    assert why(extraction) == {"battery radio is a topic": "off_context"}
    assert extraction.candidates["content"].to_list() == [OFF]


def test_the_best_statement_counts_also_one_about_another_name() -> None:
    fits = "The battery radio of the board resets when it transmits."
    assert why(found([("battery radio", OFF), ("battery radio", fits)])) == {}
    assert why(found([("battery radio", OFF), ("board", fits)])) == {}


def test_a_name_without_a_fact_is_left_to_the_gate_for_those() -> None:
    assert why(found([])) == {}
    candidates = found([]).candidates
    tables = entities(
        candidates, introductions(candidates, Policy()), contexts(), WORDLLAMA, Policy()
    )
    gates = tables.rejections.filter(type="topic").select("name", "gate").rows()
    assert gates == [("battery radio", "no_fact")]


def test_the_floor_is_a_setting() -> None:
    assert why(found([("battery radio", OFF)], policy=Policy(min_name_similarity=0.0))) == {}
    fits = "The battery radio resets when it transmits."
    assert why(found([("battery radio", fits)])) == {}
    assert set(
        why(found([("battery radio", fits)], policy=Policy(min_name_similarity=0.999))).values()
    ) == {"off_context"}


def test_a_name_that_the_model_s_gate_passed_is_not_judged_again() -> None:
    candidates = found(
        [("battery radio", "The battery radio resets when it transmits.")]
    ).candidates
    introduced = introductions(candidates, Policy())
    # No sentence is like another at this floor: the gate of rules would refuse any topic.
    strict = Policy(min_name_similarity=1.1)
    tables = entities(candidates, introduced, contexts(), WORDLLAMA, strict)
    assert "battery radio" in set(tables.entities["name"])
    by_rule = candidates.with_columns(mode=pl.lit("rule"))
    tables = entities(by_rule, introduced, contexts(), WORDLLAMA, strict)
    assert tables.rejections.filter(name="battery radio")["gate"].to_list() == ["semantic"]


@pytest.mark.parametrize("refuses", [True, False])
def test_the_funnel_shows_what_share_the_gate_refused(refuses: bool) -> None:
    text = OFF if refuses else "The battery radio resets when it transmits."
    extraction = found([("battery radio", text), ("board", "The board transmits.")])
    tables = {table.name: table.empty() for table in FUNNEL_STAGE.reads}
    counted = funnel(
        {**tables, "candidates": extraction.candidates, "rejected_facts": extraction.refused}
    )
    rows = {
        (row["stage"], row["gate"]): (row["rows_in"], row["passed"])
        for row in counted.iter_rows(named=True)
        if row["stage"].startswith("full_mode")
    }
    assert [gate for stage, gate in rows if stage == "full_mode_names"] == sorted(["form", *CHECKS])
    assert rows["full_mode_names", "in_context"] == ((1, 0) if refuses else (1, 1))
    assert rows["full_mode_facts", "in_context"] == ((2, 1) if refuses else (2, 2))
    assert rows["full_mode_facts", "asserted"] == (2, 2)
