"""Seeds of searches: runs try one, those with `-m seeds` the nine others."""

from __future__ import annotations

import pytest

SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.seeds) for seed in range(1, 10))]
