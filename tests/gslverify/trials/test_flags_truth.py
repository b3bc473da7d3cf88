"""Flags that are found out, against flags by hand.

LLVM says what each flag allows (https://llvm.org/docs/LangRef.html#fast-math-flags), and XLA has
options for the same: xla_cpu_fast_math_honor_nans, _infs, _division and _functions, and
xla_allow_excess_precision. Where one side alone overflows, ninf is needed, whether that makes an
infinity or a NaN: LLVM has reassoc cover that. Functions that are replaced need afn, as the
documentation says; for some of their laws LLVM's optimizer is content with reassoc.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from gsl import op, pat
from tests.gslverify.trials.flagged import Sides, check_flags, write_of

Rows = Mapping[str, tuple[Sides, str]]


def c() -> Any:
    return pat.Const(shape=())


def total(x: Any, axis: int) -> Any:
    return op.Sum(x, axis=(axis,), keepdims=False)


def constant(value: Any) -> Any:
    return pat.Const(value, shape=())


def with_two(sides: Sides) -> Sides:
    """Return sides of one input and of two constants."""
    return lambda x: sides(x, c(), c())


SPECIAL: Rows = {
    "x / x => 1": (lambda x: (x / x, op.OnesLike(x)), "nnan"),
    "x - x => 0": (lambda x: (x - x, op.ZerosLike(x)), "nnan"),
    "x * 0 => 0": (lambda x: (x * 0, op.ZerosLike(x)), "nnan nsz"),
    "x == x => true": (lambda x: (op.Equal(x, x), op.OnesLike(x, dtype="bool")), "nnan"),
    "!(x < y) => x >= y": (
        lambda x, y: (op.LogicalNot(op.Less(x, y)), op.GreaterEqual(x, y)),
        "nnan",
    ),
    "x + 0 => x": (lambda x: (x + 0, x), "nsz"),
    "0 - x => -x": (lambda x: (0 - x, -x), "nsz"),
    "-(x - y) => y - x": (lambda x, y: (-(x - y), y - x), "nsz"),
    "pow(x, 0.5) => sqrt(x)": (lambda x: (op.Power(x, 0.5), op.Sqrt(x)), "ninf nsz"),
    # LLVM asks for all flags: the square overflows, or underflows to 0.
    "sqrt(x * x) => |x|": (lambda x: (op.Sqrt(x * x), op.Abs(x)), "ninf reassoc afn"),
}
EXACT: Rows = {
    "x + (-y) => x - y": (lambda x, y: (x + (-y), x - y), ""),
    "x - (-y) => x + y": (lambda x, y: (x - (-y), x + y), ""),
    "-(-x) => x": (lambda x: (op.Negative(-x), x), ""),
    "x * 1 => x": (lambda x: (x * 1, x), ""),
    "x * -1 => -x": (lambda x: (x * -1, -x), ""),
    "x / 1 => x": (lambda x: (x / 1, x), ""),
    "x * 2 => x + x": (lambda x: (x * 2, x + x), ""),
    "x / 2 => x * 0.5": (lambda x: (x / 2, x * 0.5), ""),
    "x + y => y + x": (lambda x, y: (x + y, y + x), ""),
    "x * y => y * x": (lambda x, y: (x * y, y * x), ""),
    "-(x * y) => -x * y": (lambda x, y: (-(x * y), (-x) * y), ""),
    "|-x| => |x|": (lambda x: (op.Abs(-x), op.Abs(x)), ""),
    "|x| * |y| => |x * y|": (lambda x, y: (op.Abs(x) * op.Abs(y), op.Abs(x * y)), ""),
    "max(x, x) => x": (lambda x: (op.Maximum(x, x), x), ""),
    "x < y => y > x": (lambda x, y: (op.Less(x, y), op.Greater(y, x)), ""),
    "pow(x, 1) => x": (lambda x: (op.Power(x, 1.0), x), ""),
    "pow(x, 2) => x * x": (lambda x: (op.Power(x, 2.0), x * x), ""),
    "pow(x, -1) => 1 / x": (lambda x: (op.Power(x, -1.0), 1 / x), ""),
    "sin(-x) => -sin(x)": (lambda x: (op.Sin(-x), -op.Sin(x)), ""),
    "cos(-x) => cos(x)": (lambda x: (op.Cos(-x), op.Cos(x)), ""),
    "(x + x) + x => 3 * x": (lambda x: ((x + x) + x, x * 3), ""),
    "float32(float64(x)) => x": (
        lambda x: (op.Cast(op.Cast(x, dtype="float64"), dtype="float32"), x),
        "",
    ),
    "1 / (1 + exp(-x)) => sigmoid(x)": (lambda x: (1 / (1 + op.Exp(-x)), op.Sigmoid(x)), ""),
}
RECIPROCAL: Rows = {
    "x / y => x * (1 / y)": (lambda x, y: (x / y, x * (1 / y)), "arcp"),
    "x / 3 => x * (1 / 3)": (lambda x: (x / 3, x * (1 / 3)), "arcp"),
    "x / c => x * (1 / c)": (
        lambda x: (lambda k: (x / k, x * constant(1 / k.value)))(c()),
        "ninf arcp",
    ),
    "a / (b / c) => a * (c / b)": (lambda x, y, z: (x / (y / z), x * (z / y)), "arcp"),
    "x / sqrt(y) => x * rsqrt(y)": (lambda x, y: (x / op.Sqrt(y), x * op.Rsqrt(y)), "arcp"),
    "mean(x) => sum(x) * (1 / n)": (
        lambda x: (op.Mean(x, axis=(1,), keepdims=False), total(x, 1) * 0.1),
        "arcp",
    ),
}
ALGEBRAIC: Rows = {
    "(x + y) + z => x + (y + z)": (lambda x, y, z: ((x + y) + z, x + (y + z)), "ninf reassoc"),
    "(x * y) * z => x * (y * z)": (lambda x, y, z: ((x * y) * z, x * (y * z)), "ninf reassoc"),
    "x * z + y * z => (x + y) * z": (
        lambda x, y, z: (x * z + y * z, (x + y) * z),
        "ninf nsz reassoc",
    ),
    "(x + y) - y => x": (lambda x, y: ((x + y) - y, x), "nnan ninf nsz reassoc"),
    "(x * y) / y => x": (lambda x, y: ((x * y) / y, x), "nnan ninf reassoc"),
    # The product underflows to 0, and 0 / 0 is NaN.
    "(x / y) / z => x / (y * z)": (
        lambda x, y, z: ((x / y) / z, x / (y * z)),
        "nnan ninf reassoc arcp",
    ),
    "x * (y / z) => (x * y) / z": (lambda x, y, z: (x * (y / z), (x * y) / z), "ninf reassoc"),
    "x / z + y / z => (x + y) / z": (
        lambda x, y, z: (x / z + y / z, (x + y) / z),
        "ninf nsz reassoc",
    ),
    "x * (1 / x) => 1": (lambda x: (x * (1 / x), op.OnesLike(x)), "nnan reassoc"),
    "((x * x) * x) * x => (x * x)^2": (
        lambda x: (((x * x) * x) * x, op.Square(x * x)),
        "reassoc",
    ),
    "(x * 0.3) * 0.7 => x * 0.21": (lambda x: ((x * 0.3) * 0.7, x * (0.3 * 0.7)), "reassoc"),
    "(x + 0.3) + 0.7 => x + 1": (lambda x: ((x + 0.3) + 0.7, x + (0.3 + 0.7)), "reassoc"),
    "(x * c) / d => x * (c / d)": (
        with_two(lambda x, k, m: ((x * k) / m, x * constant(k.value / m.value))),
        "ninf reassoc arcp",
    ),
    "(x / c) / d => x / (c * d)": (
        with_two(lambda x, k, m: ((x / k) / m, x / constant(k.value * m.value))),
        "nnan reassoc arcp",
    ),
    "sum(sum(x)) => sum(x)": (
        lambda x: (total(total(x, 2), 1), op.Sum(x, axis=(1, 2), keepdims=False)),
        "reassoc",
    ),
    "sum(x * 0.3) => sum(x) * 0.3": (
        lambda x: (total(x * 0.3, 1), total(x, 1) * 0.3),
        "ninf reassoc",
    ),
    "(x @ y) * 0.3 => (x * 0.3) @ y": (
        lambda x, y: (op.Matmul(x, y) * 0.3, op.Matmul(x * 0.3, y)),
        "ninf reassoc",
    ),
    "(x @ y) @ z => x @ (y @ z)": (
        lambda x, y, z: (op.Matmul(op.Matmul(x, y), z), op.Matmul(x, op.Matmul(y, z))),
        "ninf reassoc",
    ),
    "z @ (x + y) => z @ x + z @ y": (
        lambda z, x, y: (op.Matmul(z, x + y), op.Matmul(z, x) + op.Matmul(z, y)),
        "ninf reassoc",
    ),
    "softmax(x + c) => softmax(x)": (
        lambda x: (op.Softmax(x + c(), axis=-1), op.Softmax(x, axis=-1)),
        "nnan reassoc",
    ),
}
CONTRACTED: Rows = {
    "sum(x * y) => einsum(x, y)": (
        lambda x, y: (total(x * y, 1), op.Einsum((x, y), equation="ij,ij->i")),
        "contract",
    ),
    "sum(x^2) => einsum(x, x)": (
        lambda x, y: (total(op.Square(x), 1), op.Einsum((x, x), equation="ij,ij->i")),
        "contract",
    ),
}
FUNCTIONS: Rows = {
    "log(exp(x)) => x": (lambda x: (op.Log(op.Exp(x)), x), "ninf nsz afn"),
    "exp(log(x)) => x": (lambda x: (op.Exp(op.Log(x)), x), "nnan ninf afn"),
    "sqrt(x) * sqrt(x) => x": (lambda x: (op.Sqrt(x) * op.Sqrt(x), x), "nnan nsz afn"),
    "pow(x, 3) => x * x * x": (lambda x: (op.Power(x, 3.0), x * x * x), "afn"),
    "exp(x) * exp(y) => exp(x + y)": (
        lambda x, y: (op.Exp(x) * op.Exp(y), op.Exp(x + y)),
        "ninf reassoc afn",
    ),
    "tanh(x) => 2 * sigmoid(2 * x) - 1": (
        lambda x: (op.Tanh(x), 2 * op.Sigmoid(2 * x) - 1),
        "nsz afn",
    ),
    "log(softmax(x)) => log_softmax(x)": (
        lambda x: (op.Log(op.Softmax(x, axis=-1)), op.LogSoftmax(x, axis=-1)),
        "ninf afn",
    ),
}
CONVERTED: Rows = {
    "float32(float16(x)) => x": (
        lambda x: (op.Cast(op.Cast(x, dtype="float16"), dtype="float32"), x),
        "ninf lossy",
    ),
    "float16(x + y) => float16(x) + float16(y)": (
        lambda x, y: (
            op.Cast(x + y, dtype="float16"),
            op.Cast(x, dtype="float16") + op.Cast(y, dtype="float16"),
        ),
        "ninf nsz lossy",
    ),
    "float32(float16(x) + float16(y)) => x + y": (
        lambda x, y: (
            op.Cast(op.Cast(x, dtype="float16") + op.Cast(y, dtype="float16"), dtype="float32"),
            x + y,
        ),
        "ninf lossy",
    ),
}
KINDS = (SPECIAL, EXACT, RECIPROCAL, ALGEBRAIC, CONTRACTED, FUNCTIONS, CONVERTED)
TRUTH = {name: row for rows in KINDS for name, row in rows.items()}
SHAPES: Mapping[str, Mapping[int, tuple[int, ...]]] = {
    "@": {0: (12, 10), 1: (10, 10), 2: (10, 10)},
    "sum(sum": {0: (80, 3, 4)},
}


@pytest.mark.parametrize("name", TRUTH)
def test_flags_are_those_that_the_documentation_asks_for(name: str) -> None:
    sides, flags = TRUTH[name]
    shapes = next((shapes for word, shapes in SHAPES.items() if word in name), {})
    check_flags(write_of(sides), flags, shapes)
