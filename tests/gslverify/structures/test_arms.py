"""Ways through conditional targets: which structure takes which, and what sizes decide."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from gsl import Subst, attr, op, pat
from gsl.attr.term import Operation
from gslverify.structures.targets.arms import Arms, arms_of, either_way, has_arms
from gslverify.structures.targets.ways import one_of_each
from gslverify.structures.variants import enumerate_variants


def conditional(condition: Any, otherwise: Any = None) -> Subst:
    x = pat.Wildcard()
    then = op.Relu(x)
    other = op.Relu(op.Relu(x)) if otherwise is None else otherwise(x)
    return Subst(op.Relu(op.Relu(x)), pat.Cond(condition(x), then, other))


def ways(subst: Subst) -> list[tuple[bool | None, ...]]:
    instances = [variant.instance(subst) for variant in enumerate_variants(subst).variants]
    return [tuple(arms_of(instance).taken) for instance in instances]


def test_structures_decide_where_they_can() -> None:
    assert ways(conditional(lambda x: x.ndim == 2)) == [
        (False,),
        (True,),
        (False,),
        (False,),
        (False,),
    ]


def test_what_sizes_decide_is_open() -> None:
    subst = conditional(lambda x: x.dtype == "int8")
    instance = enumerate_variants(subst).variants[0].instance(subst)

    arms = arms_of(instance)

    assert arms.taken == [None]
    (condition,) = arms.open
    assert isinstance(condition, Operation)
    assert [getattr(term, "head", "") for term in either_way(arms.open)] == ["==", "not"]


def test_rules_without_conditional_targets_have_no_arms() -> None:
    x = pat.Wildcard()
    subst = Subst(op.Relu(op.Relu(x)), op.Relu(x))

    assert not has_arms(subst)
    assert set(ways(subst)) == {()}


def test_targets_that_cannot_be_built_have_the_arms_met_before() -> None:
    subst = conditional(lambda x: x.ndim == 1, lambda x: op.Concatenate((x, x), axis=7))

    assert set(ways(subst)) == {(True,), (False,)}


def test_the_graph_of_an_instance_is_left_as_it_was() -> None:
    subst = conditional(lambda x: x.ndim == 2)
    instance = enumerate_variants(subst).variants[1].instance(subst)
    before = list(instance.graph)

    arms_of(instance)

    assert list(instance.graph) == before


@pytest.mark.parametrize("rank", [0, 3, 4])
def test_one_variant_for_every_way_comes_first(rank: int) -> None:
    subst = conditional(lambda x: x.ndim == rank)
    variants = enumerate_variants(subst).variants

    ordered = one_of_each(subst, variants)

    front = [tuple(arms_of(variant.instance(subst)).taken) for variant in ordered[:2]]
    assert set(front) == {(True,), (False,)}
    assert set(ordered) == set(variants)
    assert len(ordered) == len(variants)


def sliced(begin: Callable[[Any], Any]) -> Subst:
    x = pat.Variable(shape=(None, None))
    start = (begin(x.shape[0]), begin(x.shape[1]))
    return Subst(op.Relu(x), op.StridedSlice(op.Relu(x), begin=start, end=x.shape))


def arms(subst: Subst) -> Arms:
    return arms_of(enumerate_variants(subst).variants[0].instance(subst))


def heads(terms: Iterable[Any]) -> list[str]:
    return [term.head for term in terms]


def test_whether_a_quotient_by_a_number_is_nothing_is_open() -> None:
    for begin in (lambda n: n // 8, lambda n: n % 8):
        found = arms(sliced(begin))
        assert heads(found.open) == ["==", "=="]
        assert not found.extremes


def test_both_ways_of_other_quotients_are_extremes() -> None:
    found = arms(sliced(lambda n: 7 // n))
    assert not found.open
    assert heads(found.extremes) == ["==", "not"] * 2


def test_numbers_that_are_known_decide_nothing() -> None:
    found = arms(sliced(lambda n: attr.Const(9) // 8 - 1))
    assert not found.open
    assert not found.extremes


def test_decisions_in_fields_are_open_for_any_and_for_all() -> None:
    x = pat.Wildcard()
    fields = pat.Variadic(x, templates=[x], min_len=2)
    i = attr.Symbol("i")
    other = fields(x, attr.Cond(fields(x, i).shape[0] > 7, 0, i))
    target = pat.Variadic(other, templates=[other], index=i, length=fields.length)
    subst = Subst(op.Concatenate(fields, axis=0), op.Concatenate(target, axis=0))

    assert heads(arms(subst).open) == ["or", "and"]


def test_decisions_of_comprehensions_are_open_for_any_and_for_all() -> None:
    x = pat.Variable(shape=(None, None))
    begin = attr.Variadic(lambda i: attr.Cond(x.shape[i] > 7, 1, 0), length=2)
    subst = Subst(op.Relu(x), op.StridedSlice(op.Relu(x), begin=begin, end=x.shape))

    assert heads(arms(subst).open) == ["or", "and"]


def test_one_variant_for_every_value_of_a_conditional_attribute_comes_first() -> None:
    x = pat.Wildcard()
    moved = op.Transpose(x)
    order = attr.Variadic(
        lambda i: attr.Cond(moved.axes == (2, 0, 3, 1), i, moved.axes[i]), length=x.ndim
    )
    subst = Subst(op.Relu(moved), op.Transpose(op.Relu(x), axes=order))
    variants = enumerate_variants(subst).variants

    front = one_of_each(subst, variants)[:2]

    known = [{value for _, value in arms_of(one.instance(subst)).known} for one in front]
    assert {True} in known
    assert {False} in known
