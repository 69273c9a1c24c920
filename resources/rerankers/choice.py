"""Rerankers, chosen by one setting: `policy.reranker`."""

from functools import cache
from pathlib import Path

from cairn.resources.embedders.files import EmbedderError
from cairn.resources.home.settings import Settings
from cairn.resources.llm.answer_cache import Answers
from cairn.resources.rerankers.protocol import NONE, Reranker, RerankerError

ONNX, LITELLM = "onnx:", "litellm:"
KINDS = {
    NONE: "search orders by vector and words alone",
    f"{ONNX}FOLDER": "a cross-encoder as ONNX with its tokenizer.json; extra `onnx`",
    f"{LITELLM}NAME": "a language model, by litellm's name for it: one call for each search",
}
"""What may be set, and what it is."""


def load_reranker(name: str, settings: Settings, answers: Answers, namespace: str) -> Reranker:
    """The reranker that a setting other than `none` names; one in a folder is loaded once.

    Args:
        name: The setting.
        settings: How long it may take, and for calls their address and budget.
        answers: The ledger, for calls.
        namespace: Whose searches pay for calls.

    Raises:
        RerankerError: there is none of that name, its extra is not installed, or its files cannot
            be used.
    """
    if name.startswith(LITELLM):
        from cairn.resources.rerankers.litellm import LitellmReranker

        return LitellmReranker(name.removeprefix(LITELLM), settings, answers, namespace)
    if name.startswith(ONNX):
        return _in_folder(name.removeprefix(ONNX), settings.reranker_seconds)
    known = ", ".join(KINDS)
    raise RerankerError(f"unknown reranker {name!r}; known: {known} (setting: policy.reranker)")


@cache
def _in_folder(folder: str, seconds: float | None) -> Reranker:
    from cairn.resources.rerankers.cross_encoder import CrossEncoder

    try:
        return CrossEncoder(Path(folder).expanduser(), seconds)
    except EmbedderError as error:  # of the files, which are like an embedder's
        raise RerankerError(str(error)) from error
