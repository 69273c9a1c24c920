"""Records: the files that are to be taken in."""

import os
from collections.abc import Sequence

import polars as pl

from cairn.knowledge.ingest.records import CLOSED, refusal
from cairn.knowledge.schema.tables import SOURCE_FILES
from cairn.resources.context import State
from cairn.resources.home.log_files import LogFile, changed, on_disk
from cairn.resources.home.sources import files_there
from cairn.resources.limits.day import held_back


def new_bytes(state: State, files: Sequence[LogFile]) -> int:
    """Bytes of some files that were not read yet."""
    known = state.warehouse.read(SOURCE_FILES, columns=["namespace", "path", "consumed"]).collect()
    taken = {(namespace, path): read for namespace, path, read in known.iter_rows()}
    read = [taken.get((file.namespace, file.name), 0) for file in files]
    # A file that is shorter than what was read of it is another one.
    return sum(
        file.size - (done if done <= file.size else 0)
        for file, done in zip(files, read, strict=True)
    )


def changed_files(state: State) -> list[LogFile]:
    """Files of the registered sources and of the inbox that are new or differ, newest first.

    Those that wait for another day, since their namespace took in what it may, are not there.
    """
    known = state.warehouse.read(SOURCE_FILES).collect()
    there = files_there(state.home, state.namespace)
    found = changed(
        (file for file in there if file.namespace not in state.quiet), _as_it_would_be(known)
    )
    waits = {*held_back(state, found, known)}
    return [file for file in found if file not in waits]


def _as_it_would_be(known: pl.DataFrame) -> pl.DataFrame:
    """`source_files` without files that were refused, and would not be for that reason now."""
    refused = known.filter(outcome="rejected").select("namespace", "path", "reason", "digest")
    again = [
        (namespace, path)
        for namespace, path, reason, digest in refused.iter_rows()
        if digest != refusal(reason) or (reason == CLOSED and os.access(on_disk(path), os.R_OK))
    ]
    if not again:
        return known
    names = pl.DataFrame(again, {"namespace": pl.String, "path": pl.String}, orient="row")
    return known.join(names, on=names.columns, how="anti")
