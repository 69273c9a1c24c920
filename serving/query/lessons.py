"""What ended an error before, for every surface."""

from typing import Any

from cairn.knowledge.failures.lookup import known_by
from cairn.knowledge.failures.lookup import lesson as lesson_of
from cairn.knowledge.failures.stages import error_signatures
from cairn.knowledge.practices.projects import in_projects, projects_at
from cairn.knowledge.schema.tables import ERROR_SIGNATURES, FAILURES
from cairn.serving.query.briefs import known_folders
from cairn.serving.read.reader import Reader


def lesson(
    reader: Reader, error: str, project: str | None = None, limit: int = 3
) -> dict[str, Any]:
    """What ended an error before `as_of`; see `cairn.knowledge.failures.lookup.lesson`.

    From the latest event the table is read as published; else it is made of what had failed, and
    had been settled, by then.
    """
    placed = known_folders(reader)
    if project is not None:
        meant = projects_at(project, placed)
        project = meant[0] if len(meant) == 1 else project
    if reader.is_now:
        known = reader.table(ERROR_SIGNATURES).collect()
    else:
        failed = known_by(reader.table(FAILURES).collect(), reader.as_of)
        known = error_signatures(in_projects(failed, placed))
    return lesson_of(known, error, project, limit)
