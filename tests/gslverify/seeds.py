"""Seeds of searches: fast runs try one, slow runs two more, those with `-m seeds` seven others."""

from __future__ import annotations

import pytest

SEEDS = [
    0,
    *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2)),
    *(pytest.param(seed, marks=pytest.mark.seeds) for seed in range(3, 10)),
]
