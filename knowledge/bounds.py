"""An upper bound of cosines that costs a quarter of them: what cannot be alike is not compared."""

import numpy as np
from numpy.typing import NDArray

from knowledge.embedding import Vectors

LEADING = 64
"""Dimensions that a bound keeps of each vector."""

_SAMPLE = 2048
_ROUNDING = 1e-6
"""More than float32 loses of a squared length, so that what is left is never taken for less."""


def bounding(a: Vectors, b: Vectors) -> tuple[Vectors, Vectors]:
    """Short vectors whose products are not below the products of the long ones.

    Of each vector stay its coordinates in the leading directions, and the length of what is left of
    it: `x·y = Px·Py + (x-Px)·(y-Py) <= Px·Py + |x-Px| |y-Py|` (Cauchy and Schwarz). Any orthonormal
    directions give a bound; those of the greatest second moments of `a` leave the least.

    Args:
        a: Shape (n, dimension), of at most unit length.
        b: Shape (m, dimension), of at most unit length; may be `a` itself.

    Returns:
        Shapes (n, LEADING + 1) and (m, LEADING + 1), float32. Their products are bounds but for the
        rounding of one product of float32 (1e-5).
    """
    sample = a[:: max(len(a) // _SAMPLE, 1)].astype(np.float64)
    _, directions = np.linalg.eigh(sample.T @ sample)
    leading = directions[:, -LEADING:].astype(np.float32)
    short = _shortened(a, leading)
    return short, short if b is a else _shortened(b, leading)


def _shortened(vectors: Vectors, leading: NDArray[np.float32]) -> Vectors:
    head = vectors @ leading
    whole = np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64)
    left = whole - np.einsum("ij,ij->i", head, head, dtype=np.float64)
    rest = np.sqrt(np.maximum(left, 0.0) + _ROUNDING).astype(np.float32)
    return np.ascontiguousarray(np.c_[head, rest])
