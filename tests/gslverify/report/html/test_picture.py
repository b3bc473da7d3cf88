from __future__ import annotations

from pathlib import Path

from gslverify.corpus.collect import collect
from gslverify.report.html.picture import Side, sides
from gslverify.report.html.sketch import Sketch, sketches_of
from tests.gslverify.rule_files import write_rule

TWO_OUTPUTS = """
x = pat.Wildcard()
y = op.Relu(x)
return Subst([y, op.Abs(y)], [y, op.Exp(y)])
"""


def pair(folder: Path, body: str) -> list[Side]:
    write_rule(folder, body)
    (sketch,) = sketches_of(collect(["rules.py"])).values()
    return sides(sketch)


def marks(side: Side) -> list[str]:
    return [
        f"{part.split('</text>')[0]}: {part.split('>')[2].split('<')[0]}"
        for part in side.picture.text.split('fill="#7d4e00">')[1:]
    ]


def test_what_goes_what_comes_and_what_comes_out_is_marked(folder: Path) -> None:
    source, target = pair(folder, TWO_OUTPUTS)

    assert (source.title, target.title) == ("source", "target")
    assert marks(source) == ["output 0: y = Relu(x)", "replaced, output 1: abs = Abs(y)"]
    assert marks(target) == ["output 0: y", "new, output 1: exp = Exp(y)"]


def test_an_only_output_has_no_number(folder: Path) -> None:
    source, target = pair(folder, "x = pat.Wildcard()\nreturn Subst(op.Relu(op.Relu(x)), x)")

    assert marks(source) == ["replaced: relu = Relu(x)", "replaced, output: relu_2 = Relu(relu)"]
    assert marks(target) == ["output: x"]


def test_a_rule_without_drawings_has_no_sides() -> None:
    assert sides(Sketch(equation="a => b")) == []
