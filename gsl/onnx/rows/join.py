"""Operators that put tensors together, cut them apart and copy them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from gsl.expr import Call, Expr, Proj, Tuple
from gsl.onnx.build import broadcast, call
from gsl.onnx.emitter import Emitter, Value
from gsl.onnx.errors import RowError
from gsl.onnx.site import Site
from gsl.onnx.table import reads, writes
from gsl.operators.declaration import tensors


@reads("Concat")
def _concat(site: Site) -> Expr:
    fields = site.operands()
    axis = site.attribute("axis", 1 if site.opset < 4 else None)
    return fields[0] if len(fields) == 1 else call("Concatenate", Tuple(fields), axis=axis)


@reads("Split")
def _split(site: Site) -> Sequence[Expr]:
    data, axis = site.operand(), site.attribute("axis", 0) % len(site.operand().shape)
    sizes = site.integers(1) if site.opset >= 13 else site.attribute("split", None)
    count = site.attribute("num_outputs", None) or len(site.used)
    whole = data.shape[axis]
    if sizes is None:
        each = -(-whole // count)
        sizes = [max(0, min(each, whole - each * place)) for place in range(count)]
    if sum(sizes) != whole or min(sizes) < 0:
        raise RowError(f"its sizes {list(sizes)} do not add up to {whole}")
    ends = list(accumulate(sizes))
    if len(ends) == 1:
        return [data]
    pieces = call("Split", data, indices_or_sections=tuple(ends[:-1]), axis=axis)
    return [Proj(pieces, place) for place in range(len(sizes))]


@reads("Expand")
def _expand(site: Site) -> Expr:
    data, wanted = site.operand(), site.integers(1)
    assert wanted is not None
    rank = max(len(wanted), len(data.shape))
    own = (1,) * (rank - len(data.shape)) + data.shape
    asked = (1,) * (rank - len(wanted)) + tuple(wanted)
    shape = tuple(b if a == 1 else a for a, b in zip(own, asked, strict=True))
    return broadcast(data, shape)


@reads("Tile", since=6)
def _tile(site: Site) -> Expr:
    data, repeats = site.operand(), site.integers(1)
    assert repeats is not None
    return data if set(repeats) <= {1} else call("Tile", data, repeats=tuple(repeats))


@reads("Slice")
def _slice(site: Site) -> Expr:
    data = site.operand()
    if site.opset < 10:
        starts, ends = site.attribute("starts"), site.attribute("ends")
        axes, steps = site.attribute("axes", None), None
    else:
        starts, ends, axes, steps = (site.integers(place) for place in (1, 2, 3, 4))
    rank = len(data.shape)
    listed = range(len(starts)) if axes is None else [axis % rank for axis in axes]
    strides = [1] * len(starts) if steps is None else steps
    begins, stops, forward = [0] * rank, list(data.shape), [1] * rank
    for axis, start, end, step in zip(listed, starts, ends, strides, strict=True):
        if step == 0:
            raise RowError("a step is 0")
        size = data.shape[axis]
        begin, stop, stride = slice(start, end, step).indices(size)
        if step < 0:
            data = call("Flip", data, axis=axis)
            begin, stop, stride = size - 1 - begin, size - 1 - stop, -stride
        begins[axis], stops[axis], forward[axis] = begin, max(begin, stop), stride
    if begins == [0] * rank and tuple(stops) == data.shape and set(forward) <= {1}:
        return data
    return call("StridedSlice", data, begin=tuple(begins), end=tuple(stops), strides=tuple(forward))


@writes("Concatenate")
def _concatenate(out: Emitter, written: Call, fields: list[Value]) -> Any:
    return out.node("Concat", *fields, axis=written.attributes["axis"])


@writes("Stack")
def _stack(out: Emitter, written: Call, fields: list[Value]) -> Any:
    axis = written.attributes["axis"]
    return out.node("Concat", *(out.unsqueeze(field, [axis]) for field in fields), axis=axis)


@writes("Split")
def _write_split(out: Emitter, written: Call, data: Value) -> list[Value]:
    axis, fields = written.attributes["axis"], tensors((written.type,))
    sizes = out.integers(field.shape[axis] for field in fields)
    made = out.node("Split", data, sizes, results=len(fields), axis=axis)
    return made if len(fields) > 1 else [made]


@writes("BroadcastTo")
def _broadcast_to(out: Emitter, written: Call, data: Value) -> Any:
    if 0 in written.shape:
        return out.filled(written.shape, 0, written.dtype)
    return out.node("Expand", data, out.integers(written.shape))


@writes("Repeat")
def _repeat(out: Emitter, written: Call, data: Value) -> Any:
    shape, axis = written.operands[0].shape, written.attributes["axis"] % len(written.shape)
    longer = out.unsqueeze(data, [axis + 1])
    sizes = (*shape[: axis + 1], written.attributes["repeats"], *shape[axis + 1 :])
    if 0 in sizes:
        return out.filled(written.shape, 0, written.dtype)
    return out.reshape(out.node("Expand", longer, out.integers(sizes)), written.shape)


@writes("Tile")
def _write_tile(out: Emitter, written: Call, data: Value) -> Any:
    repeats = written.attributes["repeats"]
    return out.node("Tile", data, out.integers(repeats)) if repeats else data


@writes("StridedSlice")
def _strided_slice(out: Emitter, written: Call, data: Value) -> Any:
    begin, end, strides = (written.attributes[name] for name in ("begin", "end", "strides"))
    shape = written.operands[0].shape
    cut = [
        axis
        for axis, size in enumerate(shape)
        if (begin[axis], end[axis], strides[axis]) != (0, size, 1)
    ]
    numbers = [[values[axis] for axis in cut] for values in (begin, end)]
    steps = [strides[axis] for axis in cut]
    return out.node("Slice", data, *map(out.integers, (*numbers, cut, steps))) if cut else data


@writes("SliceScatter")
def _slice_scatter(out: Emitter, written: Call, data: Value, update: Value) -> Any:
    shape, axis = written.shape, written.attributes["axis"] % len(written.shape)
    start = written.attributes["start"]
    end = start + written.operands[1].shape[axis]
    before = [out.slice(data, axis, 0, start)] if start else []
    behind = [out.slice(data, axis, end, shape[axis])] if end < shape[axis] else []
    return out.node("Concat", *before, update, *behind, axis=axis)
