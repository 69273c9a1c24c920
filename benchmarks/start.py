"""What a command costs from its start to its end, beside the import of the libraries that it needs.

`run` is one that has nothing new to take in, beside the import of what a run works with.

CPU seconds of the whole process, the median of several, commands taking turns: what an agent that
calls Cairn at each prompt pays. Python keeps what it compiled, as wherever Cairn is installed:
where it must not (PYTHONDONTWRITEBYTECODE), half of what is measured is Python compiling modules.
"""

import os
import resource
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

COMMANDS: dict[str, tuple[str, ...]] = {
    "--help": ("--help",),
    "search": ("search", "nas backup wake"),
    "context": ("context", "why does the backup fail?"),
    "status": ("status",),
    "run": ("run",),
}
GOALS = {"--help": 0.15, "search": 0.9, "context": 0.9, "status": 1.0, "run": 1.0}
"""CPU seconds."""
POLARS, GRAPH = "import polars", "import polars, dagster"
BESIDE = {name: GRAPH if name == "run" else POLARS for name in COMMANDS}
"""What each command is measured beside."""


def start(rounds: str, source: str) -> dict[str, Any]:
    """CPU seconds of each command on a home of the logs of `source`, and of the baseline."""
    from cairn.pipelines.follow import follow
    from cairn.resources.context import State
    from cairn.resources.home.home import open_home
    from cairn.resources.home.settings import Settings
    from cairn.resources.home.sources import add_source

    with TemporaryDirectory() as folder:
        state = State(open_home(Path(folder) / "home"), Settings())
        add_source(state.home, Path(source), "default")
        follow(state)
        cairn = [sys.executable, "-m", "cairn"]
        # As an installed copy, whose modules stay compiled.
        environment = os.environ | {
            "CAIRN_HOME": str(state.home.root),
            "PYTHONDONTWRITEBYTECODE": "",
        }
        ways = {code: [sys.executable, "-c", code] for code in (POLARS, GRAPH)}
        ways |= {name: [*cairn, *arguments] for name, arguments in COMMANDS.items()}
        taken: dict[str, list[float]] = {name: [] for name in ways}
        if int(rounds) > 1:  # of one round the median says nothing anyway
            for command in ways.values():
                spent(command, environment)  # compiles what it imports
        for _ in range(int(rounds)):
            for name, command in ways.items():
                taken[name].append(spent(command, environment))
    return {"seconds": {name: median(each) for name, each in taken.items()}}


def spent(command: list[str], environment: dict[str, str]) -> float:
    """CPU seconds of a process and those that it started, of the user and of the system.

    Raises:
        CalledProcessError: it failed.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
