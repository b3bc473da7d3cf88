"""The GSL operator of a Relax call: the inverse of `gsl.tvm.lower`.

Operators with a Relax twin need no table: operands and attributes have the same names on both
sides. `TWINS` adds Relax operators whose GSL counterpart is lowered in another way, `ADAPTERS`
attributes that are written differently, and `HARMLESS` attributes that GSL does not have.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gsl.expr import Call, Expr
from gsl.operators.declaration import REGISTRY, Operator
from gsl.tvm.errors import UnsupportedError
from gsl.tvm.plain import builder_defaults, keyword_attributes, plain, positional_arguments

TWINS: Mapping[str, str] = {
    "argsort": "ArgSort",
    "clip": "Clip",
    "cumprod": "CumProd",
    "full": "Full",
    "full_like": "FullLike",
    "gather_nd": "GatherND",
    "one_hot": "OneHot",
    "sort": "Sort",
    "scatter_elements": "ScatterElements",
    "scatter_nd": "ScatterND",
    "slice_scatter": "SliceScatter",
    "strided_slice": "StridedSlice",
    "topk": "TopK",
    "nn.attention": "Attention",
    "nn.batch_norm": "BatchNorm",
    "nn.conv1d_transpose": "Conv1DTranspose",
    "nn.conv2d_transpose": "Conv2DTranspose",
    "nn.conv3d_transpose": "Conv3DTranspose",
    "nn.group_norm": "GroupNorm",
    "nn.instance_norm": "InstanceNorm",
    "nn.layer_norm": "LayerNorm",
    "nn.rms_norm": "RmsNorm",
    "nn.selu": "Selu",
}
"""Relax name to the name of the operator with the same meaning."""

Written = dict[str, Any]
"""The attributes of a Relax call as plain values."""

HARMLESS: Mapping[tuple[str, str], Callable[[Any, Written], bool]] = {
    ("argsort", "dtype"): lambda value, _: value == "int64",
    ("topk", "ret_type"): lambda value, _: value == "both",
    ("topk", "dtype"): lambda value, _: value == "int64",
    ("take", "mode"): lambda value, _: value in ("fast", "clip"),
    ("slice_scatter", "step"): lambda value, _: value == 1,
    ("strided_slice", "assume_inbound"): lambda value, _: True,
    ("nn.max_pool1d", "count_include_pad"): lambda value, _: True,
    ("nn.max_pool2d", "count_include_pad"): lambda value, _: True,
    ("nn.max_pool3d", "count_include_pad"): lambda value, _: True,
    ("nn.batch_norm", "training"): lambda value, _: not value,
    ("nn.batch_norm", "momentum"): lambda value, _: True,
}
"""For attributes that GSL does not have, the values under which the meaning is that of GSL.

Any other must be the default of the builder, and an `out_layout` must be that of the data.
"""


def read_operator(call: Any, read: Callable[[Any], Expr], resolve: Callable[[Any], Any]) -> Call:
    """Return the GSL call of a Relax call.

    Args:
        call: a Relax call of an operator of ``relax.op``, with its type.
        read: gives the expression of an operand.
        resolve: gives what an argument is bound to that is an attribute in GSL.

    Raises UnsupportedError when GSL has no such operator, or not with these attributes.
    """
    name = call.op.name.removeprefix("relax.")
    operator = _operator(name)
    arguments = positional_arguments(call, name)
    tensors = [key for key in arguments if key not in operator.attributes]
    tensors = tensors[: len(operator.operands)]
    written = {key: plain(resolve(arguments[key])) for key in arguments if key not in tensors}
    written |= {key: plain(value) for key, value in keyword_attributes(call).items()}
    adapted = ADAPTERS.get(name, _unchanged)(written, call)
    if "dtype" in operator.attributes and adapted.get("dtype") is None:
        adapted["dtype"] = str(call.ty.dtype)
    known = {key: adapted.pop(key) for key in operator.attributes if key in adapted}
    _check_rest(operator, name, adapted, written)
    return Call(operator, [read(arguments[key]) for key in tensors], known)


def _operator(relax_name: str) -> Operator:
    for operator in REGISTRY.values():
        if operator.relax_name == relax_name:
            return operator
    twin = REGISTRY.get(TWINS.get(relax_name, ""))
    if twin is None:
        raise UnsupportedError(f"GSL has no operator for relax.{relax_name}")
    return twin


def _check_rest(operator: Operator, relax_name: str, rest: Written, written: Written) -> None:
    """Demand that attributes which the operator does not have do not change its meaning."""
    for key, value in rest.items():
        if (relax_name, key) in HARMLESS:
            fine = HARMLESS[relax_name, key](value, written)
        elif key == "out_layout":
            fine = value in (written.get("data_layout"), written.get("layout"))
        else:
            fine = value == builder_defaults(relax_name).get(key, _NOTHING)
        if not fine:
            raise UnsupportedError(f"{operator} cannot express {key}={value!r}")


_NOTHING = object()


def _unchanged(written: Written, call: Any) -> Written:
    return dict(written)


def _sliced(written: Written, call: Any) -> Written:
    """Turn positions on some axes into positions on all axes."""
    shape = [int(size) for size in call.args[0].ty.shape]
    begin, end, strides = [0] * len(shape), shape[:], [1] * len(shape)
    steps = written.get("strides") or (1,) * len(written["axes"])
    for axis, *cut in zip(written["axes"], written["begin"], written["end"], steps, strict=True):
        begin[axis], end[axis], strides[axis] = cut
    return {"assume_inbound": written["assume_inbound"]} | {
        "begin": tuple(begin),
        "end": tuple(end),
        "strides": tuple(strides),
    }


def _scattered(written: Written, call: Any) -> Written:
    """Leave out the end, which the size of the update says as well."""
    size, axis = int(call.args[1].ty.shape[written["axis"]]), written["axis"]
    if written["end"] != written["start"] + size:
        raise UnsupportedError(f"SliceScatter cannot express end={written['end']!r}")
    return {"start": written["start"], "axis": axis, "step": written["step"]}


def _combined(written: Written, call: Any) -> Written:
    """Relax calls it an update where an element is replaced."""
    return written | {
        "reduction": {"update": "none"}.get(written["reduction"], written["reduction"])
    }


def _accumulated(written: Written, call: Any) -> Written:
    if written["dtype"] == str(call.args[0].ty.dtype):
        return written | {"dtype": None}
    return dict(written)


ADAPTERS: Mapping[str, Callable[[Written, Any], Written]] = {
    "cumprod": _accumulated,
    "cumsum": _accumulated,
    "full": _unchanged,
    "full_like": _unchanged,
    "scatter_elements": _combined,
    "scatter_nd": _combined,
    "slice_scatter": _scattered,
    "strided_slice": _sliced,
}
"""How the attributes of a Relax call are written in GSL, where that differs."""
