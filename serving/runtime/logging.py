"""What a process says on stderr: what we log, and errors of libraries."""

import logging
import warnings
from datetime import datetime

VERBOSE = (logging.WARNING, logging.INFO, logging.DEBUG)
"""From which level on people read what we log: as it is, with -v, and with -vv."""

ALWAYS = "cairn.resources.home.write_lock"
"""Says for whom it waits, in any case."""

_OURS = logging.getLogger("cairn")
_verbosity = [0]


class _StderrFormatter(logging.Formatter):
    """A message; behind it the fields of what is told of work, for who asked for more."""

    def format(self, record: logging.LogRecord) -> str:
        told = super().format(record)
        fields = getattr(record, "fields", None)
        if not fields or record.levelno >= logging.WARNING:
            return told
        namespace = getattr(record, "namespace", None)
        shown = {"namespace": namespace, **fields}
        rest = [f"{name}={_shown(one)}" for name, one in shown.items() if _says(name, one, told)]
        return f"{datetime.now():%H:%M:%S} {'  '.join([told, ' '.join(rest)])}"  # noqa: DTZ005  a clock on the wall


def configure_logging(verbosity: int = 0) -> None:
    """What we log reaches people on stderr; of libraries, errors alone.

    They set up logging when they are imported (wordllama: all at INFO, great_expectations: its
    own), so a handler of ours stands there first, and decides.

    Args:
        verbosity: 0 for warnings, 1 for what is done too, 2 for all.
    """
    root = logging.getLogger()
    if not root.handlers:
        stderr = logging.StreamHandler()
        stderr.setFormatter(_StderrFormatter("%(message)s"))
        stderr.addFilter(_as_verbose)
        root.addHandler(stderr)
        root.setLevel(logging.WARNING)
    for handler in root.handlers:
        if _wanted not in handler.filters:
            handler.addFilter(_wanted)
    logging.getLogger(ALWAYS).setLevel(logging.INFO)
    warnings.simplefilter("ignore")
    _verbosity[:] = [0]
    _OURS.setLevel(logging.NOTSET)
    say_more(verbosity)


def say_more(times: int) -> None:
    """Has people read more of what we log; as often as `-v` was given."""
    _verbosity[0] += times
    if _verbosity[0]:
        _OURS.setLevel(VERBOSE[min(_verbosity[0], 2)])


def verbosity() -> int:
    """How often `-v` was given."""
    return _verbosity[0]


def as_verbose() -> list[str]:
    """Options by which a command that is started from here says as much."""
    return ["-v"] * _verbosity[0]


def _wanted(record: logging.LogRecord) -> bool:
    return record.levelno >= logging.ERROR or record.name.startswith("cairn.")


def _as_verbose(record: logging.LogRecord) -> bool:
    return record.levelno >= VERBOSE[min(_verbosity[0], 2)] or record.name == ALWAYS


def _says(name: str, value: object, told: str) -> bool:
    """Whether a field says something that the message does not."""
    if name == "run_id" and not told.startswith("run "):
        return False
    return bool(value) and name != "written" and str(value) not in told.split()


def _shown(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)
