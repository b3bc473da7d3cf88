"""Operators that change nothing where they stand, as calls all the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gsl.expr import Expr
from gsl.onnx.build import call


def _cast(data: Expr) -> Expr:
    return call("Cast", data, dtype=data.dtype)


def _transposed(data: Expr) -> Expr:
    return call("Transpose", data, axes=tuple(range(len(data.shape))))


def _reshaped(data: Expr) -> Expr:
    return call("Reshape", data, shape=data.shape)


def _broadcast(data: Expr) -> Expr:
    return call("BroadcastTo", data, shape=data.shape)


def _sliced(data: Expr) -> Expr:
    rank = len(data.shape)
    return call("StridedSlice", data, begin=(0,) * rank, end=data.shape, strides=(1,) * rank)


IDLE: Mapping[str, Callable[[Expr], Expr]] = {
    "Cast": _cast,
    "CastLike": _cast,
    "Expand": _broadcast,
    "Flatten": _reshaped,
    "Reshape": _reshaped,
    "Slice": _sliced,
    "Squeeze": _reshaped,
    "Transpose": _transposed,
    "Unsqueeze": _reshaped,
}


def literally(operator: str, data: Expr) -> Expr:
    """Return the call of an operator of ONNX that leaves `data` as it is, where there is one."""
    make = IDLE.get(operator)
    return data if make is None else make(data)
