"""What the tests of the Python package share."""
import numpy as np
import pytest


@pytest.fixture
def photo():
    """A small RGB image, the same in every run."""
    return np.random.default_rng(7).integers(0, 256, (61, 83, 3), np.uint8)
