"""Attention, and the embedding of positions by rotations."""

from __future__ import annotations

from typing import Any

import numpy as np

from gsl.expr import Call, Expr, Tuple
from gsl.onnx.build import call, reshape, transpose
from gsl.onnx.emitter import Emitter, Value, dtype_of
from gsl.onnx.errors import RowError
from gsl.onnx.site import Site
from gsl.onnx.table import reads, writes


def by_heads(data: Expr, heads: Any) -> Expr:
    """Return [B, S, N H] as [B, N, S, H]; what has four axes stays."""
    if len(data.shape) == 4:
        return data
    if not heads:
        raise RowError("the number of heads is not given")
    b, s, whole = data.shape
    return transpose(reshape(data, (b, s, heads, whole // heads)), (0, 2, 1, 3))


def joined(data: Expr) -> Expr:
    """Return [B, N, S, H] as [B, S, N H]."""
    b, n, s, h = data.shape
    return reshape(transpose(data, (0, 2, 1, 3)), (b, s, n * h))


def with_past(site: Site, past: tuple[int, int], keys: Expr, values: Expr) -> tuple[Expr, Expr]:
    """Return keys and values behind those of earlier positions, which are inputs if there are any.

    All are [B, N, S, H]. Raises RowError where only keys or only values have a past.
    """
    before_keys, before_values = (site.optional(place) for place in past)
    if before_keys is None and before_values is None:
        return keys, values
    if before_keys is None or before_values is None:
        raise RowError("only one of its keys and values has a past")
    both = (before_keys, keys), (before_values, values)
    longer_keys, longer_values = (call("Concatenate", Tuple(one), axis=2) for one in both)
    return longer_keys, longer_values


@reads("Attention", since=23)
def _attention(site: Site) -> list[Expr]:
    query, key, value = (site.operand(place) for place in range(3))
    heads = site.attribute("q_num_heads", 0), site.attribute("kv_num_heads", 0)
    mask, is_causal = site.optional(3), bool(site.attribute("is_causal", 0))
    if site.attribute("softcap", 0.0):
        raise RowError("its softcap bends the scores")
    if site.attribute("qk_matmul_output_mode", 0) and len(site.used) > 3 and site.used[3]:
        raise RowError("its scores are wanted, too")
    if is_causal and site.has(4):
        raise RowError("it is causal behind a past")
    keys, values = with_past(site, (4, 5), by_heads(key, heads[1]), by_heads(value, heads[1]))
    result = call(
        "MaskedAttention",
        by_heads(query, heads[0]),
        keys,
        values,
        Tuple([]) if mask is None else mask,
        scale=site.attribute("scale", None),
        is_causal=is_causal,
    )
    return [joined(result) if len(query.shape) == 3 else result, keys, values]


@reads("RotaryEmbedding", since=23)
def _rotary(site: Site) -> Expr:
    data, cos, sin, places = (site.optional(place) for place in range(4))
    assert data is not None
    assert cos is not None
    assert sin is not None
    heads, size = site.attribute("num_heads", 0), site.attribute("rotary_embedding_dim", 0)
    if places is not None:
        cos, sin = (call("Take", table, places, axis=0) for table in (cos, sin))
    is_joined = len(data.shape) == 3
    apart = by_heads(data, heads)
    if (size or apart.shape[3]) != 2 * cos.shape[-1]:
        raise RowError("its rotary_embedding_dim does not fit to the cosines")
    interleaved = bool(site.attribute("interleaved", 0))
    result = call("RotaryEmbedding", apart, cos, sin, interleaved=interleaved)
    return joined(result) if is_joined else result


def _composed(
    out: Emitter, written: Call, query: Value, key: Value, value: Value, mask: Any
) -> Any:
    (_, n, s, _), (_, heads, t, _) = (one.shape for one in written.operands[:2])
    if heads != n:
        key, value = (
            _repeated(out, one, operand.shape, n // heads)
            for one, operand in zip((key, value), written.operands[1:3], strict=True)
        )
    scores = out.node("MatMul", query, out.transpose(key, (0, 1, 3, 2)))
    scores = out.node("Mul", scores, out.number(written.attributes["scale"], query))
    least = out.number(-np.inf, query)
    if mask != [] and dtype_of(mask) == "bool":
        scores = out.node("Where", mask, scores, least)
    elif mask != []:
        scores = out.node("Add", scores, mask)
    if written.attributes["is_causal"]:
        seen = out.constant(np.tril(np.ones((s, t), bool)))
        scores = out.node("Where", seen, scores, least)
    return out.node("MatMul", out.node("Softmax", scores, axis=-1), value)


def _repeated(out: Emitter, data: Value, shape: Any, repeats: int) -> Value:
    b, n, t, h = shape
    longer = out.node("Expand", out.unsqueeze(data, [2]), out.integers((b, n, repeats, t, h)))
    return out.reshape(longer, (b, n * repeats, t, h))


@writes("MaskedAttention")
def _write_old_attention(out: Emitter, written: Call, *operands: Any) -> Any:
    return _composed(out, written, *operands)


@writes("MaskedAttention", since=23)
def _write_attention(out: Emitter, written: Call, *operands: Any) -> Any:
    query, key, value, mask = operands
    if dtype_of(query) == "float64":  # its scale would be an attribute of single precision
        return _composed(out, written, *operands)
    more = () if mask == [] else (mask,)
    how = {name: written.attributes[name] for name in ("scale", "is_causal")}
    return out.node(
        "Attention", query, key, value, *more, **{**how, "is_causal": int(how["is_causal"])}
    )


@writes("RotaryEmbedding")
def _write_old_rotary(out: Emitter, written: Call, data: Value, cos: Value, sin: Value) -> Any:
    size, whole = written.operands[1].shape[2], written.shape[3]
    count = np.arange(size)
    is_mixed = written.attributes["interleaved"]
    places = (2 * count, 2 * count + 1) if is_mixed else (count, count + size)
    one, other = (out.node("Gather", data, out.integers(where), axis=3) for where in places)
    cosines, sines = out.unsqueeze(cos, [1]), out.unsqueeze(sin, [1])
    real = out.node("Sub", out.node("Mul", one, cosines), out.node("Mul", other, sines))
    imaginary = out.node("Add", out.node("Mul", one, sines), out.node("Mul", other, cosines))
    turned = out.node("Concat", real, imaginary, axis=3)
    order = out.integers(np.argsort(np.concatenate(places)))
    rotated = out.node("Gather", turned, order, axis=3)
    if whole == 2 * size:
        return rotated
    return out.node("Concat", rotated, out.slice(data, 3, 2 * size, whole), axis=3)


@writes("RotaryEmbedding", since=23)
def _write_rotary(out: Emitter, written: Call, data: Value, cos: Value, sin: Value) -> Any:
    size, whole = 2 * written.operands[1].shape[2], written.shape[3]
    if dtype_of(data) == "float64" or not size > 0:
        return _write_old_rotary(out, written, data, cos, sin)
    how: dict[str, Any] = {"interleaved": int(written.attributes["interleaved"])}
    if size != whole:
        how["rotary_embedding_dim"] = size
    return out.node("RotaryEmbedding", data, cos, sin, **how)
