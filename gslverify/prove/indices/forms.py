"""Canonical forms of index terms: polynomials whose unknowns are symbols and floor divisions.

Terms with one form are equal wherever the claims hold that the forms have learnt; terms with
different forms may be equal, too, which is for the solver to find out. A remainder is written
with a quotient, a % d = a - d * (a // d), so that an index that is split and merged again
becomes itself.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from fractions import Fraction
from math import isfinite
from typing import Any

from gsl.attr.evaluate import equal
from gsl.attr.term import (
    Constant,
    Operation,
    Symbol,
    Term,
    children,
    operation,
    subterms,
)
from gsl.attr.values import BOOL, sort_of
from gslverify.prove.effort import Effort
from gslverify.prove.indices.conditionals import Conditionals
from gslverify.prove.indices.conditions import decided, joined, opposite
from gslverify.prove.indices.dividing import multiple
from gslverify.prove.indices.integers import Integers
from gslverify.prove.indices.names import Names
from gslverify.prove.indices.ranges import Ranges
from gslverify.structures.arithmetic.polynomials import (
    ONE,
    ZERO,
    Poly,
    add,
    constant_of,
    multiply,
    order,
    replaced,
    rounded,
)


class Forms:
    """Forms of the terms of one scenario."""

    def __init__(self, effort: Effort | None = None) -> None:
        self.effort = effort or Effort()
        self.atoms: list[Term] = []
        self._numbers: dict[Hashable, int] = {}
        self._polys: dict[Term, Poly] = {}
        self._known: dict[Symbol, Poly] = {}
        self.definitions: list[Term] = []
        self.names = Names()
        self.ranges = Ranges(self.atoms, self.division)
        self.conditionals = Conditionals(self.ranges, self.effort)
        self._conditions: dict[Term, Hashable] = {}
        self.is_integer = Integers()
        self._symbols: dict[int, frozenset[Symbol]] = {}

    def bound(self, symbol: Symbol, extent: Any) -> None:
        """Note that a symbol takes the values 0 .. extent - 1.

        Forms that were made of it before are made again, as they may become simpler.
        """
        is_used = symbol in self._polys
        atom, form = self._atom(symbol, symbol), self.poly(extent)
        if is_used and self.ranges.extents.get(atom) != form:
            self._forget()
        self.ranges.extents[atom] = form
        if form == ONE:
            self._known[symbol] = ZERO

    def symbols_behind(self, atoms: Iterable[int]) -> set[Symbol]:
        """Return the symbols in atoms and in what is known of these, or nothing ends."""
        found = set[Symbol]()
        stack = list(atoms)
        while stack:
            new = self.symbols_of(stack.pop()) - found
            found |= new
            known = [self._known[symbol] for symbol in new if symbol in self._known]
            stack.extend(atom for poly in known for mono, _ in poly for atom in mono)
        return found

    def symbols_of(self, atom: int) -> frozenset[Symbol]:
        """Return the symbols in an atom."""
        if atom not in self._symbols:
            parts = subterms(self.atoms[atom])
            self._symbols[atom] = frozenset(part for part in parts if isinstance(part, Symbol))
        return self._symbols[atom]

    def define(self, atom: int, value: Poly) -> None:
        """Note that an atom, which is a symbol, has a value."""
        symbol = self.atoms[atom]
        assert isinstance(symbol, Symbol)
        for other, known in self._known.items():
            self._known[other] = replaced(known, atom, value)
        self._known[symbol] = value
        self.ranges.define(atom, value)
        self._forget()

    def new_symbol(self, value: Term) -> Symbol:
        """Return a symbol that stands for a value, which is at least 1."""
        symbol = Symbol("quotient", low=1)
        self.definitions.append(equal(symbol, value))
        return symbol

    def restrict(self, atom: int, least: int) -> None:
        """Note that an atom, if it is a symbol, is at least a number."""
        if self.ranges.restrict(atom, least):
            self._forget()

    def _forget(self) -> None:
        """Have all forms made again, because they may become simpler."""
        self._polys.clear()
        self._conditions.clear()

    def bounds(self) -> Iterator[Term]:
        """Yield the bounds of symbols that claims define, which forms do not show any more."""
        for symbol in self._known:
            if symbol.low is not None:
                yield symbol >= symbol.low
            if symbol.high is not None:
                yield symbol <= symbol.high

    def same(self, left: Any, right: Any) -> bool:
        """Tell whether two terms have one form; False means nothing."""
        if left is right:
            return True
        return self.poly(left) == self.poly(right)

    def poly(self, value: Any) -> Poly:
        """Return the form of a term or number."""
        if not isinstance(value, Term):
            return self._literal(value)
        known = self._polys.get(value)
        return self._computed(value) if known is None else known

    def _computed(self, value: Term) -> Poly:
        """Compute the forms of a term and of what is below it, as far as they are not known."""
        polys, stack = self._polys, [value]
        while stack:
            part = stack[-1]
            missing = [child for child in children(part) if child not in polys]
            if missing:
                stack += missing  # the last first, as equations are solved for the latest atom
                continue
            stack.pop()
            if part not in polys:
                form = self._form(part)
                self.effort.terms(1 + len(form))
                polys[part] = form
        return polys[value]

    def _literal(self, value: Any) -> Poly:
        if isinstance(value, bool | int):
            return frozenset([((), int(value))]) if value else ZERO
        if isinstance(value, float) and isfinite(value):
            exact = Fraction(value)
            number = int(exact) if exact.denominator == 1 else exact
            return frozenset([((), number)]) if number else ZERO
        return self._unknown(("literal", repr(value)), Constant(value))

    def _atom(self, key: Hashable, term: Term) -> int:
        if key not in self._numbers:
            self._numbers[key] = len(self.atoms)
            self.atoms.append(term)
        return self._numbers[key]

    def _unknown(self, key: Hashable, term: Term) -> Poly:
        return frozenset([((self._atom(key, term),), 1)])

    def _form(self, term: Term) -> Poly:
        match term:
            case Constant(value=value):
                return self._literal(value)
            case Symbol():
                return self._symbol(term)
            case Operation(head=head, operands=operands):
                return self._operation(term, head, operands)
            case _:
                return self._unknown(("term", id(term)), term)

    def _symbol(self, symbol: Symbol) -> Poly:
        if symbol in self._known:
            return self._known[symbol]
        name = self.names.text(symbol)
        return self._literal(name) if isinstance(name, str) else self._unknown(name, name)

    def _operation(self, term: Operation, head: str, operands: tuple[Term, ...]) -> Poly:
        if head in CONDITIONS:
            return self._unknown(("condition", self.condition(term)), term)
        if head == "cond":
            return self._conditional(term)
        forms = [self._polys[operand] for operand in operands]
        if head in _ARITHMETIC:
            return _ARITHMETIC[head](forms)
        if head in ("//", "%") and all(map(self.is_integer, operands)):
            return self._division(head, *forms)
        if head == "/":
            divisor = constant_of(forms[1])
            if divisor:
                return multiply(forms[0], frozenset([((), Fraction(1) / divisor)]))
        if (number := rounded(head, forms[0])) is not None:
            return frozenset([((), number)]) if number else ZERO
        key = tuple(sorted(forms, key=order)) if head in ("min", "max") else tuple(forms)
        if head in ("min", "max") and forms[0] == forms[1]:
            return forms[0]
        return self._unknown((head, key), term)

    def _conditional(self, term: Operation) -> Poly:
        condition, *sides = term.operands
        then, otherwise = (self._polys[side] for side in sides)
        simple = self.conditionals.simplified(self.condition(condition), then, otherwise)
        if isinstance(simple, frozenset):
            return simple
        atom = self._atom(("cond", *simple), term)
        self.conditionals.note(atom, simple)
        return frozenset([((atom,), 1)])

    def _division(self, head: str, whole: Poly, divisor: Poly) -> Poly:
        quotient = self._quotient(whole, divisor)
        if head == "//":
            return quotient
        return add(whole, multiply(quotient, divisor), -1)

    def _quotient(self, whole: Poly, divisor: Poly) -> Poly:
        """Take multiples of the divisor out of a division, and what is smaller than it."""
        whole_part = multiple(whole, divisor, self.ranges.is_below)
        rest = add(whole, multiply(whole_part, divisor), -1)
        return add(whole_part, self._divided(rest, divisor))

    def _divided(self, whole: Poly, divisor: Poly) -> Poly:
        if not whole or self.ranges.is_below(whole, divisor):
            return ZERO
        if whole == divisor:
            return ONE
        a, b = constant_of(whole), constant_of(divisor)
        if a is not None and b:
            return self._literal(a // b)
        term = operation("//", self.term(whole), self.term(divisor))
        return self._unknown(("//", whole, divisor), term)

    def quotient(self, atom: int) -> tuple[Poly, Poly] | None:
        """Return the dividend and divisor of an atom that is a quotient of integers."""
        term = self.atoms[atom]
        if not isinstance(term, Operation) or term.head != "//" or not self.is_integer(term):
            return None
        whole, divisor = map(self.poly, term.operands)
        return whole, divisor

    def division(self, atom: int) -> tuple[int | None, Poly]:
        """Return the atom that another one is the quotient of, None if it is none; the divisor."""
        parts = self.quotient(atom)
        return (None, ZERO) if parts is None else (self.atom_of(parts[0]), parts[1])

    def extent(self, atom: int) -> Poly | None:
        """Return the extent of an atom that is an index, or a quotient i // d where i < n d."""
        whole, divisor = self.division(atom)
        if whole is None:
            return self.ranges.extents.get(atom)
        extent = self.extent(whole)
        if extent is None or not self.ranges.is_positive(divisor):
            return None
        count = multiple(extent, divisor, self.ranges.is_below)
        return count if multiply(count, divisor) == extent else None

    def atom_of(self, poly: Poly) -> int | None:
        """Return the atom that a polynomial consists of, None if it is more or less than one."""
        atoms = [mono[0] for mono, number in poly if len(mono) == number == 1]
        return atoms[0] if len(atoms) == len(poly) == 1 else None

    def term(self, poly: Poly) -> Any:
        """Return a term, or a number, with this form."""
        total: Any = None
        for mono, number in sorted(poly, key=lambda pair: pair[0]):
            part: Any = number
            if isinstance(number, Fraction):
                part = operation("/", number.numerator, number.denominator)
            for atom in mono:
                one = self.atoms[atom]
                part = one if isinstance(part, int) and part == 1 else part * one
            total = part if total is None else total + part
        return 0 if total is None else total

    def condition(self, value: Any) -> Hashable:
        """Return True, False or a canonical form of a condition."""
        if not isinstance(value, Term):
            return bool(value)
        if value not in self._conditions:
            self._conditions[value] = self._condition(value)
        return self._conditions[value]

    def _condition(self, term: Term) -> Hashable:
        if not isinstance(term, Operation):
            return bool(term.value) if isinstance(term, Constant) else self._opaque(term)
        if term.head in ("and", "or"):
            return joined(term.head, [self.condition(part) for part in term.operands])
        if term.head == "not":
            return opposite(self.condition(term.operands[0]))
        if term.head in _COMPARED:
            return self._comparison(term.head, *term.operands)
        if term.head == "in":
            return self._membership(term)
        return self._opaque(term)

    def _opaque(self, term: Term) -> Hashable:
        return ("is", self._atom(("term", id(term)), term))

    def _membership(self, term: Operation) -> Hashable:
        item, options = term.operands
        name = self.names.text(item)
        if isinstance(name, str) and isinstance(options, Constant):
            return bool(name in options.value)
        if not isinstance(options, Constant):
            return self._opaque(term)
        if self.names.are_apart(name, options.value):
            return False
        return ("in", self.poly(item), options.value)

    def _comparison(self, head: str, left: Term, right: Term) -> Hashable:
        texts = self.names.text(left), self.names.text(right)
        if any(isinstance(name, str) or _is_text(name) for name in texts):
            return self._same_text(head, texts)
        if sort_of(left) == BOOL or sort_of(right) == BOOL:
            return self._same_truth(head, left, right)
        low, high = (left, right) if head in ("<", "<=", "==", "!=") else (right, left)
        difference = add(self.poly(high), self.poly(low), -1)
        integral = self.is_integer(left) and self.is_integer(right)
        if head in ("==", "!="):
            if integral and any(
                map(self.ranges.is_positive, (difference, add(ZERO, difference, -1)))
            ):
                return head == "!="
            same = self.conditionals.equation(difference)
            return same if head == "==" else opposite(same)
        strict = head in ("<", ">")
        if integral and self.ranges.is_at_least(difference, int(strict)):
            return True
        if integral and self.ranges.is_at_least(add(ZERO, difference, -1), int(not strict)):
            return False
        if integral and strict:
            return decided("ge", add(difference, ONE, -1))
        return decided("gt" if strict else "ge", difference, integral)

    def _same_truth(self, head: str, left: Term, right: Term) -> Hashable:
        """Return the form of an equation of truth values, one of which is known mostly."""
        for known, other in ((left, right), (right, left)):
            if isinstance(known, Constant) and sort_of(other) == BOOL:
                form = self.condition(other)
                return form if known.value is (head == "==") else opposite(form)
        return self._opaque(operation(head, left, right))

    def _same_text(self, head: str, texts: tuple[Any, Any]) -> Hashable:
        if all(isinstance(name, str) for name in texts):
            return bool(texts[0] == texts[1]) == (head == "==")
        if texts[0] is texts[1]:
            return head == "=="
        if self.names.are_apart(*texts):
            return head == "!="
        forms = frozenset(self.poly(name) for name in texts)
        return ("eq" if head == "==" else "ne", frozenset([((), forms)]))


def _is_text(value: Any) -> bool:
    return isinstance(value, Symbol) and value.sort == "text"


CONDITIONS = frozenset({"and", "or", "not", "==", "!=", "<", "<=", ">", ">=", "in"})
_COMPARED = frozenset({"==", "!=", "<", "<=", ">", ">="})
_ARITHMETIC: Mapping[str, Callable[[list[Poly]], Poly]] = {
    "+": lambda forms: add(forms[0], forms[1]),
    "-": lambda forms: add(forms[0], forms[1], -1),
    "*": lambda forms: multiply(forms[0], forms[1]),
    "neg": lambda forms: add(ZERO, forms[0], -1),
}
