"""Finds the sums of products by which conditions follow from facts, for certificates to say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement
from math import lcm
from typing import Any

from gsl.attr.evaluate import negation
from gsl.attr.term import Constant, Operation
from gslverify.certificates.draw import RefusedError
from gslverify.certificates.field import key_of
from gslverify.certificates.indices import Indices
from gslverify.certificates.lemmas import Way, choices_in, difference, ways_against
from gslverify.certificates.subjects import symbols_in
from gslverify.prove.indices.cone import conjuncts
from gslverify.semantics.combination import combination
from gslverify.structures.arithmetic.polynomials import ONE, ZERO, Poly, add, frozen, multiply

MOST_PRODUCTS = 60
MOST_CHOICES = 2
MOST_SUMS = 10
Known = tuple[bool, Poly]
"""What is at least 0, and whether it is 0."""


class Combining:
    """Looks for sums of products."""

    def __init__(self) -> None:
        self._sums = 0

    def ways(self, goal: Any, facts: Sequence[Any]) -> tuple[Way, ...] | None:
        """Return how a goal follows from facts, None where no sum is found."""
        self._sums = 0
        found: list[Way] = []
        try:
            for opposite in ways_against(goal):
                known = [*opposite, *facts]
                way = self._way(known, known, Indices(0), MOST_CHOICES)
                if way is None:
                    return None
                found.append(way)
        except RefusedError:
            return None
        return tuple(found)

    def _way(self, known: Sequence[Any], first: Sequence[Any], model: Indices, left: int) -> Any:
        way = self._sum(known, first, model)
        if way is not None or not left:
            return way
        for number, condition in enumerate(choices_in(first)):
            if isinstance(model.condition(condition), int):
                continue
            inner = []
            for one in (condition, negation(condition)):
                also = [*known, *conjuncts([one])]
                inner.append(self._way(also, first, model.where_also(one), left - 1))
                if inner[-1] is None:
                    return None
            return number, "either", *inner
        return None

    def _sum(self, known: Sequence[Any], first: Sequence[Any], model: Indices) -> Way | None:
        atoms = _Polynomials(model)
        limits = ((-1 - number, symbol) for number, symbol in enumerate(symbols_in(*first)))
        named: list[tuple[int, Known]] = []
        for name, one in (*enumerate(known), *limits):
            said = atoms.difference(one)
            if said is not None:
                named.append((name, said))
        for most in (1, 2, 3):
            products = []
            for several in _several(named, most):
                poly, is_zero = ONE, False
                for _, (equation, one) in several:
                    poly, is_zero = multiply(poly, one), is_zero or equation
                products.append((tuple(name for name, _ in several), is_zero, poly))
                if len(products) > MOST_PRODUCTS:
                    return None
            found = self._factors(products)
            if found is not None:
                return found
        return None

    def _factors(self, products: Sequence[tuple[Any, bool, Poly]]) -> Way | None:
        """Return factors with which products add up to -1."""
        self._sums += 1
        if self._sums > MOST_SUMS:
            return None
        values = combination([(is_zero, poly) for _, is_zero, poly in products], {(): -1})
        if values is None:
            return None
        whole = lcm(*(value.denominator for value in values))
        pairs = zip(values, products, strict=True)
        return tuple((int(value * whole), *names) for value, (names, *_) in pairs if value)


def _several(named: Sequence[Any], most: int) -> Iterator[tuple[Any, ...]]:
    for size in range(1, most + 1):
        yield from combinations_with_replacement(named, size)


class _Polynomials:
    """Terms as polynomials over what is one in a model."""

    def __init__(self, model: Indices) -> None:
        self._model = model
        self._numbers: dict[Any, int] = {}

    def difference(self, condition: Any) -> Known | None:
        """Return what a condition says about a difference, None for nothing."""
        said = difference(condition, self._model)
        if said is None:
            return None
        is_zero, above, below, less = said
        return is_zero, add(add(self.poly(above), self.poly(below), -1), ONE, -less)

    def poly(self, term: Any) -> Poly:
        """Return the polynomial that a term is."""
        match term:
            case int() | Constant(value=int()):
                return frozen({(): int(term if isinstance(term, int) else term.value)})
            case Operation(head="+" | "-" as head, operands=(a, b)):
                return add(self.poly(a), self.poly(b), 1 if head == "+" else -1)
            case Operation(head="neg", operands=(a,)):
                return add(ZERO, self.poly(a), -1)
            case Operation(head="*", operands=(a, b)):
                return multiply(self.poly(a), self.poly(b))
            case Operation(head="%", operands=(a, b)):
                quotient = self.poly(Operation("//", (a, b)))
                return add(self.poly(a), multiply(self.poly(b), quotient), -1)
            case Operation(head="cond", operands=(condition, *sides)):
                holds = self._model.condition(condition)
                if isinstance(holds, int):
                    return self.poly(sides[1 - holds])
        key = key_of(self._model.index(term))
        return frozen({(self._numbers.setdefault(key, len(self._numbers)),): 1})
