"""Time per operator."""

from __future__ import annotations

import numpy as np
import pytest
from relax_graphs import WORKLOADS, call, values_for

from gsl import Workload
from gsl.errors import InputError, MisuseError
from gsl.expr import Const, Proj, Tuple, Var
from gsl.graph import reverse_post_order
from gsl.tvm.profile import OperatorTime, profile

pytestmark = pytest.mark.tvm


def rows_of(workload: Workload) -> dict[str, OperatorTime]:
    return {row.name: row for row in workload.profile(values_for(workload.inputs))}


def test_calls_of_the_same_kernel_are_one_row():
    x = Var("x", (2, 3))
    first, second = call("Exp", x), call("Exp", call("Negative", x))
    rows = rows_of(Workload(call("Add", call("Add", first, second), Const(1.0))))
    assert {name: (row.operator, row.calls) for name, row in rows.items()} == {
        "Exp(float32[2,3])": ("Exp", 2),
        "Negative(float32[2,3])": ("Negative", 1),
        "Add(float32[2,3], float32[2,3])": ("Add", 1),
        "Add(float32[2,3], float32[])": ("Add", 1),
    }


def test_attributes_tell_kernels_apart():
    x = Var("x", (2, 3))
    rows = rows_of(Workload([call("Sum", x, axis=axis) for axis in (0, 1, 0)]))
    assert {name: row.calls for name, row in rows.items()} == {
        "Sum(float32[2,3], axis=(0,))": 2,
        "Sum(float32[2,3], axis=(1,))": 1,
    }


def test_every_row_took_time_and_the_longest_comes_first():
    x = Var("x", (64, 64))
    large = call("Matmul", call("Matmul", x, x), x)
    workload = Workload(call("Exp", call("Max", large)))
    times = [row.milliseconds for row in workload.profile(values_for([x]))]
    assert all(time > 0 for time in times)
    assert times == sorted(times, reverse=True)


@pytest.mark.parametrize("make", WORKLOADS)
def test_every_call_is_counted(make: object):
    workload = make()
    order = reverse_post_order(workload.outputs)
    calls = [expr for expr in order if hasattr(expr, "operator")]
    rows = profile(workload, values_for(workload.inputs), repeats=1)
    assert sum(row.calls for row in rows) == len(calls)


def test_tuples_are_passed_between_operators():
    pieces = call("Split", Var("x", (4, 2)), indices_or_sections=2)
    joined = call("Concatenate", Tuple([Proj(pieces, 1), Proj(pieces, 0)]), axis=1)
    rows = rows_of(Workload(call("Stack", Tuple([joined, joined]))))
    assert {row.operator for row in rows.values()} == {"Split", "Concatenate", "Stack"}


def test_inputs_are_checked():
    with pytest.raises(InputError, match="input `x` is missing"):
        Workload(call("Exp", Var("x", (2,)))).profile({})


@pytest.mark.parametrize("repeats", [0, -1, 1.5, None])
def test_a_call_is_repeated_at_least_once(repeats: object):
    with pytest.raises(MisuseError, match="a call is repeated at least once, not"):
        profile(Workload(call("Exp", Var("x", ()))), {"x": np.float32(1)}, repeats=repeats)


def test_a_network_without_operators_takes_no_time():
    x = Var("x", (2,))
    assert Workload([x]).profile(values_for([x])) == []
