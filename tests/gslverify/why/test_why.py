from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gsl import Call, Expr, Subst, Var, Workload
from gsl.errors import RuleError
from gsl.operators import REGISTRY
from gsl.rule_files.collect import rules_in
from gslverify.why.explanation import why
from tests.gslverify.rule_files import write_rule


def call(name: str, *operands: Expr, **attributes: Any) -> Call:
    return Call(REGISTRY[name], operands, attributes)


X, Y = Var("x", (1, 4, 8, 8)), Var("y", (1, 4, 8, 8))
W, V = Var("w", (4, 2, 3, 3)), Var("v", (4, 4, 3, 3))

TWO_CONV = """
x1, w1 = pat.Wildcard(), pat.Variable()
x2, w2 = pat.Wildcard(), pat.Variable()
conv1 = op.Conv2D(x1, w1)
conv2 = op.Conv2D(x2, w2, **pat.same_attr(conv1))
return Subst(conv1 + conv2, conv2 + conv1, where=[x1.shape[0] > 1])
"""

RELUS = """
x = pat.Wildcard()
inner = op.Relu(x)
return Subst(op.Relu(inner), inner)
"""


def rule(folder: Path, body: str) -> Subst:
    return rules_in(write_rule(folder, body))[0]()


def answer(subst: Subst, *outputs: Expr) -> str:
    return "\n".join(why("rules.py::example", subst, Workload(outputs)))


def test_the_attribute_that_said_no_with_values_and_place(folder: Path) -> None:
    graph = call("Add", call("Conv2D", X, W, groups=2), call("Conv2D", Y, V))

    assert (
        answer(rule(folder, TWO_CONV), graph)
        == """\
rules.py::example does not match in this graph
  operators: Add x1, Conv2D x2

it comes closest at %6 = Add(%2, %5): float32[1,4,6,6]:

  add    is  %6 = Add(%2, %5): float32[1,4,6,6]
  conv1  is  %2 = Conv2D(x, w, groups=2): float32[1,4,6,6]
  x1     is  x: float32[1,4,8,8]
  w1     is  w: float32[4,2,3,3]
  conv2  is  %5 = Conv2D(y, v): float32[1,4,6,6]
  x2     is  y: float32[1,4,8,8]
  w2     is  v: float32[4,4,3,3]

it stops at `conv2`: attribute `groups` is 1, which the rule does not allow
  found    %5 = Conv2D(y, v): float32[1,4,6,6]
  allowed  conv1.groups
  where    conv1.groups = 2
  --> rules.py:9:33
    |
  9 |     conv2 = op.Conv2D(x2, w2, **pat.same_attr(conv1))
    |                                 ^^^^^^^^^^^^^^^^^^^^"""
    )


def test_a_condition_that_does_not_hold_is_told_with_its_values(folder: Path) -> None:
    graph = call("Add", call("Conv2D", X, V), call("Conv2D", Y, V.__class__("u", V.shape)))
    text = answer(rule(folder, TWO_CONV), graph)

    assert "it stops: a condition of the rule does not hold" in text
    assert "  allowed  x1.shape[0] > 1" in text
    assert "  where    x1.shape = (1, 4, 8, 8)" in text
    assert "where=[x1.shape[0] > 1]" in text


def test_of_several_places_the_closest_is_told(folder: Path) -> None:
    body = "x = pat.Wildcard()\nreturn Subst(op.Exp(op.Relu(op.Tanh(x))), x)"
    far, near = call("Exp", call("Abs", X)), call("Exp", call("Relu", Y))
    lines = answer(rule(folder, body), far, near, call("Exp", X)).splitlines()

    assert lines[3] == "it comes closest at %5 = Exp(%4): float32[1,4,8,8]:"
    assert lines[8].startswith("it stops at `tanh`: expected the call of Tanh, found ")
    assert lines[9] == "  found    y: float32[1,4,8,8]"


def test_who_uses_what_a_match_would_remove_is_told(folder: Path) -> None:
    inner = call("Relu", X)
    lines = answer(rule(folder, RELUS), call("Relu", inner), call("Exp", inner), inner).splitlines()

    stop = lines.index("it stops at `inner`: inside the match, but used outside of it")
    assert lines[stop + 1 : stop + 4] == [
        "  found    %1 = Relu(x): float32[1,4,8,8]",
        "  used by  %3 = Exp(%1): float32[1,4,8,8]",
        "  used as  an output of the graph",
    ]


def test_a_graph_without_the_root_is_told_so(folder: Path) -> None:
    text = answer(rule(folder, RELUS), call("Exp", X))

    assert "does not match" in text
    assert "operators: Exp x1" in text
    assert "nothing in it can be `relu`, with which a match begins: Relu" in text
    assert "--> rules.py:8:18" in text


def test_what_a_field_is_one_of_is_told(folder: Path) -> None:
    source = """
x = pat.Wildcard()
return Subst(op.Split(x, indices_or_sections=1)[0], x)
"""
    text = answer(rule(folder, source), call("Exp", X))

    assert "with which a match begins: GetItem of Split" in text


def test_a_graph_without_operators(folder: Path) -> None:
    assert "it has no operators" in answer(rule(folder, RELUS), X)


def test_matches_are_told_with_their_places(folder: Path) -> None:
    outputs = [call("Relu", call("Relu", Var(f"x{n}", (n + 1,)))) for n in range(7)]
    lines = answer(rule(folder, RELUS), *outputs).splitlines()

    assert lines[0] == "rules.py::example matches in this graph"
    assert lines[3] == "at %2 = Relu(%1): float32[1]"
    assert "and at 2 more places" in lines
    assert lines[-1] == "  x      is  x0: float32[1]"


def test_a_target_that_cannot_be_built_is_told(folder: Path) -> None:
    subst = rule(folder, "x = pat.Wildcard()\nreturn Subst(op.Relu(x), op.Reshape(x, shape=(5,)))")
    text = answer(subst, call("Relu", Var("x", (2, 3))))

    assert "matches in this graph" in text
    assert "but its target cannot be built there: " in text


def test_fields_of_a_variadic_source_are_numbered(folder: Path) -> None:
    body = """
x = pat.Wildcard()
w = pat.Variable()
one = op.Matmul(x, w)
every = pat.Variadic(one, templates=[one, w], min_len=2)
return Subst(every, every)
"""
    a, b, c = Var("a", (2, 3)), Var("b", (3, 4)), Var("c", (3, 5))
    text = answer(rule(folder, body), call("Matmul", a, b), call("Matmul", a, c))

    assert "one[0]" in text
    assert "w[1]" in text


def test_an_ill_formed_rule_is_refused(folder: Path) -> None:
    subst = rule(folder, "x, y = pat.Wildcard(), pat.Wildcard()\nreturn Subst(op.Relu(x), y)")

    with pytest.raises(RuleError, match="GSL131"):
        answer(subst, call("Relu", X))


def test_one_tensor_for_two_inputs_comes_with_what_allows_it(folder: Path) -> None:
    sum_of_two = "x, y = pat.Wildcard(), pat.Wildcard()\nreturn Subst(x + y, y + x{})"
    graph = call("Add", X, X)
    refused = answer(rule(folder, sum_of_two.format("")), graph)

    assert "another pattern already stands for this" in refused
    assert refused.endswith("say so: Subst(..., aliases=True)")
    assert "matches in this graph" in answer(
        rule(folder, sum_of_two.format(", aliases=True")), graph
    )
