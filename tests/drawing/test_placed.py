"""Boxes of a layout: in order, apart, near their neighbours."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest

from gsl.drawing.folded import folded
from gsl.drawing.layered import layout
from gsl.drawing.placed import GAP, Box, placed
from gsl.drawing.vertices import Drawing, Vertex

SIZES = [(60.0, 30.0), (100.0, 40.0), (50.0, 30.0), (70.0, 30.0)]
DIAMOND = [(), (0,), (0,), (1, 2)]


def drawing(operands: list[tuple[int, ...]]) -> Drawing:
    vertices = tuple(Vertex(f"v{n}", "Add", below) for n, below in enumerate(operands))
    return Drawing(vertices, (len(vertices) - 1,))


def boxes_of(operands: list[tuple[int, ...]], sizes: list[tuple[float, float]]) -> list[Box]:
    boxes, width, height = placed(layout(drawing(operands)), sizes)
    known = [boxes[number] for number in range(len(sizes))]
    assert all(box.left >= 0 and box.left + box.width <= width for box in known)
    assert all(box.top >= 0 and box.bottom <= height for box in known)
    return known


def test_operands_are_above_their_users() -> None:
    boxes = boxes_of(DIAMOND, SIZES)

    for user, operands in enumerate(DIAMOND):
        assert all(boxes[operand].bottom < boxes[user].top for operand in operands)


@pytest.mark.parametrize("count", [2, 5, 9])
def test_boxes_do_not_overlap(count: int) -> None:
    operands = [(), *[(0,)] * count, tuple(range(1, count + 1)), (0, count + 1)]
    boxes = boxes_of(operands, [(40.0 + 10 * (n % 3), 20.0) for n in range(len(operands))])

    for one, other in combinations(boxes, 2):
        apart = one.left + one.width <= other.left or other.left + other.width <= one.left
        assert apart or one.bottom <= other.top or other.bottom <= one.top


def test_a_chain_is_straight() -> None:
    boxes = boxes_of([(), (0,), (1,), (2,)], SIZES)

    assert all(one.middle == pytest.approx(other.middle) for one, other in pairwise(boxes))


def test_a_user_stands_between_its_operands() -> None:
    first, second, user = boxes_of([(), (), (0, 1)], [(60.0, 20.0), (100.0, 20.0), (40.0, 20.0)])

    assert second.left - first.left - first.width == pytest.approx(GAP)
    assert user.middle == pytest.approx((first.middle + second.middle) / 2)


def test_tuples_and_projections_are_edges() -> None:
    split = Drawing(
        (
            Vertex("x", "Wildcard"),
            Vertex("split", "Split", (0,), ("axis=1",)),
            Vertex("first", "GetItem", (1,), ("index=0",)),
            Vertex("pair", "Tuple", (2, 0)),
            Vertex("joined", "Concatenate", (3,)),
        ),
        (4,),
    )
    plain = folded(split)

    assert [vertex.name for vertex in plain.vertices] == ["x", "split", "joined"]
    assert plain.vertices[2].operands == (1, 0)
    assert plain.vertices[2].arguments == ("(split[0], x)",)
    assert plain.outputs == (2,)


def test_outputs_are_not_folded() -> None:
    pair = Drawing((Vertex("x", "Var"), Vertex("pair", "Tuple", (0,))), (1,))

    assert [vertex.name for vertex in folded(pair).vertices] == ["x", "pair"]
