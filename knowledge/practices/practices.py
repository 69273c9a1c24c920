"""What is in force: runs counted by project and task, ranked, and which command replaced which."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

import polars as pl

from cairn.knowledge.dialogue.shortcuts.commands import weakenings
from cairn.knowledge.engine.wilson import wilson
from cairn.knowledge.schema.identity import digest
from cairn.knowledge.schema.tables import PRACTICES

MOST_SOURCES = 5
MIN_CONVERSATIONS = 2
"""Conversations that bear out that a command replaced another: of each as many."""

_MANY_TO_ONE = 3
"""Of a command that is not known to pass: its runs to those that are known to fail."""

CHANCE = 0.05
"""How likely it may be that a command which is still in use was not seen."""

_VARIANT = re.compile(
    r" (?:--(?:force|filter|workspace|scope|debug|no-cache|trace\w*|dry-run)|-[wF])(?=[ =]|$)"
)
_TELLS_NOTHING = re.compile(
    r"git(?: -c \S+)* commit(?: (?:-[amqF]|-am|<message>|<file>|--amend|--no-edit|--allow-empty))*"
    r"|git tag\b.*|(?:gh|glab) release create(?: <version>| -m <message>)*"
    r"|(?:.* )?<package>(?: .*)?|.* -o (?:\.\./|/tmp/|/dev/null\b).*"
)
"""Commands of slots alone; that something was added once tells the manager, and no more; what was
built outside of the project was a trial."""

_SLOTS = str.maketrans("<>", "__")
"""A shell takes the brackets of a slot for redirections."""
_LONG_AGO = datetime(1, 1, 1, tzinfo=UTC)


class _Key(NamedTuple):
    namespace: str
    project: str
    task: str
    command: str
    folder: str


def practices(command_runs: pl.DataFrame) -> pl.DataFrame:
    """One row for each project, task, command and folder: what is run, how often, how well.

    Rows may come in any order. Runs without a project or a task are left out, commands that bypass
    a check, and those that never passed: one of which mostly nothing tells counts if it was run in
    MIN_CONVERSATIONS.
    """
    ordered = command_runs.sort("namespace", "conversation_id", "seq", "record_id", "place")
    groups: defaultdict[_Key, list[dict[str, Any]]] = defaultdict(list)
    before: defaultdict[_Key, Counter[str]] = defaultdict(Counter)
    after: defaultdict[_Key, Counter[str]] = defaultdict(Counter)
    last: dict[str, Any] | None = None
    for run in ordered.iter_rows(named=True):
        key = _key(run)
        if key is not None:
            groups[key].append(run)
        if last is not None and _together(last, run) and last["command"] != run["command"]:
            if key is not None:
                before[key][last["command"]] += 1
            if (former := _key(last)) is not None:
                after[former][run["command"]] += 1
        # A commit ends a piece of work: what comes next is not what comes after it.
        last = None if run["task"] == "commit" else run
    rows = [
        _row(key, _of_whole(runs), before[key], after[key])
        for key, runs in groups.items()
        if not _TELLS_NOTHING.fullmatch(key.command)
        and _counts(_of_whole(runs))
        and not weakenings(key.command.translate(_SLOTS))
    ]
    by_task: defaultdict[tuple[str, str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        by_task[row["namespace"], row["project"], row["task"]].append(row)
    for same in by_task.values():
        _replacements(same, groups)
        for rank, row in enumerate(sorted(same, key=_order), 1):
            row["rank"] = rank
    return PRACTICES.frame(rows)


def _key(run: Mapping[str, Any]) -> _Key | None:
    if run["project"] is None or run["task"] is None:
        return None
    return _Key(run["namespace"], run["project"], run["task"], run["command"], run["folder"])


def _together(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return all(one[name] == other[name] for name in ("namespace", "conversation_id"))


def _counts(runs: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a command is more than something that was tried once."""
    several = len({run["conversation_id"] for run in runs}) >= MIN_CONVERSATIONS
    known = [run["passed"] for run in runs if run["passed"] is not None]
    return any(known) or (several and len(runs) > _MANY_TO_ONE * len(known))


def _of_whole(runs: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """Runs of the whole; those of a part count only where there is no other."""
    return [run for run in runs if not run["narrowed"]] or runs


def _row(
    key: _Key, runs: Sequence[Mapping[str, Any]], before: Counter[str], after: Counter[str]
) -> dict[str, Any]:
    passed = sum(run["passed"] is True for run in runs)
    failed = sum(run["passed"] is False for run in runs)
    times = [run["occurred_at"] for run in runs if run["occurred_at"] is not None]
    env = Counter(assignment for run in runs for assignment in run["env"])
    newest = sorted(
        runs, key=lambda run: (_time(run["occurred_at"]), run["record_id"]), reverse=True
    )
    return {
        "practice_id": "w_" + digest(*key),
        **key._asdict(),
        "env": sorted(name for name, count in env.items() if 2 * count >= len(runs)),
        "runs": len(runs),
        "passed": passed,
        "failed": failed,
        "conversations": len({run["conversation_id"] for run in runs}),
        "share_passed": passed / (passed + failed) if passed + failed else None,
        "first_seen": min(times, default=None),
        "last_seen": max(times, default=None),
        "before": _usual(before, len(runs)),
        "after": _usual(after, len(runs)),
        "replaced_by": None,
        "replaces": None,
        "rank": 0,
        "source_record_ids": list(dict.fromkeys(run["record_id"] for run in newest))[:MOST_SOURCES],
    }


def _usual(neighbours: Counter[str], runs: int) -> str | None:
    """The neighbour that stands there half of the times, and more than once."""
    best = max(neighbours.items(), key=lambda item: (item[1], item[0]), default=("", 0))
    return best[0] if best[1] >= 2 and 2 * best[1] >= runs else None


def _time(value: datetime | None) -> datetime:
    return value or _LONG_AGO


def _replacements(
    same: Sequence[dict[str, Any]], groups: Mapping[_Key, Sequence[Mapping[str, Any]]]
) -> None:
    """Marks what was not used any more once another command for the same came.

    Of those that came after its last use the first that was used in MIN_CONVERSATIONS, as it was
    itself, in the same folder; and so often that it would have been seen among them by chance had
    it stayed as usual as before (CHANCE). A command with a word more stands beside the other.
    """
    borne_out = [
        row for row in same if row["conversations"] >= MIN_CONVERSATIONS and row["first_seen"]
    ]
    borne_out.sort(key=lambda row: (row["first_seen"], row["practice_id"]))
    seen = {row["practice_id"]: _conversations(row, groups) for row in same}
    for at, old in enumerate(borne_out):
        former = {
            conversation
            for one in seen.values()
            for conversation, first in one.items()
            if first <= old["last_seen"]
        }
        share = len(seen[old["practice_id"]]) / len(former)
        for new in borne_out[at + 1 :]:
            if new["first_seen"] <= old["last_seen"] or new["folder"] != old["folder"]:
                continue
            by_chance = (1 - share) ** new["conversations"]
            if by_chance < CHANCE and not _beside(old["command"], new["command"]):
                old["replaced_by"] = new["practice_id"]
                new["replaces"] = new["replaces"] or old["practice_id"]
                break


def _conversations(
    row: Mapping[str, Any], groups: Mapping[_Key, Sequence[Mapping[str, Any]]]
) -> dict[str, datetime]:
    """Conversations in which a practice was run at a known time, each with the first."""
    runs = groups[_Key(*(row[name] for name in _Key._fields))]
    found: dict[str, datetime] = {}
    for run in runs:
        if run["occurred_at"] is not None:
            before = found.get(run["conversation_id"], run["occurred_at"])
            found[run["conversation_id"]] = min(before, run["occurred_at"])
    return found


def _beside(one: str, other: str) -> bool:
    """Whether one command is the other with more to it: both may be in force side by side."""
    a, b = set(one.split()), set(other.split())
    return a < b or b < a or one.startswith(other) or other.startswith(one)


def in_environment(command: str, env: Sequence[str]) -> str:
    """A command as it is typed: behind what activates its environment, and its assignments."""
    activations = [given for given in env if " " in given]
    names = [given for given in env if " " not in given]
    given = (name if "=" in name else f"{name}=…" for name in names)
    return " && ".join([*activations, " ".join([*given, command])])


def is_variant(command: str) -> bool:
    """Whether a command is how one looks for a fault, or does a part of the work."""
    return _VARIANT.search(command) is not None


def _order(row: Mapping[str, Any]) -> tuple[object, ...]:
    """What is in force first, then what most conversations ran, then what is typed shortest.

    A variant comes behind the plain commands; of as many conversations the root before a folder.
    """
    recency = _time(row["last_seen"])
    return (
        row["replaced_by"] is not None,
        is_variant(row["command"]),
        -row["conversations"],
        row["folder"] != "",
        len(row["command"].split()),
        -wilson(row["passed"], row["failed"]),
        -(recency - _LONG_AGO).total_seconds(),
        row["practice_id"],
    )
