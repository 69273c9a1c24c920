"""What a server answers about something to be forgotten: its dry run is in a process of its own.

That makes knowledge anew, on a copy: seconds of work, with the libraries of the graph. Who answers
others meanwhile needs neither, and no request is held until it ends: who asks again gets it.
"""

import json
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from threading import Lock, Thread
from typing import Any, NamedTuple

from cairn.knowledge.deletion.tombstones import NAMESPACE
from cairn.knowledge.schema.identity import record_id
from cairn.resources.context import State
from cairn.resources.deletion.tombstones import note
from cairn.resources.warehouse.publication import published
from cairn.serving.write.deletion import Target, reach

LONGEST = 900.0
"""Seconds that a dry run may take."""

PATIENCE = 5.0
"""Seconds that a request is held for it, all else that it takes counted."""


class NotNow(Exception):  # noqa: N818  what a client is told
    """No dry run can be made; the message says why."""


class Receipt(NamedTuple):
    """What would become of which rows."""

    counts: Mapping[str, Mapping[str, int]]
    """Effect → table → rows."""
    rows: Sequence[Mapping[str, str | None]]
    """table, id, effect and, of what stays, text; as `knowledge.deletion.receipt` sorts them."""
    named: Sequence[Mapping[str, object]]
    """where, rows, ids: what would name it still; as `cairn.resources.deletion.places` finds it."""


class _Last:
    """The last dry run: the one under way, or its receipt. One at a time: each takes a core."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.of: object = None
        self.receipt: Future[Receipt] = Future()
        self.receipt.cancel()


_LAST = _Last()


def answer(
    state: State, wanted: Target, event_id: str | None, *, dry_run: bool, since: float
) -> dict[str, Any]:
    """Has something forgotten, or tells what would go: its receipt, as soon as it is `ready`.

    `since` is when the request began, by the monotonic clock.

    Raises:
        UnknownId: nothing is there to be forgotten.
        NotNow: no dry run can be made.
    """
    reached = reach(state, wanted, event_id)
    told = {**wanted._asdict(), "dry_run": dry_run}
    told |= {"lines_removed": reached.lines, "lines_still_naming": reached.still}
    if dry_run:
        receipt = dry_receipt(state, wanted, since)
        return told | {"ready": receipt is not None} | (receipt._asdict() if receipt else {})
    received = note(state.home, reached.event)
    return told | {
        "event_id": received.event_id,
        "record_id": record_id(wanted.namespace, received.event_id),
        "written": received.written,
    }


def dry_receipt(state: State, wanted: Target, since: float) -> Receipt | None:
    """The receipt of `cairn forget --dry-run`; None while it is made, for who asks again.

    Args:
        state: Where something would be forgotten.
        wanted: What.
        since: When the request began, by the monotonic clock.

    Raises:
        NotNow: another one is under way, or this one failed.
    """
    manifest = published(state.home, wanted.namespace)
    of = (state.home.root, wanted, manifest and manifest.published_at)
    with _LAST.lock:
        if _LAST.of != of or _failed(_LAST.receipt):
            if not _LAST.receipt.done():
                raise NotNow("a dry run is under way: ask again when it is over")
            _LAST.of, _LAST.receipt = of, Future()
            Thread(target=_run, args=(state, wanted, _LAST.receipt), daemon=True).start()
        receipt = _LAST.receipt
    try:
        return receipt.result(max(0.0, since + PATIENCE - time.monotonic()))
    except TimeoutError:
        return None


def _failed(receipt: Future[Receipt]) -> bool:
    return receipt.done() and (receipt.cancelled() or receipt.exception() is not None)


def _run(state: State, wanted: Target, receipt: Future[Receipt]) -> None:
    where = [] if wanted.target_type == NAMESPACE else ["--namespace", wanted.namespace]
    everywhere = ["--everywhere"] if wanted.everywhere else []
    command = [
        sys.executable, "-m", "cairn", "--home", str(state.home.root), "forget",
        "--dry-run", "--json", *everywhere, *where, "--", wanted.id,
    ]  # fmt: skip
    try:
        done = subprocess.run(  # noqa: S603  what is wanted stands behind all options
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True,
            timeout=LONGEST,
        )  # fmt: skip
        told = json.loads(done.stdout)
        receipt.set_result(Receipt(told["counts"], told["rows"], told["named"]))
    except (subprocess.SubprocessError, OSError, ValueError):
        why = "no dry run can be made: `cairn forget ID --dry-run` says why"
        receipt.set_exception(NotNow(why))
