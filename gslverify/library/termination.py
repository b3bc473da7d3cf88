"""Weights of operators that every rule lowers: a reason why rewriting comes to an end.

A rewrite removes the nodes of its match that are not inputs and adds those of the target. When the
sum of the weights of what it adds is less than of what it removes, no sequence of rewrites goes on
for ever. Rules that keep the sum may be left to a second layer of other weights, and so on: the
sums are then compared as words in a dictionary.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from gsl.attr.evaluate import conjunction
from gsl.attr.term import Symbol, Term
from gsl.expr import Call, Expr
from gsl.graph import reverse_post_order
from gslverify.codes.library import NO_TERMINATION_MEASURE
from gslverify.finding import Finding
from gslverify.library.samples import Member
from gslverify.semantics.solver import Answer, Solver

SOLVER_LIMIT = 20_000_000
MOST_LAYERS = 8
MOST_NAMED = 6

Difference = Counter[str]
"""How many more operators of a name there are before a rewrite than after it."""


@dataclass(frozen=True, slots=True)
class Measure:
    """Layers of weights by operator, the most important first; what is not named weighs 0.

    `left` are the rules that none of them lowers, `clashing` some of these that cannot be lowered
    together; when `unchanged`, because they keep the number of every operator.
    """

    layers: tuple[dict[str, int], ...]
    left: tuple[Member, ...]
    clashing: tuple[Member, ...] = ()
    unchanged: bool = False

    @property
    def shows_the_end(self) -> bool:
        """Whether every rule is lowered by some layer that those before it do not raise."""
        return not self.left

    def lines(self) -> list[str]:
        """Return the layers in words."""
        return [
            f"layer {number}: " + ", ".join(f"{name} {w}" for name, w in sorted(layer.items()))
            for number, layer in enumerate(self.layers, 1)
        ]

    def finding(self) -> Finding | None:
        """Return why nothing shows that the rules come to an end; None if something does."""
        if not self.left:
            return None
        named = self.clashing or self.left
        names = ", ".join(member.name for member in named[:MOST_NAMED])
        more = f" and {len(named) - MOST_NAMED} more" if len(named) > MOST_NAMED else ""
        verb = "keeps" if len(named) == 1 else "keep"
        message = (
            f"{names}{more} {verb} the number of every operator, so that no weights change"
            if self.unchanged
            else f"no weights lower all of {names}{more}"
        )
        rest = "1 rule is" if len(self.left) == 1 else f"{len(self.left)} rules are"
        details = (f"{rest} left by {len(self.layers)} layers of weights",)
        span = named[0].item.rule.span
        cure = "see whether they can loop; some orders need another reason than weights"
        return Finding(NO_TERMINATION_MEASURE, message, span, cure, details)


def measure_of(members: Sequence[Member]) -> Measure:
    """Return weights under which the rules come to an end, as far as there are any.

    What a rule changes is counted on its samples; a rule without any is not looked at.
    """
    left = {member: _differences(member) for member in members if member.samples}
    layers: list[dict[str, int]] = []
    while left and len(layers) < MOST_LAYERS:
        weights = _weights(list(left.values()))
        if not weights:
            break
        layers.append(weights)
        left = {m: found for m, found in left.items() if not _all_lowered(found, weights)}
    unchanged = tuple(member for member, found in left.items() if not all(found))
    clashing = unchanged or _clashing(left)
    return Measure(tuple(layers), tuple(left), clashing, bool(unchanged))


def _differences(member: Member) -> list[Difference]:
    found = []
    for sample in member.samples:
        difference = _count(sample.source)
        difference.subtract(_count(sample.target))
        found.append(Counter({name: n for name, n in difference.items() if n}))
    return found


def _count(outputs: Sequence[Expr]) -> Counter[str]:
    calls = (expr for expr in reverse_post_order(outputs) if isinstance(expr, Call))
    return Counter(call.operator.name for call in calls)


def _sum(difference: Difference, symbols: dict[str, Symbol]) -> Term | int:
    terms = [symbols[name] * count for name, count in sorted(difference.items())]
    return reduce(lambda one, other: one + other, terms) if terms else 0


def _all_lowered(differences: list[Difference], weights: Mapping[str, int]) -> bool:
    sums = [sum(weights.get(n, 0) * count for n, count in d.items()) for d in differences]
    return all(value > 0 for value in sums)


def _symbols(rules: Sequence[list[Difference]]) -> dict[str, Symbol]:
    names = sorted({name for rule in rules for difference in rule for name in difference})
    return {name: Symbol(name, "int", 0, 64) for name in names}


def _weights(rules: Sequence[list[Difference]]) -> dict[str, int]:
    """Return weights that no rule raises and that lower every one that any weights lower."""
    symbols = _symbols(rules)
    if not symbols:
        return {}
    claims = [_sum(difference, symbols) >= 0 for rule in rules for difference in rule if difference]
    solver = Solver([claim for claim in claims if isinstance(claim, Term)], SOLVER_LIMIT)
    weights: Counter[str] = Counter()
    for rule in rules:
        # The sum of weights that lower one rule and weights that lower another lowers both.
        if all(rule) and not _all_lowered(rule, weights):
            result = solver.check(_lowered(rule, symbols))
            if result.answer is Answer.SAT:
                weights.update({n: int(result.model.get(s, 0)) for n, s in symbols.items()})
    return {name: weight for name, weight in weights.items() if weight}


def _lowered(rule: list[Difference], symbols: dict[str, Symbol]) -> Term:
    lowered = conjunction(*(_sum(difference, symbols) >= 1 for difference in rule))
    assert isinstance(lowered, Term)
    return lowered


def _clashing(left: dict[Member, list[Difference]]) -> tuple[Member, ...]:
    """Return rules that no weights lower together."""
    rules = list(left.items())
    symbols = _symbols(list(left.values()))
    solver = Solver([_lowered(found, symbols) for _, found in rules], SOLVER_LIMIT)
    return tuple(rules[number][0] for number in solver.core().core)
