"""Operators of PyTorch that TVM's frontend lacks, written with operators that it has."""

from __future__ import annotations

from functools import partial
from typing import Any

GROUPED = (("aten", "_grouped_mm"), ("transformers", "grouped_mm_fallback"))
"""The namespaces and names of products of rows with the matrix of their group."""


def decompositions(torch: Any) -> Any:
    """Return the decompositions of PyTorch, and those for TVM beside them."""
    table = torch.export.default_decompositions()
    table[torch.ops.aten.histc.default] = partial(_histogram, torch)
    table[torch.ops.aten.elu.default] = partial(_scaled_elu, torch)
    for namespace, name in GROUPED:
        known = getattr(getattr(torch.ops, namespace), name, None)
        if known is not None:
            table[known.default] = partial(_grouped_product, torch)
    return table


def _histogram(torch: Any, data: Any, bins: int = 100, min: float = 0, max: float = 0) -> Any:
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


def _scaled_elu(
    torch: Any, data: Any, alpha: float = 1, scale: float = 1, input_scale: float = 1
) -> Any:
    """Write ELU with scales, as SELU is one, of which TVM reads only `alpha`."""
    if scale == input_scale == 1:
        return NotImplemented
    below = ((data * input_scale).exp() - 1) * (alpha * scale)
    return torch.where(data > 0, data * scale, below)


def _grouped_product(torch: Any, data: Any, weight: Any, offs: Any = None, *more: Any) -> Any:
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
