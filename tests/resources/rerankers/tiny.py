"""A cross-encoder of a few words, as a folder of ONNX: the share of the question that a text has.

A word of the question (segment 0) counts if the text (segment 1) has it, too. The logit is
`SLOPE * (share - 1/2)`.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from tests.resources.embedders.tiny import write

SPECIAL = ("[UNK]", "[CLS]", "[SEP]")
WORDS = ("which", "sport", "taekwondo", "does", "ada", "do", "tea", "is", "late")
SLOPE = 8.0
LOGITS = {1: [1.0], 2: [-0.5, 0.5], 3: [0.0, 1.0, 0.0]}
"""Labels → the share of the logit in each: of one, or of two that say the same."""


def tiny_cross_encoder(
    folder: Path,
    words: Sequence[str] = WORDS,
    *,
    labels: int = 1,
    typed: bool = True,
    most_tokens: int = 512,
) -> Path:
    """Writes one.

    Args:
        folder: Where to.
        words: Words that it knows.
        labels: How many logits it gives.
        typed: Whether it is told which token is of which segment; else it counts the marks.
        most_tokens: How many tokens its config says that it reads.
    """
    folder.mkdir(parents=True)
    names = ["input_ids", "attention_mask", *(["token_type_ids"] if typed else [])]
    numbers = {
        "first word": np.array(len(SPECIAL), dtype=np.int64),
        "mark": np.array(SPECIAL.index("[SEP]"), dtype=np.int64),
        "columns": np.array([2], dtype=np.int64),
        "rows": np.array([1], dtype=np.int64),
        "along": np.array(1, dtype=np.int64),
        "row": np.array([-1, 1], dtype=np.int64),
        "one": np.array(1.0, dtype=np.float32),
        "half": np.array(0.5, dtype=np.float32),
        "slope": np.array(SLOPE, dtype=np.float32),
        "labels": np.array([LOGITS[labels]], dtype=np.float32),
    }

    def node(kind: str, *given: str, **options: object) -> onnx.NodeProto:
        *inputs, output = given
        return helper.make_node(kind, inputs, [output], **options)

    types = (
        [node("Cast", "token_type_ids", "second", to=TensorProto.BOOL)]
        if typed
        else [
            node("Equal", "input_ids", "mark", "marks"),
            node("Cast", "marks", "counted", to=TensorProto.FLOAT),
            node("CumSum", "counted", "along", "segments"),
            node("Cast", "segments", "second", to=TensorProto.BOOL),
        ]
    )
    graph = helper.make_graph(
        [
            *types,
            node("GreaterOrEqual", "input_ids", "first word", "known"),
            node("And", "known", "second", "told"),
            node("Not", "second", "first"),
            node("And", "known", "first", "asked"),
            node("Unsqueeze", "input_ids", "columns", "down"),
            node("Unsqueeze", "input_ids", "rows", "across"),
            node("Equal", "down", "across", "same"),
            node("Unsqueeze", "told", "rows", "told across"),
            node("And", "same", "told across", "there"),
            node("Cast", "there", "there numbers", to=TensorProto.FLOAT),
            node("ReduceMax", "there numbers", "columns", "has", keepdims=0),
            node("Cast", "asked", "asked numbers", to=TensorProto.FLOAT),
            node("Mul", "has", "asked numbers", "found"),
            node("ReduceSum", "found", "rows", "found sum", keepdims=0),
            node("ReduceSum", "asked numbers", "rows", "asked sum", keepdims=0),
            node("Max", "asked sum", "one", "asked all"),
            node("Div", "found sum", "asked all", "share"),
            node("Sub", "share", "half", "centred"),
            node("Mul", "centred", "slope", "logit"),
            node("Reshape", "logit", "row", "column"),
            node("MatMul", "column", "labels", "logits"),
        ],
        "tiny",
        [
            helper.make_tensor_value_info(name, TensorProto.INT64, ("pairs", "tokens"))
            for name in names
        ],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ("pairs", labels))],
        [numpy_helper.from_array(value, name) for name, value in numbers.items()],
    )
    opsets = [helper.make_opsetid("", 20)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=10), folder / "model.onnx")
    every = dict.fromkeys((*SPECIAL, *words))
    known = Tokenizer(models.WordLevel({word: at for at, word in enumerate(every)}, "[UNK]"))
    known.normalizer = normalizers.Lowercase()
    known.pre_tokenizer = pre_tokenizers.Whitespace()
    known.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 1), ("[SEP]", 2)],
    )
    # As many of those on hubs are: cut and filled up as somebody once batched them.
    known.enable_truncation(16)
    known.enable_padding(length=16)
    known.save(str(folder / "tokenizer.json"))
    write(folder / "tokenizer_config.json", {"model_max_length": most_tokens})
    return folder
