"""Operators of PyTorch that are about the order of elements, written with sums, sorts and extrema.

Every function is a decomposition: it takes the arguments of an operator of PyTorch behind the
package, and returns NotImplemented for a call that is read as it is, or not at all.
"""

from __future__ import annotations

from typing import Any

MOST = 2**26
"""Comparisons of all pairs are written out up to so many."""


def running_largest(torch: Any, data: Any, axis: int) -> Any:
    """Return the largest elements so far, and the last places where these are."""
    found = _so_far(torch, data, axis, -torch.inf)
    if found is NotImplemented:
        return found
    spread, before, places = found
    return _extremes(torch, spread, spread.amax(-1), before, places, axis)


def running_least(torch: Any, data: Any, axis: int) -> Any:
    """Return the least elements so far, and the last places where these are."""
    found = _so_far(torch, data, axis, torch.inf)
    if found is NotImplemented:
        return found
    spread, before, places = found
    return _extremes(torch, spread, spread.amin(-1), before, places, axis)


def running_log_sum(torch: Any, data: Any, axis: int) -> Any:
    """Return the logarithms of the sums of exponentials so far."""
    found = _so_far(torch, data, axis, -torch.inf)
    return found if found is NotImplemented else found[0].logsumexp(-1).movedim(-1, axis)


def _so_far(torch: Any, data: Any, axis: int, worst: float) -> Any:
    """Return for each element all of its line, `worst` from behind it on, and which come before."""
    if not data.dim() or data.dtype == torch.bool or data.numel() * data.shape[axis] > MOST:
        return NotImplemented
    if not data.dtype.is_floating_point:
        limits = torch.iinfo(data.dtype)
        worst = limits.max if worst > 0 else limits.min
    places = torch.arange(data.shape[axis], device=data.device)
    before = places <= places.reshape(-1, 1)
    line = data.movedim(axis, -1).unsqueeze(-2)
    fill = torch.full((), worst, dtype=data.dtype, device=data.device)
    return torch.where(before, line, fill), before, places


def _extremes(torch: Any, spread: Any, values: Any, before: Any, places: Any, axis: int) -> Any:
    hit = before & (spread == values.unsqueeze(-1))
    where = torch.where(hit, places, torch.zeros_like(places)).amax(-1)
    return values.movedim(-1, axis), where.movedim(-1, axis)


def least(torch: Any, data: Any, axis: int, keepdim: bool = False) -> Any:
    """Return the least elements and the first places where these are."""
    return data.amin(axis, keepdim), data.argmin(axis, keepdim)


def place_of_largest(torch: Any, data: Any, axis: int | None = None, keepdim: bool = False) -> Any:
    """Write the place among all elements, in order, as one along a single axis."""
    if axis is not None:
        return NotImplemented
    found = data.reshape(-1).argmax(0)
    return found.reshape([1] * data.dim()) if keepdim else found


def place_of_least(torch: Any, data: Any, axis: int | None = None, keepdim: bool = False) -> Any:
    """Write the place among all elements, in order, as one along a single axis."""
    if axis is not None:
        return NotImplemented
    found = data.reshape(-1).argmin(0)
    return found.reshape([1] * data.dim()) if keepdim else found


def sorted_stably(
    torch: Any, data: Any, *, stable: bool | None, dim: int = -1, descending: bool = False
) -> Any:
    """Write a sort that keeps equal elements in order as any other: sorts here do."""
    return torch.ops.aten.sort.default(data, dim, descending)


def kth_value(torch: Any, data: Any, k: int, axis: int = -1, keepdim: bool = False) -> Any:
    """Return the element that k - 1 others come before, and where it is."""
    values, places = data.sort(axis)
    found = [one.narrow(axis, k - 1, 1) for one in (values, places)]
    return tuple(found if keepdim else (one.squeeze(axis) for one in found))


def median(torch: Any, data: Any) -> Any:
    """Return the lower of the elements in the middle of all."""
    return median_along(torch, data.reshape(-1), 0)[0]


def median_along(torch: Any, data: Any, axis: int = -1, keepdim: bool = False) -> Any:
    """Return the lower of the elements in the middle of an axis, NaN if there is one, and where."""
    if not data.dim():
        return NotImplemented
    values, places = kth_value(torch, data, (data.shape[axis] + 1) // 2, axis, keepdim)
    if data.dtype.is_floating_point:
        unknown = data.isnan().any(axis, keepdim)
        values = torch.where(unknown, torch.full_like(values, torch.nan), values)
    return values, places


def places_in_sorted(
    torch: Any,
    line: Any,
    data: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Any = None,
) -> Any:
    """Count how many elements of a sorted line are below each number, or at most it."""
    if sorter is not None or data.numel() * line.shape[-1] > MOST:
        return NotImplemented
    lines = line if line.dim() == 1 else line.unsqueeze(-2)
    own = data.unsqueeze(-1)
    is_before = lines <= own if right or side == "right" else lines < own
    return is_before.sum(-1).to(torch.int32 if out_int32 else torch.int64)


def buckets(
    torch: Any, data: Any, boundaries: Any, *, out_int32: bool = False, right: bool = False
) -> Any:
    """Count how many boundaries are below each number, or at most it."""
    return places_in_sorted(torch, boundaries, data, out_int32=out_int32, right=right)
