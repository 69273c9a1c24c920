"""Sessions replayed in order through the hooks: what was offered when, and how often nothing.

    python -m benchmarks foresight --hooks [SHARED_DATA_FOLDER] [--set NAME …] [--json]

Of each session the client of the hooks is given what an agent would give it: its start, each
prompt, each command that failed, its end. It ends before the next one starts: then its transcript
is queued by the client, and taken in by a real run. So what is offered is what was known then, from
sessions before. Nothing is held out.

Without `--set` it is the year of `benchmarks.year`, of which it is known what each prompt is about:
a piece is about it where its words name that matter, or say what ends that error. With sets of
real sessions prompts and failures are those that their tables tell, and what is offered for an
error is about it where the tables, made of all sessions, give both the same signature.
"""

import json
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import polars as pl

from benchmarks.foresight import Home, read_set, share
from benchmarks.foresight_history import FIXED, History
from benchmarks.year import HOME, Prompted, write, year
from cairn.integrations import hook_client
from cairn.pipelines.runner import run_graph
from cairn.resources.context import State, open_state
from cairn.resources.hook_queue import queued

YEAR = "year"
SILENT_GOAL = 0.7
"""Least share of prompts with nothing to say."""
PROMPT, FAILURE = "prompt", "failure"
_EVENTS = {PROMPT: "UserPromptSubmit", FAILURE: "PostToolUseFailure"}


class Moment(NamedTuple):
    """A prompt, or a command that failed."""

    kind: str
    given: Mapping[str, Any]
    """What an agent adds to the payload."""
    about: frozenset[str] = frozenset()
    """A piece that is about it has one of these: as its id, or in its words."""
    known: bool = False
    """Of a failure: whether an earlier session had this error, and what ended it."""


class Replayed(NamedTuple):
    """A session to be replayed."""

    id: str
    cwd: str
    moments: Sequence[Moment]
    transcripts: Callable[[Path], Sequence[Path]]
    """Writes its transcripts into a folder."""


class Offered(NamedTuple):
    """What was said at a moment, and by which ids."""

    session: str
    moment: Moment
    ids: Sequence[str]
    text: str

    @property
    def is_about(self) -> bool:
        """Whether it is about the moment."""
        return any(word in self.ids or word in self.text for word in self.moment.about)


class ReplayHome:
    """A home in which each session is taken in as it ends."""

    def __init__(self, folder: Path, namespace: str) -> None:
        self._transcripts = folder / "transcripts"
        self._transcripts.mkdir()
        opened = open_state(folder / "home")
        policy = opened.policy.model_copy(update={"holdout_share": 0.0})
        self._state = State(opened.home, opened.settings.model_copy(update={"policy": policy}))
        self._namespace = namespace
        self.seconds: list[float] = []
        """From the end of each session until what it brought may be said."""

    def said(self, session: Replayed, event: str, given: Mapping[str, Any]) -> str:
        """What the client says."""
        payload = {"hook_event_name": event, "session_id": session.id, "cwd": session.cwd, **given}
        said = hook_client.main(
            ["claude-code", str(self._state.home.root), self._namespace],
            lambda _: json.dumps(payload).encode(),
            time.monotonic(),
        )
        return json.loads(said)["hookSpecificOutput"]["additionalContext"] if said else ""

    def offer(self, session: Replayed, moment: Moment) -> Offered | None:
        """What is offered at a moment."""
        if not (text := self.said(session, _EVENTS[moment.kind], moment.given)):
            return None
        last = max((self._state.home.inbox / self._namespace).glob("*.jsonl"))
        event = json.loads(last.read_text(encoding="utf-8").splitlines()[-1])
        return Offered(session.id, moment, event["item"]["shown"], text)

    def end(self, session: Replayed) -> None:
        """Ends a session: its transcripts are queued, and taken in."""
        files = session.transcripts(self._transcripts)
        start = time.monotonic()
        for file in files:
            self.said(session, "SessionEnd", {"transcript_path": str(file)})
        while waiting := queued(self._state.home):
            if wrong := waiting.register():
                raise RuntimeError(str(wrong))
            run_graph(self._state)
            waiting.done()
        self.seconds.append(time.monotonic() - start)


def of_year() -> Iterator[Replayed]:
    """The sessions of the made-up year."""
    had = set[str]()
    for made in year():
        moments: list[Moment] = []
        for happened in made.happened:
            if isinstance(happened, Prompted):
                about = frozenset([happened.matter] if happened.matter else [])
                moments.append(Moment(PROMPT, {"prompt": happened.text}, about))
            else:
                given = {"tool_name": "Bash", "error": f"Exit code 1\n{happened.output}"}
                known = happened.output in had
                moments.append(Moment(FAILURE, given, frozenset([happened.helps]), known))
        had |= {one.output for one in made.happened if not isinstance(one, Prompted)}
        yield Replayed(
            made.id,
            f"{HOME}/{made.project}",
            moments,
            lambda folder, made=made: [write(made, folder)],
        )


def of_set(folder: Path, namespace: str) -> Iterator[Replayed]:
    """Real sessions in order, with the prompts and failures that the tables of all of them tell."""
    with closing(Home(read_set(folder, namespace), namespace)) as home:
        tables, history = home.tables, History(home.tables, home.state)
    fixes = tables["error_signatures"].drop_nulls("fix_id").group_by("signature").agg("fix_id")
    about = dict(fixes.select("signature", "fix_id").iter_rows())
    signatures = dict(tables["failures"].select("record_id", "signature").iter_rows())
    logs = tables["raw_logs"].sort("seq").partition_by("conversation_id", as_dict=True)
    for session in history.sessions(after=0):
        known = {one.what for one in history.happened(session) if one.kind == FIXED}
        rows = logs[session.conversation,]
        moments: list[Moment] = []
        for row in rows.iter_rows(named=True):
            if row["kind"] == "message" and row["origin"] == "human" and row["role"] == "user":
                moments.append(Moment(PROMPT, {"prompt": row["text"]}))
            elif row["record_id"] in signatures:
                told = signatures[row["record_id"]]
                given = {"tool_name": row["tool_name"], "error": row["text"]}
                moments.append(
                    Moment(FAILURE, given, frozenset(about.get(told, ())), told in known)
                )
        cwd = rows["cwd"].drop_nulls()
        yield Replayed(
            session.conversation, cwd[0] if len(cwd) else "", moments, _so_far(folder, rows)
        )


def _so_far(folder: Path, rows: pl.DataFrame) -> Callable[[Path], list[Path]]:
    """Writes the files of a session as they stood when it ended."""
    ends = dict(rows.group_by("source_file").agg(pl.col("source_line").max()).iter_rows())

    def write_into(transcripts: Path) -> list[Path]:
        written: list[Path] = []
        for name, line in sorted(ends.items()):
            file = transcripts / name
            file.parent.mkdir(parents=True, exist_ok=True)
            content = (folder / name).read_bytes()
            if file.suffix == ".jsonl":
                content = b"".join(content.splitlines(keepends=True)[:line])
            file.write_bytes(content)
            written.append(file)
        return written

    return write_into


def replayed(sessions: Iterator[Replayed], namespace: str) -> dict[str, Any]:
    """Figures of sessions, and what was offered in them."""
    moments: list[Moment] = []
    offers: list[Offered] = []
    briefs = 0
    with tempfile.TemporaryDirectory() as folder:
        home = ReplayHome(Path(folder), namespace)
        for session in sessions:
            briefs += bool(home.said(session, "SessionStart", {"source": "startup"}))
            for moment in session.moments:
                moments.append(moment)
                if found := home.offer(session, moment):
                    offers.append(found)
            home.end(session)
    prompts, failures = ([one for one in moments if one.kind == kind] for kind in (PROMPT, FAILURE))
    at_prompts, at_failures = (
        [one for one in offers if one.moment.kind == kind] for kind in (PROMPT, FAILURE)
    )
    told = {id(one.moment) for one in at_failures}
    return {
        "sessions": len(home.seconds), "with a brief": briefs,
        "prompts": len(prompts), "prompts with an offer": len(at_prompts),
        "about the prompt": sum(one.is_about for one in at_prompts),
        "failures": len(failures), "known failures": sum(one.known for one in failures),
        "failures with an offer": len(at_failures),
        "about the error": sum(one.is_about for one in at_failures),
        "known failures with an offer": sum(one.moment.known for one in at_failures),
        "seconds of an intake": median(home.seconds),
        "missed": [one.given["error"] for one in failures if one.known and id(one) not in told],
        "offers": [
            {"session": one.session, "moment": one.moment.kind, "given": dict(one.moment.given),
             "about": one.is_about, "ids": list(one.ids), "text": one.text}
            for one in offers
        ],
    }  # fmt: skip


def table(found: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """The figures as lines of Markdown."""
    heads = (
        "set", "sessions, with a brief", "prompts", "silent", "about the prompt",
        "failures, known", "told of these", "offers about the error",
    )  # fmt: skip
    yield f"| {' | '.join(heads)} |"
    yield f"| --- |{' ---: |' * (len(heads) - 1)}"
    for name, own in found.items():
        silent = own["prompts"] - own["prompts with an offer"]
        about = share(own["about the prompt"], own["prompts with an offer"])
        yield (
            f"| {name} | {own['sessions']}, {own['with a brief']} | {own['prompts']} "
            f"| {share(silent, own['prompts'])} (goal {SILENT_GOAL}) "
            f"| {about if name == YEAR else '-'} | {own['failures']}, {own['known failures']} "
            f"| {share(own['known failures with an offer'], own['known failures'])} "
            f"| {share(own['about the error'], own['failures with an offer'])} |"
        )


def measured(folder: Path, sets: Sequence[str]) -> dict[str, Any]:
    """Figures of the year, or of sets of real sessions in a folder."""
    return {
        name: replayed(of_year() if name == YEAR else of_set(folder / name, name), name)
        for name in sets
    }
