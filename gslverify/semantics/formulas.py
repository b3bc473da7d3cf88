"""Scalars as formulas of z3, with what must hold for them to have a value.

Integers of a dtype are bit-vectors, floats are reals. Functions such as exp are left open; the few
laws about them that z3 gets are those in `LAWS`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

import z3

from gslverify.semantics.laws import LAWS, OPEN, POINTS, law_of_rounding
from gslverify.semantics.scalars import (
    REAL,
    TRUTH,
    WHOLE,
    Kind,
    Scalar,
    UnsupportedError,
    operands_first,
)

MOST_BITS = 256
"""Of a whole number without a dtype."""
MOST_PAIRED = 6
"""Of so many applications of one open function it is said how they compare with each other."""


@dataclass(frozen=True, slots=True)
class Digits:
    """Which binary digits of unknown integers are open: the last ones, or the first ones.

    The others follow from the sign, or are 0.
    """

    count: int
    are_first: bool = False


ALL_DIGITS = Digits(MOST_BITS)


class Formulas:
    """Writes scalars in one context of z3.

    Whole numbers of every kind are bit-vectors with a sign and with no more bits than they may
    need. Of unknown integers only some `digits` are open.
    """

    def __init__(self, context: Any, digits: Digits = ALL_DIGITS) -> None:
        self.context = context
        self.digits = digits
        self.unknowns: dict[Scalar, Any] = {}
        self.applications: dict[str, list[tuple[Any, Any]]] = defaultdict(list)
        self._written: dict[int, Any] = {}
        self._defined: dict[int, tuple[Any, ...]] = {}

    def formula(self, one: Scalar) -> Any:
        """Return the formula of a scalar."""
        for part in operands_first([one]):
            if part.serial not in self._written:
                self._written[part.serial] = self._formula(part)
        return self._written[one.serial]

    def defined(self, one: Scalar) -> tuple[Any, ...]:
        """Return what must hold for a scalar to have a value; of a choice only what is chosen."""
        for part in operands_first([one]):
            if part.serial not in self._defined:
                self._defined[part.serial] = tuple(self._conditions(part))
        return self._defined[one.serial]

    def hold(self, conditions: Iterable[Scalar]) -> list[Any]:
        """Return that conditions have a value and hold."""
        return [f for one in conditions for f in (*self.defined(one), self.formula(one))]

    def do_not_wrap(self, roots: Sequence[Scalar]) -> Iterator[Any]:
        """Yield that no sum, difference or product of integers that is chosen wraps on the way."""
        chosen: dict[int, list[Any]] = {root.serial: [] for root in roots}
        for part in reversed(operands_first(roots)):
            ways = chosen[part.serial]
            is_chosen = z3.Or(*ways, self.context) if ways else None
            if part.kind.wraps and part.head in FITTING:
                facts = _fits(part.head, part.kind, list(map(self.formula, part.operands)))
                yield from facts if is_chosen is None else (z3.Implies(is_chosen, f) for f in facts)
            for place, operand in enumerate(part.operands):
                own = [] if is_chosen is None else [is_chosen]
                if part.head == "select" and place:
                    condition = self.formula(part.operands[0])
                    own.append(condition if place == 1 else z3.Not(condition))
                before = chosen.get(operand.serial)
                if before is None:
                    chosen[operand.serial] = [z3.And(*own, self.context)] if own else []
                elif before:
                    chosen[operand.serial] = [*before, z3.And(*own, self.context)] if own else []

    def _conditions(self, one: Scalar) -> list[Any]:
        below = [self._defined[operand.serial] for operand in one.operands]
        if one.head == "select":
            condition = self.formula(one.operands[0])
            guards = (condition, z3.Not(condition))
            branches = zip(guards, below[1:], strict=True)
            guarded = [z3.Implies(g, z3.And(*of, self.context)) for g, of in branches if of]
            return _once([*below[0], *guarded])
        own = PARTIAL.get(one.head)
        found = [condition for operand in below for condition in operand]
        if own is not None:
            found += own(one.operands[0].kind, *map(self.formula, one.operands))
        if one.head == "convert" and one.kind.wraps and one.operands[0].kind == REAL:
            value, beyond = self.formula(one.operands[0]), one.kind.least + 2**one.kind.width
            found += [value > one.kind.least - 1, value < beyond]
        return _once(found)

    def _formula(self, one: Scalar) -> Any:
        operands = [self._written[operand.serial] for operand in one.operands]
        match one.head:
            case "number":
                return self._number(one.value, one.kind)
            case "unknown":
                self.unknowns[one] = self._unknown(one.kind, f"x{len(self.unknowns)}")
                return self.unknowns[one]
            case "convert":
                return _converted(operands[0], one.operands[0].kind, one.kind)
            case "rounded":
                return self._open(f"rounded to {one.value}", operands)
            case head if head in OPEN:
                return self._open(head, operands)
            case "and" | "or":
                return (z3.And if one.head == "and" else z3.Or)(*operands, self.context)
            case "not":
                return z3.Not(operands[0])
            case "select":
                return z3.If(operands[0], *of_one_sort(operands[1:]))
        if one.operands[0].kind not in (REAL, TRUTH):
            return _of_integers(one.head, one.operands[0].kind, operands)
        if one.head not in OF_NUMBERS:
            raise UnsupportedError(f"`{one.head}` has no formula")
        return OF_NUMBERS[one.head](*operands)

    def _open(self, name: str, operands: list[Any]) -> Any:
        sort = z3.RealSort(self.context)
        result = z3.Function(name, *[sort] * (len(operands) + 1))(*operands)
        self.applications[name].append((tuple(operands), result))
        return result

    def _unknown(self, kind: Kind, name: str) -> Any:
        if kind.wraps:
            few = z3.BitVec(name, min(kind.width, self.digits.count), self.context)
            if self.digits.are_first and few.size() < kind.width:
                few = z3.Concat(few, z3.BitVecVal(0, kind.width - few.size(), self.context))
            return few if kind.signed else z3.ZeroExt(1, few)
        return {REAL: z3.Real, TRUTH: z3.Bool, WHOLE: z3.Int}[kind](name, self.context)

    def _number(self, value: Any, kind: Kind) -> Any:
        if kind == TRUTH:
            return z3.BoolVal(value, self.context)
        if kind != REAL:
            return z3.BitVecVal(value, value.bit_length() + 1, self.context)
        if not isinstance(value, Fraction):
            raise UnsupportedError("an infinite number is computed with")
        return z3.RealVal(str(value), self.context)

    def laws(self) -> Iterator[Any]:
        """Yield what is known about the open functions that occur."""
        for name, found in list(self.applications.items()):
            law = law_of_rounding(name) if name.startswith("rounded") else LAWS.get(name)
            if law is None:
                continue
            for operands, result in found:
                yield from law.each(*operands, result)
            few = found[:MOST_PAIRED] if law.monotone else ()
            for ((left,), low), ((right,), high) in combinations(few, 2):
                yield z3.Implies(left < right, law.compare(low, high))
                yield z3.Implies(right < left, law.compare(high, low))
        yield from self._of_exponentials()

    def settled(self) -> list[Any] | None:
        """Return that open functions are applied where their values are known; None if nowhere."""
        names = [name for name in self.applications if name != "sqrt"]
        if not names or not POINTS.keys() >= set(names):
            return None
        return [
            z3.Or(*POINTS[name](*operands, result), self.context)
            for name in names
            for operands, result in self.applications[name]
        ]

    def _of_exponentials(self) -> Iterator[Any]:
        """Yield exp(a) * exp(b) == exp(a + b), and what logarithms and sigmoids make of exp(a)."""
        few = self.applications.get("exp", [])[:MOST_PAIRED]
        for ((a,), left), ((b,), right) in combinations(few, 2):
            for (c,), product in few:
                yield z3.Implies(a + b == c, left * right == product)
        for (a,), power in few:
            for (b,), logarithm in self.applications.get("log", [])[:MOST_PAIRED]:
                yield z3.Implies(b == power, logarithm == a)
            for (b,), sigmoid in self.applications.get("sigmoid", [])[:MOST_PAIRED]:
                yield z3.Implies(a + b == 0, sigmoid * (1 + power) == 1)


def _once(conditions: list[Any]) -> list[Any]:
    return list({condition.get_id(): condition for condition in conditions}.values())


def value_in(model: Any, formula: Any, kind: Kind) -> Any:
    """Return what a model says that an unknown is: an int, a bool or a Fraction."""
    value = model.eval(formula, model_completion=True)
    if kind == TRUTH:
        return z3.is_true(value)
    if kind != REAL:
        return value.as_long() if z3.is_int(value) else value.as_signed_long()
    if z3.is_algebraic_value(value):
        value = value.approx(20)
    return Fraction(value.numerator_as_long(), value.denominator_as_long())


def _converted(value: Any, source: Kind, target: Kind) -> Any:
    if source == TRUTH:
        one, zero = _constants(target, value.ctx)
        return z3.If(value, one, zero)
    if source == REAL:
        whole = z3.If(value >= 0, z3.ToInt(value), -z3.ToInt(-value))
        return _wrapped(z3.Int2BV(whole, target.width), target) if target.wraps else whole
    if target == REAL:
        return z3.ToReal(_as_int(value))
    if z3.is_int(value) and target.wraps:
        value = z3.Int2BV(value, target.width)
    return _wrapped(value, target, may_be_negative=source.signed)


def _constants(kind: Kind, context: Any) -> tuple[Any, Any]:
    if kind == REAL:
        return z3.RealVal(1, context), z3.RealVal(0, context)
    return z3.BitVecVal(1, 2, context), z3.BitVecVal(0, 2, context)


def _as_int(value: Any) -> Any:
    return value if z3.is_int(value) else z3.BV2Int(value, True)


def _wrapped(value: Any, kind: Kind, may_be_negative: bool = True) -> Any:
    """Return a whole number as one of a kind has it."""
    if not kind.wraps or z3.is_int(value):
        return value
    if kind.signed:
        return _widened(value, min(value.size(), kind.width))
    if value.size() > kind.width or may_be_negative:
        return z3.ZeroExt(1, _widened(value, kind.width))
    return value


def _widened(value: Any, width: int) -> Any:
    """Return the same number with more bits, or its last bits."""
    more = width - value.size()
    return z3.SignExt(more, value) if more > 0 else z3.Extract(width - 1, 0, value)


def of_one_sort(operands: Sequence[Any]) -> list[Any]:
    """Return whole numbers with equally many bits; others stay."""
    if not any(map(z3.is_bv, operands)):
        return list(operands)
    if any(map(z3.is_int, operands)):
        return list(map(_as_int, operands))
    width = max(one.size() for one in operands)
    return [_widened(one, width) for one in operands]


def _of_integers(head: str, kind: Kind, operands: Sequence[Any]) -> Any:
    """Return a function of whole numbers; they have as many bits as they may need."""
    if head not in OF_INTEGERS:
        raise UnsupportedError(f"`{head}` of integers has no formula")
    if any(map(z3.is_int, operands)):
        return OF_NUMBERS[head](*map(_as_int, operands))
    sizes = [one.size() for one in operands]
    needed = max(sizes) + (head in ("+", "-", "//", "%"))
    needed = sum(sizes) if head == "*" else needed
    if kind.wraps and head in ("+", "-", "*"):
        needed = min(needed, kind.width + (not kind.signed))
    if needed > MOST_BITS:
        raise UnsupportedError("a whole number needs too many bits")
    found = OF_INTEGERS[head](*(_widened(one, needed) for one in operands))
    return found if z3.is_bool(found) else _wrapped(found, kind, head == "-")


def _fits(head: str, kind: Kind, operands: Sequence[Any]) -> list[Any]:
    """Return that the result of a function is an integer of the kind of its operands."""
    if any(map(z3.is_int, operands)):
        raise UnsupportedError("an integer of a dtype is computed without one")
    # Unsigned numbers have a digit more for the sign, and are not negative.
    left, right = (_widened(one, kind.width + (not kind.signed)) for one in operands)
    found = FITTING[head](left, right)
    return found if kind.signed else [*found, OF_INTEGERS[head](left, right) >= 0]


FITTING: Mapping[str, Callable[[Any, Any], list[Any]]] = {
    "+": lambda a, b: [z3.BVAddNoOverflow(a, b, True), z3.BVAddNoUnderflow(a, b)],
    "-": lambda a, b: [z3.BVSubNoOverflow(a, b), z3.BVSubNoUnderflow(a, b, True)],
    "*": lambda a, b: [z3.BVMulNoOverflow(a, b, True), z3.BVMulNoUnderflow(a, b)],
}


def _floor(value: Any) -> Any:
    return z3.ToReal(z3.ToInt(value))


def _half_even(value: Any) -> Any:
    below = z3.ToInt(value)
    rest = value - z3.ToReal(below)
    half = z3.Q(1, 2, value.ctx)
    up = z3.Or(rest > half, z3.And(rest == half, below % 2 == 1))
    return z3.ToReal(z3.If(up, below + 1, below))


def _floor_quotient(left: Any, right: Any) -> Any:
    if z3.is_real(left):
        return _floor(left / right)
    return z3.If(right > 0, left / right, (-left) / (-right))


def _signed_remainder(left: Any, right: Any) -> Any:
    rest = z3.SRem(left, right)
    return z3.If(z3.And(rest != 0, (rest < 0) != (right < 0)), rest + right, rest)


def _signed_quotient(left: Any, right: Any) -> Any:
    rest = z3.SRem(left, right)
    lower = z3.And(rest != 0, (rest < 0) != (right < 0))
    return z3.If(lower, left / right - 1, left / right)


Table = Mapping[str, Callable[..., Any]]

OF_NUMBERS: Table = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "//": _floor_quotient,
    "%": lambda a, b: a - b * _floor_quotient(a, b),
    "max": lambda a, b: z3.If(a >= b, a, b),
    "min": lambda a, b: z3.If(a <= b, a, b),
    "==": lambda a, b: a == b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    "floor": _floor,
    "round": _half_even,
}
OF_INTEGERS: Table = {
    **OF_NUMBERS,
    "//": _signed_quotient,
    "%": _signed_remainder,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    ">>": lambda a, b: a >> b,
}


def _divides(kind: Kind, left: Any, right: Any) -> list[Any]:
    found = [right != 0]
    if kind.wraps and kind.signed and left.size() == kind.width:
        found.append(z3.Not(z3.And(left == kind.least, right == -1)))
    return found


def _shifts(kind: Kind, left: Any, right: Any) -> list[Any]:
    """Numbers may have fewer digits than it takes to say how many there are."""
    if not kind.wraps:
        return [right >= 0]
    width = z3.BitVecVal(kind.width, kind.width.bit_length() + 1, right.ctx)
    count, most = of_one_sort([right, width])
    return [right >= 0, count < most]


PARTIAL: Table = {
    "/": _divides,
    "//": _divides,
    "%": _divides,
    "sqrt": lambda kind, a: [a >= 0],
    "log": lambda kind, a: [a > 0],
    "asin": lambda kind, a: [a >= -1, a <= 1],
    "acos": lambda kind, a: [a >= -1, a <= 1],
    "acosh": lambda kind, a: [a >= 1],
    "atanh": lambda kind, a: [a > -1, a < 1],
    ">>": _shifts,
    "pow": lambda kind, a, b: [z3.Or(a > 0, z3.And(z3.IsInt(b), z3.Or(a != 0, b > 0)))],
}
"""What must hold for a function to have a value, by the kind of its operands and the operands."""
