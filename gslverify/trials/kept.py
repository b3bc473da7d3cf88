"""Inputs of a failing network for a network of other sizes, ranks or dtypes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from gsl.expr import Var


def kept_inputs(variables: Sequence[Var], failing: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the failing inputs brought to other shapes: beginnings, ends, notable values first.

    Nothing is yielded where a variable had no value before, or its dtype does not hold the values.
    """
    if any(variable.name not in failing for variable in variables):
        return
    for resized in (_beginning, _end, _notable):
        inputs = {v.name: resized(failing[v.name], v.shape) for v in variables}
        if all(_holds(v.dtype, inputs[v.name]) for v in variables):
            yield {v.name: np.array(inputs[v.name], v.dtype) for v in variables}


def _beginning(array: Any, shape: tuple[int, ...]) -> Any:
    """Repeat or cut every axis where the ranks are equal, else all elements in their order."""
    if len(shape) != array.ndim or 0 in array.shape:
        return np.resize(array, shape)
    places = [np.arange(size) % old for size, old in zip(shape, array.shape, strict=True)]
    return array[np.ix_(*places)] if places else array


def _end(array: Any, shape: tuple[int, ...]) -> Any:
    whole = (slice(None, None, -1),) * array.ndim
    mirrored = _beginning(array[whole], shape)
    return mirrored[(slice(None, None, -1),) * mirrored.ndim]


def _notable(array: Any, shape: tuple[int, ...]) -> Any:
    """Put the values that are far from 0 first, so that few elements have them, too."""
    values = array.ravel()
    order = np.argsort(-np.abs(values.astype("float64")), kind="stable")
    return np.resize(values[order], shape)


def _holds(dtype: str, array: Any) -> bool:
    with np.errstate(all="ignore"):
        return bool(np.array_equal(array.astype(dtype), array, equal_nan=array.dtype.kind == "f"))
