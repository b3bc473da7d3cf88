"""Source and target of a rule side by side, as SVG."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gsl.drawing.svg import Picture, picture_of
from gsl.drawing.vertices import Drawing
from gslverify.report.html.sketch import Sketch

MOST_BOXES = 30
"""A drawing of more boxes is an overview that fits into the window, and can be enlarged."""


@dataclass(frozen=True, slots=True)
class Side:
    """One half of a rule: what it is called, and its drawing."""

    title: str
    picture: Picture

    @property
    def is_large(self) -> bool:
        """Whether the drawing is shown as an overview, to be enlarged."""
        return self.picture.boxes > MOST_BOXES


def sides(sketch: Sketch) -> list[Side]:
    """Return source and target; nothing of a rule that could not be written down."""
    if sketch.source is None or sketch.target is None:
        return []
    return [
        _side("source", sketch.source, dict(_source_marks(sketch.source, sketch.target))),
        _side("target", sketch.target, dict(_target_marks(sketch.target))),
    ]


def _side(title: str, drawing: Drawing, marks: dict[int, str]) -> Side:
    return Side(title, picture_of(drawing, marks))


def _source_marks(source: Drawing, target: Drawing) -> Iterator[tuple[int, str]]:
    """Mark calls of which nothing is left, and outputs."""
    kept = {vertex.name for vertex in target.vertices if not vertex.kind}
    for number, vertex in enumerate(source.vertices):
        gone = not vertex.is_input and vertex.name not in kept
        yield from _mark(number, "replaced" if gone else "", source)


def _target_marks(target: Drawing) -> Iterator[tuple[int, str]]:
    """Mark what the target makes, and outputs."""
    for number, vertex in enumerate(target.vertices):
        yield from _mark(number, "new" if vertex.kind else "", target)


def _mark(number: int, change: str, drawing: Drawing) -> Iterator[tuple[int, str]]:
    places = [place for place, output in enumerate(drawing.outputs) if output == number]
    single = len(drawing.outputs) == 1
    outputs = ["output" if single else f"output {place}" for place in places]
    words = [word for word in (change, *outputs) if word]
    if words:
        yield number, ", ".join(words)
