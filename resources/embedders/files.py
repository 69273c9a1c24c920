"""Files of a model in a folder, and what tells one model from another."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

Json = TypeVar("Json", dict[str, Any], list[Any])

_ENDS = 1_000_000
"""Bytes of each end of a file that count; the weights between them change with them."""
_MODELS = ("*.onnx", "*.safetensors", "tokenizer.json", "1_Pooling/config.json", "*.json")


class EmbedderError(Exception):
    """An embedder cannot be used; the message says which, why and what to do."""


def digest_of(folder: Path) -> str:
    """Twelve digits that tell the model in a folder from any other."""
    found = sha256()
    for path in sorted({path for pattern in _MODELS for path in folder.rglob(pattern)}):
        if path.name == "calibration.json":
            continue
        size = path.stat().st_size
        found.update(f"{path.relative_to(folder)}:{size}\n".encode())
        with path.open("rb") as file:
            found.update(file.read(_ENDS))
            file.seek(max(0, size - _ENDS))
            found.update(file.read(_ENDS))
    return found.hexdigest()[:12]


def read_json(path: Path, kind: type[Json] = dict) -> Json:
    """What a file of a model says; nothing if there is none.

    Raises:
        EmbedderError: it cannot be read.
    """
    if not path.is_file():
        return kind()
    try:
        return kind(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError, OSError) as error:
        raise EmbedderError(f"{path} cannot be read: {error}") from error
