"""Inputs whose elements are all alike, or that are alike themselves.

Sums of squares, variances and differences of extrema are 0 there, all elements tie, and two tensors
are equal everywhere. Where elements are drawn one by one, only the smallest tensors show that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from zlib import crc32

import numpy as np

from gsl.expr import Var
from gsl.types import TensorType
from gslverify.networks.network import Network
from gslverify.networks.values import restricted, value_ranges

Inputs = dict[str, Any]


def alike(network: Network, drawn: Inputs) -> list[Inputs]:
    """Return inputs in one of three ways, chosen by inputs that were `drawn` for the same network.

    All elements are 0, or those of each tensor are one small number, or tensors of one type are the
    same. Nothing is returned where that is nothing new, in networks with single elements only.
    """
    if not any(array.size > 1 for array in drawn.values()):
        return []
    choice = crc32(b"".join([np.ascontiguousarray(array).tobytes() for array in drawn.values()]))
    way = _WAYS[choice % len(_WAYS)]
    return [way(network.variables, drawn, value_ranges(network.outputs), choice)]


def _zeros(variables: Sequence[Var], drawn: Inputs, ranges: Any, choice: int) -> Inputs:
    return {v.name: _full(v, ranges, 0) for v in variables}


def _numbers(variables: Sequence[Var], drawn: Inputs, ranges: Any, choice: int) -> Inputs:
    generator = np.random.default_rng(choice)
    return {v.name: _full(v, ranges, int(generator.integers(-3, 4))) for v in variables}


def _full(variable: Var, ranges: Any, number: int) -> Any:
    dtype = np.dtype(variable.dtype)
    held = abs(number) if dtype.kind in "ub" else number
    raw = np.full(variable.shape, held, dtype)
    if dtype.kind == "b":
        return raw
    return np.asarray(restricted(raw, ranges.get(variable, ()), dtype)).astype(dtype)


def _same(variables: Sequence[Var], drawn: Inputs, ranges: Any, choice: int) -> Inputs:
    first: dict[TensorType, Any] = {}
    shared: Inputs = {}
    for variable in variables:
        array: Any = first.setdefault(variable.tensor_type, drawn[variable.name])
        dtype = array.dtype
        if dtype.kind != "b":
            array = np.asarray(restricted(array, ranges.get(variable, ()), dtype)).astype(dtype)
        shared[variable.name] = array
    return shared


_WAYS: tuple[Callable[[Sequence[Var], Inputs, Any, int], Inputs], ...] = (_zeros, _numbers, _same)
