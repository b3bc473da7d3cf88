"""Where kernels select: sizes at which both sides are taken, beside what else is demanded."""

from __future__ import annotations

import pytest

from gsl import Subst, attr, op, pat
from gsl.attr.term import Symbol
from gslverify.finding import Verdict
from gslverify.semantics.solver import Solver
from gslverify.stages.numeric import NUMERIC
from gslverify.structures.models.concrete import meets
from gslverify.structures.models.sampling import Sampler
from gslverify.structures.variants import enumerate_variants
from tests.gslverify.stages.asking import ask

pytestmark = pytest.mark.smt


def sampler_of(subst: Subst) -> Sampler:
    (variant,) = enumerate_variants(subst).variants
    instance = variant.instance(subst)
    return Sampler(instance, Solver([claim.term for claim in instance.claims], 4_000_000))


def upper(other: int) -> Subst:
    x = pat.Wildcard(ndim=2)
    part = op.Triu(x)
    target = op.Triu(op.Relu(x), k=attr.Cond(part.k == 7, other, part.k))
    return Subst(op.Relu(part), target)


def named(sampler: Sampler) -> dict[str, Symbol]:
    return {symbol.name: symbol for symbol in sampler.free}


def test_both_sides_of_a_triangle_are_taken() -> None:
    sampler = sampler_of(upper(8))
    known = named(sampler)
    rows, columns, k = (known[one] for one in ("x.shape[0]", "x.shape[1]", "part.k"))

    wanted = sampler.selections.seen_where(k == 7)

    seen = (n for n in range(1, 20) if meets({rows: 2, columns: n, k: 7}, wanted))
    assert next(seen) == 9
    assert not meets({rows: 2, columns: 9, k: 6}, wanted)
    assert not meets({rows: 1, columns: 9, k: 0}, sampler.selections.seen_where(k == 0))
    assert meets({rows: 2, columns: 9, k: 0}, sampler.selections.seen_where(k == 0))


def test_what_a_demand_rules_out_is_not_asked_for() -> None:
    sampler = sampler_of(upper(8))
    known = named(sampler)
    rows, columns, k = (known[one] for one in ("x.shape[0]", "x.shape[1]", "part.k"))
    demand = (k == 7) & (columns <= 3)

    assert meets({rows: 1, columns: 3, k: 7}, sampler.selections.seen_where(demand))


def test_a_padding_is_not_left_out() -> None:
    x = pat.Wildcard(ndim=1)
    padded = op.Pad(x)
    sampler = sampler_of(Subst(op.Relu(padded), op.Relu(op.Pad(x, **pat.same_attr(padded)))))
    known = named(sampler)
    size = known["x.shape[0]"]
    paddings = [symbol for symbol in known.values() if "pad_width" in symbol.name]
    wanted = sampler.selections.seen_where(size >= 1)

    assert len(paddings) == 2
    others = {symbol: 0 for symbol in known.values() if symbol.sort == "int"}
    assert not meets({**others, size: 2, paddings[0]: 0, paddings[1]: 0}, wanted)
    assert meets({**others, size: 2, paddings[0]: 1, paddings[1]: 1}, wanted)


@pytest.mark.parametrize("seed", [9, 10, 11])
@pytest.mark.parametrize(("other", "verdict"), [(8, Verdict.FAIL), (7, Verdict.PASS)])
def test_an_attribute_that_is_wrong_beyond_usual_sizes_is_seen(
    other: int, verdict: Verdict, seed: int
) -> None:
    assert ask(NUMERIC, lambda: upper(other), seed=seed, explained=False).verdict is verdict
