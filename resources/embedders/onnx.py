"""Sentence encoders as ONNX files, by onnxruntime on the CPU."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cairn.knowledge.vectors.model import Vectors, unit_rows
from cairn.resources.embedders.calibrations import Calibrated, curve_of
from cairn.resources.embedders.files import EmbedderError, digest_of, read_json
from cairn.resources.embedders.onnx_model import OnnxModel, first_named, readable

POOLED = "sentence_embedding"
"""Output of a graph that pools by itself."""

_PASSAGE, _QUERY = ("document", "passage"), ("query",)
_POOLS: Mapping[str, Callable[[Any], Any]] = {
    "cls_token": lambda hidden: hidden[0],
    "mean_tokens": lambda hidden: hidden.mean(axis=0, dtype=np.float64),
    "max_tokens": lambda hidden: hidden.max(axis=0),
    "mean_sqrt_len_tokens": lambda hidden: (
        hidden.sum(axis=0, dtype=np.float64) / np.sqrt(len(hidden))
    ),
    "lasttoken": lambda hidden: hidden[-1],
}
"""How the states of tokens, shape (tokens, dimension), become one vector, by sentence-transformers'
names for it."""


class OnnxEmbedder(Calibrated):
    """A sentence encoder in a folder, as sentence-transformers lays it out.

    `model.onnx` (or `onnx/model.onnx`) and `tokenizer.json` must be there; how token states are
    pooled, how many tokens count and what stands before a query or a passage is read from
    `1_Pooling/config.json`, `sentence_bert_config.json` and `config_sentence_transformers.json`.

    Each text is embedded by itself, without padding and in one thread, so that neither batch nor
    cores change a vector; several texts at once use the cores.

    Raises:
        EmbedderError: onnxruntime is not installed, a file is missing, or it asks for what is not
            known here.
    """

    def __init__(self, folder: Path) -> None:
        self._model = OnnxModel(folder, "sentence encoder")
        self._output = first_named(self._model.outputs, POOLED)
        self._pool = None if self._output == POOLED else _POOLS[_pooling(folder)]
        self._model.tokenizer.enable_truncation(self._model.most_tokens)
        prompts = read_json(folder / "config_sentence_transformers.json").get("prompts") or {}
        self._passage, self._query = (_first(prompts, names) for names in (_PASSAGE, _QUERY))
        self._dimension = len(self._embedded("a"))
        self.model = f"onnx-{digest_of(folder)}-{self._dimension}"
        self._curve = curve_of(self, folder)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, shape (texts, dimension), float32; of blank text zeros."""
        vectors = np.zeros((len(texts), self._dimension), dtype=np.float32)
        asked = [row for row, text in enumerate(texts) if text.strip()]
        made = self._model.threads.map(
            self._embedded, [self._passage + texts[row] for row in asked]
        )
        for row, vector in zip(asked, made, strict=True):
            vectors[row] = vector
        return vectors

    def embed_query(self, text: str) -> Vectors:
        """The vector of a query; of blank text zeros."""
        if not text.strip():
            return np.zeros(self._dimension, dtype=np.float32)
        return self._embedded(self._query + text)

    def _embedded(self, text: str) -> Vectors:
        encoded = self._model.tokenizer.encode(readable(text))
        found = self._model.run(self._output, encoded)
        return unit_rows(found if self._pool is None else self._pool(found))


def _pooling(folder: Path) -> str:
    """How the model pools: the mean, where nothing is said.

    Raises:
        EmbedderError: in a way that is not known here, or with more layers after it.
    """
    kinds = [
        str(module["type"]).rpartition(".")[2]
        for module in read_json(folder / "modules.json", list)
    ]
    if odd := {*kinds} - {"Transformer", "Pooling", "Normalize"}:
        raise EmbedderError(f"{folder}: layers that are not known here: {', '.join(sorted(odd))}")
    config = read_json(folder / "1_Pooling" / "config.json")
    named = config.get("pooling_mode")  # as newer versions say it
    ways = [f"{named}_tokens", f"{named}_token", named] if isinstance(named, str) else [
        name.removeprefix("pooling_mode_") for name, on in config.items()
        if name.startswith("pooling_mode_") and on is True
    ] or ["mean_tokens"]  # fmt: skip
    found = [way for way in ways if way in _POOLS]
    if len(found) != 1:
        raise EmbedderError(f"{folder}: pooling that is not known here: {', '.join(ways)}")
    return found[0]


def _first(prompts: Mapping[str, object], names: Sequence[str]) -> str:
    return next((str(prompts[name]) for name in names if prompts.get(name)), "")
