"""Elements and rows of PyTorch that are combined by groups: bags, histograms, scattered elements.

Every function is a decomposition: it takes the arguments of an operator of PyTorch behind the
package, and returns NotImplemented for a call that is read as it is, or not at all.
"""

from __future__ import annotations

from typing import Any

NEUTRAL = {"sum": 0.0, "mean": 0.0, "prod": 1.0, "amax": float("-inf"), "amin": float("inf")}
"""What elements are combined with that count as none."""

SUM, MEAN, LARGEST = range(3)
"""How the rows of a bag are combined, as PyTorch numbers it."""


def scattered(
    torch: Any, data: Any, axis: int, index: Any, source: Any, how: str, include_self: bool = True
) -> Any:
    """Combine elements at places along an axis; there may be more elements than places."""
    if index.dim() and index.shape != source.shape:
        source = source[tuple(map(slice, index.shape))]
    elif how != "mean" and include_self:
        return NotImplemented
    count = torch.zeros_like(data, dtype=torch.int64)
    count = count.scatter_add(axis, index, torch.ones_like(source, dtype=torch.int64))
    if not include_self:
        neutral = torch.full_like(data, _neutral(torch, data.dtype, how))
        data = torch.where(count > 0, neutral, data)
    if how != "mean":
        return data.scatter_reduce(axis, index, source, how)
    count = count + 1 if include_self else count.clamp(min=1)
    total, rounding = data.scatter_add(axis, index, source), None
    if not data.dtype.is_floating_point:
        rounding = "floor"
    return torch.div(total, count.to(data.dtype), rounding_mode=rounding)


def _neutral(torch: Any, dtype: Any, how: str) -> Any:
    value = NEUTRAL[how]
    if dtype.is_floating_point or value in (0.0, 1.0):
        return value
    return torch.iinfo(dtype).min if value < 0 else torch.iinfo(dtype).max


def bags(
    torch: Any,
    weight: Any,
    indices: Any,
    offsets: Any,
    scale_grad_by_freq: bool = False,
    mode: int = SUM,
    sparse: bool = False,
    factors: Any = None,
    include_last_offset: bool = False,
    padding_idx: int = -1,
) -> Any:
    """Combine the rows of a table that are in one bag, each of which begins at an offset.

    Returns four results, of which inference needs the first. Bags without a row are 0.
    """
    if include_last_offset:
        offsets = offsets[:-1]
    places = torch.arange(indices.shape[0], device=indices.device)
    bag = (places.reshape(-1, 1) >= offsets).sum(1) - 1
    own = torch.arange(offsets.shape[0], device=indices.device).reshape(-1, 1) == bag
    if padding_idx >= 0:
        own = own & (indices != padding_idx)
    rows = weight[indices]
    if factors is not None:
        rows = rows * factors.unsqueeze(-1)
    counts = own.sum(1)
    if mode == LARGEST:
        lowest = torch.full((), -torch.inf, dtype=weight.dtype, device=weight.device)
        found = torch.where(own.unsqueeze(-1), rows, lowest).amax(1)
        found = torch.where(counts.unsqueeze(-1) > 0, found, torch.zeros_like(found))
    else:
        found = torch.matmul(own.to(weight.dtype), rows)
    if mode == MEAN:
        found = found / counts.clamp(min=1).unsqueeze(-1).to(weight.dtype)
    return found, bag, counts, torch.zeros_like(counts)


def histogram(torch: Any, data: Any, bins: int = 100, min: float = 0, max: float = 0) -> Any:
    """Count elements in intervals of one length; those outside count nowhere.

    Without limits these would be the extreme elements, which are not written down here.
    """
    if not min < max:
        return NotImplemented
    flat = data.reshape(-1, 1)
    place = ((flat - min) * bins / (max - min)).floor().clamp(max=bins - 1)
    inside = (flat >= min) & (flat <= max)
    hit = (place == torch.arange(bins, device=data.device)) & inside
    return hit.to(data.dtype).sum(0)


def grouped_product(torch: Any, data: Any, weight: Any, offs: Any = None, *more: Any) -> Any:
    """Multiply rows [S, K] by matrices [G, K, N]; rows below offs[g] that are left belong to g.

    Every row is multiplied by every matrix: which rows belong to a group is not known before. Rows
    of no group are 0.
    """
    is_plain = data.dim() == 2 and weight.dim() == 3 and offs is not None
    if not is_plain or any(one is not None for one in more):
        return NotImplemented
    rows = torch.arange(data.shape[0], device=data.device).reshape(1, -1, 1)
    ends = offs.reshape(-1, 1, 1)
    begins = torch.cat([torch.zeros_like(ends[:1]), ends[:-1]])
    own = (rows >= begins) & (rows < ends)
    products = torch.matmul(data.unsqueeze(0), weight)
    return torch.where(own, products, torch.zeros_like(products)).sum(0)
