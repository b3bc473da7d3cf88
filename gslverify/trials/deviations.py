"""Deviations of TVM from NumPy that are known, so that they are told by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gsl.expr import Call
from gsl.numpy_dtypes import finfo, iinfo, is_floating
from gslverify.comparison.calmer import floats_in

Applies = Callable[[Call, Sequence[Any]], bool]
"""Takes a call and the values of its operands."""


@dataclass(frozen=True, slots=True)
class Deviation:
    """One deviation: the operators concerned, and on which values."""

    name: str
    sentence: str
    operators: frozenset[str]
    applies: Applies


def _has_nan(call: Call, operands: Sequence[Any]) -> bool:
    return any(bool(np.isnan(array).any()) for array in floats_in(operands))


def _has_negative_zero(call: Call, operands: Sequence[Any]) -> bool:
    return any(bool(((array == 0) & np.signbit(array)).any()) for array in floats_in(operands))


def _has_infinity(call: Call, operands: Sequence[Any]) -> bool:
    return any(bool(np.isinf(array).any()) for array in floats_in(operands))


def _has_limit(call: Call, operands: Sequence[Any]) -> bool:
    array = np.asarray(operands[0])
    limits = finfo(array.dtype) if is_floating(array.dtype) else iinfo(array.dtype)
    least = call.operator.name == "Argmax"
    return bool(((array <= limits.min) if least else (array >= limits.max)).any())


def _leaves_the_range(call: Call, operands: Sequence[Any]) -> bool:
    if call.dtype == "bool" or is_floating(np.dtype(call.dtype)):
        return False
    limits = iinfo(call.dtype)
    inside = ((array >= limits.min) & (array <= limits.max) for array in floats_in(operands))
    return any(not bool(array.all()) for array in inside)


def _is_half(call: Call, operands: Sequence[Any]) -> bool:
    return any(array.dtype == np.float16 for array in floats_in(operands))


def _known(name: str, sentence: str, operators: str, applies: Applies) -> Deviation:
    return Deviation(name, sentence, frozenset(operators.split()), applies)


KNOWN = (
    _known(
        "extremum of NaN and a number",
        "maximum(NaN, x) is x, but maximum(x, NaN) is NaN",
        "Maximum Minimum",
        _has_nan,
    ),
    _known("relu of NaN", "relu(NaN) is 0", "Relu", _has_nan),
    _known("clip of NaN", "clip(NaN) is a limit", "Clip", _has_nan),
    _known("sign of NaN", "sign(NaN) is 0", "Sign", _has_nan),
    _known(
        "extremum along an axis with NaN",
        "whether NaN is kept depends on its place",
        "Max Min MaxPool1D MaxPool2D MaxPool3D",
        _has_nan,
    ),
    _known("place of NaN", "argmax and argmin pass over NaN", "Argmax Argmin", _has_nan),
    _known(
        "place of a limit",
        "argmax is -1 where all elements are the least of their type, argmin where the largest",
        "Argmax Argmin",
        _has_limit,
    ),
    _known(
        "extremum along an axis of infinities",
        "the maximum of minus infinity alone is the least number, the minimum likewise",
        "Max Min MaxPool1D MaxPool2D MaxPool3D",
        _has_infinity,
    ),
    _known("inequality of NaN", "NaN != x is false", "NotEqual", _has_nan),
    _known("tanh of negative zero", "tanh(-0.0) is 0.0", "Tanh", _has_negative_zero),
    _known(
        "conversion out of range",
        "what a float beyond the range of an integer type becomes is not defined",
        "Cast",
        _leaves_the_range,
    ),
    _known(
        "sums of halves",
        "sums of float16 are rounded to float16 after every term",
        "Sum Mean Cumsum Variance Matmul Dense Gemm Einsum Conv1D Conv2D Conv3D "
        "SumSquare ReduceL1 ReduceL2 LogSumExp",
        _is_half,
    ),
)


def deviation_of(call: Call, operands: Sequence[Any]) -> Deviation | None:
    """Return the known deviation that a call on these values may show, if there is one."""
    for known in KNOWN:
        if call.operator.name in known.operators and known.applies(call, operands):
            return known
    return None
