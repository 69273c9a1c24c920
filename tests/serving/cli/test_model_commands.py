"""What the command line says of the language model: its prompts, its costs, its setup."""

import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from cairn.assets.model_calls import run_model_calls
from cairn.knowledge.learnings.draft import Factors
from cairn.knowledge.llm.prompts import PROMPTS
from cairn.knowledge.schema.tables import (
    CANDIDATES,
    LEARNINGS,
    MODEL_CALLS,
    RAW_LOGS,
    REJECTED_FACTS,
    WORK,
    Table,
)
from cairn.knowledge.schema.tables.table import COUNT, FLAG, REAL, TEXT
from cairn.resources.context import State
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import Settings
from cairn.resources.llm.answer_cache import Answers, CachedAnswer, Call
from cairn.serving.cli.commands.run.dead_letters import forget_answers
from tests.places import ROOT
from tests.serving.conftest import Answer, Ask

PRICED = "openai/gpt-4o-mini"
CALL = Call(
    "me", "candidates", "names", "aa", PRICED, "done", None,
    1000, 50, 200, 0.25, 1.0, "2026-03-01T10:00:00+00:00",
)  # fmt: skip
CALLS = (
    CALL,
    CALL._replace(prompt="entity_facts", fingerprint="bb", outcome="failed", reason="blank"),
    CALL._replace(model="hosted_vllm/own", cost=None, tokens_in=None, tokens_out=None,
                  tokens_cached=None, called_at="2026-03-02T10:00:00+00:00"),
    CALL._replace(namespace="you", cost=0.00001, called_at="2026-03-02T23:00:00+00:00"),
)  # fmt: skip

pytestmark = pytest.mark.usefixtures("elsewhere")


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No settings and no keys of whoever runs the tests."""
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def state(tmp_path: Path) -> State:
    return State(open_home(tmp_path / "home"), Settings())


@pytest.fixture
def cairn(run_cairn: Ask, state: State) -> Ask:
    return lambda *arguments: run_cairn("--home", state.home.root, *arguments)


def paid(state: State, *calls: Call) -> None:
    answers = Answers(state.home.answers)
    for call in calls:
        answers.pay(call)
    answers.close()


def row(table: Table, **values: object) -> dict[str, object]:
    """A row of which only some columns matter."""
    blank: dict[pl.DataType, object] = {TEXT: "", COUNT: 0, REAL: 0.5, FLAG: False}
    needed = {name: column for name, column in table.columns.items() if not column.null}
    return {name: blank.get(c.type, []) for name, c in needed.items()} | values


def test_costs_by_day_leave_out_what_has_no_price_and_say_so(cairn: Ask, state: State) -> None:
    paid(state, *CALLS)
    told = cairn("costs", "--by", "day", "--json").json
    assert [(r["day"], r["calls"], r["dollars"], r["unpriced"]) for r in told["costs"]] == [
        ("2026-03-02", 2, 0.00001, 1), ("2026-03-01", 2, 0.5, 0),
    ]  # fmt: skip
    assert told["total"] == {
        "calls": 4, "failed": 1, "unanswered": 0, "tokens_in": 3000, "tokens_out": 150,
        "tokens_cached": 600, "uncounted": 1, "dollars": 0.50001, "unpriced": 1,
    }  # fmt: skip
    out = cairn("costs", "--by", "day").out
    assert "<0.0001 and 1 call unknown" in out
    assert "0.5000 dollars, the price of 1 call unknown" in out


def test_a_cost_that_is_not_known_is_no_number(cairn: Ask, state: State) -> None:
    paid(state, *CALLS)
    own, other = sorted(
        cairn("costs", "--by", "model", "--json").json["costs"], key=lambda r: r["model"]
    )
    assert (own["dollars"], own["tokens_in"], own["unpriced"]) == (None, None, 1)
    assert other["dollars"] == 0.50001
    line = next(r for r in cairn("costs", "--by", "model").out.splitlines() if "own" in r)
    assert line.split()[-1] == "unknown"


def test_costs_are_narrowed_by_time_namespace_and_number(cairn: Ask, state: State) -> None:
    paid(state, *CALLS)
    assert cairn("costs", "--since", "2026-03-02T12:00", "--json").json["total"]["calls"] == 1
    assert cairn("costs", "--namespace", "me", "--json").json["total"]["dollars"] == 0.5
    first = cairn("costs", "--limit", "1", "--json").json
    assert (len(first["costs"]), first["groups"]) == (1, 4)
    by_version = cairn("costs", "--by", "prompt,fingerprint", "--json").json["costs"]
    assert {(r["prompt"], r["fingerprint"]) for r in by_version} == {
        ("names", "aa"), ("entity_facts", "bb"),
    }  # fmt: skip


def test_without_calls_costs_say_so(cairn: Ask, state: State) -> None:
    assert "No call" in cairn("costs").out
    assert cairn("costs", "--json").json["total"]["dollars"] is None
    assert not state.home.answers.exists()


def test_wrong_columns_namespaces_and_prompts_are_one_line(cairn: Ask) -> None:
    wrong = (
        (("costs", "--by", "year"), 2, "'year' is not one of asset, prompt"),
        (("costs", "--namespace", "nobody"), 1, "nothing is there for namespace 'nobody'"),
        (("prompts", "--namespace", "nobody"), 1, "nothing is there for namespace 'nobody'"),
        (("prompts", "show", "nothing"), 1, "no prompt is called 'nothing'; there are: names"),
    )
    for arguments, code, message in wrong:
        answer = cairn(*arguments)
        assert (answer.code, answer.out, answer.err.count("\n")) == (code, "", 1)
        assert message in answer.err


def test_a_damaged_file_of_answers_is_one_line(cairn: Ask, state: State) -> None:
    state.home.answers.write_bytes(b"no database" * 1000)
    answer = cairn("costs")
    assert (answer.code, answer.err.count("\n")) == (1, 1)
    assert "damaged" in answer.err


def test_prompts_have_versions_with_the_rows_that_each_made(
    cairn: Ask, state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    prompt = PROMPTS["entity_facts"]
    now = prompt.fingerprint(PRICED)
    made = [f"full_mode/entity_facts@{now}"] * 2 + ["full_mode/entity_facts@0dd", "used_tool@3"]
    gone = ["full_mode/given_up@123"]
    state.warehouse.write(
        CANDIDATES,
        CANDIDATES.frame(
            row(CANDIDATES, namespace="me", day="2026-03-01", candidate_id=f"c{n}", extractor=name)
            for n, name in enumerate(made + gone)
        ),
    )
    refused = row(REJECTED_FACTS, namespace="me", day="2026-03-01", extractor=made[0])
    state.warehouse.write(REJECTED_FACTS, REJECTED_FACTS.frame([refused]))
    monkeypatch.setenv("CAIRN_MODEL", PRICED)
    found = {each["prompt"]: each for each in cairn("prompts", "--json").json["prompts"]}
    assert found["entity_facts"]["parameters"] == dict(prompt.parameters)
    assert found["entity_facts"]["versions"] == [
        {"version": now, "in_force": True, "rows": 2, "rejected": 1},
        {"version": "0dd", "in_force": False, "rows": 1, "rejected": 0},
    ]
    assert found["names"]["versions"][0]["rows"] == 0
    assert found["given_up"]["versions"] == [
        {"version": "123", "in_force": False, "rows": 1, "rejected": 0}
    ]
    assert list(found)[:-1] == list(PROMPTS)
    assert "0dd" in cairn("prompts").out


def test_without_a_model_prompts_have_no_version(cairn: Ask) -> None:
    told = cairn("prompts", "--json").json
    assert told["model"] is None
    assert [p["prompt"] for p in told["prompts"]] == list(PROMPTS)
    assert all(p["version"] is None and p["versions"] == [] for p in told["prompts"])
    assert "No language model is set" in cairn("prompts").out


def test_a_prompt_is_printed_as_it_is_sent(cairn: Ask) -> None:
    sent = PROMPTS["names"].messages("")[0]["content"]
    assert cairn("prompts", "show", "names").out == f"{sent}\n"
    assert cairn("prompts", "show", "names", "--json").json["system"] == sent


def checks(answer: Answer) -> dict[str, dict[str, str]]:
    return {check["check"]: check for check in answer.json["checks"]}


def test_doctor_names_thumbs_that_no_learning_is_there_for(cairn: Ask, state: State) -> None:
    def found() -> dict[str, str] | None:
        told = cairn("doctor", "--json").json["checks"]
        return next((each for each in told if each["check"] == "feedback"), None)

    assert found() is None
    thumbs = [
        row(RAW_LOGS, record_id=f"r{number}", namespace="me", day="2026-03-01", kind="reaction",
            origin="human", text="👍", reply_to=f"l_{number:016}", native_id=f"n{number}")
        for number in range(2)
    ]  # fmt: skip
    state.warehouse.write(RAW_LOGS, RAW_LOGS.frame(thumbs), days=["2026-03-01"])
    moved = {"record_id": "r0", "occurred_at": None, "weight": 0.3, "confidence": 0.9}
    learned = row(LEARNINGS, simhash=0, learning_id="l_" + "0" * 16, namespace="me",
                  feedback=[moved],
                  factors=dict.fromkeys(Factors.__struct_fields__, 1.0))  # fmt: skip
    state.warehouse.write(LEARNINGS, LEARNINGS.frame([learned]))
    told = found()
    assert told
    assert told["level"] == "warning"
    assert told["found"] == "1 of 2 thumbs move nothing: no learning is l_0000000000000001"


def test_doctor_says_what_the_model_lacks_and_calls_nothing(
    cairn: Ask, state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "rules alone" in checks(cairn("doctor", "--json"))["language model"]["found"]
    paid(state, *CALLS)
    monkeypatch.setenv("CAIRN_MODEL", PRICED)
    monkeypatch.setenv("CAIRN_MODEL_FALLBACKS", '["hosted_vllm/own"]')
    monkeypatch.setenv("CAIRN_BUDGET_DAY", "2")
    found = checks(cairn("doctor", "--json"))  # the network is closed to tests
    assert found["language model"]["level"] == "warning"
    assert found["language model"]["advice"] == "set in the environment: OPENAI_API_KEY"
    assert "128,000 tokens, 0.15 dollars per million" in found["language model"]["found"]
    assert "price is not known" in found["fallback model"]["found"]
    assert found["budget"]["found"] == "2 dollars a day; 0.0000 paid today"
    monkeypatch.setenv("OPENAI_API_KEY", "sk-kiwi")
    answer = cairn("doctor", "--json")
    assert checks(answer)["language model"]["level"] == "ok"
    assert "kiwi" not in answer.out


def test_the_ledger_becomes_a_table_call_by_call(state: State) -> None:
    assert run_model_calls(state).rows == 0
    assert state.warehouse.read(MODEL_CALLS).collect().is_empty()
    assert not state.home.answers.exists()
    paid(state, *CALLS[:2])
    assert (run_model_calls(state).done, run_model_calls(state).written) == (2, 0)
    own = state.of(CALL.namespace).warehouse
    before = own.version(MODEL_CALLS)
    assert run_model_calls(state).units == 0
    assert own.version(MODEL_CALLS) == before
    paid(state, *CALLS[2:])
    assert run_model_calls(state).done == 2
    stored = state.warehouse.read(MODEL_CALLS).collect().sort("call_id")
    assert stored.equals(Answers(state.home.answers).ledger().sort("call_id"))


def test_the_table_follows_a_ledger_that_was_replaced(state: State) -> None:
    paid(state, *CALLS)
    run_model_calls(state)
    for file in state.home.root.glob("answers.sqlite*"):
        file.unlink()
    paid(state, CALLS[3])
    state.answers.close()
    run_model_calls(state)
    stored = state.warehouse.read(MODEL_CALLS).collect()
    assert stored["namespace"].to_list() == ["you"]


def test_a_retry_forgets_failed_answers_of_what_it_redoes(state: State) -> None:
    logs = [
        row(RAW_LOGS, namespace="me", day="2026-03-01", record_id=f"r{n}", conversation_id=f"v{n}")
        for n in (1, 2)
    ]
    state.warehouse.write(RAW_LOGS, RAW_LOGS.frame(logs))
    work = [
        row(WORK, namespace="me", stage="full_mode", unit=f"v{n}", outcome=outcome)
        for n, outcome in ((1, "failed"), (2, "done"))
    ]
    state.warehouse.write(WORK, WORK.frame(work))
    kept = CachedAnswer("k1", "me", "candidates", "names", "aa", PRICED, "failed", "blank", None,
                10, 5, 0, 0.25, 1.5, 3, "2026-01-02T03:04:05+00:00")  # fmt: skip
    state.answers.put(kept, ["r1"])
    state.answers.put(kept._replace(key="k2", outcome="done", reason=None, text="{}"), ["r1"])
    state.answers.put(kept._replace(key="k3"), ["r2"])
    forget_answers(state, "you")
    assert len(state.answers.read(["k1", "k2", "k3"])) == 3
    forget_answers(state, None)
    assert sorted(state.answers.read(["k1", "k2", "k3"])) == ["k2", "k3"]


def test_costs_and_prompts_need_no_litellm(state: State) -> None:
    code = (
        "import sys\nfrom cairn.serving.cli.main import cairn\n"
        "for command in ('costs', 'prompts'):\n"
        f"    cairn(['--home', {str(state.home.root)!r}, command], standalone_mode=False)\n"
        "assert 'litellm' not in sys.modules\n"
        "assert 'dagster' not in sys.modules\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False,
        cwd=ROOT,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_costs_that_fit_a_narrow_terminal_are_whole(
    cairn: Ask, state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    paid(state, *CALLS, CALL._replace(asset="learning_candidates", tokens_in=1_234_567))
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    narrow = cairn("costs", "--namespace", "you").out
    assert "2026-03-02" in narrow
    assert "model" not in narrow.splitlines()[0]
    assert "…" not in cairn("costs").out
    assert "model" in cairn("costs", "--by", "model").out.splitlines()[0], "it was asked for"
    assert cairn("costs", "--json").json["by"] == ["asset", "prompt", "fingerprint", "model", "day"]
