"""Tensors made from nothing but their type and some numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from gsl.expr import Call, Const, Expr
from gsl.onnx.build import call, number
from gsl.onnx.emitter import Emitter, Value
from gsl.onnx.errors import RowError
from gsl.onnx.rows.arithmetic import dtype_named
from gsl.onnx.site import Site
from gsl.onnx.table import reads, writes


@reads("ConstantOfShape")
def _constant_of_shape(site: Site) -> Expr:
    shape, value = site.integers(0), site.attribute("value", None)
    assert shape is not None
    element = np.zeros((), np.float32) if value is None else value.numpy().reshape(())
    if not shape:
        return Const(element)
    filled = {"shape": tuple(shape), "dtype": element.dtype.name}
    if element == 0:
        return call("Zeros", **filled)
    if element.dtype.name == "bool":
        return call("Ones", **filled)
    return call("Full", fill_value=element.item(), **filled)


@reads("Shape")
def _shape(site: Site) -> Expr:
    sizes = site.operand().shape
    begin, end = site.attribute("start", 0), site.attribute("end", None)
    return number(np.array(sizes[begin:end], np.int64), "int64")


@reads("Size")
def _size(site: Site) -> Expr:
    return number(site.operand().tensor_type.size, "int64")


@reads("EyeLike")
def _eye_like(site: Site) -> Expr:
    data = site.operand()
    rows, columns = data.shape
    kind = site.attribute("dtype", None)
    dtype = data.dtype if kind is None else dtype_named(kind)
    return call("Eye", n=rows, m=columns, k=site.attribute("k", 0), dtype=dtype)


@reads("Range")
def _range(site: Site) -> Expr:
    start, limit, delta = (site.constant(place).item() for place in (0, 1, 2))
    dtype = site.operand().dtype
    if isinstance(start, int) and delta > 0:
        return call("Arange", start=start, end=max(start, limit), step=delta, dtype=dtype)
    if delta == 0:
        raise RowError("its step is 0")
    count = max(0, int(np.ceil((limit - start) / delta)))
    return number(start + np.arange(count) * delta, dtype)


@writes("Zeros")
def _zeros(out: Emitter, written: Call) -> Value:
    return out.filled(written.shape, 0, written.dtype)


@writes("Ones")
def _ones(out: Emitter, written: Call) -> Value:
    return out.filled(written.shape, 1, written.dtype)


@writes("Full")
def _full(out: Emitter, written: Call) -> Value:
    return out.filled(written.shape, written.attributes["fill_value"], written.dtype)


@writes("ZerosLike")
def _zeros_like(out: Emitter, written: Call, data: Value) -> Value:
    return out.filled(written.shape, 0, written.dtype)


@writes("OnesLike")
def _ones_like(out: Emitter, written: Call, data: Value) -> Value:
    return out.filled(written.shape, 1, written.dtype)


@writes("FullLike")
def _full_like(out: Emitter, written: Call, data: Value) -> Value:
    return out.filled(written.shape, written.attributes["fill_value"], written.dtype)


@writes("Shape")
def _written_shape(out: Emitter, written: Call, data: Value) -> Any:
    return out.node("Shape", data)


@writes("Size")
def _written_size(out: Emitter, written: Call, data: Value) -> Any:
    return out.node("Size", data)


@writes("Eye")
def _eye(out: Emitter, written: Call) -> Any:
    attributes = written.attributes
    rows, columns = written.shape
    k = max(-rows - 1, min(attributes["k"], columns + 1))
    like = out.filled(written.shape, 0, "float32")
    made = out.node("EyeLike", like, dtype="float32", k=k)
    return out.cast(made, written.dtype)


@writes("Arange")
def _arange(out: Emitter, written: Call) -> Any:
    numbers = [np.int64(written.attributes[name]) for name in ("start", "end", "step")]
    return out.cast(out.node("Range", *map(out.constant, numbers)), written.dtype)
