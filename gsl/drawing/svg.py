"""Drawings as SVG that is readable without styles: presentation attributes, text, no scripts.

Every box has the statement that it stands for, so that the order of operands does not hang on the
order of arrows; the title of a drawing is its whole text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from textwrap import wrap

from gsl.drawing.folded import folded
from gsl.drawing.layered import layout
from gsl.drawing.placed import Box, Size, placed
from gsl.drawing.show import statements
from gsl.drawing.vertices import Drawing, Vertex

CHARACTER, LINE, MARGIN, EDGE = 7.3, 16, 8, 2
"""Sizes in pixels: of a character and a line, inside a box, around the drawing."""

MOST_COLUMNS = 30
MOST_LINES = 10

HEAD_LENGTH, HEAD_WIDTH = 7.0, 4.0
"""Of the head of an arrow, from its end to its tip and to each side."""


@dataclass(frozen=True, slots=True)
class Picture:
    """An SVG element that can stand alone; width and height are in pixels."""

    width: int
    height: int
    boxes: int
    text: str


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


def svg(drawing: Drawing) -> list[str]:
    """Return the lines of an SVG document; outputs are marked."""
    marks = dict.fromkeys(drawing.outputs, "output")
    return picture_of(drawing, marks).text.splitlines()


def picture_of(drawing: Drawing, marks: Mapping[int, str]) -> Picture:
    """Return the picture of a drawing; the same one always has the same bytes.

    Args:
        drawing: what to draw; tuples and projections are folded into edges.
        marks: a word about some of the vertices, such as "new"; these have a thicker outline.
    """
    words = {drawing.vertices[number].name: word for number, word in marks.items()}
    plain = folded(drawing)
    labels = [_label(vertex, words.get(vertex.name, "")) for vertex in plain.vertices]
    way = layout(plain)
    boxes, width, height = placed(way, [label.size for label in labels])
    paths = [[boxes[number] for number in path] for path in way.paths.values()]
    drawn = [
        _box(label, boxes[number], is_input=vertex.is_input)
        for number, (label, vertex) in enumerate(zip(labels, plain.vertices, strict=True))
    ]
    whole = round(width) + 2 * EDGE, round(height) + 2 * EDGE
    lines = [_opening(*whole, drawing), *_arrows(paths), *drawn, "</svg>"]
    return Picture(*whole, len(labels), "\n".join(lines))


def _label(vertex: Vertex, mark: str) -> Label:
    kind = vertex.kind
    inside = f"{kind}({', '.join(vertex.arguments)})"
    inside = kind if kind.endswith(")") or vertex.is_input else inside
    details = [line for detail in vertex.details for line in _wrapped(detail)]
    if len(details) > MOST_LINES:
        details = [*details[: MOST_LINES - 1], "..."]
    statement = f"{vertex.name} = {inside}" if kind else vertex.name
    return Label(mark, tuple(_wrapped(statement)), tuple(details))


def _wrapped(text: str) -> list[str]:
    return wrap(text, MOST_COLUMNS, subsequent_indent="  ") or [""]


def _opening(width: int, height: int, drawing: Drawing) -> str:
    title = escape("\n".join(statements(drawing)))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" class="drawing" width="{width}" '
        f'height="{height}" viewBox="{-EDGE} {-EDGE} {width} {height}" font-size="12" '
        f'font-family="ui-monospace, Menlo, Consolas, monospace" fill="#1f2328" '
        f'xml:space="preserve"><title>{title}</title>'
    )


def _arrows(paths: Sequence[Sequence[Box]]) -> tuple[str, str]:
    lines, heads = "".join(map(_curve, paths)), "".join(_head(path[-1]) for path in paths)
    return (
        f'<path class="edge" fill="none" stroke="#6e7781" d="{lines}"/>',
        f'<path class="head" fill="#6e7781" d="{heads}"/>',
    )


def _curve(path: Sequence[Box]) -> str:
    """Return a curve from the lower edge of the first box to the upper edge of the last.

    It turns between layers only, so that it passes beside the boxes of a layer.
    """
    steps = [f"M{_at(path[0].middle, path[0].bottom)}"]
    for upper, lower in pairwise(path):
        half = (upper.layer_bottom + lower.layer_top) / 2
        turns = f"C{_at(upper.middle, half)} {_at(lower.middle, half)}"
        steps.append(f"V{_short(upper.layer_bottom)}")
        steps.append(f"{turns} {_at(lower.middle, lower.layer_top)}")
    return f"{''.join(steps)}V{_short(path[-1].top)}"


def _head(box: Box) -> str:
    """Return the outline of an arrow head that points down at a box."""
    x, back = box.middle, box.top - HEAD_LENGTH
    return f"M{_at(x, box.top)}L{_at(x - HEAD_WIDTH, back)}L{_at(x + HEAD_WIDTH, back)}Z"


def _at(x: float, y: float) -> str:
    return f"{_short(x)} {_short(y)}"


def _short(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0").replace("-0.0", "0")


def _box(label: Label, box: Box, *, is_input: bool) -> str:
    kind = "marked" if label.mark else "input" if is_input else "call"
    fill, stroke, thickness = _PAINT[kind]
    texts = "".join(
        f'<text x="{_short(box.left + MARGIN)}" y="{_short(box.top + MARGIN + at * LINE + 8)}"'
        f"{_TEXT_PAINT[style]}>{escape(line)}</text>"
        for at, (style, line) in enumerate(label.lines)
    )
    return (
        f'<g class="{kind}"><rect x="{_short(box.left)}" y="{_short(box.top)}" '
        f'width="{_short(box.width)}" height="{_short(box.height)}" rx="{12 if is_input else 3}" '
        f'fill="{fill}" stroke="{stroke}"{thickness}/>{texts}</g>'
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
