"""Whether all structures of rules are tried, and in what time: used by `structures.py`.

The sound rules of the corpus are asked for their structures, and rules that are generated: up to
twelve inputs with ranks that conditions state, bound or relate, each under some operators, put
together as outputs or as one sum. Seconds are processor time of the stage satisfiable.
"""

from __future__ import annotations

import operator
import time
from collections.abc import Iterator, Sequence
from functools import reduce
from random import Random
from statistics import median
from typing import Any

from figures import Figure, at_least, figure
from numeric import CORPUS

from gsl import op, pat, rule
from gsl.pat import Pattern
from gsl.rule_files.collect import rules_in
from gsl.subst import Rule, Subst
from gslverify.settings import Settings
from gslverify.stage import Question
from gslverify.stages.examination import scenarios_of
from gslverify.stages.satisfiable import SATISFIABLE

GENERATED, MOST_INPUTS = 60, 12
SETTINGS = Settings(use_tvm=False)

Operands = list[Pattern]


def enumerated(one: Rule) -> tuple[bool, float]:
    """Return whether all structures of a rule were tried, and the seconds that it took."""
    question = Question(one.name, one, SETTINGS)
    started = time.process_time()
    SATISFIABLE.run(question)
    seconds = time.process_time() - started
    return scenarios_of(question).complete, seconds


def generated(number: int) -> Rule:
    """Return a sound rule of up to twelve inputs with conditions on their ranks."""
    random = Random(number)
    inputs = [pat.Wildcard() for _ in range(random.randint(2, MOST_INPUTS))]
    terms = _terms(inputs, random)
    if random.random() < 0.5:
        twice = [op.Negative(op.Negative(term)) for term in terms]
        subst = Subst(twice, terms, where=_conditions(inputs, random))
    else:
        where = [one.dtype == "float32" for one in inputs]
        both = (reduce(operator.add, ordered) for ordered in (terms, terms[::-1]))
        subst = Subst(*both, where=[*where, *_conditions(inputs, random)])

    def write() -> Subst:
        return subst

    write.__name__ = f"generated_{number}"
    return rule()(write)


def _terms(inputs: Operands, random: Random) -> Operands:
    """Return calls on the inputs, each of which is used once."""
    left: Operands = list(inputs)
    terms: Operands = []
    while left:
        x = left.pop()
        kind = random.choice(["plain", "sum", "product", "transpose"])
        if kind == "product" and left:
            terms.append(op.Matmul(x, left.pop()))
        elif kind == "sum":
            terms.append(op.Sum(x))
        elif kind == "transpose":
            terms.append(op.Transpose(x))
        else:
            terms.append(op.Abs(x))
    return terms


def _conditions(inputs: Sequence[Pattern], random: Random) -> list[Any]:
    """Return conditions that state, bound and relate ranks."""
    chosen = random.sample(list(inputs), random.randint(1, len(inputs)))
    conditions: list[Any] = []
    for one in chosen:
        rank = random.randint(1, 4)
        other = random.choice(inputs)
        related = one.ndim == other.ndim if other is not one else one.ndim >= 1
        conditions.append(
            random.choice([one.ndim == rank, one.ndim >= rank, one.ndim <= rank, related])
        )
    return conditions


def figures(quick: bool) -> Iterator[Figure]:
    """Yield the shares of rules of which all structures are tried, and the times."""
    every = 20 if quick else 1
    corpus = [one for file in sorted((CORPUS / "sound").glob("*.py")) for one in rules_in(file)]
    made = [generated(number) for number in range(GENERATED // (6 if quick else 1))]
    for name, rules, limit in (("corpus", corpus[::every], 3), ("generated", made, 2)):
        seen = [(one.name, *enumerated(one)) for one in rules]
        share = 100 * sum(complete for _, complete, _ in seen) / len(seen)
        yield at_least(f"{name}: rules with all structures tried", share, "%", 100)
        seconds = [one for _, _, one in seen]
        yield figure(f"{name}: median of satisfiable", median(seconds), "s")
        yield figure(f"{name}: slowest rule in satisfiable", max(seconds), "s", limit)
        for what, complete, taken in seen:
            if not complete or taken > limit:
                yield figure(f"  {what}, {'complete' if complete else 'in part'}", taken, "s")
