"""Fit the calibration of an embedder on graded pairs: `python -m benchmarks.calibrate PAIRS.csv`.

PAIRS.csv has three columns without a header: a text, another, and their similarity from 0 to 5
(the form of STS-B). Prints how good the fit is, on folds that it has not seen; with --write FILE
they are kept. Only numbers are, no text.
"""

import argparse
import csv
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.isotonic import IsotonicRegression

from cairn.knowledge.vectors.model import Embedder
from cairn.knowledge.vectors.similarity import Curve
from cairn.resources.embedders.calibrations import probe
from cairn.resources.embedders.choice import load_embedder

Floats = NDArray[np.float64]
BINS = 15
THRESHOLDS = (0.35, 0.75, 0.8, 0.85)
SANITY = Path(__file__).parent / "sanity_pairs.tsv"


def read_pairs(path: Path) -> tuple[list[str], list[str], Floats]:
    """Left texts, right texts and grades from 0 to 1."""
    with path.open(newline="", encoding="utf-8") as lines:
        rows = list(csv.reader(lines))
    return [r[0] for r in rows], [r[1] for r in rows], np.array([float(r[2]) / 5 for r in rows])


def fit(cosines: Floats, grades: Floats, bins: int = BINS) -> Curve:
    """Isotonic regression over the means of bins with equally many pairs, joined by lines.

    Bins that isotonic regression pools become one knot, so the curve rises strictly; -1 is
    pinned to 0 and 1 to 1. Inside, a value is the mean grade to expect at that cosine.
    """
    parts = np.array_split(np.argsort(cosines, kind="stable"), bins)
    x = np.array([cosines[part].mean() for part in parts])
    y = np.array([grades[part].mean() for part in parts])
    pooled = IsotonicRegression().fit_transform(x, y, sample_weight=[len(p) for p in parts])
    levels = np.unique(pooled)
    middle = [x[pooled == level].mean() for level in levels]
    return Curve(
        [-1.0, *np.round(middle, 4), 1.0],
        [0.0, *np.round(levels, 4), 1.0],
    )


def rank_correlation(a: Floats, b: Floats) -> float:
    """Spearman's, with average ranks for ties."""

    def ranks(values: Floats) -> Floats:
        _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
        return (np.cumsum(counts) - (counts - 1) / 2)[inverse]

    return float(np.corrcoef(ranks(a), ranks(b))[0, 1])


def held_out(cosines: Floats, grades: Floats, folds: int = 5) -> Floats:
    """Calibrated values of each pair by a curve that was fitted without it."""
    values = np.empty_like(cosines)
    fold = np.random.default_rng(0).permutation(len(cosines)) % folds
    for k in range(folds):
        values[fold == k] = fit(cosines[fold != k], grades[fold != k])(cosines[fold == k])
    return values


def sanity(embedder: Embedder, curve: Curve) -> dict[str, Floats]:
    """Calibrated similarities of our own short pairs, by kind."""
    with SANITY.open(newline="", encoding="utf-8") as lines:
        rows = list(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    values: dict[str, Floats] = {}
    for kind in dict.fromkeys(row[0] for row in rows):
        left, right = zip(*(row[1:] for row in rows if row[0] == kind), strict=True)
        values[kind] = np.round(curve(row_cosines(embedder, left, right)), 2)
    return values


def row_cosines(embedder: Embedder, left: Sequence[str], right: Sequence[str]) -> Floats:
    """Raw cosine of each text on the left with its neighbour on the right."""
    return (embedder.embed(left).astype(np.float64) * embedder.embed(right)).sum(axis=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--embedder", default="wordllama")
    parser.add_argument("--source", default="", help="what the pairs are, kept beside the numbers")
    parser.add_argument("--write", type=Path, help="where the numbers go")
    arguments = parser.parse_args()

    left, right, grades = read_pairs(arguments.pairs)
    embedder = load_embedder(arguments.embedder)
    cosines = row_cosines(embedder, left, right)
    curve = fit(cosines, grades)
    unseen = held_out(cosines, grades)

    print(f"{embedder.model}: {len(grades)} pairs, {len(curve.cosines)} knots")
    print(f"rank correlation     raw {rank_correlation(cosines, grades):.4f}"
          f"  calibrated {rank_correlation(curve(cosines), grades):.4f}")  # fmt: skip
    print(f"mean absolute error  raw {np.abs(cosines.clip(0, 1) - grades).mean():.4f}"
          f"  calibrated, unseen {np.abs(unseen - grades).mean():.4f}")  # fmt: skip
    print(f"mean error           raw {(cosines.clip(0, 1) - grades).mean():+.4f}"
          f"  calibrated, unseen {(unseen - grades).mean():+.4f}")  # fmt: skip
    for threshold in THRESHOLDS:
        cosine = float(np.interp(threshold, curve.similarities, curve.cosines))
        chosen, good = cosines >= cosine, grades >= threshold
        precision, recall = good[chosen].mean(), chosen[good].mean()
        print(f"calibrated {threshold:.2f}  from cosine {cosine:.3f}"
              f"  precision {precision:.2f}  recall {recall:.2f}")  # fmt: skip
    print("our own pairs        least  median    most   of 20 at or above 0.35  0.75  0.85")
    for kind, values in sanity(embedder, curve).items():
        reached = "  ".join(f"{int((values >= bar).sum()):4}" for bar in (0.35, 0.75, 0.85))
        print(f"{kind:20} {values.min():6.2f} {np.median(values):7.2f} {values.max():7.2f}"
              f"{reached:>39}")  # fmt: skip
    if arguments.write:
        knots = [list(knot) for knot in zip(curve.cosines, curve.similarities, strict=True)]
        numbers = {
            "model": embedder.model,
            "fitted_on": arguments.source,
            "probes": probe(embedder),
            "knots": knots,
        }
        arguments.write.write_text(json.dumps(numbers, indent=1) + "\n", encoding="utf-8")
        print(f"written: {arguments.write}")


if __name__ == "__main__":
    main()
