"""How compiled targets make nodes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gsl import Expr, Subst, Var, Workload, apply, attr, op, pat
from gsl.engine.record import Record
from gsl.errors import EvaluationError, GraphError, OperatorError, RewriteError, UndecidedError
from gsl.graph import Graph, Node, link
from gsl.match.find import match_at
from gsl.operators import Operator, lookup
from gsl.rewrite.builder import rewrite
from gsl.rewrite.made import Maker, constant, instance
from tests.match.toys import Tag, exp, p_tag, relu, tag, tanh, var
from tests.rewriting import shape_of

A = var("a")
X = pat.Wildcard()


def graph_of_one() -> tuple[Graph, Node]:
    graph = Graph([relu(A)])
    return graph, graph.outputs[0].operands[0]


def test_nodes_are_noted_in_the_order_in_which_they_are_made() -> None:
    graph, a = graph_of_one()
    make = Maker(graph)

    one = make.call(Tag, (a,), {"k": 2})
    pair = make.tuple((one, a))
    field = make.projection(pair, 1)
    two = make.constant(2, "int8")

    assert make.made == [one, pair, field, two]
    assert [node.expr.type for node in (one, field)] == [A.type, A.type]
    assert list(a.users) == graph.outputs, "nothing is linked yet"
    link(make.made)
    assert list(a.users) == [*graph.outputs, one, pair]
    assert [node.level > a.level for node in make.made] == [True, True, True, False]
    assert one.expr.attributes == {"k": 2}
    assert field.expr.index == 1
    assert two.expr.dtype == "int8"


class Counted:
    """Counts how often types are inferred."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.inferred = 0
        infer = Operator.infer

        def counted(operator: Operator, *arguments: Any) -> Any:
            self.inferred += 1
            return infer(operator, *arguments)

        monkeypatch.setattr(Operator, "infer", counted)


def test_calls_alike_are_inferred_once(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, a = graph_of_one()
    make, counted = Maker(graph), Counted(monkeypatch)
    pad = lookup("Pad")

    def padded(value: float) -> Any:
        return make.call(pad, (a,), {"pad_width": (1, 1), "pad_value": value}).expr

    ones = [padded(1.0) for _ in range(3)]
    zeros = [padded(value) for value in (0.0, -0.0)]

    assert counted.inferred == 3
    assert {id(one.attributes) for one in ones} == {id(ones[0].attributes)}
    assert [one.type.shape for one in ones] == [(4,)] * 3
    assert [str(one.attributes["pad_value"]) for one in zeros] == ["0.0", "-0.0"]


def test_call_is_inferred_and_known_under_a_key() -> None:
    graph, a = graph_of_one()
    kept = object()

    known = Maker(graph).infer("key", Tag, (a,), {"k": 2}, (kept,))

    assert Maker(graph).known["key"] is known, "the next target in this graph finds it"
    assert known == ({"k": 2}, A.type, (kept, A.type))


def inferred(monkeypatch: pytest.MonkeyPatch, rule: Subst, *roots: Expr) -> int:
    """Return how often types are inferred while `rule` is applied to `roots`."""
    counted = Counted(monkeypatch)
    apply(Workload(list(roots)), [rule])
    return counted.inferred


def test_type_is_inferred_once_for_equal_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    tagged = p_tag(X)
    again = Subst(op.Relu(tagged), op.Exp(p_tag(X, k=tagged.k)))
    roots = [relu(tag(var(f"v{i}"), k)) for i, k in enumerate((2, 2, 2, 3))]

    assert inferred(monkeypatch, again, *roots) == 3, "tags of 2, tags of 3, the exp of either"


def test_calls_on_other_types_are_inferred_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    rule = Subst(op.Relu(X), op.Exp(X))
    shapes = [(2,), (3,), (2,), (2, 1)]

    roots = [relu(Var(f"v{i}", shape)) for i, shape in enumerate(shapes)]

    assert inferred(monkeypatch, rule, *roots) == 3


def test_attributes_that_look_equal_in_two_patterns_are_not_mixed_up() -> None:
    """1 == True, but only one of them is an integer."""
    one = Subst(op.Relu(X), op.Exp(p_tag(X, k=1)))
    flag = Subst(op.Tanh(X), op.Exp(p_tag(X, k=X.shape[0] == 2)))
    record = Record()

    apply(Workload([relu(A), tanh(A)]), [one, flag], record=record)

    assert record.counts == {one: 1}
    assert [refusal.rule for refusal in record.refused] == [flag]


REFUSED: list[tuple[str, tuple[Any, ...], type[Exception]]] = [
    ("call", (Tag, "a", {"k": "text"}), OperatorError),
    ("call", (Tag, "a", {"k": attr.Symbol("k")}), UndecidedError),
    ("infer", ("key", Tag, "a", {"k": "text"}), OperatorError),
    ("infer", ("key", Tag, "a", {"k": attr.Symbol("k")}), UndecidedError),
    ("several", ((),), EvaluationError),
    ("projection", ("node", 0), GraphError),
    ("constant", (attr.Symbol("c"), "float32"), UndecidedError),
    ("constant", (1.0, attr.Symbol("dtype", "text")), UndecidedError),
    ("constant", (0.5, "int8"), RewriteError),
]


@pytest.mark.parametrize(("name", "arguments", "error"), REFUSED)
def test_what_cannot_be_made_is_refused(
    name: str, arguments: tuple[Any, ...], error: type[Exception]
) -> None:
    graph, a = graph_of_one()
    given = [{"a": (a,), "node": a}.get(x, x) if isinstance(x, str) else x for x in arguments]
    make = Maker(graph)
    before = list(graph)

    with pytest.raises(error):
        getattr(make, name)(*given)
    assert make.made == []
    assert make.known == {}
    assert list(graph) == before


CONSTANTS: list[tuple[Any, str, Any]] = [
    (1, "int8", 1), (1, "float32", 1.0), (0.1, "float32", np.float32(0.1)), (True, "bool", True),
    ((1, 2), "int64", (1, 2)), (((1,), (2,)), "uint8", ((1,), (2,))),
]  # fmt: skip


@pytest.mark.parametrize(("value", "dtype", "expected"), CONSTANTS)
def test_constant_has_the_value(value: Any, dtype: str, expected: Any) -> None:
    built = constant(value, dtype)

    assert built.dtype == dtype
    assert np.array_equal(built.value, np.array(expected, dtype))


@pytest.mark.parametrize(("value", "dtype"), [
    (0.5, "int8"), (300, "uint8"), (-1, "uint8"), ("x", "float32"), (2, "bool"), ((1, 0.5), "int8"),
])  # fmt: skip
def test_what_the_dtype_cannot_hold_is_refused(value: Any, dtype: str) -> None:
    with pytest.raises(RewriteError, match=f"is not a value of {dtype}"):
        constant(value, dtype)


def test_field_is_counted_from_zero() -> None:
    assert [instance("xyz", i) for i in range(3)] == list("xyz")


@pytest.mark.parametrize("index", [-1, 3, 1.0, "x", attr.Symbol("i")])
def test_field_that_is_not_there_is_refused(index: Any) -> None:
    with pytest.raises(EvaluationError, match="there is no field"):
        instance("xyz", index)


def test_expressions_are_complete_at_the_end_and_then_stay() -> None:
    rule = Subst(op.Relu(op.Exp(X)), op.Tanh(op.Exp(X)))
    graph = Graph([relu(exp(relu(exp(A))))])
    inner, outer = (node for node in graph if node.head is relu(A).operator)
    for root in (inner, outer):
        found = match_at(rule, graph, root)
        assert found
        rewrite(rule, found, graph)
    (first,) = graph.to_exprs()
    below = first.operands

    again = Subst(op.Tanh(X), op.Exp(X))
    found = match_at(again, graph, graph.outputs[0].operands[0].operands[0])
    assert found
    rewrite(again, found, graph)
    (second,) = graph.to_exprs()

    assert shape_of(first) == shape_of(tanh(exp(tanh(exp(A)))))
    assert shape_of(second) == shape_of(tanh(exp(exp(exp(A)))))
    assert second is not first
    assert first.operands is below


def test_record_of_an_endless_rewriting_has_complete_expressions() -> None:
    record = Record()
    rule = Subst(op.Relu(X), op.Relu(op.Exp(X)))

    with pytest.raises(RewriteError):
        apply(Workload(relu(A)), [rule], max_rewrites=5, record=record)

    assert record.total > 0
    assert all(len(root.operands) == 1 for root in record.roots[rule])
