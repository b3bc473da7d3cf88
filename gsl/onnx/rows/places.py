"""Operators that read or write single elements, or put them in order."""

from __future__ import annotations

from typing import Any

import numpy as np

from gsl.expr import Call, Expr, Proj
from gsl.onnx.build import call, number
from gsl.onnx.emitter import Emitter, Value
from gsl.onnx.errors import NotWritableError, RowError
from gsl.onnx.rows.index import from_the_start
from gsl.onnx.site import Site
from gsl.onnx.table import reads, writes


@reads("ScatterElements", "Scatter")
def _scatter_elements(site: Site) -> Expr:
    data, indices, updates = site.operands()
    axis = site.attribute("axis", 0) % len(data.shape)
    places = from_the_start(site, indices, data.shape[axis])
    how = site.attribute("reduction", "none")
    return call("ScatterElements", data, places, updates, axis=axis, reduction=how)


def _places(site: Site, data: Expr, indices: Expr, batches: int = 0) -> Expr:
    """Return places of several axes that count from the start."""
    depth = indices.shape[-1]
    sizes = np.array(data.shape[batches : batches + depth])
    known = site.known(indices)
    if known is not None:
        if np.any(known < -sizes) or np.any(known >= sizes):
            raise RowError("an index lies outside of the data")
        return number(np.where(known < 0, known + sizes, known), "int64")
    below = call("Less", indices, number(0, indices.dtype))
    return call("Where", below, call("Add", indices, number(sizes, indices.dtype)), indices)


@reads("GatherND")
def _gather_nd(site: Site) -> Expr:
    data, indices = site.operands()
    batches = site.attribute("batch_dims", 0)
    return call("GatherND", data, _places(site, data, indices, batches), batch_dims=batches)


@reads("ScatterND")
def _scatter_nd(site: Site) -> Expr:
    data, indices, updates = site.operands()
    how = site.attribute("reduction", "none")
    return call("ScatterND", data, _places(site, data, indices), updates, reduction=how)


@reads("TopK")
def _top_k(site: Site) -> list[Expr]:
    data, axis = site.operand(0), site.attribute("axis", -1)
    k = site.attribute("k") if site.opset < 10 else int(site.constant(1).item())
    site.attribute("sorted", 1)  # without it any order is right
    largest = bool(site.attribute("largest", 1))
    made = call("TopK", data, k=k, axis=axis, largest=largest)
    return [Proj(made, 0), Proj(made, 1)]


def _combining(out: Emitter, written: Call) -> dict[str, Any]:
    how = written.attributes["reduction"]
    since = {"none": 1, "add": 16, "mul": 16, "max": 18, "min": 18}[how]
    if out.opset < since:
        raise NotWritableError(f"updates are combined by `{how}` from opset {since} on")
    return {} if how == "none" else {"reduction": how}


@writes("ScatterElements")
def _write_scatter_elements(out: Emitter, written: Call, *operands: Value) -> Any:
    axis = written.attributes["axis"]
    return out.node("ScatterElements", *operands, axis=axis, **_combining(out, written))


@writes("ScatterND")
def _write_scatter_nd(
    out: Emitter, written: Call, data: Value, indices: Value, updates: Value
) -> Any:
    places = out.cast(indices, "int64")
    return out.node("ScatterND", data, places, updates, **_combining(out, written))


@writes("GatherND")
def _write_gather_nd(out: Emitter, written: Call, data: Value, indices: Value) -> Any:
    batches = written.attributes["batch_dims"]
    return out.node("GatherND", data, out.cast(indices, "int64"), batch_dims=batches)


def _ordered(out: Emitter, data: Value, k: int, axis: int, largest: bool) -> list[Value]:
    how: dict[str, Any] = {"axis": axis, "largest": int(largest)}
    made: list[Value] = out.node("TopK", data, out.integers([k]), results=2, **how)
    return made


@writes("TopK")
def _write_top_k(out: Emitter, written: Call, data: Value) -> list[Value]:
    k, axis, largest = (written.attributes[name] for name in ("k", "axis", "largest"))
    return _ordered(out, data, k, axis, largest)


@writes("Sort", "ArgSort")
def _write_sort(out: Emitter, written: Call, data: Value) -> Value:
    axis, descending = (written.attributes[name] for name in ("axis", "descending"))
    if 0 in written.shape:
        return out.filled(written.shape, 0, written.dtype)
    size = written.shape[axis]
    values, places = _ordered(out, data, size, axis, descending)
    return values if written.operator.name == "Sort" else places


@writes("DynamicSlice")
def _dynamic_slice(out: Emitter, written: Call, data: Value, starts: Value) -> Any:
    sizes = written.attributes["sizes"]
    if not sizes:
        return data
    begins = _clamped(out, written.operands[0].shape, sizes, starts)
    ends = out.node("Add", begins, out.integers(sizes))
    return out.node("Slice", data, begins, ends, out.integers(range(len(sizes))))


def _clamped(out: Emitter, shape: Any, sizes: Any, starts: Value) -> Value:
    """Return where a part begins that lies inside."""
    limits = [whole - size for whole, size in zip(shape, sizes, strict=True)]
    positive = out.node("Max", out.cast(starts, "int64"), out.constant(np.int64(0)))
    result: Value = out.node("Min", positive, out.integers(limits))
    return result


@writes("DynamicUpdateSlice")
def _dynamic_update_slice(
    out: Emitter, written: Call, data: Value, update: Value, starts: Value
) -> Any:
    shape, sizes = written.shape, written.operands[1].shape
    if not shape:
        return update
    if 0 in sizes:
        return data
    begins = _clamped(out, shape, sizes, starts)
    grid = np.moveaxis(np.indices(sizes, np.int64), 0, -1)
    return out.node("ScatterND", data, out.node("Add", out.constant(grid), begins), update)
