"""What a server answers about something to be forgotten: its dry run is in a process of its own.

That makes knowledge anew, on a copy: seconds of work, with the libraries of the graph. Who answers
others meanwhile needs neither, and no request is held until it ends: who asks again gets it.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from cairn.knowledge.deletion.tombstones import NAMESPACE
from cairn.knowledge.schema.identity import record_id
from cairn.resources.context import State
from cairn.resources.deletion.tombstones import note
from cairn.resources.warehouse.publication import published
from cairn.serving.runtime.command import Busy, CommandFailed, LastAnswer, left, told_by
from cairn.serving.write.deletion import Target, reach

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


_LAST = LastAnswer[Receipt]()


def answer(
    state: State,
    wanted: Target,
    event_id: str | None,
    *,
    dry_run: bool,
    since: float,
    patience: float | None = None,
) -> dict[str, Any]:
    """Has something forgotten, or tells what would go: its receipt, as soon as it is `ready`.

    `since` is when the request began, by the monotonic clock; it is held for `patience` seconds,
    PATIENCE if that is None.

    Raises:
        UnknownId: nothing is there to be forgotten.
        NotNow: no dry run can be made.
    """
    reached = reach(state, wanted, event_id)
    told = {**wanted._asdict(), "dry_run": dry_run}
    told |= {"lines_removed": reached.lines, "lines_still_naming": reached.still}
    if dry_run:
        receipt = dry_receipt(state, wanted, since, patience)
        return told | {"ready": receipt is not None} | (receipt._asdict() if receipt else {})
    received = note(state.home, reached.event)
    return told | {
        "event_id": received.event_id,
        "record_id": record_id(wanted.namespace, received.event_id),
        "written": received.written,
    }


def dry_receipt(
    state: State, wanted: Target, since: float, patience: float | None = None
) -> Receipt | None:
    """The receipt of `cairn forget --dry-run`; None while it is made, for who asks again.

    Args:
        state: Where something would be forgotten.
        wanted: What.
        since: When the request began, by the monotonic clock.
        patience: Seconds from then that are waited for it; PATIENCE if None.

    Raises:
        NotNow: another one is under way, or this one failed.
    """
    manifest = published(state.home, wanted.namespace)
    of = (state.home.root, wanted, manifest and manifest.published_at)
    try:
        return _LAST.of(
            of,
            partial(_made, state, wanted),
            left(since, PATIENCE if patience is None else patience),
        )
    except Busy:
        raise NotNow("a dry run is under way: ask again when it is over") from None
    except CommandFailed:
        raise NotNow("no dry run can be made: `cairn forget ID --dry-run` says why") from None


def _made(state: State, wanted: Target) -> Receipt:
    where = [] if wanted.target_type == NAMESPACE else ["--namespace", wanted.namespace]
    everywhere = ["--everywhere"] if wanted.everywhere else []
    told = told_by(state, ["forget", "--dry-run", "--json", *everywhere, *where, "--", wanted.id])
    return Receipt(told["counts"], told["rows"], told["named"])
