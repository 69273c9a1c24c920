"""Taking in what comes as it comes: a process that stays warm, woken by the files that it watches.

A new process spends two seconds on what this one has loaded. What is more than a little is left to
a process of its own, which has all cores and gives its memory back.
"""

import gc
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from watchfiles import watch as changes

from cairn.integrations.agents import cairn_command
from cairn.pipelines.interrupts import again_if, counted
from cairn.pipelines.planning.due import DueRuns, due
from cairn.pipelines.runner import Engine, RunFailed, engine, run_due
from cairn.resources.context import State, open_state, settings_in_force
from cairn.resources.home.damage import Damaged
from cairn.resources.home.sources import SourceError, list_sources
from cairn.serving.runtime.logging import as_verbose
from cairn.serving.runtime.processor import LITTLE, one_core

LOOK_EVERY = 5.0
"""Seconds between two looks where no file tells that it changed."""

QUIET_FOR, QUIET_WITHIN = 50, 200
"""Milliseconds without a change that end a burst of them, and that it is waited for at most."""

RESTS = 2.0
"""How many times as long as it worked it rests: an agent that writes all the time takes a third of
a core, not all of it."""
LONGEST_REST = 10.0

MOST_MEMORY = 1536 * 1024 * 1024
"""Bytes from which on it begins anew."""

Say = Callable[[str], None]


def watch(root: Path, say: Say) -> None:
    """Takes in what comes to a home, until this process is interrupted; says each time how it went.

    Raises:
        ConfigError: a setting is wrong.
        HomeError: the home cannot be used.
    """
    with suppress(KeyboardInterrupt), counted() as came:
        while True:
            state = open_state(root)
            with engine(state) as kept:
                _follow(state, kept, say, came)


def _follow(state: State, kept: Engine, say: Say, came: Callable[[], bool]) -> None:
    """Takes in what comes as long as the settings stay as they are."""
    # What was made by other code or settings is made anew: that may be all there is.
    caught_up, told = False, ""
    for _ in _woken(state):
        again_if(came)
        now = settings_in_force()
        if (now, now.prompts) != (state.settings, state.settings.prompts):
            return
        found = due(state, kept.instance)
        if not found.namespaces:
            caught_up = True
            if found.waits and found.why_nothing != told:
                say(found.why_nothing)
            told = found.why_nothing
            continue
        start = time.monotonic()
        if caught_up and found.new_bytes < LITTLE:
            _take_in(state, kept, found, say)
        else:
            caught_up = _leave_to_another(state)
        rests = RESTS * (time.monotonic() - start)
        if _memory() > MOST_MEMORY:
            os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606  itself
        time.sleep(min(LONGEST_REST, rests) if caught_up else LONGEST_REST)


def _take_in(state: State, kept: Engine, found: DueRuns, say: Say) -> None:
    for namespace in found.namespaces:
        start = time.monotonic()
        try:
            with one_core():
                outcome = run_due(state, kept, [namespace])
        except (RunFailed, Damaged) as error:
            say(f"{namespace}: {error}")
            continue
        if outcome.interrupted:
            raise KeyboardInterrupt
        say(f"{namespace}: published what was new after {time.monotonic() - start:.1f} s")
    # What is loaded by now stays: it need not be looked through each time.
    gc.collect()
    gc.freeze()


def _leave_to_another(state: State) -> bool:
    """Whether `cairn run` took in all that is due."""
    command = [*cairn_command(state.home.root), *as_verbose(), "run", "--no-report"]
    return subprocess.run(command, check=False).returncode == 0  # noqa: S603  a program of ours


def _woken(state: State) -> Iterator[None]:
    """Once at first, then whenever a log may have changed; and every few seconds."""
    while True:
        places = _places(state)
        yield
        try:
            for _ in changes(
                *places, watch_filter=None, step=QUIET_FOR, debounce=QUIET_WITHIN,
                rust_timeout=int(LOOK_EVERY * 1000), yield_on_timeout=True, raise_interrupt=True,
                ignore_permission_denied=True,
            ):  # fmt: skip
                yield
                if _places(state) != places:
                    break
        except (OSError, RuntimeError):  # none is there, or more folders than the system watches
            time.sleep(LOOK_EVERY)


def _places(state: State) -> list[str]:
    """Sources and inbox, as far as they are there."""
    sources: list[str] = []
    with suppress(SourceError):
        sources = [source.path for source in list_sources(state.home)]
    return [place for place in (*sources, str(state.home.inbox)) if Path(place).exists()]


def _memory() -> int:
    """Bytes of memory that this process has now; 0 where that cannot be known."""
    with suppress(OSError, ValueError):
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0
