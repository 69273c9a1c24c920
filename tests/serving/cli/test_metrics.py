"""`cairn metrics` and /metrics tell the same; what was asked is counted without its text."""

import re
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import pytest
from fastapi.testclient import TestClient

from cairn.resources.context import State
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import Settings
from cairn.resources.home.usage import FOLDER, SEARCH, forget_use, note_use, use_since
from cairn.serving.http.app import create_app
from cairn.serving.retrieval.open_memory import Memory
from tests.homes import copy_home
from tests.serving.conftest import Ask


@pytest.fixture(scope="module")
def place(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = copy_home(home, tmp_path_factory.mktemp("metrics") / "home")
    shutil.rmtree(place / FOLDER, ignore_errors=True)  # other tests asked, too
    return place


def test_the_command_and_prometheus_tell_the_same(run_cairn: Ask, place: Path) -> None:
    secret = "which port is it at Zanzibar"
    run_cairn("--home", place, "search", secret)
    run_cairn("--home", place, "context", "why does the nightly backup fail?")
    told = run_cairn("--home", place, "metrics", "--json").json["measures"]
    client = TestClient(create_app(Memory(State(open_home(place), Settings()))))
    text = client.get("http://127.0.0.1/metrics").text
    for one in told:
        labels = ",".join(
            f'{name}="{value}"'
            for name, value in sorted({"namespace": "samples", **one["labels"]}.items())
        )
        found = re.findall(rf"^cairn_{one['name']}{{{labels}}} (\S+)$", text, re.MULTILINE)
        if one["value"] is None:
            assert (found, bool(one["why"])) == ([], True)
        else:
            assert [float(each) for each in found] == [pytest.approx(one["value"])], one
    names = {one["name"] for one in told}
    assert {"gate_pass_rate", "merges", "contradictions", "cost_week_dollars", "work"} <= names
    by_kind = {one["labels"]["kind"]: one["value"] for one in told if one["name"] == "answers_week"}
    assert by_kind == {"search": 1, "context": 1}
    shown = run_cairn("--home", place, "metrics").out
    assert all(name in shown for name in names if not name.startswith("gate_"))
    written = [file.read_text() for file in (place / FOLDER).rglob("*.jsonl")]
    assert written
    assert "Zanzibar" not in "".join(written)


def test_dagster_shows_the_same_measures_of_a_publication(run_cairn: Ask, place: Path) -> None:
    with dg.DagsterInstance.from_config(str(open_home(place).dagster)) as dagster:
        made = dagster.get_latest_materialization_event(dg.AssetKey("publication"))
    assert made
    assert made.asset_materialization
    table = made.asset_materialization.metadata["measures/samples"]
    assert isinstance(table, dg.TableMetadataValue)
    shown = {(row.data["measure"], row.data["of"]): row.data["value"] for row in table.records}
    told = run_cairn("--home", place, "metrics", "--json").json["measures"]
    by_name = {(one["name"], ", ".join(one["labels"].values())): one["value"] for one in told}
    assert {"gate_pass_rate", "merges", "statements_decayed_share"} <= {name for name, _ in shown}
    for key, value in shown.items():
        wanted = by_name[key]
        assert value == ("" if wanted is None else pytest.approx(wanted, abs=1e-6)), key


def test_uses_are_kept_for_three_months_and_where_they_cannot_be_nothing_breaks(
    tmp_path: Path,
) -> None:
    home = open_home(tmp_path / "home")
    now = datetime(2026, 6, 15, tzinfo=UTC)
    for days in (200, 20, 1):
        note_use(home, "n", SEARCH, 3, 5, 2, at=now - timedelta(days=days))
    files = sorted(file.stem for file in (home.root / FOLDER / "n").iterdir())
    assert files == ["2026-05", "2026-06"], "what is older goes with the next month"
    (home.root / FOLDER / "n" / "2026-06.jsonl").open("ab").write(
        b'{"at": "2026\n[]\n{"kind": 1}\n'
    )
    found = use_since(home, "n", now - timedelta(days=30))
    assert found.select("results", "near", "redundant").rows() == [(3, 5, 2)] * 2
    assert use_since(home, "other", now).is_empty()
    forget_use(home, "n")
    assert use_since(home, "n", now - timedelta(days=300)).is_empty()
    (home.root / FOLDER).rmdir()
    (home.root / FOLDER).write_text("in the way")
    note_use(home, "n", SEARCH, 3)


def test_a_rating_is_noted_shown_and_a_fact_is_none_to_rate(run_cairn: Ask, place: Path) -> None:
    def cairn(*words: str) -> str:
        answer = run_cairn("--home", place, *words)
        assert answer.code == 0, answer.err
        return answer.out

    listed = run_cairn("--home", place, "learnings", "--limit", "1", "--json").json
    (learning,) = listed["items"]
    id_, before = learning["learning_id"], learning["confidence"]
    told = run_cairn("--home", place, "rate", id_[:9], "down", "--json").json
    assert (told["learning_id"], told["written"]) == (id_, True)
    assert told["after"] == pytest.approx(0.7 * before)
    assert f" rate {id_} down`" in cairn("rate", id_, "up")
    for listed in (("learnings", "--limit", "1"), ("show", id_), ("status",)):
        out = cairn(*listed)
        assert f"👎 for {id_}" in out
        assert "applied at the next run" in out
    (line, _) = (place / "inbox" / "samples").glob("*.jsonl").__next__().read_text().splitlines()
    assert '"meant": {"category": "' in line
    assert learning["title"] not in line
    fact = run_cairn("--home", place, "facts", "--limit", "1", "--json").json["items"][0]["fact_id"]
    wrong = run_cairn("--home", place, "rate", fact, "up")
    assert wrong.code == 1
    assert f" confirm {fact}`" in wrong.err
    assert run_cairn("--home", place, "rate", id_, "sideways").code == 2
