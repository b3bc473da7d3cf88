"""Counterexamples as trees: `--view tree`."""

from __future__ import annotations

import numpy as np
import pytest

from gsl import Call, Const, Var
from gsl.expr import Tuple
from gsl.operators import lookup
from gslverify.actions.appearance import chosen_style
from gslverify.case import Case, case_of
from gslverify.finding import Counterexample
from gslverify.report.details import counterexample_lines
from gslverify.report.style import Style
from gslverify.report.trees import trees

X = Var("x", (2, 3))


def case(*, with_target: bool = True) -> Case:
    relu = Call(lookup("Relu"), [X])
    source = Call(lookup("Add"), [relu, relu])
    joined = Call(lookup("Concatenate"), [Tuple([X, Const(np.float32([[1, 2, 3]]))])])
    return case_of([source], [source], [joined] if with_target else [])


def test_what_is_used_twice_is_drawn_once_under_the_name_of_the_listing() -> None:
    assert trees(case()) == (
        ["%1: Add", "├─ %0: Relu", "│  └─ x  float32[2,3]", "└─ %0"],
        [
            "%0: Concatenate",
            "└─ (x, [[1.0, 2.0, 3.0]])",
            "   ├─ x  float32[2,3]",
            "   └─ [[1.0, 2.0, 3.0]]",
        ],
    )


def test_target_that_was_not_built_has_no_tree() -> None:
    assert trees(case(with_target=False))[1] == []


def test_lines_of_trees_in_ascii() -> None:
    assert trees(case(), ascii_only=True)[0] == [
        "%1: Add",
        "|- %0: Relu",
        "|  `- x  float32[2,3]",
        "`- %0",
    ]


@pytest.mark.parametrize(("view", "shown"), [("tree", "├─ %0: Relu"), ("listing", "%0 = Relu(x)")])
def test_view_is_chosen(view: str, shown: str) -> None:
    example = Counterexample({}, ("%0 = Relu(x)", "return %0"), ("return x",), case=case())
    style = chosen_style("never", False, False, False, view)

    assert any(shown in line for line in counterexample_lines(example, style))


def test_without_the_graphs_there_are_listings() -> None:
    example = Counterexample({}, ("%0 = Relu(x)", "return %0"), ("return x",))

    lines = counterexample_lines(example, Style(trees=True))
    assert any("%0 = Relu(x)" in line for line in lines)
