"""Which arms the conditional targets of a rule take, so that every one of them is tried."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from gsl.attr.evaluate import evaluate
from gsl.attr.term import Operation, Term, free_symbols, operation, subterms
from gsl.errors import GslError
from gsl.match.bindings import Scope
from gsl.operators.declaration import Need
from gsl.pat import Cond
from gsl.rewrite.builder import Builder, known, output_pairs
from gsl.subst import Subst
from gslverify.instances.instance import Instance
from gslverify.instances.variants import Variant


@dataclass(slots=True)
class Arms:
    """The conditions of an instance in the order in which its target meets them.

    `taken` has None where sizes or attributes decide; then `open` has the condition. `extremes`
    says which operand of a minimum or maximum is taken.
    """

    taken: list[bool | None] = field(default_factory=list)
    open: list[Term] = field(default_factory=list)
    extremes: list[Term] = field(default_factory=list)

    def decide(self, condition: Any) -> bool:
        """Note a condition, and go on with the first arm if it is open."""
        if not isinstance(condition, Term):
            self.taken.append(known(condition))
            return known(condition)
        self.taken.append(None)
        self.open.append(condition)
        return True


def arms_of(instance: Instance) -> Arms:
    """Return what decides the conditional targets and attributes of the target of an instance."""
    arms = Arms()
    if not _has_choices(instance.subst):
        return arms
    builder = Builder(instance.bindings, instance.graph, Need(), arms.decide)
    try:
        for _, target in output_pairs(instance.subst, instance.bindings):
            builder.build(*target)
    except GslError:
        pass  # that a target cannot be built is for the stage shape to say
    finally:
        _note_choices(arms, instance.subst, Scope(builder.bindings))
        instance.graph.drop_unused(reversed(builder.added))
    return arms


@lru_cache(maxsize=16)
def _has_choices(subst: Subst) -> bool:
    """Tell whether anything in the target of a rule is chosen, so that it has to be built."""
    terms = (term for pattern in subst.target_patterns for term in pattern.terms())
    parts = (part for term in terms for part in subterms(term))
    chosen = any(isinstance(p, Operation) and p.head in ("cond", "min", "max") for p in parts)
    return chosen or has_arms(subst)


def _note_choices(arms: Arms, subst: Subst, scope: Scope) -> None:
    """Note on what it depends how attributes of the target are computed.

    What differs from field to field of a variadic pattern is left out.
    """
    for term in (term for pattern in subst.target_patterns for term in pattern.terms()):
        for part in subterms(term):
            if not isinstance(part, Operation) or free_symbols(part):
                continue
            match part:
                case Operation(head="cond", operands=(condition, _, _)):
                    arms.open += _open([condition], scope)
                case Operation(head="min" | "max", operands=(left, right)):
                    sides = [operation("<", left, right), operation(">", left, right)]
                    arms.extremes += _open(sides, scope)


def _open(conditions: Iterable[Term], scope: Scope) -> Iterator[Term]:
    for condition in conditions:
        with suppress(GslError):
            value = evaluate(condition, scope)
            if isinstance(value, Term):
                yield value


def has_arms(subst: Subst) -> bool:
    """Tell whether a rule has a conditional target."""
    return any(isinstance(pattern, Cond) for pattern in subst.target_patterns)


def one_of_each(subst: Subst, variants: Iterable[Variant]) -> list[Variant]:
    """Return the variants with one for every way through the conditional targets in front."""
    ordered = list(variants)
    if not has_arms(subst):
        return ordered
    ways: dict[tuple[bool | None, ...], Variant] = {}
    for variant in ordered:
        ways.setdefault(tuple(arms_of(variant.instance(subst)).taken), variant)
    front = list(ways.values())
    return [*front, *(variant for variant in ordered if variant not in front)]


def either_way(conditions: Iterable[Term]) -> list[Term]:
    """Return every condition and its opposite."""
    return [term for one in conditions for term in (one, operation("not", one))]
