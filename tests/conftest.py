"""What all tests share."""

from pathlib import Path

import pytest

SHARED = Path(__file__).parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real sessions and labelled pairs beside the checkout; tests that need them skip without."""
    if not SHARED.is_dir():
        pytest.skip("no shared data beside this checkout")
    return SHARED


@pytest.fixture(scope="session")
def samples() -> Path:
    """The samples that the project ships."""
    return Path(__file__).parents[1] / "data" / "samples"
