"""Curves from the raw cosine of a model to the common scale: those that ship, or a folder's own."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from cairn.knowledge.vectors.model import Vectors
from cairn.knowledge.vectors.similarity import Curve
from cairn.resources.embedders.files import EmbedderError, read_json

CALIBRATION = Path(__file__).parent / "calibration"
"""A file for each model that ships one."""
OWN = "calibration.json"
"""A folder's own, of the same form: `python -m benchmarks.calibrate` writes it."""


PROBES = (
    ("He practises taekwondo twice a week.", "Her hobby is a martial art."),
    ("The build fails on the server.", "Compiling breaks on our machine."),
    ("We moved to Lisbon in May.", "The printer is out of paper."),
    ("Never push to main.", "Always push to main."),
)
"""Pairs whose cosines tell one model from another, whatever file it comes in."""
SAME = 0.02
"""How far these may differ: a quantised file is the same model."""


def curve_of(embedder: "Embeds", folder: Path | None = None) -> Curve | None:
    """The curve of a model; None if nobody fitted one.

    A folder's own counts first. Those that ship are found by the name of the model, or by the
    cosines that it gives to `PROBES`.

    Raises:
        EmbedderError: a file of a curve cannot be read.
    """
    own = folder / OWN if folder else None
    if own and own.is_file():
        return _curve(own)
    probed: list[float] | None = None
    for place in sorted(CALIBRATION.glob("*.json")):
        numbers = read_json(place)
        if numbers.get("model") == embedder.model:
            return _curve(place)
        if probes := numbers.get("probes"):
            probed = probed or probe(embedder)
            if np.allclose(probes, probed, rtol=0, atol=SAME):
                return _curve(place)
    return None


def probe(embedder: "Embeds") -> list[float]:
    """The cosines of `PROBES`, to four digits."""
    left, right = (embedder.embed(side) for side in zip(*PROBES, strict=True))
    return np.round((left.astype(np.float64) * right).sum(axis=1), 4).tolist()


def _curve(place: Path) -> Curve:
    try:
        return Curve(*zip(*read_json(place)["knots"], strict=True))
    except (ValueError, KeyError, TypeError) as error:
        raise EmbedderError(f"{place} is no calibration: {error}") from error


class Embeds(Protocol):
    """As much of an embedder as is there before it is calibrated."""

    @property
    def model(self) -> str:
        """Its name."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of texts."""
        ...


class Calibrated:
    """The part of an embedder that puts its cosines on the common scale."""

    _curve: Curve | None = None

    @property
    def is_calibrated(self) -> bool:
        """Whether somebody fitted a curve for it; else its raw cosines count."""
        return self._curve is not None

    def calibrated(self, cosine: NDArray[np.float64]) -> NDArray[np.float64]:
        """Raw cosines on the common scale of thresholds, increasing, 0 to 1."""
        return np.clip(cosine, 0.0, 1.0) if self._curve is None else self._curve(cosine)
