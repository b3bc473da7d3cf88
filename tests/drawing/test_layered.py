"""Layers of a drawing: users below operands, short edges, few crossings."""

from __future__ import annotations

from itertools import pairwise

from gsl.drawing.layered import Layout, layout
from gsl.drawing.vertices import Drawing, Vertex


def drawing(*operands: tuple[int, ...]) -> Drawing:
    """Return a drawing of vertices with these operands; the last one is the output."""
    vertices = tuple(Vertex(f"v{n}", "Add", below) for n, below in enumerate(operands))
    return Drawing(vertices, (len(vertices) - 1,))


def layer_of(placed: Layout) -> dict[int, int]:
    return {number: at for at, layer in enumerate(placed.layers) for number in layer}


def test_a_chain_has_one_vertex_per_layer():
    assert layout(drawing((), (0,), (1,), (2,))).layers == [[0], [1], [2], [3]]


def test_an_input_stands_just_above_its_first_user():
    placed = layout(drawing((), (0,), (1,), (), (2, 3)))
    assert layer_of(placed)[3] == 2


def test_a_long_edge_passes_through_every_layer():
    placed = layout(drawing((), (0,), (1,), (2, 0)))
    path = placed.paths[0, 3]
    layers = layer_of(placed)
    assert [layers[number] for number in path] == [0, 1, 2, 3]


def test_every_part_of_a_path_leads_to_the_next_layer():
    placed = layout(drawing((), (), (0, 1), (2, 0), (3, 1), (4, 2)))
    layers = layer_of(placed)
    for path in placed.paths.values():
        assert all(layers[lower] == layers[upper] + 1 for upper, lower in pairwise(path))


def test_very_long_edges_are_not_cut():
    chain = [(), *((n,) for n in range(40))]
    placed = layout(drawing(*chain, (40, 0)))
    assert placed.paths[0, 41] == [0, 41]
    assert sum(map(len, placed.layers)) == 42


def test_crossings_that_can_be_avoided_are():
    # Two chains whose second vertices were made in the other order.
    placed = layout(drawing((), (), (1,), (0,), (2,), (3,), (4, 5)))
    first, second = placed.layers[0], placed.layers[1]
    assert [{0: 3, 1: 2}[number] for number in first] == second


def test_an_empty_drawing_has_an_empty_layer():
    assert layout(Drawing((), ())).layers == [[]]


def test_an_operand_used_twice_is_one_edge():
    assert list(layout(drawing((), (0, 0))).paths) == [(0, 1)]
