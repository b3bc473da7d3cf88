"""The collector of cycles is paused, and afterwards as it was before."""

from __future__ import annotations

import gc

import pytest

from gsl.collector import collector_paused


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
