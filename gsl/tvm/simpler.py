"""Calls done as simpler ones: other shapes and dtypes, but the same bytes in the same order.

Most operators treat some axes all alike, and those that only move elements do not look at them.
So a call is given to TVM with neighbouring axes as one where it makes no difference, and elements
that are only moved as integers of their width. It stays a call of the same operator, so that what
is compiled is what TVM has for it. What only gives a tensor another shape is no call any more, as
TVM does not compute anything for it either.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import groupby
from math import copysign, prod
from typing import Any

import numpy as np

from gsl.expr import Call, Expr, Tuple, Var
from gsl.operators.declaration import tensors
from gsl.tvm.generality import Shape, flattened, grouped
from gsl.types import TensorType, TupleType, Type

VIEWS = frozenset({"Reshape", "Flatten", "ExpandDims", "Squeeze"})
"""Operators that only give a tensor another shape."""
MOVING = frozenset(
    {
        "BroadcastTo",
        "Concatenate",
        "Flip",
        "Repeat",
        "Split",
        "Stack",
        "StridedSlice",
        "Take",
        "Tile",
        "Transpose",
    }
)
"""Operators that move elements of their first operand, whatever these are."""
REDUCTIONS = frozenset({"Sum", "Prod", "Max", "Min", "Mean"})
INTEGERS = {1: "int8", 4: "int32", 8: "int64"}
"""Integers by bytes; of two bytes there are only floats."""


def is_view(call: Call) -> bool:
    """Tell whether a call only gives its operand another shape; one without elements does not."""
    return call.operator.name in VIEWS and has_elements(call)


def simplified(call: Call) -> Call:
    """Return a call of the same operator on operands of the same bytes, with a result of these.

    Its operands are variables, or tuples of them; it is `call` itself where nothing is simpler.
    """
    if not has_elements(call):
        return call
    shapes, simplify = flattened(call), _SIMPLER.get(call.operator.name)
    operands: Sequence[Type] = _types(call)
    attributes = call.attributes
    if shapes is not None:
        operands = [one.with_shape(s) for one, s in zip(_given(call), shapes, strict=True)]
    elif simplify:
        operands, attributes = simplify(call)
    moved = _moved(call)
    operands = [_as_integers(one) if n in moved else one for n, one in enumerate(operands)]
    if operands == _types(call) and attributes is call.attributes:
        return call
    return Call(call.operator, [_variable(one) for one in operands], attributes)


def same_bytes(array: Any, given: TensorType) -> Any:
    """Return an array as one of another type of as many bytes, without a copy if possible."""
    return array.reshape(given.shape).view(given.dtype)


def has_elements(call: Call) -> bool:
    """Tell whether no operand and no result is empty."""
    given = tensors((*_types(call), call.type))
    return all(one.size for one in given)


def _moved(call: Call) -> Collection[int]:
    """Return which operands a call only moves, or repeats, the elements of."""
    match call.operator.name:
        case "Where":
            return (1, 2)
        case "Pad":
            value = call.attributes["pad_value"]
            return (0,) if value == 0 and copysign(1, value) > 0 else ()
        case name:
            return (0,) if name in MOVING else ()


def _types(call: Call) -> list[Type]:
    return [operand.type for operand in call.operands]


def _given(call: Call) -> list[TensorType]:
    return list(tensors(tuple(_types(call))))


def _as_integers(given: Type) -> Type:
    if isinstance(given, TupleType):
        return TupleType(tuple(map(_as_integers, given.fields)))
    return given.with_dtype(INTEGERS.get(np.dtype(given.dtype).itemsize, given.dtype))


def _variable(given: Type) -> Expr:
    if isinstance(given, TupleType):
        return Tuple([_variable(field) for field in given.fields])
    return Var("x", given.shape, given.dtype)


Simpler = tuple[Sequence[Type], Mapping[str, Any]]
"""Types of operands, and attributes."""


def _runs(shape: Shape, marks: Sequence[Any]) -> list[tuple[Any, int]]:
    """Return the product of sizes for every run of equal marks, sizes of 1 left out."""
    axes = [(mark, size) for mark, size in zip(marks, shape, strict=True) if size != 1]
    return [
        (mark, prod(size for _, size in group))
        for mark, group in groupby(axes, lambda axis: axis[0])
    ]


def _around(shape: Shape, axis: int) -> Shape:
    """Return the sizes before an axis as one, its own, and those behind it as one."""
    along = axis % len(shape)
    return prod(shape[:along]), shape[along], prod(shape[along + 1 :])


def _along_one(call: Call) -> Simpler:
    """One axis and what lies before and behind it: three axes."""
    axis = call.attributes["axis"]
    attributes = {**call.attributes, "axis": 1}

    def around(given: Type) -> Type:
        if isinstance(given, TupleType):
            return TupleType(tuple(map(around, given.fields)))
        return given.with_shape(_around(given.shape, axis))

    return list(map(around, _types(call))), attributes


def _biased(call: Call) -> Simpler:
    data, bias = _given(call)
    return [data.with_shape(_around(data.shape, call.attributes["axis"])), bias], {"axis": 1}


def _dense(call: Call) -> Simpler:
    data, weight = _given(call)
    return [_rows(data), weight], call.attributes


def _rows(data: TensorType) -> TensorType:
    """Return the type with all axes but the last as one."""
    return data.with_shape((prod(data.shape[:-1]), data.shape[-1]))


def _multiplied(call: Call) -> Simpler:
    """Rows are as good as batches; equal batches are one, those that are repeated stay."""
    left, right = _given(call)
    if right.ndim == 1:
        return [_rows(left), right.with_shape((right.size, 1))], call.attributes
    if prod(right.shape[:-2]) == 1:
        return [_rows(left), right.with_shape(right.shape[-2:])], call.attributes
    if left.shape[:-2] != right.shape[:-2]:
        return [left, right], call.attributes
    stacked = [one.with_shape((prod(one.shape[:-2]), *one.shape[-2:])) for one in (left, right)]
    return stacked, call.attributes


def _take(call: Call) -> Simpler:
    data, indices = _given(call)
    shape = _around(data.shape, call.attributes["axis"])
    return [data.with_shape(shape), indices.with_shape((indices.size,))], {"axis": 1}


def _transpose(call: Call) -> Simpler:
    """Axes that stay neighbours are one."""
    (data,) = _given(call)
    order = [axis % data.ndim for axis in call.attributes["axes"]]
    order = [axis for axis in order if data.shape[axis] != 1]
    runs: list[list[int]] = []
    for axis in order:
        if runs and _follows(axis, runs[-1][-1], data.shape):
            runs[-1].append(axis)
        else:
            runs.append([axis])
    in_order = sorted(runs)
    shape = tuple(prod(data.shape[axis] for axis in run) for run in in_order)
    if not runs:
        return [data.with_shape((1,))], {"axes": (0,)}
    return [data.with_shape(shape)], {"axes": tuple(in_order.index(run) for run in runs)}


def _follows(axis: int, before: int, shape: Shape) -> bool:
    return before < axis and all(size == 1 for size in shape[before + 1 : axis])


def _broadcast(call: Call) -> Simpler:
    (data,) = _given(call)
    shape, target = grouped(call.attributes["shape"], [data.shape, call.attributes["shape"]])
    return [data.with_shape(shape)], {"shape": target}


def _filled(call: Call) -> Simpler:
    return [], {**call.attributes, "shape": (prod(call.attributes["shape"]),)}


def _sliced(call: Call) -> Simpler:
    """Axes that stay as they are are one with those of their kind beside them."""
    (data,) = _given(call)
    names = ("begin", "end", "strides")
    cuts = list(zip(*(call.attributes[name] for name in names), strict=True))
    axes = _kept_apart(
        data.shape, [n for n, cut in enumerate(cuts) if cut != (0, data.shape[n], 1)]
    )
    parts = [cuts[axis] if axis is not None else (0, size, 1) for axis, size in axes]
    attributes = dict(zip(names, zip(*parts, strict=True), strict=True))
    return [data.with_shape(tuple(size for _, size in axes))], attributes


def _padded(call: Call) -> Simpler:
    (data,) = _given(call)
    width = call.attributes["pad_width"]
    sides = list(zip(width[::2], width[1::2], strict=True))
    axes = _kept_apart(data.shape, [n for n, side in enumerate(sides) if side != (0, 0)])
    parts = [sides[axis] if axis is not None else (0, 0) for axis, _ in axes]
    widths = tuple(one for side in parts for one in side)
    attributes = {**call.attributes, "pad_width": widths}
    return [data.with_shape(tuple(size for _, size in axes))], attributes


def _kept_apart(shape: Shape, special: Collection[int]) -> list[tuple[int | None, int]]:
    """Return axes with their sizes: the special ones, and the others between them as one (None)."""
    marks = [axis if axis in special else None for axis in range(len(shape))]
    axes = [
        (mark, prod(shape[axis] for axis in group))
        for mark, group in groupby(range(len(shape)), lambda axis: marks[axis])
    ]
    few = [axis for axis in axes if axis != (None, 1)]
    return few or [(None, 1)]


def _reduced(call: Call) -> Simpler:
    """Axes beside each other that are reduced are one, and so are those that are not."""
    (data,) = _given(call)
    gone = {axis % data.ndim for axis in call.attributes["axis"]}
    runs = _runs(data.shape, [axis in gone for axis in range(data.ndim)])
    if not any(is_gone for is_gone, _ in runs):
        runs.append((True, 1))
    axes = tuple(number for number, (is_gone, _) in enumerate(runs) if is_gone)
    shape = tuple(size for _, size in runs)
    return [data.with_shape(shape)], {**call.attributes, "axis": axes, "keepdims": False}


_SIMPLER: Mapping[str, Callable[[Call], Simpler]] = {
    "BiasAdd": _biased,
    "BroadcastTo": _broadcast,
    "Concatenate": _along_one,
    "Dense": _dense,
    "Flip": _along_one,
    "Full": _filled,
    "LogSoftmax": _along_one,
    "Matmul": _multiplied,
    "Ones": _filled,
    "Pad": _padded,
    "Repeat": _along_one,
    "Softmax": _along_one,
    "Split": _along_one,
    "StridedSlice": _sliced,
    "Take": _take,
    "Transpose": _transpose,
    "Zeros": _filled,
    **dict.fromkeys(REDUCTIONS, _reduced),
}
