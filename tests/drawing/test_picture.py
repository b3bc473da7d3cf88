"""Pictures of whole networks in all formats."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from gsl.drawing.picture import FORMATS
from gsl.drawing.svg import MOST_COLUMNS
from gsl.errors import ModelError
from gsl.expr import Call, Const, Expr, Proj, Tuple, Var
from gsl.operators import lookup
from gsl.workload import Workload

SVG = "{http://www.w3.org/2000/svg}"


def call(name: str, *operands: Expr, **attributes: object) -> Call:
    return Call(lookup(name), operands, attributes)


def diamond() -> Workload:
    x, y = Var("x", (2, 4)), Var("y", (2, 2))
    pieces = call("Split", x, indices_or_sections=2, axis=1)
    total = call("Add", Proj(pieces, 0), y)
    return Workload([call("Concatenate", Tuple([total, total])), call("Less", total, Const(3.0))])


EXPECTED = {
    "mermaid": ["flowchart TD", '  n0(["x: Var<br>float32[2,4]"])', "  n0 --> n1"],
    "dot": ["digraph network {", '  n0 [label="x: Var\\nfloat32[2,4]", shape=ellipse];', "}"],
    "tree": ["%6: Concatenate", "└─ %5: Tuple", "   └─ %4"],
    "text": ["%4 = Add(%2, y)", "return %6, %8"],
    "svg": ["</svg>"],
}


@pytest.mark.parametrize("format", FORMATS)
def test_a_network_in_every_format(format: str):
    lines = diamond().visualize(format).splitlines()
    assert set(EXPECTED[format]) <= set(lines)


def test_mermaid_is_the_default():
    assert diamond().visualize() == diamond().visualize("mermaid")


@pytest.mark.parametrize(
    ("format", "message"),
    [("svgg", "did you mean `svg`"), ("gif", "there are mermaid, dot"), (5, "no format `5`")],
)
def test_an_unknown_format_is_refused(format: str, message: str):
    with pytest.raises(ModelError, match=message):
        diamond().visualize(format)


def drawn(workload: Workload) -> ElementTree.Element:
    return ElementTree.fromstring(workload.visualize("svg"))


def rectangles(root: ElementTree.Element) -> list[tuple[float, float, float, float]]:
    names = ("x", "y", "width", "height")
    return [tuple(float(r.attrib[name]) for name in names) for r in root.iter(f"{SVG}rect")]


def test_svg_has_a_box_for_every_vertex_and_a_path_for_every_edge():
    root = drawn(diamond())
    assert len(rectangles(root)) == 7  # the tuple and the projection are folded into edges
    lines = next(root.iter(f"{SVG}path")).attrib["d"]
    assert lines.count("M") == 6  # the concatenation uses the sum twice, which is one edge


def test_svg_boxes_neither_overlap_nor_leave_the_picture():
    root = drawn(diamond())
    boxes = rectangles(root)
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    for index, (left, top, wide, high) in enumerate(boxes):
        assert left >= 0
        assert top >= 0
        assert left + wide <= width
        assert top + high <= height
        for other_left, other_top, other_wide, other_high in boxes[:index]:
            beside = left + wide <= other_left or other_left + other_wide <= left
            assert beside or top + high <= other_top or other_top + other_high <= top


def test_svg_marks_inputs_and_outputs():
    kinds = [group.attrib["class"] for group in drawn(diamond()).iter(f"{SVG}g")]
    assert sorted(kinds) == ["call"] * 2 + ["input"] * 3 + ["marked"] * 2


def test_svg_says_what_was_folded():
    texts = [text.text for text in drawn(diamond()).iter(f"{SVG}text")]
    assert "%4 = Add(%1[0], y)" in texts
    assert "%6 = Concatenate((%4, %4))" in texts


def test_svg_escapes_and_folds_text():
    x = Var("a<b&" + "c" * 80, (2,))
    lines = [text.text or "" for text in drawn(Workload(x)).iter(f"{SVG}text")]
    assert lines[1].startswith("a<b&ccc")
    assert max(map(len, lines)) <= MOST_COLUMNS


def test_a_deep_chain_and_a_wide_fan_are_drawn():
    step: Expr = Var("x", (2,))
    start = step
    for _ in range(2000):
        step = call("Add", step, start)
    fan = [call("Exp", step) for _ in range(100)]
    for format in FORMATS:
        assert Workload(fan).visualize(format)


def test_the_same_network_gives_the_same_picture():
    assert diamond().visualize("svg") == diamond().visualize("svg")
