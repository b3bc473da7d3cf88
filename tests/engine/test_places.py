"""Every match that a rewrite makes possible is found, whatever arms and fields it has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gsl import Expr, Subst, Workload, apply, attr, op, pat
from gsl.engine.fixpoint import matches
from gsl.engine.places import LONGEST_WAY, MOST_WAYS, Choice, Places, cover, standing
from gsl.engine.ways import Anywhere, Up
from gsl.pat import Pattern
from tests.match.toys import (
    add,
    exp,
    multiply,
    negative,
    p_mark,
    p_pack,
    p_tag,
    pack,
    relu,
    tag,
    tanh,
    var,
)
from tests.random_workloads import call

X, Y, Z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
A, B, C = var("a"), var("b"), var("c")
NUMBER, OTHER = attr.Symbol("i"), attr.Symbol("j")

CUT = Subst(X + op.Negative(Y), op.Negative(Y))
"""Takes a user away, late."""


def late(made: Callable[[Pattern], Pattern]) -> Subst:
    """Return a rule that makes a call of what is negated twice."""
    return Subst(op.Negative(op.Negative(Z)), made(Z))


def twice(data: Expr) -> Expr:
    return negative(negative(data))


def each(field: Pattern, *templates: Pattern, **options: Any) -> pat.Variadic:
    return pat.Variadic(field, templates=[field, *templates], index=NUMBER, **options)


def merged(source: pat.Variadic, of: Pattern, **conditions: object) -> Subst:
    """Return a rule that makes of each field the absolute value of `of` in it."""
    own = source(of, OTHER)
    made = op.Abs(own)
    target = pat.Variadic(made, templates=[made, own], index=OTHER)
    return Subst(source, target, **conditions)  # type: ignore[arg-type]


def either(one: Pattern, other: Pattern) -> Subst:
    """Return a rule about two calls of which either operand hangs on the hyperbolic tangent."""
    return Subst([op.Square(pat.Alt(op.Relu(one), op.Exp(other))), op.Tanh(one)], [op.Abs(one)] * 2)


def fields_of_either(*arms: Pattern) -> Subst:
    """Return a rule about sums of an alternative and the tag that is the number of the field."""
    some, data = pat.Alt(*arms), pat.Wildcard()
    number = p_tag(data, k=NUMBER)
    field = some + number
    return merged(each(field, number, data, some, *arms, min_len=2), data)


def numbered(at: int) -> Subst:
    field = p_tag(X)
    source = each(field, min_len=2)
    made = op.Abs(X)
    target = pat.Variadic(made, templates=[made], index=OTHER)
    return Subst(source, target, where=[source(field, at).k == 1])


def shared_arm() -> Subst:
    inner = op.Tanh(X)
    return Subst(op.Square(pat.Alt(op.Relu(inner), op.Exp(inner))), op.Abs(X))


def shared_arm_of_the_root() -> Subst:
    inner = op.Tanh(X)
    return Subst(pat.Alt(op.Relu(inner), op.Exp(inner)), op.Abs(X))


def instance_as_operand() -> Subst:
    field = op.Relu(Y)
    many = each(field, Y)
    return Subst(op.Add(p_pack(many), many(field, 0)), p_mark(many(Y, 0)))


def instance_as_output() -> Subst:
    inner = op.Exp(Y)
    field = op.Relu(inner)
    many = each(field, inner, Y)
    first = many(field, 0)
    return Subst([op.Add(p_pack(many), first), first], [p_mark(many(Y, 0))] * 2)


def output_over_an_instance() -> Subst:
    field = op.Relu(Y)
    many = each(field, Y)
    first = many(field, 0)
    return Subst([op.Add(p_pack(many), first), op.Tanh(first)], [p_mark(many(Y, 0))] * 2)


def output_beside_further_fields() -> Subst:
    first, field = op.Relu(Y), X + Z
    many = pat.Variadic(field, templates=[field, Z], first=[first, Y], index=NUMBER)
    return Subst([op.Square(p_pack(many)), op.Tanh(X)], [op.Abs(Y)] * 2)


def output_beside_an_arm_of_an_output() -> Subst:
    inner = op.Exp(Y)
    source = [op.Relu(X), pat.Alt(X * inner, op.Abs(X)), op.Square(inner)]
    return Subst(source, [op.Negative(X), op.Negative(X), op.Negative(Y)])


def output_with_arms() -> Subst:
    some = pat.Alt(op.Relu(op.Exp(X)), op.Abs(X))
    return Subst([op.Tanh(some), some], [op.Square(X)] * 2)


t, e, r = tanh(A), exp(A), relu(A)
MAKES_TANH, MAKES_TAG = late(op.Tanh), late(lambda data: p_tag(data, k=1))
MISSED: dict[str, tuple[Callable[[], Subst], Subst, list[Expr]]] = {
    "up through the other arm": (
        shared_arm, CUT, [call("Square", exp(t)), add(t, negative(B))],
    ),
    "up to the other arm of the root": (
        shared_arm_of_the_root, CUT, [exp(t), add(t, negative(B))],
    ),
    "down and up through the other arm": (
        lambda: either(X, X), MAKES_TANH, [call("Square", exp(A)), twice(A)],
    ),
    "from field to field through the second arm": (
        lambda: fields_of_either(op.Relu(X), op.Exp(X)), MAKES_TAG,
        [add(exp(A), tag(B, 0)), add(exp(A), twice(C))],
    ),
    "from field to field through both arms": (
        lambda: fields_of_either(op.Exp(X), op.Relu(X)), MAKES_TAG,
        [add(relu(A), tag(B, 0)), add(exp(A), twice(C))],
    ),
    "a condition on field 0": (
        lambda: numbered(0), late(lambda data: p_tag(data, k=2)), [tag(A, 1), twice(A)],
    ),
    "an instance uses the template": (
        instance_as_operand, CUT, [add(pack(r, relu(B)), r), add(r, negative(C))],
    ),
    "an instance is an output": (
        instance_as_output, CUT,
        [add(pack(u := relu(e), relu(exp(B))), u), multiply(u, B), add(e, negative(C))],
    ),
    "an output is connected through an instance": (
        output_over_an_instance, MAKES_TANH, [add(pack(r, relu(B)), r), twice(r)],
    ),
    "an output is connected by the other arm only": (
        lambda: either(X, Y), MAKES_TANH, [call("Square", exp(A)), twice(B)],
    ),
    "an output is connected by an arm of an output only": (
        output_beside_an_arm_of_an_output, CUT,
        [r, call("Abs", A), call("Square", v := exp(B)), add(v, negative(C))],
    ),
    "an output is connected by further fields only": (
        output_beside_further_fields, MAKES_TANH, [call("Square", pack(r)), twice(B)],
    ),
    "an output is an alternative": (
        output_with_arms, CUT, [tanh(u), multiply(u, B), add(e, negative(C))],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MISSED)
def test_match_that_becomes_possible_late_is_found(name: str) -> None:
    write, change, outputs = MISSED[name]
    rule, before = write(), Workload(outputs)

    assert next(matches(rule, before), None) is None
    assert next(matches(rule, apply(before, [change])))
    assert next(matches(rule, apply(before, [rule, change])), None) is None


def test_patterns_that_stand_where_one_is_written() -> None:
    one, two, three = op.Relu(X), op.Exp(X), op.Tanh(X)
    inner = pat.Alt(two, three)
    outer = pat.Alt(one, inner)
    many = each(p_tag(X), X)

    assert standing(one) == [(one, frozenset())]
    assert standing(outer) == [
        (one, {Choice(outer, one)}),
        (two, {Choice(outer, inner), Choice(inner, two)}),
        (three, {Choice(outer, inner), Choice(inner, three)}),
    ]
    assert standing(many(many.field, 0)) == []


def test_choices_cover_all_matches_when_they_have_all_arms() -> None:
    this, that = pat.Alt(X, Y), pat.Alt(Y, Z)
    x, y = (frozenset([Choice(this, arm)]) for arm in (X, Y))
    other_y, z = (frozenset([Choice(that, arm)]) for arm in (Y, Z))

    assert cover([frozenset()])
    assert cover([x, y])
    assert cover([x, y | z, other_y])
    assert not cover([])
    assert not cover([x])
    assert not cover([x | z, y | other_y])


def test_ways_to_the_root_need_no_choice_without_alternatives() -> None:
    inner = op.Exp(X)
    ways = Places(Subst([inner + Y, inner * Y], [X, X])).ways()

    assert {choices for by_choice in ways.values() for choices in by_choice} == {frozenset()}


def test_pattern_below_all_arms_has_a_way_through_each() -> None:
    rule = shared_arm()
    square, some, one, other, inner, _ = reversed(rule.source_patterns)

    ways = Places(rule).ways()

    assert {arm for choices in ways[inner] for _, arm, _ in choices} == {one, other}
    assert [len(way) for way in ways[inner].values()] == [2, 2]
    assert ways[square] == {frozenset(): ()}
    assert some not in ways


def test_root_is_looked_for_anywhere_when_there_are_too_many_ways() -> None:
    source: Pattern = op.Tanh(X)
    for _ in range(LONGEST_WAY // 2 - 2):
        source = op.Abs(pat.Alt(op.Relu(source), op.Exp(source)))
    places = Places(Subst(source, X))
    ways = places.ways()

    assert sum(map(len, ways.values())) < LONGEST_WAY * 4 * MOST_WAYS
    assert places.has_far
    assert {type(one) for one in places.far(ways)} >= {pat.Call}


def test_fields_without_a_pattern_in_common_are_looked_for_anywhere() -> None:
    (way,) = Places(fields_of_either(op.Relu(X), op.Exp(Y))).around()

    assert [type(step) for step in way] == [Anywhere]


def test_users_of_a_pattern_are_counted_unless_anything_may_use_it() -> None:
    rule = instance_as_output()
    inner = next(p for p in rule.source_patterns if p.operands == (Y,))
    (field,) = [p for p in rule.source_patterns if p.operands == (inner,)]
    ways = Places(rule).ways()

    def most(pattern: Pattern) -> int | None:
        ((first, *_),) = ways[pattern].values()
        assert isinstance(first, Up)
        return first.most

    assert (most(inner), most(field)) == (1, None)
