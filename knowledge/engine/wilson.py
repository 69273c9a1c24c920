"""How sure a share is: what was seen once counts for less than what was seen often."""

import math

Z = 1.959963984540054
"""The 97.5 % point of the normal distribution: an interval of 95 %."""


def wilson(wins: int, losses: int) -> float:
    """Lower bound of the 95 % interval of a share; 0 where nothing was tried."""
    return interval(wins, losses)[0]


def interval(wins: int, losses: int) -> tuple[float, float]:
    """The 95 % interval of a share; all there is where nothing was tried.

    Wilson, E. B. (1927): Probable inference, the law of succession, and statistical inference.
    """
    tries = wins + losses
    if not tries:
        return 0.0, 1.0
    share = wins / tries
    middle = share + Z * Z / (2 * tries)
    spread = Z * math.sqrt(share * (1 - share) / tries + Z * Z / (4 * tries * tries))
    whole = 1 + Z * Z / tries
    return max(0.0, (middle - spread) / whole), min(1.0, (middle + spread) / whole)
