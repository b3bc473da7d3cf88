"""Matrix products and what is built from them."""

from __future__ import annotations

from typing import Any

from gsl.expr import Call, Expr, Tuple
from gsl.onnx.build import call, number, transpose
from gsl.onnx.emitter import Emitter, Value
from gsl.onnx.site import Site
from gsl.onnx.table import reads, writes
from gsl.types import FLOATING


@reads("MatMul")
def _matmul(site: Site) -> Expr:
    return call("Matmul", *site.operands())


@reads("Gemm")
def _gemm(site: Site) -> Expr:
    left, right, addend = site.operand(0), site.operand(1), site.optional(2)
    alpha, beta = site.attribute("alpha", 1.0), site.attribute("beta", 1.0)
    turned, is_dense = (bool(site.attribute(name, 0)) for name in ("transA", "transB"))
    is_plain = alpha == beta == 1 and not turned
    if addend is not None and not is_plain and left.dtype in FLOATING:
        how = {"alpha": alpha, "beta": beta, "trans_a": turned, "trans_b": is_dense}
        return call("Gemm", left, right, addend, **how)
    left = transpose(left, (1, 0)) if turned else left
    product: Expr = call("Dense" if is_dense else "Matmul", left, right)
    if alpha != 1:
        product = call("Multiply", product, number(alpha, product.dtype))
    if addend is None:
        return product
    if beta != 1:
        addend = call("Multiply", addend, number(beta, addend.dtype))
    if addend.shape == product.shape[1:]:
        return call("BiasAdd", product, addend, axis=-1)
    return call("Add", product, addend)


@writes("Gemm")
def _write_gemm(out: Emitter, written: Call, a: Value, b: Value, c: Value) -> Any:
    attributes = written.attributes
    how: dict[str, Any] = {"alpha": attributes["alpha"], "beta": attributes["beta"]}
    how |= {"transA": int(attributes["trans_a"]), "transB": int(attributes["trans_b"])}
    return out.node("Gemm", a, b, c, **how)


@reads("Einsum")
def _einsum(site: Site) -> Expr:
    return call("Einsum", Tuple(site.operands()), equation=site.attribute("equation"))


@writes("Einsum")
def _write_einsum(out: Emitter, written: Call, tensors: list[Value]) -> Any:
    return out.node("Einsum", *tensors, equation=written.attributes["equation"])


@writes("Matmul")
def _write_matmul(out: Emitter, written: Call, left: Value, right: Value) -> Any:
    dtype = written.attributes["out_dtype"]
    return out.node("MatMul", out.cast(left, dtype), out.cast(right, dtype))


@writes("Dense")
def _dense(out: Emitter, written: Call, data: Value, weight: Value, *bias: Value) -> Any:
    dtype = written.attributes["out_dtype"]
    data, weight = out.cast(data, dtype), out.cast(weight, dtype)
    if dtype in FLOATING and len(written.operands[0].shape) == 2:
        return out.node("Gemm", data, weight, *bias, transB=1)
    return out.node("MatMul", data, out.transpose(weight, (1, 0)))


@writes("BiasAdd")
def _bias_add(out: Emitter, written: Call, data: Value, bias: Value) -> Any:
    rank = len(written.shape)
    behind = rank - 1 - written.attributes["axis"] % rank
    return out.node("Add", data, out.unsqueeze(bias, range(1, behind + 1)))


@writes("Attention")
def _attention(out: Emitter, written: Call, query: Value, key: Value, value: Value) -> Any:
    heads_first = (0, 2, 1, 3)
    keys = out.transpose(key, (0, 2, 3, 1))
    scores = out.node("MatMul", out.transpose(query, heads_first), keys)
    scaled = out.node("Mul", scores, out.number(written.attributes["scale"], scores))
    weights = out.node("Softmax", scaled, axis=-1)
    result = out.node("MatMul", weights, out.transpose(value, heads_first))
    return out.transpose(result, heads_first)
