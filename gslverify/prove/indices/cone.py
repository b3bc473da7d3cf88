"""What of many conditions a question depends on, and when two questions are one.

Conditions that share no unknown with a question, not even by way of others, have no part in its
answer as long as they can hold at all. What is left is the same for every axis of a broadcast and
for every structure of a rule, up to the names of its unknowns.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any

from gsl.attr.term import Constant, Operation, Symbol, Term, free_symbols


def conjuncts(conditions: Iterable[Any]) -> list[Any]:
    """Return conditions without those that join others."""
    found: list[Any] = []
    stack = list(reversed(list(conditions)))
    while stack:
        match stack.pop():
            case Operation(head="and", operands=parts):
                stack.extend(reversed(parts))
            case condition:
                found.append(condition)
    return found


def cone_of(start: Iterable[Term], conditions: Sequence[Term]) -> list[Term]:
    """Return the conditions that share symbols with `start`, or with others that do."""
    return [conditions[number] for number in connected(start, conditions)]


def connected(start: Iterable[Term], conditions: Sequence[Term]) -> list[int]:
    """Return the numbers of conditions that share symbols with `start`, or with others that do."""
    reached = {symbol for term in start for symbol in free_symbols(term)}
    taken = set[int]()
    left = [(number, free_symbols(one)) for number, one in enumerate(conditions)]
    is_growing = True
    while is_growing:
        apart = []
        for number, symbols in left:
            if reached.isdisjoint(symbols):
                apart.append((number, symbols))
            else:
                taken.add(number)
                reached |= symbols
        is_growing = len(apart) < len(left)
        left = apart
    return sorted(taken)


def components(start: Iterable[Term], conditions: Sequence[Term]) -> Iterator[list[Term]]:
    """Yield the cones of some of the conditions, none twice."""
    seen = set[Term]()
    for term in start:
        if term not in seen:
            found = cone_of([term], conditions)
            seen.update(found)
            yield found


def shape_of(terms: Iterable[Term]) -> Hashable:
    """Return what terms have in common with those that differ in the names of symbols only."""
    numbers: dict[Term, int] = {}
    nodes: list[Hashable] = []
    roots: list[int] = []
    for term in terms:
        stack = [term]
        while stack:
            part = stack[-1]
            if part not in numbers and isinstance(part, Operation):
                missing = [operand for operand in part.operands if operand not in numbers]
                if missing:
                    stack += missing[::-1]
                    continue
            stack.pop()
            if part not in numbers:
                numbers[part] = len(nodes)
                nodes.append(_node(part, numbers))
        roots.append(numbers[term])
    return tuple(nodes), tuple(roots)


def _node(part: Term, numbers: dict[Term, int]) -> Hashable:
    if isinstance(part, Operation):
        return (part.head, *[numbers[operand] for operand in part.operands])
    if isinstance(part, Symbol):
        return part.sort, part.low, part.high, None
    if isinstance(part, Constant):
        return type(part.value).__name__, repr(part.value)
    return "term", part  # itself, since its number may be another's once it is gone
