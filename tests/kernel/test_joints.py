"""How far values are from where functions have no derivative."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gsl.attr.term import Symbol
from gsl.kernel.evaluate import evaluate
from gsl.kernel.expression import Apply, Expression, Number, Read, Reduction, Select
from gsl.kernel.joints import clearances

K = Symbol("k")
X, Y = Read("x", ()), Read("y", ())


def nearest(expression: Expression, **values: Any) -> float:
    found = (evaluate(one, [], values) for one in clearances(expression))
    return min((float(one) for one in found), default=np.inf)


@pytest.mark.parametrize(
    ("function", "arguments", "distance"),
    [
        ("max", (X, Y), 0.7),
        ("min", (X, Y), 0.7),
        ("<", (X, Y), 0.7),
        ("==", (X, Y), 0.7),
        ("abs", (X,), 1.3),
        ("sign", (X,), 1.3),
        ("floor", (X,), 0.3),
        ("ceil", (X,), 0.3),
        ("trunc", (X,), 0.3),
        ("round", (X,), 0.2),
        ("//", (X, Y), 0.35),
        ("%", (X, Y), 0.35),
        ("cast", (X, Number("float64"), Number("int32")), 0.3),
        ("cast", (X, Number("float64"), Number("bool")), 1.3),
        ("cast", (X, Number("float64"), Number("float32")), np.inf),
        ("exp", (X,), np.inf),
        ("max", (X, X), np.inf),
        ("tanh", (Apply("abs", (Y,)),), 2.0),
    ],
)
def test_distances(function: str, arguments: tuple[Expression, ...], distance: float) -> None:
    assert nearest(Apply(function, arguments), x=1.3, y=2.0) == pytest.approx(distance)


def test_what_is_not_chosen_is_not_near() -> None:
    element = Apply("abs", (Read("v", (K,)),))
    guarded = Reduction("sum", ((K, 4),), Select(K < 3, element, Apply("abs", (Number(1e-9),))))
    other = Reduction("sum", ((K, 4),), Select(K >= 3, Number(0), element))
    assert nearest(other, v=np.array([3.0, -0.5, 2.0])) == 0.5
    assert nearest(guarded, v=np.array([3.0, -0.5, 2.0])) == pytest.approx(1e-9)


@pytest.mark.parametrize("function", ["max", "min"])
def test_an_extreme_is_as_near_as_its_rival(function: str) -> None:
    value = Reduction(function, ((K, 4),), Read("v", (K,)))
    signed = np.array([3.0, 2.75, -1, 0]) * (1 if function == "max" else -1)
    assert nearest(value, v=signed) == 0.25
    assert nearest(value, v=np.array([2.0, 2.0, 2.0, 2.0])) == np.inf
