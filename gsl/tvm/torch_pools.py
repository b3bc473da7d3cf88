"""Pools of PyTorch that TVM's frontend lacks or half reads: other divisors, parts, and places.

Every function but `wants_places` is a decomposition: it takes the arguments of an operator of
PyTorch behind the package, and returns NotImplemented for a call that is read as it is.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any

LARGEST = "max_pool"
"""Part of the names of all pools that tell where the largest elements are."""


def average(
    torch: Any,
    data: Any,
    kernel: Any,
    stride: Any = (),
    padding: Any = 0,
    ceil: bool = False,
    counted: bool = True,
    divisor: int | None = None,
) -> Any:
    """Write an average whose sum is divided by another number."""
    if divisor is None or ceil:
        return NotImplemented
    axes = data.dim() - 2 if data.dim() > 3 else 2
    kernel = kernel if len(kernel) > 1 else [*kernel] * axes
    pool = torch.nn.functional.avg_pool3d if len(kernel) == 3 else torch.nn.functional.avg_pool2d
    mean = pool(data, kernel, stride or None, padding, False, True)
    return mean * (math.prod(kernel) / divisor)


def averages_of_parts(torch: Any, data: Any, sizes: Sequence[int]) -> Any:
    """Write averages of parts of one size as a pool."""
    lengths = data.shape[data.dim() - len(sizes) :]
    if any(length % count for length, count in zip(lengths, sizes, strict=True)):
        return NotImplemented
    kernel = [length // count for length, count in zip(lengths, sizes, strict=True)]
    return torch.nn.functional.avg_pool3d(data, kernel)


def wants_places(program: Any) -> bool:
    """Tell whether an exported program uses the places of the largest elements of a pool."""
    return any(
        user.target is operator.getitem and user.args[1] == 1
        for node in program.graph.nodes
        if LARGEST in str(node.target)
        for user in node.users
    )


def largest_in_parts(torch: Any, data: Any, sizes: Any) -> Any:
    """Return the largest elements of so many parts of the last axes, and where they are.

    Parts are as equal as sizes allow; a shorter one has its last element once more. PyTorch itself
    writes those of one size as a pool.
    """
    lengths = data.shape[data.dim() - len(sizes) :]
    if all(length % count == 0 for length, count in zip(lengths, sizes, strict=True)):
        theirs = import_module("torch._decomp").decomposition_table
        pool = getattr(torch.ops.aten, f"adaptive_max_pool{len(sizes)}d")
        return theirs[pool.default](data, sizes)
    places = []
    for length, count in zip(lengths, sizes, strict=True):
        steps = torch.arange(count, device=data.device).reshape(-1, 1)
        begins, ends = steps * length // count, ((steps + 1) * length + count - 1) // count
        most = max(-(-(at + 1) * length // count) - at * length // count for at in range(count))
        places.append(torch.minimum(begins + torch.arange(most, device=data.device), ends - 1))
    return _largest(torch, data, places)


def _largest_in_windows(
    torch: Any,
    data: Any,
    kernel: Sequence[int],
    stride: Sequence[int] = (),
    padding: Any = 0,
    dilation: Any = 1,
    ceil: bool = False,
    *,
    axes: int,
) -> Any:
    """Return the largest elements of windows, and where they are among all of an image."""
    kernel, padding, dilation = (_for_each(one, axes) for one in (kernel, padding, dilation))
    stride, places = _for_each(stride or kernel, axes), []
    for length, *own in zip(data.shape[-axes:], kernel, stride, padding, dilation, strict=True):
        size, step, before, apart = own
        rest = length + 2 * before - apart * (size - 1) - 1
        count = (-(-rest // step) if ceil else rest // step) + 1
        count -= ceil and (count - 1) * step >= length + before
        begins = (torch.arange(count, device=data.device) * step - before).reshape(-1, 1)
        # What lies in the padding is the first or the last element that does not.
        first = begins + apart * ((-begins).clamp(min=0) + apart - 1).div(
            apart, rounding_mode="floor"
        )
        last = begins + apart * (length - 1 - begins).div(apart, rounding_mode="floor")
        window = begins + apart * torch.arange(size, device=data.device)
        places.append(torch.minimum(torch.maximum(window, first), last))
    return _largest(torch, data, places)


def _for_each(sizes: Any, axes: int) -> list[int]:
    listed = [sizes] if isinstance(sizes, int) else [*sizes]
    return listed * (axes if len(listed) == 1 else 1)


def _largest(torch: Any, data: Any, places: Sequence[Any]) -> Any:
    """Return the largest elements at places of the last axes, and which of all these are.

    `places` has a matrix for each axis: a row for each result.
    """
    axes = len(places)
    lead = data.dim() - axes
    whole = torch.zeros([1] * 2 * axes, dtype=torch.int64, device=data.device)
    for number, own in enumerate(places):
        axis = lead + 2 * number
        length = data.shape[axis]
        data = data.index_select(axis, own.reshape(-1)).unflatten(axis, own.shape)
        around = [1] * 2 * number, [1] * 2 * (axes - number - 1)
        whole = whole * length + own.reshape(*around[0], *own.shape, *around[1])
    results = range(0, 2 * axes, 2)
    order = [*results, *(axis + 1 for axis in results)]
    parts = data.permute(*range(lead), *(lead + axis for axis in order)).flatten(-axes)
    whole = whole.permute(order).flatten(-axes).expand(parts.shape)
    best = parts.argmax(-1, keepdim=True)
    return parts.amax(-1), whole.gather(-1, best).squeeze(-1)


ADAPTIVE: Mapping[str, Callable[..., Any]] = {
    "adaptive_max_pool2d.default": largest_in_parts,
    "adaptive_max_pool3d.default": largest_in_parts,
}
WITH_PLACES: Mapping[str, Callable[..., Any]] = {
    "max_pool2d_with_indices.default": partial(_largest_in_windows, axes=2),
    "max_pool3d_with_indices.default": partial(_largest_in_windows, axes=3),
}
"""What pools are written as where the places of the largest elements are used."""
