"""A model in a folder, as ONNX with its tokenizer.json, by onnxruntime on the CPU."""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Encoding, Tokenizer

from cairn.resources.embedders.files import EmbedderError, read_json

MOST_THREADS = 4
"""Texts that are read at once, at most."""
TOKENS = 512
"""Of a text, where no config says how many the model reads."""
PLACES = ("model.onnx", "onnx/model.onnx")
INPUTS = ("input_ids", "attention_mask", "token_type_ids")


class OnnxModel:
    """`model.onnx` (or `onnx/model.onnx`) and `tokenizer.json` of a folder.

    Each text is read by itself, without padding and in one thread, so that neither batch nor cores
    change what comes out; several texts at once use the cores.

    Args:
        folder: Where it is.
        kind: What it should be, for errors.

    Raises:
        EmbedderError: onnxruntime is not installed, a file is missing or cannot be read, or the
            graph asks for what is not known here.
    """

    def __init__(self, folder: Path, kind: str) -> None:
        self._folder = folder
        places = [folder / place for place in PLACES if (folder / place).is_file()]
        tokens = folder / "tokenizer.json"
        if not places or not tokens.is_file():
            missing = tokens.name if places else PLACES[0]
            raise EmbedderError(f"{folder} has no {missing}: is it a {kind} as ONNX?")
        self._session = _opened(places[0])
        self._inputs = [each.name for each in self._session.get_inputs()]
        self.outputs: list[str] = [each.name for each in self._session.get_outputs()]
        if unknown := {*self._inputs} - {*INPUTS}:
            raise EmbedderError(f"{places[0]} asks for {', '.join(sorted(unknown))}")
        try:
            self.tokenizer = Tokenizer.from_file(str(tokens))
        except Exception as error:  # the library raises no other
            raise EmbedderError(f"{tokens} cannot be read: {error}") from error
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        self.most_tokens = _most_tokens(folder)

    def run(self, output: str, encoded: Encoding) -> Any:
        """One of the outputs of one text: its first row.

        Raises:
            EmbedderError: the graph cannot be run on it.
        """
        every = dict(
            zip(INPUTS, (encoded.ids, encoded.attention_mask, encoded.type_ids), strict=True)
        )
        fed = {name: np.array([every[name]], dtype=np.int64) for name in self._inputs}
        try:
            return self._session.run([output], fed)[0][0]
        except Exception as error:  # its errors have no common root
            raise EmbedderError(f"{self._folder} fails on a text: {error}") from error

    @cached_property
    def threads(self) -> ThreadPoolExecutor:
        """For several texts at once."""
        return ThreadPoolExecutor(min(MOST_THREADS, os.cpu_count() or 1), "onnx")


def readable(text: str) -> str:
    """A text without what no tokenizer takes: lone surrogates."""
    return text.encode(errors="replace").decode()


def first_named(among: Sequence[str], name: str) -> str:
    """The output of a name, else the first."""
    return name if name in among else among[0]


def _opened(model: Path) -> Any:
    try:
        onnxruntime: Any = import_module("onnxruntime")
    except ImportError as error:
        raise EmbedderError(
            "onnxruntime is not installed: `pip install cairn-logs[onnx]`"
        ) from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its errors have no common root
        raise EmbedderError(f"{model} cannot be read: {error}") from error


def _most_tokens(folder: Path) -> int:
    for file, name in (
        ("sentence_bert_config.json", "max_seq_length"),
        ("tokenizer_config.json", "model_max_length"),
        ("config.json", "max_position_embeddings"),
    ):
        found = read_json(folder / file).get(name)
        if isinstance(found, int) and 0 < found < 100_000:
            return found
    return TOKENS
