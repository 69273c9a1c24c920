"""What whoever runs the server does on pages: only where no key is needed, so on this machine."""

import os
import time
from functools import partial
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

from cairn.integrations.agents import AGENTS
from cairn.resources.connections import AgentState, states
from cairn.resources.context import State
from cairn.resources.home.sources import SourceError, add_source, list_sources, remove_source
from cairn.resources.warehouse.publication import published
from cairn.serving.http.auth import Access
from cairn.serving.http.errors import HttpRefused, NotThere
from cairn.serving.query.conversation import file_of
from cairn.serving.read.reader import Reader
from cairn.serving.runtime.command import Busy, CommandFailed, LastAnswer, told_by
from cairn.serving.write.decisions import Undecidable

PATIENCE = 0.2
"""Seconds that a page waits for what a command tells; it is loaded again until it is there."""

RUN = LastAnswer[Any]()
"""The last run that somebody began here."""
_STALE, _ROWS, _RETRY, _BACKFILL, _COMPARED = (LastAnswer[Any]() for _ in range(5))
TOLD = 600.0
"""Seconds for which it is told that something failed."""


class Begun(NamedTuple):
    """Which of several runs, retries or backfills it is."""

    namespace: str
    at: float
    """Seconds since 1970."""


_BEGUN = (
    (RUN, "What waits is being taken in", "run"),
    (_RETRY, "What failed is being tried again", "dead-letters --retry"),
    (_BACKFILL, "What is stale is being made again", "backfill --stale"),
)
"""What is begun here and takes longer than a page: in words, and the command that does the same."""
_LISTED = {"runs": (LastAnswer[Any](), 10), "prompts": (LastAnswer[Any](), 60)}
"""By command its last answer, and for how many seconds that is told."""


def operates(access: Access) -> bool:
    """Whether the caller runs the server: holders of keys know their namespaces alone."""
    return access.caller.key is None


def begun(access: Access, namespace: str) -> dict[str, list[str]]:
    """What was begun on pages: in words what is `under_way`, and commands of what `failed`.

    A failure is told where it was begun, for some minutes or until something is published.
    """
    if not operates(access):
        return {"under_way": [], "failed": []}
    manifest = published(access.memory.state.home, namespace)
    since = max(time.time() - TOLD, manifest.published_at.timestamp() if manifest else 0.0)
    failed = [
        command
        for last, _, command in _BEGUN
        if last.failed and isinstance(last.of_what, Begun)
        and last.of_what.namespace == namespace and last.of_what.at > since
    ]  # fmt: skip
    return {
        "under_way": [words for last, words, _ in _BEGUN if last.under_way], "failed": failed
    }  # fmt: skip


def _operating(access: Access) -> None:
    if not operates(access):
        raise HttpRefused(403, "whoever runs the server does that, by a command")


def staleness(state: State, namespace: str, *, with_rows: bool) -> dict[str, Any] | None:
    """What `cairn stale --json` tells of a namespace; None while it is worked out.

    Raises:
        HttpRefused: it cannot be told, or not now.
    """
    of = _published(state, namespace)
    rows = ["--rows"] if with_rows else []
    arguments = ["stale", *rows, "--json", "--namespace", namespace]
    return _answer(_ROWS if with_rows else _STALE, of, state, arguments, lasts=300)


def listed(access: Access, reader: Reader, command: str) -> list[dict[str, Any]] | None:
    """What `cairn runs --json`, or `prompts`, lists of a namespace; None while it is asked.

    Raises:
        HttpRefused: the caller may not see that, or it cannot be told.
    """
    _operating(access)
    last, seconds = _LISTED[command]
    of = _published(reader.state, reader.namespace)
    arguments = [command, "--json", "--namespace", reader.namespace]
    try:
        found = last.of(of, partial(told_by, reader.state, arguments), PATIENCE, seconds)
    except Busy:  # of a while ago, or of another namespace: asked when that is over
        return None
    except CommandFailed:
        raise _failed(arguments) from None
    return None if found is None else found[command]


def compare_prompt(access: Access, reader: Reader, prompt: str, talk: str) -> None:
    """Asks the model with a prompt as it ships and as it is in force, about one conversation.

    Raises:
        NotThere: no prompt is called so, or no conversation.
        HttpRefused: the caller may not, or others are being compared.
    """
    _operating(access)
    state, namespace = access.memory.state, reader.namespace
    if prompt not in state.settings.prompts.by_name:
        raise NotThere("no prompt is called so")
    file = file_of(reader, talk)
    if file is None:
        raise NotThere("there is no such conversation")
    arguments = [*_COMPARE, f"{prompt}@cairn", prompt, file, "--json", "--namespace", namespace]
    try:
        _COMPARED.anew(
            (state.home.root, namespace, prompt, talk), partial(told_by, state, arguments)
        )
    except Busy:
        raise _busy() from None


def compared_prompt(
    access: Access, namespace: str, prompt: str, talk: str
) -> tuple[bool, dict[str, Any] | None]:
    """Whether that was asked last, and what `cairn prompts compare --json` tells once it is done.

    Raises:
        HttpRefused: it failed.
    """
    _operating(access)
    try:
        of = (access.memory.state.home.root, namespace, prompt, talk)
        return _COMPARED.told(of, PATIENCE)
    except CommandFailed:
        raise _failed(_COMPARE) from None


_COMPARE = ["prompts", "compare"]


def retry(access: Access, namespace: str) -> None:
    """Has what could not be read or done tried again, beside the server.

    Raises:
        HttpRefused: the caller may not, or one is under way.
    """
    _operating(access)
    arguments = ["dead-letters", "--retry", "--json", "--namespace", namespace]
    _answer(_RETRY, Begun(namespace, time.time()), access.memory.state, arguments)


def backfill(access: Access, namespace: str) -> None:
    """Has what is stale made again, beside the server; a model is asked within the budget alone.

    Raises:
        HttpRefused: the caller may not, or one is under way.
    """
    _operating(access)
    arguments = ["backfill", "--stale", "--json", "--namespace", namespace]
    _answer(_BACKFILL, Begun(namespace, time.time()), access.memory.state, arguments)


def watch(access: Access, namespace: str, path: str) -> None:
    """Watches a file or folder of this machine from now on.

    Raises:
        Undecidable: it cannot be a source; the message says why.
        HttpRefused: the caller may not.
    """
    _operating(access)
    state = access.memory.state
    if not path.startswith(("/", "~")):  # from where the server was started means nothing here
        raise Undecidable("the whole path is needed, from / or ~")
    try:
        add_source(state.home, Path(path), namespace, default=state.settings.timezone)
    except (SourceError, ValueError) as error:
        raise Undecidable(str(error)) from None


def run(access: Access, namespace: str, *options: str) -> None:
    """Takes in what waits, beside the server.

    Raises:
        HttpRefused: the caller may not, or one is under way.
    """
    _operating(access)
    arguments = ["run", *options, "--no-report", "--json"]
    _answer(RUN, Begun(namespace, time.time()), access.memory.state, arguments)


def begin(access: Access, path: str) -> None:
    """Reads the first logs of a home, beside the server: those of a path, else the samples.

    Raises:
        Undecidable: the path cannot be a source; the message says why.
        HttpRefused: the caller may not, or others are being read.
    """
    if path:
        watch(access, FIRST_NAMESPACE, path)
    run(access, FIRST_NAMESPACE, *([] if path else ["--samples"]))


FIRST_NAMESPACE = "default"


def agents_here(access: Access) -> list[AgentState]:
    """The agents that can be connected: whether they are on this machine, and are connected.

    Raises:
        HttpRefused: the caller may not see that.
    """
    _operating(access)
    return states(access.memory.state.home, AGENTS, Path.home(), os.environ)


def connect(access: Access, namespace: str, agent: str, *, remove: bool) -> None:
    """Gives an agent its memory, in its own settings, or takes it out of them again.

    Raises:
        NotThere: there is no such agent.
        HttpRefused: the caller may not, or its settings cannot be written.
    """
    _operating(access)
    if agent not in AGENTS:
        raise NotThere("no agent is called so")
    state = access.memory.state
    arguments = ["connect", agent, *(["--remove"] if remove else ["--namespace", namespace])]
    try:
        told_by(state, [*arguments, "--json"])
    except CommandFailed:
        raise _failed(arguments) from None


def stop_watching(access: Access, namespace: str, path: str) -> None:
    """Watches a source no more; what was read from it stays.

    Raises:
        NotThere: no such source is watched for that namespace.
        HttpRefused: the caller may not.
    """
    _operating(access)
    home = access.memory.state.home
    mine = [one for one in list_sources(home) if one.namespace == namespace and one.path == path]
    if not mine:
        raise NotThere("no such source is watched")
    remove_source(home, Path(path))


def _published(state: State, namespace: str) -> object:
    """What an answer is about that stands until the next publication."""
    manifest = published(state.home, namespace)
    return state.home.root, namespace, manifest and manifest.published_at


def _answer(
    last: LastAnswer[Any], of: object, state: State, arguments: list[str], lasts: float = inf
) -> Any:
    try:
        return last.of(of, partial(told_by, state, arguments), PATIENCE, lasts)
    except Busy:
        raise _busy() from None
    except CommandFailed:
        raise _failed(arguments) from None


def _busy() -> HttpRefused:
    return HttpRefused(503, "another one is under way: ask again when it is over")


def _failed(arguments: list[str]) -> HttpRefused:
    return HttpRefused(503, f"that failed: `cairn {' '.join(arguments[:2])}` says why")
