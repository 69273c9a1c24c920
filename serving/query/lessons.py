"""What ended an error before, for every surface."""

from typing import Any

from cairn.knowledge.failures.lookup import lesson as lesson_of
from cairn.serving.query.work import known_errors, project_called
from cairn.serving.read.reader import Reader


def lesson(
    reader: Reader, error: str, project: str | None = None, limit: int = 3
) -> dict[str, Any]:
    """What ended an error before `as_of`; see `cairn.knowledge.failures.lookup.lesson`.

    Raises:
        UnknownId: no project is called that, or has a folder there.
    """
    known = known_errors(reader)
    if project is not None:
        project = project_called(reader, project, known["project"].unique().to_list())
    return lesson_of(known, error, project, limit)
