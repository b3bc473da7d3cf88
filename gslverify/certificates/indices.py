"""Values of indices, sizes and conditions in one draw of a random model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from math import isfinite
from typing import Any

from gsl.attr.term import Constant, Operation, Symbol, Term, free_symbols
from gsl.attr.values import BOOL, TRUTH, sort_of
from gslverify.certificates.draw import Draw
from gslverify.certificates.field import PRIME, Value, key_of, plus, product_in, signed
from gslverify.certificates.subjects import parts_of
from gslverify.prove.indices.cone import conjuncts
from gslverify.prove.indices.integers import Integers


class Indices(Draw):
    """One draw, in which bound indices are at `places`; `is_field` says that elements are real."""

    def __init__(self, seed: int, is_field: bool = False) -> None:
        super().__init__(seed)
        self.is_field = is_field
        self.places: dict[Symbol, int] = {}
        self.is_integer = Integers()
        self._leaves: dict[int, tuple[Any, frozenset[Any]]] = {}
        self._inside: dict[int, tuple[Any, tuple[Symbol, ...]]] = {}

    def _remembered(self, subject: Any, compute: Callable[[Any], Value]) -> Value:
        key: tuple[Any, ...] = (id(subject), compute.__name__, self.given)
        if self.places:
            key += tuple(map(self.places.get, self._symbols(subject)))
        known = self.memory.get(key)
        if known is None:
            before, self.asked = self.asked, 0
            try:
                value = self.met(compute(subject))
                known = self.memory[key] = subject, value, self.asked
            finally:
                self.asked |= before
        self.asked |= known[2]
        return known[1]

    def _symbols(self, subject: Any) -> tuple[Symbol, ...]:
        """Return the indices in a term or an expression, those that it binds included."""
        if isinstance(subject, Symbol):
            return (subject,)
        known = self._inside.get(id(subject))
        if known is None:
            if isinstance(subject, Operation):
                parts: Sequence[Any] = subject.operands
            else:
                parts = () if isinstance(subject, Term) else parts_of(subject)
            symbols = (s for part in parts for s in self._symbols(part))
            if isinstance(subject, Term) and not parts:
                symbols = (s for s in free_symbols(subject) if s.sort == "int")
            known = subject, tuple(dict.fromkeys(symbols))
            self._inside[id(subject)] = known
        return known[1]

    def index(self, term: Any) -> Value:
        """Return the value of an index, a size or an attribute."""
        if isinstance(term, Symbol):
            return self.met(self._index(term))
        if isinstance(term, Operation):
            return self._remembered(term, self._index)
        if isinstance(term, Constant):
            term = term.value
        if isinstance(term, int):
            return term % PRIME
        if isinstance(term, Term):
            return self._remembered(term, self._index)
        if isinstance(term, Fraction) or (isinstance(term, float) and isfinite(term)):
            exact = Fraction(term)
            return exact.numerator * pow(exact.denominator, -1, PRIME) % PRIME
        if isinstance(term, float) and term < 0:
            return PRIME - self.drawn("constant", repr(-term))
        return self.drawn("constant", repr(term))

    def _index(self, term: Term) -> Value:
        match term:
            case Symbol():
                place = self.places.get(term)
                return self.drawn("symbol", term) if place is None else place
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
        return self.met(self.drawn(of, head, *numbers))

    def condition(self, term: Any) -> Value:
        """Return 1 where a condition holds and 0 elsewhere."""
        if isinstance(term, Constant) or not isinstance(term, Term):
            return int(bool(term.value if isinstance(term, Constant) else term))
        return self._remembered(term, self._condition)

    def assume(self, condition: Any) -> list[int]:
        """Return what is known now, as a condition holds."""
        found = dict[int, bool]()
        for one in conjuncts([condition]):
            is_either = isinstance(one, Operation) and one.head == "or"
            value = 1 if is_either else self.condition(one)
            for is_true, literals in ((True, value), (False, plus(1, value, -1))):
                mono = product_in(literals) or ()
                found |= dict.fromkeys(mono, is_true) if is_true or len(mono) == 1 else {}
        new = [literal for literal in found if literal not in self.known]
        self.known |= found
        return new

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
        if self.is_integer(low) and self.is_integer(high):
            above = plus(above, int(is_strict), -1)
            return self.lifted(lambda value: self.literal("ge", value), [above])
        if is_strict:
            return self.lifted(lambda value: self.literal("gt", value), [above])
        less = self.lifted(lambda value: self.literal("gt", value), [plus(0, above, -1)])
        return plus(1, less, -1)

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

    def where_also(self, condition: Any) -> Indices:
        """Return the same draw where one more condition is known."""
        made = Indices(self.seed, self.is_field)
        made.random, made.table, made.known = self.random, self.table, {**self.known}
        made.assume(condition)
        made.forget()
        return made
