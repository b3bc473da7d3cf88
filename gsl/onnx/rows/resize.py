"""Images of another size, where every pixel is one of the old ones."""

from __future__ import annotations

from collections.abc import Callable
from math import floor
from typing import Any

import numpy as np

from gsl.expr import Expr
from gsl.onnx.build import call, number
from gsl.onnx.errors import RowError
from gsl.onnx.site import Site
from gsl.onnx.table import reads

COORDINATES: dict[str, Callable[[Any, float, int, int], Any]] = {
    "half_pixel": lambda x, scale, old, new: (x + 0.5) / scale - 0.5,
    "half_pixel_symmetric": lambda x, scale, old, new: (
        old / 2 * (1 - new / (scale * old)) + (x + 0.5) / scale - 0.5
    ),
    "pytorch_half_pixel": lambda x, scale, old, new: (
        (x + 0.5) / scale - 0.5 if new > 1 else 0.0 * x
    ),
    "asymmetric": lambda x, scale, old, new: x / scale,
    "align_corners": lambda x, scale, old, new: x * (old - 1) / max(1, new - 1),
    "tf_half_pixel_for_nn": lambda x, scale, old, new: (x + 0.5) / scale,
}
"""Where pixel x of the new image lies in the old one, by the name that ONNX has for it."""

ROUNDING: dict[str, Callable[[Any], Any]] = {
    "round_prefer_floor": lambda x: np.ceil(x - 0.5),
    "round_prefer_ceil": lambda x: np.floor(x + 0.5),
    "floor": np.floor,
    "ceil": np.ceil,
}


@reads("Resize", since=11)
def _resize(site: Site) -> Expr:
    data, roi = site.operand(0), site.optional(1)
    mode = site.attribute("coordinate_transformation_mode", "half_pixel")
    if site.attribute("mode", "nearest") != "nearest" or mode not in COORDINATES:
        raise RowError("only the nearest pixels are gathered, others are computed")
    for name in ("cubic_coeff_a", "exclude_outside", "extrapolation_value", "antialias"):
        site.attribute(name, 0)  # about other modes
    if site.attribute("keep_aspect_ratio_policy", "stretch") != "stretch":
        raise RowError("its sizes depend on an aspect ratio")
    rounding = ROUNDING[site.attribute("nearest_mode", "round_prefer_floor")]
    assert roi is None or mode != "tf_crop_and_resize"
    rank = len(data.shape)
    axes = site.attribute("axes", None)
    for axis, scale, new in _sizes(site, data, list(range(rank)) if axes is None else list(axes)):
        old = data.shape[axis]
        if new == old and scale == 1:
            continue
        places = rounding(COORDINATES[mode](np.arange(new, dtype=np.float64), scale, old, new))
        chosen = np.clip(places, 0, old - 1).astype(np.int64)
        data = call("Take", data, number(chosen, "int64"), axis=axis % rank)
    return data


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
