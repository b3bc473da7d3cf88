"""Drawings as SVG: boxes in layers, operands above their users."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from gsl.drawing.layered import Layout, layout
from gsl.drawing.vertices import Drawing, Vertex

CHARACTER, LINE, MARGIN, GAP, LAYER_GAP = 7.3, 16, 8, 24, 36
"""Sizes in pixels: of a character and a line, inside a box, between boxes, between layers."""

POINT_WIDTH = 4.0

LONGEST_LINE = 48

STYLE = (
    "text{font:12px monospace;fill:#1f2328}"
    "rect{fill:#fff;stroke:#57606a}"
    ".input rect{fill:#ddf4ff}.output rect{stroke-width:2.5}"
    "path{fill:none;stroke:#57606a;marker-end:url(#end)}"
)

ARROW = (
    '<marker id="end" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" '
    'orient="auto"><path d="M0 0L8 4L0 8z" style="fill:#57606a;stroke:none;marker-end:none"/>'
    "</marker>"
)


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle; the point of an edge is a narrow one without text."""

    left: float
    top: float
    width: float
    height: float

    @property
    def middle(self) -> float:
        """The horizontal centre."""
        return self.left + self.width / 2

    @property
    def bottom(self) -> float:
        """The lower edge."""
        return self.top + self.height


def svg(drawing: Drawing) -> list[str]:
    """Return the lines of an SVG document; attributes that do not fit are shortened."""
    placed = layout(drawing)
    texts = [_text(vertex) for vertex in drawing.vertices]
    boxes, width, height = _boxes(placed, texts)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}">',
        f"<style>{STYLE}</style><defs>{ARROW}</defs>",
    ]
    lines += [_edge([boxes[number] for number in path]) for path in placed.paths.values()]
    for number, vertex in enumerate(drawing.vertices):
        kind = "input" if vertex.is_input else "call"
        kind += " output" if number in drawing.outputs else ""
        lines.append(_vertex(boxes[number], texts[number], kind))
    return [*lines, "</svg>"]


def _text(vertex: Vertex) -> list[str]:
    title = f"{vertex.name}: {vertex.kind}" if vertex.kind else vertex.name
    return [
        line if len(line) <= LONGEST_LINE else f"{line[: LONGEST_LINE - 3]}..."
        for line in (title, *vertex.details)
    ]


def _boxes(
    placed: Layout, texts: Sequence[Sequence[str]]
) -> tuple[Mapping[int, Box], float, float]:
    """Return the box of every number, and the width and height of all."""
    sizes = {number: _size(text) for number, text in enumerate(texts)}
    point = (POINT_WIDTH, 0.0)
    widths = [
        sum(sizes.get(number, point)[0] + GAP for number in layer) - GAP for layer in placed.layers
    ]
    widest = max(widths, default=0.0)
    boxes: dict[int, Box] = {}
    top = float(MARGIN)
    for layer, width in zip(placed.layers, widths, strict=True):
        tallest = max((sizes.get(number, point)[1] for number in layer), default=0.0)
        left = MARGIN + (widest - width) / 2
        for number in layer:
            own_width, own_height = sizes.get(number, (POINT_WIDTH, tallest))
            boxes[number] = Box(left, top + (tallest - own_height) / 2, own_width, own_height)
            left += own_width + GAP
        top += tallest + LAYER_GAP
    return boxes, widest + 2 * MARGIN, top - LAYER_GAP + MARGIN


def _size(text: Sequence[str]) -> tuple[float, float]:
    longest = max(len(line) for line in text)
    return longest * CHARACTER + 2 * MARGIN, len(text) * LINE + 2.0 * MARGIN


def _vertex(box: Box, text: Sequence[str], kind: str) -> str:
    rounding = LINE if kind.startswith("input") else 3
    lines = "".join(
        f'<text x="{box.left + MARGIN:.1f}" y="{box.top + MARGIN + (at + 0.75) * LINE:.1f}">'
        f"{escape(line)}</text>"
        for at, line in enumerate(text)
    )
    return (
        f'<g class="{kind}"><rect x="{box.left:.1f}" y="{box.top:.1f}" width="{box.width:.1f}" '
        f'height="{box.height:.1f}" rx="{rounding}"/>{lines}</g>'
    )


def _edge(path: Sequence[Box]) -> str:
    """Return a curve from the lower edge of the first box to the upper edge of the last."""
    steps = [f"M{path[0].middle:.1f} {path[0].bottom:.1f}"]
    for upper, lower in pairwise(path):
        half = (upper.bottom + lower.top) / 2
        curve = f"C{upper.middle:.1f} {half:.1f} {lower.middle:.1f} {half:.1f}"
        steps.append(f"{curve} {lower.middle:.1f} {lower.top:.1f}")
        if lower is not path[-1]:
            steps.append(f"V{lower.bottom:.1f}")
    return f'<path d="{"".join(steps)}"/>'
