"""Random inputs on which the operators of a workload are defined."""

from __future__ import annotations

import numpy as np

from gsl import Call, Const, Var, Workload
from gsl.operators import lookup
from gsl.random_inputs import random_inputs


def take(indices: Call | Var, size: int = 50) -> Call:
    return Call(lookup("Take"), [Var(f"table_{size}", (size, 2)), indices], {"axis": 0})


def test_random_inputs_fit_and_are_reproducible():
    types = ["float16", "bfloat16", "float64", "int32", "uint8", "int4", "bool"]
    workload = Workload([Var(dtype, (40, 2), dtype) for dtype in types])
    first, second = random_inputs(workload, 1), random_inputs(workload, 1)
    assert {name: str(array.dtype) for name, array in first.items()} == {t: t for t in types}
    assert all(np.array_equal(first[name], second[name]) for name in first)
    assert not np.array_equal(first["float64"], random_inputs(workload, 2)["float64"])
    assert all(len(np.unique(array)) > 1 for array in first.values())


def test_integers_that_may_mean_anything_are_truth_values_or_any_byte():
    workload = Workload([Var("mask", (400,), "int64"), Var("pixels", (400,), "uint8")])
    drawn = random_inputs(workload)
    assert set(drawn["mask"]) == {0, 1}
    assert drawn["pixels"].max() > 200


def test_indices_are_within_what_they_look_up():
    ids = Var("ids", (400,), "int64")
    moved = Call(lookup("Reshape"), [ids], {"shape": (20, 20)})
    drawn = random_inputs(Workload([take(ids, 50), take(moved, 30)]))["ids"]
    assert drawn.min() == 0
    assert drawn.max() == 29


def test_indices_that_are_counted_up_stay_within_what_they_look_up():
    mask = Var("mask", (30,), "int64")
    places = Call(lookup("Cumsum"), [mask], {"axis": 0})
    workload = Workload([take(places, 31)])
    assert set(random_inputs(workload)["mask"]) == {0, 1}
    beyond = Call(lookup("Add"), [places, Const(np.int64(30))])
    assert not random_inputs(Workload([take(beyond, 31)]))["mask"].any()


def test_divisors_are_not_zero():
    divisor = Var("divisor", (40,), "int32")
    quotient = Call(lookup("FloorDivide"), [Var("x", (40,), "int32"), divisor])
    assert random_inputs(Workload(quotient))["divisor"].all()
