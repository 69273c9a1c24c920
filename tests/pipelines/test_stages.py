"""When a stage over whole tables makes its tables anew, and when it is not even read for."""

from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cairn.assets.engine.run_stage as engine
from cairn.assets.engine.run_stage import run_stage
from cairn.knowledge.engine.extractors import Extractor
from cairn.knowledge.engine.stage import Frames, Stage, StageContext, StageResult
from cairn.knowledge.schema.tables import FACTS, THEMES, WORK
from cairn.resources.context import State
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import Settings
from tests.knowledge.rows import facts

READ, NOT_READ = "uses", "used_tool"


class Mirror:
    """A stage of what facts of one predicate say, that notes what it was run on."""

    def __init__(self) -> None:
        self.ran: list[list[str]] = []

    def stage(self) -> Stage:
        return Stage(
            Extractor("themes", "stage", 1, "Of a test."), (FACTS,), (THEMES,), self.run,
            only={"facts": FACTS_READ}, columns={"facts": ("fact_id", "content")},
        )  # fmt: skip

    def run(self, frames: Frames, _: StageContext) -> StageResult:
        self.ran.append(sorted(frames["facts"]["content"]))
        return StageResult({"themes": THEMES.empty()})


FACTS_READ = pl.col("predicate") == READ


def put(state: State, rows: dict[str, tuple[str, str, float]]) -> None:
    """Facts by id: what they say, by which predicate, how sure it is."""
    told = (
        {"fact_id": name, "content": content, "predicate": predicate, "base_confidence": sure}
        for name, (content, predicate, sure) in rows.items()
    )
    state.warehouse.write(FACTS, facts(*told))


def test_what_changed_elsewhere_in_its_tables_is_noted_and_nothing_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state, mirror = State(open_home(tmp_path), Settings()).of("n"), Mirror()
    put(state, {"a": ("tabs", READ, 0.5), "b": ("Bash", NOT_READ, 0.5)})
    run_stage(state, mirror.stage())
    put(state, {"a": ("tabs", READ, 0.9), "b": ("Read", NOT_READ, 0.5)})
    with monkeypatch.context() as patched:
        patched.setattr(engine, "_read", lambda *_: pytest.fail("nothing need be read"))
        run_stage(state, mirror.stage())
    assert mirror.ran == [["tabs"]]
    assert state.warehouse.read(WORK).collect()["input_hash"].str.ends_with(" facts@1").all()
    put(state, {"a": ("spaces", READ, 0.9)})
    run_stage(state, mirror.stage())
    assert mirror.ran == [["tabs"], ["spaces"]]


SAID = st.tuples(
    st.sampled_from("xyz"), st.sampled_from((READ, NOT_READ)), st.sampled_from((0.5, 0.9))
)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.dictionaries(st.sampled_from("abc"), SAID, min_size=1), min_size=2, max_size=6))
def test_it_runs_just_when_what_it_reads_is_not_as_it_was(
    versions: list[dict[str, tuple[str, str, float]]],
) -> None:
    with TemporaryDirectory() as folder:
        state, mirror = State(open_home(Path(folder)), Settings()).of("n"), Mirror()
        expected: list[list[tuple[str, str]]] = []
        for rows in versions:
            put(state, rows)
            run_stage(state, mirror.stage())
            read = sorted(
                (k, said) for k, (said, predicate, _) in rows.items() if predicate == READ
            )
            if not expected or expected[-1] != read:
                expected.append(read)
        assert mirror.ran == [sorted(said for _, said in each) for each in expected]
