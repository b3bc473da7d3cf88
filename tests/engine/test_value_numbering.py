"""Common subexpressions become one, and nothing else does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from gsl import Subst, apply, op, pat
from gsl.engine.value_numbering import merge_common_subexpressions as merge
from gsl.evaluate import run
from gsl.expr import Call, Const, Expr, Proj, Tuple, Var
from gsl.graph import reverse_post_order
from gsl.operators import lookup
from gsl.workload import Workload
from tests.random_workloads import description, workloads


def call(name: str, *operands: Expr, **attributes: Any) -> Call:
    return Call(lookup(name), operands, attributes)


def calls(workload: Workload) -> int:
    return sum(isinstance(expr, Call) for expr in workload.order)


def test_the_same_calls_become_one() -> None:
    x = Var("x", (2, 3))
    left, right = (call("Exp", call("Multiply", x, Const(np.float32(2)))) for _ in range(2))
    before = Workload(call("Add", left, right))
    after = merge(before)
    assert (calls(before), calls(after)) == (5, 3)
    values = {"x": np.arange(6, dtype=np.float32).reshape(2, 3)}
    np.testing.assert_array_equal(run(after, values)[0], run(before, values)[0])


def test_fields_and_tuples_become_one() -> None:
    x = Var("x", (4,))
    split = [call("Split", x, indices_or_sections=2, axis=0) for _ in range(2)]
    fields = [Proj(one, 1) for one in split]
    joined = call("Concatenate", Tuple(fields), axis=0)
    after = merge(Workload(joined))
    first, second = after.outputs[0].operands[0].operands
    assert first is second


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Const(np.float32(1)), Const(np.float32(2))),
        (Const(np.float32(0.0)), Const(np.float32(-0.0))),
    ],
)
def test_other_constants_stay(one: Const, other: Const) -> None:
    x = Var("x", (2,))
    before = Workload(call("Add", call("Multiply", x, one), call("Multiply", x, other)))
    assert merge(before) is before


def test_other_attributes_and_operands_stay() -> None:
    x, y = Var("x", (2, 2)), Var("y", (2, 2))
    by_axis = [call("Softmax", x, axis=axis) for axis in (0, 1)]
    by_order = [call("Subtract", x, y), call("Subtract", y, x)]
    before = Workload([*by_axis, *by_order])
    assert merge(before) is before


def test_names_and_outputs_stay() -> None:
    x = Var("x", (2,))
    before = Workload([call("Exp", x), call("Exp", x)])
    first, second = merge(before).outputs
    assert first is second


def test_deep_graphs() -> None:
    x = Var("x", (1,))
    ends = []
    for _ in range(2):
        expr: Expr = x
        for _ in range(50_000):
            expr = call("Negative", expr)
        ends.append(expr)
    assert calls(merge(Workload(call("Add", *ends)))) == 50_001


def doubled(before: Workload) -> Workload:
    """Return a workload that computes everything twice."""
    copies = {expr: expr for expr in before.order if not expr.operands}
    for expr in before.order:
        if expr.operands:
            copies[expr] = expr.with_operands(tuple([copies[one] for one in expr.operands]))
    return Workload([*before.outputs, *(copies[one] for one in before.outputs)])


@given(workloads())
@settings(max_examples=60, deadline=None)
def test_what_is_there_twice_is_there_once(before: Workload) -> None:
    twice = doubled(before)

    after = merge(twice)

    half = len(after.outputs) // 2
    assert after.outputs[:half] == after.outputs[half:]
    assert len(after.order) <= len(before.order)
    assert after.variables == twice.variables
    assert merge(after) is after


@given(workloads())
@settings(max_examples=60, deadline=None)
def test_merging_before_rewriting_is_the_same_at_once(before: Workload) -> None:
    x = pat.Wildcard()
    rules = [Subst(op.Relu(op.Relu(x)), op.Relu(x)), Subst(op.Negative(-x), x)]
    twice = doubled(before)

    at_once, after = apply(twice, rules, merge=True), apply(merge(twice), rules)

    assert description(at_once) == description(after)
    assert at_once.order == reverse_post_order(at_once.outputs)
