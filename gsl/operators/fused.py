"""Several operators as one, as runtimes of transformers have kernels for them.

Each is a composition of operators that are declared elsewhere, and is computed by these.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gsl.attr.evaluate import equal
from gsl.kernel.expression import Expression
from gsl.kernel.meaning import Elements, Index, total
from gsl.operators.activation import Gelu
from gsl.operators.attention import MaskedAttention, relax_attention
from gsl.operators.declaration import MaybeTensor, Need, Tensor, operator
from gsl.operators.kinds import Epsilon, Flag, Number, Positive
from gsl.operators.linear import BiasAdd
from gsl.operators.norm_lowering import relax_layer_norm, relax_rms_norm
from gsl.operators.normalise import LayerNorm, RmsNorm
from gsl.operators.shapes import need_rank
from gsl.types import FLOATING, TensorType

LAST = (-1,)


def _need_summands(need: Need, data: Tensor, skip: Tensor, bias: Any) -> None:
    need(data.ndim >= 1, "`data` must have at least one axis")
    need(equal(data.shape, skip.shape), "`skip` must have the shape of the data")
    if isinstance(bias, TensorType):
        need(equal(bias.shape, data.shape[-1:]), "`bias` must have the size of the last axis")


def _summed(data: Any, skip: Any, bias: Any) -> Any:
    both = data + skip
    return both if isinstance(bias, tuple) else both + bias


def _summed_elements(data: Elements, skip: Elements, bias: Any) -> Elements:
    def element(index: Index, _: bool) -> Expression:
        both = data[index] + skip[index]
        return both if isinstance(bias, tuple) else both + bias[index[-1:]]

    return Elements(data.type, element)


def _relax_summed(relax: Any, data: Any, skip: Any, bias: Any) -> Any:
    both = relax.add(data, skip)
    return both if bias is None else relax.add(both, bias)


@operator(dtypes=FLOATING)
def SkipLayerNorm(
    need: Need,
    data: Tensor,
    skip: Tensor,
    gamma: Tensor,
    beta: Tensor,
    bias: MaybeTensor,
    *,
    epsilon: Epsilon = 1e-5,
) -> list[TensorType]:
    """Add `data`, `skip` and a vector `bias`, which may be absent, and normalise the sum.

    Returns LayerNorm over the last axis, of one shape with the data, and the sum itself. Gamma,
    beta and bias have the size of the last axis. Source: com.microsoft.SkipLayerNormalization.
    """
    _need_summands(need, data, skip, bias)
    LayerNorm.rule(need, data, gamma, beta, axes=LAST, epsilon=epsilon, center=True, scale=True)
    return [data, data]


AFFINE = {"axes": LAST, "center": True, "scale": True}


@SkipLayerNorm.numpy
def _skip_layer_norm(
    data: Any, skip: Any, gamma: Any, beta: Any, bias: Any, epsilon: float
) -> tuple[Any, Any]:
    both = _summed(data, skip, bias)
    assert LayerNorm.reference is not None
    return LayerNorm.reference(both, gamma, beta, epsilon=epsilon, **AFFINE), both


@SkipLayerNorm.kernel
def _skip_layer_norm_element(
    field: int,
    index: Index,
    data: Elements,
    skip: Elements,
    gamma: Elements,
    beta: Elements,
    bias: Any,
    epsilon: Any,
) -> Expression:
    both = _summed_elements(data, skip, bias)
    how = {"epsilon": epsilon, **AFFINE}
    return both[index] if field else LayerNorm.element(index, [both, gamma, beta], how, None)


@SkipLayerNorm.relax
def _relax_skip_layer_norm(
    relax: Any, data: Any, skip: Any, gamma: Any, beta: Any, bias: Any, epsilon: float
) -> Any:
    both = _relax_summed(relax, data, skip, bias)
    normal = relax_layer_norm(relax, both, gamma, beta, data.ty, epsilon=epsilon, **AFFINE)
    return relax.base.tvm.relax.Tuple([normal, both])


@operator(dtypes=FLOATING)
def SkipRmsNorm(
    need: Need,
    data: Tensor,
    skip: Tensor,
    weight: Tensor,
    bias: MaybeTensor,
    *,
    epsilon: Epsilon = 1e-5,
) -> list[TensorType]:
    """Add `data`, `skip` and a vector `bias`, which may be absent; divide by the root mean square.

    Returns RmsNorm over the last axis and the sum itself, both of one shape with the data. Weight
    and bias have the size of the last axis.
    Source: com.microsoft.SkipSimplifiedLayerNormalization.
    """
    _need_summands(need, data, skip, bias)
    RmsNorm.rule(need, data, weight, axes=LAST, epsilon=epsilon)
    return [data, data]


@SkipRmsNorm.numpy
def _skip_rms_norm(data: Any, skip: Any, weight: Any, bias: Any, epsilon: float) -> tuple[Any, Any]:
    both = _summed(data, skip, bias)
    assert RmsNorm.reference is not None
    return RmsNorm.reference(both, weight, axes=LAST, epsilon=epsilon), both


@SkipRmsNorm.kernel
def _skip_rms_norm_element(
    field: int,
    index: Index,
    data: Elements,
    skip: Elements,
    weight: Elements,
    bias: Any,
    epsilon: Any,
) -> Expression:
    both = _summed_elements(data, skip, bias)
    how = {"axes": LAST, "epsilon": epsilon}
    return both[index] if field else RmsNorm.element(index, [both, weight], how, None)


@SkipRmsNorm.relax
def _relax_skip_rms_norm(
    relax: Any, data: Any, skip: Any, weight: Any, bias: Any, epsilon: float
) -> Any:
    both = _relax_summed(relax, data, skip, bias)
    normal = relax_rms_norm(relax, both, weight, data.ty, LAST, epsilon)
    return relax.base.tvm.relax.Tuple([normal, both])


@operator(dtypes=FLOATING)
def BiasGelu(need: Need, data: Tensor, bias: Tensor) -> TensorType:
    """Compute Gelu of data [..., K] plus a vector [K]. Source: com.microsoft.BiasGelu."""
    return BiasAdd.rule(need, data, bias, axis=-1)  # type: ignore[no-any-return]


@BiasGelu.numpy
def _bias_gelu(data: Any, bias: Any) -> Any:
    assert Gelu.reference is not None
    return Gelu.reference(data + bias)


@BiasGelu.kernel
def _bias_gelu_element(index: Index, data: Elements, bias: Elements) -> Expression:
    biased = Elements(data.type, lambda i, _: data[i] + bias[i[-1:]])
    return Gelu.element(index, [biased], {}, None)


@BiasGelu.relax
def _relax_bias_gelu(relax: Any, data: Any, bias: Any) -> Any:
    return relax.nn.gelu(relax.add(data, bias))


@operator(dtypes=None)
def SelfAttention(
    need: Need,
    data: Tensor,
    weight: Tensor,
    bias: Tensor,
    mask: MaybeTensor,
    *,
    num_heads: Positive,
    scale: Number,
    is_causal: Flag = False,
) -> TensorType:
    """Project data to queries, keys and values, and let each position attend to the others.

    Data [B, S, D] times the weight [D, 3 E] plus the bias [3 E] gives queries, keys and values one
    behind the other, each with `num_heads` heads one behind the other; MaskedAttention with the
    mask, `scale` and `is_causal` gives [B, S, E], heads one behind the other.
    Source: com.microsoft.Attention.
    """
    need_rank(need, data.shape, 3, "data")
    need_rank(need, weight.shape, 2, "weight")
    (b, s, features), (rows, columns) = data.shape, weight.shape
    need(equal(data.dtype, weight.dtype), "data, weight and bias must have one dtype")
    need(equal(data.dtype, bias.dtype), "data, weight and bias must have one dtype")
    need(equal(features, rows), "the weight must have a row for each feature of the data")
    need(equal(bias.shape, (columns,)), "the bias must have one element for each column")
    need(equal(columns % 3, 0), "queries, keys and values must have as many columns each")
    each = columns // 3
    need(equal(each % num_heads, 0), "the number of heads must divide the columns of each")
    heads = TensorType((b, num_heads, s, each // num_heads), data.dtype)
    MaskedAttention.rule(need, heads, heads, heads, mask, scale=scale, is_causal=is_causal)
    return TensorType((b, s, each), data.dtype)


@SelfAttention.numpy
def _self_attention(
    data: Any, weight: Any, bias: Any, mask: Any, num_heads: int, scale: float, is_causal: bool
) -> Any:
    projected = np.matmul(data, weight) + bias
    b, s, columns = projected.shape
    apart = np.reshape(projected, (b, s, 3, num_heads, columns // (3 * num_heads)))
    heads = (np.transpose(apart[:, :, place], (0, 2, 1, 3)) for place in range(3))
    assert MaskedAttention.reference is not None
    mixed = MaskedAttention.reference(*heads, mask, scale=scale, is_causal=is_causal)
    return np.reshape(np.transpose(mixed, (0, 2, 1, 3)), (b, s, columns // 3))


@SelfAttention.kernel
def _self_attention_element(
    index: Index,
    data: Elements,
    weight: Elements,
    bias: Elements,
    mask: Any,
    num_heads: Any,
    scale: Any,
    is_causal: bool,
) -> Expression:
    (batches, positions, features), each = data.shape, weight.shape[1] // 3
    size = each // num_heads
    kind = TensorType((batches, num_heads, positions, size), data.dtype)

    def part(place: int) -> Elements:
        def element(at: Index, _: bool) -> Expression:
            b, n, s, h = at
            column = place * each + n * size + h
            product = total([features], lambda k: data[b, s, k] * weight[k, column])
            return product + bias[(column,)]

        return Elements(kind, element)

    b, s, e = index
    how = {"scale": scale, "is_causal": is_causal}
    operands = [part(0), part(1), part(2), mask]
    return MaskedAttention.element((b, e // size, s, e % size), operands, how, None)


@SelfAttention.relax
def _relax_self_attention(
    relax: Any,
    data: Any,
    weight: Any,
    bias: Any,
    mask: Any,
    num_heads: int,
    scale: float,
    is_causal: bool,
) -> Any:
    b, s, _ = map(int, data.ty.shape)
    size = int(weight.ty.shape[1]) // (3 * num_heads)
    projected = relax.add(relax.matmul(data, weight), bias)
    apart = relax.reshape(projected, (b, s, 3, num_heads, size))
    placed = relax.split(relax.permute_dims(apart, (2, 0, 3, 1, 4)), 3, 0)
    query, key, value = (relax.squeeze(placed[place], [0]) for place in range(3))
    seen = np.tril(np.ones((s, s), bool)) if is_causal else None
    mixed = relax_attention(relax, query, key, value, mask, scale, str(data.ty.dtype), seen)
    return relax.reshape(relax.permute_dims(mixed, (0, 2, 1, 3)), (b, s, num_heads * size))
