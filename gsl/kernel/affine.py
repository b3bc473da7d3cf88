"""Affine forms of index terms: a constant and multiples of atoms, like atoms counted together.

An atom is a symbol, or a term that is not affine itself, such as a quotient. Quotients and
remainders by a constant lose what is a multiple of it: (16 * a + b) // 16 is a for b < 16.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

from gsl.attr.evaluate import PYTHON
from gsl.attr.term import Constant, Operation, Symbol, Term, bottom_up
from gsl.errors import KernelError
from gsl.kernel.functions import COMPARISONS
from gsl.kernel.terms import Bounds, Extents, bounds, structure
from gsl.types import Bool, Int


@dataclass(frozen=True, slots=True)
class Affine:
    """`constant` and the sum of all atoms times their coefficients, none of which is 0."""

    constant: int
    parts: Mapping[Hashable, tuple[Term, int]]

    def plus(self, other: Affine, times: int = 1) -> Affine:
        """Return this and `times` the other."""
        parts = dict(self.parts)
        for key, (atom, coefficient) in other.parts.items():
            total = parts.get(key, (atom, 0))[1] + times * coefficient
            parts[key] = (atom, total)
        kept = {key: part for key, part in parts.items() if part[1]}
        return Affine(self.constant + times * other.constant, kept)

    def scaled(self, times: int) -> Affine:
        """Return this, multiplied."""
        return Affine(0, {}).plus(self, times)

    def coefficient(self, symbol: Symbol) -> int:
        """Return how often a symbol counts."""
        return self.parts.get(structure(symbol), (symbol, 0))[1]

    def without(self, symbol: Symbol) -> Affine:
        """Return this with 0 for a symbol."""
        key = structure(symbol)
        return Affine(self.constant, {k: part for k, part in self.parts.items() if k != key})

    @property
    def is_constant(self) -> bool:
        """Whether there are no atoms."""
        return not self.parts

    def term(self) -> Int:
        """Return the form as a term, positive parts first, or as an int."""
        pieces = sorted(self.parts.values(), key=lambda part: part[1] < 0)
        is_first = self.constant > 0 and bool(pieces) and pieces[0][1] < 0
        total: Int = self.constant if is_first else 0
        for atom, coefficient in pieces:
            total = _joined(total, atom, coefficient)
        if is_first or not self.constant:
            return total
        return total + self.constant if self.constant > 0 else total - -self.constant


def _joined(total: Int, atom: Term, coefficient: int) -> Int:
    size = abs(coefficient)
    piece = atom if size == 1 else atom * size
    if isinstance(total, int) and total == 0:
        return piece if coefficient > 0 else -piece
    return total + piece if coefficient > 0 else total - piece


def constant(value: int) -> Affine:
    """Return the form of a number."""
    return Affine(value, {})


def atom(term: Term) -> Affine:
    """Return the form of a term that is taken as it is."""
    return Affine(0, {structure(term): (term, 1)})


def affine(term: Int, extents: Extents) -> Affine:
    """Return the affine form of an index term; raise KernelError where it divides by zero."""
    if not isinstance(term, Term):
        return constant(int(term))
    known: dict[Term, Affine] = {}
    for part in bottom_up(term):
        match part:
            case Constant(value=int(value)):
                known[part] = constant(value)
            case Operation(head=head, operands=operands):
                known[part] = _operation(head, [known[one] for one in operands], extents)
            case _:
                known[part] = atom(part)
    return known[term]


def _operation(head: str, operands: list[Affine], extents: Extents) -> Affine:
    match head, operands:
        case "+", [left, right]:
            return left.plus(right)
        case "-", [left, right]:
            return left.plus(right, -1)
        case "neg", [operand]:
            return operand.scaled(-1)
        case "*", [left, right] if left.is_constant:
            return right.scaled(left.constant)
        case "*", [left, right] if right.is_constant:
            return left.scaled(right.constant)
        case (("//" | "%"), [left, right]) if right.is_constant:
            return _division(head, left, right.constant, extents)
        case _:
            applied = PYTHON[head](*(operand.term() for operand in operands))
            return atom(applied) if isinstance(applied, Term) else constant(int(applied))


def _division(head: str, dividend: Affine, divisor: int, extents: Extents) -> Affine:
    if divisor == 0:
        raise KernelError("an index divides by zero")
    whole = Affine(
        dividend.constant // divisor,
        {k: (a, c // divisor) for k, (a, c) in dividend.parts.items() if c % divisor == 0},
    )
    rest = dividend.plus(whole, -divisor)
    found = bounds(rest.term(), extents)
    if found is not None and divisor > 0 and found[0] // divisor == found[1] // divisor:
        quotient = found[0] // divisor
        if head == "//":
            return whole.plus(constant(quotient))
        return rest.plus(constant(-quotient * divisor))
    left = PYTHON[head](rest.term(), divisor)
    return atom(left).plus(whole) if head == "//" else atom(left)


def simplify(term: Int, extents: Extents) -> Int:
    """Return an index in its simplest form: the affine one."""
    return affine(term, extents).term()


def settle(condition: Bool, extents: Extents) -> Bool:
    """Return a condition in its simplest form, True or False where bounds decide it."""
    match condition:
        case Operation(head="and" | "or" | "not" as head, operands=operands):
            return PYTHON[head](*(settle(operand, extents) for operand in operands))
        case Operation(head=head, operands=(left, right)) if head in COMPARISONS:
            sides = affine(left, extents), affine(right, extents)
            difference = bounds(sides[0].plus(sides[1], -1).term(), extents)
            if difference is not None:
                answers = {PYTHON[head](value, 0) for value in _signs(difference)}
                if len(answers) == 1:
                    return answers.pop()
            return PYTHON[head](*(side.term() for side in sides))
        case _:
            return condition


def _signs(limits: Bounds) -> list[int]:
    """Return -1, 0 and 1 where values between the limits are negative, 0 and positive."""
    found = {-1: limits[0] < 0, 0: limits[0] <= 0 <= limits[1], 1: limits[1] > 0}
    return [sign for sign, is_there in found.items() if is_there]
