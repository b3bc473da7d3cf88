"""Images of another size."""

from __future__ import annotations

from collections.abc import Callable
from math import floor
from typing import Any

import numpy as np

from gsl.expr import Call, Expr
from gsl.onnx.build import call, number
from gsl.onnx.emitter import Emitter, Value
from gsl.onnx.errors import RowError
from gsl.onnx.site import Site
from gsl.onnx.table import reads, writes

COORDINATES: dict[str, Callable[[Any, float, int, int], Any]] = {
    "half_pixel": lambda x, scale, old, new: (x + 0.5) / scale - 0.5,
    "half_pixel_symmetric": lambda x, scale, old, new: (
        old / 2 * (1 - new / (scale * old)) + (x + 0.5) / scale - 0.5
    ),
    "pytorch_half_pixel": lambda x, scale, old, new: (
        (x + 0.5) / scale - 0.5 if new > 1 else 0.0 * x
    ),
    "asymmetric": lambda x, scale, old, new: x / scale,
    "align_corners": lambda x, scale, old, new: (
        x * (old - 1) / (scale * old - 1) if scale * old != 1 else 0.0 * x
    ),
    "tf_half_pixel_for_nn": lambda x, scale, old, new: (x + 0.5) / scale,
}
"""Where pixel x of the new image lies in the old one, by the name that ONNX has for it."""

ROUNDING: dict[str, Callable[[Any], Any]] = {
    "round_prefer_floor": lambda x: np.ceil(x - 0.5),
    "round_prefer_ceil": lambda x: np.floor(x + 0.5),
    "floor": np.floor,
    "ceil": np.ceil,
}


ALIKE = {
    "half_pixel": "half_pixel",
    "half_pixel_symmetric": "half_pixel",
    "pytorch_half_pixel": "pytorch_half_pixel",
    "asymmetric": "asymmetric",
    "align_corners": "align_corners",
}
"""The names of coordinates that GSL has where sizes are exact multiples of scales."""


@reads("Resize", since=11)
def _resize(site: Site) -> Expr:
    data, _ = site.operand(0), site.optional(1)
    coordinates = site.attribute("coordinate_transformation_mode", "half_pixel")
    mode = site.attribute("mode", "nearest")
    rounding = site.attribute("nearest_mode", "round_prefer_floor")
    if site.attribute("antialias", 0) or coordinates not in COORDINATES:
        raise RowError("neighbours are combined to avoid aliases, or a part is cut out")
    if site.attribute("exclude_outside", 0) and mode == "cubic":
        raise RowError("elements outside are left out")
    coeff = float(site.attribute("cubic_coeff_a", -0.75))
    site.attribute("extrapolation_value", 0)  # about parts that are cut out
    if site.attribute("keep_aspect_ratio_policy", "stretch") != "stretch":
        raise RowError("its sizes depend on an aspect ratio")
    rank, axes = len(data.shape), site.attribute("axes", None)
    counted = range(rank) if axes is None else [axis % rank for axis in axes]
    sizes = _sizes(site, data, list(counted))
    return _resized(data, sizes, mode, coordinates, rounding, coeff)


@reads("Upsample", since=7)
@reads("Resize", since=10)
def _upsample(site: Site) -> Expr:
    data, mode = site.operand(0), site.attribute("mode", "nearest")
    scales = site.attribute("scales") if site.opset < 9 else site.constant(1)
    if min(scales) < 1:
        raise RowError("opset 10 leaves open how an image becomes smaller")
    sizes = [
        (axis, float(scale), floor(data.shape[axis] * float(scale)))
        for axis, scale in enumerate(scales)
    ]
    return _resized(data, sizes, mode, "asymmetric", "floor")


def _resized(
    data: Expr,
    sizes: list[tuple[int, float, int]],
    mode: str,
    coordinates: str,
    rounding: str,
    coeff: float = -0.75,
) -> Expr:
    """Return data with new sizes along axes, each of which has a scale."""
    wanted = list(data.shape)
    is_exact = coordinates in ALIKE
    for axis, scale, new in sizes:
        wanted[axis] = new
        is_exact = is_exact and abs(data.shape[axis] * scale - new) < 1e-6 * new
    if is_exact:
        how: dict[str, Any] = {
            "mode": mode,
            "coordinates": ALIKE[coordinates],
            "rounding": rounding,
        }
        how |= {"cubic_coeff": coeff} if mode == "cubic" else {}
        return call("Resize", data, sizes=tuple(wanted), **how)
    if mode != "nearest":
        raise RowError("its sizes are no multiples of its scales")
    for axis, scale, new in sizes:
        old = data.shape[axis]
        if new == old and scale == 1:
            continue
        places = COORDINATES[coordinates](np.arange(new, dtype=np.float64), scale, old, new)
        chosen = np.clip(ROUNDING[rounding](places), 0, old - 1).astype(np.int64)
        data = call("Take", data, number(chosen, "int64"), axis=axis)
    return data


@writes("Resize")
def _write_resize(out: Emitter, written: Call, data: Value) -> Any:
    attributes = written.attributes
    how = {"coordinate_transformation_mode": attributes["coordinates"], "mode": attributes["mode"]}
    further = {"nearest": ("nearest_mode", "rounding"), "cubic": ("cubic_coeff_a", "cubic_coeff")}
    name, own = further.get(how["mode"], ("", ""))
    more = {name: attributes[own]} if name else {}
    return out.node("Resize", data, None, None, out.integers(attributes["sizes"]), **how, **more)


def _sizes(site: Site, data: Expr, axes: list[int]) -> list[tuple[int, float, int]]:
    """Return axes with their scales and new sizes."""
    scales, sizes = site.optional_constant(2), site.integers(3)
    if sizes is not None:
        both = zip(axes, sizes, strict=True)
        return [(axis, size / data.shape[axis], size) for axis, size in both]
    if scales is None or not scales.size:
        raise RowError("it has neither scales nor sizes")
    pairs = zip(axes, map(float, scales), strict=True)
    return [(axis, scale, floor(data.shape[axis] * scale)) for axis, scale in pairs]
