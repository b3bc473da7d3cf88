"""Where the vertices of a drawing go: layers from top to bottom, few crossings.

A small form of the layered drawing of Sugiyama, Tagawa and Toda (1981): layers by longest path,
long edges cut by points in between, order within a layer by the mean of the neighbours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from gsl.drawing.vertices import Drawing

LONGEST_CUT = 12
"""Edges over more layers are not cut: an input may be used all the way down."""

SWEEPS = 4

Edge = tuple[int, int]


@dataclass(slots=True)
class Layout:
    """Numbers per layer in their order, and the way of every edge through points in between.

    Numbers from the count of the vertices on are points of edges.
    """

    layers: list[list[int]]
    paths: dict[Edge, list[int]] = field(default_factory=dict)


def layout(drawing: Drawing) -> Layout:
    """Return the layout of a drawing; the same drawing always gives the same one."""
    ranks = _ranks(drawing)
    result = Layout([[] for _ in range(max(ranks, default=0) + 1)])
    for number, rank in enumerate(ranks):
        result.layers[rank].append(number)
    _cut_edges(result, drawing, ranks)
    _order(result)
    return result


def _ranks(drawing: Drawing) -> list[int]:
    """Return the layer of every vertex: below its operands; inputs just above their users."""
    ranks: list[int] = []
    for vertex in drawing.vertices:
        ranks.append(1 + max((ranks[operand] for operand in vertex.operands), default=-1))
    lowest: dict[int, int] = {}
    for user, operand in _edges(drawing):
        if drawing.vertices[operand].is_input:
            lowest[operand] = min(ranks[user] - 1, lowest.get(operand, ranks[user]))
    return [lowest.get(number, rank) for number, rank in enumerate(ranks)]


def _edges(drawing: Drawing) -> Iterator[Edge]:
    """Yield user and operand of every edge, each once."""
    for number, vertex in enumerate(drawing.vertices):
        for operand in dict.fromkeys(vertex.operands):
            yield number, operand


def _cut_edges(result: Layout, drawing: Drawing, ranks: Sequence[int]) -> None:
    count = len(drawing.vertices)
    for user, operand in _edges(drawing):
        between = range(ranks[operand] + 1, ranks[user])
        points = []
        for rank in between if len(between) < LONGEST_CUT else ():
            points.append(count)
            result.layers[rank].append(count)
            count += 1
        result.paths[operand, user] = [operand, *points, user]


def _order(result: Layout) -> None:
    above: dict[int, list[int]] = {}
    below: dict[int, list[int]] = {}
    for path in result.paths.values():
        for upper, lower in pairwise(path):
            above.setdefault(lower, []).append(upper)
            below.setdefault(upper, []).append(lower)
    places = {number: float(at) for layer in result.layers for at, number in enumerate(layer)}
    for sweep in range(SWEEPS):
        downwards = sweep % 2 == 0
        for layer in result.layers if downwards else reversed(result.layers):
            _sort_layer(layer, above if downwards else below, places)


def _sort_layer(
    layer: list[int], neighbours: dict[int, list[int]], places: dict[int, float]
) -> None:
    """Sort by the mean place of the neighbours; what has none stays where it is."""

    def wish(number: int) -> float:
        near = [places[other] for other in neighbours.get(number, ())]
        return sum(near) / len(near) if near else places[number]

    layer.sort(key=wish)
    for at, number in enumerate(layer):
        places[number] = float(at)
