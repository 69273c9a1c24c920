"""Notes: small JSON files of a home, read as what their readers need or not at all."""

import json
from pathlib import Path
from typing import TypeVar

import msgspec

from cairn.resources.home.atomic_files import read_regular

Shape = TypeVar("Shape")


class NoteError(Exception):
    """A note cannot be read, or is of another shape than it was written in."""


def read_note(path: Path, shape: type[Shape]) -> Shape:
    """What a note holds.

    Raises:
        FileNotFoundError: there is none.
        NoteError: it cannot be read, or its content is of another shape.
    """
    try:
        # Not decoded by msgspec: it refuses paths with bytes that are not UTF-8.
        return msgspec.convert(json.loads(read_regular(path)), shape)
    except FileNotFoundError:
        raise
    except (OSError, ValueError, RecursionError) as error:
        raise NoteError(f"{path} cannot be read, or is not as it was written") from error
