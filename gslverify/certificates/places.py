"""Normal forms of index terms and of conditions about them, for the checker of certificates.

Only what holds in every commutative ring is done by itself; every law beside that is a step of the
certificate, which `step` is asked for when an atom is met for the first time. A condition is a sum
of products of literals, each of which is 1 where it holds and 0 elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from math import isfinite
from typing import Any

from gsl.attr.term import Constant, Operation, Symbol, Term
from gsl.attr.values import BOOL, TEXT, sort_of
from gslverify.certificates.ring import (
    ONE,
    ZERO,
    Ring,
    Sum,
    constant,
    number_of,
    plus,
    unit,
    unsigned,
)

BINDERS = ("sum", "max", "min", "product")


class RefusedError(Exception):
    """A certificate does not show what it claims; says which step."""


class Places(Ring):
    """Forms of indices in one case of one proof."""

    def __init__(self, step: Callable[[int], Sum | None]) -> None:
        super().__init__()
        self.step = step
        self.extents: dict[int, Sum] = {}
        self.assumed: dict[int, bool] = {}
        self.levels: dict[int, int] = {}
        self.given: dict[Sum, Sum] = {}
        self._values: dict[int, Sum] = {}
        self._known: dict[Any, tuple[Any, Sum]] = {}
        self._free: dict[int, frozenset[int]] = {}

    def made(self, head: str, what: Hashable, arguments: Sequence[Sum], bit: bool = False) -> Sum:
        """Return an atom, or what a step says that it is."""
        number = self.atom(head, what, tuple(arguments), bit)
        if number not in self._values:
            self._values[number] = unit(number)
            found = self.step(number)
            if found is not None:
                self._values[number] = found
        return self._values[number]

    def bound(self, symbol: Symbol, extent: Sum, level: int = -1) -> int:
        """Return the atom of an index that a sum or an extremum runs over."""
        number = self.atom("symbol", symbol, ())
        self.extents[number], self.levels[number] = extent, level
        self._values.setdefault(number, unit(number))
        return number

    def at(self, symbol: Symbol, extent: Sum) -> None:
        """Note that an index of the elements that are compared is less than an extent."""
        self.extents[self.atom("symbol", symbol, ())] = extent

    def index(self, term: Any) -> Sum:
        """Return the form of an index, a size or an attribute."""
        if isinstance(term, Constant):
            term = term.value
        if isinstance(term, str | tuple):
            return self.made("text", term, ())
        if not isinstance(term, Term):
            is_number = isinstance(term, int) or (isinstance(term, float) and isfinite(term))
            return constant(term) if is_number else self.made("literal", repr(term), ())
        return self._remembered(("index", term), term, self._index)

    def _remembered(self, key: Any, subject: Any, compute: Callable[[Any], Sum]) -> Sum:
        if key not in self._known:
            self._known[key] = subject, compute(subject)
        return self._known[key][1]

    def _index(self, term: Term) -> Sum:
        match term:
            case Operation(head="cond", operands=(condition, then, otherwise)):
                holds = self.condition(condition)
                if holds in (ONE, ZERO):
                    return self.index(then if holds == ONE else otherwise)
                return self.chosen(holds, self.index(then), self.index(otherwise))
            case Operation(
                head="and" | "or" | "not" | "==" | "!=" | "<" | "<=" | ">" | ">=" | "in"
            ):
                return self.condition(term)
            case Operation(head=head, operands=operands):
                return self.computed(head, [self.index(operand) for operand in operands])
        return self.made("symbol", term, ())

    def chosen(self, holds: Sum, then: Sum, otherwise: Sum) -> Sum:
        """Return an index that a condition chooses."""
        if holds in (ONE, ZERO) or then == otherwise:
            return then if holds == ONE else otherwise
        return self.made("cond", None, (holds, then, otherwise))

    def computed(self, head: str, values: Sequence[Sum]) -> Sum:
        """Return arithmetic on indices or elements."""
        subject: Any = (head, *values)
        match subject:
            case "+", a, b:
                return plus(a, b)
            case "-", a, b:
                return plus(a, b, -1)
            case "neg", a:
                return plus(ZERO, a, -1)
            case "*", a, b:
                return self.times(a, b)
            case "/", a, b if b:
                return self.times(a, self.inverse(b))
            case "%", a, b:
                return plus(a, self.times(b, self.computed("//", [a, b])), -1)
            case "//", a, b if b == ONE and self.is_whole(values[0]):
                return values[0]
            case "//" | "max" | "min", a, b:
                numbers = number_of(a), number_of(b)
                if head == "//" and all(isinstance(n, int) for n in numbers) and numbers[1]:
                    return constant(numbers[0] // numbers[1])
                if head != "//":
                    values = sorted(values, key=lambda one: sorted(one))
                    return a if a == b else self.made(head, None, values)
        return self.made(head, None, values)

    def is_whole(self, value: Sum) -> bool:
        """Tell whether an index has integers as values."""
        return all(
            isinstance(number, int) and all(p > 0 and self._is_whole(a) for a, p in mono)
            for mono, number in value
        )

    def _is_whole(self, number: int) -> bool:
        match self.atoms[number]:
            case "symbol", Symbol(sort=sort), _:
                return sort == "int"
            case "cond" | "//" | "max" | "min" as head, _, arguments:
                return all(map(self.is_whole, arguments[1:] if head == "cond" else arguments))
        return number in self.bits

    def condition(self, term: Any, wanted: bool = True) -> Sum:
        """Return 1 where a condition holds, or where it does not, as a sum of literals."""
        if isinstance(term, Constant) or not isinstance(term, Term):
            value = term.value if isinstance(term, Constant) else term
            return ONE if bool(value) is wanted else ZERO
        found = self._remembered((term, wanted), term, lambda one: self._condition(one, wanted))
        return self.given.get(found, found)

    def _condition(self, term: Term, wanted: bool) -> Sum:
        match term:
            case Operation(head="not", operands=(inner,)):
                return self.condition(inner, not wanted)
            case Operation(head="and" | "or" as head, operands=(left, right)):
                first, second = self.condition(left, wanted), self.condition(right, wanted)
                if (head == "and") is wanted:
                    return self.times(first, second)
                return plus(first, self.times(self.condition(left, not wanted), second))
            case Operation(head="in", operands=(item, Constant(value=options))):
                return self.literal("in" if wanted else "not in", options, self.index(item))
            case Operation(head=head, operands=(left, right)) if head in _OPPOSITE:
                return self._compared(head if wanted else _OPPOSITE[head], left, right)
        return self.literal("holds" if wanted else "fails", None, self.index(term))

    def _compared(self, head: str, left: Term, right: Term) -> Sum:
        if sort_of(left) == BOOL or sort_of(right) == BOOL:
            for one, other in ((left, right), (right, left)):
                if isinstance(one, Constant):
                    return self.condition(other, one.value is (head == "=="))
        sides = [self.index(left), self.index(right)]
        if head in (">", ">="):
            sides.reverse()
        if TEXT in (sort_of(left), sort_of(right)):
            return self.literal("eq" if head == "==" else "ne", TEXT, plus(sides[0], sides[1], -1))
        if head in ("==", "!="):
            return self.literal("eq" if head == "==" else "ne", None, plus(sides[0], sides[1], -1))
        difference = plus(sides[1], sides[0], -1)
        if not all(map(self.is_whole, sides)):
            return self.literal("gt" if head in "<>" else "ge", "real", difference)
        return self.literal("ge", None, plus(difference, ONE, -1) if head in "<>" else difference)

    def literal(self, head: str, what: Hashable, value: Sum) -> Sum:
        """Return 1 where a sum is not negative ("ge"), positive ("gt"), 0 ("eq") and so on."""
        number = number_of(value)
        if number is not None and head in _DECIDED:
            return ONE if _DECIDED[head](number) else ZERO
        if head in ("eq", "ne"):
            value = unsigned(value)
        turned = self._against(head, what, value)
        contrary = _NEGATED[head] if what != "real" else _REAL[head]
        one = self.atom(head, what, (value,), bit=True)
        other = self.atom(contrary, what, (turned,), bit=True)
        self.opposites |= {one: other, other: one}
        if one in self.assumed:
            return ONE if self.assumed[one] else ZERO
        return self.made(head, what, (value,), bit=True)

    def _against(self, head: str, what: Hashable, value: Sum) -> Sum:
        if head not in ("ge", "gt"):
            return value
        turned = plus(ZERO, value, -1)
        return turned if what == "real" else plus(turned, ONE, -1)

    def assume(self, condition: Any) -> None:
        """Take for granted that a condition holds."""
        holds = self.condition(condition)
        self.given |= {holds: ONE, self.condition(condition, False): ZERO}
        if len(holds) == 1:
            ((mono, _),) = holds
            for atom, _ in mono:
                self.assumed |= {atom: True, self.opposites[atom]: False}
        self._known.clear()

    def free(self, number: int) -> frozenset[int]:
        """Return the bound indices in an atom that it does not bind itself."""
        if number not in self._free:
            head, what, arguments = self.atoms[number]
            own = frozenset([number]) if number in self.levels else frozenset[int]()
            inner = own.union(*(self.free(a) for s in arguments for mono, _ in s for a, _ in mono))
            self._free[number] = (
                inner.difference(what) if head in BINDERS and isinstance(what, tuple) else inner
            )
        return self._free[number]

    def free_in(self, values: Iterable[Sum]) -> frozenset[int]:
        """Return the bound indices in sums."""
        return frozenset[int]().union(
            *(self.free(atom) for value in values for mono, _ in value for atom, _ in mono)
        )


LITERALS = frozenset({"ge", "gt", "eq", "ne", "in", "not in", "holds", "fails"})
"""Atoms that are conditions of indices."""

_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_NEGATED = {"eq": "ne", "ne": "eq", "in": "not in", "not in": "in", "holds": "fails"}
_NEGATED |= {"fails": "holds", "ge": "ge", "gt": "ge"}
_REAL = _NEGATED | {"ge": "gt"}
_DECIDED: Mapping[str, Callable[[Any], bool]] = {
    "ge": lambda n: n >= 0,
    "gt": lambda n: n > 0,
    "eq": lambda n: n == 0,
    "ne": lambda n: n != 0,
}
