"""Dagster's instance of a home: where its runs, events and cursors are kept."""

from collections.abc import Generator
from contextlib import contextmanager

import dagster as dg

from cairn.resources.home.home import Home, HomeError

_SHOWN = 300
"""Characters of what Dagster says of its settings; behind them it lists all that there are."""


@contextmanager
def instance_of(home: Home) -> Generator[dg.DagsterInstance]:
    """The instance, for this process and all that it starts.

    Raises:
        HomeError: Dagster's settings, which a person may change, cannot be used.
    """
    home.dagster_environment()
    try:
        instance = dg.DagsterInstance.get()
    except Exception as error:  # of the parser, of Dagster, or of the storage that they name
        reason = " ".join(str(error).removeprefix("Failure condition: ").split())
        raise HomeError(
            f"Dagster cannot begin with {home.dagster / 'dagster.yaml'}: {reason[:_SHOWN]}."
            " Mend what it says there, or remove the file: Cairn writes its own."
        ) from error
    with instance:
        yield instance
