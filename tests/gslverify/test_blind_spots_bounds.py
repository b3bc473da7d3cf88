"""Wrong rules that differ only where bounds on rounding used to know nothing, and right ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gsl import Subst, op, pat
from gslverify.stages.numeric import NUMERIC
from tests.gslverify.stages.asking import is_refuted

pytestmark = pytest.mark.smt

Write = Callable[[], Subst]


def x() -> Any:
    return pat.Wildcard(dtype="float32")


def of_clamped(function: Callable[[Any, Any], tuple[Any, Any]], least: float) -> Write:
    def write() -> Subst:
        a = x()
        return Subst(*function(a, op.Maximum(a, least)))

    return write


def masked(function: Callable[[Any], Any], fill: float) -> Write:
    """Leave a mask out."""

    def write() -> Subst:
        a, mask = x(), pat.Wildcard(dtype="bool")
        chosen = op.Where(mask, a, fill)
        return Subst(function(chosen), function(a), where=[a.shape == mask.shape])

    return write


def places(clamped: Any, a: Any) -> tuple[Any, Any]:
    source = op.Argmax(clamped)
    return source, op.Argmax(a, **pat.same_attr(source))


WRONG: dict[str, Write] = {
    "less or equal": of_clamped(
        lambda a, m: (op.LessEqual(m, 0.1), op.ZerosLike(a, dtype="bool")), 0.1
    ),
    "place of the largest": of_clamped(lambda a, m: places(m, a), 0.1),
    "sign of a difference": of_clamped(lambda a, m: (op.Sign(m - 0.1), op.OnesLike(a)), 0.1),
    "chosen where equal": of_clamped(lambda a, m: (op.Where(op.Equal(m, 0.3), 7.0, a), a), 0.3),
    "difference of large numbers": of_clamped(lambda a, m: (m - 1e30, (m - 1e30) + 5.0), 1e30),
    "sigmoid": masked(op.Sigmoid, -1000.0),
    "silu": masked(op.Silu, -1e30),
    "sigmoid from its parts": masked(lambda a: 1.0 / (1.0 + op.Exp(-a)), -1000.0),
    "tanh": masked(op.Tanh, 1e30),
    "softmax": masked(lambda a: op.Softmax(a, axis=-1), -1e30),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_rules_are_refuted(name: str) -> None:
    assert is_refuted(WRONG[name], NUMERIC)


def gelu() -> Subst:
    a = x()
    return Subst(a * 0.5 * (1 + op.Erf(a * 0.70710677)), op.Gelu(a))


def sixth(short: float, dtype: str) -> Write:
    def write() -> Subst:
        a = pat.Wildcard(dtype=dtype)
        return Subst(op.Relu(a * short), op.Relu(a) * (1 / 6))

    return write


def slope(alpha: float, dtype: str) -> Write:
    """hard_sigmoid(x)  =>  clip(x + 3, 0, 6) / 6, with a sixth as an attribute"""

    def write() -> Subst:
        a = pat.Wildcard(dtype=dtype)
        clipped = op.Clip(a + 3.0, min=0.0, max=6.0) / 6.0
        return Subst(op.HardSigmoid(a, alpha=alpha, beta=0.5), clipped)

    return write


RIGHT: dict[str, Write] = {
    "gelu": gelu,
    "a sixth as an attribute": slope(0.16666667, "float32"),
    "as an attribute with all digits of float32": slope(0.1666666716337204, "float32"),
    "a sixth": sixth(0.16666667, "float32"),
    "a sixth with all digits of float32": sixth(0.1666666716337204, "float32"),
    "larger or equal": of_clamped(
        lambda a, m: (op.GreaterEqual(m, 0.1), op.OnesLike(a, dtype="bool")), 0.1
    ),
    "clamped twice": of_clamped(lambda a, m: (op.Maximum(m, 0.1), m), 0.1),
}


@pytest.mark.parametrize("name", RIGHT)
def test_right_rules_are_not(name: str) -> None:
    assert not is_refuted(RIGHT[name], NUMERIC)


@pytest.mark.parametrize(("short", "dtype"), [(0.1666667, "float32"), (0.16666667, "float64")])
def test_other_numbers_are_other_numbers(short: float, dtype: str) -> None:
    assert is_refuted(sixth(short, dtype), NUMERIC)
    assert is_refuted(slope(short, dtype), NUMERIC)
