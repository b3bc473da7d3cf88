"""An operator's kernel says the same as its NumPy reference, and reads only what exists.

`evaluate` raises for an unguarded read outside of a tensor where its value is needed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from three_way import ROUNDING, Case, reference, scale

from gsl.attr.term import Symbol
from gsl.kernel.evaluate import evaluate
from gsl.kernel.meaning import named
from gsl.numpy_dtypes import finfo, is_floating
from gsl.operators.quantize import spread_over
from gsl.types import TupleType

HELD = 2**53


def tame(value: Any) -> Any:
    """Return moderate floats, as kernels do without what keeps numbers from overflow, and integers
    that floats hold, among which kernels have infinity.
    """
    if isinstance(value, tuple):
        return tuple(map(tame, value))
    if isinstance(value, float):
        return min(value, 4.0)
    if not isinstance(value, np.ndarray):
        return value
    most = HELD if value.dtype == np.int64 else 4 if is_floating(value.dtype) else None
    return value if most is None else np.clip(value, -most, most).astype(value.dtype)


def check_kernel(drawn: Case) -> bool:
    """Compare all outputs of a case; tell whether there was an element to compare."""
    attributes = {name: tame(value) for name, value in drawn.attributes.items()}
    case = drawn._replace(operands=tame(drawn.operands), attributes=attributes)
    expected = reference(case)
    if isinstance(expected, tuple):
        compared = [agrees(case, array, field) for field, array in enumerate(expected)]
        return any(compared)
    return agrees(case, expected, None)


WIDER = {np.dtype("bfloat16"): np.float64}
WIDEST = {np.dtype(name): np.longdouble for name in ("bfloat16", "float16", "float32", "float64")}


def widened(tensors: dict[str, Any], wide: Any) -> dict[str, Any]:
    """Return tensors in dtypes in which what kernels compute on the way has room."""
    return {name: one.astype(wide.get(one.dtype, one.dtype)) for name, one in tensors.items()}


def agrees(case: Case, expected: Any, field: int | None) -> bool:
    tensors: dict[str, Any] = {}
    pairs = zip(case.operands, case.types, strict=True)
    operands = [_operand(operand, type_, tensors) for operand, type_ in pairs]
    index = tuple(Symbol(f"i{axis}", low=0) for axis in range(expected.ndim))
    value = case.operator.element(index, operands, case.canonical, field)
    extents = list(zip(index, expected.shape, strict=True))
    # Unlike references, kernels do not shift what goes into exponentials.
    for wide in (WIDER, WIDEST):
        with np.errstate(all="ignore"):
            found = evaluate(value, extents, widened(tensors, wide)).astype(expected.dtype)
        kept = np.isfinite(expected) & np.isfinite(found) if is_floating(expected.dtype) else None
        if kept is None or np.sum(kept) >= np.sum(np.isfinite(expected)) // 2:
            break
    if kept is not None:
        assert np.sum(kept) >= np.sum(np.isfinite(expected)) // 2, case
        found = on_one_side(case, found, expected)
        atol = ROUNDING.get(expected.dtype.name, 0.0) * scale(expected)
        found, expected = (one.astype(np.float64) for one in (found, expected))
        np.testing.assert_allclose(found[kept], expected[kept], 0, atol, err_msg=str(case))
        return bool(np.any(kept))
    found = on_one_side(case, found, expected)
    np.testing.assert_array_equal(found, expected, err_msg=str(case))
    return bool(expected.size)


def on_one_side(case: Case, found: Any, expected: Any) -> Any:
    """Return `found` with what a rounded quotient decides the other way as `expected` has it.

    Where a quotient is nearly whole, the two may differ by exactly one step of it.
    """
    if case.operator.name == "FakeQuantize":
        steps = case.operands[1].astype(np.float64)
        step = spread_over(steps, expected.shape, case.canonical["axis"], 0)
        near = _is_halfway(case.operands[0].astype(np.float64) / step, case.operands[0].dtype)
        return np.where(near & (np.abs(found - expected) < 1.5 * step), expected, found)
    if case.operator.name in ("QuantizeLinear", "DynamicQuantizeLinear"):
        if is_floating(expected.dtype):
            return found
        one_off = np.abs(found.astype(int) - expected) <= 1
        is_near = near_a_tie(case) if expected.ndim else np.any(near_a_tie(case))
        return np.where(one_off & is_near, expected, found)
    if case.operator.name not in ("Mod", "FloorDivide") or not is_floating(expected.dtype):
        return found
    dividend, divisor = (operand.astype(np.float64) for operand in case.operands)
    step = np.abs(divisor) if case.operator.name == "Mod" else np.ones_like(divisor)
    with np.errstate(all="ignore"):
        quotient = dividend / divisor
        gap = np.abs(quotient - np.rint(quotient))
        is_near = (gap > 0) & (gap < 0.01 * (1 + np.abs(quotient)))
        apart = found.astype(np.float64) - expected
        back = np.where(is_near & (np.abs(apart) > step / 2), np.sign(apart) * step, 0)
    return (found - back).astype(expected.dtype)


def near_a_tie(case: Case) -> Any:
    """Tell which quotients by a scale lie close to the middle between two integers."""
    data = case.operands[0].astype(np.float64)
    if case.operator.name == "QuantizeLinear":
        scale = spread_over(case.operands[1].astype(np.float64), data.shape, **case.canonical)
        return _is_halfway(data / scale, case.operands[0].dtype)
    least, most = min(float(np.min(data)), 0.0), max(float(np.max(data)), 0.0)
    step = (most - least) / 255
    if step == 0:
        return True  # it is not defined there
    return _is_halfway(data / step, np.float32) | _is_halfway(np.array(least / step), np.float32)


def _is_halfway(quotient: Any, dtype: Any) -> Any:
    """Tell where a quotient that is computed in `dtype` may be rounded either way."""
    slack = 1e-2 + 4 * np.abs(quotient) * float(finfo(dtype).eps)
    return np.abs(np.abs(quotient - np.floor(quotient)) - 0.5) < slack


def _operand(value: Any, type_: Any, tensors: dict[str, Any]) -> Any:
    if isinstance(type_, TupleType):
        pairs = zip(value, type_.fields, strict=True)
        return tuple(_operand(field, its, tensors) for field, its in pairs)
    name = f"x{len(tensors)}"
    tensors[name] = value.astype(np.float64) if value.dtype.kind == "f" else value
    return named(name, type_)
