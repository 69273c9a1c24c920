"""The brief of a project, for every surface."""

from pathlib import Path, PurePath
from typing import Any

import polars as pl

from cairn.knowledge.failures.lookup import known_by
from cairn.knowledge.failures.stages import error_signatures
from cairn.knowledge.ingest.sessions import conversations
from cairn.knowledge.llm.fence import fenced, harmless
from cairn.knowledge.nlp.text import estimated_tokens, words
from cairn.knowledge.practices.brief import (
    PRACTICE,
    BriefLine,
    Ground,
    brief,
    known_projects,
    passed_on,
    text_of,
    within,
)
from cairn.knowledge.practices.command_runs import runs_by
from cairn.knowledge.practices.practices import practices
from cairn.knowledge.practices.project_facts import project_facts
from cairn.knowledge.practices.tasks import tasks_named
from cairn.knowledge.schema.tables import (
    BRIEFS,
    COMMAND_RUNS,
    CONVERSATIONS,
    FAILURES,
    FILE_EDITS,
    RAW_LOGS,
)
from cairn.serving.read.reader import Reader


def project_brief(reader: Reader, project: str | None = None, budget: int = 400) -> dict[str, Any]:
    """What an agent should know of a project before it starts.

    Args:
        reader: Whose memory, and as of when.
        project: Its name, or a path in it; the one that was worked on last if there is none.
        budget: Tokens of the text, at most.

    Returns:
        project (None if none is known), tokens, text (in its fence), and lines: id, kind, text,
        support, conversations, last_seen.
    """
    talks = _talks(reader)
    known = known_projects(talks)
    if project is None:
        named = max(sorted(known), key=known.__getitem__, default=None)
    else:
        named = next((name for name in _names(project) if name in known), None)
    generation = reader.manifest.generation
    fence = estimated_tokens(fenced("-", reader.namespace, generation))
    # What a tool put out may be in it, and an agent reads it.
    safe = (
        line._replace(text=harmless(line.text))
        for line in (_lines(reader, named, talks) if named else ())
    )
    lines = within(budget - fence, (line for line in safe if line.text.strip()))
    text = fenced(text_of(lines), reader.namespace, generation)
    return {
        "project": named, "tokens": estimated_tokens(text), "text": text,
        "lines": [line._asdict() for line in lines],
    }  # fmt: skip


def practices_for(reader: Reader, message: str) -> list[BriefLine]:
    """How the tasks that a message names are done in the project that it names.

    It is the project that was worked on last where it names none; at most two commands of a task.
    """
    asked = tasks_named(message)
    if not asked:
        return []
    talks = _talks(reader)
    known = known_projects(talks)
    said = set(words(message))
    named = [name for name in sorted(known) if name.casefold() in said] or sorted(
        known, key=lambda name: (known[name], name), reverse=True
    )[:1]
    of_task: dict[str, list[BriefLine]] = {task: [] for task in asked}
    for line in (line for name in named for line in _lines(reader, name, talks)):
        task = line.text.partition(":")[0]
        if line.kind == PRACTICE and task in of_task:
            of_task[task].append(line)
    return [line for lines in of_task.values() for line in lines[:2]]


def _names(project: str) -> list[str]:
    """What a project may be called that is given by its name, or by a path in it."""
    path = PurePath(project)
    if len(path.parts) < 2 and project not in (".", "..", "~"):
        return [project]
    whole = Path(project).expanduser().absolute()
    return [part.name for part in (whole, *whole.parents) if part.name]


def _talks(reader: Reader) -> pl.DataFrame:
    """Rows of CONVERSATIONS that had begun at the reader's moment; none has ended after it.

    Of one that went on, what was made in it is read of its records up to then.
    """
    talks = reader.table(CONVERSATIONS).collect()
    if reader.is_now:
        return talks
    talks = talks.filter(pl.col("started_at") <= reader.as_of)
    open_ = talks.filter(pl.col("ended_at") > reader.as_of)
    if open_.height:
        ids = open_["conversation_id"].implode()
        by_then = (pl.col("occurred_at") <= reader.as_of).fill_null(value=True)
        logs = reader.table(RAW_LOGS).filter(pl.col("conversation_id").is_in(ids), by_then)
        made = conversations(logs.collect()).select("conversation_id", "subject")
        ended = talks.join(open_, on="conversation_id", how="anti")
        going = open_.drop("subject").join(made, on="conversation_id", how="left")
        talks = pl.concat([ended, going.select(ended.columns)])
    return talks.with_columns(pl.min_horizontal("ended_at", pl.lit(reader.as_of)))


def _lines(reader: Reader, project: str, talks: pl.DataFrame) -> list[BriefLine]:
    """As published; of an earlier moment, made of what had happened by then."""
    if reader.is_now:
        rows = reader.table(BRIEFS).filter(pl.col("project") == project).sort("place")
        kept = rows.select(pl.col("line_id").alias("id"), *BriefLine._fields[1:]).collect()
        return [BriefLine(**row) for row in kept.iter_rows(named=True)]
    runs = runs_by(reader.table(COMMAND_RUNS).collect(), reader.as_of)
    happened = (pl.col("occurred_at") <= reader.as_of).fill_null(value=True)
    edits = reader.table(FILE_EDITS).filter(happened).collect()
    failed = known_by(reader.table(FAILURES).collect(), reader.as_of)
    facts = passed_on(reader.memory(), reader.latest, reader.state.policy)
    ground = Ground(
        practices(runs), project_facts(runs, edits), error_signatures(failed), facts, talks
    )
    return brief(project, ground)
