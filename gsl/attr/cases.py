"""Which values a term may have that depends on unknown sizes, where these are only a few.

A minimum over axes, or a number of axes of size 1, is one of a few integers that is not known. What
can only be computed for a known number is computed for each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import ceil, floor

from gsl.attr.term import Constant, Operation, Symbol, Term, Value
from gsl.attr.values import (
    BOOL,
    choose,
    conjunction,
    disjunction,
    equal,
    negation,
    sort_of,
)
from gsl.errors import EvaluationError, UndecidedError

Cases = Mapping[Value, Value]
"""For each value the condition under which a term has it; one of them holds if it has a value."""

Pick = Callable[[Cases], Value]
"""Chooses one of several cases."""

MOST_CASES = 64
"""No tensor has more axes."""

NOTHING = Operation("//", (Constant(1), Constant(0)))
"""A number that has no value."""


def cases_of(value: Term) -> Cases | None:
    """Return the cases of a truth value or an integer; None if there may be too many.

    The conditions of a truth value are itself and its opposite.
    """
    if sort_of(value) == BOOL:
        return {True: value, False: negation(value)}
    found = _ranges(value)
    return None if found is None else found.cases


def decided(value: Value, pick: Pick, why: str = "a value depends on an unknown size") -> Value:
    """Return a value, or a tuple, with `pick` asked for the case of each term that is it or in it.

    Raises UndecidedError, which says `why`, where there may be too many cases.
    """
    if isinstance(value, tuple):
        return tuple(decided(item, pick, why) for item in value)
    if not isinstance(value, Term):
        return value
    cases = cases_of(value)
    if cases is None:
        raise UndecidedError(why)
    return pick(cases) if len(cases) > 1 else next(iter(cases))


def in_every_case(cases: Cases, compute: Callable[[Value], Value]) -> Value:
    """Return what `compute` gives, as a choice between all cases.

    The result has no value where that raises EvaluationError; if it always does, so does this.
    """
    found: list[tuple[Value, Value]] = []
    refused: list[Value] = []
    why: EvaluationError | None = None
    for value, condition in cases.items():
        try:
            found.append((condition, compute(value)))
        except EvaluationError as error:
            refused.append(condition)
            why = error
    if not found:
        raise why or EvaluationError("there is no such value")
    result = found[-1][1]
    for condition, one in reversed(found[:-1]):
        result = choose(condition, one, result)
    return except_where(disjunction(*refused), result)


def except_where(condition: Value, value: Value) -> Value:
    """Return a value that is none where a condition holds."""
    if condition is False:
        return value
    if not isinstance(value, tuple):
        nothing = equal(NOTHING, 0) if sort_of(value) == BOOL else NOTHING
        return choose(condition, nothing, value)
    if not value:
        raise UndecidedError("whether there is a tuple depends on an unknown size")
    return tuple(except_where(condition, item) for item in value)


@dataclass(frozen=True, slots=True)
class _Range:
    """Bounds of an integer, None for none, and its cases if these are few."""

    low: int | None
    high: int | None
    cases: Cases | None = None


def _ranges(term: Term) -> _Range | None:
    """Return the range of a term; None if it may be no integer."""
    known: dict[Term, _Range | None] = {}
    stack = [term]
    while stack:
        part = stack[-1]
        missing = [one for one in _numbers_in(part) if one not in known]
        if missing:
            stack += missing
            continue
        stack.pop()
        if part not in known:
            known[part] = _listed(part, _range(part, [known[one] for one in _numbers_in(part)]))
    return known[term]


def _numbers_in(term: Term) -> tuple[Term, ...]:
    """Return the numbers that a term is computed from."""
    match term:
        case Operation(head="cond", operands=(_, then, otherwise)):
            return then, otherwise
        case Operation(head=head, operands=operands) if head in _COMPUTED or head == "%":
            return operands
        case _:
            return ()


def _listed(term: Term, found: _Range | None) -> _Range | None:
    """Return a range with its cases by its bounds, if it has none yet."""
    if found is None or found.cases is not None or found.low is None or found.high is None:
        return found
    if found.high - found.low >= MOST_CASES:
        return found
    cases = {number: equal(term, number) for number in range(found.low, found.high + 1)}
    return _Range(found.low, found.high, cases)


def _range(term: Term, parts: list[_Range | None]) -> _Range | None:
    match term:
        case Constant(value=int() as value) if not isinstance(value, bool):
            return _Range(value, value, {value: True})
        case Symbol(sort="int", low=low, high=high):
            return _Range(None if low is None else ceil(low), None if high is None else floor(high))
        case Operation(head=head, operands=operands):
            ranges = [one for one in parts if one is not None]
            if not ranges or len(ranges) < len(parts):
                return None
            if head == "cond":
                return _chosen(operands[0], *ranges)
            if head == "%":
                return _remainder(*ranges)
            return _computed(head, ranges)
        case _:
            return None


def _chosen(condition: Term, then: _Range, otherwise: _Range) -> _Range:
    low = _of_both(min, then.low, otherwise.low)
    high = _of_both(max, then.high, otherwise.high)
    if then.cases is None or otherwise.cases is None:
        return _Range(low, high)
    opposite = negation(condition)
    values = dict.fromkeys((*then.cases, *otherwise.cases))
    cases = {
        value: disjunction(
            conjunction(condition, then.cases.get(value, False)),
            conjunction(opposite, otherwise.cases.get(value, False)),
        )
        for value in values
    }
    return _Range(low, high, cases if len(cases) <= MOST_CASES else None)


def _remainder(left: _Range, right: _Range) -> _Range:
    """Return the range of a remainder, which a known positive divisor bounds."""
    divisor = right.low
    if divisor is None or divisor < 1 or right.high != divisor:
        return _Range(None, None)
    if left.cases is not None:
        return _computed("%", [left, right])
    return _Range(0, divisor - 1)


def _computed(head: str, parts: list[_Range]) -> _Range:
    low, high = _bounds(head, parts)
    cases = [one.cases for one in parts if one.cases is not None]
    if len(cases) < len(parts):
        return _Range(low, high)
    if len(cases) == 1:
        return _Range(low, high, {-value: held for value, held in cases[0].items()})
    return _Range(low, high, _combined(head, *cases))


def _bounds(head: str, parts: list[_Range]) -> tuple[int | None, int | None]:
    """Return the bounds of sums and extrema; others are bounded where their operands are few."""
    lows, highs = [one.low for one in parts], [one.high for one in parts]
    match head:
        case "+":
            return _of_both(int.__add__, *lows), _of_both(int.__add__, *highs)
        case "-":
            return _of_both(int.__sub__, lows[0], highs[1]), _of_both(
                int.__sub__, highs[0], lows[1]
            )
        case "neg":
            below = None if highs[0] is None else -highs[0]
            return below, None if lows[0] is None else -lows[0]
        case "min":
            known = [high for high in highs if high is not None]
            return _of_both(min, *lows), min(known, default=None)
        case "max":
            known = [low for low in lows if low is not None]
            return max(known, default=None), _of_both(max, *highs)
        case _:
            return None, None


def _of_both(compute: Callable[[int, int], int], one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else compute(one, other)


def _combined(head: str, left: Cases, right: Cases) -> Cases | None:
    """Return the cases of what is computed from two numbers, each of which has its own."""
    found: dict[int, dict[int, list[int]]] = {}
    for one in left:
        for other in right:
            try:
                value = _COMPUTED[head](one, other)
            except ZeroDivisionError:
                return None
            found.setdefault(value, {}).setdefault(one, []).append(other)
    if len(found) > MOST_CASES:
        return None
    return {value: disjunction(*_ways(pairs, left, right)) for value, pairs in found.items()}


def _ways(pairs: Mapping[int, list[int]], left: Cases, right: Cases) -> Iterator[Value]:
    """Yield the conditions under which the numbers are one of some pairs."""
    for one, others in pairs.items():
        every = len(others) == len(right)
        beside = True if every else disjunction(*(right[other] for other in others))
        yield conjunction(left[one], beside)


_COMPUTED: Mapping[str, Callable[..., int]] = {
    "+": int.__add__,
    "-": int.__sub__,
    "*": int.__mul__,
    "neg": int.__neg__,
    "min": min,
    "max": max,
    "//": int.__floordiv__,
    "%": int.__mod__,
}
