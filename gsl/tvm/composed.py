"""Relax calls that GSL says with other operators, or with several: what PyTorch models bring.

Operands and attributes are read as by `gsl.tvm.twins`; a call that is not in this form is left to
whoever asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gsl.expr import Call, Expr, Tuple
from gsl.operators.declaration import lookup
from gsl.tvm.errors import UnsupportedError
from gsl.tvm.plain import keyword_attributes, plain, positional_arguments

Read = Callable[[Any], Expr]
Composed = Callable[[Any, Read], Expr | None]


def read_composed(call: Any, read: Read) -> Expr | None:
    """Return the expression of a Relax call that has no operator of its own in GSL.

    Args:
        call: a Relax call of an operator of ``relax.op``, with its type.
        read: gives the expression of an operand.

    Returns None for what the table is not about. Raises UnsupportedError for one that is,
    but with operands or attributes that no expression of GSL stands for.
    """
    build = COMPOSED.get(call.op.name.removeprefix("relax."))
    return None if build is None else build(call, read)


def _call(name: str, *operands: Expr, **attributes: Any) -> Call:
    return Call(lookup(name), operands, attributes)


def _on_truth_values(name: str) -> Composed:
    def build(call: Any, read: Read) -> Expr | None:
        operands = [read(argument) for argument in call.args]
        of_bits = any(operand.dtype != "bool" for operand in operands)
        return None if of_bits else _call(name, *operands)

    return build


def _divided(call: Any, read: Read) -> Expr | None:
    """Read the quotient of integers, which is cut off; that of floats is an operator."""
    operands = [read(argument) for argument in call.args]
    of_integers = all("int" in str(operand.dtype) for operand in operands)
    return _call("TruncDivide", *operands) if of_integers else None


def _whole(call: Any, read: Read) -> Expr | None:
    """Read the whole part of integers, which they are."""
    data = read(call.args[0])
    return data if "int" in str(data.dtype) else None


def _elements_at(call: Any, read: Read) -> Expr:
    """Read ``data[i, j, ...]``, whose indices are broadcast against each other."""
    data, indices = (read(argument) for argument in call.args)
    places = _one_by_one(indices)
    if len(places) == 1:
        return _call("Take", data, places[0], axis=0)
    return _call("GatherND", data, _points(places))


def _replaced_at(call: Any, read: Read) -> Expr:
    """Read ``data[i, j, ...] = values``, or ``+=``, whose indices and values are broadcast."""
    data, indices, values = (read(argument) for argument in call.args)
    points = _points(_one_by_one(indices))
    whole = (*points.shape[:-1], *data.shape[points.shape[-1] :])
    accumulates = plain(keyword_attributes(call)["accumulate"])
    how = {"reduction": "add" if accumulates else "none"}
    return _call("ScatterND", data, points, _broadcast(values, whole), **how)


def _one_by_one(indices: Expr) -> tuple[Expr, ...]:
    if not isinstance(indices, Tuple):
        raise UnsupportedError("the indices are not known one by one")
    if any(place.dtype not in ("int32", "int64") for place in indices.operands):
        raise UnsupportedError("indices must be int32 or int64")
    return indices.operands


def _points(places: tuple[Expr, ...]) -> Expr:
    """Return indices of several axes, broadcast against each other, along a new last axis."""
    shape = np.broadcast_shapes(*(place.shape for place in places))
    columns = [_broadcast(_wide(place), shape) for place in places]
    return _call("Stack", Tuple(columns), axis=len(shape))


def _wide(place: Expr) -> Expr:
    return place if place.dtype == "int64" else _call("Cast", place, dtype="int64")


def _broadcast(place: Expr, shape: tuple[int, ...]) -> Expr:
    return place if place.shape == shape else _call("BroadcastTo", place, shape=shape)


def _padded(call: Any, read: Read) -> Expr:
    """Read padding by one value; a negative width cuts elements off."""
    written = {name: plain(value) for name, value in keyword_attributes(call).items()}
    if written["pad_mode"] != "constant":
        raise UnsupportedError(f"GSL does not pad in the mode {written['pad_mode']}")
    arguments = positional_arguments(call, "nn.pad")
    widths, value = tuple(map(int, written["pad_width"])), written["pad_value"]
    data = read(arguments["data"])
    if min(widths, default=0) >= 0:
        return _call("Pad", data, pad_width=widths, pad_value=value)
    sides = {"low": widths[::2], "high": widths[1::2], "interior": (0,) * len(data.shape)}
    return _call("DilatedPad", data, **sides, pad_value=value)


def _resized(call: Any, read: Read) -> Expr:
    """Read the enlarging of images N, C, height, width, by the nearest or between two, four."""
    arguments = positional_arguments(call, "image.resize2d")
    written = {name: plain(value) for name, value in keyword_attributes(call).items()}
    data, sizes = read(arguments["data"]), tuple(plain(arguments["size"]))
    coordinates = written["coordinate_transformation_mode"]
    way = (written["method"], coordinates, written["rounding_method"])
    kept = not written["cubic_exclude"] and written["out_dtype"] in (None, "", "void", data.dtype)
    if written["layout"] != "NCHW" or not kept or any(map(float, written["roi"])):
        raise UnsupportedError("only whole images N, C, height, width are resized")
    if way[0] == "linear" and coordinates in ("half_pixel", "align_corners", "asymmetric"):
        mode: dict[str, Any] = {"mode": "linear"}
    elif way[0] == "cubic" and coordinates in ("half_pixel", "align_corners", "asymmetric"):
        mode = {"mode": "cubic", "cubic_coeff": float(written["cubic_alpha"])}
    elif way == ("nearest_neighbor", "asymmetric", "floor"):
        mode = {"mode": "nearest", "rounding": "floor"}
    else:
        raise UnsupportedError(f"GSL does not resize by {', '.join(map(str, way))}")
    whole = (*data.shape[:2], *sizes)
    return _call("Resize", data, sizes=whole, coordinates=coordinates, **mode)


def _averaged(call: Any, read: Read) -> Expr | None:
    """Read the average of each channel; other sizes are those of an operator."""
    written = {name: plain(value) for name, value in keyword_attributes(call).items()}
    is_whole = tuple(written["output_size"]) == (1, 1)
    if not is_whole or written["out_layout"] != written["layout"]:
        return None
    return _call("GlobalAvgPool2D", read(call.args[0]), layout=written["layout"])


COMPOSED: Mapping[str, Composed] = {
    "bitwise_and": _on_truth_values("LogicalAnd"),
    "bitwise_or": _on_truth_values("LogicalOr"),
    "bitwise_xor": _on_truth_values("LogicalXor"),
    "bitwise_not": _on_truth_values("LogicalNot"),
    "divide": _divided,
    "image.resize2d": _resized,
    "nn.adaptive_avg_pool2d": _averaged,
    "index_put": _replaced_at,
    "index_tensor": _elements_at,
    "nn.pad": _padded,
    "trunc": _whole,
}
