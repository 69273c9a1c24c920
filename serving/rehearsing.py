"""What would go if something were forgotten: a dry run, in a process of its own.

It makes knowledge anew, on a copy: seconds of work, with the libraries of the graph. Who answers
others meanwhile needs neither.
"""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from threading import Lock
from typing import NamedTuple

from knowledge.tombstones import NAMESPACE
from resources.state import State
from serving.forgetting import Target

LONGEST = 900.0
"""Seconds."""

ONE_AT_A_TIME = Lock()


class NotNow(Exception):  # noqa: N818  what a client is told
    """No dry run can be made; the message says why."""


class Receipt(NamedTuple):
    """What would become of which rows."""

    counts: Mapping[str, Mapping[str, int]]
    """Effect → table → rows."""
    rows: Sequence[Mapping[str, str | None]]
    """table, id, effect and, of what stays, text; as `knowledge.receipt` sorts them."""


def rehearsed(state: State, wanted: Target) -> Receipt:
    """The receipt of `cairn forget --dry-run`. One at a time: each takes a core.

    Raises:
        NotNow: one is under way, or it failed.
    """
    where = [] if wanted.thing == NAMESPACE else ["--namespace", wanted.namespace]
    command = [
        sys.executable, "-m", "serving.cli", "--home", str(state.home.root), "forget", "--dry-run",
        "--json", *where, "--", wanted.id,
    ]  # fmt: skip
    if not ONE_AT_A_TIME.acquire(blocking=False):
        raise NotNow("a dry run is under way: ask again when it is over")
    try:
        done = subprocess.run(  # noqa: S603  the id is one that there is, and no option
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True,
            timeout=LONGEST,
        )  # fmt: skip
    except (subprocess.SubprocessError, OSError):
        raise NotNow("no dry run can be made: `cairn forget ID --dry-run` says why") from None
    finally:
        ONE_AT_A_TIME.release()
    told = json.loads(done.stdout)
    return Receipt(told["counts"], told["rows"])
