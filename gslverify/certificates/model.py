"""A random model of what kernels compute, in which two sides of a proof are compared.

Numbers are those of a field whose prime is drawn. A function of which nothing is known is a random
table, a sum over an index is a weighted sum over a few random indices, and a condition is an
unknown that is its own square. So whatever follows from the laws of commutative rings (or fields),
of sums and of truth values holds in the model, and anything else fails in it but for a chance of
the degree of the difference over the size of the field (Schwartz and Zippel).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from gsl.attr.term import (
    Operation,
    operation,
)
from gsl.attr.values import ORDER, is_symbolic
from gsl.kernel.expression import Apply, Number, Read, Reduction, Select
from gslverify.certificates.degree import LEAST
from gslverify.certificates.draw import RefusedError
from gslverify.certificates.field import (
    PRIME,
    Value,
    key_of,
    plus,
    product_in,
    signed,
)
from gslverify.certificates.indices import Indices
from gslverify.certificates.subjects import Within

HELD = 127
"""Up to it numbers are different in all dtypes of integers, however these wrap."""


RING = frozenset({"+", "-", "*", "/", "neg"})
"""What means the same for terms and for elements."""

COMPARED = ORDER | {"==", "!="}


class NoRootError(Exception):
    """A number of this draw has no root."""


class Model(Indices):
    """One draw of the model; `is_field` says that elements are real numbers, and do not wrap.

    Bodies of sums are looked at at so many `points`.
    """

    def __init__(
        self, seed: int, is_field: bool, bits: frozenset[str] = frozenset(), points: int = LEAST
    ) -> None:
        super().__init__(seed, is_field)
        self.bits = bits
        self.points = points

    def _atom(self, of: str, head: str, numbers: tuple[int, ...]) -> Value:
        if of == "elements" and (head in ("abs", "sign") or (head == "sqrt" and self.is_field)):
            return self._signed(head, *numbers)
        return super()._atom(of, head, numbers)

    def _signed(self, head: str, value: int) -> Value:
        """Return a root, an absolute value or a sign, one of two numbers as a condition says."""
        if value == 0:
            return 0
        least = min(value, PRIME - value)
        negative = self.literal(head == "sqrt", 0, least if head != "sqrt" else value)
        sign = plus(1, negative, -2)
        if head != "sqrt":
            sign = sign if value == least else plus(0, sign, -1)
            of_sign = plus(1, self._same(value), -1) if head == "sign" else value
            return self.met(self.times(of_sign, sign))
        root = pow(value, (PRIME + 1) // 4, PRIME)
        if root * root % PRIME != value:
            raise NoRootError
        return self.met(self.times(root, sign))

    def value(self, expression: Any) -> Value:
        """Return the value of an element."""
        return self._remembered(expression, self._value)

    def _value(self, expression: Any) -> Value:
        match expression:
            case Number(value=Operation(head=head, operands=operands)) if head in RING:
                return self.function(head, [self.value(Number(one)) for one in operands])
            case Number(value=value):
                return self.index(value)
            case Read(tensor=name, indices=indices):
                return self.lifted(self._reader(name), [self.index(one) for one in indices])
            case Select(condition=condition, then=then, otherwise=otherwise):
                holds = self.condition(condition)
                if isinstance(holds, int) and holds in (0, 1):
                    return self.value(then if holds else otherwise)
                with self.where(holds):
                    chosen = self.value(then)
                return self.chosen(holds, chosen, self.value(otherwise))
            case Apply(function=head, arguments=(Number(value=a), Number(value=b))) if (
                head in COMPARED and is_symbolic((a, b))
            ):
                return self.condition(operation(head, a, b))
            case Apply(function=head, arguments=arguments):
                return self.function(head, [self.value(one) for one in arguments])
            case Reduction(function=head, variables=variables, body=body):
                return self.reduced(head, variables, lambda: self.value(body))
            case Within(places=places, body=body):
                found = {symbol: self.index(term) for symbol, term in places}
                if not all(isinstance(place, int) for place in found.values()):
                    raise RefusedError("it depends on a condition which index it is")
                with self.at(found):
                    return self.value(body)
        raise RefusedError(f"nothing is known about {type(expression).__name__}")

    @contextmanager
    def where(self, holds: Value) -> Iterator[None]:
        """Take it as given for a while that a condition holds, if it is a product of conditions."""
        before = self.given
        if self.limited or self.implied:
            self.given |= product_in(holds) or frozenset()
        try:
            yield
        finally:
            self.given = before

    def _reader(self, name: str) -> Callable[..., Value]:
        if name in self.bits:
            return lambda *places: self.literal("read", 0, name, *places)
        return lambda *places: self.met(self.drawn("read", name, *places))

    def function(self, head: str, values: Sequence[Value]) -> Value:
        """Return a function of elements."""
        match head, *values:
            case "and" | "or", a, b:
                return self._joined(head, a, b)
            case "not", a:
                return plus(1, a, -1)
            case "select", condition, a, b:
                return self.chosen(condition, a, b)
            case "sigmoid", a:
                return self.computed("/", [1, plus(1, self.function("exp", [plus(0, a, -1)]))])
            case "pow", a, b if signed(b) is not None:
                return self.lifted(lambda one: self._power(one, signed(b)), [a])
            case "==" | "!=", a, b:
                same = self.lifted(self._same, [plus(a, b, -1)])
                return same if head == "==" else plus(1, same, -1)
            case "<" | ">" | "<=" | ">=", a, b:
                less = self.lifted(self._less, [a, b] if head in ("<", ">=") else [b, a])
                return less if head in "<>" else plus(1, less, -1)
            case "cast", *_:
                return self.lifted(self._cast, values)
        return self.computed(head, values, "elements")

    def _cast(self, value: int, old: int, new: int) -> Value:
        is_same = old == new or value in (0, 1)
        return value if is_same else self._atom("elements", "cast", (value, old, new))

    def _power(self, base: int, count: Any) -> int:
        return pow(base, count, PRIME) if base or count >= 0 else self.drawn("1 / 0")

    def _same(self, difference: int) -> Value:
        number = signed(difference)
        if number is not None and abs(number) <= HELD:
            return int(number == 0)
        return self.literal("same", min(difference, PRIME - difference), 0)

    def _less(self, low: int, high: int) -> Value:
        if low == high:
            return 0
        numbers = signed(low), signed(high)
        if None not in numbers and all(0 <= n <= HELD for n in numbers if n is not None):
            return int(low < high)
        if self.is_field:
            return self.literal("gt", (high - low) % PRIME)
        return self.literal("less", low, high)

    def reduced(self, head: str, variables: Any, body: Callable[[], Value]) -> Value:
        """Return a sum, a product or an extremum over indices."""
        found = list(self.over(variables, body))
        if head == "sum":
            total: Value = 0
            for weight, value in found:
                total = plus(total, self.times(weight, value))
            return total
        if head == "product":
            return self.drawn("product", *((weight, key_of(value)) for weight, value in found))
        return self._extremum("elements", head, [value for _, value in found], reduced=True)

    def over(self, variables: Any, body: Callable[[], Value]) -> Iterator[tuple[int, Value]]:
        """Yield a value at random indices with their weights."""
        if not variables:
            yield 1, body()
            return
        (symbol, extent), *others = variables
        size = self.index(extent)
        if not isinstance(size, int):
            raise RefusedError("it depends on a condition how many indices there are")
        for place, weight in self._indices(size):
            with self.at({symbol: place}):
                for other, value in self.over(others, body):
                    yield weight * other % PRIME, value

    def _indices(self, size: int) -> list[tuple[int, int]]:
        if size <= self.points:
            return [(place, 1) for place in range(size)]
        places = [self.drawn("index", size, n) for n in range(self.points)]
        weights = [self.drawn("weight", size, n) for n in range(self.points - 1)]
        return list(zip(places, [*weights, (size - sum(weights)) % PRIME], strict=True))
