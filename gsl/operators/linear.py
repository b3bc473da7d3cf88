"""Matrix products and what is built from them."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Annotated, Any

import numpy as np

from gsl.attr.evaluate import conjunction, contains, disjunction, equal
from gsl.attr.term import Term, operation
from gsl.kernel.expression import Expression
from gsl.kernel.meaning import Elements, Index, apply, cast, stretched, total
from gsl.operators.create import scalar
from gsl.operators.declaration import Need, Tensor, operator
from gsl.operators.domain import Real
from gsl.operators.kinds import DtypeOf, Flag, Number, OneAxis
from gsl.operators.shapes import broadcast, known_axis, need_rank
from gsl.types import FLOATING, INTEGER, NUMERIC, TensorType, Type


def need_accumulator(need: Need, dtype: Any, out_dtype: Any) -> None:
    """Demand that products of `dtype` are summed in the same class of numbers.

    Between integers and floats the sum could overflow the conversion, which TVM leaves undefined.
    """
    kinds = (conjunction(contains(dtype, k), contains(out_dtype, k)) for k in (FLOATING, INTEGER))
    need(disjunction(*kinds), "out_dtype must be floating or integer like the data")


@operator(dtypes=NUMERIC, relax="matmul")
def Matmul(need: Need, lhs: Tensor, rhs: Tensor, *, out_dtype: DtypeOf = None) -> TensorType:
    """Multiply matrices [..., M, K] and [..., K, N] to [..., M, N] (NumPy rules).

    The leading axes broadcast; a vector [K] stands for one row on the left and one column on the
    right, and its axis does not appear in the result. The operands are converted to `out_dtype`
    first. Source: relax.matmul.
    """
    need(lhs.ndim >= 1 and rhs.ndim >= 1, "the operands must have at least one axis")
    left, rows = (lhs.shape[:-2], lhs.shape[-2:-1])
    right, columns = (rhs.shape[:-2], rhs.shape[-1:]) if rhs.ndim > 1 else ((), ())
    inner = rhs.shape[-2] if rhs.ndim > 1 else rhs.shape[0]
    need(equal(lhs.shape[-1], inner), "columns of lhs and rows of rhs must agree")
    need_accumulator(need, lhs.dtype, out_dtype)
    return TensorType((*broadcast(need, left, right), *rows, *columns), out_dtype)


@Matmul.numpy
def _matmul(lhs: Any, rhs: Any, out_dtype: str) -> Any:
    return np.matmul(lhs.astype(out_dtype), rhs.astype(out_dtype))


@Matmul.kernel
def _matmul_element(index: Index, lhs: Elements, rhs: Elements, out_dtype: Any) -> Expression:
    row = index[len(index) - (rhs.ndim > 1) - 1] if lhs.ndim > 1 else None
    batch = index[: len(index) - (lhs.ndim > 1) - (rhs.ndim > 1)]
    batches = lhs.shape[:-2], rhs.shape[:-2]
    left, right = (stretched(batch, shape, batches) for shape in batches)

    def product(k: Any) -> Expression:
        one = lhs[(*left, row, k) if lhs.ndim > 1 else (k,)]
        other = rhs[(*right, k, index[-1]) if rhs.ndim > 1 else (k,)]
        return cast(one, lhs.dtype, out_dtype) * cast(other, rhs.dtype, out_dtype)

    return total([lhs.shape[-1]], product)


@operator(dtypes=NUMERIC)
def Dense(need: Need, data: Tensor, weight: Tensor, *, out_dtype: DtypeOf = None) -> TensorType:
    """Multiply data [..., K] by a transposed weight [O, K] to [..., O].

    The operands are converted to `out_dtype` first. Source: nn.dense of Relay; in Relax a
    product with a permuted weight.
    """
    need(data.ndim >= 1, "`data` must have at least one axis")
    need_rank(need, weight.shape, 2, "weight")
    need(equal(data.shape[-1], weight.shape[1]), "the last axes of data and weight must agree")
    need_accumulator(need, data.dtype, out_dtype)
    return TensorType((*data.shape[:-1], weight.shape[0]), out_dtype)


@Dense.numpy
def _dense(data: Any, weight: Any, out_dtype: str) -> Any:
    return np.matmul(data.astype(out_dtype), np.transpose(weight.astype(out_dtype)))


@Dense.kernel
def _dense_element(index: Index, data: Elements, weight: Elements, out_dtype: Any) -> Expression:
    def product(k: Any) -> Expression:
        one, other = data[(*index[:-1], k)], weight[index[-1], k]
        return cast(one, data.dtype, out_dtype) * cast(other, weight.dtype, out_dtype)

    return total([weight.shape[1]], product)


@Dense.relax
def _relax_dense(relax: Any, data: Any, weight: Any, out_dtype: str) -> Any:
    return relax.matmul(data, relax.permute_dims(weight), out_dtype)


@operator(dtypes=NUMERIC)
def BiasAdd(need: Need, data: Tensor, bias: Tensor, *, axis: OneAxis = 1) -> TensorType:
    """Add a vector `bias` along one axis of `data`, whose type stays.

    The bias has exactly as many elements as that axis. Source: nn.bias_add of Relay; in Relax a
    sum with an expanded bias.
    """
    need_rank(need, bias.shape, 1, "bias")
    size = data.shape[known_axis(axis, data.ndim)]
    need(equal(size, bias.shape[0]), "`bias` must have one element for each index of the axis")
    return data


@BiasAdd.numpy
def _bias_add(data: Any, bias: Any, axis: int) -> Any:
    return data + np.expand_dims(bias, _axes_after(axis, data.ndim))


@BiasAdd.kernel
def _bias_add_element(index: Index, data: Elements, bias: Elements, axis: int) -> Expression:
    return data[index] + bias[(index[axis % data.ndim],)]


@BiasAdd.relax
def _relax_bias_add(relax: Any, data: Any, bias: Any, axis: int) -> Any:
    return relax.add(data, relax.expand_dims(bias, _axes_after(axis, data.ty.ndim)))


def _axes_after(axis: int, rank: int) -> tuple[int, ...]:
    return tuple(range(1, rank - axis % rank))


@operator(dtypes=FLOATING)
def Gemm(
    need: Need,
    a: Tensor,
    b: Tensor,
    c: Tensor,
    *,
    alpha: Number = 1.0,
    beta: Number = 1.0,
    trans_a: Flag = False,
    trans_b: Flag = False,
) -> TensorType:
    """Compute alpha * a @ b + beta * c for matrices; `c` broadcasts to the product [M, N].

    `trans_a` and `trans_b` transpose a and b first. Source: onnx.Gemm.
    """
    need_rank(need, a.shape, 2, "a")
    need_rank(need, b.shape, 2, "b")
    m, inner = a.shape[::-1] if trans_a else a.shape
    rows, n = b.shape[::-1] if trans_b else b.shape
    need(equal(inner, rows), "columns of a and rows of b must agree")
    need(c.ndim <= 2, "`c` must broadcast to the product")
    fits = (
        disjunction(equal(size, 1), equal(size, whole))
        for size, whole in zip(c.shape[::-1], (n, m), strict=False)
    )
    need(conjunction(*fits), "`c` must broadcast to the product")
    return TensorType((m, n), a.dtype)


@Gemm.numpy
def _gemm(a: Any, b: Any, c: Any, alpha: float, beta: float, trans_a: bool, trans_b: bool) -> Any:
    left, right = np.transpose(a) if trans_a else a, np.transpose(b) if trans_b else b
    return np.matmul(left, right) * alpha + c * beta


@Gemm.kernel
def _gemm_element(
    index: Index,
    a: Elements,
    b: Elements,
    c: Elements,
    alpha: Any,
    beta: Any,
    trans_a: bool,
    trans_b: bool,
) -> Expression:
    m, n = index

    def product(k: Any) -> Expression:
        return a[(k, m) if trans_a else (m, k)] * b[(n, k) if trans_b else (k, n)]

    whole = total([a.shape[0 if trans_a else 1]], product)
    shape = a.shape[1 if trans_a else 0], b.shape[0 if trans_b else 1]
    scaled: Expression = whole * alpha + c[stretched(index, c.shape, [shape])] * beta
    return scaled


@Gemm.relax
def _relax_gemm(
    relax: Any, a: Any, b: Any, c: Any, alpha: float, beta: float, trans_a: bool, trans_b: bool
) -> Any:
    factors = [scalar(relax, value, str(a.ty.dtype)) for value in (alpha, beta)]
    left, right = (
        (relax.permute_dims(a) if trans_a else a),
        (relax.permute_dims(b) if trans_b else b),
    )
    product = relax.multiply(relax.matmul(left, right), factors[0])
    return relax.add(product, relax.multiply(c, factors[1]))


@dataclass(frozen=True, slots=True)
class AttentionScale(Real):
    """A number; None stands for 1 over the root of the size of a head, the last of the query."""

    def normalise(self, value: Any, operands: tuple[Type, ...]) -> Any:
        """Accept numbers and None; the canonical form is a float."""
        return Real.normalise(self, _usual_scale(operands) if value is None else value, operands)


def _usual_scale(operands: tuple[Type, ...]) -> Any:
    query = operands[0]
    if not isinstance(query, TensorType) or not query.ndim or equal(query.shape[-1], 0) is True:
        raise ValueError("the scale of attention over empty heads must be given")
    size = query.shape[-1]
    return 1.0 / (operation("sqrt", size) if isinstance(size, Term) else sqrt(size))


@operator(dtypes=FLOATING)
def Attention(
    need: Need,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    scale: Annotated[Any, AttentionScale()] = None,
) -> TensorType:
    """Average values with the softmax of scaled products of queries and keys as weights.

    Query [B, S, N, H], key [B, T, N, H] and value [B, T, N, V] give [B, S, N, V]: B batches, S
    queries that each look at T keys, N heads of size H and V. Without a `scale` it is 1 / sqrt(H).
    Source: relax.nn.attention without mask.
    """
    for name, operand in (("query", query), ("key", key), ("value", value)):
        need_rank(need, operand.shape, 4, name)
    b, s, n, h = query.shape
    _, t, _, v = value.shape
    need(equal(key.shape, (b, t, n, h)), "the key must fit to the query and the value")
    need(equal(value.shape, (b, t, n, v)), "the value must have the batches and heads of the query")
    need(t >= 1, "there must be a key to look at")
    return TensorType((b, s, n, v), query.dtype)


@Attention.numpy
def _attention(query: Any, key: Any, value: Any, scale: float) -> Any:
    scores = np.einsum("bsnh,btnh->bnst", query, key) * scale
    powers = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    weights = powers / np.sum(powers, axis=-1, keepdims=True)
    return np.einsum("bnst,btnv->bsnv", weights, value)


@Attention.kernel
def _attention_element(
    index: Index, query: Elements, key: Elements, value: Elements, scale: Any
) -> Expression:
    b, s, n, v = index
    keys, heads = key.shape[1], key.shape[3]

    def power(t: Any) -> Expression:
        score = total([heads], lambda h: query[b, s, n, h] * key[b, t, n, h])
        return apply("exp", score * scale)

    weighted = total([keys], lambda t: power(t) * value[b, t, n, v])
    return weighted / total([keys], power)


@Attention.relax
def _relax_attention(relax: Any, query: Any, key: Any, value: Any, scale: float) -> Any:
    # The kernel of relax.nn.attention rounds its scale to float32.
    heads_first = (0, 2, 1, 3)
    keys = relax.permute_dims(key, (0, 2, 3, 1))
    scores = relax.matmul(relax.permute_dims(query, heads_first), keys)
    scaled = relax.multiply(scores, scalar(relax, scale, str(query.ty.dtype)))
    values = relax.permute_dims(value, heads_first)
    return relax.permute_dims(relax.matmul(relax.nn.softmax(scaled, -1), values), heads_first)
