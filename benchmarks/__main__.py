"""All benchmarks in one run: `python -m benchmarks [--quick] [--json] [--source PATH] [--size MB]`.

Each one runs in a process of its own, on the same files. Ratios are baseline / ours: more is
better. docs/performance.md explains the figures. Three do something else, and by themselves:
`python -m benchmarks foresight`, what a brief foretells of the sessions that follow,
`python -m benchmarks said`, what is kept of what people say, and `python -m benchmarks salience`,
which fits the weights by which more of it is kept.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from benchmarks import foresight, said, salience
from benchmarks.change import CHAT_GOAL, LINES, MESSAGES, SEARCHABLE_GOAL
from benchmarks.change import GOALS as CHANGE_GOALS
from benchmarks.hooks import BRIEF_GOAL_S
from benchmarks.hooks import GOAL_MS as HOOK_GOAL_MS
from benchmarks.machines import GOAL as MACHINES_GOAL
from benchmarks.namespaces import GOAL_MS as NAMESPACES_GOAL_MS
from benchmarks.sessions import A_CHAT, SAMPLES
from benchmarks.start import BESIDE, GOALS, GRAPH

ROOT = Path(__file__).parents[1]
MB = 1_000_000
MEMORY_GOAL_MB = 1500
MODEL_CALLS, MODEL_DELAY = 200, 0.05
EVIDENCE_FACTS, ASKED = 50_000, 200
TEMPLATE_FACTS, TEMPLATE_GOAL_S = 20_000, 10
BESIDE_FEW, BESIDE_MANY = 1, 20
"""Other namespaces beside which a new one is measured."""

TOKENS_IN, TOKENS_OUT = 3000, 500
DIMENSIONS = 256, 384
"""Those of the embedder, and of the vectors that the goal of clusters was set for."""

SEARCHES, COMPARED = 200, 20
LARGE = 100_000
"""Statements at which nights and SimHashes have their goals."""


class Figure(NamedTuple):
    """One line of the table. `ratio` is baseline / ours, so more is better."""

    what: str
    baseline: str
    ours: str
    ratio: float | None
    goal: str = ""


class Run(Protocol):
    """How a task of benchmarks.tasks is run."""

    def __call__(self, task: str, *arguments: object, threads: int | None = None) -> dict[str, Any]:
        """What it measured."""
        ...


def by_itself(task: str, *arguments: object, threads: int | None = None) -> dict[str, Any]:
    """What a task of benchmarks.tasks measured, in a process of its own; `threads` of polars.

    Raises:
        CalledProcessError: it failed; what it said is on stderr.
    """
    print(f"{task} …", file=sys.stderr)
    command = [sys.executable, "-m", "benchmarks.tasks", task, *map(str, arguments)]
    environment = os.environ | ({"POLARS_MAX_THREADS": str(threads)} if threads else {})
    done = subprocess.run(command, check=False, capture_output=True, cwd=ROOT, env=environment)
    if done.returncode:
        sys.stderr.buffer.write(done.stderr)
        done.check_returncode()
    return json.loads(done.stdout.splitlines()[-1])


def measured(
    source: Path,
    size: int,
    rounds: int,
    statements: Sequence[int],
    facts: Sequence[int],
    run: Run = by_itself,
) -> dict[str, Any]:
    """All figures of about `size` bytes of sessions made of those under `source`.

    `statements` are the numbers of statements whose pairs are looked for, `facts` those of facts
    that are consolidated in two nights. Each task runs in a process of its own, unless `run` says
    otherwise: then what it takes to start is not in its figures.
    """
    with tempfile.TemporaryDirectory() as scratch:
        half, whole = Path(scratch, "half"), Path(scratch, "whole")
        run("generate", source, half, size // 2)
        made = run("generate", source, whole, size)
        return {
            "date": f"{datetime.now(UTC):%Y-%m-%d}",
            "machine": f"{os.cpu_count()} cores, {platform.machine()}, Python "
            f"{platform.python_version()}",
            "bytes": made["bytes"],
            "files": made["files"],
            "decoding": run("decoding", half, rounds),
            "raw_logs": run("raw_logs", whole, rounds),
            "memory_half": run("memory", half),
            "memory": run("memory", whole),
            "stages": run("stages", whole),
            "start": run("start", *((5, SAMPLES) if rounds > 1 else (1, A_CHAT))),
            "hooks": run("hooks", *((LARGE, 60) if rounds > 1 else (300, 2))),
            "brief_after": run("brief_after", MB if rounds > 1 else MB // 20),
            "lessons": run("lessons", half),
            "model": run("model", MODEL_CALLS if rounds > 1 else 20, MODEL_DELAY),
            "pairs": [run("pairs", count, rounds) for count in statements],
            "clusters": [
                run("clusters", statements[0], 10 if len(statements) > 1 else 1, dimension)
                for dimension in DIMENSIONS
            ],
            "topic_nights": [run("topic_nights", count) for count in statements],
            "simhash": [run("simhash", count, rounds) for count in statements],
            "templates": run("templates", TEMPLATE_FACTS if rounds > 1 else facts[0]),
            "change": run(
                "change",
                source,
                size // 10,
                size // 2,
                *((BESIDE_FEW, BESIDE_MANY) if rounds > 1 else (1, 2)),
            ),
            "evidence": run(
                "evidence", *((EVIDENCE_FACTS, ASKED) if rounds > 1 else (facts[0], COMPARED))
            ),
            "nights": [nights(count, run) for count in facts],
            "search": [
                run("search", count, SEARCHES if rounds > 1 else COMPARED, COMPARED)
                for count in facts[:2]
            ],
            **({"machines": run("machines", 60)} if rounds > 1 else {}),
            "namespaces": run("namespaces", *((100, 2_000) if rounds > 1 else (4, 20))),
            "http": run("http", facts[0], *((4, 5) if rounds > 1 else (1, 0.1)), threads=1),
        }


def nights(count: int, run: Run) -> dict[str, Any]:
    """A first night of about `count` facts and one with 1 % more, in one thread."""
    with tempfile.TemporaryDirectory() as home:
        run("facts", home, count, "before")
        first = run("night", home, threads=1)
        made = run("facts", home, count, "after")
        return {"facts": made["facts"], "first": first, "second": run("night", home, threads=1)}


def figures(result: dict[str, Any]) -> Iterator[Figure]:
    """The table: ratios, then memory, then seconds of every stage."""
    decoding = result["decoding"]
    bare, size = decoding["seconds"]["json.loads"], decoding["bytes"] / MB
    for name, what, goal in (
        ("decode", "decode lines", "4"),
        ("file", "split, decode and place lines", ""),
        ("events", "decode lines to events", ""),
        ("redaction prefilter", "redaction prefilter", ""),
    ):
        ours = decoding["seconds"][name]
        baseline = f"json.loads {size / bare:.0f} MB/s"
        yield Figure(what, baseline, f"{size / ours:.0f} MB/s", bare / ours, goal)
    seconds, size = result["raw_logs"]["seconds"], result["bytes"] / MB
    bare, ours = seconds["json.loads"], seconds["raw logs"]
    yield Figure(
        f"raw logs of {size:.0f} MB, written",
        f"json.loads {bare:.2f} s",
        f"{ours:.2f} s (intake {seconds['intake']:.2f}, normalise {seconds['normalise']:.2f})",
        bare / ours,
        "1",
    )
    half, peak = result["memory_half"]["peak_mb"], result["memory"]["peak_mb"]
    yield Figure(
        "peak memory, raw logs", f"half the size {half:.0f} MB", f"{peak:.0f} MB", half / peak
    )
    peak = result["stages"]["peak_mb"]
    yield Figure(
        "peak memory, all stages", f"goal {MEMORY_GOAL_MB} MB", f"{peak:.0f} MB",
        MEMORY_GOAL_MB / peak, "1",
    )  # fmt: skip
    yield from started(result["start"])
    yield from hooked(result["hooks"])
    found = result["brief_after"]
    yield Figure(
        f"from the end of a session of {found['bytes'] / MB:.1f} MB to its brief",
        f"goal {BRIEF_GOAL_S} s",
        f"{found['seconds']:.1f} s",
        BRIEF_GOAL_S / found["seconds"],
        "1",
    )
    yield from lessons(result["lessons"])
    asked, seconds = result["model"], result["model"]["seconds"]
    yield Figure(
        f"{asked['calls']} calls to a language model, {asked['concurrency']} at once",
        f"its own time {asked['ideal']:.2f} s",
        f"{seconds['calls']:.2f} s",
        asked["ideal"] / seconds["calls"],
        f"{1 / 1.2:.2f}",
    )
    yield Figure(
        "the same, answered before",
        f"asked {seconds['calls']:.2f} s",
        f"{seconds['replay']:.3f} s",
        seconds["calls"] / seconds["replay"],
    )
    yield Figure("importing litellm", "", f"{seconds['import']:.2f} s", None)
    for found in result["pairs"]:
        baseline, ours = found["seconds"]["baseline"], found["seconds"]["ours"]
        yield Figure(
            f"{found['pairs']:,} pairs of {found['statements']:,} statements, {found['lost']} lost",
            f"{found['baseline']} {baseline:.2f} s CPU",
            f"{ours:.2f} s CPU",
            baseline / ours,
            "4" if found["baseline"] == "a full matrix" else "2.5",
        )
    yield from clustered(result)
    found, seconds = result["templates"], result["templates"]["seconds"]
    yield Figure(
        f"similar facts of {found['facts']:,} of one template, {found['rows']['ours']:,} pairs, "
        f"goal {TEMPLATE_GOAL_S} s CPU",
        f"as many different ones {seconds['baseline']:.2f} s CPU",
        f"{seconds['ours']:.2f} s CPU",
        seconds["baseline"] / seconds["ours"],
    )
    yield from changed(result["change"])
    found, seconds = result["evidence"], result["evidence"]["seconds"]
    yield Figure(
        f"episodes for {found['facts']:,} facts among {found['episodes']:,}, "
        + ("the same found" if found["same"] else "NOT the same found"),
        f"single queries {seconds['baseline']:.1f} s CPU (of {found['asked']:,} asked)",
        f"{seconds['ours']:.2f} s CPU",
        seconds["baseline"] / seconds["ours"],
        "100",
    )
    for found in result["nights"]:
        first, second = (sum(found[name]["seconds"].values()) for name in ("first", "second"))
        yield Figure(
            f"a night with 1 % more, {found['facts']:,} facts",
            f"the first night {first:.1f} s CPU, {found['first']['peak_mb']:,.0f} MB",
            f"{second:.2f} s CPU, {found['second']['peak_mb']:,.0f} MB",
            first / second,
            "20",
        )
    for found in result["search"]:
        yield from searched(found)
    found = result.get("machines")
    if found and found["two"] is not None:
        yield Figure(
            f"{found['namespaces']} namespaces by two machines that share, a core each",
            f"one {found['one']:.1f} s",
            f"{found['two']:.1f} s",
            found["one"] / found["two"],
            str(MACHINES_GOAL),
        )
    found = result["namespaces"]
    first, p95 = found["first"]["p95"], found["later"]["p95"]
    yield Figure(
        f"a search in one of {found['namespaces']} namespaces at random, p95",
        f"goal {NAMESPACES_GOAL_MS} ms",
        f"{p95:.1f} ms (the first of each {first:.1f}), {found['memory_mb']:.1f} MB each",
        NAMESPACES_GOAL_MS / p95,
        "1",
    )
    yield from over_http(result["http"])
    stages = result["stages"]["stages"]
    for name, stage in stages.items():
        rows = "" if stage["rows"] is None else f", {stage['rows']:,} rows"
        yield Figure(f"stage {name}", "", f"{stage['seconds']:.2f} s{rows}", None)
    total = result["stages"]["seconds"]
    rest = total - sum(stage["seconds"] for stage in stages.values())
    yield Figure("checks, and Dagster itself", "", f"{rest:.1f} s", None)
    yield Figure("whole graph, from files to publication", "", f"{total:.1f} s", None)


def started(found: dict[str, Any]) -> Iterator[Figure]:
    """What commands cost from start to end."""
    for name, goal in GOALS.items():
        bare = found["seconds"][BESIDE[name]]
        yield Figure(
            f"`cairn {name}`, the whole process, goal {goal} s CPU",
            f"{BESIDE[name]} {bare:.2f} s CPU",
            f"{found['seconds'][name]:.2f} s CPU",
            bare / found["seconds"][name],
        )


def changed(found: dict[str, Any]) -> Iterator[Figure]:
    """What a small change costs beside the imports, and where there is much beside where little."""
    bare = found["imports"]
    sizes = [(f"{int(size) / MB:.1f} MB", each) for size, each in found["sessions"].items()]
    others = [(f"beside {count}", each) for count, each in found["namespaces"].items()]
    for change, what, places in (
        ("first", "a first import", sizes),
        ("lines", f"{LINES} lines more", sizes),
        ("nothing", "nothing new", sizes),
        ("namespace", f"a namespace of {MESSAGES} messages more", others),
    ):
        goal = f", goal {CHANGE_GOALS[change][0]} s more" if change in CHANGE_GOALS else ""
        for place, each in places:
            yield Figure(
                f"`cairn run`, {what}, {place}{goal}",
                f"{GRAPH} {bare:.2f} s CPU",
                f"{each[change]:.2f} s CPU, {each[change] - bare:.2f} s more",
                bare / each[change],
            )
        if change == "nothing":
            for place, each in sizes:
                yield Figure(
                    f"a line written to found by search, `cairn run --watch`, {place}, wall",
                    f"goal {SEARCHABLE_GOAL:.0f} s",
                    f"{each['searchable']:.2f} s",
                    SEARCHABLE_GOAL / each["searchable"],
                )
            chat = found["chat"]
            yield Figure(
                f"a chat of {chat['messages']} messages, `cairn run` in an empty home, wall",
                f"goal {CHAT_GOAL:.0f} s",
                f"{chat['seconds']:.2f} s, {chat['messages'] / chat['seconds']:.0f} a second",
                CHAT_GOAL / chat["seconds"],
            )
        if change in CHANGE_GOALS:
            (few, least), *_, (many, most) = places
            yield Figure(
                f"{what}, {many} against {few}",
                f"{least[change]:.2f} s CPU",
                f"{most[change]:.2f} s CPU",
                least[change] / most[change],
                f"{1 / CHANGE_GOALS[change][1]:.2f}",
            )


def hooked(found: dict[str, Any]) -> Iterator[Figure]:
    """What hooks cost an agent, and what FTS5 would take for the same."""
    bare = found["p95"]["bare"]
    for moment in ("start", "prompt", "failure"):
        ours = found["p95"][moment]
        yield Figure(
            f"a hook ({moment}) among {found['texts']:,} texts, p95, goal {HOOK_GOAL_MS} ms more",
            f"a bare Python {bare:.0f} ms",
            f"{ours:.0f} ms",
            bare / ours,
        )
    found_alone = found["p95"]["prompt"] - bare
    yield Figure(
        "a prompt looked up, without the start of Python",
        f"FTS5 {found['fts5_ms']:.0f} ms",
        f"{found_alone:.0f} ms",
        found["fts5_ms"] / found_alone,
    )


def clustered(result: dict[str, Any]) -> Iterator[Figure]:
    """Topics and near SimHashes; of several runs the least ratio counts."""
    for found in result["clusters"]:
        runs = found["runs"]
        worst = min(runs, key=lambda each: each["baseline"] / each["ours"])
        better = sum(each["accuracy"] >= each["baseline_accuracy"] for each in runs)
        yield Figure(
            f"clusters of {found['texts']:,} texts, {found['dimension']} dimensions, the worst of "
            f"{len(runs)}; as accurate in {better}, the same in "
            f"{sum(each['agreement'] > 0.99 for each in runs)}",
            f"hdbscan {worst['baseline']:.2f} s CPU",
            f"{worst['ours']:.2f} s CPU",
            worst["baseline"] / worst["ours"],
            "50",
        )
    for found in result["topic_nights"]:
        first, night = found["seconds"]["first"], found["seconds"]["night"]
        yield Figure(
            f"topics of a night with {found['new']:,} new facts",
            f"first night, {found['facts']:,} facts {first:.2f} s CPU",
            f"{night:.2f} s CPU",
            first / night,
            "20" if found["facts"] >= LARGE else "",
        )
    for found in result["simhash"]:
        baseline, ours = found["seconds"]["baseline"], found["seconds"]["ours"]
        told = "the same" if found["same"] else "others than the baseline's"
        yield Figure(
            f"{found['pairs']:,} near SimHashes of {found['hashes']:,}, {told}",
            f"all pairs {baseline:.2f} s CPU",
            f"{ours:.3f} s CPU",
            baseline / ours,
            "20" if found["hashes"] >= LARGE else "",
        )


def searched(found: dict[str, Any]) -> Iterator[Figure]:
    """Searches of people and agents, and what publishing costs."""
    of, large = f"{found['facts']:,} facts", found["facts"] > LARGE // 2
    top, publish, whole = found["top"], found["publish"], found["search"]
    yield Figure(
        f"filtered top 20 of {of}, recall {found['recall']:.3f}",
        f"QdrantClient(path=…) {top['baseline'] * 1000:.1f} ms",
        f"{top['ours'] * 1000:.2f} ms",
        top["baseline"] / top["ours"],
        "" if large else "200",
    )
    goal = 30 if large else 10
    yield Figure(
        f"a whole search of {of}, p95 of {found['asked']}",
        f"goal {goal} ms",
        f"{whole['p95'] * 1000:.1f} ms (median {whole['p50'] * 1000:.1f})",
        goal / 1000 / whole["p95"],
        "1",
    )
    yield Figure(
        f"publishing {found['points']:,} points",
        f"QdrantClient(path=…) {publish['baseline']:.1f} s",
        f"{publish['ours']:.2f} s",
        publish["baseline"] / publish["ours"],
        "25",
    )
    one, many = found["clients"]["1"], found["clients"]["8"]
    yield Figure(f"8 clients at once, {of}", f"one {one:.0f}/s", f"{many:.0f}/s", many / one)
    if during := found["while_publishing"]:
        yield Figure(
            f"a search of {of} while one publishes",
            f"p95 alone {whole['p95'] * 1000:.1f} ms",
            f"p95 {during['p95'] * 1000:.1f} ms, most {during['most'] * 1000:.0f} ms",
            whole["p95"] / during["p95"],
        )


def over_http(found: dict[str, Any]) -> Iterator[Figure]:
    """What HTTP adds, what workers bring, and the longest wait while one publishes."""
    inside, over = found["in_process"]["p50"], found["http"]["p50"]
    yield Figure(
        f"what HTTP adds to the median of {found['asked']:,} searches",
        "goal 2.0 ms",
        f"{found['added'] * 1000:.2f} ms ({inside * 1000:.1f} in process, {over * 1000:.1f})",
        0.002 / found["added"],
        "1",
    )
    clients, cores = found["clients"], found["cores"]
    one = clients["1"]["1"]["rate"]
    for workers in ("1", str(found["workers"])):
        count = max(clients[workers], key=int)
        many = clients[workers][count]
        yield Figure(
            f"{count} clients over HTTP, {workers} worker{'s' * (workers != '1')}, {cores} cores",
            f"1 client, 1 worker {one:.0f}/s",
            f"{many['rate']:.0f}/s, clients took {many['share']:.0%} of the cores",
            many["rate"] / one,
        )
    quiet, busy = found["while_publishing"]["quiet"], found["while_publishing"]["busy"]
    yield Figure(
        f"the slowest of {busy['asked']:,} answers over HTTP while a process publishes",
        f"p95 alone {quiet['p95'] * 1000:.1f} ms (slowest {quiet['most'] * 1000:.0f})",
        f"{busy['most'] * 1000:.0f} ms (p95 {busy['p95'] * 1000:.1f})",
        quiet["p95"] / busy["most"],
    )


def lessons(found: dict[str, Any]) -> Iterator[Figure]:
    """What a conversation costs on its way to lessons."""
    p95 = found["p95"]
    for what, seconds, goal in (
        (f"value of a conversation, p95 of {found['conversations']:,}", p95["value"], 0.1),
        (f"scoring a draft, p95 of {found['drafts']:,}", p95["scoring"], 0.01),
        (f"duplicates, {found['asked']:,} conversations at once", found["duplicates"], 0.5),
        (f"lessons of a conversation, stubbed model, p95 of {found['asked']:,}",
         p95["conversation"], 5.0),
    ):  # fmt: skip
        goal_told, told = f"goal {goal * 1000:,.0f} ms", f"{seconds * 1000:,.2f} ms"
        yield Figure(what, goal_told, told, goal / seconds, "1")
    for each in found["tokens"]:
        yield Figure(
            f"tokens of a conversation, lessons of {each['categories']} categories",
            f"goal {TOKENS_IN:,} in, {TOKENS_OUT:,} out",
            f"{each['calls']:.1f} calls, {each['in']:,.0f} in, {each['out']:,.0f} out",
            TOKENS_IN / each["in"],
        )


def table(result: dict[str, Any]) -> Iterator[str]:
    """The figures as lines of Markdown."""
    yield (
        f"{result['date']}, {result['machine']}, {result['raw_logs']['threads']} threads; "
        f"{result['bytes'] / MB:.1f} MB in {result['files']} files"
    )
    yield ""
    yield "| what | baseline | ours | ratio | goal |"
    yield "| --- | --- | --- | ---: | ---: |"
    for figure in figures(result):
        ratio = "" if figure.ratio is None else f"{figure.ratio:.2f}"
        yield f"| {figure.what} | {figure.baseline} | {figure.ours} | {ratio} | {figure.goal} |"


def main() -> None:
    """Measures, and prints the table."""
    apart = {"foresight": foresight.main, "said": said.main, "salience": salience.main}
    if sys.argv[1:] and sys.argv[1] in apart:
        apart[sys.argv[1]](sys.argv[2:])
        return
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="2 MB, once: does it run at all")
    parser.add_argument(
        "--large",
        action="store_true",
        help="100,000 statements and facts too, ten data sets: minutes",
    )
    parser.add_argument("--largest", action="store_true", help="nights of 1,000,000 facts: hours")
    parser.add_argument("--json", action="store_true", help="print the measurements as JSON")
    parser.add_argument("--source", type=Path, default=SAMPLES, help="sessions to repeat")
    parser.add_argument("--size", type=float, default=200, metavar="MB", help="megabytes to make")
    arguments = parser.parse_args()
    size, rounds = (2 * MB, 1) if arguments.quick else (int(arguments.size * MB), 3)
    statements = [2_000] if arguments.quick else [10_000, 100_000][: 1 + arguments.large]
    facts = [2_000] if arguments.quick else [10_000]
    if arguments.large or arguments.largest:
        facts += [100_000, 1_000_000][: 1 + arguments.largest]
    result = measured(arguments.source.expanduser().absolute(), size, rounds, statements, facts)
    print(json.dumps(result, indent=1) if arguments.json else "\n".join(table(result)))


if __name__ == "__main__":
    main()
