from __future__ import annotations

from xml.etree import ElementTree

from gsl.drawing.show import statements
from gsl.drawing.svg import MOST_COLUMNS, MOST_LINES, picture_of
from gsl.drawing.vertices import Drawing, Vertex

NAMESPACE = "{http://www.w3.org/2000/svg}"

DRAWING = Drawing(
    (
        Vertex("a", "Wildcard"),
        Vertex("b", "Wildcard"),
        Vertex("difference", "Subtract", (1, 0), ("axis=<1>",)),
        Vertex("field", "convs(x, i + 1)", (2,)),
    ),
    (3,),
)


def element(drawing: Drawing = DRAWING, marks: dict[int, str] | None = None) -> ElementTree.Element:
    return ElementTree.fromstring(picture_of(drawing, marks or {}).text)


def texts(root: ElementTree.Element) -> list[str]:
    return [one.text or "" for one in root.iter(f"{NAMESPACE}text")]


def test_every_vertex_has_a_box_with_its_statement() -> None:
    root = element()

    assert texts(root) == [
        "a = Wildcard",
        "b = Wildcard",
        "difference = Subtract(b, a)",
        "axis=<1>",
        "field = convs(x, i + 1)",
    ]
    assert len(list(root.iter(f"{NAMESPACE}rect"))) == 4


def test_title_is_the_whole_text() -> None:
    root = element()

    assert root[0].tag == f"{NAMESPACE}title"
    assert root[0].text == "\n".join(statements(DRAWING))
    assert root.get("role") == "img"


def test_every_edge_has_a_line_and_a_head() -> None:
    lines, heads = (path.get("d", "") for path in element().iter(f"{NAMESPACE}path"))

    assert lines.count("M") == heads.count("M") == heads.count("Z") == 3


def test_an_operand_that_is_used_twice_has_one_arrow() -> None:
    square = Drawing((Vertex("a", "Wildcard"), Vertex("b", "Multiply", (0, 0))), (1,))
    lines = next(element(square).iter(f"{NAMESPACE}path")).get("d", "")

    assert lines.count("M") == 1
    assert "b = Multiply(a, a)" in texts(element(square))


def test_marks_are_words_and_thicker_outlines() -> None:
    root = element(marks={2: "new, output"})

    (group,) = [one for one in root.iter(f"{NAMESPACE}g") if one.get("class") == "marked"]
    rect = group.find(f"{NAMESPACE}rect")
    assert rect is not None
    assert rect.get("stroke-width") == "2"
    assert [one.text for one in group][1:3] == ["new, output", "difference = Subtract(b, a)"]


def test_colours_do_not_depend_on_styles() -> None:
    for rect in element().iter(f"{NAMESPACE}rect"):
        assert rect.get("fill", "").startswith("#")
        assert rect.get("stroke", "").startswith("#")


def test_long_texts_are_folded_and_endless_ones_cut() -> None:
    long = Vertex("x", "Wildcard", (), ("word " * 30, *(f"attribute{n}=1" for n in range(30))))
    lines = texts(element(Drawing((long,), (0,))))

    assert max(map(len, lines)) <= MOST_COLUMNS
    assert len(lines) == 1 + MOST_LINES
    assert lines[-1] == "..."


def test_text_stays_inside_its_box() -> None:
    for group in element(marks={0: "replaced"}).iter(f"{NAMESPACE}g"):
        rect, *lines = group
        left, top, width, height = (
            float(rect.get(key, "")) for key in ("x", "y", "width", "height")
        )
        for line in lines:
            columns = len(line.text or "")
            assert left < float(line.get("x", "")) < left + width - columns * 7
            assert top < float(line.get("y", "")) < top + height


def test_equal_drawings_have_equal_bytes() -> None:
    assert picture_of(DRAWING, {1: "new"}) == picture_of(DRAWING, {1: "new"})
