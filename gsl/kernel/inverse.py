"""Inverting index maps: which values of index variables read a given element of a tensor.

Equations "index = place" are solved for the variables by elimination over the integers. A quotient
and a remainder by a constant c of the same term t are two further unknowns q and r with t = c q + r
and 0 <= r < c. What has a coefficient other than 1 asks for divisibility, and an equation that is
not affine stays a condition, so that the worst case is a sum over all variables with a guard. An
equation like 20 a + 5 b + c = t with b < 4 and c < 5 is solved for all unknowns at once.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field

from gsl.attr.evaluate import conjunction
from gsl.attr.term import Constant, Operation, Symbol, Term, free_symbols, subterms
from gsl.kernel.affine import Affine, affine, atom, constant, settle, simplify
from gsl.kernel.terms import Extents, bounds, lies_in, structure, substitute
from gsl.types import Bool, Int


@dataclass(frozen=True, slots=True)
class Inverse:
    """How the variables depend on the place.

    Attributes:
        values: the solved variables, as terms in the place and in `free`.
        free: what stays unknown, with extents: all its values count.
        ranges: solved variables with their values that may lie outside of their extents.
        condition: what else must hold.
    """

    values: dict[Symbol, Int]
    free: tuple[tuple[Symbol, Int], ...]
    ranges: tuple[Symbol, ...]
    condition: Bool


def invert(
    indices: Sequence[Int],
    place: Sequence[tuple[Symbol, Int]],
    unknowns: Sequence[tuple[Symbol, Int]],
    known: Extents,
) -> Inverse:
    """Solve indices = place for the unknowns, the first of which are solved for first.

    Args:
        indices: terms in the unknowns.
        place: a symbol for each of them, with its extent.
        unknowns: variables with their extents.
        known: extents of other symbols in the terms.
    """
    system = _System(dict(unknowns), {**known, **dict(place)})
    system.equate(indices, [symbol for symbol, _ in place])
    system.solve()
    return system.inverse(dict(unknowns))


@dataclass(slots=True)
class _System:
    """Equations, each an affine form that is 0, and what has been solved of them.

    A solved unknown may depend on those that were solved later.
    """

    unknowns: dict[Symbol, Int]
    known: dict[Symbol, Int]
    equations: list[Affine] = field(default_factory=list)
    conditions: list[Bool] = field(default_factory=list)
    solved: dict[Symbol, Int] = field(default_factory=dict)
    parts: dict[Hashable, tuple[Affine, Affine]] = field(default_factory=dict)
    divisors: dict[Hashable, set[int]] = field(default_factory=dict)
    quotients: set[Symbol] = field(default_factory=set)

    @property
    def extents(self) -> dict[Symbol, Int]:
        return {**self.known, **self.unknowns}

    def equate(self, indices: Sequence[Int], place: Sequence[Symbol]) -> None:
        forms = [affine(index, self.extents) for index in indices]
        for form in forms:
            for part in subterms_of(form):
                dividend, divisor = division(part)
                if divisor:
                    self.divisors.setdefault(structure(dividend), set()).add(divisor)
        for form, symbol in zip(forms, place, strict=True):
            opened = self.opened(form)
            if opened is None:
                self.conditions.append(form.term() == symbol)
            else:
                self.equations.append(opened.plus(atom(symbol), -1))

    def opened(self, form: Affine) -> Affine | None:
        """Return a form with unknowns for its quotients and remainders, None if others remain."""
        result = constant(form.constant)
        for part, coefficient in form.parts.values():
            inner: Affine | None = atom(part)
            if not isinstance(part, Symbol) and free_symbols(part) & self.unknowns.keys():
                inner = self.divided(part)
            if inner is None:
                return None
            result = result.plus(inner, coefficient)
        return result

    def divided(self, part: Term) -> Affine | None:
        """Return the form of a quotient or a remainder; t // 20 is (t // 5) // 4 beside t // 5."""
        dividend, divisor = division(part)
        if not divisor:
            return None
        is_quotient = isinstance(part, Operation) and part.head == "//"
        finer = [d for d in self.divisors[structure(dividend)] if d < divisor and divisor % d == 0]
        if finer:
            unit = max(finer)
            above, times = dividend // unit, divisor // unit
            split = above // times if is_quotient else above % times * unit + dividend % unit
            self.divisors.setdefault(structure(above), set()).add(times)
            return self.opened(affine(split, self.extents))
        key = (structure(dividend), divisor)
        if key not in self.parts:
            found = self.divide(dividend, divisor)
            if found is None:
                return None
            self.parts[key] = found
        return self.parts[key][0 if is_quotient else 1]

    def divide(self, dividend: Int, divisor: int) -> tuple[Affine, Affine] | None:
        """Return unknowns for a quotient and a remainder, whose equation is added."""
        limits = bounds(dividend, self.extents)
        form = self.opened(affine(dividend, self.extents))
        if limits is None or form is None:
            return None
        low, high = limits[0] // divisor, limits[1] // divisor
        quotient, remainder = Symbol("q"), Symbol("r")
        self.unknowns |= {quotient: high - low + 1, remainder: divisor}
        self.quotients.add(quotient)
        whole = atom(quotient).plus(constant(low))
        self.equations.append(form.plus(whole, -divisor).plus(atom(remainder), -1))
        return whole, atom(remainder)

    def solve(self) -> None:
        """Solve for as much as there are equations, what leaves nothing open first."""
        while choices := [
            (self.rank(equation), place)
            for place, equation in enumerate(self.equations)
            if self.open_in(equation)
        ]:
            (kind, *_), place = min(choices)
            equation = self.equations.pop(place)
            if kind == 1:
                self.read_digits(equation)
            else:
                self.eliminate(equation)

    def open_in(self, equation: Affine) -> list[tuple[int, int, Symbol]]:
        """Return the unknowns of an equation, small coefficients and early unknowns first."""
        found = [
            (abs(coefficient), order, symbol)
            for order, symbol in enumerate(self.unknowns)
            if (coefficient := equation.coefficient(symbol))
        ]
        return sorted(found, key=lambda one: one[:2])

    def rank(self, equation: Affine) -> tuple[int, int, int]:
        """Return how early to use an equation: one unknown, digits of a number, others."""
        unknowns = self.open_in(equation)
        size, order, _ = unknowns[0]
        if len(unknowns) == 1 and size == 1:
            return (0, size, order)
        return (1 if self.are_digits(equation) else 2, size, order)

    def are_digits(self, equation: Affine) -> bool:
        """Tell whether at most one value of each unknown fits: 20 a + 5 b + c, b < 4 and c < 5."""
        least = 1
        for size, _, symbol in self.open_in(equation):
            extent = self.unknowns[symbol]
            is_upwards = equation.coefficient(symbol) * self.sign(equation) > 0
            if not isinstance(extent, int) or size < least or not is_upwards:
                return False
            least = size * extent
        return True

    def sign(self, equation: Affine) -> int:
        return 1 if equation.coefficient(self.open_in(equation)[0][2]) > 0 else -1

    def read_digits(self, equation: Affine) -> None:
        """Solve for all unknowns of an equation, from the one that counts most."""
        unknowns = self.open_in(equation)
        rest = equation.scaled(-self.sign(equation))
        for _, _, symbol in unknowns:
            rest = rest.without(symbol)
        left = rest.term()
        for size, _, symbol in reversed(unknowns):
            self.settle(symbol, left // size)
            left = left % size
        self.conditions.append(left == 0)

    def settle(self, symbol: Symbol, value: Int) -> None:
        """Take a solved unknown that is known now out of the equations."""
        self.solved[symbol] = value
        form = affine(value, self.extents)
        for number, other in enumerate(self.equations):
            times = other.coefficient(symbol)
            self.equations[number] = other.without(symbol).plus(form, times)

    def eliminate(self, equation: Affine) -> None:
        """Solve an equation for an unknown and take it out of the others, without fractions."""
        pivot, _, symbol = self.open_in(equation)[0]
        if equation.coefficient(symbol) < 0:
            equation = equation.scaled(-1)
        rest = equation.without(symbol).scaled(-1).term()
        self.solved[symbol] = rest if pivot == 1 else rest // pivot
        if pivot != 1:
            self.conditions.append(rest % pivot == 0)
        for number, other in enumerate(self.equations):
            times = other.coefficient(symbol)
            if times:
                self.equations[number] = other.scaled(pivot).plus(equation, -times)

    def inverse(self, asked: Extents) -> Inverse:
        free = tuple((s, n) for s, n in self.unknowns.items() if s not in self.solved)
        extents = {**self.known, **dict(free)}
        values: dict[Symbol, Int] = {}
        for symbol, value in reversed(self.solved.items()):
            values[symbol] = simplify(substitute(value, values), extents)
        conditions = [*self.conditions, *map(_balanced, self.equations)]
        outside = [
            symbol
            for symbol, value in values.items()
            if symbol not in self.quotients and not lies_in(value, self.unknowns[symbol], extents)
        ]
        for symbol in (one for one in outside if one not in asked):
            conditions += [values[symbol] >= 0, values[symbol] < self.unknowns[symbol]]
        return Inverse(
            values={symbol: value for symbol, value in values.items() if symbol in asked},
            free=free,
            ranges=tuple(symbol for symbol in outside if symbol in asked),
            condition=conjunction(
                *(settle(substitute(one, values), extents) for one in conditions)
            ),
        )


def division(term: Term) -> tuple[Int, int]:
    """Return dividend and divisor of a quotient or remainder by a positive number, else 0 twice."""
    match term:
        case Operation(head="//" | "%", operands=(dividend, Constant(value=int(divisor)))):
            return (dividend, divisor) if divisor > 0 else (0, 0)
        case _:
            return (0, 0)


def subterms_of(form: Affine) -> Iterator[Term]:
    """Yield the atoms of a form and all that is below them."""
    for part, _ in form.parts.values():
        yield from subterms(part)


def _balanced(equation: Affine) -> Bool:
    """Return that a form is 0, with what counts negatively on the other side."""
    negative = {key: (a, -c) for key, (a, c) in equation.parts.items() if c < 0}
    right = Affine(max(0, -equation.constant), negative)
    return equation.plus(right).term() == right.term()


def in_range(value: Int, extent: Int) -> Bool:
    """Return the condition that a value is one of an index of that extent."""
    return conjunction(value >= 0, value < extent)
