"""Golden conversations: a log, what a model answers about it, and what is kept and refused."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from cairn.knowledge.extraction.known_entities_extraction import known_only
from cairn.knowledge.extraction.llm_extraction import full_mode
from cairn.knowledge.extraction.llm_units import Extraction
from cairn.knowledge.extraction.rules import Record, field_text
from cairn.knowledge.extraction.rules.rule import RECORD_COLUMNS
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import CANDIDATES, INTRODUCTIONS, REJECTED_FACTS
from cairn.resources.embedders.choice import load_embedder
from tests.knowledge.extraction.rules.fixtures import agent, bash, human, output, raw_logs
from tests.knowledge.scripted_model import ScriptedModel

WORDLLAMA = load_embedder("wordllama")
GOLDEN = sorted((Path(__file__).parent / "golden").glob("*.json"))
START = datetime(2026, 3, 1, 9, tzinfo=UTC)


def logs_of(golden: Mapping[str, Any]) -> pl.DataFrame:
    """Raw logs of a golden conversation; each human message and search begins an episode."""
    lines: list[Mapping[str, Any]] = []
    episode = None
    for seq, line in enumerate(golden["log"]):
        (kind, text), *more = line.items()
        read = _line(kind, text)
        if read["origin"] == "human":
            episode = f"c0_{seq}"
        occurred_at = START + timedelta(minutes=seq)
        lines.append({**read, **dict(more), "episode_id": episode, "occurred_at": occurred_at})
    return raw_logs(lines, project=golden.get("project"))


def _line(kind: str, text: str) -> Mapping[str, Any]:
    looked_up = {"text": text, "tool_name": "search", "tool_input": "{}"}
    match kind:
        case "human":
            return human(text)
        case "agent":
            return agent(text)
        case "bash":
            return bash(text)
        case "output":
            return output(text)
        case "error":
            return output(text, is_error=True)
        case "search":
            return {"kind": "search", "origin": "human", **looked_up}
        case "result":
            return {"kind": "tool_result", "origin": "external", **looked_up}
        case "lookup":
            return {"kind": "search", "origin": "system", "trigger": "enrichment", **looked_up}
        case "looked_up":
            own = {"kind": "tool_result", "origin": "external", "trigger": "enrichment"}
            return {**own, **looked_up}
        case "thinking":
            return {"kind": "thinking", "origin": "agent", "text": text}
        case _:
            return {"kind": "message", "origin": kind, "text": text}


def introductions_of(golden: Mapping[str, Any]) -> pl.DataFrame:
    return INTRODUCTIONS.frame(
        {
            "entity_id": f"e_{row['name']}",
            "namespace": "default",
            "name": row["name"],
            "type": row["type"],
            "record_id": "r",
            "introduced_at": START + timedelta(days=row["day"]),
            "by_command": False,
        }
        for row in golden["introductions"]
    )


def extracted(golden: Mapping[str, Any], model: ScriptedModel) -> Extraction:
    if golden.get("mode") == "known_only":
        return known_only(logs_of(golden), introductions_of(golden), model, Policy())
    return full_mode(logs_of(golden), model, WORDLLAMA, Policy())


def told(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of candidates as golden files have it."""
    entity = f"{row['entity_name']} ({row['entity_type']})"
    common = {"kind": row["kind"], "entity": entity, "record": row["record_id"]}
    common |= {"quote": row["quote"], "confidence": row["confidence"]}
    if row["kind"] == "entity":
        return common
    return {**common, "content": row["content"], "predicate": row["predicate"]}


def listed(rows: list[dict[str, Any]]) -> list[str]:
    return sorted(json.dumps(row, sort_keys=True, ensure_ascii=False) for row in rows)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_golden_conversation(path: Path) -> None:
    golden = json.loads(path.read_text(encoding="utf-8"))
    model = ScriptedModel(golden["script"])
    logs = logs_of(golden)
    found = extracted(golden, model)
    model.assert_all_asked()

    facts = [{"predicate": "states", **row} for row in golden["expected"] if row["kind"] == "fact"]
    names = [row for row in golden["expected"] if row["kind"] == "entity"]
    rows = [told(row) for row in found.candidates.iter_rows(named=True)]
    assert listed(rows) == listed([*facts, *names])
    reasons = found.refused.select("content", "reason", record="record_id").to_dicts()
    assert listed(reasons) == listed(golden["refused"])
    assert found.failures.is_empty()
    assert found.outcomes.select("outcome", "rows").rows() == [(golden["outcome"], len(rows))]

    assert found.candidates.schema == CANDIDATES.schema
    assert found.refused.schema == REJECTED_FACTS.schema
    assert_placed(logs, found.candidates)
    assert_placed(logs, found.refused.filter(pl.col("quote_start").is_not_null()))
    mode = golden.get("mode", "full")
    assert (found.candidates["mode"] == mode).all()
    labels = found.candidates["extractor"]
    stage = {"full": "full_mode", "known_only": "known_only"}[mode]
    assert labels.str.contains(rf"^{stage}/\w+@[0-9a-f]{{16}}$").all()
    if mode == "known_only":
        given = set(introductions_of(golden)["name"])
        assert set(found.candidates["entity_name"]) <= given
        assert (found.candidates["kind"] == "fact").all()


def assert_placed(logs: pl.DataFrame, found: pl.DataFrame) -> None:
    """Each quote stands in its field of its record, where its offsets say."""
    records = {row[0]: Record(*row) for row in logs.select(RECORD_COLUMNS).iter_rows()}
    columns = ["record_id", "quote_field", "quote_start", "quote_end", "quote"]
    for record_id, field, start, end, quote in found.select(columns).iter_rows():
        source = field_text(field, records[record_id])
        assert source is not None
        assert quote
        assert source[start:end] == quote


def test_any_order_of_rows_gives_the_same() -> None:
    golden = json.loads((GOLDEN[0].parent / "session.json").read_text(encoding="utf-8"))
    found = extracted(golden, ScriptedModel(golden["script"]))
    for seed in range(3):
        logs = logs_of(golden).sample(fraction=1, shuffle=True, seed=seed)
        again = full_mode(logs, ScriptedModel(golden["script"]), WORDLLAMA, Policy())
        for one, other in zip(found, again, strict=True):
            assert one.equals(other)


def test_an_unexpected_question_fails_the_test() -> None:
    with pytest.raises(AssertionError, match="no line for names"):
        full_mode(raw_logs([human("I keep bees.")]), ScriptedModel([]), WORDLLAMA, Policy())
