"""A stored case is replayed: it fails as before, otherwise, or no longer."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from gsl import Subst, Var, op, pat
from gslverify.case import Case, case_of
from gslverify.trials.replay import replay
from tests.gslverify.repro.cases import call, swapped_case

x, y = pat.Wildcard(), pat.Wildcard()


def rule_to(target: Callable[[pat.Pattern, pat.Pattern], pat.Pattern]) -> Subst:
    one, other = pat.Wildcard(), pat.Wildcard()
    return Subst(op.Subtract(one, other), target(one, other))


@pytest.mark.parametrize(
    ("subst", "code", "message"),
    [
        (rule_to(lambda x, y: op.Subtract(y, x)), "GSL401", "1 of 2 elements differ"),
        (rule_to(lambda x, y: op.Negative(op.Subtract(y, x))), None, "source and target agree"),
        (rule_to(lambda x, y: op.Flip(op.Subtract(y, x), axis=3)), "GSL403", ""),
        (Subst(op.Add(x, y), x), None, "the rule leaves it alone"),
    ],
)
def test_values(subst: Subst, code: str | None, message: str) -> None:
    result = replay(subst, swapped_case(), "GSL401")

    assert (None if result.code is None else result.code.id) == code
    assert message in result.message
    assert not result.undecided


@pytest.mark.parametrize(
    ("target", "value", "asked", "code"),
    [
        ("OnesLike", np.nan, "GSL406", "GSL406"),
        ("OnesLike", np.nan, "GSL401", "GSL401"),
        ("ZerosLike", 1.0, "GSL406", "GSL401"),
    ],
)
def test_a_truth_value_that_nan_decides(target: str, value: float, asked: str, code: str) -> None:
    a = Var("a", (2,), "float32")
    same = call("Equal", a, a)
    case = case_of([same], [same], [], {"a": np.float32([value, 1.0])})
    subst = Subst(op.Equal(x, x), getattr(op, target)(x, dtype="bool"))

    result = replay(subst, case, asked)

    assert result.code is not None
    assert result.code.id == code


def test_a_match_that_is_declined_is_mended() -> None:
    case = swapped_case()
    inner = case.exprs()[case.source[0]]
    outer = call("Relu", inner)
    escaping = case_of([outer, inner], [outer], (), case.inputs, "inner value used", True)
    subst = Subst(op.Relu(op.Subtract(x, y)), op.Relu(op.Subtract(x, y)))

    result = replay(subst, escaping, "GSL402")

    assert (result.code, result.message) == (None, "the match is declined, as it has to be")


def test_what_is_not_defined_any_longer_is_undecided() -> None:
    a, b = Var("a", (1,), "int32"), Var("b", (1,), "int32")
    quotient = call("FloorDivide", a, b)
    case = case_of([quotient], [quotient], [a], {"a": np.int32([1]), "b": np.int32([0])})

    result = replay(Subst(op.FloorDivide(x, y), x), case, "GSL401")

    assert result.code is None
    assert result.undecided


def types_case() -> Case:
    a, b = Var("a", (1,)), Var("b", (2,))
    larger = call("Maximum", a, b)
    return case_of([larger], [larger])


@pytest.mark.parametrize(
    ("target", "expected", "code"),
    [
        (x, "GSL301", "GSL301"),
        (x, "GSL302", "GSL301"),
        (op.Cast(op.Maximum(x, y), dtype="int32"), "GSL302", "GSL302"),
        (op.Flip(x, axis=3), "GSL303", "GSL303"),
        (op.Maximum(y, x), "GSL301", None),
    ],
)
def test_types(target: pat.Pattern, expected: str, code: str | None) -> None:
    result = replay(Subst(op.Maximum(x, y), target), types_case(), expected)

    assert (None if result.code is None else result.code.id) == code


def test_types_of_a_graph_that_is_left_alone() -> None:
    result = replay(Subst(op.Minimum(x, y), x), types_case(), "GSL301")

    assert result.code is None
    assert "leaves it alone" in result.message
