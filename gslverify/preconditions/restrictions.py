"""What a rule demands of a match beyond its structure, one demand after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gsl.attr.conjuncts import conjuncts
from gsl.attr.evaluate import negation
from gsl.attr.term import ANYTHING, Access, Constant, Operation, Term, operation, subterms
from gsl.pat import Const, Pattern, Variadic
from gsl.span import Span, resolve
from gsl.subst import Subst
from gslverify.mutation.draft import Draft
from gslverify.mutation.terms import fields_of, loosened_fields
from gslverify.preconditions.changed import written

WEAKER = {"==": ("<=", ">="), "<": ("<=",), ">": (">=",)}
"""Comparisons that hold wherever another one does."""

DIVISIONS = ("/", "//", "%")
WITHOUT_ORDER = ("dtype", "layout", "shape", "axes")


@dataclass(frozen=True, slots=True)
class Weaker:
    """A weaker demand that might do; `refused` matches what only the stronger one refuses."""

    text: str
    refused: Draft


@dataclass(frozen=True, slots=True)
class Restriction:
    """One demand of a rule.

    Attributes:
        text: the demand, as the author would write it as a condition.
        span: its place in the rule file.
        dropped: the rule without it.
        refused: the rule that matches only what the demand refuses.
        weaker: weaker demands.
        is_total: whether it has a value in every match.
    """

    text: str
    span: Span | None
    dropped: Draft
    refused: Draft
    weaker: tuple[Weaker, ...] = ()
    is_total: bool = True


def restrictions(subst: Subst) -> list[Restriction]:
    """Return the conditions of a rule, then the equations of its attributes, in their order.

    What its file assumes is not for one rule to judge and not among them. Numbers that stand in a
    source are part of what it looks like and not among them, nor is what is demanded of every field
    of a variadic pattern.
    """
    return [*_conditions(subst), *_equations(subst)]


def _conditions(subst: Subst) -> Iterator[Restriction]:
    assumed = set(subst.assumptions)
    stated = [condition for condition in subst.where if condition not in assumed]
    parts = [part for condition in stated for part in conjuncts(condition)]
    for number, part in enumerate(parts):
        others = (*parts[:number], *parts[number + 1 :], *subst.assumptions)
        weaker = tuple(
            Weaker(written(one, subst), _demanding(subst, (*others, one, _not(part))))
            for one in _weaker(part)
        )
        dropped, refused = _demanding(subst, others), _demanding(subst, (*others, _not(part)))
        span = resolve(getattr(part, "origin", None)) or subst.span
        yield Restriction(written(part, subst), span, dropped, refused, weaker, _is_total(part))


def _equations(subst: Subst) -> Iterator[Restriction]:
    for pattern in _single_patterns(subst):
        for name, term in pattern.constraints.items():
            if term is ANYTHING or (isinstance(pattern, Const) and name == "value"):
                continue
            access = Access(pattern, name, pattern.origin)
            for demand, rest in _fields(access, term):
                dropped = Draft.of(subst).constrain(pattern, name, rest)
                refused = Draft.of(subst).constrain(pattern, name, rest)
                refused.where = (*subst.where, _not(demand))
                text, span = written(demand, subst), resolve(pattern.origin)
                yield Restriction(text, span, dropped, refused, (), _is_total(demand))


def _fields(access: Access, term: Term) -> Iterator[tuple[Term, Term | None]]:
    """Yield what an equation demands, and what is left of it without that."""
    fields = fields_of(term)
    if not any(field is ANYTHING for field in fields):
        yield operation("==", access, term), None
        return
    fixed = (number for number, field in enumerate(fields) if field is not ANYTHING)
    for number, (_, rest) in zip(fixed, loosened_fields(term), strict=True):
        yield operation("==", access[number], fields[number]), rest


def _single_patterns(subst: Subst) -> list[Pattern]:
    """Return the patterns of the source that no field of a variadic pattern has of its own."""
    variadics = [pattern for pattern in subst.source_patterns if isinstance(pattern, Variadic)]
    repeated = {template for variadic in variadics for template in variadic.templates}
    return [pattern for pattern in subst.source_patterns if pattern not in repeated]


def _demanding(subst: Subst, conditions: tuple[Term, ...]) -> Draft:
    draft = Draft.of(subst)
    draft.where = conditions
    return draft


def _not(condition: Term) -> Term:
    found: Term = negation(condition)
    return found


def _weaker(condition: Term) -> Iterator[Term]:
    if isinstance(condition, Operation) and not any(map(_has_no_order, condition.operands)):
        for head in WEAKER.get(condition.head, ()):
            yield operation(head, *condition.operands)


def _has_no_order(term: Term) -> bool:
    match term:
        case Constant(value=value):
            return isinstance(value, bool | str | tuple)
        case Access(name=name):
            return name.endswith(WITHOUT_ORDER)
    return bool(fields_of(term))


def _is_total(condition: Term) -> bool:
    """Tell whether no division by what may be 0 leaves a condition without a value."""
    divisors = (
        part.operands[1]
        for part in subterms(condition)
        if isinstance(part, Operation) and part.head in DIVISIONS
    )
    return all(_is_positive(divisor) for divisor in divisors)


def _is_positive(divisor: Term) -> bool:
    match divisor:
        case Constant(value=int() as value):
            return value > 0
        case Access(name=name):
            return name == "ndim"
    return False
