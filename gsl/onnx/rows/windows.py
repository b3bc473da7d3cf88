"""What sliding windows have in common: strides, dilations and padding of each spatial axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gsl.onnx.errors import RowError
from gsl.onnx.site import Site


def to_channels_first(layout: str) -> list[int]:
    """Return the order of axes that brings data of a layout to N C spatial..."""
    spatial = layout.replace("N", "").replace("C", "")
    return [layout.index(letter) for letter in f"NC{spatial}"]


def inverse(order: Sequence[int]) -> list[int]:
    """Return the order of axes that undoes another one."""
    return [list(order).index(axis) for axis in range(len(order))]


def per_axis(site: Site, name: str, count: int) -> tuple[int, ...]:
    """Return an attribute with one number for each spatial axis, by default 1."""
    given = tuple(int(one) for one in site.attribute(name, None) or (1,) * count)
    if len(given) != count:
        raise RowError(f"its {name} {given} are not {count} numbers")
    return given


def padding(
    site: Site,
    sizes: Sequence[int],
    extents: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
) -> tuple[int, ...]:
    """Return the padding (begins..., ends...) of windows, worked out if it is automatic."""
    mode, count = site.attribute("auto_pad", "NOTSET"), len(sizes)
    given = tuple(int(one) for one in site.attribute("pads", None) or (0,) * (2 * count))
    if mode == "NOTSET":
        return given
    if mode == "VALID":
        return (0,) * (2 * count)
    begins, ends = [], []
    for axis in zip(sizes, extents, strides, dilations, strict=True):
        small, large = _halves(_same(*axis))
        begins.append(small if mode == "SAME_UPPER" else large)
        ends.append(large if mode == "SAME_UPPER" else small)
    return (*begins, *ends)


def _same(size: int, extent: int, stride: int, dilation: int) -> int:
    places = -(-size // stride)
    return max(0, (places - 1) * stride + dilation * (extent - 1) + 1 - size)


def _halves(total: int) -> tuple[int, int]:
    return total // 2, total - total // 2


def listed(attributes: Any, *names: str) -> dict[str, Any]:
    """Return attributes of GSL as lists under the names that ONNX has for them."""
    known = {"padding": "pads", "dilation": "dilations", "pool_size": "kernel_shape"}
    return {known.get(name, name): list(attributes[name]) for name in names}
