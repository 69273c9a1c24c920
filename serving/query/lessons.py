"""What ended an error before, for every surface."""

from typing import Any

from cairn.knowledge.failures.lookup import known_by
from cairn.knowledge.failures.lookup import lesson as lesson_of
from cairn.knowledge.failures.stages import error_signatures
from cairn.knowledge.schema.tables import ERROR_SIGNATURES, FAILURES
from cairn.serving.read.reader import Reader


def lesson(
    reader: Reader, error: str, project: str | None = None, limit: int = 3
) -> dict[str, Any]:
    """What ended an error before `as_of`; see `cairn.knowledge.failures.lookup.lesson`.

    From the latest event the table is read as published; else it is made of what had failed, and
    had been settled, by then.
    """
    if reader.is_now:
        known = reader.table(ERROR_SIGNATURES).collect()
    else:
        known = error_signatures(known_by(reader.table(FAILURES).collect(), reader.as_of))
    return lesson_of(known, error, project, limit)
