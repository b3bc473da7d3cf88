"""The collector of cycles is paused, and afterwards as it was before, or works less often."""

from __future__ import annotations

import gc

import pytest

from gsl.collector import YOUNG, collect_seldom, collector_paused


def test_collector_runs_again_afterwards() -> None:
    with collector_paused():
        assert not gc.isenabled()

    assert gc.isenabled()


def test_collector_runs_again_after_an_error() -> None:
    with pytest.raises(ValueError, match="stop"), collector_paused():
        raise ValueError("stop")

    assert gc.isenabled()


def test_collector_that_was_off_stays_off() -> None:
    gc.disable()
    try:
        with collector_paused(), collector_paused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_collector_that_works_seldom_passes_over_what_there_is() -> None:
    before, thresholds = gc.get_freeze_count(), gc.get_threshold()
    try:
        collect_seldom()
        assert gc.isenabled()
        assert gc.get_freeze_count() > before
        assert gc.get_threshold() == (YOUNG, *thresholds[1:])
    finally:
        gc.set_threshold(*thresholds)
        gc.unfreeze()
