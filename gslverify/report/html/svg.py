"""Drawings as SVG that is readable without styles: presentation attributes, text, no scripts.

Every box has the statement that it stands for, so that the order of operands does not hang on the
order of arrows; the title of the drawing is its whole text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from textwrap import wrap

from gsl.drawing.show import statements
from gsl.drawing.vertices import Drawing, Vertex
from gslverify.report.html.layout import Edge, Layout, Point, Size, layered

CHARACTER, LINE, MARGIN, EDGE = 7.3, 16, 8, 2
"""Sizes in pixels: of a character and a line, inside a box, around the drawing."""

MOST_COLUMNS = 30
MOST_LINES = 10

ARROW_LENGTH, ARROW_WIDTH = 7.0, 4.0


@dataclass(frozen=True, slots=True)
class Label:
    """The text in a box: what is special about it, the statement, the attributes."""

    mark: str
    statement: tuple[str, ...]
    details: tuple[str, ...]

    @property
    def lines(self) -> list[tuple[str, str]]:
        """Every line with the class that styles it."""
        return [
            *([("mark", self.mark)] if self.mark else []),
            *(("statement", line) for line in self.statement),
            *(("detail", line) for line in self.details),
        ]

    @property
    def size(self) -> Size:
        """Width and height of the box."""
        longest = max((len(line) for _, line in self.lines), default=0)
        return longest * CHARACTER + 2 * MARGIN, len(self.lines) * LINE + 1.5 * MARGIN


def svg(drawing: Drawing, marks: Mapping[int, str]) -> str | None:
    """Return a drawing as an SVG element, or None where there is no layout engine.

    Args:
        drawing: what to draw.
        marks: a word about some of the vertices, such as "new"; these have a thicker outline.
    """
    labels = [
        _label(vertex, drawing, marks.get(number, ""))
        for number, vertex in enumerate(drawing.vertices)
    ]
    edges = _edges(drawing)
    layout = layered([label.size for label in labels], edges)
    if layout is None:
        return None
    boxes = "".join(
        _box(label, corner, is_input=vertex.is_input)
        for label, corner, vertex in zip(labels, layout.corners, drawing.vertices, strict=True)
    )
    return f"{_opening(layout, drawing)}{_arrows(layout)}{boxes}</svg>"


def tree_text(drawing: Drawing) -> str:
    """Return the statements of a drawing, the text that its picture stands for."""
    return "\n".join(statements(drawing))


def _edges(drawing: Drawing) -> list[Edge]:
    """Return operand and user of every edge, in the order of the operands."""
    return [
        (operand, number)
        for number, vertex in enumerate(drawing.vertices)
        for operand in dict.fromkeys(vertex.operands)
    ]


def _label(vertex: Vertex, drawing: Drawing, mark: str) -> Label:
    operands = ", ".join(drawing.vertices[operand].name for operand in vertex.operands)
    kind = vertex.kind
    inside = kind if kind.endswith(")") or vertex.is_input else f"{kind}({operands})"
    statement = f"{vertex.name} = {inside}" if kind else vertex.name
    details = [line for detail in vertex.details for line in _wrapped(detail)]
    if len(details) > MOST_LINES:
        details = [*details[: MOST_LINES - 1], "..."]
    return Label(mark, tuple(_wrapped(statement)), tuple(details))


def _wrapped(text: str) -> list[str]:
    return wrap(text, MOST_COLUMNS, subsequent_indent="  ") or [""]


def _opening(layout: Layout, drawing: Drawing) -> str:
    width, height = (round(size) + 2 * EDGE for size in (layout.width, layout.height))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" class="drawing" width="{width}" '
        f'height="{height}" viewBox="{-EDGE} {-EDGE} {width} {height}" font-size="12" '
        f'font-family="ui-monospace, Menlo, Consolas, monospace" fill="#1f2328" '
        f'xml:space="preserve">'
        f"<title>{escape(tree_text(drawing))}</title>"
    )


def _arrows(layout: Layout) -> str:
    lines = "".join(f"M{'L'.join(map(_at, path))}" for path in layout.paths)
    heads = "".join(map(_head, layout.paths))
    return (
        f'<path class="edge" fill="none" stroke="#6e7781" d="{lines}"/>'
        f'<path class="head" fill="#6e7781" d="{heads}"/>'
    )


def _head(path: Sequence[Point]) -> str:
    """Return the outline of an arrow head at the end of a path of upright and level stretches."""
    (from_x, from_y), (x, y) = path[-2:]
    length = max(abs(x - from_x), abs(y - from_y)) or 1.0
    along_x, along_y = (x - from_x) / length, (y - from_y) / length
    back_x, back_y = x - along_x * ARROW_LENGTH, y - along_y * ARROW_LENGTH
    side_x, side_y = -along_y * ARROW_WIDTH, along_x * ARROW_WIDTH
    left, right = (back_x + side_x, back_y + side_y), (back_x - side_x, back_y - side_y)
    return f"M{_at((x, y))}L{_at(left)}L{_at(right)}Z"


def _at(point: Point) -> str:
    return f"{_short(point[0])} {_short(point[1])}"


def _short(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0").replace("-0.0", "0")


def _box(label: Label, corner: Point, *, is_input: bool) -> str:
    (left, top), (width, height) = corner, label.size
    kind = "marked" if label.mark else "input" if is_input else "call"
    fill, stroke, thickness = _PAINT[kind]
    texts = "".join(
        f'<text x="{_short(left + MARGIN)}" y="{_short(top + MARGIN + at * LINE + 8)}"'
        f"{_TEXT_PAINT[style]}>{escape(line)}</text>"
        for at, (style, line) in enumerate(label.lines)
    )
    return (
        f'<g class="{kind}"><rect x="{_short(left)}" y="{_short(top)}" width="{_short(width)}" '
        f'height="{_short(height)}" rx="{12 if is_input else 3}" fill="{fill}" stroke="{stroke}"'
        f"{thickness}/>{texts}</g>"
    )


_PAINT = {
    "marked": ("#fff8e6", "#9a6700", ' stroke-width="2"'),
    "input": ("#eef4fb", "#8c959f", ""),
    "call": ("#ffffff", "#6e7781", ""),
}
_TEXT_PAINT = {
    "mark": ' class="mark" font-size="10" font-weight="700" fill="#7d4e00"',
    "statement": "",
    "detail": ' class="detail" fill="#57606a"',
}
"""Colours of a page without styles; with them, the classes have the last word."""
