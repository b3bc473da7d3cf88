"""Operators that put tensors together, cut them apart and copy them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from gsl.attr.evaluate import disjunction, equal
from gsl.attr.term import Term
from gsl.errors import UndecidedError
from gsl.kernel.expression import Expression
from gsl.kernel.meaning import Elements, Index, select, stretched
from gsl.operators.declaration import Need, Tensor, Tensors, operator
from gsl.operators.kinds import Cuts, NewAxis, OneAxis, PerAxis, Positive, Shape
from gsl.operators.shapes import known_axis, with_size
from gsl.types import ALL_DTYPES, Int, TensorType


def fields_of(need: Need, tensors: Tensors) -> list[TensorType]:
    """Return the types of the tensors in a tuple, of which there must be at least one."""
    fields = [field for field in tensors.fields if isinstance(field, TensorType)]
    need(len(fields) == len(tensors.fields), "a tuple of tensors must not hold tuples")
    need(bool(fields), "there must be at least one tensor")
    return fields


@operator(dtypes=ALL_DTYPES, relax="concat")
def Concatenate(need: Need, tensors: Tensors, *, axis: OneAxis = 0) -> TensorType:
    """Put tensors one after the other along `axis`; all other sizes are the same.

    Source: relax.concat.
    """
    fields = fields_of(need, tensors)
    first = fields[0]
    for field in fields[1:]:
        need(field.ndim == first.ndim, "tensors to concatenate must have one rank")
    along = known_axis(axis, first.ndim)
    for shape in dict.fromkeys([field.shape for field in fields[1:]]):
        same = equal(with_size(shape, along, 0), with_size(first.shape, along, 0))
        need(same, "tensors to concatenate may differ along the axis only")
    sizes = [field.shape[along] for field in fields]
    return first.with_shape(with_size(first.shape, along, sum(sizes[1:], start=sizes[0])))


@Concatenate.numpy
def _concatenate(tensors: Any, axis: int) -> Any:
    return np.concatenate(tensors, axis)


@Concatenate.kernel
def _concatenate_element(index: Index, tensors: Sequence[Elements], axis: int) -> Expression:
    along = axis % len(index)
    ends = list(accumulate(field.shape[along] for field in tensors))
    begins = [0, *ends]

    def within(number: int) -> Expression:
        return tensors[number][with_size(index, along, index[along] - begins[number])]

    value = within(len(tensors) - 1)
    for number in reversed(range(len(tensors) - 1)):
        value = select(index[along] < ends[number], within(number), value)
    return value


@operator(dtypes=ALL_DTYPES, relax="stack")
def Stack(need: Need, tensors: Tensors, *, axis: NewAxis = 0) -> TensorType:
    """Put tensors of one shape side by side along a new axis, which is `axis` of the result.

    Source: relax.stack.
    """
    fields = fields_of(need, tensors)
    shape = fields[0].shape
    for field in fields[1:]:
        need(equal(field.shape, shape), "tensors to stack must have one shape")
    along = known_axis(axis, len(shape) + 1)
    return fields[0].with_shape((*shape[:along], len(fields), *shape[along:]))


@Stack.numpy
def _stack(tensors: Any, axis: int) -> Any:
    return np.stack(tensors, axis)


@Stack.kernel
def _stack_element(index: Index, tensors: Sequence[Elements], axis: int) -> Expression:
    along = axis % len(index)
    place = (*index[:along], *index[along + 1 :])
    value = tensors[-1][place]
    for number in reversed(range(len(tensors) - 1)):
        value = select(equal(index[along], number), tensors[number][place], value)
    return value


@operator(dtypes=ALL_DTYPES, relax="split")
def Split(
    need: Need, data: Tensor, *, indices_or_sections: Cuts, axis: OneAxis = 0
) -> list[TensorType]:
    """Cut along `axis` into a tuple of tensors, at positions or into equal sections.

    `indices_or_sections` is a number of sections, which divides the size, or a tuple of positions
    in ascending order; n positions give n + 1 pieces, some of which may be empty.
    Source: relax.split.
    """
    along = known_axis(axis, data.ndim)
    size = data.shape[along]
    if isinstance(indices_or_sections, Term):
        raise UndecidedError("the number of sections depends on an unknown size")
    if isinstance(indices_or_sections, tuple):
        for position in indices_or_sections[-1:]:
            need(position <= size, "positions to split at must be inside")
    else:
        need(equal(size % indices_or_sections, 0), "the number of sections must divide the size")
    sizes = _piece_sizes(size, indices_or_sections)
    return [data.with_shape(with_size(data.shape, along, piece)) for piece in sizes]


def _piece_sizes(size: Int, cuts: Any) -> list[Int]:
    if isinstance(cuts, tuple):
        return [end - begin for begin, end in pairwise((0, *cuts, size))]
    return [size // cuts] * cuts


def _borders(size: int, cuts: Any) -> list[tuple[int, int]]:
    """Return where each piece begins and ends."""
    return list(pairwise(accumulate(_piece_sizes(size, cuts), initial=0)))


@Split.numpy
def _split(data: Any, indices_or_sections: Any, axis: int) -> Any:
    before = (slice(None),) * (axis % data.ndim)
    borders = _borders(data.shape[axis], indices_or_sections)
    return tuple(data[(*before, slice(begin, end))] for begin, end in borders)


@Split.kernel
def _split_element(
    field: int, index: Index, data: Elements, indices_or_sections: Any, axis: int
) -> Expression:
    along = axis % data.ndim
    cuts = indices_or_sections
    piece = data.shape[along] // cuts if isinstance(cuts, int) else None
    begin = (0, *cuts)[field] if piece is None else piece * field
    return data[with_size(index, along, index[along] + begin)]


@Split.relax
def _relax_split(relax: Any, data: Any, indices_or_sections: Any, axis: int) -> Any:
    borders = _borders(int(data.ty.shape[axis]), indices_or_sections)
    if len(borders) > 1 and all(begin < end for begin, end in borders):
        return relax.split(data, indices_or_sections, axis)
    # relax.split rejects empty pieces, and a single piece comes out of it as a bare tensor.
    pieces = [relax.strided_slice(data, [axis], [begin], [end]) for begin, end in borders]
    return relax.base.tvm.relax.Tuple(pieces)


@operator(dtypes=ALL_DTYPES, relax="broadcast_to")
def BroadcastTo(need: Need, data: Tensor, *, shape: Shape) -> TensorType:
    """Repeat `data` along new leading axes and axes of size 1 until it has `shape`.

    Source: relax.broadcast_to.
    """
    need(data.ndim <= len(shape), "a shape to broadcast to must not have fewer axes")
    for size, target in zip(data.shape, shape[len(shape) - data.ndim :], strict=True):
        fits = disjunction(equal(size, target), equal(size, 1))
        need(fits, "only axes of size 1 are broadcast")
    return data.with_shape(shape)


@BroadcastTo.numpy
def _broadcast_to(data: Any, shape: Any) -> Any:
    return np.broadcast_to(data, shape)


@BroadcastTo.kernel
def _broadcast_to_element(index: Index, data: Elements, shape: Any) -> Expression:
    return data[stretched(index, data.shape, [tuple(shape)])]


@operator(dtypes=ALL_DTYPES, relax="repeat")
def Repeat(need: Need, data: Tensor, *, repeats: Positive, axis: OneAxis) -> TensorType:
    """Repeat every slice along `axis` as often as `repeats` says: a b becomes a a b b.

    Source: relax.repeat.
    """
    along = known_axis(axis, data.ndim)
    return data.with_shape(with_size(data.shape, along, data.shape[along] * repeats))


@Repeat.numpy
def _repeat(data: Any, repeats: int, axis: int) -> Any:
    return np.repeat(data, repeats, axis)


@Repeat.kernel
def _repeat_element(index: Index, data: Elements, repeats: Any, axis: int) -> Expression:
    along = axis % data.ndim
    return data[with_size(index, along, index[along] // repeats)]


@operator(dtypes=ALL_DTYPES, relax="tile")
def Tile(need: Need, data: Tensor, *, repeats: PerAxis) -> TensorType:
    """Repeat the whole tensor `repeats[i]` times along axis i: a b becomes a b a b.

    Source: relax.tile.
    """
    return data.with_shape(tuple(s * r for s, r in zip(data.shape, repeats, strict=True)))


@Tile.numpy
def _tile(data: Any, repeats: Any) -> Any:
    return np.tile(data, repeats)


@Tile.kernel
def _tile_element(index: Index, data: Elements, repeats: Any) -> Expression:
    return data[tuple(i % size for i, size in zip(index, data.shape, strict=True))]
