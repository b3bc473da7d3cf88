"""What earlier builds have made is taken over, and changes nothing about what is built."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from gsl import Subst, op, pat
from gsl.errors import GslError
from gsl.text.terms import term_text
from gslverify.structures.choices import Decision, Replay, Steps
from gslverify.structures.instance import USUAL, Instance
from gslverify.structures.sources import source_builder
from gslverify.structures.sources.assembly import build_instance
from gslverify.structures.variants import enumerate_variants
from tests.gslverify.rules import SOUND
from tests.gslverify.structures.random_choices import Sample


def described(instance: Instance) -> Any:
    claims = [(term_text(one.term, {}), one.reason, one.written) for one in instance.claims]
    types = [repr(node.expr.type) for node in instance.graph]
    return claims, types, list(instance.names.values()), instance.exhaustive


def built(subst: Subst, replay: Replay, steps: Steps | None) -> Any:
    try:
        return described(build_instance(subst, replay, steps=steps))
    except GslError as error:
        return type(error), str(error), getattr(error, "progress", None)


@pytest.mark.parametrize("name", SOUND)
def test_builds_with_common_steps_are_those_without(name: str) -> None:
    subst, steps = SOUND[name](), Steps()
    for seed in range(60):
        first = Sample(random.Random(seed))
        alone = built(subst, first, None)
        for replay in (Replay(first.made), Sample(random.Random(seed))):
            assert built(subst, replay, steps) == alone
            assert (replay.made, replay.open) == (first.made, first.open)


def test_steps_are_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    real = source_builder.SourceExpressions._expr

    def counted(builder: Any, key: Any, operands: Any) -> Any:
        made.append(key)
        return real(builder, key, operands)

    monkeypatch.setattr(source_builder.SourceExpressions, "_expr", counted)
    subst = next(iter(SOUND.values()))()
    variants = enumerate_variants(subst).variants
    before = len(made)
    for variant in variants:
        variant.instance(subst)
    assert len(made) == before


def test_a_sample_chooses_the_same_after_going_back() -> None:
    sample = Sample(random.Random(0))
    options = range(1000)
    decision = Decision("rank", (pat.Wildcard(), ()))
    chosen = [sample(decision, options) for _ in range(5)]
    sample.back_to(2)
    assert [sample(decision, options) for _ in range(3)] == chosen[2:]
    assert sample.open == [1000] * 5


def test_a_pattern_is_made_once_for_what_it_depends_on(monkeypatch: pytest.MonkeyPatch) -> None:
    made: Counter[Any] = Counter()
    real = source_builder.SourceExpressions._expr

    def counted(builder: Any, key: Any, operands: Any) -> Any:
        made[key[0]] += 1
        return real(builder, key, operands)

    monkeypatch.setattr(source_builder.SourceExpressions, "_expr", counted)
    x, y, z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    inner = op.Add(x, y)
    where = [one.ndim >= 0 for one in (x, y, z)]  # so that more axes are not as good as fewer
    found = enumerate_variants(Subst(op.Add(inner, z), op.Add(x, op.Add(y, z)), where=where))
    ranks = len(USUAL.ranks)
    assert len(found.variants) == ranks**3
    assert [made[one] for one in (x, y, z, inner)] == [ranks, ranks, ranks, ranks**2]
