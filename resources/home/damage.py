"""What can be wrong with a home, in one shape, and what engines say of it, as one error."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from deltalake.exceptions import DeltaError
from polars.exceptions import ComputeError

RUN = "`cairn run` makes it again"


@dataclass(frozen=True)
class Damage:
    """One thing of a home that cannot be used as it is found."""

    kind: str
    """What mends it: a name in `cairn.pipelines.healing.MENDS`."""
    what: str
    """Such as `table facts`, `index of default`."""
    where: Path
    found: str
    """What is wrong with it."""
    lost: str
    """What that costs for good."""
    advice: str = RUN
    stops: bool = False
    """Whether a run must not go on by itself: what it did could not be taken back."""

    def __str__(self) -> str:
        return f"{self.what}: {self.found} ({self.where}); lost: {self.lost}; {self.advice}"


class Damaged(Exception):  # noqa: N818  what a person is told
    """Something that was stored cannot be read; the message says what, and what to do."""


def is_panic(error: BaseException) -> bool:
    """Whether an engine gave up: polars, Delta and Qdrant Edge do so by no `Exception`."""
    return type(error).__name__ == "PanicException"


@contextmanager
def reading() -> Generator[None]:
    """Tells of stored data that cannot be read by one kind of error, which is an `Exception`.

    Raises:
        Damaged: an engine could not read what it was given.
    """
    try:
        yield
    except BaseException as error:
        if (damaged := as_damage(error)) is None:
            raise
        raise damaged from error


def as_damage(error: BaseException) -> Damaged | None:
    """What an error of an engine says of stored data; None if it is of another kind."""
    if isinstance(error, Damaged):
        return error
    # What is gone, polars tells as the system does.
    gone = isinstance(error, FileNotFoundError) and ".parquet" in str(error)
    if not (gone or is_panic(error) or isinstance(error, ComputeError | DeltaError)):
        return None
    return Damaged(
        f"a stored table cannot be read ({first_line(error)}): `cairn doctor` says which, and {RUN}"
    )


def first_line(error: BaseException, most: int = 200) -> str:
    """The beginning of what an error says, without what an engine tells of its own code."""
    if is_panic(error):
        return "its reader gave up"
    lines = str(error).strip().splitlines()
    return lines[0][:most] if lines else type(error).__name__
