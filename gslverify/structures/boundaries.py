"""Where comparisons just about hold: few draws are there by chance."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gsl.attr.evaluate import conjunction
from gsl.attr.term import Constant, Operation, Symbol, Term, operation, subterms

MARGIN = 0.0625
"""How far apart real numbers are that are about equal."""

_COMPARISONS = {"<": -1, ">": 1, "<=": 0, ">=": 0}


def boundaries(term: Term) -> Iterator[Term]:
    """Yield for every comparison in `term` conditions that hold where it just about holds.

    Real numbers that are equal may not be once they are stored, so they are tried close by, too.
    Of two conditions one of which is enough, each is tried without the other.
    """
    for part in subterms(term):
        match part:
            case Operation(head="or", operands=(left, right)):
                yield operation("and", left, operation("not", right))
                yield operation("and", right, operation("not", left))
            case Operation(head=head) if head in _COMPARISONS:
                yield from _limits(part)


def _limits(comparison: Operation) -> Iterator[Term]:
    left, right = comparison.operands
    step = _COMPARISONS[comparison.head]
    distance = operation("abs", operation("-", left, right))
    if not any(isinstance(s, Symbol) and s.sort == "real" for s in subterms(comparison)):
        yield operation("==", left, operation("+", right, step))
    elif step:
        yield operation("<=", distance, MARGIN)
    else:
        yield operation("==", left, right)
        beside = operation("abs", operation("-", distance, MARGIN))
        yield operation("<=", beside, MARGIN / 2)


def joint_boundaries(terms: Iterable[Term]) -> Iterator[Term]:
    """Yield that all upper limits are reached at once, and that all lower ones are.

    What a product or sum of several quantities leaves is seen where all of them are large.
    """
    limits: dict[bool, list[Term]] = {True: [], False: []}
    for part in dict.fromkeys(part for term in terms for part in subterms(term)):
        if isinstance(part, Operation) and part.head in _COMPARISONS:
            is_upper = (part.head in ("<", "<=")) != isinstance(part.operands[0], Constant)
            limits[is_upper].append(next(_limits(part)))
    for reached in limits.values():
        demand = conjunction(*reached)
        if len(reached) > 1 and isinstance(demand, Term):
            yield demand
