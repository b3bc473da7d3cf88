"""Indexing of PyTorch written with fewer forms: indices of the first axes, and windows.

Every function is a decomposition: it takes the arguments of an operator of PyTorch behind the
package, and returns NotImplemented for a call that needs none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

Indices = Sequence[Any]


def elements_at(torch: Any, data: Any, indices: Indices) -> Any:
    """Move the axes that have an index to the front, and the axes of the indices where they go."""
    places = _indexed(indices)
    is_known = len(places) == 1 or places == list(range(len(indices)))
    if is_known or _has_masks(torch, indices):
        return NotImplemented
    found = torch.ops.aten.index.Tensor(_in_front(data, places), [indices[at] for at in places])
    axes = found.dim() - (data.dim() - len(places))
    return found.permute(_behind(places, axes, found.dim()))


def put(torch: Any, data: Any, indices: Indices, values: Any, accumulate: bool = False) -> Any:
    """Write at indices of the first axes; one value where a mask holds is a choice of elements."""
    places = _indexed(indices)
    if _has_masks(torch, indices):
        mask = indices[places[0]]
        if accumulate or len(places) > 1 or values.numel() != 1:
            return NotImplemented
        left, right = places[0], data.dim() - places[0] - mask.dim()
        return torch.where(mask.reshape(*[1] * left, *mask.shape, *[1] * right), values, data)
    if places == list(range(len(indices))):
        return NotImplemented
    moved, own = _in_front(data, places), [indices[at] for at in places]
    axes = len(torch.broadcast_shapes(*(one.shape for one in own)))
    rank = axes + data.dim() - len(places)
    order = _behind(places, axes, rank)
    values = values.reshape(*[1] * (rank - values.dim()), *values.shape)
    values = values.permute(_inverse(order))
    written = torch.ops.aten.index_put.default(moved, own, values, accumulate)
    front = [*places, *(axis for axis in range(data.dim()) if axis not in places)]
    return written.permute(_inverse(front))


def _indexed(indices: Indices) -> list[int]:
    return [place for place, one in enumerate(indices) if one is not None]


def _has_masks(torch: Any, indices: Indices) -> bool:
    return any(one is not None and one.dtype in (torch.bool, torch.uint8) for one in indices)


def _in_front(data: Any, places: Sequence[int]) -> Any:
    return data.permute(*places, *(axis for axis in range(data.dim()) if axis not in places))


def _behind(places: Sequence[int], axes: int, rank: int) -> list[int]:
    """Return the order that takes the first axes where PyTorch has them.

    They are where the axes with an index were, if these lie side by side, else in front.
    """
    if places[-1] - places[0] + 1 != len(places):
        return list(range(rank))
    before = range(axes, axes + places[0])
    return [*before, *range(axes), *range(axes + places[0], rank)]


def _inverse(order: Sequence[int]) -> list[int]:
    return sorted(range(len(order)), key=order.__getitem__)


def windows(torch: Any, data: Any, dimension: int, size: int, step: int) -> Any:
    """Lay windows of one axis along a new last axis."""
    axis = dimension % max(data.dim(), 1)
    if not data.dim():
        return NotImplemented
    count = (data.shape[axis] - size) // step + 1
    begins = torch.arange(count, device=data.device) * step
    places = begins.reshape(-1, 1) + torch.arange(size, device=data.device)
    pieces = data.index_select(axis, places.reshape(-1)).unflatten(axis, (count, size))
    return pieces.movedim(axis + 1, -1)


def strided(
    torch: Any, data: Any, size: Sequence[int], stride: Sequence[int], offset: int | None = None
) -> Any:
    """Take elements by their place in memory, which is known where elements lie in order."""
    if not data.is_contiguous() or data.storage_offset():
        return NotImplemented
    places = torch.full((), offset or 0, dtype=torch.int64, device=data.device)
    for length, step in zip(size, stride, strict=True):
        places = places.unsqueeze(-1) + torch.arange(length, device=data.device) * step
    if math.prod(size) == data.numel() and [*stride] == [*data.reshape(size).stride()]:
        return NotImplemented
    return data.reshape(-1).index_select(0, places.reshape(-1)).reshape(size)


def trimmed(torch: Any, operator: Any) -> Callable[..., Any]:
    """Return the decomposition of a scatter that leaves out elements which no index is for."""

    def decomposed(data: Any, axis: int, index: Any, source: Any, *more: Any, **ways: Any) -> Any:
        if not index.dim() or index.shape == source.shape:
            return NotImplemented
        own = source[tuple(map(slice, index.shape))]
        return operator(data, axis, index, own, *more, **ways)

    return decomposed


def diagonal_written(
    torch: Any, data: Any, source: Any, offset: int = 0, first: int = 0, second: int = 1
) -> Any:
    """Write the elements of a diagonal at their indices."""
    first, second = first % data.dim(), second % data.dim()
    length = source.shape[-1]
    along = torch.arange(length, device=data.device)
    indices: list[Any] = [None] * data.dim()
    indices[first], indices[second] = along - min(offset, 0), along + max(offset, 0)
    is_apart = abs(first - second) > 1
    values = source.movedim(-1, 0 if is_apart else min(first, second))
    return torch.ops.aten.index_put.default(data, indices, values)


def diagonal(torch: Any, data: Any, offset: int = 0, first: int = 0, second: int = 1) -> Any:
    """Read the elements of a diagonal at their indices; its axis comes last."""
    first, second = first % data.dim(), second % data.dim()
    rows, columns = data.shape[first] + min(offset, 0), data.shape[second] - max(offset, 0)
    along = torch.arange(max(0, min(rows, columns)), device=data.device)
    moved = data.movedim((first, second), (0, 1))
    return moved[along - min(offset, 0), along + max(offset, 0)].movedim(0, -1)


def steps(torch: Any, *limits: float, dtype: Any = None, **ways: Any) -> Any:
    """Write numbers between limits that are not whole with whole ones."""
    if not any(isinstance(limit, float) for limit in limits):
        return NotImplemented
    start, end, step = {1: (0, *limits, 1), 2: (*limits, 1)}.get(len(limits), limits)
    count = max(0, math.ceil((end - start) / step))
    whole = torch.arange(count, device=ways.get("device")).to(torch.float64)
    return (whole * step + start).to(dtype or torch.get_default_dtype())
