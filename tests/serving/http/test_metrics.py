"""What /metrics tells; the dashboard and the alerts in docs/deploy ask for nothing else."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import promql_parser
import pytest
import yaml
from fastapi.testclient import TestClient
from prometheus_client.parser import text_string_to_metric_families

from cairn.resources.context import State
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import Limits, Settings
from cairn.resources.home.sources import add_source
from cairn.resources.llm.answer_cache import Call
from cairn.serving.http.app import create_app
from cairn.serving.retrieval.open_memory import Memory
from tests.homes import copy_home
from tests.places import ROOT
from tests.serving.http.conftest import LOCAL

DEPLOY = ROOT / "docs" / "deploy"
ADDED = {"job", "instance"}
"""Labels that Prometheus puts to what it scrapes."""

Told = dict[str, list[dict[str, str]]]
"""Name of a sample → its labels, and `value`."""


def told(state: State) -> Told:
    """What /metrics tells after a search."""
    client = TestClient(create_app(Memory(state)), base_url=LOCAL)
    client.get("/v1/search", params={"query": "npm or pnpm", "namespace": "samples"})
    found: Told = {}
    for family in text_string_to_metric_families(client.get("/metrics").text):
        for sample in family.samples:
            found.setdefault(sample.name, []).append({**sample.labels, "value": str(sample.value)})
    return found


@pytest.fixture(scope="module")
def place(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_home(home, tmp_path_factory.mktemp("told") / "home")


@pytest.fixture(scope="module")
def shared(place: Path) -> Told:
    """Of a home that shares, with a budget and a limit."""
    settings = Settings(
        warehouse=str(place.parent / "store"),
        budget_day=2.0,
        limits={"*": Limits(searches=9)},
    )
    return told(State(open_home(place), settings))


def queries() -> Iterator[tuple[str, str]]:
    """Each query of the dashboard and of the alerts, with where it stands."""
    dashboard = json.loads((DEPLOY / "grafana.json").read_text())
    for panel in dashboard["panels"]:
        for target in panel.get("targets", ()):
            yield panel["title"], target["expr"].replace("$__rate_interval", "5m")
    for variable in dashboard["templating"]["list"]:
        if variable["type"] == "query":
            query = variable["query"]["query"]
            yield variable["name"], query.removeprefix("label_values(").partition(",")[0]
    for group in yaml.safe_load((DEPLOY / "alerts.yaml").read_text())["groups"]:
        for rule in group["rules"]:
            yield rule["alert"], rule["expr"]


def selectors(query: str) -> list[promql_parser.VectorSelector]:
    found: list[promql_parser.VectorSelector] = []

    def note(node: promql_parser.Expr) -> bool:
        if isinstance(node, promql_parser.VectorSelector):
            found.append(node)
        return True

    promql_parser.walk(promql_parser.parse(query), pre_visit=note)
    return found


@pytest.mark.parametrize(("where", "query"), list(queries()))
def test_dashboard_and_alerts_ask_for_what_is_told(shared: Told, where: str, query: str) -> None:
    asked = selectors(query)
    assert asked, "it asks for nothing"
    for selector in asked:
        if selector.name == "up":
            continue
        assert selector.name in shared, f"{where}: no such measure"
        samples = shared[selector.name]
        for matcher in selector.matchers.matchers:
            assert matcher.name in {*samples[0]} | ADDED, f"{where}: {selector} has no such label"
            if matcher.op == promql_parser.MatchOp.Equal and matcher.name not in ADDED:
                values = {each[matcher.name] for each in samples}
                assert matcher.value in values, f"{where}: {selector} is never so"


def test_the_dashboard_has_no_panel_without_a_question() -> None:
    panels = json.loads((DEPLOY / "grafana.json").read_text())["panels"]
    assert [panel["id"] for panel in panels] == list(range(1, len(panels) + 1))
    taken: set[tuple[int, int]] = set()
    for panel in panels:
        at = panel["gridPos"]
        cells = {(at["x"] + x, at["y"] + y) for x in range(at["w"]) for y in range(at["h"])}
        assert not cells & taken, f"{panel['title']} lies over another"
        assert at["x"] + at["w"] <= 24
        taken |= cells


def test_what_is_paid_and_what_fails_is_told_before_it_is_published(
    home: Path, tmp_path: Path
) -> None:
    place = copy_home(home, tmp_path / "home")
    state = State(open_home(place), Settings(model="openai/gpt-4.1-mini", budget_day=2.0))
    now = datetime.now(UTC)
    call = Call(
        "samples", "facts", "full", "f", "m", "done", None, 9, 9, 0, 0.25, 1.0, now.isoformat()
    )
    state.answers.pay(call)
    state.answers.pay(call._replace(called_at=(now - timedelta(days=1)).isoformat()))
    state.answers.pay(call._replace(namespace="other"))
    state.answers.pay(call._replace(outcome="unanswered", reason="timeout", cost=None))
    (place / "model_waits").write_text("samples/facts")
    found = told(state)

    def value(name: str) -> float:
        (one,) = [each for each in found[name] if each["namespace"] == "samples"]
        return float(one["value"])

    assert value("cairn_cost_today_dollars") == 0.25
    assert value("cairn_budget_day_dollars") == 2.0
    assert value("cairn_calls_unanswered_day") == 1
    assert value("cairn_model_waits") == 1
    assert "cairn_unpushed" not in found, "it shares with none"
    # Another namespace, whose limit may be reached, is none of its business.
    (place / "model_waits").write_text("other/facts")
    found = told(state)
    assert value("cairn_model_waits") == 0


def test_a_namespace_that_was_never_published_is_told_of(home: Path, tmp_path: Path) -> None:
    place = copy_home(home, tmp_path / "home")
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "new.jsonl").write_text('{"text": "hello"}\n')
    state = State(open_home(place), Settings())
    add_source(state.home, tmp_path / "logs", namespace="new")
    found = told(state)
    waits = {
        each["kind"]: each["value"] for each in found["cairn_work"] if each["namespace"] == "new"
    }
    assert waits["queued_files"] == "1.0"
    assert {each["namespace"]: each["value"] for each in found["cairn_blocked"]} == {
        "new": "0.0", "samples": "0.0",
    }  # fmt: skip
    assert {each["namespace"] for each in found["cairn_published_age_seconds"]} == {"samples"}


def test_what_homes_that_share_do_not_have_is_told(shared: Told) -> None:
    (one,) = shared["cairn_unpushed"]
    assert (one["namespace"], one["value"]) == ("samples", "1.0")
