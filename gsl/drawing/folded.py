"""Tuples and projections folded into the edges that pass through them.

A concatenation of three tensors is drawn with three arrows that arrive, and a field of a split is
called ``split[0]`` where it is used; neither needs a box.
"""

from __future__ import annotations

from dataclasses import replace

from gsl.drawing.vertices import Drawing, Vertex

INDEX = "index="


def folded(drawing: Drawing) -> Drawing:
    """Return a drawing without boxes for tuples and projections, but for those that are outputs."""
    kept = [
        number
        for number, vertex in enumerate(drawing.vertices)
        if number in drawing.outputs or not (_is_tuple(vertex) or _index(vertex))
    ]
    places = {number: place for place, number in enumerate(kept)}
    texts: dict[int, str] = {}
    below: dict[int, tuple[int, ...]] = {}
    vertices = []
    for number, vertex in enumerate(drawing.vertices):
        if number in places:
            texts[number], below[number] = vertex.name, (number,)
            operands = tuple(places[one] for o in vertex.operands for one in below[o])
            written = tuple(texts[operand] for operand in vertex.operands)
            vertices.append(replace(vertex, operands=operands, arguments=written))
            continue
        parts = [texts[operand] for operand in vertex.operands]
        below[number] = tuple(one for operand in vertex.operands for one in below[operand])
        comma = "," if len(parts) == 1 else ""
        index = _index(vertex)
        texts[number] = f"{parts[0]}[{index}]" if index else f"({', '.join(parts)}{comma})"
    return Drawing(tuple(vertices), tuple(places[output] for output in drawing.outputs))


def _is_tuple(vertex: Vertex) -> bool:
    return vertex.kind == "Tuple" and bool(vertex.operands) and not vertex.details


def _index(vertex: Vertex) -> str:
    """Return which field a projection takes; empty for what says more, or is none."""
    if vertex.kind != "GetItem" or len(vertex.details) != 1:
        return ""
    (detail,) = vertex.details
    return detail.removeprefix(INDEX) if detail.startswith(INDEX) else ""
