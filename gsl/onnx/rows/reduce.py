"""Reductions along axes, and the functions that normalise along one axis."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from gsl.expr import Call, Expr
from gsl.onnx.build import call, cast, number, reshape
from gsl.onnx.emitter import Emitter, Value
from gsl.onnx.errors import RowError
from gsl.onnx.site import Site
from gsl.onnx.table import reads, writes
from gsl.types import FLOATING

REDUCTIONS = {
    "Sum": "ReduceSum",
    "Prod": "ReduceProd",
    "Max": "ReduceMax",
    "Min": "ReduceMin",
    "Mean": "ReduceMean",
    "ReduceL1": "ReduceL1",
    "ReduceL2": "ReduceL2",
    "SumSquare": "ReduceSumSquare",
    "LogSumExp": "ReduceLogSumExp",
}

AXES_AS_INPUT = {"ReduceSum": 13}
"""The first opset whose reduction has its axes as an input, where it is not 18."""


OF_ONE = {"ReduceL1": "Abs", "ReduceL2": "Abs", "ReduceSumSquare": "Square"}
"""What a reduction makes of a single element, where it does not leave it as it is."""


def _reduced(name: str, site: Site, data: Expr, onnx_name: str) -> Expr:
    axes = site.axes(1, AXES_AS_INPUT.get(onnx_name, 18))
    keepdims = bool(site.attribute("keepdims", 1))
    if site.attribute("noop_with_empty_axes", 0) and not axes:
        if onnx_name in OF_ONE:
            raise RowError("what it makes of single elements depends on the opset")
        return data
    chosen = tuple(axes or range(len(data.shape)))
    if data.dtype == "bool":  # the largest and the smallest of truth values
        whole = call(name, cast(data, "uint8"), axis=chosen, keepdims=keepdims)
        return cast(whole, "bool")
    return call(name, data, axis=chosen, keepdims=keepdims)


def _plain(name: str, onnx_name: str) -> None:
    @reads(onnx_name)
    def _read(site: Site) -> Expr:
        return _reduced(name, site, site.operand(), onnx_name)

    @writes(name)
    def _write(out: Emitter, written: Call, data: Value) -> Value:
        attributes = written.attributes
        if not attributes["axis"]:
            return _of_one(out, onnx_name, data)
        if onnx_name == "ReduceSumSquare" and written.dtype not in FLOATING:
            data, name = out.node("Mul", data, data), "ReduceSum"
            return out.reduce(name, data, attributes["axis"], attributes["keepdims"])
        return out.reduce(onnx_name, data, attributes["axis"], attributes["keepdims"])


def _of_one(out: Emitter, onnx_name: str, data: Value) -> Value:
    if onnx_name == "ReduceSumSquare":
        squared: Value = out.node("Mul", data, data)
        return squared
    result: Value = out.node("Abs", data) if onnx_name in OF_ONE else data
    return result


for _name, _onnx_name in REDUCTIONS.items():
    _plain(_name, _onnx_name)


@reads("ReduceLogSum")
def _log_sum(site: Site) -> Expr:
    return call("Log", _reduced("Sum", site, site.operand(), "ReduceLogSum"))


def _extremum(name: str, onnx_name: str) -> None:
    @reads(onnx_name)
    def _read(site: Site) -> Expr:
        data, axis = site.operand(), site.attribute("axis", 0)
        keepdims = bool(site.attribute("keepdims", 1))
        if not site.attribute("select_last_index", 0):
            return call(name, data, axis=axis, keepdims=keepdims)
        turned = call(name, call("Flip", data, axis=axis), axis=axis, keepdims=keepdims)
        return call("Subtract", number(data.shape[axis] - 1, "int64"), turned)

    @writes(name)
    def _write(out: Emitter, written: Call, data: Value) -> Any:
        attributes = written.attributes
        how = {"axis": attributes["axis"], "keepdims": int(attributes["keepdims"])}
        return out.node(onnx_name, data, **how)


_extremum("Argmax", "ArgMax")
_extremum("Argmin", "ArgMin")


def _flattened(site: Site, along: Callable[[Expr, int], Expr]) -> Expr:
    """Return what an operator before opset 13 makes of all axes from its own one on as one."""
    data, axis = site.operand(), site.attribute("axis", 1)
    shape, cut = data.shape, axis % max(1, len(data.shape))
    if cut == len(shape) - 1:
        return along(data, cut)
    flat = reshape(data, (prod(shape[:cut]), prod(shape[cut:])))
    return reshape(along(flat, 1), shape)


def _along_axis(name: str) -> None:
    @reads(name)
    def _read_flattened(site: Site) -> Expr:
        return _flattened(site, lambda data, axis: call(name, data, axis=axis))

    @reads(name, since=13)
    def _read(site: Site) -> Expr:
        return call(name, site.operand(), axis=site.attribute("axis", -1))

    @writes(name)
    def _write(out: Emitter, written: Call, data: Value) -> Any:
        return out.node(name, data, axis=written.attributes["axis"])


_along_axis("Softmax")
_along_axis("LogSoftmax")


@reads("Hardmax")
def _hardmax_flattened(site: Site) -> Expr:
    return _flattened(site, _hardmax_of)


@reads("Hardmax", since=13)
def _hardmax(site: Site) -> Expr:
    return _hardmax_of(site.operand(), site.attribute("axis", -1))


def _hardmax_of(data: Expr, axis: int) -> Expr:
    place = call("Argmax", data, axis=axis, keepdims=False)
    depth = data.shape[axis]
    return call("OneHot", place, depth=depth, axis=axis, dtype=data.dtype)


@writes("Variance")
def _variance(out: Emitter, written: Call, data: Value) -> Value:
    axes, keepdims = written.attributes["axis"], written.attributes["keepdims"]
    if not axes:
        return out.filled(written.shape, 0, written.dtype)
    deviation = out.node("Sub", data, out.reduce("ReduceMean", data, axes, True))
    square = out.node("Mul", deviation, deviation)
    return out.reduce("ReduceMean", square, axes, keepdims)
