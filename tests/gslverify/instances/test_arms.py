"""Ways through conditional targets: which structure takes which, and what sizes decide."""

from __future__ import annotations

from typing import Any

import pytest

from gsl import Subst, op, pat
from gsl.attr.term import Operation
from gslverify.instances.arms import arms_of, either_way, has_arms, one_of_each
from gslverify.instances.variants import enumerate_variants


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
