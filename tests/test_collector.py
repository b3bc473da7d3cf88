"""The collector of cycles is paused, and afterwards as it was before, or works less often."""

from __future__ import annotations

import gc
from typing import Any
from weakref import WeakSet

import pytest

from gsl import Expr, Subst, Var, Workload, apply, op, pat
from gsl.collector import YOUNG, collect_seldom, collector_paused
from gsl.expr import Call
from gsl.operators import lookup


def test_collector_runs_again_afterwards() -> None:
    with collector_paused():
        assert not gc.isenabled()

    assert gc.isenabled()


def test_collector_runs_again_after_an_error() -> None:
    with pytest.raises(ValueError, match="stop"), collector_paused():
        raise ValueError("stop")

    assert gc.isenabled()


class Cycle:
    """What only the collector takes away."""

    def __init__(self) -> None:
        self.itself = self


def test_garbage_between_pauses_is_collected() -> None:
    gc.unfreeze()
    alive: WeakSet[Cycle] = WeakSet()
    for _ in range(400):
        for _ in range(100):
            alive.add(Cycle())
        with collector_paused():
            pass
    assert len(alive) < 20_000


def test_what_is_frozen_stays_frozen() -> None:
    gc.freeze()
    try:
        before = gc.get_freeze_count()
        with collector_paused():
            pass
        assert gc.get_freeze_count() >= before > 0
    finally:
        gc.unfreeze()


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


@pytest.mark.parametrize("target", [op.Relu, op.Sigmoid])
def test_an_application_leaves_no_cycle_to_collect(target: Any) -> None:
    x = pat.Wildcard()
    rule = Subst(op.Relu(op.Relu(x)), target(x))
    relu = lookup("Relu")
    expr: Expr = Var("x", (2,))
    for _ in range(200):
        expr = Call(relu, [expr])
    workload = Workload(expr)
    apply(workload, [rule])
    gc.collect()
    gc.disable()
    try:
        apply(workload, [rule])
        assert gc.collect() < 100  # a few of the call itself, none of its 600 nodes
    finally:
        gc.enable()
