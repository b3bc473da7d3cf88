"""The functions that expressions apply to values: how many arguments, and what NumPy computes.

Truth values are values like others; `select` picks by one. Arithmetic is that of ideal reals and
integers, `/` divides exactly, `//` and `%` round towards minus infinity. What looks at the bits of
integers (`&`, `|`, `^`, `>>`) stands in kernels of operators only, not in those written as text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gsl.numpy_dtypes import converted, is_floating, kind_of


@dataclass(frozen=True, slots=True)
class Function:
    """A function of `arity` values; `numpy` computes it on whole arrays."""

    arity: int
    numpy: Callable[..., Any]


def _floor_divide(left: Any, right: Any) -> Any:
    if kind_of(np.result_type(left, right)) in "iub":
        return np.floor_divide(left, right)
    return np.floor(left / right)


def _modulo(left: Any, right: Any) -> Any:
    return left - right * _floor_divide(left, right)


def _sigmoid(value: Any) -> Any:
    return 1 / (1 + np.exp(-value))


_ERF = np.frompyfunc(math.erf, 1, 1)


def _erf(value: Any) -> Any:
    values = np.asarray(value)
    kind = values.dtype if is_floating(values.dtype) else np.float64
    return np.asarray(_ERF(values), dtype=kind)


def _choose(condition: Any, then: Any, otherwise: Any) -> Any:
    return np.where(np.not_equal(condition, 0), then, otherwise)


def _cast(value: Any, source: Any, target: Any) -> Any:
    return converted(np.asarray(value), str(target))


FUNCTIONS: Mapping[str, Function] = {
    "+": Function(2, np.add),
    "-": Function(2, np.subtract),
    "*": Function(2, np.multiply),
    "/": Function(2, np.divide),
    "//": Function(2, _floor_divide),
    "%": Function(2, _modulo),
    "neg": Function(1, np.negative),
    "pow": Function(2, np.power),
    "max": Function(2, np.maximum),
    "min": Function(2, np.minimum),
    "abs": Function(1, np.abs),
    "sign": Function(1, np.sign),
    "floor": Function(1, np.floor),
    "ceil": Function(1, np.ceil),
    "round": Function(1, np.rint),
    "trunc": Function(1, np.trunc),
    "exp": Function(1, np.exp),
    "log": Function(1, np.log),
    "sqrt": Function(1, np.sqrt),
    "sin": Function(1, np.sin),
    "cos": Function(1, np.cos),
    "tan": Function(1, np.tan),
    "asin": Function(1, np.arcsin),
    "acos": Function(1, np.arccos),
    "atan": Function(1, np.arctan),
    "sinh": Function(1, np.sinh),
    "cosh": Function(1, np.cosh),
    "tanh": Function(1, np.tanh),
    "asinh": Function(1, np.arcsinh),
    "acosh": Function(1, np.arccosh),
    "atanh": Function(1, np.arctanh),
    "sigmoid": Function(1, _sigmoid),
    "erf": Function(1, _erf),
    "==": Function(2, np.equal),
    "!=": Function(2, np.not_equal),
    "<": Function(2, np.less),
    "<=": Function(2, np.less_equal),
    ">": Function(2, np.greater),
    ">=": Function(2, np.greater_equal),
    "and": Function(2, np.logical_and),
    "or": Function(2, np.logical_or),
    "not": Function(1, np.logical_not),
    "&": Function(2, np.bitwise_and),
    "|": Function(2, np.bitwise_or),
    "^": Function(2, np.bitwise_xor),
    ">>": Function(2, np.right_shift),
    "select": Function(3, _choose),
    "cast": Function(3, _cast),
}
"""All functions by name."""

COMPARISONS = frozenset(("==", "!=", "<", "<=", ">", ">="))

WRITTEN = frozenset(("neg", "and", "or", "not", "cast"))
"""Those with a name of letters that are no calls: signs, and what needs the names of dtypes."""

CALLED = tuple(name for name in FUNCTIONS if name.isalpha() and name not in WRITTEN)
"""Those that are written as calls."""
