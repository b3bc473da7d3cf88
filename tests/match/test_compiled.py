"""What sources are compiled to: which are, and that a match is the same in both forms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from gsl import Call, Const, Expr, Subst, Tuple, Var, attr, op, pat
from gsl.attr import writer
from gsl.errors import UndecidedError
from gsl.graph import Graph
from gsl.match.compiled.branch import Shape
from gsl.match.compiled.fixed import MOST_OUTPUTS, FixedMatcher
from gsl.match.compiled.loops import MOST_PATTERNS
from gsl.match.compiled.variadic import FanMatcher
from gsl.match.find import find, matcher_of, matches_at, nodes_of, search_of
from gsl.operators import lookup
from gsl.pat import Pattern
from tests.match.fans import fan_problem
from tests.match.toys import (
    Tag,
    add,
    exp,
    mark,
    multiply,
    p_mark,
    p_pack,
    p_tag,
    pack,
    relu,
    tag,
    var,
)
from tests.match.ways import compiled, kept

X, Y, W = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
A, B = var("a"), var("b")
t = p_tag(X)


def fan(**options: Any) -> pat.Variadic:
    weight = pat.Wildcard()
    field = X + weight
    return pat.Variadic(field, templates=[field, weight], **options)


def positional() -> pat.Variadic:
    i = attr.Symbol("i")
    field = p_tag(X, k=i)
    return pat.Variadic(field, templates=[field], index=i)


COMPILED: dict[str, Callable[[], Subst]] = {
    "one output": lambda: Subst(op.Relu(op.Relu(X)), X),
    "several outputs": lambda: Subst([op.Relu(X), op.Exp(X)], [X, X]),
    "an output inside of another one": lambda: Subst([op.Exp(e := op.Relu(X)), e], [X, X]),
    "a trait and its operator again": lambda: Subst(op.same(e := op.Elementwise(X))(e), X),
    "constants, tuples and projections": lambda: Subst(
        op.Split(X, indices_or_sections=2)[0] + pat.Const(1.0), X
    ),
    "inputs of a type": lambda: Subst(op.Relu(pat.Wildcard(ndim=1, dtype="float32")), X),
    "conditions": lambda: Subst(t, X, where=[(t.k == 1) | (X.shape[0] > 2)]),
    "a variadic source": lambda: Subst(fan(), fan()),
    "a variadic source with a first field": lambda: Subst(
        pat.Variadic(op.Relu(X), first=[op.Exp(X)]), X
    ),
}
INTERPRETED: dict[str, Callable[[], Subst]] = {
    "alternatives": lambda: Subst(op.Relu(pat.Alt(op.Exp(X), -X)), X),
    "a tuple of any length": lambda: Subst(op.Concatenate(pat.Variadic(Y)), X),
    "more outputs than loops": lambda: Subst(
        [op.Relu(X), *(op.Tanh(p_tag(X, k=i)) for i in range(MOST_OUTPUTS))],
        [X] * (MOST_OUTPUTS + 1),
    ),
    "more blocks than Python has": lambda: Subst(
        [op.Tanh(op.Exp(X)), *(op.Tanh(op.Exp(X) * pat.Wildcard()) for _ in range(7))], [X] * 8
    ),
    "more patterns than pay": lambda: Subst(chain(MOST_PATTERNS), X),
    "what refers to a later match": lambda: Subst(op.Relu(p_mark(X, k=t.k)) + t, X),
    "fields by position": lambda: Subst(positional(), X),
}  # fmt: skip


def chain(length: int) -> Pattern:
    pattern: Pattern = X
    for _ in range(length):
        pattern = op.Relu(pattern)
    return pattern


@pytest.mark.parametrize("name", COMPILED)
def test_usual_sources_are_compiled(name: str) -> None:
    assert isinstance(matcher_of(COMPILED[name]()), FixedMatcher | FanMatcher)


@pytest.mark.parametrize("name", INTERPRETED)
def test_other_sources_are_interpreted(name: str) -> None:
    assert matcher_of(INTERPRETED[name]()) is None


GRAPHS: list[list[Expr]] = [
    [relu(relu(A)), relu(A), exp(A)],
    [exp(r := relu(A)), r],
    [tag(A, 1), tag(A, 2), mark(A, 1)],
    [add(A, B), add(A, exp(B)), add(A, A)],
    [add(A, B), multiply(add(A, var("c")), B)],
]


@pytest.mark.parametrize("name", COMPILED)
def test_match_is_the_same_in_both_forms(name: str) -> None:
    rule = COMPILED[name]()
    matcher = matcher_of(rule)
    assert matcher is not None
    for outputs in GRAPHS:
        graph = Graph(outputs)
        for root in graph:
            for bindings in search_of(rule, graph).matches(root):
                raw = matcher.found(bindings)

                assert matcher.bindings(raw) == bindings
                assert next(iter(nodes_of(raw))) is root is next(iter(nodes_of(bindings)))


@pytest.mark.parametrize("asked", [0.1, (0.1, 0.1), (0.1, None), attr.Const(0.05) + 0.05, (1, 2)])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_rounded_constants_are_the_same_in_both_forms(asked: Any, dtype: str) -> None:
    rule = Subst(X + pat.Const(asked), X)
    matcher = matcher_of(rule)
    assert matcher is not None
    matched = 0
    for value in (0.1, 0.101, [0.1, 0.1], [0.1, 0.101], [1, 2]):
        graph = Graph([add(Var("x", (2,), dtype), Const(value, dtype))])
        root = graph.outputs[0]
        found = matcher.first(root, graph)
        matched += found is not None

        assert (find(rule, graph, root) is None) is (found is None)
        assert bool(list(search_of(rule, graph).matches(root))) is (found is not None)
    assert matched == (2 if isinstance(asked, tuple) and None in asked else 1)


def test_call_of_an_opaque_operator_is_matched_with_its_operands() -> None:
    """Such an operator declares no operands, so their number has to be looked at."""
    unknown = lookup("test.unknown")
    attributes = {"payload": "", "result": ["float32", [2]]}
    pattern = pat.call(unknown, ())
    rule = Subst(op.Relu(pattern), pattern)
    call = relu(Call(unknown, [A, B], attributes))
    graph = Graph([call])

    assert find(rule, graph, graph.outputs[0]) is None
    assert list(search_of(rule, graph).matches(graph.outputs[0])) == []


TYPED: list[tuple[Callable[[], Pattern], list[bool]]] = [
    (lambda: pat.Wildcard(ndim=2), [True, False, True, False]),
    (lambda: pat.Wildcard(ndim=Y.ndim), [False, True, False, False]),
    (lambda: pat.Wildcard(shape=(None, 3)), [True, False, False, False]),
    (lambda: pat.Wildcard(shape=(Y.shape[0], None)), [True, False, False, False]),
    (lambda: pat.Wildcard(dtype="float32"), [True, True, False, False]),
    (lambda: pat.Wildcard(shape=(2, 3), dtype="int8"), [False, False, False, False]),
    (lambda: pat.Variable(ndim=2), [True, False, True, False]),
]
"""Second fields of a tuple, and which of four graphs they match, where `Y` is a vector of 2."""


@pytest.mark.parametrize(("make", "expected"), TYPED)
def test_types_of_inputs_are_asked_for_in_both_forms(
    make: Callable[[], Pattern], expected: list[bool]
) -> None:
    rule = Subst(pat.Tuple(Y, make()), Y)
    matcher = matcher_of(rule)
    assert matcher is not None
    fields: list[Expr] = [
        Var("m", (2, 3), "float32"), Var("v", (4,), "float32"), Var("i", (7, 4), "int8"),
        Tuple([B, B]),
    ]  # fmt: skip
    graphs = [Graph([Tuple([Var("a", (2,), "float32"), field])]) for field in fields]

    compiled_ = [matcher.first(one.outputs[0], one) is not None for one in graphs]
    searched = [bool(list(search_of(rule, one).matches(one.outputs[0]))) for one in graphs]

    assert compiled_ == searched == expected


UNDECIDED: dict[str, tuple[Callable[[], Subst], list[Expr]]] = {
    "fields that want the same node": (
        lambda: Subst(fan(), fan()), [add(A, B), add(A, c := var("c")), add(A, c)],
    ),
    "a field that depends on another one": (
        lambda: Subst(fan(), fan()), [s := add(A, B), add(A, exp(s))],
    ),
    "a condition on the number of fields": (
        lambda: Subst(v := fan(), v, where=[v.length < 2]), [add(A, B), add(A, var("c"))],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", UNDECIDED)
def test_choice_between_fields_is_left_to_the_search(name: str) -> None:
    make, outputs = UNDECIDED[name]
    rule, graph = make(), Graph(outputs)
    root = graph.outputs[0]
    matcher = matcher_of(rule)
    assert matcher is not None

    with pytest.raises(UndecidedError):
        list(matcher.every(root, graph))
    expected = [dict(found.nodes) for found in search_of(rule, graph).matches(root)]
    assert [dict(found.nodes) for found in matches_at(rule, graph, root)] == expected
    assert find(rule, graph, root) is not None


def test_attributes_that_are_not_known_yet_are_left_to_the_search() -> None:
    unknown = attr.Symbol("n")
    graph = Graph([Call(Tag, [A], {"k": unknown}), tag(A, 1)])

    found = [find(Subst(p_tag(X, k=1), X), graph, root) is not None for root in graph.outputs]

    assert found == [False, True]


def rivals(shape: Shape, one: Pattern, other: Pattern) -> bool:
    """Tell whether each of two patterns could stand for the node of the other one."""
    found = [list(shape.rivals(p, shape.bits[q])) == [q] for p, q in ((one, other), (other, one))]
    assert found[0] is found[1]
    return found[0]


class TestShape:
    r, e = op.Relu(X), op.Exp(Y)
    total = r + e
    shape = Shape((X, r, Y, e, total), (total,))

    def test_users_and_what_lies_below(self) -> None:
        assert self.shape.users[X] == [self.r]
        assert self.shape.users[self.total] == []

    def test_only_calls_that_are_no_outputs_are_interior(self) -> None:
        interior = [p for p in self.shape.patterns if self.shape.is_interior(p)]

        assert interior == [self.r, self.e]

    def test_patterns_that_could_stand_for_one_node(self) -> None:
        assert rivals(self.shape, X, Y)
        assert rivals(self.shape, X, self.e)
        assert not rivals(self.shape, X, self.r)
        assert not rivals(self.shape, self.r, self.e)

    def test_operators_of_a_trait_may_be_those_of_another_call(self) -> None:
        call, trait = op.Relu(Y), op.Elementwise(W)
        shape = Shape((Y, call, W, trait), ())

        assert rivals(shape, call, trait)
        assert not rivals(shape, W, trait)

    def test_kinds_that_are_never_the_same(self) -> None:
        variable, call, fields = pat.Variable(), op.Relu(X), pat.Tuple(X)
        shape = Shape((X, variable, call, fields), ())

        assert not rivals(shape, variable, call)
        assert not rivals(shape, call, fields)
        assert not rivals(shape, variable, fields)


def test_tuples_of_one_length_are_matched() -> None:
    rule = Subst(op.Concatenate(pat.Tuple(X, Y), axis=0), X)
    calls = [Call(lookup("Concatenate"), [Tuple([A, B, A][:n])], {"axis": 0}) for n in (2, 3)]
    graph = Graph(calls)

    assert [find(rule, graph, root) is not None for root in graph.outputs] == [True, False]


def test_tuple_with_fewer_fields_does_not_end_the_search_for_an_output() -> None:
    rule = Subst([op.Relu(X), p_pack(pat.Tuple(Y, X))], [X, Y])
    graph = Graph([relu(A), pack(A), pack(B, A)])

    found = find(rule, graph, graph.outputs[0])

    assert found is not None
    assert graph.outputs[2] in nodes_of(found)


@pytest.mark.parametrize("few", [0, 8])
def test_first_match_of_many_outputs_is_the_one_that_the_search_finds_first(few: int) -> None:
    seen: Counter[str] = Counter()
    for seed in range(300):
        problem = fan_problem(Random(seed))
        matcher = compiled(problem.subst, few)
        for root in problem.graph if matcher is not None else ():
            try:
                found = matcher.first(root, problem.graph)
            except writer.UNDECIDED:
                seen["left to the search"] += 1
                continue
            expected = next(search_of(problem.subst, problem.graph).matches(root), None)
            if found is None:
                assert expected is None, (seed, root)
                continue
            assert matcher.bindings(found) == expected, (seed, root)
            seen["found"] += 1
            seen["several"] += len(kept(search_of(problem.subst, problem.graph).matches(root))) > 1

    assert seen["found"] > 100
    assert seen["several"] > 5


def test_fields_that_compete_for_a_weight_are_taken_in_order() -> None:
    weight = pat.Wildcard()
    field = X + weight
    many = Subst(pat.Variadic(field, templates=[field, weight], min_len=2), X)
    names = ["u", "v", "u", "w", "v"]
    variables = {name: var(name) for name in names}
    graph = Graph([add(A, variables[name]) for name in names])

    found = matcher_of(many).first(graph.outputs[0], graph)

    assert [one[-1].expr.name for one in found.fields] == ["v", "w"]


@pytest.mark.parametrize("few", [0, 16])
def test_match_is_given_once_where_several_operands_lead_up_to_an_output(few: int) -> None:
    """The sum is above both products, and either could be the one that leads to it."""
    subst = Subst([op.Exp(X), (X * X) + (X * X)], [X, X])
    graph = Graph([exp(A), multiply(A, A), add(multiply(A, A), multiply(A, A))])
    matcher = compiled(subst, few)

    assert matcher is not None
    assert len(list(matcher.every(graph.outputs[0], graph))) == 1
    assert len(list(matches_at(subst, graph, graph.outputs[0]))) == 1
