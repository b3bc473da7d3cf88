"""Memory is bounded for a process and those that it starts, and known from outside."""

from __future__ import annotations

import os
import resource

import numpy as np
import pytest

from gsl.rule_files.guard import outcome_of
from gsl.rule_files.memory import bound_memory, memory_held


def test_what_asks_for_more_gets_an_error() -> None:
    def ask() -> bool:
        bound_memory(256 << 20)
        np.empty(128 << 20, np.uint8)
        with pytest.raises(MemoryError):
            np.empty(512 << 20, np.uint8)
        return True

    assert outcome_of(ask, 10.0) is True


def test_a_lower_bound_stays() -> None:
    def ask() -> bool:
        bound_memory(3 << 30)
        lower = resource.getrlimit(resource.RLIMIT_DATA)
        bound_memory(5 << 30)
        return 3 << 30 <= lower[0] == lower[1] and lower == resource.getrlimit(resource.RLIMIT_DATA)

    assert outcome_of(ask, 10.0) is True


def test_what_a_process_holds_is_seen() -> None:
    before = memory_held(os.getpid())
    kept = np.empty(256 << 20, np.uint8)

    assert memory_held(os.getpid()) - before >= kept.nbytes
    assert memory_held(2**22 + 1) == 0
