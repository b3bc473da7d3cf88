"""A few small graphs for each rule, on which the rules of a library can be watched together."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import cycle, repeat
from typing import Any

import numpy as np

from gsl.attr.term import Symbol
from gsl.errors import GslError
from gsl.expr import Expr, Var
from gsl.subst import Subst
from gslverify.corpus.declaration import LoadedRule
from gslverify.semantics.solver import Answer, Context, Solver, new_context
from gslverify.semantics.terms import UntranslatableError
from gslverify.structures.instance import USUAL, Instance
from gslverify.structures.models.concrete import concrete_outputs, ones, rewrite_once
from gslverify.structures.models.sampling import Preference, Sampler
from gslverify.structures.models.simple_values import Preferred
from gslverify.structures.variants import some_variants

USUAL_SIZES = (4,)
SIZES = (USUAL_SIZES, (1, 4), (4, 1))
"""Of the axes of each sample; where all are the same, samples of several rules fit together."""
MOST_SAMPLES = len(SIZES)
WITNESSES = ((USUAL_SIZES, 1), ((3, 4, 5), 2), ((2,), 4))
"""Sizes and how far attributes are beyond the least, for each structure of a witness."""
STRUCTURES_OF_WITNESSES = 6
FEW_RUNS, MANY_RUNS = 40, 2000
SOLVER_LIMIT = 1_000_000


@dataclass(frozen=True, slots=True)
class Sample:
    """A graph that a rule matches, and what the rule makes of it."""

    source: tuple[Expr, ...]
    target: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Member:
    """A rule of a library with its samples, of which there may be none."""

    item: LoadedRule
    subst: Subst
    samples: tuple[Sample, ...]

    @property
    def name(self) -> str:
        """What the rule is called."""
        return self.item.rule.name


def members_of(rules: Sequence[LoadedRule]) -> list[Member]:
    """Return the rules that can be written down, with samples; in their order."""
    found = []
    for item in rules:
        try:
            subst = item.rule()
            samples = tuple(samples_of(subst))
        except GslError:
            continue
        found.append(Member(item, subst, samples))
    return found


def samples_of(subst: Subst) -> list[Sample]:
    """Return samples of different structures, none that two thousand do not give."""
    found: list[Sample] = []
    context = new_context()

    def fits(instance: Instance) -> bool:
        model = _small_model(instance, context, SIZES[len(found) % len(SIZES)])
        sample = _sample(subst, instance, model)
        found.extend(sample)
        return bool(sample)

    for runs in (FEW_RUNS, MANY_RUNS):
        some_variants(subst, USUAL, fits, MOST_SAMPLES, runs)
        if found:
            break
    return found


def witnesses_of(subst: Subst) -> list[Sample]:
    """Return more samples, for what is about to be said of all matches of a rule.

    They take longer to find: the solver looks for what is nearest to different preferences.
    """
    found: list[Sample] = []
    context = new_context()

    def fits(instance: Instance) -> bool:
        sampler = _sampler(instance, context)
        samples = []
        for sizes, beyond in WITNESSES:
            model = sampler.model(_nothing_special(sizes, beyond), may_be_empty=False)
            samples += _sample(subst, instance, model)
        found.extend(samples)
        return bool(samples)

    some_variants(subst, USUAL, fits, STRUCTURES_OF_WITNESSES, FEW_RUNS)
    return found


def _sample(subst: Subst, instance: Instance, model: dict[Symbol, Any] | None) -> list[Sample]:
    """Return the graph of a model and what the rule makes of it, if there is one."""
    if model is None:
        return []
    for fill in (_unlike, ones):
        with suppress(GslError):
            source = tuple(concrete_outputs(instance, model, fill))
            rewritten = rewrite_once(subst, source)
            if rewritten.outputs:
                return [Sample(source, rewritten.outputs)]
    return []


def _unlike(variable: Var) -> Any:
    """Return an array of different numbers, none of which is neutral for any operator."""
    numbers = np.arange(2, 2 + variable.tensor_type.size).reshape(variable.shape)
    return numbers.astype(variable.dtype)


def _sampler(instance: Instance, context: Context) -> Sampler:
    solver = Solver([claim.term for claim in instance.claims], SOLVER_LIMIT, context)
    return Sampler(instance, solver)


def _small_model(
    instance: Instance, context: Context, sizes: tuple[int, ...]
) -> dict[Symbol, Any] | None:
    """Return a model that is guessed, which takes a tenth of the time, or that of the solver."""
    try:
        sampler = _sampler(instance, context)
        guesses = (
            (sampler.granted, sizes, 1),
            (sampler.granted, USUAL_SIZES, 1),
            (partial(sampler.near, may_be_empty=False), sizes, 1),
            (sampler.granted, USUAL_SIZES, 0),
        )
        for guess, chosen, beyond in guesses:
            guessed = guess(_nothing_special(chosen, beyond))
            if guessed is not None:
                return guessed
        result = sampler.solver.check()
    except (GslError, UntranslatableError):
        return None
    return dict(result.model) if result.answer is Answer.SAT else None


def _nothing_special(sizes: tuple[int, ...], beyond: int) -> Preference:
    """Choose small values that are neutral nowhere, as there are rules about ones and zeros.

    Axes have the `sizes` one after the other, attributes are so far `beyond` the least.
    """
    return Preferred(cycle(sizes), repeat(beyond), ("float32",), integer=3, real=3.0)
