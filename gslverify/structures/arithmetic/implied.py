"""Conditions that follow from claims by arithmetic alone, so that no solver has to be asked.

Terms are brought into normal forms: sums of products of atoms with rational coefficients, where
definitions are put in the place of what they define; arithmetic of reals rounds and is an atom. A
condition whose normal form is true, or is that of a claim, certainly holds; nothing follows from
one that is not found to hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import isfinite, prod
from typing import Any

from gsl.attr.conjuncts import conjuncts
from gsl.attr.term import Constant, Operation, Symbol, Term, subterms
from gslverify.structures.arithmetic.polynomials import (
    ARITHMETIC,
    ONE,
    ZERO,
    add,
    constant_of,
    frozen,
    is_polynomial,
    negative,
)
from gslverify.structures.arithmetic.quotients import Quotients

MOST_MONOMIALS = 24
PARTIAL = frozenset({"/", "//", "%", "sqrt"})
NUMERIC = frozenset({"+", "-", "*", "neg"})
ROUNDING = frozenset({"+", "-", "*", "//", "%"})


class Consequences:
    """What follows from some claims, given which symbols are defined by which terms.

    Definitions must not depend on themselves, and every one must be a claim.
    """

    def __init__(self, claims: Iterable[Term], definitions: Mapping[Symbol, Term]) -> None:
        self._definitions = definitions
        self._atoms: dict[Any, int] = {}
        self._forms: dict[Term, Any] = {}
        self._reals: set[Term] = set()
        self._bounds: dict[int, Fraction | None] = {}
        self._broadcasts: dict[int, frozenset[Any]] = {}
        self._remainders: dict[int, tuple[Any, Any]] = {}
        self._divisors: dict[Any, tuple[Any, ...]] = {}
        self._known: set[Any] = set()
        self._members: dict[Any, frozenset[Any]] = {}
        self._compatible: list[frozenset[Any]] = []
        self._quotients = Quotients(self._least, self._quotient)
        parts = [one for claim in claims for one in conjuncts(claim)]
        for one in parts:
            self._learn_bound(one)
        for one in parts:
            self._learn(self.form(one))

    def _learn_bound(self, claim: Term) -> None:
        """Note the least value of a symbol, or of the one that defines it, if a claim says that."""
        match claim:
            case Operation(head=">=", operands=(Symbol() as symbol, Constant(value=int() as low))):
                form = self.form(symbol)
                own = [number for mono, count in form for number in mono if count == 1]
                if form == frozen({tuple(own): Fraction(1)}) and len(own) == 1:
                    known = self._bounds[own[0]]
                    least = Fraction(low)
                    self._bounds[own[0]] = least if known is None else max(least, known)

    def _learn(self, form: Any) -> None:
        self._known.add(form)
        match form:
            case ("zero", frozenset() as whole) if len(whole) == 1:
                ((monomial, _),) = whole
                if len(monomial) == 1 and monomial[0] in self._remainders:
                    rest, divisor = self._remainders[monomial[0]]
                    self._divisors[rest] = (*self._divisors.get(rest, ()), divisor)
        if isinstance(form, tuple) and form[0] == "in":
            _, item, options = form
            self._members[item] = self._members.get(item, options) & options
        sizes = self._broadcast_of(form)
        if sizes is not None:
            self._compatible.append(sizes)

    def hold(self, condition: Term) -> bool:
        """Tell whether a condition is found to be true, and to have a value, where claims hold."""
        return self._is_total(condition) and self._is_true(self.form(condition))

    def _is_total(self, condition: Term) -> bool:
        """Tell whether no division in a term can be by zero."""
        partial = (
            part
            for part in subterms(condition)
            if isinstance(part, Operation) and part.head in PARTIAL
        )
        return all(part.head != "sqrt" and self._is_nonzero(part.operands[1]) for part in partial)

    def _is_nonzero(self, divisor: Term) -> bool:
        match divisor:
            case Constant(value=value):
                return bool(value != 0)
            case Symbol(sort="int") if divisor.low is not None and divisor.low >= 1:
                return True
        least = self._least(self.form(divisor)) if divisor not in self._reals else None
        return least is not None and least >= 1

    def _is_true(self, form: Any) -> bool:
        if form is True or form in self._known:
            return True
        match form:
            case ("and", parts):
                return all(map(self._is_true, parts))
            case ("or", parts):
                return any(map(self._is_true, parts)) or self._is_compatible(form)
            case ("in", item, options):
                return item in self._members and self._members[item] <= options
        return self._is_bounded(form)

    def _is_bounded(self, form: Any) -> bool:
        """Tell whether an inequality follows from the least values of its terms."""
        match form:
            case ("not", ("negative", gap)):
                least = self._least(gap)
                return least is not None and least >= 0
            case ("negative", gap) if is_polynomial(gap):
                least = self._least(negative(gap))
                return least is not None and least > 0
        return False

    def _least(self, form: Any) -> Fraction | None:
        """Return a lower bound of a number, which is that of its terms where no factor is negative.

        None when there is none.
        """
        if not is_polynomial(form):
            return None
        total = Fraction(0)
        for monomial, coefficient in form:
            if not monomial:
                total += coefficient
                continue
            bounds = [self._bounds[number] for number in monomial]
            if coefficient < 0 or any(bound is None or bound < 0 for bound in bounds):
                return None
            total += coefficient * prod(bound for bound in bounds if bound is not None)
        return total

    def _is_compatible(self, form: Any) -> bool:
        sizes = self._broadcast_of(form)
        return sizes is not None and any(sizes <= known for known in self._compatible)

    def _broadcast_of(self, form: Any) -> frozenset[Any] | None:
        """Return the sizes that a condition says to broadcast to each other.

        That is: they are equal but for those that are 1. A condition on two of them is
        `a == b or a == 1 or b == 1`, where `a` and `b` may be what others are broadcast to.
        """
        if not (isinstance(form, tuple) and form[0] == "or" and len(form[1]) == 3):
            return None
        ones = [self._equal_to_one(part) for part in form[1]]
        sides = [side for side in ones if side is not None]
        if len(sides) != 2 or _equation(*sides) not in form[1]:
            return None
        parts = frozenset().union(*map(self._sizes_of, sides))
        wholes = [side for side in sides if len(self._sizes_of(side)) > 1]
        known = all(any(self._sizes_of(w) <= k for k in self._compatible) for w in wholes)
        return parts if known else None

    def _equal_to_one(self, form: Any) -> Any:
        """Return the number that a condition equates to 1, None if that is not what it does."""
        if not (isinstance(form, tuple) and form[0] == "zero"):
            return None
        number = add(form[1], ONE)
        return number if len(number) == 1 and constant_of(number) is None else None

    def _sizes_of(self, size: Any) -> frozenset[Any]:
        """Return the sizes that a size is broadcast from, itself alone if it is not."""
        if is_polynomial(size) and len(size) == 1:
            ((monomial, coefficient),) = size
            if coefficient == 1 and len(monomial) == 1 and monomial[0] in self._broadcasts:
                return self._broadcasts[monomial[0]]
        return frozenset((size,))

    def form(self, term: Term) -> Any:
        """Return the normal form of a term: a truth value, text, or something hashable."""
        stack = [term]
        while stack:
            part = stack[-1]
            missing = [one for one in self._parts(part) if one not in self._forms]
            if missing:
                stack += missing[::-1]
                continue
            stack.pop()
            if part not in self._forms:
                self._forms[part] = self._computed(part)
        return self._forms[term]

    def _parts(self, term: Term) -> tuple[Term, ...]:
        """Return the terms whose forms a form is made of."""
        match term:
            case Symbol() if term in self._definitions:
                return (self._definitions[term],)
            case Operation(operands=operands):
                return operands
        return ()

    def _computed(self, term: Term) -> Any:
        """Return the form of a term whose parts have theirs."""
        self._reals.update([term] if self._is_real(term) else ())
        match term:
            case Constant(value=bool() | str() as value):
                return value
            case Constant(value=int() | float() as value) if isfinite(value):
                return frozen({(): Fraction(value)} if value else {})
            case Symbol():
                if term in self._definitions:
                    return self._forms[self._definitions[term]]
                return self._variable(term)
            case Operation(head=head, operands=operands):
                return self._operation(head, [self._forms[part] for part in operands], term)
        return ("term", id(term))

    def _variable(self, symbol: Symbol) -> Any:
        if symbol.sort in ("text", "bool"):
            return (symbol.sort, id(symbol))
        low = None if symbol.low is None else Fraction(symbol.low)
        return self._atom(("symbol", id(symbol)), low)

    def _atom(self, key: Any, least: Fraction | None) -> Any:
        number = self._atoms.setdefault(key, len(self._atoms))
        self._bounds.setdefault(number, least)
        return frozen({(number,): Fraction(1)})

    def _is_real(self, term: Term) -> bool:
        """Tell whether a term may be a real number, whose arithmetic rounds."""
        match term:
            case Symbol(sort=sort):
                return sort == "real"
            case Constant(value=value):
                return isinstance(value, float)
            case Operation(head=head, operands=operands) if head not in ("/", "sqrt"):
                sides = operands[1:] if head == "cond" else operands
                keeps = head in (*ROUNDING, "neg", "abs", "min", "max", "cond")
                return keeps and not self._reals.isdisjoint(sides)
        return True

    def _operation(self, head: str, forms: list[Any], term: Operation) -> Any:
        if head in ROUNDING and term in self._reals:
            return self._atom((head, *forms), None)
        if head in NUMERIC and all(map(is_polynomial, forms)):
            made = ARITHMETIC[head](*forms)
            if len(made) <= MOST_MONOMIALS:
                return made
        match head:
            case "and" | "or":
                return _joined(head, forms)
            case "not":
                return _negated(forms[0])
            case "==":
                return _equation(*forms)
            case "!=":
                return _negated(_equation(*forms))
            case "<" | "<=" | ">" | ">=":
                return _order(head, *forms)
            case "cond":
                return self._choice(forms)
            case "in":
                return _membership(forms[0], term.operands[1])
            case "//" if all(map(is_polynomial, forms)) and term not in self._reals:
                return self._quotients.of(*forms)
            case "%" if all(map(is_polynomial, forms)) and term not in self._reals:
                return self._remainder(self._quotients.rest_of(*forms), forms[1])
            case "min" | "max":
                one = forms[0] == forms[1]
                key = (head, frozenset(forms))
                return forms[0] if one else self._atom(key, self._bound(head, forms))
        return self._atom((head, *forms), self._bound(head, forms))

    def _remainder(self, rest: Any, divisor: Any) -> Any:
        """Return the form of a remainder: 0 of what is a multiple of a multiple of the divisor."""
        whole = self._divisors.get(rest, ())
        if any(constant_of(self._quotients.rest_of(one, divisor)) == 0 for one in whole):
            return ZERO
        if constant_of(rest) == 0:
            return rest
        form = self._atom(("%", rest, divisor), None)
        (((number,), _),) = form
        self._remainders[number] = rest, divisor
        return form

    def _quotient(self, *forms: Any) -> Any:
        return self._atom(("//", *forms), self._bound("//", list(forms)))

    def _bound(self, head: str, forms: list[Any]) -> Fraction | None:
        """Return a lower bound of the result of an operation."""
        least = [self._least(form) for form in forms]
        known = [bound for bound in least if bound is not None]
        match head:
            case "max":
                return max(known, default=None)
            case "min" | "cond":
                every = known if head == "min" else [b for b in least[1:] if b is not None]
                return min(every) if len(every) == 2 else None
            case "//" if len(known) == 2 and known[0] >= 0 and known[1] > 0:
                return Fraction(0)
        return None

    def _choice(self, forms: list[Any]) -> Any:
        condition, then, otherwise = forms
        if then == otherwise or self._is_true(condition):
            return then
        if condition is False or self._is_true(_negated(condition)):
            return otherwise
        size = self._equal_to_one(condition)
        if size is not None and size == otherwise:
            if is_polynomial(then) and constant_of(then) == 1:
                return size
            sizes = self._sizes_of(size) | self._sizes_of(then)
            if any(sizes <= known for known in self._compatible):
                return self._broadcast(sizes)
        return self._atom(("cond", *forms), self._bound("cond", forms))

    def _broadcast(self, sizes: frozenset[Any]) -> Any:
        bounds = [self._least(size) for size in sizes]
        least = min((b for b in bounds if b is not None), default=None)
        form = self._atom(("broadcast", sizes), None if None in bounds else least)
        (((number,), _),) = form
        self._broadcasts[number] = sizes
        return form


def _membership(item: Any, options: Term) -> Any:
    """Only names are looked at: that 1 equals True is none of our business."""
    if not isinstance(options, Constant) or not all(isinstance(o, str) for o in options.value):
        return ("term", id(options), item)
    return (
        item in options.value if isinstance(item, str) else ("in", item, frozenset(options.value))
    )


def _order(head: str, left: Any, right: Any) -> Any:
    if not (is_polynomial(left) and is_polynomial(right)):
        return (head, left, right)
    gap = add(left, right, -1) if head in ("<", ">=") else add(right, left, -1)
    # Now `gap < 0` or `gap >= 0`.
    number = constant_of(gap)
    if number is not None:
        return (number < 0) == (head in ("<", ">"))
    negative = ("negative", gap)
    return negative if head in ("<", ">") else ("not", negative)


def _joined(head: str, forms: Iterable[Any]) -> Any:
    parts: set[Any] = set()
    for form in forms:
        if form is (head == "or"):
            return form
        if form is (head == "and"):
            continue
        if isinstance(form, tuple) and form[0] == head:
            parts |= form[1]
        else:
            parts.add(form)
    if len(parts) == 1:
        return parts.pop()
    return (head, frozenset(parts)) if parts else head == "and"


def _negated(form: Any) -> Any:
    if isinstance(form, bool):
        return not form
    if isinstance(form, tuple) and form[0] == "not":
        return form[1]
    return ("not", form)


def _equation(left: Any, right: Any) -> Any:
    if left == right and type(left) is type(right):
        return True
    if is_polynomial(left) and is_polynomial(right):
        gap = dict(add(left, right, -1))
        if gap.keys() == {()}:
            return False
        leading = Fraction(gap[max(gap)])
        return ("zero", frozen({mono: number / leading for mono, number in gap.items()}))
    if isinstance(left, str) and isinstance(right, str):
        return False
    return ("equal", frozenset((left, right)))
