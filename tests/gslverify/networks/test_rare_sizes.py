"""Sizes at which what no input decides comes out otherwise."""

from __future__ import annotations

from gsl import Subst, op, pat
from gslverify.networks.rare_sizes import rare_sizes
from gslverify.semantics.solver import Solver
from gslverify.structures.models.sampling import Sampler
from gslverify.structures.variants import enumerate_variants


def sizes_of(subst: Subst) -> list[int]:
    instances = [variant.instance(subst) for variant in enumerate_variants(subst).variants]
    samplers = [Sampler(one, Solver([c.term for c in one.claims], 1_000_000)) for one in instances]
    return [given[0][1] for _, given in rare_sizes(samplers)]


def test_integers_that_need_no_input_are_compared() -> None:
    count = op.Size(pat.Wildcard(ndim=1, dtype="int8"))
    assert 50_001 in sizes_of(Subst(op.Minimum(count, 50_000), count))
    assert 50_001 not in sizes_of(Subst(op.Minimum(count, 50_000), op.Minimum(50_000, count)))


def test_sizes_at_which_a_target_is_refused_tell_nothing() -> None:
    x = pat.Wildcard(ndim=1, dtype="int8")
    thirds = op.Concatenate(op.Split(x, indices_or_sections=3, axis=0), axis=0)
    subst = Subst(op.Minimum(op.Size(x), 48), op.Minimum(op.Size(thirds), 48))
    assert set(sizes_of(subst)) == {48, 50}  # as many as a number that is written, and with room
