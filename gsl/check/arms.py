"""The check that what a target uses was matched whichever alternative of a `pat.Alt` it was."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from operator import and_, or_

from gsl.attr.term import Access, Operation, Term, children
from gsl.check.finding import Findings, model_of, place_of
from gsl.errors import RuleError
from gsl.pat import Alt, Cond, Pattern
from gsl.span import Span
from gsl.subst import Subst

CHOOSING = frozenset({"cond", "and", "or"})
"""Operations that may be decided by one operand, whatever the others are."""


def matched_in_every_arm(subst: Subst) -> Findings:
    """GSL124: the target and the conditions use nothing that only some alternatives have."""
    if not any(isinstance(pattern, Alt) for pattern in subst.source_patterns):
        return
    sometimes = frozenset(subst.source_patterns) - _always_matched(subst)
    reported: set[Pattern] = set()
    for pattern, place in (*_used(subst), *_accessed(subst.where)):
        if pattern in sometimes and pattern not in reported:
            reported.add(pattern)
            message = f"{pattern!r} is only in some alternatives of a pat.Alt"
            cure = "use what all of them have, or pat.Cond(alt.arm == 0, ...) in the target"
            yield RuleError("GSL124", message, place or subst.span, cure)


def _always_matched(subst: Subst) -> frozenset[Pattern]:
    """Return the patterns of the source that every match has, as sets of bits meanwhile."""
    numbers = {pattern: number for number, pattern in enumerate(subst.source_patterns)}
    below: dict[Pattern, int] = {}
    for pattern, number in numbers.items():
        parts = [below[operand] for operand in pattern.operands]
        bits = reduce(and_ if isinstance(pattern, Alt) else or_, parts) if parts else 0
        below[pattern] = bits | 1 << number
    every = reduce(or_, (below[output] for output in subst.source), 0)
    return frozenset(pattern for pattern, number in numbers.items() if every >> number & 1)


def _used(subst: Subst) -> Iterator[tuple[Pattern, Span | None]]:
    """Yield what the target uses in any case, each with the place of the use."""
    source, seen = frozenset(subst.source_patterns), set[Pattern]()
    stack: list[tuple[Pattern, Pattern | None]] = [(output, None) for output in subst.target]
    while stack:
        pattern, user = stack.pop()
        if pattern in source:
            yield pattern, place_of(user) if user is not None else None
        elif pattern not in seen and not isinstance(pattern, Cond):
            seen.add(pattern)
            yield from _accessed(pattern.terms())
            model = model_of(pattern)
            needed = pattern.operands if model is None else (model,)
            stack.extend((operand, pattern) for operand in needed)


def _accessed(terms: Iterable[Term]) -> Iterator[tuple[Pattern, Span | None]]:
    stack = list(terms)
    while stack:
        term = stack.pop()
        if isinstance(term, Access):
            yield term.pattern, place_of(term)
        if not (isinstance(term, Operation) and term.head in CHOOSING):
            stack.extend(children(term))
