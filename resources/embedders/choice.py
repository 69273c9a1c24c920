"""Embedding models, chosen by one setting: `policy.embedder`."""

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from cairn.resources.embedders.files import EmbedderError, digest_of

if TYPE_CHECKING:
    from cairn.knowledge.vectors.model import Embedder
    from cairn.resources.embedders.litellm import Payment

DEFAULT = "wordllama"
ONNX, SENTENCE_TRANSFORMERS, LITELLM = "onnx:", "sentence-transformers:", "litellm:"
KINDS = {
    DEFAULT: "in the box: static word vectors; no download, no key, fast",
    f"{ONNX}FOLDER": "a sentence encoder as ONNX with its tokenizer.json; extra `onnx`",
    f"{SENTENCE_TRANSFORMERS}NAME": "a model by its name or folder; extra `sentence-transformers`",
    f"{LITELLM}NAME": "a provider's, by litellm's name for it; each text is paid once",
}
"""What may be set, and what it is."""

_DIGEST = re.compile(r"@[0-9a-f]{12}$")


def is_dear(name: str) -> bool:
    """Whether what it makes is kept on disk: to make it again takes long, or costs money."""
    return name != DEFAULT


def pinned(name: str) -> str:
    """A setting with the digest of the files it names, by which another model is told apart.

    What has no files, or none that can be read now, stays as it is.
    """
    setting, kind, rest = unpinned(name), *name.partition(":")[::2]
    folder = Path(rest).expanduser()
    has_files = f"{kind}:" in (ONNX, SENTENCE_TRANSFORMERS) and folder.is_dir()
    return f"{setting}@{digest_of(folder)}" if has_files and setting == name else name


def unpinned(name: str) -> str:
    """The setting without a digest."""
    return name if name.startswith(LITELLM) else _DIGEST.sub("", name)


def load_embedder(name: str, pays: "Payment | None" = None) -> "Embedder":
    """The embedder that a setting names, pinned or not; what has files is loaded once.

    Args:
        name: The setting.
        pays: Who pays for calls, where it makes any.

    Raises:
        EmbedderError: there is none of that name, its extra is not installed, or its files are
            not there or are others than those it was pinned to.
    """
    if not name.startswith(LITELLM):
        return _with_files(name)
    from cairn.resources.embedders.litellm import LitellmEmbedder

    if pays is None:
        raise EmbedderError(f"{name} makes calls, and nobody pays for them here")
    return LitellmEmbedder(name.removeprefix(LITELLM), pays)


@cache
def _with_files(name: str) -> "Embedder":
    setting = unpinned(name)
    rest = setting.partition(":")[2]
    # Where there are no files any more, the loader says so.
    if name != setting and pinned(setting) not in (name, setting):
        raise EmbedderError(f"{rest} has another model than before: `cairn run` embeds anew")
    if setting == DEFAULT:
        from cairn.resources.embedders.wordllama import WordllamaEmbedder

        return WordllamaEmbedder()
    if setting.startswith(ONNX):
        from cairn.resources.embedders.onnx import OnnxEmbedder

        return OnnxEmbedder(Path(rest).expanduser())
    if setting.startswith(SENTENCE_TRANSFORMERS):
        from cairn.resources.embedders.sentence_transformers import SentenceTransformersEmbedder

        return SentenceTransformersEmbedder(rest)
    known = ", ".join(KINDS)
    raise EmbedderError(f"unknown embedder {name!r}; known: {known} (setting: policy.embedder)")
