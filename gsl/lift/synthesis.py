"""Expressions that have given values in all instances, the simplest first.

Enumerative synthesis: expressions over the known quantities are made bottom up, and of those with
the same values in all instances only the first, which is the simplest, is kept (observational
equivalence).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement

Integers = tuple[int, ...]
"""A value for each instance."""

CONSTANTS = (1, 2, 3, 4, 8, 16, 32, 64, 128)
MOST_FACTORS = 4
"""So many sizes are multiplied or added up."""
MOST_COMBINATIONS = 50_000
RELATIVE_TOLERANCE = 3e-7
"""How far real numbers may lie apart that are the same: they went through float32."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """Something that a rule can mention, as it is written, and its value in each instance."""

    text: str
    values: tuple[float, ...]


def integer_text(values: Integers, known: Sequence[Quantity]) -> str | None:
    """Return an expression over `known` with these values in all instances, None if none is found.

    What is the same in all instances is written as a number.
    """
    if len(set(values)) == 1:
        return str(values[0])
    if all(value < 0 for value in values):
        inner = integer_text(tuple(-value for value in values), known)
        return None if inner is None else f"-({inner})"
    atoms: dict[Integers, str] = {}
    for quantity in known:
        numbers = tuple(map(int, quantity.values))
        if numbers == quantity.values:
            atoms.setdefault(numbers, quantity.text)
    return next((text for text, found in _integers(atoms) if found == values), None)


def _integers(atoms: dict[Integers, str]) -> Iterator[tuple[str, Integers]]:
    """Yield expressions with their values, simple ones first; none is negative or undefined."""
    for values, text in atoms.items():
        yield text, values
    for combine, sign in ((math.prod, " * "), (sum, " + ")):
        for count in range(2, MOST_FACTORS + 1):
            chosen = combinations_with_replacement(atoms.items(), count)
            for number, parts in enumerate(chosen):
                if number > MOST_COMBINATIONS:
                    break
                columns = zip(*(values for values, _ in parts), strict=True)
                yield sign.join(text for _, text in parts), tuple(map(combine, columns))
    for values, text in atoms.items():
        yield from _with_constant(text, values)
    for one, first in atoms.items():
        for other, second in atoms.items():
            if one != other:
                yield from _with_each_other(first, one, second, other)


def _with_constant(text: str, values: Integers) -> Iterator[tuple[str, Integers]]:
    for constant in CONSTANTS:
        yield f"{text} * {constant}", tuple(value * constant for value in values)
        yield f"{text} + {constant}", tuple(value + constant for value in values)
        yield f"{text} - {constant}", tuple(value - constant for value in values)
        yield f"{text} // {constant}", tuple(value // constant for value in values)
        yield f"{text} % {constant}", tuple(value % constant for value in values)
        # How much is missing to the next multiple, as in padding.
        yield f"(-{text}) % {constant}", tuple(-value % constant for value in values)


def _with_each_other(
    first: str, one: Integers, second: str, other: Integers
) -> Iterator[tuple[str, Integers]]:
    pairs = list(zip(one, other, strict=True))
    yield f"{first} - {second}", tuple(a - b for a, b in pairs)
    if all(b > 0 for _, b in pairs):
        yield f"{first} // {second}", tuple(a // b for a, b in pairs)
        yield f"{first} % {second}", tuple(a % b for a, b in pairs)


REAL_FORMS: tuple[tuple[str, Callable[[float], float]], ...] = (
    ("{}", lambda x: x),
    ("-{}", lambda x: -x),
    ("1.0 / {}", lambda x: 1 / x),
    ("-1.0 / {}", lambda x: -1 / x),
    ("attr.Sqrt({})", math.sqrt),
    ("1.0 / attr.Sqrt({})", lambda x: 1 / math.sqrt(x)),
    ("{0} * {0}", lambda x: x * x),
    ("attr.Sqrt(attr.Sqrt({}))", lambda x: math.sqrt(math.sqrt(x))),
    ("1.0 / attr.Sqrt(attr.Sqrt({}))", lambda x: 1 / math.sqrt(math.sqrt(x))),
)
"""Functions of one quantity by which scales of attention and of normalisations are written."""


INVERSES: tuple[Callable[[float], float], ...] = (
    lambda y: y,
    lambda y: -y,
    lambda y: 1 / y,
    lambda y: -1 / y,
    lambda y: y * y,
    lambda y: 1 / (y * y),
    math.sqrt,
    lambda y: y**4,
    lambda y: 1 / y**4,
)
"""What is undone by each of the forms, for positive numbers."""


def original(given: Sequence[float], made: Sequence[float], now: float) -> float | None:
    """Return the number of which `now` was computed as `made` were of `given`, None if unknown."""
    for (_, function), inverse in zip(REAL_FORMS, INVERSES, strict=True):
        if _agree(function, given, made):
            return inverse(now) if now else None
    return None


def real_text(values: Sequence[float], known: Iterable[Quantity]) -> str | None:
    """Return an expression over `known` that is about these values in all instances, else None."""
    for quantity in known:
        for form, function in REAL_FORMS:
            if _agree(function, quantity.values, values):
                return form.format(quantity.text)
    return None


def _agree(
    function: Callable[[float], float], given: Sequence[float], wanted: Sequence[float]
) -> bool:
    try:
        pairs = [(function(float(one)), float(two)) for one, two in zip(given, wanted, strict=True)]
    except (ValueError, ZeroDivisionError):
        return False
    return all(math.isclose(a, b, rel_tol=RELATIVE_TOLERANCE) for a, b in pairs)
