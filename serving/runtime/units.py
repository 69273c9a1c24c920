"""What starts a service with the session of a person: a systemd user unit, or a launchd agent."""

import plistlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

NAME = "cairn"
MARK = "Written by `cairn up`, which can take it away again."
"""Stands in each file that we wrote: no other is replaced or removed."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_UNSAFE = re.compile(rf"[\"'\\]|{_CONTROL.pattern}")


def systemd_unit(command: Sequence[str], environment: Mapping[str, str]) -> str:
    """A user unit, in which paths may have blanks, % and $, and arguments anything.

    Raises:
        ValueError: systemd would start no such program.
    """
    program, *arguments = command
    if _UNSAFE.search(program):
        raise ValueError(f"{program}: systemd starts no program with quotes or \\ in its path")
    # Variables are put into arguments alone: `$` is plain in the name of the program.
    words = [_word(program), *(_word(argument).replace("$", "$$") for argument in arguments)]
    named = [_word(f"{name}={value}") for name, value in environment.items()]
    return "\n".join(
        [
            f"# {MARK}",
            "[Unit]",
            "Description=Cairn: takes in logs, makes knowledge of them, answers over HTTP",
            "",
            "[Service]",
            "Type=exec",
            *(f"Environment={each}" for each in named),
            f"ExecStart={' '.join(words)}",
            "Restart=on-failure",
            "RestartSec=10",
            "KillMode=mixed",
            "TimeoutStopSec=60",
            "",
            "[Install]",
            "WantedBy=default.target",
            "",
        ]
    )


def launchd_agent(command: Sequence[str], environment: Mapping[str, str], log: Path) -> str:
    """A launch agent of macOS."""
    made = plistlib.dumps(
        {
            "Label": NAME,
            "ProgramArguments": list(command),
            "EnvironmentVariables": dict(environment),
            "RunAtLoad": True,
            "KeepAlive": {"SuccessfulExit": False},
            "ThrottleInterval": 10,
            "ExitTimeOut": 60,
            "StandardOutPath": str(log),
            "StandardErrorPath": str(log),
        },
        sort_keys=False,
    ).decode()
    return made.replace("<plist", f"<!-- {MARK} -->\n<plist", 1)


def _word(text: str) -> str:
    """A word as systemd takes it back out of quotes, with no specifier in it."""
    quoted = text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    plain = _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", quoted)
    return f'"{plain}"'
