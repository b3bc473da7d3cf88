"""The one door to the layout engine: sizes and edges in, places and paths out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

Size = tuple[float, float]
Point = tuple[float, float]
Edge = tuple[int, int]

ENGINE = "graphlay"
OPTIONS = {
    "direction": "topbottom",
    "spacing": {"layer_gap": 34.0, "node_gap": 16.0, "dummy_gap": 16.0, "isolated_gap": 22.0},
}


@dataclass(frozen=True, slots=True)
class Layout:
    """Upper left corners of vertices, the bends of edges from end to end, and the whole size."""

    corners: tuple[Point, ...]
    paths: tuple[tuple[Point, ...], ...]
    width: float
    height: float


def layered(sizes: Sequence[Size], edges: Sequence[Edge]) -> Layout | None:
    """Return a layered layout from top to bottom; None where there is no engine to compute it.

    The same input always has the same layout. Edges are pairs of indices into `sizes`.
    """
    engine = _engine()
    if engine is None or not sizes:
        return None
    graph = engine.Graph()
    for number, (width, height) in enumerate(sizes):
        graph.node(number, width=width, height=height)
    for start, end in edges:
        graph.edge(start, end)
    try:
        placed = engine.layout(graph, options=OPTIONS)
    except engine.GraphlayError:
        return None
    return _from_the_origin(placed, sizes)


def _engine() -> Any:
    # Loaded by name: it is part of an extra that need not be there.
    try:
        return import_module(ENGINE)
    except ImportError:
        return None


def _from_the_origin(placed: Any, sizes: Sequence[Size]) -> Layout:
    least, most = placed.bounds["min"], placed.bounds["max"]

    def moved(point: dict[str, float]) -> Point:
        return point["x"] - least["x"], point["y"] - least["y"]

    centres = [moved(node["center"]) for node in placed.nodes]
    return Layout(
        corners=tuple(
            (x - width / 2, y - height / 2)
            for (x, y), (width, height) in zip(centres, sizes, strict=True)
        ),
        paths=tuple(tuple(map(moved, edge["points"])) for edge in placed.edges),
        width=most["x"] - least["x"],
        height=most["y"] - least["y"],
    )
