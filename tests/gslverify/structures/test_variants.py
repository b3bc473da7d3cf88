"""The structures found for a rule are those that some small network has, and no others."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

from gsl import Const, Expr, Subst, Tuple, Var, attr, op, pat
from gsl.attr.term import Symbol, Term
from gsl.errors import GslError
from gsl.expr import Call, Proj
from gsl.graph import Graph
from gsl.match import Bindings, matches_at
from gsl.operators import lookup
from gsl.types import TensorType
from gslverify.semantics.solver import Answer, Solver, new_context
from gslverify.structures.choices import Decision, Replay
from gslverify.structures.instance import Extent, InfeasibleError, Instance
from gslverify.structures.variants import Enumeration, enumerate_variants

pytestmark = pytest.mark.smt

Networks = Iterator[Any]


def few_variants(subst: Subst, **options: Any) -> Enumeration:
    """Ranks up to 2 and tuples of up to 3 fields, so that brute force comes to an end."""
    return enumerate_variants(subst, Extent(ranks=(1, 2, 0), most_fields=3), **options)


def variables(name: str, dtypes: tuple[str, ...] = ("float32",)) -> list[Var]:
    shapes = [shape for rank in (0, 1, 2) for shape in product((1, 2, 3), repeat=rank)]
    return [Var(name, shape, dtype) for shape, dtype in product(shapes, dtypes)]


def calls(name: str, *operands: Any, **attributes: Any) -> list[Call]:
    """Return the call as a list, empty when it is not well typed."""
    try:
        return [Call(lookup(name), list(operands), attributes)]
    except GslError:
        return []


AXES = (-2, -1, 0, 1)
ORDERS = ((), (0,), (-1,), (0, 1), (1, 0), (0, -1), (-1, 0), (1, -2))


def sums() -> tuple[Subst, Networks]:
    x, y = pat.Wildcard(), pat.Wildcard()
    pairs = product(variables("x"), variables("y"))
    return Subst(x + y, y + x), (c for a, b in pairs for c in calls("Add", a, b))


def equal_ranks() -> tuple[Subst, Networks]:
    x, y = pat.Wildcard(), pat.Wildcard()
    pairs = product(variables("x"), variables("y"))
    subst = Subst(x + y, y + x, where=[x.ndim == y.ndim, x.ndim != 0])
    return subst, (c for a, b in pairs for c in calls("Add", a, b))


def transposed() -> tuple[Subst, Networks]:
    x = pat.Wildcard()
    inner = op.Transpose(x)
    outer = op.Transpose(inner)
    subst = Subst(outer, x, where=[inner.axes == outer.axes])
    return subst, (
        c
        for a, first, second in product(variables("x"), ORDERS, ORDERS)
        for b in calls("Transpose", a, axes=first)
        for c in calls("Transpose", b, axes=second)
    )


def reduced_without_axes() -> tuple[Subst, Networks]:
    x = pat.Wildcard()
    total = op.Sum(x, keepdims=True)
    subst = Subst(total, x, where=[attr.Length(total.axis) == 1])
    sets = ((), (0,), (1,), (-1,), (-2,), (0, 1), (0, -1))
    return subst, (
        c
        for a, axes, keep in product(variables("x"), sets, (False, True))
        for c in calls("Sum", a, axis=axes, keepdims=keep)
    )


def alternatives() -> tuple[Subst, Networks]:
    x = pat.Wildcard()
    either = pat.Alt(op.Relu(x), op.Softmax(x, axis=1), op.Sqrt(x))
    subst = Subst(op.Abs(either), either, where=[either.arm != 2])
    return subst, (
        d
        for a, axis in product(variables("x"), AXES)
        for c in (*calls("Relu", a), *calls("Softmax", a, axis=axis), *calls("Sqrt", a))
        for d in calls("Abs", c)
    )


def traits() -> tuple[Subst, Networks]:
    x = pat.Wildcard()
    first = op.trait("binary")(x, x)
    second = op.same(first)(first, first)
    names = ("Add", "Equal", "LogicalAnd", "Greater", "Maximum", "LogicalOr", "Divide")
    every = [o.name for o in pat.Trait("binary").operators()]
    assert set(names) <= set(every)
    return Subst(second, first), (
        d
        for a, n in product(variables("x", ("float32", "bool", "int8")), every)
        for c in calls(n, a, a)
        for d in calls(n, c, c)
    )


def constants() -> tuple[Subst, Networks]:
    x, c, d = pat.Wildcard(), pat.Const(), pat.Const(2.0)
    values = (2.0, 3.0, [1.0], [[1.0, 2.0]])
    return Subst((x * c) + d, x), (
        total
        for a, value, added in product(variables("x", ("float32", "int32")), values, values)
        for scaled in calls("Multiply", a, Const(value, a.dtype))
        for total in calls("Add", scaled, Const(added, a.dtype))
    )


def typed_variables() -> tuple[Subst, Networks]:
    x = pat.Variable(dtype="int8")
    w = pat.Variable(shape=(None, x.shape[0]))
    dense = op.Dense(x, w)
    dtypes = ("int8", "float32")
    pairs = product(variables("x", dtypes), variables("w", dtypes))
    return Subst(dense, dense), (c for a, b in pairs for c in calls("Dense", a, b))


def joined_pieces() -> tuple[Subst, Networks]:
    x = pat.Wildcard()
    pieces = op.Split(x)
    joined = op.Concatenate((pieces[0], pieces[2]), axis=0)
    cuts = (1, 2, 3, (1,), (1, 2), (0, 0), (1, 1, 2))
    return Subst(joined, joined), (
        c
        for a, cut, axis, other in product(variables("x"), cuts, AXES, AXES)
        for b in calls("Split", a, indices_or_sections=cut, axis=axis)
        if len(b.type.fields) > 2
        for c in calls("Concatenate", Tuple([Proj(b, 0), Proj(b, 2)]), axis=other)
    )


def variadic_sums() -> tuple[Subst, Networks]:
    x, y = pat.Wildcard(), pat.Wildcard()
    field = x + y
    fields = pat.Variadic(field, templates=[field, y], min_len=2)
    stacked = op.Stack(fields, axis=0)
    subst = Subst(stacked, stacked, where=[fields.length != 2])
    small = [v for v in variables("x") if 3 not in v.shape]
    others = [[Var(f"y{i}", s) for s in ((), (2,), (1, 2), (2, 2))] for i in range(3)]

    def networks() -> Networks:
        for a, count in product(small, (1, 2, 3)):
            for chosen in product(*others[:count]):
                added = [c for b in chosen for c in calls("Add", a, b)]
                if len(added) == count:
                    yield from calls("Stack", Tuple(added), axis=0)

    return subst, networks()


def tuples() -> tuple[Subst, Networks]:
    whole = pat.Wildcard()
    stacked = op.Stack(whole, axis=1)

    def networks() -> Networks:
        for a in variables("x"):
            for count in (1, 2, 3):
                fields = [Var(f"x{i}", a.shape) for i in range(count)]
                yield from calls("Stack", Tuple(fields), axis=1)

    return Subst(stacked, stacked), networks()


def impossible() -> tuple[Subst, Networks]:
    x = pat.Wildcard()
    whole = op.Concatenate((x, op.Greater(x, x)), axis=0)
    return Subst(whole, whole), (
        d
        for a in variables("x", ("float32", "int8", "bool"))
        for c in calls("Greater", a, a)
        for d in calls("Concatenate", Tuple([a, c]), axis=0)
    )


CASES = [
    sums,
    equal_ranks,
    transposed,
    reduced_without_axes,
    alternatives,
    traits,
    constants,
    typed_variables,
    joined_pieces,
    variadic_sums,
    tuples,
    impossible,
]


def feasible(subst: Subst) -> list[Instance]:
    """Return the instances of the structures that have a solution."""
    found, context = few_variants(subst), new_context()
    assert found.complete
    assert not found.undecided
    every = [variant.instance(subst) for variant in found.variants]
    return [
        one
        for one in every
        if Solver([c.term for c in one.claims], 4_000_000, context).check().answer is Answer.SAT
    ]


def matched(subst: Subst, network: Expr) -> Iterator[Bindings]:
    """Yield the matches; each is valid until the next one is asked for."""
    graph = Graph([network])
    yield from matches_at(subst, graph, graph.outputs[0])


def widened(network: Any) -> Any:
    """Return a sum of inputs or constants with as many axes each, the first of them of size 1.

    Structures in which they have fewer axes are not looked at: these cover them.
    """
    if not isinstance(network, Call) or network.operator.name not in ("Add", "Multiply"):
        return network
    if len({id(operand) for operand in network.operands}) == 1:
        return network
    operands = [widened(operand) for operand in network.operands]
    return Call(network.operator, [_of_rank(one, network.type.ndim) for one in operands])


def _of_rank(expr: Any, rank: int) -> Any:
    new = (1,) * (rank - expr.type.ndim)
    if isinstance(expr, Var):
        return Var(expr.name, (*new, *expr.shape), expr.dtype)
    if isinstance(expr, Const) and expr.type.ndim and expr.type.ndim < rank:
        return Const(np.reshape(expr.value, (*new, *expr.shape)).tolist(), expr.dtype)
    if isinstance(expr, Call):
        operands = [_of_rank(one, rank) for one in expr.operands]
        return Call(expr.operator, operands, expr.attributes)
    return expr


def describes(instance: Instance, bindings: Bindings) -> bool:
    """Tell whether a match has the structure of an instance."""
    mine, theirs = instance.bindings, bindings
    if mine.arms != theirs.arms or mine.lengths != theirs.lengths:
        return False
    return mine.nodes.keys() == theirs.nodes.keys() and all(
        _fits(mine.nodes[key].expr, theirs.nodes[key].expr) for key in mine.nodes
    )


def _fits(known: Expr, found: Expr) -> bool:
    if isinstance(known, Const) and isinstance(known.value, Symbol):
        is_real = known.value.sort == "real"
        return is_real is found.dtype.startswith("float") and _fits_type(known.type, found.type)
    if isinstance(known, Call):
        assert isinstance(found, Call)
        attributes = zip(known.attributes.values(), found.attributes.values(), strict=False)
        if known.operator is not found.operator or not all(_same(a, b) for a, b in attributes):
            return False
    return _fits_type(known.type, found.type)


def _fits_type(known: Any, found: Any) -> bool:
    if isinstance(known, TensorType) and isinstance(found, TensorType):
        return _same((known.dtype, known.shape), (found.dtype, found.shape))
    return len(known.fields) == len(found.fields) and all(
        map(_fits_type, known.fields, found.fields)
    )


def _same(known: Any, found: Any) -> bool:
    if isinstance(known, tuple) and isinstance(found, tuple):
        return len(known) == len(found) and all(map(_same, known, found))
    return isinstance(known, Term) or (type(known) is type(found) and known == found)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_structures_are_those_of_small_networks(case: Any) -> None:
    subst, networks = case()
    found = feasible(subst)
    seen: set[int] = set()
    for network in networks:
        count = sum(1 for _ in matched(subst, network))
        fitting: list[int] = []
        for form in (network, widened(network)) if count else ():
            fitting = fitting or [
                number
                for bindings in matched(subst, form)
                for number, one in enumerate(found)
                if describes(one, bindings)
            ]
        seen.update(fitting)
        assert len(fitting) == count, f"{network!r} has {len(fitting)} structures"
    unseen = [dict(one.names) for n, one in enumerate(found) if n not in seen]
    assert not unseen, f"no small network has {len(unseen)} of {len(found)} structures"
    assert bool(found) is (case is not impossible)


# Enumeration itself.


def test_replay_follows_its_prefix_then_takes_first_options() -> None:
    replay = Replay([1, 2])
    some = Decision("rank", (pat.Wildcard(), ()))
    assert [replay(some, "ab"), replay(some, "xyz"), replay(some, [7, 8])] == ["b", "z", 7]
    assert (replay.made, replay.open) == ([1, 2, 0], [2, 3, 2])


def test_nothing_to_choose_from_is_infeasible() -> None:
    with pytest.raises(InfeasibleError):
        Replay([])(Decision("rank", (pat.Wildcard(), ())), [])


def test_a_rule_without_choices_has_one_structure() -> None:
    zeros = op.Zeros(shape=(2,), dtype="int8")
    found = few_variants(Subst(zeros, zeros))
    assert [variant.choices for variant in found.variants] == [()]
    assert found.complete


def test_structures_are_built_anew_each_time() -> None:
    subst, _ = equal_ranks()
    variant = few_variants(subst).variants[1]
    first, second = variant.instance(subst), variant.instance(subst)
    assert first.graph is not second.graph
    assert list(map(str, first.names.values())) == list(map(str, second.names.values()))


def test_a_search_that_is_cut_short_says_so() -> None:
    subst, _ = transposed()
    found = few_variants(subst, most_runs=3)
    assert len(found.variants) < 4
    assert not found.complete
    assert "attribute `axes`" in {one.what for one in found.unsearched}


def test_what_cannot_be_decided_is_noted() -> None:
    x, y = pat.Wildcard(), pat.Wildcard()
    ones = op.Ones(shape=attr.Variadic(lambda i: 1, length=x.shape[0]))
    total = op.Add(op.Relu(x), y) + ones
    found = few_variants(Subst(total, total))
    assert found.undecided
    assert all("length" in one.reason for one in found.undecided)


def test_the_obstacle_is_the_failure_after_most_patterns() -> None:
    x = pat.Wildcard()
    whole = op.Relu(op.Concatenate((x, x), axis=5))
    found = few_variants(Subst(whole, whole))
    assert not found.variants
    assert found.complete
    assert all("axis" in str(obstacle) for obstacle in found.obstacles)
    assert [obstacle.origin is not None for obstacle in found.obstacles] == [True]
