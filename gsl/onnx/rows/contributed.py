"""Attention as the operators of onnxruntime have it: queries, keys and values beside each other."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from gsl.expr import Expr, Tuple
from gsl.onnx.build import broadcast, call, expand, part
from gsl.onnx.errors import RowError
from gsl.onnx.rows.attention import by_heads, joined, with_past
from gsl.onnx.rows.fused import MICROSOFT
from gsl.onnx.site import Site
from gsl.onnx.table import reads


def _attended(site: Site, parts: list[Expr], mask: Expr | None, is_causal: bool) -> Expr:
    """Return what queries [B, N, S, H] see of keys and values, as [B, S, N H]."""
    scale = site.attribute("scale", 0.0) or parts[0].shape[3] ** -0.5
    given = Tuple([]) if mask is None else mask
    return joined(call("MaskedAttention", *parts, given, scale=scale, is_causal=is_causal))


@reads("MultiHeadAttention", domain=MICROSOFT)
def _multi_head_attention(site: Site) -> list[Expr]:
    parts, heads = [site.operand(place) for place in range(3)], site.attribute("num_heads")
    bias, is_causal = site.optional(3), bool(site.attribute("unidirectional", 0))
    if len(parts[0].shape) != 3:
        raise RowError("its queries are packed with keys and values")
    if is_causal and site.has(6):
        raise RowError("it is causal behind a past")
    site.attribute("mask_filter_value", 0.0)  # about key_padding_mask; nodes with one stay opaque
    if bias is not None:
        parts = _biased(parts, bias)
    query, key, value = (by_heads(one, heads) for one in parts)
    keys, values = with_past(site, (6, 7), key, value)
    return [_attended(site, [query, keys, values], site.optional(5), is_causal), keys, values]


def _biased(parts: list[Expr], bias: Expr) -> list[Expr]:
    """Return queries, keys and values with a part of a bias each."""
    if any(len(one.shape) != 3 for one in parts):
        raise RowError("its bias is for other keys and values")
    ends = np.cumsum([0, *(one.shape[2] for one in parts)]).tolist()
    pieces = [part(bias, 0, *both) for both in pairwise(ends)]
    pairs = zip(parts, pieces, strict=True)
    return [call("BiasAdd", one, piece, axis=-1) for one, piece in pairs]


@reads("GroupQueryAttention", domain=MICROSOFT)
def _group_query_attention(site: Site) -> list[Expr]:
    """Read the attention of a prompt: without a past, and as long as its keys are."""
    query, key, value = (site.operand(place) for place in range(3))
    length, positions, total = query.shape[1], site.constant(5), site.constant(6)
    if np.any(positions != length - 1) or np.any(total != length):
        raise RowError("its sequences are of several lengths")
    for name, usual in (("local_window_size", -1), ("softcap", 0.0), ("smooth_softmax", 0)):
        if site.attribute(name, usual) != usual:
            raise RowError(f"its {name} changes the scores")
    heads = site.attribute("num_heads"), site.attribute("kv_num_heads")
    parts = [by_heads(query, heads[0]), *(by_heads(one, heads[1]) for one in (key, value))]
    if site.attribute("do_rotary", 0):
        parts[:2] = [_rotated(site, one) for one in parts[:2]]
    return [_attended(site, parts, None, True), *parts[1:]]


def _rotated(site: Site, data: Expr) -> Expr:
    batch, _, length, size = data.shape
    tables = [part(site.operand(place), 0, 0, length) for place in (7, 8)]
    if any(2 * table.shape[1] != size for table in tables):
        raise RowError("its cosines are not for all elements of a head")
    how: dict[str, Any] = {"interleaved": bool(site.attribute("rotary_interleaved", 0))}
    spread = [broadcast(expand(one, (0,)), (batch, length, size // 2)) for one in tables]
    return call("RotaryEmbedding", data, *spread, **how)
