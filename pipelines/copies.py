"""A copy of a namespace's tables, to see what a run would make of it: nothing else is touched."""

import fcntl
import os
import shutil
from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import NamedTuple

import polars as pl

from cairn.knowledge.assembly.stages import STAGES
from cairn.knowledge.schema.tables import TABLES
from cairn.pipelines.follow import follow
from cairn.resources.context import State
from cairn.resources.home.home import open_home

DRY_RUN = ("dry-run-", ".partial")
"""How the folder in the home begins and ends where a dry run works."""

Tables = Mapping[str, pl.LazyFrame]
"""Tables by name."""


def as_they_are(state: State, namespace: str) -> dict[str, pl.LazyFrame]:
    """The tables of a namespace in the versions of this moment, whatever is written later."""
    return {
        name: state.warehouse.read(
            table, namespace=namespace, version=state.warehouse.version(table, namespace)
        )
        for name, table in TABLES.items()
        if "namespace" in table.columns
    }


@contextmanager
def copied(state: State, namespace: str) -> Generator[State]:
    """A home with the tables of one namespace, in a folder of this one that is removed afterwards.

    It shares the files of tables, which never change, and pays no language model. Whoever asks for
    it keeps others from writing until they have it.
    """
    clear(state)
    with _scratch(state) as folder:
        yield _copy(state.of(namespace), folder).of(namespace)


@contextmanager
def _scratch(state: State) -> Generator[Path]:
    """A folder in the home for as long as it is worked in: its flock says so to others."""
    prefix, suffix = DRY_RUN
    folder = Path(mkdtemp(suffix, prefix, state.home.root))
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(descriptor)


def clear(state: State) -> None:
    """Removes what dry runs left that were killed."""
    for folder in state.home.root.glob("*".join(DRY_RUN)):
        descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
        except BlockingIOError:
            pass  # another is at work there
        finally:
            os.close(descriptor)


def _copy(state: State, folder: Path) -> State:
    """A home with the tables of one namespace."""
    home = open_home(folder)
    tables = state.home.warehouse / state.own
    if tables.is_dir():
        shutil.copytree(tables, home.warehouse / state.own, copy_function=os.link)
    shutil.copytree(state.home.inbox, home.inbox, dirs_exist_ok=True)
    beside = (
        state.home.forget_key,
        state.home.sources,
        state.home.sources_copy,
        *state.home.root.glob("answers.sqlite*"),
    )
    for file in beside:
        if file.exists():
            shutil.copy(file, home.root)
    alone = {"home": folder, "warehouse": None, "budget_run": 0.0}
    return State(home, state.settings.model_copy(update=alone))


class RunOnCopy(NamedTuple):
    """A run on a copy: the tables as they are, as it made them, and where those are."""

    before: Tables
    after: Tables
    copy: State


@contextmanager
def run_on_copy(
    state: State, namespace: str, command: str, begin: Callable[[State], object] = lambda _: None
) -> Generator[RunOnCopy]:
    """What the rules and settings in force make of what was taken in of a namespace.

    Args:
        state: Where.
        namespace: Whose tables are copied; what is made of them can be read until this ends.
        command: What is told others that wait until the copy is made.
        begin: What is done to the copy first.

    No language model is asked: earlier answers stand in.
    """
    with ExitStack() as until_done:
        with state.writing(command):
            copy = until_done.enter_context(copied(state, namespace))
            before = as_they_are(state, namespace)
        begin(copy)
        follow(copy, since="raw_logs", until=STAGES[-1].name)
        yield RunOnCopy(before, as_they_are(copy, namespace), copy)
