"""What decides a condition: each of its parts, while the others leave it open.

A target may be right where the first part of a disjunction holds and wrong where the second does,
so a condition that was true once has not been tried. The first part that holds may decide, as in a
chain of questions, or the last one; where both are possible, both are ways of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache, partial, reduce

from gsl.attr.evaluate import conjunction
from gsl.attr.term import Constant, Operation, Term, operation
from gslverify.structures.decisions import Forms

OTHER = {"and": "or", "or": "and"}
MOST_PARTS = 24
"""Parts of a conjunction or disjunction that are told apart; more are one."""
MOST_WAYS = 400
"""Ways of a condition that are told apart; one that has more is one."""


def ways_to_be(condition: Term, outcome: bool) -> list[Term]:
    """Return the ways in which a condition is true or false; each point lies in one at least."""
    return [way for way in _ways(condition, outcome) if isinstance(way, Term)]


def _ways(condition: Term, outcome: bool) -> Iterator[Term | bool]:
    match condition:
        case Operation(head="not", operands=(negated,)):
            yield from _ways(negated, not outcome)
        case Operation(head="and" | "or" as head):
            parts = _parts(condition, head)
            if _count(condition, outcome) > MOST_WAYS:
                yield falling(condition, outcome)
            elif outcome == (head == "or"):
                yield from _one_of(parts, outcome)
            else:
                yield from _all_of(parts, outcome)
        case _:
            yield falling(condition, outcome)


@lru_cache(maxsize=4096)
def _count(condition: Term, outcome: bool) -> int:
    """Return how many ways there are; questions within questions double them with every level."""
    match condition:
        case Operation(head="not", operands=(negated,)):
            return _count(negated, not outcome)
        case Operation(head="and" | "or" as head):
            parts = _parts(condition, head)
            if len(parts) > MOST_PARTS:
                return MOST_WAYS + 1
            counts = [min(_count(part, outcome), MOST_WAYS + 1) for part in parts]
            if outcome != (head == "or"):
                return sum(count for count in counts if count > 1) or 1
            return sum(counts) if _exclude_each_other(parts, outcome) else 2 * sum(counts)
        case _:
            return 1


def _one_of(parts: Sequence[Term], outcome: bool) -> Iterator[Term | bool]:
    """Yield that a part falls in some way, the ones before not, and again from the end."""
    if _exclude_each_other(parts, outcome):
        yield from (falling(part, outcome) for part in parts)
        return
    for ordered in (parts, parts[::-1]):
        for number, part in enumerate(ordered):
            others = [falling(other, not outcome) for other in ordered[:number]]
            yield from (conjunction(way, *others) for way in _ways(part, outcome))


def _all_of(parts: Sequence[Term], outcome: bool) -> Iterator[Term | bool]:
    """Yield that all parts fall in one way, and each of them in every way that leads there."""
    wholes = [falling(part, outcome) for part in parts]
    ways = [list(_ways(part, outcome)) for part in parts]
    several = [number for number, found in enumerate(ways) if len(found) > 1]
    if not several:
        yield conjunction(*wholes)
    for number in several:
        for way in ways[number]:
            yield conjunction(*wholes[:number], way, *wholes[number + 1 :])


def falling(condition: Term, outcome: bool) -> Term:
    """Return that a condition is true, or that it is false."""
    return condition if outcome else operation("not", condition)


def _parts(condition: Term, head: str) -> list[Term]:
    """Return the operands of a chain of one connective, in order, each of use behind the others.

    `a or (not a and b)` is `a or b`: what a chain of questions asks again decides nothing.
    """
    forms, before = Forms(), set[int]()
    found, stack = list[Term](), [condition]
    while stack:
        part = stack.pop()
        if isinstance(part, Operation) and part.head == head:
            stack.extend(reversed(part.operands))
            continue
        inner = _chain(part, OTHER[head])
        open_ones = [one for one in inner if forms.of(_opposite(one)) not in before]
        if 0 < len(open_ones) < len(inner):
            stack.append(reduce(partial(operation, OTHER[head]), open_ones))
        else:
            found.append(part)
            before.add(forms.of(part))
    return found


def _chain(condition: Term, head: str) -> list[Term]:
    found, stack = list[Term](), [condition]
    while stack:
        part = stack.pop()
        if isinstance(part, Operation) and part.head == head:
            stack.extend(reversed(part.operands))
        else:
            found.append(part)
    return found


def _opposite(condition: Term) -> Term:
    match condition:
        case Operation(head="not", operands=(negated,)):
            return negated
        case _:
            return operation("not", condition)


def _exclude_each_other(parts: Sequence[Term], outcome: bool) -> bool:
    """Tell whether parts say which of several constants one term is equal to."""
    first, *others = [_equated(part, outcome) for part in parts]
    return first is not None and all(other is first for other in others)


def _equated(part: Term, outcome: bool) -> Term | None:
    """Return what is equal to a constant where a part falls in some way, if it says that."""
    match part:
        case Operation(head=head, operands=(left, Constant())) if head == (
            "==" if outcome else "!="
        ):
            return left
        case _:
            return None
