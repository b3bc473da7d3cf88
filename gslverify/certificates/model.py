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
from functools import partial
from typing import Any

from gsl.attr.term import (
    Constant,
    Operation,
    operation,
)
from gsl.attr.values import is_symbolic
from gsl.kernel.expression import Apply, Expression, Number, Read, Reduction, Select
from gsl.types import ANY_FLOAT
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
from gslverify.certificates.inputs import COMPARED, EXTREMA, TRUTHS, WHOLE, Inputs
from gslverify.certificates.subjects import Within

HELD = 127
"""Up to it numbers are those of all dtypes in which anything is computed."""

RING = WHOLE | {"/"}
"""What means the same for terms and for elements."""

WRAPPING = RING | {"pow", "abs"}
"""Functions of elements whose values dtypes of integers may have to wrap."""

OF_RINGS = (RING | TRUTHS | {"select"}) - COMPARED
"""Functions that are of integers as they are what they are of integers that wrap."""


NOTHING = Inputs({})


class NoRootError(Exception):
    """A number of this draw has no root."""


class Model(Indices):
    """One draw of the model; `is_field` says that elements are real numbers, and do not wrap.

    Bodies of sums are looked at at so many `points`.
    """

    def __init__(
        self,
        seed: int,
        is_field: bool,
        bits: frozenset[str] = frozenset(),
        points: int = LEAST,
        inputs: Inputs = NOTHING,
    ) -> None:
        super().__init__(seed, is_field)
        self.bits = bits
        self.points = points
        self.inputs = inputs
        self.elements: dict[Any, Any] = {}
        """The dtypes of numbers that are elements of one."""

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
            case Read(indices=indices):
                return self.lifted(self._reader(expression), [self.index(one) for one in indices])
            case Select():
                return self._selected(expression, self.value)
            case Apply(function=head, arguments=(Number(value=a), Number(value=b))) if (
                head in COMPARED and is_symbolic((a, b))
            ):
                return self.condition(operation(head, a, b))
            case Apply(function="held", arguments=(inner,)):
                return self.stored(inner)
            case Apply(function="held", arguments=(inner, Number(value=dtype))):
                return self._wrapped(self.value(inner), dtype)
            case Apply(function="abs", arguments=(Apply(function="abs") as size,)):
                return self.value(size)  # be it the least integer, which has no opposite
            case Apply(function="cast", arguments=(_, _, Number(value=new)) as arguments) if (
                isinstance(self.index(new), int)
            ):
                return self.lifted(partial(self._cast, new), [self.value(one) for one in arguments])
            case Apply(function=head, arguments=arguments):
                read = self.value if head in OF_RINGS else self.stored
                return self.function(head, [read(one) for one in arguments])
            case Reduction(function=head, variables=variables, body=body):
                read = self.stored if head in EXTREMA else self.value
                return self.reduced(head, variables, lambda: read(body))
            case Within(places=places, body=body):
                found = {symbol: self.index(term) for symbol, term in places}
                if not all(isinstance(place, int) for place in found.values()):
                    raise RefusedError("it depends on a condition which index it is")
                with self.at(found):
                    return self.value(body)
        raise RefusedError(f"nothing is known about {type(expression).__name__}")

    def _selected(self, whole: Select, read: Callable[[Any], Value]) -> Value:
        holds = self.condition(whole.condition)
        if isinstance(holds, int) and holds in (0, 1):
            return read(whole.then if holds else whole.otherwise)
        with self.where(holds):
            chosen = read(whole.then)
        return self.chosen(holds, chosen, read(whole.otherwise))

    def stored(self, expression: Expression) -> Value:
        """Return what the dtype of an element holds of it, as functions see it.

        Values of integers are those that ideal arithmetic gives: modulo a power of two they are
        right, and a function of them is one of what they are after they have wrapped.
        """
        if self.is_field or isinstance(expression, Number | Read):
            return self.value(expression)
        return self._remembered(expression, self._stored)

    def _stored(self, expression: Any) -> Value:
        match expression:
            case Select():
                return self._selected(expression, self.stored)
            case Apply(function="select", arguments=(condition, *sides)):
                return self.chosen(self.value(condition), *map(self.stored, sides))
            case Apply(function="cast", arguments=(inner, *dtypes)):
                old, new = map(self.value, dtypes)
                if isinstance(old, int) and isinstance(new, int):
                    return self.stored(inner) if old == new else self.value(expression)
            case Apply(function=head) if head not in WRAPPING:
                return self.value(expression)
            case Reduction(function=head) if head in EXTREMA:
                return self.value(expression)
        return self._wrapped(self.value(expression), self.inputs.dtype_of(expression))

    def _wrapped(self, value: Value, dtype: Any) -> Value:
        if dtype is None or _is_float(dtype):
            return value
        return self.lifted(partial(self._held, dtype, key_of(self.index(dtype))), [value])

    def _held(self, dtype: Any, name: Any, number: int) -> Value:
        small, own = signed(number), self.elements.get(number)
        if small is not None and 0 <= small <= HELD:
            return number
        if own is not None and key_of(self.index(own)) == name:
            return number
        return self._element(dtype, "held", number, name)

    def _element(self, dtype: Any, *key: Any) -> Value:
        """Return a random number that is an element of a dtype."""
        found = self.drawn(*key)
        self.elements[found] = dtype
        return self.met(found)

    def fits(self, expression: Expression) -> bool:
        """Tell whether an integer is known to be what its dtype holds of it."""
        return self.is_field or bool(
            key_of(self.stored(expression)) == key_of(self.value(expression))
        )

    def held(self, expression: Expression) -> Expression:
        """Return an element as what its dtype holds of it."""
        return expression if self.fits(expression) else Apply("held", (expression,))

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

    def _reader(self, read: Read) -> Callable[..., Value]:
        name = read.tensor
        if name in self.bits:
            return lambda *places: self.literal("read", 0, name, *places)
        return partial(self._element, self.inputs.dtype_of(read), "read", name)

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
        return self.computed(head, values, "elements")

    def _cast(self, dtype: Any, value: int, old: int, new: int) -> Value:
        is_same = old == new or value in (0, 1)
        return value if is_same else self._element(dtype, "cast", value, old, new)

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


def _is_float(dtype: Any) -> bool:
    name = dtype.value if isinstance(dtype, Constant) else dtype
    return isinstance(name, str) and name in ANY_FLOAT
