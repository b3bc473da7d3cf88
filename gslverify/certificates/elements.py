"""Normal forms of elements: sums of products, each summed over a box of indices."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import reduce
from typing import Any

from gsl.attr.term import Operation, Symbol
from gsl.kernel.expression import Apply, Expression, Number, Read, Reduction, Select
from gslverify.certificates.places import BINDERS, LITERALS, Places, RefusedError
from gslverify.certificates.ring import (
    ONE,
    ZERO,
    Monomial,
    Sum,
    constant,
    number_of,
    plus,
    unit,
    unsigned,
)

COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})
LARGEST_POWER = 8
LARGEST_HELD = 127
"""Up to it numbers are different in all dtypes, however these wrap."""

OF_ELEMENTS = "of elements"
"""Says of a function that it is one of elements, which may wrap, and not one of indices."""


class SplitError(Exception):
    """A condition decides which of two values an element is, and it is open."""

    def __init__(self, condition: Any) -> None:
        super().__init__("a condition is open")
        self.condition = condition


class Elements(Places):
    """Forms of elements in one case of one proof; `bits` are inputs of truth values."""

    def __init__(self, step: Callable[[int], Sum | None], bits: frozenset[str]) -> None:
        super().__init__(step)
        self.inputs_of_bits = bits
        self._names: dict[Hashable, int] = {}

    def value(self, expression: Expression) -> Sum:
        """Return the form of an element."""
        return self._remembered(id(expression), expression, self._value)

    def _value(self, expression: Any) -> Sum:
        match expression:
            case Number(value=value):
                return self.number(value)
            case Read(tensor=tensor, indices=indices, guarded=False):
                places = [self.index(place) for place in indices]
                return self.made("read", tensor, places, tensor in self.inputs_of_bits)
            case Select(condition=condition, then=then, otherwise=otherwise):
                return self._selected(condition, then, otherwise)
            case Apply(function="cast", arguments=(inner, Number(value=old), Number(value=new))):
                return self.function("cast", (self.value(inner), self.index(old), self.index(new)))
            case Apply(function=function, arguments=arguments):
                return self.function(function, [self.value(one) for one in arguments])
            case Reduction(function=head, variables=variables, body=body):
                own = [self.bound(symbol, self.index(extent)) for symbol, extent in variables]
                return self.bind(head, own, self.value(body))
        raise RefusedError(f"nothing is known about {type(expression).__name__}")

    def number(self, value: Any) -> Sum:
        """Return a constant; a choice of real numbers is one of elements."""
        match value:
            case Operation(head="cond", operands=(condition, then, otherwise)):
                return self._selected(condition, Number(then), Number(otherwise))
            case Operation(head="+" | "-" | "*" | "/" | "neg" as head, operands=operands):
                return self.computed(head, [self.number(operand) for operand in operands])
        return self.index(value)

    def _selected(self, condition: Any, then: Any, otherwise: Any) -> Sum:
        yes, no = self.condition(condition), self.condition(condition, False)
        if ONE in (yes, no):
            return self.value(then if yes == ONE else otherwise)
        if not any(self.free(atom) for mono, _ in yes for atom, _ in mono):
            raise SplitError(condition)
        return self._joined(yes, no, self.value(then), self.value(otherwise))

    def _joined(self, yes: Sum, no: Sum, then: Sum, otherwise: Sum) -> Sum:
        both = then & otherwise
        return plus(plus(both, self.times(yes, then - both)), self.times(no, otherwise - both))

    def function(self, head: str, values: Sequence[Sum]) -> Sum:
        """Return a function of elements; each case of a condition has its own."""
        is_infinite = any(map(self.is_infinite, values))
        if is_infinite and head in ("+", "-", "*", "/", "neg", "%", "select"):
            raise RefusedError("it computes with an infinite constant")
        if head in ("+", "-", "*", "neg"):
            return self.computed(head, values)
        atoms = (atom for value in values for mono, _ in value for atom, _ in mono)
        literal = next((atom for atom in sorted(atoms) if atom in self.opposites), None)
        if literal is not None:
            pair = literal, self.opposites[literal]
            cases = [
                self.function(head, [self._where(v, *p) for v in values])
                for p in (pair, pair[::-1])
            ]
            units = [unit(one) for one in pair]
            return self._joined(*units, *cases)
        if is_infinite and head not in ("max", "min"):
            return self.made(head, OF_ELEMENTS, values, head in COMPARISONS)
        return self._function(head, values)

    @staticmethod
    def _where(value: Sum, holds: int, fails: int) -> Sum:
        """Return a sum where one literal is 1 and another one 0."""
        kept = [
            frozenset([(tuple(pair for pair in mono if pair[0] != holds), number)])
            for mono, number in value
            if all(atom != fails for atom, _ in mono)
        ]
        return reduce(plus, kept, ZERO)

    @staticmethod
    def only_atom(value: Sum) -> int | None:
        """Return the atom that a sum is, None for anything else."""
        if len(value) != 1:
            return None
        ((mono, number),) = value
        return mono[0][0] if number == 1 and len(mono) == 1 and mono[0][1] == 1 else None

    def is_infinite(self, value: Sum) -> bool:
        """Tell whether an infinite constant is among the factors of a sum."""
        return any(self.atoms[atom][0] == "literal" for mono, _ in value for atom, _ in mono)

    def _function(self, head: str, values: Sequence[Sum]) -> Sum:
        subject: Any = (head, *values)
        match subject:
            case "cast", _, old, new if old == new or values[0] in (ZERO, ONE):
                return values[0]
            case "and", a, b:
                return self.times(a, b)
            case "or", a, b:
                return plus(plus(a, b), self.times(a, b), -1)
            case "not", a:
                return plus(ONE, a, -1)
            case "select", condition, a, b:
                return plus(self.times(condition, plus(a, b, -1)), b)
            case "sigmoid", a:
                power = self.function("exp", [plus(ZERO, a, -1)])
                return self.inverse(plus(ONE, power))
            case "pow", a, b if (
                isinstance(count := number_of(b), int) and abs(count) <= LARGEST_POWER
            ):
                return self.power(a, count)
            case "==" | "!=", a, b:
                rest = unsigned(plus(a, b, -1))
                if head == "!=":
                    return plus(ONE, self._function("==", values), -1)
                known = number_of(rest)
                if known is not None and abs(known) <= LARGEST_HELD:
                    return constant(known == 0)
                return self.made("==", OF_ELEMENTS, [rest], True)
            case "<" | ">" | "<=" | ">=", a, b:
                low, high = (a, b) if head in ("<", ">=") else (b, a)
                below = ZERO if low == high else self.made("<", OF_ELEMENTS, [low, high], True)
                return below if head in "<>" else plus(ONE, below, -1)
            case "/", a, b if b:
                return self.times(a, self.inverse(b))
            case "%", a, b:
                return plus(a, self.times(b, self._function("//", [a, b])), -1)
            case "max" | "min", a, b:
                values = sorted(values, key=lambda one: sorted(one))
                return values[0] if a == b else self.made(head, OF_ELEMENTS, values)
        return self.made(head, OF_ELEMENTS, values)

    def put(self, value: Sum, mapping: Mapping[int, Sum]) -> Sum:
        """Return a sum with others in place of indices."""
        known: dict[int, Sum] = {}

        def replaced(number: int) -> Sum:
            if number not in known:
                known[number] = self._put(number, mapping)
            return known[number]

        return self.replaced(value, replaced)

    def _put(self, number: int, mapping: Mapping[int, Sum]) -> Sum:
        if not self.free(number) & mapping.keys():
            return unit(number)
        if number in mapping:
            return mapping[number]
        head, what, arguments = self.atoms[number]
        if head in BINDERS and isinstance(what, tuple):
            own, inner = self._renamed(number, mapping)
            return self.bind(head, own, inner)
        inside = [self.put(one, mapping) for one in arguments]
        if head == "group":
            return inside[0]
        if head in LITERALS:
            return self.literal(head, what, *inside)
        if head == "cond":
            return self.chosen(*inside)
        if head == "read":
            return self.made(head, what, inside, number in self.bits)
        return self.function(head, inside)

    def _renamed(self, number: int, mapping: Mapping[int, Sum]) -> tuple[list[int], Sum]:
        """Return the indices and the body of a sum under new names."""
        names: Any = self.atoms[number][1]
        *extents, body = self.atoms[number][2]
        inner = {old: new for old, new in mapping.items() if old not in names}
        own = []
        for old, extent in zip(names, extents, strict=True):
            own.append(self.bound(Symbol("k", low=0), self.put(extent, inner)))
            inner[old] = unit(own[-1])
        return own, self.put(body, inner)

    def bind(self, head: str, own: Sequence[int], body: Sum) -> Sum:
        """Return a sum, an extremum or a product over indices."""
        if head != "sum":
            within = self.only_atom(body)
            if (
                within is not None
                and self.atoms[within][0] == head
                and isinstance(self.atoms[within][1], tuple)
            ):
                names, body = self._renamed(within, {})
                return self.bind(head, [*own, *names], body)
            usual, inner = self._named(own, body)
            return self.made(head, usual, (*(self.extents[name] for name in usual), inner))
        if self.is_infinite(body):
            raise RefusedError("it computes with an infinite constant")
        total = ZERO
        for mono, number in sorted(body, key=lambda pair: pair[0]):
            total = plus(total, self._summed(own, mono), number)
        return total

    def _summed(self, own: Sequence[int], mono: Monomial) -> Sum:
        whole: Sum = frozenset([(mono, 1)])
        for atom, power in mono:
            if self.atoms[atom][0] == "sum" and power > 0 and not self.free(atom).isdisjoint(own):
                names, inner = self._renamed(atom, {})
                others = self.times(whole, unit(atom, -1))
                return self.bind("sum", [*own, *names], self.times(others, inner))
        for name in own:
            place = self._determined(name, mono, own)
            if place is not None:
                last = plus(plus(self.extents[name], ONE, -1), place, -1)
                inside = self.times(self.literal("ge", None, place), self.literal("ge", None, last))
                body = self.times(self.put(whole, {name: place}), inside)
                return self.bind("sum", [one for one in own if one != name], body)
        used = self.free_in([whole])
        for _ in own:
            used |= self.free_in(self.extents[name] for name in own if name in used)
        counts = [self.extents[name] for name in own if name not in used]
        kept = [name for name in own if name in used]
        outside = tuple(pair for pair in mono if self.free(pair[0]).isdisjoint(kept))
        factor = reduce(self.times, counts, frozenset([(outside, 1)]))
        if not kept:
            return factor
        rest = tuple(pair for pair in mono if pair not in outside)
        usual, inner = self._named(kept, frozenset([(rest, 1)]))
        if len(inner) != 1 or next(iter(inner))[1] != 1:
            return self.times(factor, self.bind("sum", usual, inner))
        extents = [self.extents[name] for name in usual]
        return self.times(factor, self.made("sum", usual, (*extents, inner)))

    def _determined(self, name: int, mono: Monomial, own: Sequence[int]) -> Sum | None:
        """Return the only value that an index has where a product is not 0."""
        if name in self.free_in(self.extents[one] for one in own):
            return None
        if self.extents[name] == ONE:
            return ZERO
        for atom, _ in mono:
            head, what, arguments = self.atoms[atom]
            if head == "eq" and what is None and self.is_whole(arguments[0]):
                (value,) = arguments
                number = dict(value).get(((name, 1),))
                rest = plus(value, frozenset([(((name, 1),), number or 0)]), -1)
                if number in (1, -1) and name not in self.free_in([rest]):
                    return plus(ZERO, rest, -number)
        return None

    def _named(self, own: Sequence[int], body: Sum) -> tuple[tuple[int, ...], Sum]:
        """Return the indices of a sum as equal sums call them, and its body."""
        extents = [self.extents[name] for name in own]
        if not any(self.free_in(extents).intersection(own)):
            own = sorted(own, key=lambda name: sorted(self.extents[name]))
        around = self.free_in([body, *extents]).difference(own)
        level = 1 + max((self.levels[name] for name in around), default=-1)
        mapping: dict[int, Sum] = {}
        for place, name in enumerate(own):
            extent = self.put(self.extents[name], mapping)
            key = level, place, extent
            if key not in self._names:
                self._names[key] = self.bound(Symbol(f"k{level}{place}", low=0), extent, level)
            mapping[name] = unit(self._names[key])
        names = tuple(next(iter(one))[0][0][0] for one in mapping.values())
        return names, body if tuple(own) == names else self.put(body, mapping)
