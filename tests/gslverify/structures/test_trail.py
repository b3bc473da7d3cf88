"""Going on from an earlier build gives what a build from nothing does."""

from __future__ import annotations

import random
from typing import Any

import pytest

from gsl import Subst, op, pat
from gsl.errors import GslError
from gsl.text.terms import term_text
from gslverify.structures.choices import Replay, Steps
from gslverify.structures.instance import USUAL, Extent, Instance
from gslverify.structures.sources import assembly
from gslverify.structures.sources.assembly import SourceBuilder, build_instance
from gslverify.structures.variants import enumerate_variants, some_variants
from tests.gslverify.rules import SOUND
from tests.gslverify.structures.random_choices import Sample


def optional_fields() -> Subst:
    """A source in which lengths, alternatives and axes are chosen."""
    x, y = pat.Wildcard(), pat.Wildcard()
    either = pat.Alt(op.Relu(x), op.Abs(y))
    many = pat.Variadic(either, templates=[either, *either.operands, y])
    joined = op.Concatenate(many, axis=0)
    return Subst(joined, joined)


RULES = {**SOUND, "optional_fields": optional_fields}


def described(instance: Instance) -> Any:
    claims = [(term_text(one.term, {}), one.reason, one.written) for one in instance.claims]
    types = [repr(node.expr.type) for node in instance.graph]
    bindings = instance.bindings
    users = [[len(node.users), node.level >= 0] for node in bindings.nodes.values()]
    lengths, arms = list(bindings.lengths.values()), list(bindings.arms.values())
    names = list(instance.names.values())
    return claims, types, users, lengths, arms, names, instance.exhaustive


def outcome(build: Any, choose: Replay) -> Any:
    try:
        return described(build(choose))
    except GslError as error:
        return type(error), str(error), getattr(error, "progress", None), error.__dict__


@pytest.mark.parametrize("name", RULES)
def test_a_builder_builds_what_a_new_one_does(name: str) -> None:
    subst, generator = RULES[name](), random.Random(name)
    builder = SourceBuilder(subst, USUAL, Steps())
    choices: list[int] = []
    for _ in range(120):
        kept = choices[: generator.randrange(len(choices) + 1)]
        choose = Replay(kept) if generator.random() < 0.5 else Sample(generator)
        made = outcome(builder.build, choose)
        alone = Replay(choose.made)
        assert made == outcome(lambda one: build_instance(subst, one), alone)
        assert (choose.made, choose.open) == (alone.made, alone.open)
        choices = choose.made


def test_what_lies_before_the_first_other_choice_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    finished: list[Any] = []
    real = assembly.SourceBuilder._finish

    def noted(builder: Any, key: Any, operands: Any) -> None:
        finished.append(key[0])
        real(builder, key, operands)

    monkeypatch.setattr(assembly.SourceBuilder, "_finish", noted)
    x, y = pat.Wildcard(), pat.Wildcard()
    total = op.Add(x, y)
    where = [x.ndim >= 0, y.ndim >= 0]  # so that more axes are not as good as fewer
    builder = SourceBuilder(Subst(total, op.Add(y, x), where=where), USUAL, Steps())
    expected = {(0, 0): [x, y, total], (0, 1): [y, total], (1, 1): [x, y, total]}
    for choices, patterns in expected.items():
        finished.clear()
        builder.build(Replay(choices))
        assert finished == patterns


def test_looking_for_structures_ends_when_there_are_no_others() -> None:
    x = pat.Wildcard()
    seen: list[Instance] = []

    def never(instance: Instance) -> bool:
        seen.append(instance)
        return False

    extent = Extent(ranks=(1, 2, 3))
    assert some_variants(Subst(op.Relu(x), x), extent, never, most=1, most_runs=1000) == []
    assert 3 <= len(seen) <= 6


def test_the_reasons_of_failures_do_not_keep_builds_alive() -> None:
    x, w = pat.Wildcard(), pat.Variable()
    conv = op.Conv2D(x, w, data_layout="NCHW", kernel_layout="OIHW")
    found = enumerate_variants(Subst(conv, conv, where=[x.ndim == 3]))
    assert not found.variants
    assert found.obstacles
    assert {str(one) for one in found.obstacles}
    assert all(one.__traceback__ is None and one.__cause__ is None for one in found.obstacles)
