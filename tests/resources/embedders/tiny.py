"""A sentence encoder of a few words, as a folder of ONNX: each token has a vector of its own."""

import json
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, pre_tokenizers

WORDS = ("[UNK]", "backup", "nas", "sleeps", "postgres", "query:", "passage:", "tea", "is", "late")
DIMENSION = 8


def table(seed: int = 0) -> np.ndarray:
    """The vector of each word, shape (words, DIMENSION)."""
    return np.random.default_rng(seed).normal(size=(len(WORDS), DIMENSION)).astype(np.float32)


def tiny_encoder(folder: Path, *, pooling: str = "mean_tokens", seed: int = 0) -> Path:
    """Writes one, with prompts for what is asked and what is told."""
    (folder / "1_Pooling").mkdir(parents=True)
    states = helper.make_tensor_value_info(
        "last_hidden_state", TensorProto.FLOAT, ("texts", "tokens", DIMENSION)
    )
    graph = helper.make_graph(
        [helper.make_node("Gather", ["words", "input_ids"], ["last_hidden_state"])],
        "tiny",
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ("texts", "tokens"))],
        [states],
        [numpy_helper.from_array(table(seed), "words")],
    )
    opsets = [helper.make_opsetid("", 20)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=10), folder / "model.onnx")
    words = Tokenizer(models.WordLevel({word: at for at, word in enumerate(WORDS)}, "[UNK]"))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    words.save(str(folder / "tokenizer.json"))
    write(folder / "1_Pooling" / "config.json", {f"pooling_mode_{pooling}": True})
    write(folder / "sentence_bert_config.json", {"max_seq_length": 6})
    prompts = {"query": "query: ", "document": "passage: "}
    write(folder / "config_sentence_transformers.json", {"prompts": prompts})
    return folder


def write(path: Path, what: object) -> None:
    """Writes JSON."""
    path.write_text(json.dumps(what), encoding="utf-8")
