from __future__ import annotations

from pathlib import Path

from gslverify.corpus.collect import collect
from gslverify.report.html.sketch import Sketch, sketches_of
from tests.gslverify.report.html.pages import RULES


def sketch_of(folder: Path, text: str, selector: str = "conv.py") -> dict[str, Sketch]:
    (folder / "conv.py").write_text(text, encoding="utf-8")
    return dict(sketches_of(collect([selector])))


def test_texts_drawings_and_conditions(folder: Path) -> None:
    sketch = sketch_of(folder, RULES)["conv.py::two_conv_add"]

    assert sketch.equation.startswith("conv(x, w1) + conv(y, w2)")
    assert sketch.reason == "It holds for <b>one</b> group."
    assert (sketch.origin, sketch.tags) == ("a paper", ("conv",))
    assert sketch.conditions == ("x.shape[0] == y.shape[0]",)
    assert sketch.source is not None
    assert [vertex.name for vertex in sketch.source.vertices if vertex.kind == "Conv2D"] == [
        "conv1",
        "conv2",
    ]


def test_excerpt_is_the_function_with_its_decorator(folder: Path) -> None:
    excerpt = sketch_of(folder, RULES)["conv.py::diamond"].excerpt

    assert excerpt is not None
    assert excerpt.lines[0] == "@rule()"
    assert excerpt.lines[-1].strip() == "return Subst(op.Relu(op.Relu(x)), op.Relu(x))"
    assert RULES.splitlines()[excerpt.first - 1] == "@rule()"


def test_a_rule_that_raises_has_its_text_and_no_drawing(folder: Path) -> None:
    text = "from gsl import rule\n@rule\ndef wrong():\n    '''a => b'''\n    return 1 / 0\n"
    sketch = sketch_of(folder, text)["conv.py::wrong"]

    assert (sketch.equation, sketch.source, sketch.target) == ("a => b", None, None)
    assert sketch.excerpt is not None
    assert sketch.excerpt.lines[-1] == "    return 1 / 0"


def test_a_file_that_does_not_import_has_the_lines_around(folder: Path) -> None:
    lines = [f"line{number} = {number}" for number in range(1, 21)]
    lines[9] = "import nothing_of_that_name"
    (sketch,) = sketch_of(folder, "\n".join(lines)).values()

    assert sketch.excerpt is not None
    assert (sketch.excerpt.first, len(sketch.excerpt.lines)) == (7, 7)
    assert sketch.excerpt.lines[3] == "import nothing_of_that_name"


def test_a_path_that_is_missing_has_nothing(folder: Path) -> None:
    (sketch,) = sketch_of(folder, RULES, "nowhere.py").values()

    assert sketch == Sketch()


def test_a_rule_made_by_exec_has_the_lines_around_it(folder: Path) -> None:
    made = "@rule\ndef made():\n    return Subst(op.Relu(op.Relu(x)), op.Relu(x))\n"
    text = f"from gsl import Subst, op, pat, rule\nx = pat.Wildcard()\nexec({made!r})\n"
    sketch = sketch_of(folder, text)["conv.py::made"]

    assert sketch.source is not None
    assert sketch.excerpt is not None
    assert sketch.excerpt.lines[2].startswith("exec(")
