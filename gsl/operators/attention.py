"""Attention as torch and ONNX have it today, and the embedding of positions by rotations."""

from __future__ import annotations

from math import inf
from typing import Annotated, Any

import numpy as np

from gsl.attr.evaluate import conjunction, contains, disjunction, equal, maximum
from gsl.kernel.expression import Expression
from gsl.kernel.meaning import Elements, Index, apply, select, stretched, total
from gsl.numpy_dtypes import finfo
from gsl.operators.create import constant, scalar
from gsl.operators.declaration import MaybeTensor, Need, Tensor, operator
from gsl.operators.kinds import Flag
from gsl.operators.linear import AttentionScale
from gsl.operators.shapes import need_rank
from gsl.types import FLOATING, Int, TensorType


@operator(dtypes=None)
def MaskedAttention(
    need: Need,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: MaybeTensor,
    *,
    scale: Annotated[Any, AttentionScale()] = None,
    is_causal: Flag = False,
) -> TensorType:
    """Average values with the softmax of scaled and masked products of queries and keys as weights.

    Query [B, N, S, H], key [B, G, T, H] and value [B, G, T, V] give [B, N, S, V]: G divides N, and
    N / G neighbouring heads share one of key and value. `mask` may be absent; it broadcasts to
    [B, N, S, T] and is added to the scaled products, or as bool keeps those where it is true. With
    `is_causal` query i sees keys up to i. Every query must see a key. Without a `scale` it is
    1 / sqrt(H). Source: torch's scaled_dot_product_attention; onnx.Attention.
    """
    for name, operand in (("query", query), ("key", key), ("value", value)):
        need_rank(need, operand.shape, 4, name)
        need(contains(operand.dtype, FLOATING), "query, key and value must be floating")
        need(equal(operand.dtype, query.dtype), "query, key and value must have one dtype")
    b, n, s, h = query.shape
    _, g, t, v = value.shape
    need(equal(key.shape, (b, g, t, h)), "the key must fit to the query and the value")
    need(equal(value.shape, (b, g, t, v)), "the value must have the batches of the query")
    need(conjunction(g >= 1, t >= 1), "there must be a key to look at")
    need(equal(n % g, 0), "the heads of the key must divide those of the query")
    if isinstance(mask, TensorType):
        is_right = disjunction(equal(mask.dtype, "bool"), equal(mask.dtype, query.dtype))
        need(is_right, "the mask must be bool or have the dtype of the query")
        need(mask.ndim <= 4, "the mask must broadcast to the products")
        fits = (
            disjunction(equal(size, 1), equal(size, whole))
            for size, whole in zip(mask.shape[::-1], (t, s, n, b), strict=False)
        )
        need(conjunction(*fits), "the mask must broadcast to the products")
    return TensorType((b, n, s, v), query.dtype)


def _shared(heads: Any, count: int) -> Any:
    """Return keys or values with as many heads as queries have."""
    return np.repeat(heads, count // heads.shape[1], axis=1)


@MaskedAttention.numpy
def _masked_attention(
    query: Any, key: Any, value: Any, mask: Any, scale: float, is_causal: bool
) -> Any:
    count = query.shape[1]
    scores = np.einsum("bnsh,bnth->bnst", query, _shared(key, count)) * scale
    seen = np.tril(np.ones(scores.shape[2:], bool)) if is_causal else np.ones((1, 1), bool)
    if not isinstance(mask, tuple):
        if mask.dtype == bool:
            seen = seen & mask
        else:
            scores = scores + mask
    masked = np.where(np.broadcast_to(seen, scores.shape), scores, -inf)
    powers = np.exp(masked - np.max(masked, axis=-1, keepdims=True))
    weights = powers / np.sum(powers, axis=-1, keepdims=True)
    return np.einsum("bnst,bntv->bnsv", weights, _shared(value, count))


@MaskedAttention.kernel
def _masked_attention_element(
    index: Index,
    query: Elements,
    key: Elements,
    value: Elements,
    mask: Any,
    scale: Any,
    is_causal: bool,
) -> Expression:
    b, n, s, v = index
    keys, heads = key.shape[2:]
    group = n // (query.shape[1] // key.shape[1])
    whole = *query.shape[:3], keys

    def power(t: Any) -> Expression:
        score = total([heads], lambda h: query[b, n, s, h] * key[b, group, t, h]) * scale
        if isinstance(mask, tuple):
            found = apply("exp", score)
        else:
            own = mask[stretched((b, n, s, t), mask.shape, [whole])]
            kept = apply("select", own, apply("exp", score), 0)
            found = select(equal(mask.dtype, "bool"), kept, apply("exp", score + own))
        return select(t <= s, found, 0) if is_causal else found

    weighted = total([keys], lambda t: power(t) * value[b, group, t, v])
    return weighted / total([keys], power)


@MaskedAttention.relax
def _relax_masked_attention(
    relax: Any, query: Any, key: Any, value: Any, mask: Any, scale: float, is_causal: bool
) -> Any:
    dtype, (_, n, s, _) = str(query.ty.dtype), map(int, query.ty.shape)
    _, count, t, _ = map(int, key.ty.shape)
    keys, values = (one if count == n else relax.repeat(one, n // count, 1) for one in (key, value))
    seen = np.tril(np.ones((s, t), bool)) if is_causal else None
    return relax_attention(relax, query, keys, values, mask, scale, dtype, seen)


def relax_attention(
    relax: Any,
    query: Any,
    keys: Any,
    values: Any,
    mask: Any,
    scale: float,
    dtype: str,
    seen: Any,
) -> Any:
    """Lower attention with as many heads everywhere; `seen` tells which keys count, None all."""
    products = relax.matmul(query, relax.permute_dims(keys, (0, 1, 3, 2)))
    scores = relax.multiply(products, scalar(relax, scale, dtype))
    least = scalar(relax, float(finfo(dtype).min), dtype)
    if mask is not None and str(mask.ty.dtype) != "bool":
        scores = relax.add(scores, mask)
    elif mask is not None:
        scores = relax.where(mask, scores, least)
    if seen is not None:
        scores = relax.where(constant(relax, seen), scores, least)
    return relax.matmul(relax.nn.softmax(scores, -1), values)


@operator(dtypes=FLOATING)
def RotaryEmbedding(
    need: Need, data: Tensor, cos: Tensor, sin: Tensor, *, interleaved: Flag = False
) -> TensorType:
    """Rotate pairs of elements by the angles of their positions.

    Data [B, N, S, H] has N heads of S positions; cosines and sines [B, S, R] rotate the first 2 R
    of H elements, and the others stay. A pair is element i and i + R, or with `interleaved` 2 i and
    2 i + 1. Source: onnx.RotaryEmbedding without the table of positions, which Take looks up.
    """
    need_rank(need, data.shape, 4, "data")
    need_rank(need, cos.shape, 3, "cos")
    need(equal(cos.shape, sin.shape), "cosines and sines must have one shape")
    b, _, s, h = data.shape
    need(equal(cos.shape[:2], (b, s)), "there must be cosines for each batch and position")
    need(2 * cos.shape[2] <= h, "no more elements may be rotated than there are")
    return data


def _pairs(size: int, interleaved: bool) -> tuple[Any, Any, Any]:
    """Return the places of first and of second elements, and the order that puts pairs in place."""
    first = np.arange(size) * 2 if interleaved else np.arange(size)
    second = first + 1 if interleaved else first + size
    return first, second, np.argsort(np.concatenate([first, second]))


@RotaryEmbedding.numpy
def _rotary(data: Any, cos: Any, sin: Any, interleaved: bool) -> Any:
    size = cos.shape[-1]
    first, second, order = _pairs(size, interleaved)
    one, other = np.take(data, first, -1), np.take(data, second, -1)
    cosines, sines = np.expand_dims(cos, 1), np.expand_dims(sin, 1)
    turned = one * cosines - other * sines, one * sines + other * cosines
    rotated = np.take(np.concatenate(turned, -1), order, -1)
    return np.concatenate([rotated, data[..., 2 * size :]], -1)


@RotaryEmbedding.kernel
def _rotary_element(
    index: Index, data: Elements, cos: Elements, sin: Elements, interleaved: bool
) -> Expression:
    b, n, s, place = index
    size: Int = cos.shape[2]
    pair = place // 2 if interleaved else place % maximum(size, 1)
    is_first = equal(place % 2, 0) if interleaved else place < size
    first = 2 * pair if interleaved else pair
    second = first + 1 if interleaved else first + size

    def element(at: Int) -> Expression:
        return data.padded((b, n, s, at))

    def angle(of: Elements) -> Expression:
        return of.padded((b, s, pair))

    real = element(first) * angle(cos) - element(second) * angle(sin)
    imaginary = element(first) * angle(sin) + element(second) * angle(cos)
    rotated = select(is_first, real, imaginary)
    return select(place < 2 * size, rotated, data[index])


@RotaryEmbedding.relax
def _relax_rotary(relax: Any, data: Any, cos: Any, sin: Any, interleaved: bool) -> Any:
    size, whole = int(cos.ty.shape[2]), int(data.ty.shape[3])
    first, second, order = _pairs(size, interleaved)
    one, other = (
        relax.take(data, constant(relax, places), 3, mode="clip") for places in (first, second)
    )
    cosines, sines = relax.expand_dims(cos, 1), relax.expand_dims(sin, 1)
    real = relax.subtract(relax.multiply(one, cosines), relax.multiply(other, sines))
    imaginary = relax.add(relax.multiply(one, sines), relax.multiply(other, cosines))
    turned = relax.concat([real, imaginary], 3)
    rotated = relax.take(turned, constant(relax, order), 3, mode="clip")
    if whole == 2 * size:
        return rotated
    rest = relax.strided_slice(data, [3], [2 * size], [whole])
    return relax.concat([rotated, rest], 3)
