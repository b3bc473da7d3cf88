"""Operators that select, surround or add up elements along axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from gsl.expr import Call, Expr
from gsl.onnx.build import call, expand, number, part
from gsl.onnx.emitter import Emitter, Value
from gsl.onnx.errors import RowError
from gsl.onnx.site import Site
from gsl.onnx.table import reads, writes


def from_the_start(site: Site, indices: Expr, size: int) -> Expr:
    """Return indices along an axis that count from its start; ONNX has them from the end, too."""
    known = site.known(indices)
    if known is None:
        zero, length = (number(value, indices.dtype) for value in (0, size))
        return call("Where", call("Less", indices, zero), call("Add", indices, length), indices)
    if known.size and not (-size <= known.min() and known.max() < size):
        raise RowError(f"an index lies outside of the {size} elements")
    return indices if not known.size or known.min() >= 0 else _shifted(known, size)


def _shifted(known: Any, size: int) -> Expr:
    return number(np.where(known < 0, known + size, known), known.dtype.name)


@reads("Gather")
def _gather(site: Site) -> Expr:
    data, indices = site.operands()
    axis = site.attribute("axis", 0) % len(data.shape)
    return call("Take", data, from_the_start(site, indices, data.shape[axis]), axis=axis)


@reads("GatherElements")
def _gather_elements(site: Site) -> Expr:
    data, indices = site.operands()
    axis = site.attribute("axis", 0) % len(data.shape)
    return call("GatherElements", data, from_the_start(site, indices, data.shape[axis]), axis=axis)


@reads("Pad")
def _pad(site: Site) -> Expr:
    data, mode = site.operand(), site.attribute("mode", "constant")
    rank = len(data.shape)
    given, value = _pads(site)
    axes = [axis % rank for axis in site.integers(3) or range(rank)] if site.opset >= 11 else None
    listed = list(range(rank)) if axes is None else axes
    half = len(listed)
    widths = {axis: (given[i], given[half + i]) for i, axis in enumerate(listed)}
    for axis, (before, after) in widths.items():
        data = part(data, axis, max(0, -before), data.shape[axis] - max(0, -after))
    grown = {axis: (max(0, before), max(0, after)) for axis, (before, after) in widths.items()}
    if not any(map(any, grown.values())):
        return data
    if mode == "constant":
        flat = [width for axis in range(rank) for width in grown.get(axis, (0, 0))]
        return call("Pad", data, pad_width=tuple(flat), pad_value=value)
    return _mirrored(data, grown, mode)


def _pads(site: Site) -> tuple[list[int], float]:
    if site.opset < 11:
        return [int(one) for one in site.attribute("pads")], site.attribute("value", 0.0)
    pads, value = site.integers(1), site.optional_constant(2)
    assert pads is not None
    return pads, 0.0 if value is None else value.item() + 0


def _mirrored(data: Expr, widths: dict[int, tuple[int, int]], mode: str) -> Expr:
    """Pad with elements of the tensor itself: which ones, NumPy tells for positions."""
    for axis, width in widths.items():
        if any(width):
            places: Any = np.arange(data.shape[axis])
            where = np.pad(places, width, mode=mode)  # type: ignore[call-overload]
            data = call("Take", data, number(where, "int64"), axis=axis)
    return data


@reads("OneHot")
def _one_hot(site: Site) -> Expr:
    indices, depth, values = site.operand(0), int(site.constant(1).item()), site.operand(2)
    rank = len(indices.shape) + 1
    axis = site.attribute("axis", -1) % rank
    if indices.dtype not in ("int32", "int64"):
        indices = call("Cast", indices, dtype="int64")
    zero, length = (number(value, indices.dtype) for value in (0, depth))
    place = call("Where", call("Less", indices, zero), call("Add", indices, length), indices)
    numbers = np.arange(depth).reshape([depth if i == axis else 1 for i in range(rank)])
    # An index outside gives a row of the off value, for which OneHot of GSL has no meaning.
    hit = call("Equal", expand(place, [axis]), number(numbers, indices.dtype))
    off, on = (call("Take", values, number(which, "int64"), axis=0) for which in (0, 1))
    return call("Where", hit, on, off)


@reads("CumSum")
def _cumsum(site: Site) -> Expr:
    return _accumulated(site, "Cumsum")


def _accumulated(site: Site, name: str) -> Expr:
    data, axis = site.operand(), int(site.constant(1).item()) % len(site.operand().shape)
    exclusive, reverse = (bool(site.attribute(name, 0)) for name in ("exclusive", "reverse"))
    turned = call("Flip", data, axis=axis) if reverse else data
    whole = call(name, turned, axis=axis, exclusive=exclusive)
    return call("Flip", whole, axis=axis) if reverse else whole


@reads("CumProd")
def _cumprod(site: Site) -> Expr:
    return _accumulated(site, "CumProd")


@reads("Trilu")
def _trilu(site: Site) -> Expr:
    data, k = site.operand(), site.optional_constant(1)
    name = "Triu" if site.attribute("upper", 1) else "Tril"
    return call(name, data, k=0 if k is None else int(k.item()))


@writes("Take")
def _take(out: Emitter, written: Call, data: Value, indices: Value) -> Any:
    return out.node("Gather", data, indices, axis=written.attributes["axis"])


@writes("GatherElements")
def _write_gather_elements(out: Emitter, written: Call, data: Value, indices: Value) -> Any:
    axis = written.attributes["axis"] % len(written.shape)
    return out.node("GatherElements", data, indices, axis=axis)


@writes("Pad")
def _write_pad(out: Emitter, written: Call, data: Value) -> Any:
    widths, value = written.attributes["pad_width"], written.attributes["pad_value"]
    pads = out.integers([*widths[::2], *widths[1::2]])
    return out.node("Pad", data, pads, out.number(value, data))


@writes("OneHot")
def _write_one_hot(out: Emitter, written: Call, indices: Value) -> Any:
    attributes = written.attributes
    dtype = attributes["dtype"]
    values = np.array([attributes["off_value"], attributes["on_value"]]).astype(dtype)
    depth = out.constant(np.int64(attributes["depth"]))
    return out.node(
        "OneHot", indices, depth, out.constant(values), axis=attributes["axis"], dtype=dtype
    )


@writes("Cumsum")
def _write_cumsum(out: Emitter, written: Call, data: Value) -> Any:
    axis = out.constant(np.int64(written.attributes["axis"]))
    return out.node("CumSum", data, axis, exclusive=int(written.attributes["exclusive"]))


@writes("CumProd")
def _write_cumprod(out: Emitter, written: Call, data: Value) -> Any:
    rank, axis = len(written.shape), written.attributes["axis"] % len(written.shape)
    size = written.shape[axis]
    kept = np.tri(size, size, -1 if written.attributes["exclusive"] else 0, dtype=bool)
    mask = np.expand_dims(kept, tuple(range(2, rank - axis + 1)))
    factors = out.node(
        "Where", out.constant(mask), out.unsqueeze(data, [axis]), out.number(1, data)
    )
    return out.reduce("ReduceProd", factors, [axis + 1], False)


@writes("CumProd", since=26)
def _write_new_cumprod(out: Emitter, written: Call, data: Value) -> Any:
    axis = out.constant(np.int64(written.attributes["axis"]))
    return out.node("CumProd", data, axis, exclusive=int(written.attributes["exclusive"]))


@writes("DilatedPad")
def _write_dilated_pad(out: Emitter, written: Call, data: Value) -> Any:
    low, high, interior = (written.attributes[name] for name in ("low", "high", "interior"))
    shape, value = (
        list(written.operands[0].shape),
        out.number(written.attributes["pad_value"], data),
    )
    if 0 in shape or 0 in written.shape:
        return out.filled(written.shape, written.attributes["pad_value"], written.dtype)
    for axis, between in enumerate(interior):
        if between:
            pads = [0] * (2 * len(shape) + 2)
            pads[len(shape) + 1 + axis + 1] = between
            spread = out.node("Pad", out.unsqueeze(data, [axis + 1]), out.integers(pads), value)
            size = shape[axis]
            shape[axis] = size * (between + 1)
            data = out.slice(out.reshape(spread, shape), axis, 0, shape[axis] - between)
            shape[axis] -= between
    for axis, (before, after) in enumerate(zip(low, high, strict=True)):
        if before < 0 or after < 0:
            data = out.slice(data, axis, max(0, -before), shape[axis] - max(0, -after))
    pads = [max(0, width) for width in (*low, *high)]
    return out.node("Pad", data, out.integers(pads), value) if any(pads) else data


@writes("Tril", "Triu")
def _triangle(out: Emitter, written: Call, data: Value) -> Any:
    *_, rows, columns = written.shape
    mask = np.tri(rows, columns, _near(written))
    kept = (
        mask == 1
        if written.operator.name == "Tril"
        else np.tri(rows, columns, _near(written) - 1) == 0
    )
    return out.node("Where", out.constant(kept), data, out.number(0, data))


@writes("Tril", "Triu", since=14)
def _new_triangle(out: Emitter, written: Call, data: Value) -> Any:
    upper = int(written.operator.name == "Triu")
    return out.node("Trilu", data, out.constant(np.int64(_near(written))), upper=upper)


def _near(written: Call) -> int:
    """Return the number of a diagonal; those outside of the matrix are all alike."""
    *_, rows, columns = written.shape
    return int(max(-rows - 1, min(written.attributes["k"], columns + 1)))


@writes("MatrixSetDiag")
def _matrix_set_diag(out: Emitter, written: Call, data: Value, diagonal: Value) -> Any:
    *_, rows, columns = written.shape
    spread = out.unsqueeze(diagonal, [-1 if rows <= columns else -2])
    if 0 in written.shape:
        return data
    return out.node("Where", out.constant(np.eye(rows, columns, dtype=bool)), spread, data)
