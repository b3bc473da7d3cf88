"""Targets made again from what was inferred before: the same nodes, without inference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from gsl import Call, Const, Expr, Subst, Var, Workload, apply, attr, op, pat
from gsl.engine.record import Record
from gsl.expr import Tuple as TupleExpr
from gsl.graph import Graph
from gsl.match.find import find
from gsl.node import FEW_USERS
from gsl.operators import REGISTRY, Operator
from gsl.rewrite import replay
from gsl.rewrite.builder import build_and_replace, rewrite
from gsl.rewrite.replay import target_of
from tests.match.toys import add, p_mark, p_pack, p_tag, relu, tag, tanh, var
from tests.rewrite.test_target import all_matches, fan_case, fixed_case, is_well_formed, rewritten
from tests.rewriting import shape_of
from tests.work_graph import invariants

X = pat.Wildcard()
t = p_tag(X)


class Inferences:
    """Counts how often types are inferred."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        infer = Operator.infer

        def counted(operator: Operator, *arguments: Any) -> Any:
            self.count += 1
            return infer(operator, *arguments)

        monkeypatch.setattr(Operator, "infer", counted)


@pytest.mark.parametrize(("case", "seeds"), [(fixed_case, 300), (fan_case, 100)])
def test_replayed_targets_are_what_the_builder_makes(
    case: Callable[[Random], tuple[list[Expr], Subst]],
    seeds: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    inferences, seen = Inferences(monkeypatch), Counter[str]()
    for seed in range(seeds):
        outputs, rule = case(Random(seed))
        if not is_well_formed(rule):
            continue
        for place, number in all_matches(rule, outputs):
            expected = rewritten(rule, outputs, place, number, build_and_replace)
            learnt = rewritten(rule, outputs, place, number, rewrite)
            before = inferences.count
            again = rewritten(rule, outputs, place, number, rewrite)

            assert learnt == again == expected, seed
            seen["built"] += not isinstance(expected, str)
            seen["replayed"] += inferences.count == before

    assert seen["built"] > seeds / 3
    assert seen["replayed"] > seen["built"] / 2


def test_nothing_is_inferred_for_a_match_that_looks_like_an_earlier_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rule = Subst(op.Relu(t), op.Exp(p_tag(X, k=t.k)))
    workload = Workload([relu(tag(var(f"v{i}"), 2)) for i in range(3)])
    other = Workload(relu(tag(var("w"), 2)))
    third = Workload(relu(tag(var("w"), 3)))
    inferences = Inferences(monkeypatch)

    apply(workload, [rule])
    assert inferences.count == 2
    apply(other, [rule])
    assert inferences.count == 2, "what is known belongs to the rule, not to one network"
    apply(third, [rule])
    assert inferences.count == 4


def test_numbers_and_absent_operands_are_replayed(monkeypatch: pytest.MonkeyPatch) -> None:
    gain = pat.Wildcard()
    norm = op.RmsNorm(X + X, gain, axes=(-1,))
    target = op.SkipRmsNorm(X, X, gain, pat.Absent(), epsilon=norm.epsilon)[0]
    rule = Subst(norm, target, aliases=True)

    def network(epsilon: float) -> Workload:
        x, g = Var("x", (2, 4)), Var("g", (4,))
        how = {"axes": (-1,), "epsilon": epsilon}
        return Workload(Call(REGISTRY["RmsNorm"], [Call(REGISTRY["Add"], [x, x]), g], how))

    given = [network(epsilon) for epsilon in (0.5, 0.5, 0.25)]
    inferences = Inferences(monkeypatch)
    counts = []
    for workload in given:
        (whole,) = apply(workload, [rule]).outputs[0].operands
        assert isinstance(whole, Call)
        wanted = workload.outputs[0].attributes["epsilon"]  # type: ignore[attr-defined]
        assert str(whole.attributes["epsilon"]) == str(wanted)
        counts.append(inferences.count)
    assert counts[0] == counts[1] < counts[2]


def test_result_is_the_same_whether_it_was_known() -> None:
    """Users are in the order in which nodes are made, which decides about later matches."""
    sources = [op.Relu(X), op.Tanh(X)]
    rule = Subst(sources, [op.Exp(p_tag(X, k=3)), p_pack(pat.Tuple(X, op.Exp(X)))])
    a = var("a")
    orders = []
    for _ in range(2):
        graph = Graph([relu(a), tanh(a)])
        found = find(rule, graph, graph.outputs[0])
        assert found is not None
        added = rewrite(rule, found, graph)
        invariants(graph)
        orders.append([str(node.head) for node in added])
        orders.append([str(user.head) for user in graph.outputs[0].operands[0].operands[0].users])

    assert orders[:2] == orders[2:]


@pytest.mark.parametrize("count", [2, FEW_USERS, FEW_USERS + 4])
def test_users_that_a_loop_makes_are_the_same_whether_it_was_known(count: int) -> None:
    """What all fields share is used before the loop, in it, and twice by one node in it."""
    leaf, shared = pat.Wildcard(), op.Exp(X)
    field = X + op.Relu(leaf)
    source = pat.Variadic(field, templates=[field, field.operands[1], leaf], min_len=2)
    i = attr.Symbol("i")
    own = source(leaf, i)
    twice = shared + shared
    product = twice * own
    made = op.Tanh(shared) + product
    rule = Subst(source, pat.Variadic(made, templates=[made, product, twice, own], index=i))
    a = var("a")
    orders = []
    for _ in range(2):
        graph = Graph([add(a, relu(var(f"v{n}"))) for n in range(count)])
        found = find(rule, graph, graph.outputs[0])
        assert found is not None
        rewrite(rule, found, graph)
        invariants(graph)
        order = graph.order()
        orders.append([[order.index(user) for user in node.users] for node in order])

    assert orders[0] == orders[1]
    assert max(map(len, orders[0])) > count, "the shared one has users outside of the loop, too"


def scaled(number: int) -> Expr:
    return Call(REGISTRY["Multiply"], [var("a"), Const(float(number))])


TWICE: dict[str, tuple[Callable[[], Subst], Callable[[int], Expr]]] = {
    "other sizes": (
        lambda: Subst(op.Relu(X), op.Exp(p_tag(X, k=X.shape[0]))),
        lambda n: relu(Var("a", (n + 1,))),
    ),
    "other attributes": (
        lambda: Subst(t, p_mark(X, k=t.k * 2)),
        lambda n: tag(var("a"), n),
    ),
    "another operator": (
        lambda: Subst(op.Relu(e := op.Elementwise(X)), op.same(e)(op.Exp(X))),
        lambda n: relu((tanh, relu)[n % 2](var("a"))),
    ),
    "another constant": (
        lambda: Subst(X * (c := pat.Const()), X + pat.Const(c.value * 2, dtype="float32")),
        scaled,
    ),
}


@pytest.mark.parametrize("name", TWICE)
def test_what_differs_is_not_taken_for_the_same(name: str) -> None:
    make, network = TWICE[name]
    rule = make()
    for number in (1, 2, 1, 3):
        outputs = [network(number)]
        graph = Graph(outputs)
        found = find(rule, graph, graph.outputs[0])
        assert found is not None
        rewrite(rule, found, graph)

        fresh = make()
        reference = Graph(outputs)
        match = find(fresh, reference, reference.outputs[0])
        assert match is not None
        rewrite(fresh, match, reference)

        assert list(map(shape_of, graph.to_exprs())) == list(map(shape_of, reference.to_exprs()))


def test_constants_are_made_anew() -> None:
    rule = Subst(op.Relu(X), X + 1.5)
    workload = Workload([relu(var("a")), relu(var("b"))])

    first, second = apply(workload, [rule]).outputs

    one, two = first.operands[1], second.operands[1]
    assert one is not two
    assert one.value == two.value == 1.5
    assert (one.asked, one.dtype) == (1.5, "float32")


def test_number_of_remembered_matches_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "MOST_PLANS", 2)
    rule = Subst(op.Relu(X), op.Exp(X))
    workload = Workload([relu(Var(f"v{i}", (i + 1,))) for i in range(7)])

    result = apply(workload, [rule])

    assert [shape_of(output) for output in result.outputs] == [("Exp", f"v{i}") for i in range(7)]


APART: list[tuple[str, Callable[[], Subst], bool]] = [
    ("new on inputs", lambda: Subst(t, op.Exp(X)), True),
    ("new on the output", lambda: Subst(t, op.Exp(t)), False),
    ("new on an inner node", lambda: Subst(op.Relu(t), op.Exp(t)), True),
    ("new on another output", lambda: Subst([op.Relu(e := op.Exp(X)), e], [op.Tanh(e), e]), False),
]


@pytest.mark.parametrize(("name", "make", "apart"), APART)
def test_target_tells_whether_it_uses_an_output(
    name: str, make: Callable[[], Subst], apart: bool
) -> None:
    target = target_of(make())

    assert target is not None, name
    assert target.apart is apart


def squares(*counts: int) -> Workload:
    """Return as many squares of one tensor as each count says."""
    tensors = [Var(f"v{number}", (2, 3)) for number in range(len(counts))]
    return Workload(
        [
            Call(REGISTRY["Square"], [tensor])
            for tensor, count in zip(tensors, counts, strict=True)
            for _ in range(count)
        ]
    )


def products() -> Subst:
    """Any number of squares of x => as many products of x with itself."""
    old, new = op.Square(X), X * X
    return Subst(pat.Variadic(old, templates=[old]), pat.Variadic(new, templates=[new]))


def split_products() -> Subst:
    """Any number of squares of x => as many products, put together and split again."""
    i, j = attr.Symbol("i"), attr.Symbol("j")
    old, new = op.Square(X), X * X
    source = pat.Variadic(old, templates=[old], min_len=2)
    each = pat.Variadic(new, templates=[new], index=j, length=source.length)
    item = op.Split(op.Concatenate(each, axis=0), indices_or_sections=source.length, axis=0)[i]
    return Subst(source, pat.Variadic(item, templates=[item], index=i))


@pytest.mark.parametrize("rule", [products, split_products])
@pytest.mark.parametrize("counts", [(3, 3), (2, 3), (3, 2), (4, 2, 3)])
def test_plan_for_one_number_of_fields_is_none_for_another(
    rule: Callable[[], Subst], counts: tuple[int, ...]
) -> None:
    """Nothing that the target looks at differs from field to field, but their number matters."""
    applied = apply(squares(*counts), [rule()])

    start = 0
    for number, count in enumerate(counts):
        alone = apply(squares(*[0] * number, count), [rule()])
        outputs = applied.outputs[start : start + count]
        assert list(map(shape_of, outputs)) == list(map(shape_of, alone.outputs))
        start += count
    for expr in applied.order:
        if isinstance(expr, Call):
            assert Call(expr.operator, expr.operands, expr.attributes).type == expr.type
        elif isinstance(expr, TupleExpr):
            assert TupleExpr(expr.operands).type == expr.type


def test_inner_tuples_have_nodes_of_their_own_whether_compiled_or_built() -> None:
    rule = split_products()
    graph = squares(3)
    expected = rewritten(rule, graph.outputs, 1, 0, build_and_replace)

    assert rewritten(rule, graph.outputs, 1, 0, rewrite) == expected
    assert rewritten(rule, graph.outputs, 1, 0, rewrite) == expected


@pytest.mark.parametrize("dtypes", [("float32", "float16"), ("float16", "float32")])
def test_type_of_a_first_field_with_a_pattern_of_its_own_is_always_compared(
    dtypes: tuple[str, str],
) -> None:
    """The cast may change the dtype, which the relu beside it does not tell."""
    old, new = op.Relu(X), op.Tanh(X)
    source = pat.Variadic(old, templates=[old], first=[op.Cast(X)], min_len=2)
    rule = Subst(source, pat.Variadic(new, templates=[new]))
    outputs: list[Expr] = []
    for dtype in dtypes:
        tensor = Var(f"v{dtype}", (2,))
        outputs += [Call(REGISTRY["Cast"], [tensor], {"dtype": dtype}), relu(tensor)]
    record = Record()

    applied = apply(Workload(outputs), [rule], record=record)

    assert (record.total, len(record.refused)) == (1, 1)
    assert [one.type for one in applied.outputs] == [one.type for one in outputs]
