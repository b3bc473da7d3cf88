"""The array type; what functions do with it is registered by `ufuncs` and `functions`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from typing import Any

import numpy as np

from gsl.dtypes import DTYPES
from gsl.numpy_dtypes import converted, is_floating, promoted
from gsl.types import ANY_FLOAT
from gslverify.comparison.bounded import UnfollowedError
from gslverify.comparison.followed_array import FollowedArray, FunctionRule

UfuncRule = Callable[..., Any]
"""Takes the ufunc and the lifted operands."""

UFUNCS: dict[Any, UfuncRule] = {}
FUNCTIONS: dict[Any, FunctionRule] = {}


class Step(Enum):
    """What a value was computed by, or is used for."""

    SUM = "sum"
    PRODUCT = "product"
    QUOTIENT = "quotient"
    FUNCTION = "function"
    FOLDED = "quotient of constants"
    NARROWED = "narrower dtype"
    OTHER = "other"


FIELD = frozenset({Step.SUM, Step.PRODUCT, Step.QUOTIENT})
"""Steps that are reordered by algebraic laws."""


@dataclass(slots=True)
class Machine:
    """A machine with the flags that it is granted, and what it has seen of a graph.

    `steps` are the kinds of steps that were taken, `functions` the names of those that were called,
    and `magnitude` is the largest number of a sum, or of what is computed from one: most of it may
    be cancelled there. With `wide` float64 has its own digits, and is not taken for float32.
    `coarse` are the results, in order, of which many operands have the same: comparisons,
    positions, whole numbers and narrower dtypes.
    """

    flags: frozenset[str] = frozenset()
    wide: bool = False
    steps: set[Step] = field(default_factory=set)
    functions: set[str] = field(default_factory=set)
    magnitude: float = 0.0
    coarse: list[Any] = field(default_factory=list)

    def digits_of(self, dtype: Any) -> int:
        """Return the binary digits to which a dtype is rounded."""
        is_wide = self.wide and np.dtype(dtype) == np.float64
        return FLOAT64_DIGITS if is_wide else digits_of(dtype)

    def made_coarse(self, result: Any) -> Any:
        """Return a result of which many operands have the same, and remember it."""
        self.coarse.append(np.asarray(result))
        return result

    def keeps(self, made_by: frozenset[Step], used_for: Step) -> bool:
        """Tell whether a value may be used without having been rounded."""
        if Step.FUNCTION in made_by:
            return "afn" in self.flags
        return all(self._keeps(step, used_for) for step in made_by)

    def _keeps(self, made_by: Step, used_for: Step) -> bool:
        flags = self.flags
        if made_by is Step.NARROWED:
            return "lossy" in flags
        if made_by is Step.PRODUCT and used_for is Step.SUM and "contract" in flags:
            return True
        if "reassoc" not in flags or (used_for is Step.FUNCTION and "afn" not in flags):
            return False
        if made_by is Step.FOLDED or (made_by is used_for is Step.QUOTIENT):
            return "arcp" in flags
        return True

    def cancels(self, *values: Any) -> None:
        """Remember numbers of which most may be cancelled."""
        for value in values:
            if np.size(value):
                finite = np.where(np.isfinite(value), np.abs(value), 0.0)
                self.magnitude = max(self.magnitude, float(np.max(finite)))


class Rounded(FollowedArray):
    """Values in float64 that stand for a dtype, and the steps since they were rounded last.

    `digits` are those that they will be rounded to. Of a quotient `parts` are numerator and
    denominator. What is computed from sums `has_sums`.
    """

    __slots__ = ("digits", "has_sums", "machine", "made_by", "parts")
    functions = FUNCTIONS
    refusal = UnfollowedError

    def __init__(
        self,
        machine: Machine,
        value: Any,
        dtype: Any,
        made_by: frozenset[Step] = frozenset(),
        digits: int = 0,
        parts: tuple[Any, Any] | None = None,
        has_sums: bool = False,
    ) -> None:
        self.machine = machine
        self.value = np.asarray(value, np.float64)
        self.dtype = np.dtype(dtype)
        self.made_by = made_by
        self.digits = digits or machine.digits_of(self.dtype)
        self.parts = parts
        self.has_sums = has_sums

    def __getitem__(self, index: Any) -> Rounded:
        return self.moved(lambda array: array[index])

    def moved(self, move: Callable[[Any], Any]) -> Rounded:
        """Return the elements after a movement of data, which commutes with rounding."""
        return self._with(move(self.value), self.dtype, self.made_by, self.digits)

    def _with(
        self, value: Any, dtype: Any, made_by: frozenset[Step] = frozenset(), digits: int = 0
    ) -> Rounded:
        """Return other values with the same history of sums."""
        return Rounded(self.machine, value, dtype, made_by, digits, has_sums=self.has_sums)

    def rounded(self) -> Any:
        """Return the values as they are stored."""
        return round_to(self.value, self.digits) if self.made_by else self.value

    @property
    def is_approximate(self) -> bool:
        """Whether the values are those of functions, as exact as float64 has them."""
        return Step.FUNCTION in self.made_by and "afn" in self.machine.flags

    def used_for(self, step: Step) -> Any:
        """Return the values as a step takes them."""
        if not self.machine.keeps(self.made_by, step):
            return self.rounded()
        return sure(self.value) if self.made_by and step is Step.OTHER else self.value

    def to_make_whole(self) -> Any:
        """Return the values of which whole numbers are made.

        Raises UnfollowedError where it is not known on which side of one a function lies.
        """
        given = self.used_for(Step.OTHER)
        if self.is_approximate:
            refuse_ties(given == np.rint(given))
        return given

    def astype(self, dtype: Any) -> Any:
        """Convert; a narrower float rounds unless the machine may leave that out."""
        wanted = np.dtype(dtype)
        if not is_floating(wanted):
            return self.machine.made_coarse(self.to_make_whole().astype(wanted))
        if wanted == self.dtype:
            return self
        wanted_digits = self.machine.digits_of(wanted)
        narrows = wanted_digits < self.machine.digits_of(self.dtype)
        if narrows or (self.made_by and wanted_digits > self.digits):
            self.machine.steps.add(Step.NARROWED)
        if "lossy" in self.machine.flags:
            digits = max(self.digits, wanted_digits)
            made_by = self.made_by | {Step.NARROWED} if narrows else self.made_by
            return self._with(self.value, wanted, made_by, digits)
        value = round_to(self.rounded(), wanted_digits)
        return self._with(self.machine.made_coarse(value) if narrows else value, wanted)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__" or options or ufunc not in UFUNCS:
            raise self.refuse_ufunc(ufunc, method, options)
        dtype = result_dtype(inputs)
        return UFUNCS[ufunc](ufunc, *(lift(operand, self.machine, dtype) for operand in inputs))

    def __repr__(self) -> str:
        made_by = sorted(step.value for step in self.made_by)
        return f"Rounded({self.value!r}, dtype={self.dtype}, made_by={made_by})"


@cache
def digits_of(dtype: Any) -> int:
    """Return the binary digits to which a dtype is rounded; float64 is taken for float32."""
    return min(DTYPES[np.dtype(dtype).name].digits, DTYPES["float32"].digits)


OF_DIGITS = {DTYPES[name].digits: name for name in ANY_FLOAT if name != "float64"}
"""The dtype that rounds to so many digits."""

FLOAT64_DIGITS = DTYPES["float64"].digits
"""With these nothing is rounded, as everything is computed in float64."""

SURE_DIGITS = 42
"""Binary digits of what is computed in float64 that do not depend on the way."""


def round_to(value: Any, digits: int) -> Any:
    """Round float64 to so many binary digits, ties to even, and to the range of that dtype.

    What was computed in two ways may lie on two sides of a tie, so it is brought onto it before.
    """
    if digits == FLOAT64_DIGITS:
        return np.asarray(value, np.float64)
    dtype = OF_DIGITS.get(digits, "float32")
    with np.errstate(all="ignore"):
        return converted(sure(value), dtype).astype(np.float64)


def sure(value: Any) -> Any:
    """Return values with the digits that do not depend on the way, so that equal ones are alike."""
    with np.errstate(all="ignore"):
        significand, exponent = np.frexp(np.asarray(value, np.float64))
        return np.ldexp(np.rint(np.ldexp(significand, SURE_DIGITS)), exponent - SURE_DIGITS)


def stepped(
    step: Step, operands: Sequence[Rounded], value: Any, parts: tuple[Any, Any] | None = None
) -> Rounded:
    """Return what a step makes of operands; approximations stay approximations."""
    first = operands[0]
    machine = first.machine
    machine.steps.add(step)
    has_sums = step is Step.SUM or any(one.has_sums for one in operands)
    if has_sums:
        machine.cancels(value, *(one.value for one in operands if step is Step.SUM))
    rough = any(Step.FUNCTION in one.made_by for one in operands) and "afn" in machine.flags
    made_by = frozenset({step, Step.FUNCTION} if rough else {step})
    narrow = any(Step.NARROWED in one.made_by for one in operands) and "lossy" in machine.flags
    dtype = result_dtype(operands)
    usual = machine.digits_of(dtype)
    digits = max(one.digits for one in operands) if narrow else usual
    made_by |= {Step.NARROWED} if narrow and digits > usual else frozenset()
    return Rounded(machine, value, dtype, made_by, digits, parts, has_sums)


def refuse_ties(tied: Any) -> None:
    """Raise UnfollowedError if numbers tie that float64 may just not tell apart.

    A hyperbolic tangent is 1 there from 20 on, while that of a larger number is still larger.
    """
    if np.any(tied):
        raise UnfollowedError("functions have values that float64 does not tell apart")


def chosen(operands: Sequence[Rounded], value: Any) -> Rounded:
    """Return elements that are among those of some operands, or are moved together."""
    made_by = frozenset().union(*(one.made_by for one in operands))
    digits = max(one.digits for one in operands)
    has_sums = any(one.has_sums for one in operands)
    dtype = result_dtype(operands)
    return Rounded(operands[0].machine, value, dtype, made_by, digits, has_sums=has_sums)


def lift(operand: Any, machine: Machine, dtype: Any) -> Rounded:
    """Return anything as rounded values; Python numbers take on `dtype`, as in NumPy."""
    if isinstance(operand, Rounded):
        return operand
    if type(operand) is float:
        return number(operand, machine, dtype)
    kind = np.dtype(dtype) if type(operand) is int else np.asarray(operand).dtype
    return stored(operand, machine, kind if is_floating(kind) else dtype)


def stored(value: Any, machine: Machine, dtype: Any) -> Rounded:
    """Return values that lie in memory."""
    return Rounded(machine, round_to(value, machine.digits_of(dtype)), dtype)


def number(value: float, machine: Machine, dtype: Any, is_quotient: bool = False) -> Rounded:
    """Return a number that a rule or an operator gives, which its dtype may have to round."""
    step = Step.FOLDED if is_quotient else Step.SUM
    return Rounded(machine, value, dtype, frozenset({step}))


def result_dtype(operands: Any) -> np.dtype[Any]:
    """Return the dtype that NumPy promotes `operands` to; Python numbers do not widen."""
    return promoted(operands)
