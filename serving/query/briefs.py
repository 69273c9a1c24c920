"""The brief of a project, for every surface."""

from typing import Any

import polars as pl

from cairn.knowledge.interests.preferences import muted
from cairn.knowledge.llm.fence import fenced, harmless
from cairn.knowledge.nlp.text import estimated_tokens, words
from cairn.knowledge.practices.briefs.brief import (
    PRACTICE,
    BriefLine,
    Ground,
    brief,
    known_projects,
    passed_on,
    text_of,
    within,
)
from cairn.knowledge.practices.tasks import tasks_named
from cairn.knowledge.schema.tables import BRIEFS
from cairn.serving.query.interests import preferences_at
from cairn.serving.query.work import (
    known_errors,
    known_folders,
    known_practices,
    known_project_facts,
    project_called,
    talks,
)
from cairn.serving.read.reader import Reader


def project_brief(reader: Reader, project: str | None = None, budget: int = 400) -> dict[str, Any]:
    """What an agent should know of a project before it starts.

    Args:
        reader: Whose memory, and as of when.
        project: Its name, or a path in it; the one that was worked on last if there is none.
        budget: Tokens of the text, at most.

    Returns:
        project (None if none had been worked on by then), tokens, text (in its fence), and lines:
        id, kind, text, support, conversations, last_seen.

    Raises:
        UnknownId: no project is called that; the message names those that may be meant.
    """
    placed = known_folders(reader)
    there = talks(reader, placed)
    known = known_projects(there, placed)
    if project is None:
        named = max(sorted(known), key=known.__getitem__, default=None)
    else:
        asked = project_called(reader, project)
        named = asked if asked in known else None
    generation = reader.manifest.generation
    fence = estimated_tokens(fenced("-", reader.namespace, generation))
    # What a tool put out may be in it, and an agent reads it.
    safe = (
        line._replace(text=harmless(line.text))
        for line in (_lines(reader, named, there, placed) if named else ())
    )
    lines = within(budget - fence, (line for line in safe if line.text.strip()))
    text = fenced(text_of(lines), reader.namespace, generation)
    return {
        "project": named, "tokens": estimated_tokens(text), "text": text,
        "lines": [line._asdict() for line in lines],
    }  # fmt: skip


def briefed_projects(reader: Reader) -> list[str]:
    """Names of the projects that have a brief."""
    return reader.table(BRIEFS).select("project").unique().collect()["project"].sort().to_list()


def practices_for(reader: Reader, message: str) -> list[BriefLine]:
    """How the tasks that a message names are done in the project that it names.

    It is the project that was worked on last where it names none; at most two commands of a task.
    """
    asked = tasks_named(message)
    if not asked:
        return []
    placed = known_folders(reader)
    there = talks(reader, placed)
    known = known_projects(there, placed)
    said = set(words(message))
    named = [name for name in sorted(known) if name.casefold() in said] or sorted(
        known, key=lambda name: (known[name], name), reverse=True
    )[:1]
    of_task: dict[str, list[BriefLine]] = {task: [] for task in asked}
    for line in (line for name in named for line in _lines(reader, name, there, placed)):
        task = line.text.partition(":")[0]
        if line.kind == PRACTICE and task in of_task:
            of_task[task].append(line)
    return [line for lines in of_task.values() for line in lines[:2]]


def _lines(
    reader: Reader, project: str, told: pl.DataFrame, placed: pl.DataFrame
) -> list[BriefLine]:
    """As published; of an earlier moment, made of what had happened by then."""
    if reader.is_now:
        rows = reader.table(BRIEFS).filter(pl.col("project") == project).sort("place")
        kept = rows.select(pl.col("line_id").alias("id"), *BriefLine._fields[1:]).collect()
        return [BriefLine(**row) for row in kept.iter_rows(named=True)]
    facts = passed_on(reader.memory(), reader.latest, reader.state.policy)
    ground = Ground(
        known_practices(reader), known_project_facts(reader), known_errors(reader), facts, told,
        placed, muted(preferences_at(reader)),
    )  # fmt: skip
    return brief(project, ground)
