"""Fused operators of the domain com.microsoft, which models carry as functions of ONNX's own.

onnxruntime has kernels for them; whoever has none computes the function.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gsl.expr import Call, Expr, Proj, Tuple, Var
from gsl.onnx.build import call
from gsl.onnx.emitter import Emitter, Value, dtype_of
from gsl.onnx.errors import RowError
from gsl.onnx.site import Site
from gsl.onnx.table import OLDEST, reads, writer_of, writes
from gsl.types import TensorType

MICROSOFT = "com.microsoft"

DTYPES = ("float32", "float16")
"""The dtypes that most operators of com.microsoft are declared for."""

SKIP = """SkipLayerNormalization <epsilon: float = 1e-12>
(input, skip, gamma, beta, bias) => (output, mean, inv_std_var, input_skip_bias_sum) {
    both = Add (input, skip)
    input_skip_bias_sum = Add (both, bias)
    output, mean, inv_std_var = LayerNormalization <axis = -1, epsilon: float = @epsilon>
        (input_skip_bias_sum, gamma, beta)
}"""

SKIP_RMS = """SkipSimplifiedLayerNormalization <epsilon: float = 1e-12>
(input, skip, gamma, bias) => (output, mean, inv_std_var, input_skip_bias_sum) {
    both = Add (input, skip)
    input_skip_bias_sum = Add (both, bias)
    output = RMSNormalization <axis = -1, epsilon: float = @epsilon> (input_skip_bias_sum, gamma)
    axes = Constant <value_ints = [-1]> ()
    mean = ReduceMean (input_skip_bias_sum, axes)
    number = Constant <value_float: float = @epsilon> ()
    least = CastLike (number, gamma)
    square = Mul (input_skip_bias_sum, input_skip_bias_sum)
    mean_square = ReduceMean (square, axes)
    shifted = Add (mean_square, least)
    root = Sqrt (shifted)
    inv_std_var = Reciprocal (root)
}"""

BIAS_GELU = """BiasGelu (A, B) => (C) {
    root = Constant <value_float = 1.4142135623730951> ()
    one = Constant <value_float = 1.0> ()
    half = Constant <value_float = 0.5> ()
    sum = Add (A, B)
    scaled = Div (sum, root)
    error = Erf (scaled)
    share = Add (error, one)
    product = Mul (sum, share)
    C = Mul (product, half)
}"""

ATTENTION = """Attention <num_heads: int, scale: float, unidirectional: int = 0>
(input, weights, bias, mask_index, past, attention_bias) => (output) {
    product = MatMul (input, weights)
    projected = Add (product, bias)
    query, key, value = Split <axis = -1, num_outputs = 3> (projected)
    output = Attention <q_num_heads: int = @num_heads, kv_num_heads: int = @num_heads,
        scale: float = @scale, is_causal: int = @unidirectional>
        (query, key, value, attention_bias)
}"""


@reads("BiasGelu", domain=MICROSOFT)
def _bias_gelu(site: Site) -> Expr:
    return call("BiasGelu", *site.operands())


def _absent(expr: Expr | None) -> Expr:
    return Tuple([]) if expr is None else expr


def _four_results(made: Expr) -> list[Expr | None]:
    """Return the results of a normalisation; statistics are wanted in training only."""
    return [Proj(made, 0), None, None, Proj(made, 1)]


@reads("SkipLayerNormalization", domain=MICROSOFT)
def _skip_layer_norm(site: Site) -> list[Expr | None]:
    data, skip, gamma = (site.operand(place) for place in range(3))
    beta, bias = site.optional(3), site.optional(4)
    if beta is None:
        beta = call("ZerosLike", gamma)
    how = {"epsilon": site.attribute("epsilon", 1e-12)}
    return _four_results(call("SkipLayerNorm", data, skip, gamma, beta, _absent(bias), **how))


@reads("SkipSimplifiedLayerNormalization", domain=MICROSOFT)
def _skip_rms_norm(site: Site) -> list[Expr | None]:
    data, skip, weight = (site.operand(place) for place in range(3))
    how = {"epsilon": site.attribute("epsilon", 1e-12)}
    return _four_results(call("SkipRmsNorm", data, skip, weight, _absent(site.optional(3)), **how))


@reads("Attention", domain=MICROSOFT)
def _attention(site: Site) -> Expr:
    data, weight, bias = (site.operand(place) for place in range(3))
    sizes, columns = site.attribute("qkv_hidden_sizes", None), weight.shape[-1]
    if sizes is not None and list(sizes) != [columns // 3] * 3:
        raise RowError("queries, keys and values have several sizes")
    site.attribute("mask_filter_value", 0.0)  # for a mask_index, which is passed over if there
    heads = site.attribute("num_heads")
    scale = site.attribute("scale", 0.0) or (columns // (3 * heads)) ** -0.5
    how = {"is_causal": bool(site.attribute("unidirectional", 0)), "scale": scale}
    mask = _absent(site.optional(5))
    return call("SelfAttention", data, weight, bias, mask, num_heads=heads, **how)


def _zeros(out: Emitter, like: Value, size: int) -> Value:
    return out.constant(np.zeros(size, dtype_of(like)))


def _bias(out: Emitter, written: Call, data: Value, bias: Any) -> Value:
    """Return the bias of a normalisation, zeros if it is absent: functions have all inputs."""
    value: Value = _zeros(out, data, written.operands[0].shape[-1]) if bias == [] else bias
    return value


def _is_fused(out: Emitter, written: Call, since: int, dtypes: tuple[str, ...]) -> bool:
    """Tell whether the operator of com.microsoft may stand for a call."""
    kind = written.operands[0].tensor_type
    return out.opset >= since and kind.dtype in dtypes and kind.ndim in (2, 3)


@writes("SkipLayerNorm")
def _write_skip_layer_norm(
    out: Emitter, written: Call, data: Value, skip: Value, gamma: Value, beta: Value, bias: Any
) -> list[Value]:
    epsilon = written.attributes["epsilon"]
    if _is_fused(out, written, 17, DTYPES):
        inputs = data, skip, gamma, beta, _bias(out, written, data, bias)
        made = out.function(SKIP, MICROSOFT, inputs, _dtypes(data), epsilon=epsilon)
        return [made[0], made[3]]
    both = _sum(out, data, skip, bias)
    how = {"axes": (-1,), "epsilon": epsilon}
    return [_plain(out, "LayerNorm", written.operands[0], [both, gamma, beta], how), both]


@writes("SkipRmsNorm")
def _write_skip_rms_norm(
    out: Emitter, written: Call, data: Value, skip: Value, weight: Value, bias: Any
) -> list[Value]:
    epsilon = written.attributes["epsilon"]
    if _is_fused(out, written, 23, DTYPES):
        inputs = data, skip, weight, _bias(out, written, data, bias)
        made = out.function(SKIP_RMS, MICROSOFT, inputs, _dtypes(data), epsilon=epsilon)
        return [made[0], made[3]]
    both = _sum(out, data, skip, bias)
    how = {"axes": (-1,), "epsilon": epsilon}
    return [_plain(out, "RmsNorm", written.operands[0], [both, weight], how), both]


def _dtypes(data: Value) -> list[str | None]:
    """Return the dtypes of the results of a normalisation; those of its statistics are open."""
    return [dtype_of(data), None, None, dtype_of(data)]


def _sum(out: Emitter, data: Value, skip: Value, bias: Any) -> Value:
    both = out.node("Add", data, skip)
    value: Value = both if bias == [] else out.node("Add", both, bias)
    return value


def _plain(out: Emitter, name: str, data: Expr, values: list[Value], attributes: Any) -> Value:
    """Write a normalisation of the data's type, with parameters along its last axis."""
    kind = data.tensor_type
    vectors = (Var(f"p{place}", kind.shape[-1:], kind.dtype) for place in range(len(values) - 1))
    used = call(name, Var("data", kind.shape, kind.dtype), *vectors, **attributes)
    return _by_row(out, used, values)


def _by_row(out: Emitter, used: Call, values: list[Any]) -> Value:
    row = writer_of(used.operator.name, out.opset)
    assert row is not None
    made: Value = row(out, used, *values)
    return made


@writes("BiasGelu")
def _write_bias_gelu(out: Emitter, written: Call, data: Value, bias: Value) -> Value:
    if _is_fused(out, written, OLDEST, ("float32",)):
        return out.function(BIAS_GELU, MICROSOFT, (data, bias), [dtype_of(data)])[0]
    biased = out.node("Add", data, bias)
    return _by_row(out, call("Gelu", written.operands[0]), [biased])


@writes("SelfAttention", since=OLDEST)
def _write_self_attention(
    out: Emitter, written: Call, data: Value, weight: Value, bias: Value, mask: Any
) -> Value:
    (b, s, _), heads = written.operands[0].shape, written.attributes["num_heads"]
    scale, is_causal = written.attributes["scale"], written.attributes["is_causal"]
    is_added = mask == [] or dtype_of(mask) != "bool"
    if _is_fused(out, written, 23, DTYPES) and is_added and s > 0:
        inputs = data, weight, bias, None, None, _whole_mask(out, written, data, mask)
        named = {"num_heads": heads, "scale": scale, "unidirectional": int(is_causal)}
        return out.function(ATTENTION, MICROSOFT, inputs, [dtype_of(data)], **named)[0]
    projected = out.node("Add", out.node("MatMul", data, weight), bias)
    size = written.shape[2] // heads
    each = heads * size
    parts = [
        out.transpose(
            out.reshape(
                out.slice(projected, 2, place * each, (place + 1) * each), (b, s, heads, size)
            ),
            (0, 2, 1, 3),
        )
        for place in range(3)
    ]
    kind = TensorType((b, heads, s, size), written.dtype)
    stand_ins = (Var(name, kind.shape, kind.dtype) for name in ("query", "key", "value"))
    how = {"scale": scale, "is_causal": is_causal}
    used = call("MaskedAttention", *stand_ins, written.operands[3], **how)
    mixed = _by_row(out, used, [*parts, mask])
    return out.reshape(out.transpose(mixed, (0, 2, 1, 3)), written.shape)


def _whole_mask(out: Emitter, written: Call, data: Value, mask: Any) -> Value:
    """Return a mask with four axes, of which those for batches and heads may have size 1."""
    s = written.operands[0].shape[1]
    if mask == []:
        return out.constant(np.zeros((1, 1, s, s), dtype_of(data)))
    shape = written.operands[3].shape
    apart: Value = out.unsqueeze(mask, list(range(4 - len(shape))))
    outer = (*(1 for _ in range(4 - len(shape))), *shape)[:2]
    if shape[-2:] == (s, s):
        return apart
    widened: Value = out.node("Expand", apart, out.integers((*outer, s, s)))
    return widened
