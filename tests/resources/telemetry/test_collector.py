"""Traces and metrics, as a collector gets them: of real runs, without a text, not waited for."""

import json
import os
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from pydantic import SecretStr

from cairn.knowledge.schema.identity import digest
from cairn.resources.home.home import Home
from cairn.resources.home.settings import Settings
from cairn.resources.llm.answer_cache import Answers, Call
from cairn.resources.telemetry import spans
from cairn.resources.telemetry.collector import END_SECONDS, SEND_SECONDS, answer_of
from cairn.resources.telemetry.spans import PULL, RUN, STAGE, carried, happened, span
from cairn.resources.telemetry.start import start, stop
from tests.places import ROOT
from tests.resources.telemetry.otlp_server import Received, attributes, collecting

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

NAMESPACE = "zebra-harbour"
WORDS = ("Mirabel", "quince", "lantern", "Tobermory", "sk-ant", "talk.jsonl", NAMESPACE, "zebra")
"""What stands in the log, and how it and its namespace are called."""
LOG = (
    "My name is Mirabel. I always use quince for backups, never lantern.",
    "We decided to use Tobermory instead of lantern. The key is sk-ant-api03-abcdefghij0123456789.",
)


@pytest.fixture(autouse=True)
def ended() -> Generator[None]:
    yield
    stop()


def log_of(folder: Path) -> Path:
    path = folder / "talk.jsonl"
    lines = [
        {"role": "user", "name": "Mirabel", "content": text, "conversation_id": "quince",
         "timestamp": f"2026-03-01T10:0{minute}:00Z", "id": f"lantern-{minute}"}
        for minute, text in enumerate(LOG)
    ]  # fmt: skip
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


OTHERS = ("CAIRN_", "DAGSTER_", "OTEL_")
"""What variables begin with that say something to a run."""


def command(folder: Path) -> list[str]:
    """`cairn run` over a small log."""
    return ["--home", str(folder / "home"), "run", "--no-report",
            "--source", str(log_of(folder)), "--namespace", NAMESPACE]  # fmt: skip


WATCHED = """
import json, os, socket, sys

allowed, *commands = map(json.loads, sys.argv[1:])

def watch(event, args):
    if event == "socket.getaddrinfo":
        to = [*args[:2]]
    elif event == "socket.connect" and args[0].family != socket.AF_UNIX:
        to = [*args[1][:2]]
    else:
        return
    if to != allowed:
        print("tried to reach", to, file=sys.stderr, flush=True)
        os._exit(99)

sys.addaudithook(watch)
from cairn.serving.cli.main import main
for command in commands:
    print(command[2], "says:")
    sys.argv = ["cairn", *command]
    try:
        main()
    except SystemExit as end:
        if end.code:
            raise
print("loaded:", *sys.modules)
"""
"""Commands in a process that ends when it tries to reach a host but the one that is allowed."""

OF_THE_NIGHT = {"great_expectations", "hdbscan", "sklearn"}


def run(folder: Path, to: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, and a search."""
    own = {k: v for k, v in os.environ.items() if not k.startswith(OTHERS)}
    host, port = to.removeprefix("http://").split(":")
    search = ["--home", str(folder / "home"), "search", "what is used for backups", "--json"]
    given = ([host, int(port)], [*command(folder), "-v"], search)
    return subprocess.run(
        [sys.executable, "-c", WATCHED, *map(json.dumps, given)], cwd=ROOT,
        env={**own, "HOME": str(folder), **environment},
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def settings(received: Received, **given: Any) -> Settings:
    return Settings(telemetry_url=received.address, log_folder=Path("off"), **given)


def ids(spans: list[Span]) -> dict[bytes, Span]:
    return {each.span_id: each for each in spans}


def test_a_run_is_a_trace_of_its_stages_without_a_word_of_its_log(tmp_path: Path) -> None:
    """And it and a search reach nobody else, and load nothing that only the night needs."""
    with collecting() as received:
        done = run(
            tmp_path, received.address, CAIRN_TELEMETRY_URL=f"{received.address}/",
            CAIRN_TELEMETRY_HEADERS='{"x-key": "of-ours"}',
            OTEL_EXPORTER_OTLP_HEADERS="x-other=of-theirs", OTEL_SERVICE_NAME="theirs",
            OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:9",
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert f"stage records done  namespace={NAMESPACE} units=1 done=1 rows=2 " in done.stderr
    found, loaded = done.stdout.partition("search says:")[2].split("loaded: ")
    assert "quince" in found
    assert not OF_THE_NIGHT & {*loaded.split()}
    spans = received.spans
    runs = [each for each in spans if not each.parent_span_id]
    assert {each.name for each in runs} >= {"run update"}
    for each in runs:
        told = attributes(each)
        assert told["cairn.namespace_digest"] == digest(NAMESPACE)
        assert (told["cairn.outcome"], told["cairn.job"]) == ("done", each.name.split()[1])
    stages = [each for each in spans if each.name.startswith("stage ")]
    assert {"stage records", "stage facts", "stage publication"} <= {one.name for one in stages}
    known = ids(spans)
    assert {known[one.parent_span_id].name for one in stages} <= {each.name for each in runs}
    records = next(one for one in stages if one.name == "stage records")
    assert attributes(records)["cairn.done"] == 1
    assert attributes(records)["cairn.rows"] == 2
    events = [event.name for each in spans for event in each.events]
    assert "publication" in events
    assert {"cairn.run.duration", "cairn.stage.duration", "cairn.stage.rows"} <= {*received.metrics}

    sent = b"".join(body for _, _, body in received.posts)
    written = b"".join(file.read_bytes() for file in (tmp_path / "home" / "logs").iterdir())
    assert b"run update done" in written
    for word in (*WORDS, str(tmp_path), "host.name"):
        assert word.encode() not in sent, word
        assert word.encode() not in written, word
    headers = [{name.lower(): one for name, one in given.items()} for _, given, _ in received.posts]
    assert {each["x-key"] for each in headers} == {"of-ours"}
    assert not any("x-other" in each for each in headers)
    assert b"theirs" not in sent


def test_nothing_is_sent_but_where_our_own_setting_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with collecting() as received:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", received.address)
        monkeypatch.setenv("OTEL_TRACES_EXPORTER", "otlp")
        monkeypatch.setenv("OTEL_METRICS_EXPORTER", "otlp")
        start(Home(tmp_path), Settings(log_folder=Path("off")), "test")
        with span(RUN, NAMESPACE, job="update"), span(STAGE, NAMESPACE, stage="facts") as stage:
            stage.note(units=1)
        happened("publication", NAMESPACE)
        stop()  # what was still to be sent would be sent now
    assert received.posts == []
    assert not (tmp_path / "logs").exists()


def test_calls_to_a_model_are_part_of_what_is_under_way(tmp_path: Path) -> None:
    answers = Answers(tmp_path / "answers.sqlite")
    call = Call(NAMESPACE, "facts", "facts", "v1", "openai/small", "done", None,
                120, 30, 0, 0.25, 1.5, "2026-03-01T10:00:00+00:00")  # fmt: skip
    with collecting() as received:
        start(Home(tmp_path), settings(received), "test")
        with span(RUN, NAMESPACE, job="update"), span(STAGE, NAMESPACE, stage="facts") as stage:
            carried(answers.pay)(call)
            answers.pay(call._replace(outcome="unanswered", reason="RateLimitError 429"))
            stage.note(units=1)
        stop()
    one, two = [each for each in received.spans if each.name == "model call facts"]
    assert ids(received.spans)[one.parent_span_id].name == "stage facts"
    assert one.trace_id == two.trace_id
    assert 1.4e9 < one.end_time_unix_nano - one.start_time_unix_nano < 1.6e9
    told = attributes(one)
    assert told["gen_ai.request.model"] == "openai/small"
    assert (told["gen_ai.usage.input_tokens"], told["cairn.cost"]) == (120, 0.25)
    assert two.status.code == two.status.STATUS_CODE_ERROR
    assert attributes(two)["cairn.reason"] == "RateLimitError 429"
    (dollars, *_) = received.metrics["cairn.model.cost"].sum.data_points
    assert dollars.as_double == 0.25


def test_a_look_that_finds_nothing_is_no_span(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spans, "IDLE_SECONDS", 60)  # a busy machine is slow
    with collecting() as received:
        start(Home(tmp_path), settings(received), "test")
        with span(RUN, NAMESPACE, job="update"), span(STAGE, NAMESPACE, stage="facts"):
            pass
        with span(PULL, NAMESPACE):
            pass
        with span(PULL, NAMESPACE) as pulled:
            pulled.note(snapshot=3, files=2)
        happened("alone", NAMESPACE)
        stop()
    assert sorted(each.name for each in received.spans) == ["alone", "pull", "run update"]


@pytest.mark.parametrize("status", [302, 307])
def test_a_redirect_gets_neither_key_nor_spans(
    status: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with collecting() as received, collecting() as elsewhere:
        received.status, received.location = status, f"{elsewhere.address}/v1/traces"
        headers = {"x-key": SecretStr("of-ours")}
        start(Home(tmp_path), settings(received, telemetry_headers=headers), "test")
        with span(RUN, NAMESPACE, job="update"):
            pass
        stop()
        assert answer_of(received.address, {"x-key": "of-ours"}) == f"status {status}"
    assert not elsewhere.posts
    assert f"takes nothing: status {status}" in caplog.text


def test_a_collector_whose_answer_never_ends_is_asked_for_seconds() -> None:
    with collecting() as received:
        received.drips = True
        begun = perf_counter()
        assert answer_of(received.address, {}) == "no answer in 3 s"
        assert perf_counter() - begun < SEND_SECONDS + 0.5


def test_a_header_that_cannot_be_sent_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    wrong = "x-k\N{LATIN SMALL LETTER E WITH ACUTE}y"
    with collecting() as received:
        given = settings(received, telemetry_headers={wrong: SecretStr("of-ours")})
        start(Home(tmp_path), given, "test")
        with span(RUN, NAMESPACE, job="update"):
            pass
        stop()
        assert answer_of(received.address, {wrong: "of-ours"}) == "UnicodeEncodeError"
    assert "takes nothing: UnicodeEncodeError" in caplog.text


@pytest.mark.parametrize("collector", ["hangs", "is not there", "refuses"])
def test_a_collector_that_takes_nothing_is_not_waited_for(
    collector: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with collecting(answers=collector != "hangs") as received:
        given = settings(received)
        if collector == "is not there":
            given = Settings(telemetry_url="http://127.0.0.1:9", log_folder=Path("off"))
        received.status = 401
        start(Home(tmp_path), given, "test")
        begun = perf_counter()
        for _ in range(1000):
            with span(RUN, NAMESPACE, job="update"):
                pass
        worked = perf_counter() - begun
        stop()
        ended = perf_counter() - begun - worked
        received.goes_on.set()
    assert worked < 1
    assert ended < END_SECONDS + 0.3
    assert len([one for one in caplog.records if "collector" in one.getMessage()]) == 1
