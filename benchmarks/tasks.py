"""What is measured, each in a process of its own: `python -m benchmarks.tasks NAME ARGUMENTS`.

Prints one JSON object; `peak_mb` is the most memory that the process ever held.
"""

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import polars as pl

from benchmarks.hooks import brief_after, hooks
from benchmarks.start import start

if TYPE_CHECKING:
    from cairn.resources.context import State

MB = 1e6
NAMESPACE = "benchmark"


def generate(source: str, folder: str, size: str) -> dict[str, Any]:
    """Sessions of about `size` bytes, from those of a source."""
    from benchmarks.sessions import sessions

    written = sessions(Path(source), Path(folder), int(size))
    return {"bytes": written, "files": sum(path.is_file() for path in Path(folder).rglob("*"))}


def decoding(folder: str, rounds: str) -> dict[str, Any]:
    """Seconds of steps in memory, against `json.loads` of each line; medians of some rounds.

    All steps get the same lines, already split; `file` splits too, and keeps where lines stand.
    """
    from cairn.knowledge.ingest.adapters import adapters
    from cairn.knowledge.ingest.jsonl import decoded_lines
    from cairn.knowledge.redaction import redactor

    known = adapters()["claude_code"]
    found = redactor()
    files = [data for path, data in _read(folder) if path.suffix == ".jsonl"]
    lines = [line for data in files for line in data.split(b"\n") if line]
    steps: dict[str, Callable[[], object]] = {
        "json.loads": lambda: [_tried(json.loads, line) for line in lines],
        "decode": lambda: [_tried(known.head, line) for line in lines],
        "file": lambda: [decoded_lines(data, known) and None for data in files],
        "events": lambda: [_tried(known.events, line) for line in lines],
        "redaction prefilter": lambda: [found.suspects(data) and None for data in files],
    }
    return {"bytes": sum(map(len, files)), "seconds": _medians(steps, int(rounds))}


def raw_logs(folder: str, rounds: str) -> dict[str, Any]:
    """Seconds from files to written tables, against `json.loads` of each line of the same files."""
    parts: dict[str, list[float]] = {}

    def ours() -> None:
        for name, seconds in _to_raw_logs(folder).items():
            parts.setdefault(name, []).append(seconds)

    def baseline() -> None:
        for _, data in _read(folder):
            _loads(data)

    seconds = _medians({"json.loads": baseline, "raw logs": ours}, int(rounds))
    return {
        "bytes": sum(len(data) for _, data in _read(folder)),
        "seconds": seconds | {name: median(each) for name, each in parts.items()},
    }


def memory(folder: str) -> dict[str, Any]:
    """From files to written raw logs once, for its peak memory."""
    return {"seconds": _to_raw_logs(folder)}


def stages(folder: str) -> dict[str, Any]:
    """The whole graph through Dagster: seconds and rows of each stage, over all its stretches."""
    with tempfile.TemporaryDirectory() as home:
        os.environ["CAIRN_HOME"] = home
        from cairn.resources.context import open_state
        from cairn.resources.home.sources import add_source

        state = open_state(Path(home))
        add_source(state.home, Path(folder), NAMESPACE)
        state.home.dagster_environment()
        from cairn.assets.engine.progress import Listener
        from cairn.pipelines.runner import run_graph

        peaks: dict[str, float] = {}
        listener = Listener(ended=lambda report: peaks.update({report.stage: peak_mb()}))
        begin = time.perf_counter()
        outcome = run_graph(state, listener=listener)
        return {
            "seconds": time.perf_counter() - begin,
            "runs": len(outcome.runs),
            "stages": {
                name: {
                    "seconds": report.seconds,
                    "rows": _rows(state, name),
                    "peak_mb": peaks[name],
                }
                for name, report in listener.reports.items()
            },
        }


def model(calls: str, delay: str) -> dict[str, Any]:
    """Seconds of questions to a model that takes `delay` seconds for each, and of their replay.

    `ideal` is delay × calls / concurrency. Importing litellm, and its first call, come before.
    """
    from pydantic import BaseModel

    from cairn.knowledge.llm.client import Ask
    from cairn.knowledge.llm.prompt import Prompt
    from cairn.resources.home.settings import Settings
    from cairn.resources.llm.answer_cache import Answers
    from cairn.resources.llm.language_model import LitellmModel
    from cairn.resources.llm.provider import load

    class Empty(BaseModel):
        pass

    prompt = Prompt("benchmark", "", "A benchmark.", "Nothing.", "None.", Empty)
    text = "A line of a log, as long as lines are in the middle of a session.\n" * 100
    asks = [Ask(prompt, NAMESPACE, f"{n}\n{text}", (f"r{n}",), "model") for n in range(int(calls))]
    os.environ["OPENAI_API_KEY"] = "none"
    server = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.model_server", delay], stdout=subprocess.PIPE
    )
    try:
        port = int(server.stdout.readline()) if server.stdout else 0
        settings = Settings(model="openai/stub", model_base=f"http://127.0.0.1:{port}/v1")
        with tempfile.TemporaryDirectory() as folder:
            answers = Answers(Path(folder, "answers.sqlite"))
            begin = time.perf_counter()
            load()
            imported = time.perf_counter()
            LitellmModel(settings, answers).answers([Ask(prompt, NAMESPACE, "", (), "model")])
            warm = time.perf_counter()
            LitellmModel(settings, answers).answers(asks)
            asked = time.perf_counter()
            replayed = LitellmModel(settings, answers).answers(asks)
            end = time.perf_counter()
            if any(answer.outcome != "done" for answer in replayed):
                raise RuntimeError("the stub server did not answer every question")
    finally:
        server.kill()
        server.wait()
    return {
        "calls": len(asks),
        "concurrency": settings.model_concurrency,
        "ideal": float(delay) * len(asks) / settings.model_concurrency,
        "seconds": {
            "import": imported - begin,
            "first call": warm - imported,
            "calls": asked - warm,
            "replay": end - asked,
        },
    }


def lessons(folder: str) -> dict[str, Any]:
    """What conversations cost on their way to lessons."""
    from benchmarks.lessons import measured
    from cairn.knowledge.schema.tables import RAW_LOGS
    from cairn.resources.context import open_state

    with tempfile.TemporaryDirectory() as home:
        state = open_state(Path(home))
        _take_in(state, folder)
        return measured(state.warehouse.read(RAW_LOGS).collect(), state)


def pairs(count: str, rounds: str) -> dict[str, Any]:
    """CPU seconds to all pairs of similar statements, in one thread: two wait for each other."""
    _one_thread()
    from benchmarks.pairs import measured

    return measured(int(count), int(rounds))


def clusters(count: str, runs: str, dimension: str) -> dict[str, Any]:
    """CPU seconds and accuracy of clusters, against the library hdbscan."""
    _one_thread()
    from benchmarks.clusters import measured

    return measured(int(count), int(runs), int(dimension))


def topic_nights(count: str) -> dict[str, Any]:
    """CPU seconds of topics on a first night, and on one with 1 % new facts."""
    _one_thread()
    from benchmarks.clusters import topic_nights

    return topic_nights(int(count))


def simhash(count: str, rounds: str) -> dict[str, Any]:
    """CPU seconds to all pairs of near SimHashes."""
    _one_thread()
    from benchmarks.simhash import measured

    return measured(int(count), int(rounds))


def templates(count: str) -> dict[str, Any]:
    """CPU seconds to similar facts of one template, and of as many different ones."""
    _one_thread()
    from benchmarks.templates import measured

    return measured(int(count))


def change(source: str, smaller: str, larger: str, few: str, many: str) -> dict[str, Any]:
    """CPU seconds of `cairn run` after a small change, in homes of two sizes, in bytes.

    And of a new namespace beside `few` and `many` others.
    """
    from benchmarks.change import measured

    return measured(Path(source), (int(smaller), int(larger)), (int(few), int(many)))


def evidence(count: str, asked: str) -> dict[str, Any]:
    """CPU seconds to the episodes that support facts, in one thread."""
    _one_thread()
    from benchmarks.evidence import measured

    return measured(int(count), int(asked))


def facts(home: str, count: str, when: str) -> dict[str, Any]:
    """Writes the tables above consolidation as they are `before` or `after` the last night."""
    from benchmarks.nights import put

    return {"facts": put(Path(home), int(count), before=when == "before")}


def night(home: str) -> dict[str, Any]:
    """CPU seconds of the stages of consolidation in a home, in one thread."""
    _one_thread()
    from benchmarks.nights import night

    return {"seconds": night(Path(home))}


def search(count: str, asked: str, compared: str) -> dict[str, Any]:
    """Seconds of searches, and of the same by the local mode of qdrant-client."""
    from benchmarks.search import measured

    with tempfile.TemporaryDirectory() as home:
        return measured(Path(home), int(count), int(asked), int(compared))


def namespaces(count: str, asked: str) -> dict[str, Any]:
    """Milliseconds of searches in many namespaces, asked at random, and the memory of each."""
    from benchmarks.namespaces import measured

    with tempfile.TemporaryDirectory() as folder:
        return measured(Path(folder), int(count), int(asked))


def machines(count: str) -> dict[str, Any]:
    """Seconds of one home, and of two that share, for a chat in each of `count` namespaces."""
    from benchmarks.machines import measured

    return measured(int(count))


def http(count: str, asked: str, seconds: str) -> dict[str, Any]:
    """Searches over HTTP: what it adds, one and eight clients, one worker and one for each core."""
    from benchmarks.http import measured
    from benchmarks.search import made, queries_of
    from cairn.serving.retrieval.open_memory import Memory

    with tempfile.TemporaryDirectory() as home:
        state, _ = made(Path(home), int(count))
        queries = queries_of(Memory(state), 50 if int(asked) > 1 else 10)
        # Whoever only looks whether it runs at all needs no more than several.
        workers = max(2, os.cpu_count() or 1) if int(asked) > 1 else 2
        return measured(state, queries, int(asked), float(seconds), workers)


def pages(count: str, asked: str) -> dict[str, Any]:
    """Pages over many facts: the server's time and the size of each, and first paint."""
    from benchmarks.pages import measured
    from benchmarks.search import made, put_in_force
    from benchmarks.talks import put_talks

    with tempfile.TemporaryDirectory() as home:
        state, _ = made(Path(home), int(count))
        records = put_talks(state)
        put_in_force(state)
        return {"facts": int(count), "records": records} | measured(Path(home), int(asked))


def publish(home: str) -> dict[str, Any]:
    """Publishes a little less than is published; a line says when it begins."""
    from benchmarks.search import publish_less
    from cairn.resources.context import open_state

    state = open_state(Path(home))
    print("{}", flush=True)
    publish_less(state)
    return {}


def _one_thread() -> None:
    """Two would wait for each other. Read when numpy is first imported, and polars first works."""
    os.environ |= {"OPENBLAS_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"}


def _rows(state: "State", stage: str) -> int | None:
    """Rows of the table that a stage is called after, as it stands."""
    from cairn.knowledge.schema.tables import TABLES
    from cairn.pipelines.planning.daemon import TABLE_OF

    table = TABLES.get(TABLE_OF.get(stage, stage))
    if table is None:
        return None
    return state.warehouse.read(table).select(pl.len()).collect().item()


def _to_raw_logs(folder: str) -> dict[str, float]:
    """Seconds of intake and of raw logs, in a fresh home."""
    from cairn.knowledge.redaction import redactor
    from cairn.resources.context import open_state

    redactor().suspects(b"{}")  # compiled once per process, whatever the size
    home = Path(tempfile.mkdtemp())
    try:
        return _take_in(open_state(home), folder)
    finally:
        shutil.rmtree(home)


def _take_in(state: "State", folder: str) -> dict[str, float]:
    from cairn.assets.pending.raw_logs import pending_days
    from cairn.assets.raw_logs import run_raw_logs
    from cairn.assets.records import intake
    from cairn.resources.home.log_files import log_files

    begin = time.perf_counter()
    intake(state, list(log_files(Path(folder), NAMESPACE, "UTC")))
    middle = time.perf_counter()
    run_raw_logs(state, pending_days(state))
    return {"intake": middle - begin, "normalise": time.perf_counter() - middle}


def _medians(steps: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Median seconds of each step; all of them in every round, so that load hits them alike."""
    seconds: dict[str, list[float]] = {name: [] for name in steps}
    for _ in range(rounds):
        for name, step in steps.items():
            begin = time.perf_counter()
            step()
            seconds[name].append(time.perf_counter() - begin)
    return {name: median(each) for name, each in seconds.items()}


def _read(folder: str) -> list[tuple[Path, bytes]]:
    return [(path, path.read_bytes()) for path in sorted(Path(folder).rglob("*")) if path.is_file()]


def _loads(data: bytes) -> None:
    """The baseline: `json.loads` of each line, or of the whole where the first line is no value."""
    for line in data.split(b"\n"):
        if line:
            try:
                json.loads(line)
            except ValueError:
                break
    else:
        return
    try:
        json.loads(data)
    except ValueError:
        return


def _tried(read: Callable[[bytes], object], line: bytes) -> None:
    try:
        read(line)
    except ValueError:
        return


TASKS: dict[str, Callable[..., dict[str, Any]]] = {
    task.__name__: task
    for task in (
        generate,
        decoding,
        raw_logs,
        memory,
        stages,
        lessons,
        model,
        pairs,
        clusters,
        topic_nights,
        simhash,
        templates,
        change,
        evidence,
        facts,
        night,
        search,
        namespaces,
        machines,
        http,
        pages,
        publish,
        start,
        hooks,
        brief_after,
    )
}


def peak_mb() -> float:
    """The most memory that this process ever held."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 if sys.platform != "darwin" else MB)


def run(task: str, *arguments: object, threads: int | None = None) -> dict[str, Any]:
    """What a task measured, in this process, whose threads are as they are."""
    del threads
    found = TASKS[task](*map(str, arguments))
    return json.loads(json.dumps(found | {"peak_mb": peak_mb(), "threads": pl.thread_pool_size()}))


def main() -> None:
    task, *arguments = sys.argv[1:]
    print(json.dumps(run(task, *arguments)))


if __name__ == "__main__":
    main()
