"""What a process says on stderr: what we log, and errors of libraries."""

import logging
import warnings


def configure_logging() -> None:
    """What we log reaches people on stderr; of libraries, errors alone.

    They set up logging when they are imported (wordllama: all at INFO, great_expectations: its
    own), so a handler of ours stands there first, and decides.
    """

    def wanted(record: logging.LogRecord) -> bool:
        return record.levelno >= logging.ERROR or record.name.startswith("cairn.")

    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    for handler in logging.getLogger().handlers:
        handler.addFilter(wanted)
    logging.getLogger("cairn.resources.home.write_lock").setLevel(logging.INFO)
    warnings.simplefilter("ignore")
