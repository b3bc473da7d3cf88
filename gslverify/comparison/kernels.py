"""Kernels of operators of somebody else, compared with their references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gsl.attr.term import Symbol
from gsl.errors import GslError
from gsl.expr import Call, Expr
from gsl.graph import reverse_post_order
from gsl.kernel.evaluate import evaluate
from gsl.kernel.meaning import named
from gsl.numpy_dtypes import is_floating, kind_of
from gsl.types import TensorType, TupleType, Type
from gslverify.comparison.bounded import Bounded
from gslverify.comparison.compare import evaluate_bounded

CLEAR = 64
"""A difference of this part of the numbers that differ is no matter of rounding."""
LARGEST = 2**16
"""Integers up to it are computed with alike, whether a kernel has them as floats or not."""


def kernel_apart(outputs: Sequence[Expr], inputs: Mapping[str, Any]) -> str:
    """Return which kernel has clearly another element than its reference, or the empty string."""
    calls = [one for one in reverse_post_order(outputs) if isinstance(one, Call) and _may_be(one)]
    if not calls:
        return ""
    try:
        values = evaluate_bounded(outputs, inputs)[1]
    except GslError:
        return ""
    return next((found for call in calls if (found := _apart(call, values))), "")


def _may_be(call: Call) -> bool:
    has_both = call.operator.meaning is not None and call.operator.reference is not None
    return has_both and not call.operator.is_built_in


def _apart(call: Call, values: Mapping[Expr, Any]) -> str:
    tensors: dict[str, Any] = {}
    operands = [_named(values[one], one.type, tensors) for one in call.operands]
    if not all(map(_is_tame, tensors.values())):
        return ""
    result = values[call]
    fields = enumerate(result) if isinstance(result, tuple) else [(None, result)]
    for field, expected in fields:
        index = tuple(Symbol(f"i{axis}", low=0) for axis in range(expected.ndim))
        extents = list(zip(index, expected.shape, strict=True))
        try:
            element = call.operator.element(index, operands, call.attributes, field)
            found = evaluate(element, extents, tensors)
        except (GslError, TypeError, ValueError):
            return ""  # what a kernel cannot say is told by who asks for it
        differ = np.argwhere(_differ(found, expected))
        if len(differ):
            return _message(call, tuple(map(int, differ[0])), found, expected)
    return ""


def _named(value: Any, declared: Type, tensors: dict[str, Any]) -> Any:
    if isinstance(declared, TupleType):
        pairs = zip(value, declared.fields, strict=True)
        return tuple(_named(one, its, tensors) for one, its in pairs)
    assert isinstance(declared, TensorType)
    name = f"x{len(tensors)}"
    tensors[name] = value.value if isinstance(value, Bounded) and value.is_exact else value
    return named(name, declared)


def _is_tame(tensor: Any) -> bool:
    """Tell whether elements have no errors, and what is computed with them has room."""
    if isinstance(tensor, Bounded):
        return False
    size = np.abs(np.asarray(tensor).astype(np.float64))
    return bool(np.all(size <= LARGEST))


def _differ(found: Any, expected: Any) -> Any:
    if not isinstance(expected, Bounded):
        exact = np.asarray(expected)
        return found.astype(exact.dtype) != exact
    if not is_floating(np.asarray(found).dtype) and kind_of(found.dtype) not in "biu":
        return np.zeros(expected.shape, bool)
    one, other = np.asarray(found, np.float64), expected.value
    with np.errstate(all="ignore"):
        gap = np.abs(one - other)
        is_clear = (CLEAR * gap > np.abs(one) + np.abs(other)) & (gap > CLEAR * expected.error)
    return is_clear & np.isfinite(one) & np.isfinite(other)


def _message(call: Call, index: tuple[int, ...], found: Any, expected: Any) -> str:
    plain = expected.value if isinstance(expected, Bounded) else np.asarray(expected)
    pair = f"{found[index].item():g}, its reference {plain[index].item():g}"
    return f"the kernel of {call.operator} has {pair} at {list(index)}"
