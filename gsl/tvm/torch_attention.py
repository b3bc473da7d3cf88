"""Attention of PyTorch, written as rules of attention know it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def attention(
    torch: Any,
    theirs: Callable[..., Any],
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Any:
    """Write attention of four axes as a softmax of scaled products between two products.

    Rows of which a mask leaves nothing are 0. Short floats are left to PyTorch, which computes them
    in wider ones, and so is all that is not attention of heads in inference.
    """
    wide = query.dtype in (torch.float32, torch.float64)
    if not wide or not query.dim() == key.dim() == value.dim() == 4 or dropout_p:
        how = {"scale": scale, "enable_gqa": enable_gqa}
        return theirs(query, key, value, attn_mask, dropout_p, is_causal, **how)
    if enable_gqa:
        key, value = (_repeated(one, query.shape[1]) for one in (key, value))
    factor = query.shape[-1] ** -0.5 if scale is None else scale
    scores = torch.matmul(query, key.transpose(-1, -2)) * factor
    if is_causal:
        attn_mask = torch.ones(scores.shape[-2:], dtype=torch.bool, device=query.device).tril()
    if attn_mask is None:
        return torch.matmul(scores.softmax(-1), value)
    nothing = torch.zeros((), dtype=query.dtype, device=query.device)
    if attn_mask.dtype == torch.bool:
        attn_mask = torch.where(attn_mask, nothing, torch.full_like(nothing, -torch.inf))
    scores = scores + attn_mask
    weights = scores.softmax(-1)
    if not is_causal:
        is_left_out = scores.amax(-1, keepdim=True) == -torch.inf
        weights = torch.where(is_left_out, nothing, weights)
    return torch.matmul(weights, value)


def _repeated(heads: Any, count: int) -> Any:
    """Return as many heads, each of those that are there several times one behind the other."""
    batch, own, *rest = heads.shape
    return heads.unsqueeze(2).expand(batch, own, count // own, *rest).reshape(batch, count, *rest)
