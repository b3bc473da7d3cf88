"""Operators that compute with numbers among their attributes, given as variables.

TVM's operators take strides, padding and the like only as numbers that are known. What it makes of
them are calls of its tensor operator inventory (TOPI), and these take variables as well, so that
one kernel serves all such numbers. The calls here are those of TVM's `LegalizeOps`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np
from tvm import tirx, topi
from tvm.runtime import ObjectConvertible

from gsl.expr import Call
from gsl.numpy_dtypes import is_floating, kind_of
from gsl.operators.declaration import tensors
from gsl.tvm.simpler import has_elements

WINDOW = ("pool_size", "strides", "dilation", "padding")
CONVOLUTION = ("strides", "padding", "dilation")
NUMBERS: Mapping[str, tuple[str, ...]] = {
    "AvgPool1D": WINDOW,
    "AvgPool2D": WINDOW,
    "Conv1D": CONVOLUTION,
    "Conv2D": CONVOLUTION,
    "MaxPool1D": WINDOW,
    "MaxPool2D": WINDOW,
    "Pad": ("pad_width",),
    "Split": ("indices_or_sections",),
}
"""The attributes that may be variables, of operators that compute with some."""


def numbered(call: Call) -> tuple[str, ...]:
    """Return the attributes of a call that may be variables; none where TVM does without TOPI."""
    names = NUMBERS.get(call.operator.name, ())
    match call.operator.name:
        case "Conv1D" | "Conv2D" if call.attributes["groups"] > 1:
            return *names, "groups"
        case "Split" if not _has_pieces(call):
            return ()
    return names


def _has_pieces(call: Call) -> bool:
    """Tell whether a tensor is cut at places into pieces that all have elements."""
    pieces = list(tensors((call.type,)))
    is_at_places = isinstance(call.attributes["indices_or_sections"], tuple)
    return is_at_places and len(pieces) > 1 and all(piece.size for piece in pieces)


def filler(call: Call) -> int | None:
    """Return what `Pad` fills with, as an integer of the same bytes.

    None for other operators, for tensors without elements, and where the dtype does not have the
    number, so that TVM has to say what becomes of it.
    """
    if call.operator.name != "Pad" or not has_elements(call):
        return None
    (given,) = tensors((call.operands[0].type,))
    value, dtype = call.attributes["pad_value"], np.dtype(given.dtype)
    with np.errstate(over="ignore", invalid="ignore"):
        array = np.asarray(value).astype(dtype)
    is_kept = np.isfinite(array) == np.isfinite(value) if is_floating(dtype) else array == value
    return int(array.view(f"i{dtype.itemsize}")) if is_kept and kind_of(dtype) != "b" else None


def known_places(call: Call, name: str) -> Collection[int]:
    """Return the places in an attribute whose numbers TVM has to know.

    TOPI pads what it pools only where it sees that a side is padded, which is one before the data
    when sizes are rounded up: those behind it are then computed with the strides.
    """
    if NUMBERS.get(call.operator.name) != WINDOW or name not in ("padding", "strides"):
        return ()
    padding, rounds_up = call.attributes["padding"], call.attributes["ceil_mode"]
    axes = len(padding) // 2
    sides = padding[:axes] if rounds_up else padding
    padded = [place for place, width in enumerate(sides) if width]
    if name == "padding":
        least = sorted(padded, key=sides.__getitem__)  # 1 mostly, so that kernels are shared
        return least[:1] or range(len(padding))
    return range(axes) if rounds_up and not padded else ()


def emit_numbered(
    builder: Any, name: str, kernel: str, operands: list[Any], attributes: Mapping[str, Any]
) -> Any:
    """Return the Relax call of the function of TOPI for the operator `name`.

    Attributes that are variables are lists of them. The function of loops is called after
    `kernel`, a name that no other has.
    """
    return builder.call_te(
        _FUNCTIONS[name], *operands, **attributes, primfunc_name_hint=f"{kernel}_loops"
    )


def _convolve(data: Any, weight: Any, *, groups: Any, strides: Any, **attributes: Any) -> Any:
    many = groups if isinstance(groups, int) else _Groups(groups[0])
    return topi.nn.conv(data, weight, stride=strides, groups=many, **attributes)


def _pool(function: Callable[..., Any], kind: str) -> Callable[..., Any]:
    def pool(data: Any, *, pool_size: Any, strides: Any, **attributes: Any) -> Any:
        windows = {"kernel": pool_size, "stride": strides}
        return function(data, pool_type=kind, **windows, **attributes)

    return pool


def _pad(data: Any, *, pad_width: Any, pad_value: Any) -> Any:
    value = _of_bytes(pad_value[0], data.dtype) if isinstance(pad_value, list) else pad_value
    return topi.nn.pad(data, pad_width[::2], pad_width[1::2], value)


def _of_bytes(number: Any, dtype: str) -> Any:
    """Return the element of a dtype whose bytes are those of an integer."""
    if dtype == "float16":
        return tirx.reinterpret(dtype, number.astype("int16"))
    return number.astype(dtype)


def _split(data: Any, *, indices_or_sections: Any, axis: int) -> Any:
    return topi.split(data, indices_or_sections, axis)


_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "AvgPool1D": _pool(topi.nn.pool1d, "avg"),
    "AvgPool2D": _pool(topi.nn.pool2d, "avg"),
    "Conv1D": _convolve,
    "Conv2D": _convolve,
    "MaxPool1D": _pool(topi.nn.pool1d, "max"),
    "MaxPool2D": _pool(topi.nn.pool2d, "max"),
    "Pad": _pad,
    "Split": _split,
}


class _Groups(ObjectConvertible):  # type: ignore[misc]
    """A number of groups beyond 1; TOPI asks whether it is, and then computes with the variable."""

    def __init__(self, variable: Any) -> None:
        self.variable = variable

    def asobject(self) -> Any:
        """Return what TVM computes with."""
        return self.variable

    def __eq__(self, other: object) -> bool:
        return False

    def __hash__(self) -> int:
        return hash(self.variable)

    def __gt__(self, other: int) -> bool:
        return True
