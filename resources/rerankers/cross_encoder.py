"""Cross-encoders as ONNX files: question and text are read as one, by onnxruntime on the CPU."""

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from tokenizers import Encoding

from cairn.resources.embedders.files import EmbedderError
from cairn.resources.embedders.onnx_model import OnnxModel, first_named, readable
from cairn.resources.rerankers.protocol import RerankerError

SECONDS = 1.0
"""How long it may take, unless `reranker_seconds` says otherwise."""
LOGITS = "logits"


class CrossEncoder:
    """A cross-encoder in a folder, as Hugging Face and sentence-transformers export it.

    `model.onnx` (or `onnx/model.onnx`) and `tokenizer.json` must be there; how many tokens count
    is read from `tokenizer_config.json` or `config.json`. Its one logit becomes a score by the
    sigmoid; of two the second is that of a fitting text. A long text is cut; of a question at most
    half of all tokens count. A pair is scored by itself: others beside it never change its score.

    Raises:
        EmbedderError: onnxruntime is not installed, a file is missing or cannot be read, or the
            graph asks for what is not known here.
        RerankerError: it gives neither one score for a pair nor two.
    """

    def __init__(self, folder: Path, seconds: float | None = None) -> None:
        self._model = OnnxModel(folder, "cross-encoder")
        self._output = first_named(self._model.outputs, LOGITS)
        self.seconds = SECONDS if seconds is None else seconds
        given = self._logits(self._tokens("a"), "a")
        if len(given) not in (1, 2):
            raise RerankerError(
                f"{folder} gives {len(given)} scores for a question and a text: a cross-encoder"
                " that reranks gives one, or two"
            )

    def scores(self, question: str, texts: Sequence[str], seconds: float) -> list[float]:
        """As of `Reranker`; whether there is time left is asked before each pair."""
        until = time.monotonic() + seconds
        asked = self._tokens(question)
        asked.truncate(self._model.most_tokens // 2)

        def score(text: str) -> float:
            if time.monotonic() > until:
                raise RerankerError(f"{len(texts)} texts took longer than {seconds:.2g} s")
            logits = self._logits(asked, text)
            return float(
                1 / (1 + np.exp(logits[0] - logits[-1] if len(logits) > 1 else -logits[0]))
            )

        return list(self._model.threads.map(score, texts))

    def _tokens(self, text: str) -> Encoding:
        return self._model.tokenizer.encode(readable(text), add_special_tokens=False)

    def _logits(self, asked: Encoding, text: str) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
        """Of one pair, shape (1,) or (2,)."""
        tokenizer, own = self._model.tokenizer, self._tokens(text)
        marks = tokenizer.num_special_tokens_to_add(is_pair=True)
        own.truncate(max(self._model.most_tokens - len(asked) - marks, 0))
        pair = tokenizer.post_process(asked, own)
        try:
            return np.asarray(self._model.run(self._output, pair), dtype=np.float64).reshape(-1)
        except EmbedderError as error:
            raise RerankerError(str(error)) from error
