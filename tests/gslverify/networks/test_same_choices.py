"""The same choices give the same network, in whatever order they are made."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest

from gsl.rule_files.collect import rules_in
from gsl.text.listing import listing
from gslverify.networks.arrays import inputs_of_a_mixture
from gslverify.networks.choices import NothingDrawnError, Tape
from gslverify.networks.contexts import CONTEXTS
from gslverify.networks.generation import has_place, network_from
from gslverify.structures.models.sampling import Sampler
from tests.gslverify.rules import samplers_of

CORPUS = Path(__file__).parents[3] / "rule_corpus"
FILES = sorted(CORPUS.rglob("*.py"))
RULES_OF_A_FILE = 1


@dataclass(frozen=True)
class Draw:
    """One draw: where it is made, and in which corner."""

    context: str
    corner: int


def made(samplers: list[Sampler], draw: Draw, tape: Tape) -> Any:
    """Return everything about a network and its inputs, or why there is none."""
    few = [one for one in samplers if has_place(one, draw.context)]
    if not few:
        return "no place"
    try:
        network = network_from(tape, few, (draw.context,), corner=draw.corner)
    except NothingDrawnError as error:
        return str(error)
    inputs = inputs_of_a_mixture(tape, network)
    arrays = [(name, array.tobytes()) for one in inputs for name, array in one.items()]
    return listing(network.outputs), dict(network.model), network.context, arrays


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_same_choices_same_network(file: Path) -> None:
    rules = rules_in(file)
    random = Random(file.stem)
    for rule in random.sample(rules, min(RULES_OF_A_FILE, len(rules))):
        subst = rule()
        used = samplers_of(subst, most=4)
        if not used:
            continue
        draws = [Draw(context, random.randrange(-1, 4)) for context in CONTEXTS]
        tapes = [Tape(random=Random(n)) for n in range(len(draws))]
        first = [made(used, draw, tape) for draw, tape in zip(draws, tapes, strict=True)]
        again = [Tape(tape.taken) for tape in tapes]
        fresh = samplers_of(subst, most=4)
        backwards = [made(fresh, d, t) for d, t in [*zip(draws, again, strict=True)][::-1]]
        assert backwards[::-1] == first
        assert any(not isinstance(one, str) for one in first)
