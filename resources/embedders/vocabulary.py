"""What comes in wordllama's package: its weights, and the vocabulary that splits text into tokens.

The files are read as they are. To import the package costs each search a fifth of a second, for
classes that download what is here.
"""

from functools import cache
from importlib.util import find_spec
from pathlib import Path

from tokenizers import Tokenizer

DIMENSION = 256


@cache
def tokenizer() -> Tokenizer:
    """Splits texts of any length, without padding."""
    found = Tokenizer.from_file(str(_folder() / "tokenizers" / "l2_supercat_tokenizer_config.json"))
    found.no_padding()
    found.no_truncation()
    return found


def weights_file() -> Path:
    """A vector for each token, float16, shape (32000, 256), as `embedding.weight`."""
    return _folder() / "weights" / f"l2_supercat_{DIMENSION}.safetensors"


def _folder() -> Path:
    spec = find_spec("wordllama")
    if spec is None or spec.origin is None:
        raise ImportError("wordllama is not installed")
    return Path(spec.origin).parent
