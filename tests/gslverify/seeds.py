"""Seeds of searches: fast runs try one, slow runs ten."""

from __future__ import annotations

import pytest

SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 10))]
