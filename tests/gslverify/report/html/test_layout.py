from __future__ import annotations

import sys
from itertools import combinations, pairwise
from types import SimpleNamespace
from typing import Any

import pytest

from gslverify.report.html import layout as layout_module
from gslverify.report.html.layout import Edge, Layout, Size, layered

SIZES: list[Size] = [(60, 30), (100, 40), (50, 30), (70, 30)]
DIAMOND: list[Edge] = [(0, 1), (0, 2), (1, 3), (2, 3)]


def placed(sizes: list[Size] = SIZES, edges: list[Edge] = DIAMOND) -> Layout:
    result = layered(sizes, edges)
    assert result is not None
    return result


def test_operands_are_above_their_users() -> None:
    layout = placed()

    for upper, lower in DIAMOND:
        assert layout.corners[upper][1] + SIZES[upper][1] < layout.corners[lower][1]


def test_boxes_do_not_overlap_and_lie_inside() -> None:
    layout = placed()

    boxes = [(*corner, *size) for corner, size in zip(layout.corners, SIZES, strict=True)]
    for (x, y, width, height), (other_x, other_y, other_width, other_height) in combinations(
        boxes, 2
    ):
        beside = x + width < other_x or other_x + other_width < x
        assert beside or y + height < other_y or other_y + other_height < y
    for x, y, width, height in boxes:
        assert x >= 0
        assert y >= 0
        assert x + width <= layout.width
        assert y + height <= layout.height


def test_paths_run_from_box_to_box_upright_and_level() -> None:
    layout = placed()

    for (start, end), path in zip(DIAMOND, layout.paths, strict=True):
        assert path[0][1] == layout.corners[start][1] + SIZES[start][1]
        assert path[-1][1] == layout.corners[end][1]
        assert all(a[0] == b[0] or a[1] == b[1] for a, b in pairwise(path))


def test_same_input_has_the_same_layout() -> None:
    assert placed() == placed()


def test_one_box_needs_no_edge() -> None:
    layout = placed([(60, 30)], [])

    assert (layout.width, layout.height, layout.paths) == (60, 30, ())


def test_nothing_has_no_layout() -> None:
    assert layered([], []) is None


def test_without_the_engine_there_is_no_layout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, layout_module.ENGINE, None)

    assert layered(SIZES, DIAMOND) is None


def test_what_the_engine_refuses_has_no_layout(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: Any, **options: Any) -> Any:
        raise ValueError

    graph = SimpleNamespace(node=lambda *args, **sizes: 0, edge=lambda *ends: 0)
    engine = SimpleNamespace(Graph=lambda: graph, layout=refuse, GraphlayError=ValueError)
    monkeypatch.setitem(sys.modules, layout_module.ENGINE, engine)

    assert layered(SIZES, DIAMOND) is None
