"""Structures that are looked for because a condition of the target asks for them."""

from __future__ import annotations

from gsl import op, pat
from gsl.pat import Pattern
from gsl.subst import Subst
from gslverify.structures.choices import Steps
from gslverify.structures.directed import structures_asked_for
from gslverify.structures.instance import Instance
from gslverify.structures.variants import Search

xs = [pat.Wildcard() for _ in range(12)]
source = [op.Abs(op.Abs(x)) for x in xs]


def instances(target: Pattern) -> list[Instance]:
    """The structures of a rule in which the first output has this target."""
    subst = Subst(source, [target, *map(op.Abs, xs[1:])])
    found = list(structures_asked_for(subst, Search(subst).steps))
    return [variant.instance(subst) for variant in found]


def ranks(instance: Instance) -> list[int]:
    return [node.expr.tensor_type.ndim for node in (instance.bindings.nodes[x, ()] for x in xs)]


def test_a_structure_with_many_ranks_at_once_is_found() -> None:
    of_six = xs[0].ndim == 4
    for x in xs[2::2]:
        of_six = of_six & (x.ndim == 4)
    found = instances(pat.Cond(of_six, op.Negative(xs[0]), op.Abs(xs[0])))
    assert any(set(ranks(one)[::2]) == {4} for one in found)
    assert any(set(ranks(one)[::2]) != {4} for one in found)


def test_what_is_asked_within_another_arm_is_found() -> None:
    inner = pat.Cond(xs[7].ndim == 0, op.Negative(xs[0]), op.Abs(xs[0]))
    found = instances(pat.Cond(xs[5].ndim != 4, op.Abs(xs[0]), inner))
    asked = {(ranks(one)[5], ranks(one)[7] == 0) for one in found if ranks(one)[5] == 4}
    assert asked == {(4, True), (4, False)}


def test_what_sizes_decide_is_claimed_of_no_structure() -> None:
    found = instances(pat.Cond(xs[0].shape[-1] == 3, op.Negative(xs[0]), op.Abs(xs[0])))
    assert found
    assert not any(claim.written for one in found for claim in one.claims)


def test_what_is_not_asked_of_the_source_is_not_looked_for() -> None:
    inner = op.Abs(xs[0])
    assert not instances(pat.Cond(inner.ndim == 2, op.Abs(inner), inner))
    assert not list(structures_asked_for(Subst(source, list(map(op.Abs, xs))), Steps()))
