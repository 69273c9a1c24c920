"""Knowledge as foresight: how much of what a session needed stood in the brief before it began.

    python -m benchmarks foresight [SHARED_DATA_FOLDER] [--json] [--briefs FILE]
    python -m benchmarks foresight --hooks [SHARED_DATA_FOLDER] [--set NAME …] [--json]

The second is told in benchmarks/foresight_hooks.py; here is the first.

For each session of a project after its third, in the order of their starts, the brief of 400 tokens
is made as of the moment before its first event, by `serving.query.briefs`, from tables that all
sessions made. What then happened is taken from the session itself:

- **commands**: each command (stable form and folder, once a session) for test, lint, format, build
  or type_check that an earlier session had run. It is foretold where a line of the brief shows this
  very stable form, for this folder; that the task has a line with another command does not count.
  *Loosely* it is where the words of the form stand anywhere in the text: the only way in which the
  baselines can be judged, and kinder to them.
- **errors**: each signature of a failure that an earlier session had, *fixed* those for which a fix
  was known by then. It is foretold where a line of the brief is one of these fixes; loosely, and of
  the baselines, where the key line stands in the text, with a fix or without.
- **wishes**: each thing that a person directs, asks for or refuses that was said in an earlier
  session: the same fact, or one more alike than `Policy.contradiction_similarity`; or a request in
  passing for the same, in whatever words. It is foretold where a line of the brief is one of these
  facts, or has the words of an earlier request; loosely, where its words stand in the text.
- **files**: each file edited that an earlier session had edited; where the path stands in the text.

What happened before the start in a session that still ran counts as earlier. Against three
baselines of as many tokens, counted alike: nothing; the end of what was written in the project's
last session, calls included; the command lines that earlier sessions ran most often, as typed.

For every eighth session tables are made anew of the lines alone that were written before its start:
the brief as of that moment must be the same text. Sets are folders of sessions; those without a
dated session of a project after its third are named, and count nothing.
"""

import argparse
import json
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from benchmarks.foresight_history import (
    COMMANDS,
    FILES,
    FIXED,
    KINDS,
    WISHES,
    Happened,
    History,
    Session,
    just_before,
)
from cairn.assets.pending.publication import versions
from cairn.knowledge.assembly.build import build
from cairn.knowledge.engine.stage import StageContext
from cairn.knowledge.ingest.records import read_records
from cairn.knowledge.practices.briefs.practice_lines import of_package
from cairn.knowledge.redaction import redactor
from cairn.knowledge.schema.calendar import watermark
from cairn.knowledge.schema.tables import RECORDS, TABLES
from cairn.resources.context import State, open_state
from cairn.resources.home.log_files import log_files
from cairn.resources.warehouse.publication import Manifest, publish
from cairn.serving.query.briefs import project_brief
from cairn.serving.read.reader import open_reader

SHARED = Path(__file__).parents[2] / "shared" / "data"
SETS = (
    "cc_entire", "cc_spotter", "cc_fasthooks", "cc_simonw", "cc_claude_code_log",
    "multi_agent_sessions", "swe_agent_traj",
)  # fmt: skip
BUDGET = 400
REBUILT = 8
"""Of how many sessions one is measured by tables made of the earlier lines alone, too."""
GOALS = {COMMANDS: 0.90, FIXED: 0.60, WISHES: 0.80}
LOOSELY = "brief, loosely"
BASELINES = ("nothing", "last session", "frequent commands")
WAYS = ("brief", LOOSELY, *BASELINES)
_ENV = re.compile(r"(?:(?:source|\w+ activate) \S+ && )*(?:[A-Za-z_]\w*(?:=\S*)? )*")
_PRACTICE = re.compile(
    r"\w+: `(.*)`(?: \((?:in ([^;]*?)|also in ([^;]*?))?(?:; )?(?:also for (.*))?\))?"
)


class Told(NamedTuple):
    """A brief: its text, and its lines."""

    text: str
    lines: Sequence[Mapping[str, Any]]


def foretold(happened: Happened, told: Told) -> bool:
    """Whether a brief tells what then happened."""
    if happened.kind == COMMANDS:
        return any(
            shows_command(line["text"], happened.what, happened.folder) for line in told.lines
        )
    if happened.kind == FILES or (happened.kind == WISHES and not happened.line_ids):
        return happened.shown(told.text)
    return any(line["id"] in happened.line_ids for line in told.lines)


def shows_command(line: str, command: str, folder: str) -> bool:
    """Whether a line of a brief is a practice with just this command, whatever its environment.

    In each folder and for each package that the line names, it is.
    """
    found = _PRACTICE.fullmatch(line)
    if found is None:
        return False
    shown, inside, also_in, also_for = (text or "" for text in found.groups())
    folders = (inside or f",{also_in}").split(",")
    if folder not in {"" if place.strip() == "." else place.strip() for place in folders}:
        return False
    form, package = of_package(shown)
    others = [form.replace("*", other) for other in also_for.split(", ")] if package else []
    return any(
        one.endswith(command) and _ENV.fullmatch(one.removesuffix(command)) is not None
        for one in (shown, *others)
    )


def read_set(folder: Path, namespace: str) -> pl.DataFrame:
    """RECORDS of all log files under a folder."""
    found = [RECORDS.empty()]
    for file in sorted(log_files(folder, namespace, "UTC")):
        read = read_records(
            file.path.read_bytes(),
            namespace=namespace,
            source_file=str(file.path.relative_to(folder.absolute())),
            timezone="UTC",
            seen_at=datetime(2000, 1, 1, tzinfo=UTC),
            redactor=redactor(),
        )
        found.append(read.records)
    return pl.concat(found).unique("record_key", keep="first", maintain_order=True)


def written_before(records: pl.DataFrame, moment: datetime) -> pl.DataFrame:
    """Records of lines that stood in their files before a moment.

    One without a time was written with the line before it or, at the top, with the one behind it.
    """
    written = pl.col("occurred_at").forward_fill().backward_fill().over("source_file")
    return records.sort("source_file", "source_line", maintain_order=True).filter(written < moment)


def put(tables: Mapping[str, pl.DataFrame], namespace: str, state: State) -> None:
    """Writes the tables of one namespace into an empty home, and publishes them."""
    for name, frame in tables.items():
        state.warehouse.write(TABLES[name], frame)
    latest = watermark(tables["conversations"], "ended_at")
    there = versions(state.of(namespace))
    publish(state.home, Manifest(namespace, None, there, latest, datetime.now(UTC)))


class Home:
    """The tables that some records make, in a home of their own."""

    def __init__(self, records: pl.DataFrame, namespace: str) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self.state = open_state(Path(self._folder.name))
        self.namespace = namespace
        made = build(records, StageContext(self.state.policy, self.state.embedder))
        self.tables = {name: made.get(name, table.empty()) for name, table in TABLES.items()}
        put(self.tables, namespace, self.state)

    def close(self) -> None:
        """Removes it."""
        self._folder.cleanup()

    def brief(self, session: Session) -> Told:
        """The brief of a session's project just before it."""
        reader = open_reader(self.state, self.namespace, just_before(session))
        made = project_brief(reader, session.project, BUDGET)
        return Told(made["text"], made["lines"])


def measured(folder: Path, sets: Collection[str] = SETS, rebuilt: int = REBUILT) -> dict[str, Any]:
    """Figures of each set and of all, `briefs` with what happened, and which sets are left out.

    Args:
        folder: Shared data.
        sets: Folders in it.
        rebuilt: Of how many sessions one is compared with tables of the earlier lines alone.
    """
    found: dict[str, Any] = {
        name: _of_set(folder / name, name, rebuilt) for name in sets if (folder / name).is_dir()
    }
    each = {name: own for name, own in found.items() if own["sessions"]}
    return {
        "sets": {name: _figures([own]) for name, own in each.items()},
        "all": _figures(list(each.values())),
        "without sessions": sorted(found.keys() - each.keys()),
        "briefs": [brief for own in each.values() for brief in own["briefs"]],
    }


def _of_set(folder: Path, namespace: str, rebuilt: int) -> dict[str, Any]:
    records = read_set(folder, namespace)
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    briefs: list[dict[str, Any]] = []
    with closing(Home(records, namespace)) as home:
        history = History(home.tables, home.state)
        sessions = history.sessions()
        # Every so many, and of few the last.
        compared = sessions[rebuilt - 1 :: rebuilt] or sessions[-1:]
        for session in sessions:
            told = home.brief(session)
            judged = _judged(session, told, history, counts)
            if session in compared:
                judged["same"] = _rebuilt(records, namespace, session) == told.text
            briefs.append(judged)
    return {
        "sessions": len(sessions), "counts": counts, "briefs": briefs, "rebuilt": len(compared),
        "equal": sum(brief.get("same", False) for brief in briefs),
    }  # fmt: skip


def _rebuilt(records: pl.DataFrame, namespace: str, session: Session) -> str:
    with closing(Home(written_before(records, session.begins), namespace)) as home:
        return home.brief(session).text


def _judged(
    session: Session, told: Told, history: History, counts: defaultdict[str, Counter[str]]
) -> dict[str, Any]:
    """Counts what happened in a session by kind and way; tells the brief, and what it missed."""
    baselines = {
        "nothing": "",
        "last session": history.last_session(session, BUDGET),
        "frequent commands": history.frequent_commands(session, BUDGET),
    }
    missed: list[str] = []
    for happened in history.happened(session):
        own = counts[happened.kind]
        own["happened"] += 1
        own["brief"] += foretold(happened, told)
        own[LOOSELY] += happened.shown(told.text)
        for way, text in baselines.items():
            own[way] += happened.shown(text)
        if not foretold(happened, told):
            missed.append(f"{happened.kind}: {happened.what}")
    return {
        "project": session.project, "conversation": session.conversation,
        "begins": session.begins.isoformat(), "text": told.text, "missed": missed,
    }  # fmt: skip


def _figures(sets: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    figures: dict[str, Any] = {
        name: sum(own[name] for own in sets) for name in ("sessions", "rebuilt", "equal")
    }
    for kind in KINDS:
        counts = sum((own["counts"].get(kind, Counter()) for own in sets), Counter[str]())
        figures[kind] = {name: counts[name] for name in ("happened", *WAYS)}
    return figures


def table(result: Mapping[str, Any]) -> Iterator[str]:
    """The figures as lines of Markdown."""
    yield f"| set | what | happened | {' | '.join(WAYS)} | goal |"
    yield f"| --- | --- | ---: | {' | '.join('---:' for _ in WAYS)} | ---: |"
    for name, own in {**result["sets"], "all": result["all"]}.items():
        for kind in KINDS:
            counts = own[kind]
            shares = [share(counts[way], counts["happened"]) for way in WAYS]
            goal = f"{GOALS[kind]:.2f}" if kind in GOALS else ""
            yield f"| {name} | {kind} | {counts['happened']} | {' | '.join(shares)} | {goal} |"
    yield ""
    for name, own in {**result["sets"], "all": result["all"]}.items():
        yield (
            f"{name}: {own['sessions']} sessions; of {own['rebuilt']} briefs made of the earlier "
            f"lines alone {own['equal']} are the same"
        )
    if result["without sessions"]:
        yield f"No dated project with more sessions: {', '.join(result['without sessions'])}"


def share(part: int, whole: int) -> str:
    """A share, as the table has it."""
    return f"{part / whole:.2f}" if whole else "-"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures, and prints the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks foresight",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path, nargs="?", default=SHARED, help="SHARED_DATA_FOLDER")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--briefs", type=Path, metavar="FILE", help="write briefs and misses here")
    parser.add_argument(
        "--rebuilt", type=int, default=REBUILT, metavar="N", help="every Nth session"
    )
    parser.add_argument("--hooks", action="store_true", help="replay sessions through the hooks")
    parser.add_argument(
        "--set", action="append", metavar="NAME", help="with --hooks: real sessions, not the year"
    )
    given = parser.parse_args(arguments)
    if given.hooks:
        from benchmarks import foresight_hooks

        found = foresight_hooks.measured(given.folder, given.set or [foresight_hooks.YEAR])
        told = (
            json.dumps(found, indent=1) if given.json else "\n".join(foresight_hooks.table(found))
        )
        print(told)
        return
    folder = given.folder.expanduser().absolute()
    if not folder.is_dir():
        print(f"no shared data in {folder}: nothing is measured")
        return
    result = measured(folder, rebuilt=given.rebuilt)
    if given.briefs:
        given.briefs.write_text(json.dumps(result["briefs"], indent=1), encoding="utf-8")
    del result["briefs"]
    print(json.dumps(result, indent=1) if given.json else "\n".join(table(result)))


if __name__ == "__main__":
    main()
