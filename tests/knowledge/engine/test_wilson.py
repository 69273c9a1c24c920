"""What was seen often is surer than what was seen once."""

import pytest

from cairn.knowledge.engine.wilson import wilson


def test_the_bound_is_that_of_wilson():
    assert wilson(0, 0) == 0
    assert wilson(8, 2) == pytest.approx(0.4901625, abs=1e-6)
    assert wilson(1, 0) < wilson(4, 0) < wilson(9, 1) < wilson(40, 1)
