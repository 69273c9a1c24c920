"""What was done, as it was known at a reader's moment: commands, failures, edits, by project."""

from collections.abc import Collection, Sequence
from pathlib import Path, PurePath
from typing import Any

import polars as pl

from cairn.knowledge.failures.lookup import known_by
from cairn.knowledge.failures.stages import error_signatures
from cairn.knowledge.ingest.sessions import conversations
from cairn.knowledge.nlp.text import suggestion
from cairn.knowledge.practices.briefs.brief import known_projects
from cairn.knowledge.practices.command_runs import runs_by
from cairn.knowledge.practices.places.folders import normal
from cairn.knowledge.practices.places.projects import in_projects, naming, projects_at, projects_by
from cairn.knowledge.practices.practices import practices
from cairn.knowledge.practices.project_facts import project_facts
from cairn.knowledge.schema import tables
from cairn.serving.read.id_lookup import UnknownId
from cairn.serving.read.reader import Reader

MOST_NAMED = 5
"""Projects that are named where one is not known, those that were worked on last."""


def known_folders(reader: Reader) -> pl.DataFrame:
    """PROJECTS: which folders are checkouts of which project, as it was known."""
    if reader.is_now:
        return reader.table(tables.PROJECTS).collect()
    return projects_by(reader.table(tables.CHECKOUTS).collect(), reader.as_of)


def talks(reader: Reader, placed: pl.DataFrame) -> pl.DataFrame:
    """Rows of CONVERSATIONS that had begun; none has ended later than the reader's moment.

    Of one that went on, what was made in it is read of its records up to then.
    """
    rows = in_projects(reader.all_rows(tables.CONVERSATIONS).collect(), placed)
    if reader.is_now:
        return rows
    rows = rows.filter(pl.col("started_at") <= reader.as_of)
    open_ = rows.filter(pl.col("ended_at") > reader.as_of)
    if open_.height:
        ids = open_["conversation_id"].implode()
        by_then = (pl.col("occurred_at") <= reader.as_of).fill_null(value=True)
        logs = reader.table(tables.RAW_LOGS).filter(pl.col("conversation_id").is_in(ids), by_then)
        made = conversations(logs.collect()).select("conversation_id", "subject")
        ended = rows.join(open_, on="conversation_id", how="anti")
        going = open_.drop("subject").join(made, on="conversation_id", how="left")
        rows = pl.concat([ended, going.select(ended.columns)])
    return rows.with_columns(pl.min_horizontal("ended_at", pl.lit(reader.as_of)))


def known_practices(reader: Reader) -> pl.DataFrame:
    """Rows of PRACTICES; of an earlier moment made of what had been run by then."""
    if reader.is_now:
        return reader.table(tables.PRACTICES).collect()
    return practices(known_runs(reader))


def known_project_facts(reader: Reader) -> pl.DataFrame:
    """Rows of PROJECT_FACTS; of an earlier moment made of what had been run and edited by then."""
    if reader.is_now:
        return reader.table(tables.PROJECT_FACTS).collect()
    placed = known_folders(reader)
    happened = (pl.col("occurred_at") <= reader.as_of).fill_null(value=True)
    edits, told = (
        in_projects(reader.table(table).filter(happened).collect(), placed)
        for table in (tables.FILE_EDITS, tables.OBSERVATIONS)
    )
    return project_facts(known_runs(reader), edits, told)


def edited_files(reader: Reader, project: str) -> list[dict[str, Any]]:
    """Rows of PROJECT_FACTS on the files of a project that are edited most, these first."""
    called = naming(known_folders(reader))
    found = known_project_facts(reader).filter(kind="edited_file").sort("rank", "name")
    return [row for row in found.to_dicts() if called(row["project"]) == project]


def known_errors(reader: Reader) -> pl.DataFrame:
    """Rows of ERROR_SIGNATURES; of an earlier moment made of what had failed, and been settled."""
    if reader.is_now:
        return reader.table(tables.ERROR_SIGNATURES).collect()
    failed = known_by(reader.table(tables.FAILURES).collect(), reader.as_of)
    return error_signatures(in_projects(failed, known_folders(reader)))


def project_called(reader: Reader, project: str, others: Collection[str] = ()) -> str:
    """The name of a project that is given by it, or by a path in it, whenever it was worked on.

    Args:
        reader: Whose memory.
        project: Its name or a path, of which the innermost folder that is one counts.
        others: Folders of projects besides those of conversations.

    Raises:
        UnknownId: none is called that; the message names those that may be meant.
    """
    placed = reader.table(tables.PROJECTS).collect()
    called = naming(placed)
    last = known_projects(
        in_projects(reader.all_rows(tables.CONVERSATIONS).collect(), placed), placed
    )
    newest_first = sorted(last, key=lambda name: (last[name], name), reverse=True)
    named = {name for folder in others if (name := called(folder))} - {*last}
    known = [*newest_first, *sorted(named)]
    found = next((name for name in _names(project, placed, known) if name in known), None)
    if found is not None:
        return found
    meant = suggestion(PurePath(project).name or project, known)
    some = ", ".join(known[:MOST_NAMED]) + (", …" if len(known) > MOST_NAMED else "")
    raise UnknownId(f"no project is called {project!r}{meant}; worked on last: {some or 'none'}")


def _names(project: str, placed: pl.DataFrame, known: Sequence[str]) -> list[str]:
    """What a project may be called that is given by its name, or by a path in it.

    A folder may be a worktree, with a name of its own; of several projects that are called the
    same, the one that stands first among those known comes first.
    """
    path = PurePath(project)
    if len(path.parts) < 2 and project not in (".", "..", "~"):
        meant = (name for name in projects_at(project, placed) if name in known)
        return [project, *sorted(meant, key=known.index)]
    whole = Path(project).expanduser().absolute()
    at = dict(placed.select("folder", "name").iter_rows())
    above = ((at.get(normal(str(part))), part.name) for part in (whole, *whole.parents))
    return [project, *(name for names in above for name in names if name)]


def known_runs(reader: Reader) -> pl.DataFrame:
    """Rows of COMMAND_RUNS that had been run by then, each of the folder of its project."""
    runs = runs_by(reader.table(tables.COMMAND_RUNS).collect(), reader.as_of)
    return in_projects(runs, known_folders(reader))
