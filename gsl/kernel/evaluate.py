"""The value of an expression for a whole index space at once, by NumPy.

Every index is an array along an axis of its own; those of a reduction lie in front of the others,
so that broadcasting combines them and the reduction runs over the leading axes. A reduction over
much is done in blocks.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise, product
from math import prod
from typing import Any, assert_never

import numpy as np

from gsl.attr.term import Constant, Operation, Symbol, Term, bottom_up
from gsl.errors import KernelError
from gsl.kernel.expression import (
    AnyExpression,
    Apply,
    Expression,
    Number,
    Read,
    Reduction,
    Select,
)
from gsl.kernel.functions import FUNCTIONS
from gsl.numpy_dtypes import iinfo, kind_of
from gsl.types import Int

MOST_ELEMENTS = 1 << 22
"""How many values of one subexpression are held at a time, unless the result has more."""

Extents = Sequence[tuple[Symbol, int]]
"""Indices with their extents, in the order of the axes of the result."""

INDEX_ARITHMETIC: Mapping[str, Callable[..., Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": np.floor_divide,
    "%": np.mod,
    "neg": operator.neg,
    "abs": np.abs,
    "min": np.minimum,
    "max": np.maximum,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "and": np.logical_and,
    "or": np.logical_or,
    "not": np.logical_not,
    "cond": np.where,
}

COMBINE: Mapping[str, tuple[Any, Any]] = {
    "sum": (np.sum, np.add),
    "product": (np.prod, np.multiply),
    "max": (np.max, np.maximum),
    "min": (np.min, np.minimum),
}
"""How to reduce leading axes, and how to combine the results of two blocks."""

EMPTY: Mapping[str, float] = {"sum": 0, "product": 1, "max": -np.inf, "min": np.inf}


@dataclass(frozen=True, slots=True)
class _Scope:
    """What surrounds an expression: values of symbols, how many axes, and where it is needed."""

    tensors: Mapping[str, Any]
    values: Mapping[Symbol, Any]
    axes: int
    needed: Any = True

    def inside(self, condition: Any) -> _Scope:
        return _Scope(self.tensors, self.values, self.axes, self.needed & condition)


def evaluate(
    expression: Expression,
    extents: Extents,
    tensors: Mapping[str, Any],
    sizes: Mapping[Symbol, int] | None = None,
) -> Any:
    """Return the array of the values of `expression` for all values of the indices.

    Args:
        expression: the element at these indices.
        extents: indices, each with its extent; together the axes and shape of the result.
        tensors: an array for every tensor that is read, by name. Their dtypes decide, by the rules
            of NumPy, in which types is computed.
        sizes: values for all other symbols of the expression.

    Raises KernelError for a read that promised to lie inside and does not, for a tensor or symbol
    without a value, and for a term that is no index arithmetic.
    """
    shape = tuple(extent for _, extent in extents)
    values: dict[Symbol, Any] = dict(sizes or {})
    for axis, (symbol, extent) in enumerate(extents):
        values[symbol] = _along(np.arange(extent), len(shape) - axis - 1)
    scope = _Scope(tensors, values, len(shape))
    with np.errstate(all="ignore"):
        return np.broadcast_to(_value(expression, scope), shape).copy()


def _along(array: Any, axes_behind: int) -> Any:
    return array.reshape(array.shape + (1,) * axes_behind)


def index_value(term: Int, values: Mapping[Symbol, Any]) -> Any:
    """Return what an index, size or condition is for values of its symbols: ints or arrays.

    Raises KernelError for a symbol without a value and for what is no index arithmetic.
    """
    if not isinstance(term, Term):
        return term
    known: dict[Term, Any] = {}
    for part in bottom_up(term):
        match part:
            case Constant(value=value):
                known[part] = value
            case Symbol() if part in values:
                known[part] = values[part]
            case Operation(head=head, operands=operands) if head in INDEX_ARITHMETIC:
                known[part] = INDEX_ARITHMETIC[head](*(known[operand] for operand in operands))
            case Symbol():
                raise KernelError(f"index variable `{part.name}` has no value")
            case _:
                raise KernelError(f"{part!r} is no index arithmetic")
    return known[term]


def _value(expression: Expression, scope: _Scope) -> Any:
    whole: AnyExpression = expression  # type: ignore[assignment]
    match whole:
        case Number(value=value):
            return index_value(value, scope.values)
        case Read():
            return _read(whole, scope)
        case Apply(function=function, arguments=arguments):
            return FUNCTIONS[function].numpy(*(_value(one, scope) for one in arguments))
        case Select():
            return _select(whole, scope)
        case Reduction():
            return _reduction(whole, scope)
        case _:
            assert_never(whole)


def _read(read: Read, scope: _Scope) -> Any:
    if read.tensor not in scope.tensors:
        raise KernelError(f"tensor `{read.tensor}` has no value")
    array = np.asarray(scope.tensors[read.tensor])
    if array.ndim != len(read.indices):
        given = f"{len(read.indices)} indices for `{read.tensor}`"
        raise KernelError(f"{given}, which has {array.ndim} dimensions")
    places = [np.asarray(index_value(index, scope.values)) for index in read.indices]
    checks = [(i >= 0) & (i < n) for i, n in zip(places, array.shape, strict=True)]
    inside = reduce(operator.and_, checks, np.True_)
    if np.all(inside):
        return array[tuple(places)]
    if not read.guarded and np.any(np.asarray(scope.needed) & ~inside):
        raise KernelError(f"a read of `{read.tensor}` lies outside of {array.shape}")
    if array.size == 0:
        return np.zeros(np.shape(inside), array.dtype)
    kept = (np.clip(i, 0, n - 1) for i, n in zip(places, array.shape, strict=True))
    return np.where(inside, array[tuple(kept)], array.dtype.type(0))


def _select(choice: Select, scope: _Scope) -> Any:
    condition = np.asarray(index_value(choice.condition, scope.values), dtype=bool)
    if np.all(condition):
        return _value(choice.then, scope)
    if not np.any(condition):
        return _value(choice.otherwise, scope)
    then = _value(choice.then, scope.inside(condition))
    otherwise = _value(choice.otherwise, scope.inside(~condition))
    return np.where(condition, _beside(then, otherwise), _beside(otherwise, then))


def _beside(value: Any, other: Any) -> Any:
    """Return `value`, but the extreme integer of `other` for an infinity: it keeps the integers."""
    dtype = np.asarray(other).dtype
    if kind_of(dtype) not in "iu" or not (isinstance(value, float) and np.isinf(value)):
        return value
    return np.asarray(iinfo(dtype).max if value > 0 else iinfo(dtype).min, dtype)


def _reduction(whole: Reduction, scope: _Scope) -> Any:
    extents = [int(index_value(extent, scope.values)) for _, extent in whole.variables]
    fold, join = COMBINE[whole.function]
    surrounding = [v for v in scope.values.values() if isinstance(v, np.ndarray)]
    held = prod(np.broadcast_shapes(*(value.shape for value in surrounding)))
    total: Any = None
    for block in _blocks(extents, max(1, MOST_ELEMENTS // max(1, held))):
        inner = dict(scope.values)
        for axis, ((symbol, _), (low, high)) in enumerate(zip(whole.variables, block, strict=True)):
            behind = scope.axes + len(block) - axis - 1
            inner[symbol] = _along(np.arange(low, high), behind)
        axes = scope.axes + len(block)
        body = np.asarray(_value(whole.body, _Scope(scope.tensors, inner, axes, scope.needed)))
        part = fold(_spread(body, block, axes), axis=tuple(range(len(block))))
        total = part if total is None else join(total, part)
    return np.asarray(EMPTY[whole.function]) if total is None else total


def _spread(body: Any, block: Sequence[tuple[int, int]], axes: int) -> Any:
    """Give `body` the axes of a reduction, also those that it does not depend on."""
    full = body.reshape((1,) * (axes - body.ndim) + body.shape)
    counts = tuple(high - low for low, high in block)
    return np.broadcast_to(full, counts + full.shape[len(block) :])


def _blocks(extents: Sequence[int], most: int) -> Iterator[tuple[tuple[int, int], ...]]:
    """Cut a box into boxes of at most `most` points, in the order of the points."""
    if 0 in extents:
        return
    counts = []
    for extent in reversed(extents):
        counts.append(max(1, min(extent, most)))
        most //= counts[-1]
    yield from product(*(_cuts(n, c) for n, c in zip(extents, reversed(counts), strict=True)))


def _cuts(extent: int, length: int) -> list[tuple[int, int]]:
    return list(pairwise([*range(0, extent, length), extent]))
