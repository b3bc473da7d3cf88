"""Rules and graphs as text, trees and drawings."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsl import Call, Const, Expr, Proj, Subst, Tuple, Var, attr, op, pat
from gsl.attr.term import Term
from gsl.drawing import show
from gsl.drawing.show import (
    DEEPEST,
    dot,
    mermaid,
    rule_dot,
    rule_mermaid,
    rule_text,
    rule_tree,
    statements,
    tree,
)
from gsl.drawing.vertices import Drawing, drawing_of_graph, drawings_of_rule
from gsl.operators import lookup
from gsl.pat import Pattern
from gsl.text.terms import term_text
from tests.networks import chain, networks


def diamond() -> Subst:
    x, w1 = pat.Wildcard(), pat.Variable()
    w2 = pat.Variable(shape=w1.shape)
    conv1 = op.Conv2D(x, w1, groups=1)
    conv2 = op.Conv2D(x, w2, **pat.same_attr(conv1))
    merged = op.Conv2D(x, w1 + w2, **pat.same_attr(conv1))
    return Subst(conv1 + conv2, merged, where=[w1.shape[2] % 2 == 1])


def variadic() -> Subst:
    x, i = pat.Wildcard(), attr.Symbol("i")
    relu = op.Relu(x)
    parts = pat.Variadic(relu, templates=[relu, x], min_len=2)
    part = parts(x, i)
    inputs = pat.Variadic(part, templates=[part], index=i, length=parts.length)
    return Subst(op.Concatenate(parts, axis=0), op.Relu(op.Concatenate(inputs, axis=0)))


def test_what_is_not_copied_is_not_said_to_be() -> None:
    x, w = pat.Wildcard(), pat.Variable()
    conv = op.Conv2D(x, w)
    names = ["strides", "padding", "groups"]
    copy = op.Conv2D(x, op.Abs(w), **pat.same_attr(conv, names))
    half = op.Conv2D(x, op.Abs(w), strides=conv.strides, groups=conv.groups)

    copied = "**same_attr(conv, ['strides', 'padding', 'groups'])"
    assert f"  copy = Conv2D(x, abs, {copied})" in rule_text(Subst(conv, copy))
    few = "strides=conv.strides, groups=conv.groups"
    assert f"  half = Conv2D(x, abs, {few})" in rule_text(Subst(conv, half))


def shared() -> Drawing:
    x = Var("x", (2, 3))
    total = Call(lookup("Add"), [x, Const([1.0, 2.0, 3.0])])
    return drawing_of_graph([Call(lookup("Multiply"), [total, total])])


def test_rule_as_statements() -> None:
    assert rule_text(diamond()) == [
        "source",
        "  x     = Wildcard()",
        "  w1    = Variable()",
        "  conv1 = Conv2D(x, w1, groups=1)",
        "  w2    = Variable(shape=w1.shape)",
        "  conv2 = Conv2D(x, w2, **same_attr(conv1))",
        "  add   = Add(conv1, conv2)",
        "  return add",
        "target",
        "  add_2  = Add(w1, w2)",
        "  merged = Conv2D(x, add_2, **same_attr(conv1))",
        "  return merged",
        "where",
        "  (w1.shape[2] % 2) == 1",
    ]


def test_variadic_rule_as_statements() -> None:
    assert rule_text(variadic()) == [
        "source",
        "  x           = Wildcard()",
        "  relu        = Relu(x)",
        "  parts       = Variadic(relu, templates=[relu, x], index=i, min_len=2)",
        "  concatenate = Concatenate(parts, axis=0)",
        "  return concatenate",
        "target",
        "  part          = parts(x, i)",
        "  inputs        = Variadic(part, templates=[part], index=i, length=parts.length)",
        "  concatenate_2 = Concatenate(inputs, axis=0)",
        "  relu_2        = Relu(concatenate_2)",
        "  return relu_2",
    ]


def test_trees_draw_a_shared_vertex_once() -> None:
    assert rule_tree(diamond())[:8] == [
        "source",
        "  add: Add",
        "  ├─ conv1: Conv2D  groups=1",
        "  │  ├─ x: Wildcard",
        "  │  └─ w1: Variable",
        "  └─ conv2: Conv2D  **same_attr(conv1)",
        "     ├─ x",
        "     └─ w2: Variable  shape=w1.shape",
    ]
    assert tree(shared()) == [
        "%3: Multiply",
        "├─ %2: Add",
        "│  ├─ x: Var  float32[2,3]",
        "│  └─ %1: Const  float32[3]",
        "└─ %2",
    ]


def test_what_is_too_deep_has_a_tree_of_its_own() -> None:
    lines = tree(drawing_of_graph([chain(DEEPEST + 2)]))

    name = lines[DEEPEST].split()[-2]
    assert lines[DEEPEST] == "   " * (DEEPEST - 1) + f"└─ {name} (below)"
    assert lines[DEEPEST + 1 :] == [f"{name}: Relu", "└─ %1: Exp", "   └─ x: Var  float32[2]"]


def test_a_tree_just_as_deep_as_is_drawn_stays_whole() -> None:
    lines = tree(drawing_of_graph([chain(DEEPEST)]))

    assert len(lines) == DEEPEST + 1
    assert lines[-1].endswith("└─ x: Var  float32[2]")
    assert "below" not in "".join(lines)


@settings(max_examples=200, deadline=None)
@given(networks, st.integers(1, 4))
def test_every_vertex_is_described_once_in_trees_of_any_depth(
    outputs: Sequence[Expr], deepest: int
) -> None:
    drawing = drawing_of_graph(outputs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(show, "DEEPEST", deepest)
        lines = [line.lstrip("│ ├└─") for line in tree(drawing)]

    described = [line.split(":")[0] for line in lines if ":" in line]
    assert sorted(described) == sorted(vertex.name for vertex in drawing.vertices)
    promised = {line.removesuffix(" (below)") for line in lines if line.endswith(" (below)")}
    assert promised <= set(described)


def test_the_length_of_a_tree_is_linear_in_its_depth() -> None:
    def size(depth: int) -> int:
        return sum(map(len, tree(drawing_of_graph([chain(depth)]))))

    assert size(8000) < 2.2 * size(4000)


def test_target_names_what_it_takes_over() -> None:
    _, target = drawings_of_rule(diamond())

    taken = [vertex.name for vertex in target.vertices if not vertex.kind]
    assert taken == ["w1", "w2", "x"]


def test_target_may_be_a_part_of_the_source() -> None:
    x = pat.Wildcard()
    assert rule_text(Subst(op.Abs(x), x)) == [
        "source",
        "  x   = Wildcard()",
        "  abs = Abs(x)",
        "  return abs",
        "target",
        "  return x",
    ]


def test_several_outputs() -> None:
    x = pat.Wildcard()
    relu, absolute = op.Relu(x), op.Abs(x)
    lines = rule_tree(Subst([relu, absolute], [absolute, relu]))

    assert lines == [
        "source",
        "  relu: Relu",
        "  └─ x: Wildcard",
        "  absolute: Abs",
        "  └─ x",
        "target",
        "  absolute",
        "  relu",
    ]


def test_graph_shows_attributes_that_are_not_the_default() -> None:
    x = Var("x", (2, 4))
    split = Call(lookup("Split"), [x], {"indices_or_sections": 2, "axis": 1})
    both = Call(lookup("Concatenate"), [Tuple([Proj(split, 0), Proj(split, 1)])], {"axis": 0})

    assert statements(drawing_of_graph([both])) == [
        "x  = Var(float32[2,4])",
        "%1 = Split(x, indices_or_sections=2, axis=1)",
        "%2 = GetItem(%1, index=0)",
        "%3 = GetItem(%1, index=1)",
        "%4 = Tuple(%2, %3)",
        "%5 = Concatenate(%4)",
        "return %5",
    ]


def test_mermaid_names_vertices_and_edges() -> None:
    assert mermaid(shared()) == [
        '  n0(["x: Var<br>float32[2,3]"])',
        '  n1(["%1: Const<br>float32[3]"])',
        '  n2["%2: Add"]',
        '  n3["%3: Multiply"]',
        "  n0 -->|1| n2",
        "  n1 -->|2| n2",
        "  n2 -->|1| n3",
        "  n2 -->|2| n3",
    ]


def test_dot_names_vertices_and_edges() -> None:
    assert dot(shared())[0] == '  n0 [label="x: Var\\nfloat32[2,3]", shape=ellipse];'
    assert dot(shared())[2] == '  n2 [label="%2: Add", shape=box];'
    assert dot(shared())[-1] == '  n2 -> n3 [label="2"];'


def test_both_sides_of_a_rule_are_drawn() -> None:
    flowchart, digraph = rule_mermaid(diamond()), rule_dot(diamond())

    assert flowchart[:2] == ["flowchart TD", "  subgraph source"]
    assert flowchart.count("  end") == 2
    assert digraph[0] == "digraph rule {"
    assert digraph[-1] == "}"
    assert sum(line.count("{") - line.count("}") for line in digraph) == 0


@pytest.mark.parametrize("render", [rule_mermaid, rule_dot])
def test_text_of_a_rule_cannot_break_a_drawing(render: Callable[[Subst], list[str]]) -> None:
    x = pat.Wildcard()
    subst = Subst(op.Relu(x), op.Abs(x), where=[x.dtype == '<"]'])

    for line in render(subst):
        inside = line.replace('\\"', "")
        assert inside.count('"') in (0, 2)
        assert "<" not in inside.replace("<br>", "") or render is rule_dot


X = pat.Wildcard()
NAMES: dict[Pattern, str] = {X: "x"}


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (attr.Const(3), "3"),
        (attr.Any, "None"),
        (X.shape[0] + 1, "x.shape[0] + 1"),
        (2 * (X.shape[0] + 1), "2 * (x.shape[0] + 1)"),
        (-X.ndim, "-x.ndim"),
        (~(X.ndim == 2) & (X.dtype == "int8"), "~(x.ndim == 2) & (x.dtype == 'int8')"),
        (attr.Max(X.ndim, 2), "max(x.ndim, 2)"),
        (attr.In(X.ndim, (2, 3)), "in(x.ndim, (2, 3))"),
        (attr.Cond(X.ndim == 2, 1, 0), "cond(x.ndim == 2, 1, 0)"),
        (attr.Tuple(X.ndim, 1), "(x.ndim, 1)"),
        (attr.Tuple(X.ndim), "(x.ndim,)"),
        (X.shape[1:], "x.shape[1:]"),
        (X.shape[:2], "x.shape[:2]"),
        (X.shape[::2], "x.shape[::2]"),
        (attr.Variadic(lambda i: X.shape[i], length=2), "(x.shape[i] for i < 2)"),
        (attr.Variadic(lambda i: i, length=None), "(i for i < any number)"),
        (attr.Sum(lambda k: X.shape[k], length=X.ndim), "sum(x.shape[k] for k < x.ndim)"),
        (attr.All(lambda k: X.shape[k] == 1, length=2), "all(x.shape[k] == 1 for k < 2)"),
        (pat.Wildcard().ndim, "the Wildcard pattern.ndim"),
    ],
)
def test_terms_are_written_like_python(term: Term, text: str) -> None:
    assert term_text(term, NAMES) == text


def test_only_terms_have_a_text() -> None:
    with pytest.raises(TypeError, match="is not an attribute expression"):
        term_text(3, NAMES)  # type: ignore[arg-type]


def test_conditional_target_and_alternatives() -> None:
    x = pat.Wildcard()
    either = pat.Alt(op.Relu(x), op.Abs(x))
    chosen = pat.Cond(either.arm == 0, op.Relu(x), op.Abs(x))
    lines = rule_text(Subst(op.Negative(either), op.Negative(chosen)))

    squeezed = [" ".join(line.split()) for line in lines]
    assert "either = Alt(relu, abs)" in squeezed
    assert "chosen = Cond(relu_2, abs_2, either.arm == 0)" in squeezed
