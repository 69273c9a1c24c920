"""What whoever runs the server does on pages: only where no key is needed, so on this machine."""

import time
from functools import partial
from pathlib import Path
from typing import Any

from cairn.resources.context import State
from cairn.resources.home.sources import list_sources, remove_source
from cairn.resources.warehouse.publication import published
from cairn.serving.http.auth import Access
from cairn.serving.http.errors import HttpRefused, NotThere
from cairn.serving.runtime.command import Busy, CommandFailed, LastAnswer, told_by

PATIENCE = 0.2
"""Seconds that a page waits for what a command tells; it is loaded again until it is there."""

_STALE, _ROWS, _RETRY, _BACKFILL = (LastAnswer[Any]() for _ in range(4))


def operates(access: Access) -> bool:
    """Whether the caller runs the server: holders of keys know their namespaces alone."""
    return access.caller.key is None


def _operating(access: Access) -> None:
    if not operates(access):
        raise HttpRefused(403, "whoever runs the server does that, by a command")


def staleness(state: State, namespace: str, *, with_rows: bool) -> dict[str, Any] | None:
    """What `cairn stale --json` tells of a namespace; None while it is worked out.

    Raises:
        HttpRefused: it cannot be told, or not now.
    """
    manifest = published(state.home, namespace)
    of = (state.home.root, namespace, manifest and manifest.published_at, int(time.time() // 300))
    rows = ["--rows"] if with_rows else []
    arguments = ["stale", *rows, "--json", "--namespace", namespace]
    return _answer(_ROWS if with_rows else _STALE, of, state, arguments)


def retry(access: Access, namespace: str) -> None:
    """Has what could not be read or done tried again, beside the server.

    Raises:
        HttpRefused: the caller may not, or one is under way.
    """
    _operating(access)
    arguments = ["dead-letters", "--retry", "--json", "--namespace", namespace]
    _answer(_RETRY, object(), access.memory.state, arguments)


def backfill(access: Access, namespace: str) -> None:
    """Has what is stale made again, beside the server; a model is asked within the budget alone.

    Raises:
        HttpRefused: the caller may not, or one is under way.
    """
    _operating(access)
    arguments = ["backfill", "--stale", "--json", "--namespace", namespace]
    _answer(_BACKFILL, object(), access.memory.state, arguments)


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


def _answer(last: LastAnswer[Any], of: object, state: State, arguments: list[str]) -> Any:
    try:
        return last.of(of, partial(told_by, state, arguments), PATIENCE)
    except Busy:
        raise HttpRefused(503, "another one is under way: ask again when it is over") from None
    except CommandFailed:
        raise HttpRefused(503, f"that failed: `cairn {' '.join(arguments[:2])}` says why") from None
