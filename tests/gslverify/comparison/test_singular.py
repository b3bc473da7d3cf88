"""What is certainly not finite: poles that finite numbers lead to, not rounding, not overflow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gsl import Call, Const, Expr, Var
from gsl.operators import lookup
from gslverify.comparison.compare import evaluate_bounded, is_finite, not_finite
from gslverify.comparison.singular import is_singular
from gslverify.finding import Mismatch

X = Var("x", (2,))


def call(name: str, *operands: Expr, **attributes: Any) -> Call:
    return Call(lookup(name), list(operands), attributes)


def verdict(output: Expr, *numbers: float) -> bool:
    _, values = evaluate_bounded([output], {"x": np.array(numbers, "float32")})
    return is_singular([output], values)


E = call("Exp", X)
RESULTS: dict[str, tuple[Expr, tuple[float, float], bool]] = {
    "0 / 0 beside other numbers": (call("Divide", call("Multiply", E, X), X), (0, 1), True),
    "1 / 0 and more": (call("Multiply", call("Divide", E, X), E), (2, 0), True),
    "no 0": (call("Divide", E, X), (1, 2), False),
    "the logarithm of a rounded number below 0": (
        call("Log", call("Negative", E)), (0, 1), True,
    ),
    "a root that rounding may have brought below 0": (
        call("Sqrt", call("Negative", call("Subtract", E, E))), (0.1, 0.3), False,
    ),
    "overflow of a large operand": (call("Exp", call("Multiply", X, X)), (90, 1), False),
    "a pole and an overflow": (
        call("Add", call("Divide", E, X), call("Exp", call("Multiply", X, X))), (0, 90), False,
    ),
    "a pole in what is not chosen": (
        call("Where", call("Greater", X, call("ZerosLike", X)), call("Log", X), X), (0, 1), True,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RESULTS)
def test_only_poles_are_certain(name: str) -> None:
    output, numbers, expected = RESULTS[name]
    assert verdict(output, *numbers) is expected


def test_only_elements_that_are_finite_in_the_source_count() -> None:
    source = call("Divide", X, Const(np.float32([0.0, 1.0])))
    target = call("Divide", call("Exp", X), X)
    inputs = {"x": np.float32([1.0, 0.0])}
    (before,), _ = evaluate_bounded([source], inputs)
    (after,), _ = evaluate_bounded([target], inputs)

    (comparison,) = not_finite("output 0", before, after)

    assert comparison.difference is not None
    assert comparison.difference.worst == (Mismatch((1,), 0.0, np.inf),)
    assert list(not_finite("output 0", after, before)) != []
    assert list(not_finite("output 0", before, before)) == []
    ((field,),) = [list(not_finite("output 0", (before,), (after,)))]
    assert field.difference is not None
    assert field.difference.output == "output 0.0"


@pytest.mark.parametrize(("dtype", "expected"), [("float64", True), ("float16", False)])
def test_what_a_dtype_does_not_hold_is_not_finite(dtype: str, expected: bool) -> None:
    product = call("Prod", Var("y", (700,), dtype))
    (value,), _ = evaluate_bounded([product], {"y": np.full(700, 2.0, dtype)})
    assert is_finite(value) is expected
