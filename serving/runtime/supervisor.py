"""Processes that are kept running, and end together: one after the other, and none is left behind.

Each leads a process group of its own, in which whatever it starts stays too.
"""

import ctypes
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector
from time import monotonic, sleep
from types import FrameType

ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)

LONGEST_PAUSE = 60
"""Seconds, at most, before what ended is started again: one, and twice as many each time …"""
STEADY = 60
"""… unless it ran for so long."""

LOOK_EVERY = 0.1
"""Seconds between two looks whether a socket is there."""

TO_END = 20
"""Seconds in which one has to end when it is told to; Dagster's daemon takes some."""
THEN_TO_END = 5
"""Seconds that are left for what it started, before that is killed."""

_COLOURS = re.compile(rb"\x1b\[[0-9;]*m")
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


@dataclass
class Child:
    """A process that is kept running."""

    name: str
    command: Sequence[str]
    opens: Path | None = None
    """A socket that it opens: one of before is removed."""
    needs: Path | None = None
    """A socket that has to be there before it starts."""
    process: "subprocess.Popen[bytes] | None" = None
    started: float = 0.0
    due: float = 0.0
    """When it is started next, while it does not run."""
    failures: int = 0
    """How often it ended in a row."""
    unfinished: bytes = field(default=b"", repr=False)
    """The line that it is writing."""


def keep_running(
    children: Sequence[Child],
    inherited: Sequence[int],
    say: Callable[[str], None],
    ended: Callable[[str, int], None] = lambda _, __: None,
) -> None:
    """Starts processes, and again those that end, until this one is told to end; then ends all.

    Args:
        children: What is kept running.
        inherited: Descriptors that each has too: a lock, which so is held until the last has ended.
        say: Tells a line, of theirs with their name before it.
        ended: Told of one that ended by itself: its name, and its exit code, or minus a signal.
    """
    with _woken() as (wake, told), DefaultSelector() as selector:
        selector.register(wake, EVENT_READ)
        try:
            while not told:
                now = monotonic()
                for child in children:
                    ready = child.needs is None or child.needs.exists()
                    if child.process is None and child.due <= now and ready:
                        process = _start(child, inherited)
                        selector.register(process.stdout or -1, EVENT_READ, child)
                waited = [child.due - now for child in children if child.process is None]
                # What is due waits for a socket.
                pause = max(LOOK_EVERY, min(waited)) if waited else None
                for key, _ in selector.select(pause):
                    if key.data is None:
                        os.read(wake, 4096)
                    elif not _pass_on(key.fd, key.data, say):
                        selector.unregister(key.fileobj)
                for child in children:
                    if child.process and child.process.poll() is not None:
                        code = child.process.returncode
                        _ended(child, child.process, say)
                        ended(child.name, code)
        finally:
            _say(say, "ending")
            end(children, told)
            for child in children:
                if child.process and child.process.stdout:
                    os.set_blocking(child.process.stdout.fileno(), False)
                    with suppress(BlockingIOError):
                        while _pass_on(child.process.stdout.fileno(), child, say):
                            pass
            _say(say, "all has ended")


def end(children: Sequence[Child], told: Sequence[int] = ()) -> None:
    """Ends processes: each is told to, then what it started; what does not end is killed.

    Args:
        children: What is to end.
        told: Signals that came, which may grow: with the second one, nothing is waited for.
    """
    running = [child.process for child in children if child.process]
    for process in running:
        with suppress(ProcessLookupError):
            process.terminate()

    def wait(seconds: float, there: Callable[[int], bool]) -> None:
        until = monotonic() + seconds
        while monotonic() < until and len(told) < 2 and any(there(one.pid) for one in running):
            for process in running:
                process.poll()
            sleep(0.05)

    leaders = {process.pid: process for process in running}
    wait(TO_END, lambda pid: leaders[pid].poll() is None)
    _signal_groups(running, signal.SIGTERM)
    wait(THEN_TO_END, _group_is_there)
    _signal_groups(running, signal.SIGKILL)
    for process in running:
        process.wait()


def _start(child: Child, inherited: Sequence[int]) -> "subprocess.Popen[bytes]":
    if child.opens:
        child.opens.unlink(missing_ok=True)
    child.started = monotonic()
    child.process = subprocess.Popen(  # noqa: S603  programs of ours
        child.command,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        cwd="/",  # never a folder that has modules of its own
        pass_fds=inherited, start_new_session=True,
        preexec_fn=_end_with_parent if _LIBC else None,  # noqa: PLW1509  there is one thread
    )  # fmt: skip
    return child.process


def _end_with_parent() -> None:
    """Has the kernel end this process when its parent is gone, killed or not."""
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _ended(child: Child, process: "subprocess.Popen[bytes]", say: Callable[[str], None]) -> None:
    """Tells that one ended, and how; what it started ends too."""
    _signal_groups([process], signal.SIGTERM)
    now, code = monotonic(), process.returncode
    child.failures = 1 if now - child.started >= STEADY else child.failures + 1
    pause = min(LONGEST_PAUSE, 2 ** min(child.failures - 1, 10))
    how = f"exit code {code}" if code >= 0 else signal.Signals(-code).name
    _say(say, f"{child.name} ended ({how}): it is started again in {pause} s")
    child.process, child.due = None, now + pause


def _pass_on(descriptor: int, child: Child, say: Callable[[str], None]) -> bool:
    """Tells the lines that one has written; gives whether there may be more."""
    read = os.read(descriptor, 65_536)
    *lines, child.unfinished = (child.unfinished + read).split(b"\n")
    if not read or len(child.unfinished) > 65_536:
        lines, child.unfinished = [*lines, child.unfinished], b""
    for line in lines:
        if text := _COLOURS.sub(b"", line).decode(errors="replace").rstrip():
            say(f"{child.name:<6}  {text}")
    return bool(read)


def _say(say: Callable[[str], None], text: str) -> None:
    say(f"{'up':<6}  {datetime.now():%H:%M:%S} {text}")  # noqa: DTZ005  a clock on the wall


def _signal_groups(processes: Sequence["subprocess.Popen[bytes]"], how: signal.Signals) -> None:
    for process in processes:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, how)


def _group_is_there(pid: int) -> bool:
    try:
        os.killpg(pid, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True


@contextmanager
def _woken() -> Generator[tuple[int, list[int]]]:
    """A descriptor that can be read once a signal came, and the signals to end that came."""
    told: list[int] = []
    wake, woken_by = os.pipe()
    os.set_blocking(woken_by, False)
    before_descriptor = signal.set_wakeup_fd(woken_by, warn_on_full_buffer=False)

    def came(number: int, _: FrameType | None) -> None:
        if number != signal.SIGCHLD:
            told.append(number)

    before = {each: signal.signal(each, came) for each in (*ENDING, signal.SIGCHLD)}
    try:
        yield wake, told
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
        signal.set_wakeup_fd(before_descriptor)
        os.close(wake)
        os.close(woken_by)
