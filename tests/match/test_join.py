"""Candidates that are grouped by what a rule compares them by."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Any

import pytest

from gsl import Call, Expr, Subst, Var, Workload, apply, attr, op, pat
from gsl.attr.term import Access
from gsl.engine.record import Record
from gsl.graph import Graph, Node
from gsl.match.compiled.branch import Shape
from gsl.match.compiled.join import FEW, Agreeing, Site, profile_of
from gsl.match.find import find, search_of
from gsl.pat.equations import equations, patterns_of
from tests.match.asking import node_of
from tests.match.toys import add, exp, mark, multiply, negative, p_mark, p_tag, relu, tag, var

X, Y = pat.Wildcard(), pat.Wildcard()
A, B = var("a"), var("b")
first, second = p_tag(X), p_mark(X)
k, m = first.k, second.k

EQUATIONS: list[tuple[list[Any], list[tuple[Any, Any, int]]]] = [
    ([], []),
    ([k == m], [(k, m, 0)]),
    ([m == k], [(k, m, 0)]),
    ([(k == 0) | (k == m)], [(k, m, 1)]),
    ([(k == 0) | (k == 1) | (m == k)], [(k, m, 2)]),
    ([(k == m) & (m + 1 == k * 2)], [(k, m, 0), (k * 2, m + 1, 0)]),
    ([m == 1], [(1, m, 0)]),
    ([k == 1], []),
    ([k < m], []),
    ([k + m == 1], []),
    ([(k == m) | (m == 0)], []),
    ([attr.All(lambda i: k == m + i, length=2)], [(k, m + 0, 0), (k, m + 1, 0)]),
]


@pytest.mark.parametrize(("conditions", "expected"), EQUATIONS)
def test_equations_have_a_candidate_on_one_side(
    conditions: list[Any], expected: list[tuple[Any, Any, int]]
) -> None:
    found = equations([second], conditions, [first, X])

    assert len(found) == len(expected)
    for one, (left, right, guards) in zip(found, expected, strict=True):
        assert patterns_of(one.left) == patterns_of(attr.Tuple(left))
        assert patterns_of(one.right) == patterns_of(attr.Tuple(right)) == {second}
        assert len(one.guards) == guards


def test_constraints_of_a_candidate_are_equations() -> None:
    with_k = p_mark(X, k=first.k + 1)
    same = op.same(first)(X)

    (one,) = equations([with_k], [], [first, X])
    (other,) = equations([same], [], [first, X])

    assert isinstance(one.right, Access)
    assert (one.right.pattern, one.right.name) == (with_k, "k")
    assert isinstance(other.right, Access)
    assert (other.right.pattern, other.right.name) == (same, "operator")
    assert equations([p_mark(X, k=None), pat.Const(1.0)], [], [first, X]) == []


def profile(candidate: Expr, output: pat.Pattern, right: Any) -> Any:
    (found,) = equations([output, *output.operands], [first.k == right], [first])
    node = Graph([candidate]).outputs[0]
    return profile_of(output, Shape((X, Y, output), (output,)), [found])(node)


def test_profile_has_the_side_of_the_candidate() -> None:
    output = p_mark(X)

    assert profile(mark(A, 3), output, output.k * 2) == (6,)
    assert profile(tag(A, 3), output, output.k) is None
    assert profile(mark(Var("b", (7,)), 3), output, X.shape[0]) == (7,)


class Case:
    """A tag, and more candidates beside it than are tried one after the other."""

    def __init__(self, rule: Subst, others: list[Expr]) -> None:
        self.rule = rule
        self.graph = Graph([tag(A, 3), *others])
        self.root = self.graph.outputs[0]

    def found(self) -> Node | None:
        """Return the candidate that is found; it is the one that the search finds."""
        found: Any = find(self.rule, self.graph, self.root)
        expected = next(search_of(self.rule, self.graph).matches(self.root), None)
        assert (found is None) is (expected is None)
        if expected is None:
            return None
        assert found[2] is expected.nodes[self.rule.source[1], ()]
        return expected.nodes[self.rule.source[1], ()]


def equal_tags() -> Subst:
    return Subst([first, second], [first, second], where=[k == m])


def test_candidate_that_agrees_is_found_among_many() -> None:
    case = Case(equal_tags(), [mark(A, i) for i in range(10, 10 + 3 * FEW)] + [mark(A, 3)])

    assert case.found() is case.graph.outputs[-1]


def test_users_that_come_and_go_are_noticed() -> None:
    case = Case(equal_tags(), [mark(A, i) for i in range(10, 10 + 3 * FEW)])
    graph = case.graph
    a = node_of(graph, A)
    assert case.found() is None

    new = graph.add(mark(A, 3), (a,))
    graph.replace([(graph.outputs[1], new)], [new])
    assert case.found() is new

    other = graph.add(mark(A, 99), (a,))
    graph.replace([(new, other)], [other])
    assert case.found() is None


def test_candidate_that_gets_another_operand_is_noticed() -> None:
    inner = p_mark(Y, k=first.k)
    rule = Subst([first, X + inner], [first, X])
    case = Case(rule, [add(A, exp(var(f"y{i}"))) for i in range(3 * FEW)])
    graph, old = case.graph, case.graph.outputs[5].operands[1]
    assert case.found() is None

    new = graph.add(mark(A, 3), (node_of(graph, A),))
    graph.replace([(old, new)], [new])

    assert case.found() is None, "the leaf is the other operand, too"
    y = node_of(graph, graph.outputs[6].operands[1].operands[0].expr)
    other = graph.add(mark(y.expr, 3), (y,))
    graph.replace([(graph.outputs[6].operands[1], other)], [other])
    assert case.found() is graph.outputs[6]


def test_candidate_deep_below_which_something_changes_is_noticed() -> None:
    rule = Subst([first, X + op.Relu(p_mark(Y, k=first.k))], [first, X])
    case = Case(rule, [add(A, relu(exp(var(f"y{i}")))) for i in range(3 * FEW)])
    graph = case.graph
    below = graph.outputs[4].operands[1].operands[0]
    assert case.found() is None

    y = below.operands[0]
    new = graph.add(mark(y.expr, 3), (y,))
    graph.replace([(below, new)], [new])

    assert case.found() is graph.outputs[4]


def test_users_that_went_are_forgotten_when_they_are_many() -> None:
    case = Case(equal_tags(), [mark(A, i) for i in range(10, 10 + 5 * FEW)])
    graph, a = case.graph, node_of(case.graph, A)
    assert case.found() is None
    for number in range(1, len(graph.outputs) - FEW - 1):
        other = graph.add(negative(A), (a,))
        graph.replace([(graph.outputs[number], other)], [other])
    assert case.found() is None

    groups = [value for key, value in graph.memory.items() if isinstance(key[0], Site)]
    new = graph.add(mark(A, 3), (a,))
    graph.replace([(graph.outputs[1], new)], [new])
    assert case.found() is new
    assert len(groups) == 1


def test_a_rule_that_takes_its_candidates_one_by_one_ends() -> None:
    record = Record()
    rule = Subst([first, second], [op.Relu(first), op.Relu(X)], where=[k == m])
    outputs = [tag(A, 3), *(mark(A, 3 + i % 2) for i in range(40))]

    result = apply(Workload(outputs), [rule], record=record)

    assert record.counts == {rule: 20}
    assert len(result.outputs) == 41


class Counting(dict[Node, None]):
    """Counts how often something is looked up."""

    lookups = 0

    def __contains__(self, key: object) -> bool:
        self.lookups += 1
        return super().__contains__(key)


def agreeing(nodes: Iterable[Node]) -> Agreeing:
    users = Agreeing()
    for number, node in enumerate(nodes):
        users.add(number, node)
    return users


def test_crowd_that_clashes_is_passed_over_once() -> None:
    b = var("b")
    graph = Graph([add(A, b) for _ in range(50)] + [add(A, var("c"))])
    shared, last = node_of(graph, b), graph.outputs[-1]
    present, users = Counting(dict.fromkeys(graph.outputs)), agreeing(graph.outputs)

    assert list(users.beginning([(1, shared)], present)) == [last]
    assert present.lookups > 50
    present.lookups = 0
    for _ in range(10):
        assert list(users.beginning([(1, shared)], present)) == [last]
    assert present.lookups == 20
    assert list(users.beginning([], present)) == graph.outputs
    assert list(users.beginning([(0, node_of(graph, A))], present)) == []


def test_users_that_went_or_were_taken_away_are_not_first() -> None:
    graph = Graph([add(A, var(f"b{i}")) for i in range(FEW + 4)])
    users = agreeing(graph.outputs)
    for place in (1, FEW):
        users.remove(place)
        users.add(len(graph.outputs) + place, graph.outputs[place])
    gone = graph.outputs[0]
    present = {*graph.outputs} - {gone}

    left = [user for user in users.beginning([], present) if user in present]

    again = [graph.outputs[1], graph.outputs[FEW]]
    assert left == [user for user in graph.outputs if user not in {gone, *again}] + again
    assert next(iter(users.beginning([], present))) is graph.outputs[2]


def test_few_users_are_given_as_they_came() -> None:
    b = var("b")
    graph = Graph([add(A, b) for _ in range(FEW)])
    users = agreeing(graph.outputs)
    present = Counting()

    assert list(users.beginning([(1, node_of(graph, b))], present)) == graph.outputs
    assert not present.lookups


def test_one_weight_of_all_candidates_is_seen_before_any_is_tried() -> None:
    rule = Subst([X * Y, X * pat.Wildcard()], [X, X])
    graph = Graph([multiply(A, var("w")) for _ in range(2)] + [multiply(A, B) for _ in range(20)])

    found = [find(rule, graph, root) for root in graph.outputs]

    assert all(one is not None for one in found)
    assert found[-1][3] is graph.outputs[0], "the first one with another weight"


@pytest.mark.parametrize("count", [FEW // 2, 2 * FEW])
def test_a_candidate_that_changes_keeps_its_place(count: int) -> None:
    weight = pat.Variable()
    rules = [Subst(op.Negative(Y), Y), Subst([op.Exp(X), X * weight], [op.Relu(X), X + weight])]
    products = [multiply(A, negative(B)), *(multiply(A, var(f"w{i}")) for i in range(count))]

    result = apply(Workload([exp(A), *products, exp(negative(A))]), rules)

    heads = [str(output.operator) for output in result.outputs if isinstance(output, Call)]
    assert heads[:4] == ["Relu", "Add", "Add", "Multiply"]


@pytest.mark.parametrize("seed", range(10))
def test_users_that_change_go_and_come_again_are_tried_in_their_order(seed: int) -> None:
    random = Random(seed)
    other = pat.Variable()
    rule = Subst([first, X + other], [first, X], where=[other.shape[0] + 2 == k])
    choices = [A, B], [exp(B), B, Var("c", (1,))]
    kept = [negative(expr) for expr in {**dict.fromkeys(choices[0]), **dict.fromkeys(choices[1])}]
    case = Case(rule, [*(add(A, exp(B)) for _ in range(3 * FEW)), *kept])
    users = case.graph.outputs[1 : -len(kept)]
    found = set()
    for _ in range(60):
        user, place = random.choice(users), random.randrange(2)
        new = node_of(case.graph, random.choice(choices[place]))
        case.graph.replace([(user.operands[place], new)], {*case.graph} - {user})
        if random.random() < 0.7:
            found.add(case.found())
    assert len(found) > 1
