"""A few small graphs for each rule, on which the rules of a library can be watched together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gsl.errors import GslError
from gsl.expr import Expr
from gsl.subst import Subst
from gslverify.corpus.collect import CollectedRule
from gslverify.generate.strategies import concrete_site
from gslverify.instances.concrete import rewrite_once
from gslverify.instances.instance import USUAL, Instance
from gslverify.instances.variants import some_variants
from gslverify.smt import Answer, Context, Solver, UntranslatableError, new_context

MOST_SAMPLES = 3
FEW_RUNS, MANY_RUNS = 40, 400
SOLVER_LIMIT = 1_000_000


@dataclass(frozen=True, slots=True)
class Sample:
    """A graph that a rule matches, and what the rule makes of it."""

    source: tuple[Expr, ...]
    target: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Member:
    """A rule of a library with its samples, of which there may be none."""

    item: CollectedRule
    subst: Subst
    samples: tuple[Sample, ...]

    @property
    def name(self) -> str:
        """What the rule is called."""
        return self.item.rule.name


def members_of(rules: Sequence[CollectedRule]) -> list[Member]:
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
    """Return samples of different structures, none that four hundred structures do not give."""
    found: list[Sample] = []
    context = new_context()

    def fits(instance: Instance) -> bool:
        sample = _sample(subst, instance, context)
        found.extend(sample)
        return bool(sample)

    for runs in (FEW_RUNS, MANY_RUNS):
        some_variants(subst, USUAL, fits, MOST_SAMPLES, runs)
        if found:
            break
    return found


def _sample(subst: Subst, instance: Instance, context: Context) -> list[Sample]:
    """Return the smallest graph of a structure and what the rule makes of it, if there is one."""
    try:
        claims = [claim.term for claim in instance.claims]
        result = Solver(claims, SOLVER_LIMIT, context).check()
        if result.answer is not Answer.SAT:
            return []
        source = tuple(concrete_site(instance, result.model).outputs)
        rewritten = rewrite_once(subst, source)
    except (GslError, UntranslatableError):
        return []
    return [Sample(source, rewritten.outputs)] if rewritten.outputs else []
