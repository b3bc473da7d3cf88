"""A random model of what kernels compute, in which two sides of a proof are compared.

Numbers are those of a field of 2**61 - 1. A function of which nothing is known is a random table, a
sum over an index is a weighted sum over a few random indices, and a condition is an unknown that is
its own square. So whatever follows from the laws of commutative rings (or fields), of sums and of
truth values holds in the model, and anything else fails in it but for a chance of the degree of the
difference over the size of the field (Schwartz and Zippel).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from math import isfinite
from typing import Any

from gsl.attr.term import (
    Constant,
    Operation,
    Symbol,
    Term,
    free_symbols,
    operation,
)
from gsl.attr.values import BOOL, ORDER, TRUTH, is_symbolic, sort_of
from gsl.kernel.expression import Apply, Number, Read, Reduction, Select
from gslverify.certificates.draw import Draw, RefusedError
from gslverify.certificates.field import (
    PRIME,
    Value,
    key_of,
    plus,
    product_in,
    signed,
)
from gslverify.certificates.subjects import Within, parts_of
from gslverify.prove.integers import Integers

POINTS = 2
"""Indices at which the body of a sum is looked at. A product of more sums than that over one size
could equal another one by chance of the model; no law of the table is about such products."""

HELD = 127
"""Up to it numbers are different in all dtypes of integers, however these wrap."""


RING = frozenset({"+", "-", "*", "/", "neg"})
"""What means the same for terms and for elements."""

COMPARED = ORDER | {"==", "!="}


class NoRootError(Exception):
    """A number of this draw has no root."""


class Model(Draw):
    """One draw of the model; `is_field` says that elements are real numbers, and do not wrap."""

    def __init__(self, seed: int, is_field: bool, bits: frozenset[str] = frozenset()) -> None:
        super().__init__(seed)
        self.is_field = is_field
        self.bits = bits
        self.places: dict[Symbol, int] = {}
        self._is_integer = Integers()
        self._leaves: dict[int, tuple[Any, frozenset[Any]]] = {}
        self._inside: dict[int, tuple[Any, tuple[Symbol, ...]]] = {}

    def _remembered(self, subject: Any, compute: Callable[[Any], Value]) -> Value:
        known: Any = ()
        if self.places:
            known = map(self.places.get, self._symbols(subject))
        key = (id(subject), compute.__name__, self.given, *known)
        return self.remembered(key, subject, compute)

    def _symbols(self, subject: Any) -> tuple[Symbol, ...]:
        """Return the indices in a term or an expression, those that it binds included."""
        known = self._inside.get(id(subject))
        if known is None:
            if isinstance(subject, Term):
                symbols: Iterable[Symbol] = (s for s in free_symbols(subject) if s.sort == "int")
            else:
                symbols = (s for part in parts_of(subject) for s in self._symbols(part))
            known = subject, tuple(dict.fromkeys(symbols))
            self._inside[id(subject)] = known
        return known[1]

    def index(self, term: Any) -> Value:
        """Return the value of an index, a size or an attribute."""
        if isinstance(term, Constant):
            term = term.value
        if isinstance(term, Term):
            return self._remembered(term, self._index)
        if isinstance(term, int | Fraction) or (isinstance(term, float) and isfinite(term)):
            exact = Fraction(term)
            return exact.numerator * pow(exact.denominator, -1, PRIME) % PRIME
        if isinstance(term, float) and term < 0:
            return PRIME - self.drawn("constant", repr(-term))
        return self.drawn("constant", repr(term))

    def _index(self, term: Term) -> Value:
        match term:
            case Operation(head="cond", operands=(condition, *sides)):
                holds = self.condition(condition)
                if isinstance(holds, int) and holds in (0, 1):
                    return self.index(sides[1 - holds])
                one, other = map(self.index, sides)
                either = self.lifted(
                    lambda *values: self.drawn(key_of(holds), *values), [one, other]
                )
                return one if key_of(one) == key_of(other) else self.met(either)
            case Operation(head=head) if head in TRUTH:
                return self.condition(term)
            case Operation(head=head, operands=operands):
                return self.computed(head, [self.index(one) for one in operands])
            case Symbol() if term in self.places:
                return self.places[term]
        return self.drawn("symbol", term)

    def chosen(self, condition: Value, then: Value, otherwise: Value) -> Value:
        """Return one value where a condition holds, and another one elsewhere."""
        if isinstance(condition, int) and condition in (0, 1):
            return then if condition else otherwise
        return plus(self.times(condition, plus(then, otherwise, -1)), otherwise)

    def computed(self, head: str, values: Sequence[Value], of: str = "indices") -> Value:
        """Return arithmetic on indices or elements; others are functions of what they are of."""
        match head, *values:
            case "+" | "-", a, b:
                return plus(a, b, 1 if head == "+" else -1)
            case "neg", a:
                return plus(0, a, -1)
            case "*", a, b:
                return self.times(a, b)
            case "/", a, b:
                return self.times(a, self.lifted(self._inverse, [b]))
            case "%", a, b:
                return plus(a, self.times(b, self.computed("//", [a, b], of)), -1)
        return self.lifted(lambda *numbers: self._atom(of, head, numbers), values)

    def _inverse(self, value: int) -> int:
        return pow(value, -1, PRIME) if value else self.drawn("1 / 0")

    def _atom(self, of: str, head: str, numbers: tuple[int, ...]) -> Value:
        if head in ("max", "min"):
            return self._extremum(of, head, numbers)
        if head == "//" and of == "indices":
            whole, divisor = map(signed, numbers)
            if whole is not None and divisor:
                return whole // divisor % PRIME
        if of == "elements" and (head in ("abs", "sign") or (head == "sqrt" and self.is_field)):
            return self._signed(head, *numbers)
        return self.met(self.drawn(of, head, *numbers))

    def condition(self, term: Any) -> Value:
        """Return 1 where a condition holds and 0 elsewhere."""
        if isinstance(term, Constant) or not isinstance(term, Term):
            return int(bool(term.value if isinstance(term, Constant) else term))
        return self._remembered(term, self._condition)

    def _condition(self, term: Term) -> Value:
        match term:
            case Operation(head="not", operands=(inner,)):
                return plus(1, self.condition(inner), -1)
            case Operation(head="and" | "or" as head, operands=(one, other)):
                return self._joined(head, self.condition(one), self.condition(other))
            case Operation(head="in", operands=(item, Constant(value=options))):
                own = self.index(item)
                return self.lifted(lambda value: self.literal("in", value, options), [own])
            case Operation(head=head, operands=(one, other)) if head in TRUTH:
                return self._compared(head, one, other)
        return self.lifted(lambda value: self.literal("holds", value, 0), [self._index(term)])

    def _joined(self, head: str, one: Value, other: Value) -> Value:
        both = self.times(one, other)
        return both if head == "and" else plus(plus(one, other), both, -1)

    def _compared(self, head: str, one: Term, other: Term) -> Value:
        if BOOL in (sort_of(one), sort_of(other)):
            a, b = self.condition(one), self.condition(other)
            same = plus(plus(plus(1, a, -1), b, -1), self.times(a, b), 2)
        elif head in ("==", "!="):
            difference = plus(self.index(one), self.index(other), -1)
            same = self.lifted(lambda value: self.literal("eq", value), [difference])
        else:
            return self._ordered(head, *((other, one) if head in (">", ">=") else (one, other)))
        return same if head == "==" else plus(1, same, -1)

    def _ordered(self, head: str, low: Term, high: Term) -> Value:
        """Return whether one term is less than another one, or equal to it where `head` says so."""
        is_strict, above = head in "<>", plus(self.index(high), self.index(low), -1)
        if self._is_integer(low) and self._is_integer(high):
            above = plus(above, int(is_strict), -1)
            return self.lifted(lambda value: self.literal("ge", value), [above])
        if is_strict:
            return self.lifted(lambda value: self.literal("gt", value), [above])
        less = self.lifted(lambda value: self.literal("gt", value), [plus(0, above, -1)])
        return plus(1, less, -1)

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
        if size <= 2:
            return [(place, 1) for place in range(size)]
        places = [self.drawn("index", size, n) for n in range(POINTS)]
        weights = [self.drawn("weight", size, n) for n in range(POINTS - 1)]
        return list(zip(places, [*weights, (size - sum(weights)) % PRIME], strict=True))

    @contextmanager
    def at(self, places: Mapping[Symbol, int]) -> Iterator[None]:
        """Let indices have values for a while."""
        before = self.places
        self.places = {**before, **places}
        try:
            yield
        finally:
            self.places = before

    def _extremum(self, of: str, head: str, values: Any, reduced: bool = False) -> Value:
        """Return an extremum, which depends on nothing but the set of values."""
        if head == "min" and self.is_field and of == "elements":
            turned = [plus(0, value, -1) for value in values]
            return plus(0, self._extremum(of, "max", turned, reduced), -1)
        leaves = frozenset[Any]()
        for value in values:
            own = self._leaves.get(value) if isinstance(value, int) else None
            leaves |= {key_of(value)} if own is None or own[0] != (of, head) else own[1]
        lost = self.index(float("-inf" if head == "max" else "inf"))
        leaves = leaves - {lost} if len(leaves) > 1 else leaves
        if len(leaves) == 1 and not reduced:
            (only,) = leaves
            return only if isinstance(only, int) else dict(only)
        found = self.drawn(of, head, leaves)
        self._leaves[found] = (of, head), leaves
        return self.met(found)
