"""Seeds of searches: fast runs try one, slow runs one more, those with `-m seeds` eight others."""

from __future__ import annotations

import pytest

SEEDS = [
    0,
    pytest.param(1, marks=pytest.mark.slow),
    *(pytest.param(seed, marks=pytest.mark.seeds) for seed in range(2, 10)),
]
