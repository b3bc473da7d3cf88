"""Where the boxes of a layout go: layers from top to bottom, each box near its neighbours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from gsl.drawing.layered import Layout

Size = tuple[float, float]

GAP, LAYER_GAP = 20.0, 34.0
"""Pixels between boxes of a layer, and between layers."""

POINT: Size = (6.0, 0.0)
"""Size of the point where a long edge passes through a layer."""

SWEEPS = 6


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in pixels, from the upper left corner of the drawing on, and its layer."""

    left: float
    top: float
    width: float
    height: float
    layer_top: float
    layer_bottom: float

    @property
    def middle(self) -> float:
        """The horizontal centre."""
        return self.left + self.width / 2

    @property
    def bottom(self) -> float:
        """The lower edge."""
        return self.top + self.height


def placed(layout: Layout, sizes: Sequence[Size]) -> tuple[Mapping[int, Box], float, float]:
    """Return the box of every vertex and point of a layout, and the width and height of all."""
    known = dict(enumerate(sizes))
    widths = {one: known.get(one, POINT)[0] for layer in layout.layers for one in layer}
    middles = _middles(layout, widths)
    left = min((middles[one] - widths[one] / 2 for one in middles), default=0.0)
    boxes: dict[int, Box] = {}
    top = 0.0
    for layer in layout.layers:
        tallest = max((known.get(one, POINT)[1] for one in layer), default=0.0)
        for one in layer:
            width, height = known.get(one, (POINT[0], tallest))
            start = middles[one] - width / 2 - left
            upper = top + (tallest - height) / 2
            boxes[one] = Box(start, upper, width, height, top, top + tallest)
        top += tallest + LAYER_GAP
    right = max((box.left + box.width for box in boxes.values()), default=0.0)
    return boxes, right, max(top - LAYER_GAP, 0.0)


def _middles(layout: Layout, widths: Mapping[int, float]) -> dict[int, float]:
    """Return the horizontal centre of everything: near the mean of its neighbours, in order."""
    neighbours: dict[int, list[int]] = {one: [] for layer in layout.layers for one in layer}
    for path in layout.paths.values():
        for upper, lower in pairwise(path):
            neighbours[upper].append(lower)
            neighbours[lower].append(upper)
    middles: dict[int, float] = {}
    for layer in layout.layers:
        _place(layer, [0.0] * len(layer), widths, middles)
    for sweep in range(SWEEPS):
        for layer in layout.layers if sweep % 2 == 0 else reversed(layout.layers):
            wishes = [_mean(neighbours[one], middles, middles[one]) for one in layer]
            _place(layer, wishes, widths, middles)
    return middles


def _mean(near: Sequence[int], middles: Mapping[int, float], alone: float) -> float:
    return sum(middles[one] for one in near) / len(near) if near else alone


def _place(
    layer: Sequence[int],
    wishes: Sequence[float],
    widths: Mapping[int, float],
    middles: dict[int, float],
) -> None:
    """Place a layer as near to its wishes as the order and the gaps allow (least squares).

    Neighbours that would overlap move together: pool adjacent violators.
    """
    offsets, offset = [], 0.0
    for before, one in zip([None, *layer], layer, strict=False):
        if before is not None:
            offset += (widths[before] + widths[one]) / 2 + GAP
        offsets.append(offset)
    groups: list[tuple[float, int]] = []
    for wish, offset in zip(wishes, offsets, strict=True):
        groups.append((wish - offset, 1))
        while len(groups) > 1 and groups[-2][0] > groups[-1][0]:
            (mean, count), (other, more) = groups[-2:]
            groups[-2:] = [((mean * count + other * more) / (count + more), count + more)]
    starts = [mean for mean, count in groups for _ in range(count)]
    for one, start, offset in zip(layer, starts, offsets, strict=True):
        middles[one] = start + offset
