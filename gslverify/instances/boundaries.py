"""Where comparisons just about hold: few draws are there by chance."""

from __future__ import annotations

from collections.abc import Iterator

from gsl.attr.term import Operation, Symbol, Term, operation, subterms

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
            case Operation(head=head, operands=(left, right)) if head in _COMPARISONS:
                step = _COMPARISONS[head]
                distance = operation("abs", operation("-", left, right))
                if not any(isinstance(s, Symbol) and s.sort == "real" for s in subterms(part)):
                    yield operation("==", left, operation("+", right, step))
                elif step:
                    yield operation("<=", distance, MARGIN)
                else:
                    yield operation("==", left, right)
                    beside = operation("abs", operation("-", distance, MARGIN))
                    yield operation("<=", beside, MARGIN / 2)
