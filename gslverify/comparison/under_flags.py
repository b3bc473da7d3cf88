"""Whether source and target agree to the last bit once a compiler is granted some flags.

See `gslverify.comparison.fastmath` for what a flag lets a compiler do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any, TypeGuard

import numpy as np

from gsl.errors import GslError
from gsl.evaluate import value_or_error
from gsl.expr import Const, Expr
from gsl.numpy_dtypes import converted, finfo, is_floating
from gsl.operators.declaration import tensors
from gsl.types import ANY_FLOAT
from gslverify.comparison.bounded import UnfollowedError
from gslverify.comparison.fastmath import Machine, Rounded
from gslverify.comparison.fastmath.array import OF_DIGITS, Step, number, stored
from gslverify.evaluation_order import NETWORKS_REMEMBERED, evaluation_order

NOISE = 1e-11
"""The share of a value by which float64 may be off, far less than rounding to float32 makes."""
CANCELLED = 4e-15
"""The same relative to the largest number of a sum on the way, of which most may be cancelled."""

ACCURACY = 16.0
"""Units of its dtype by which a function may be off that takes the place of another one."""


@dataclass(frozen=True, slots=True)
class Sides:
    """Both sides of a rewrite on some inputs; `folded` are constants that are quotients."""

    source: Sequence[Expr]
    target: Sequence[Expr]
    inputs: Mapping[str, Any]
    folded: frozenset[Expr] = frozenset()


@dataclass(frozen=True, slots=True)
class Apart:
    """An element in which both sides differ although some flags are granted, one of `total`."""

    output: int
    total: int
    place: tuple[int, ...]
    source: Any
    target: Any


@dataclass(frozen=True, slots=True)
class Agreement:
    """What became of both sides on a machine: where they part, and which flags could matter."""

    apart: Apart | None
    candidates: frozenset[str]
    replaces_functions: bool


def compare_under(flags: Set[str], sides: Sides) -> Agreement | None:
    """Compare both sides on a machine that is granted `flags`; None if they cannot be followed.

    A constant is the number that its dtype holds or the one that was written, on both sides: rules
    compute others from either.
    """
    found = _compared_with_constants(flags, sides, wide=False)
    if found is None or not mixes_dtypes(sides):
        return found
    wide = _compared_with_constants(flags, sides, wide=True)
    return None if wide is None else merged(found, wide)


def merged(one: Agreement, other: Agreement) -> Agreement:
    """Return what became of both: where they part first, and all flags that could matter."""
    return Agreement(
        one.apart or other.apart,
        one.candidates | other.candidates,
        one.replaces_functions or other.replaces_functions,
    )


def _compared_with_constants(flags: Set[str], sides: Sides, wide: bool) -> Agreement | None:
    first = _compared(flags, sides, wide, as_held=False)
    if first is None or first.apart is None or not _rounds_constants(sides):
        return first
    return _compared(flags, sides, wide, as_held=True)


def coarse_results(outputs: Sequence[Expr], sides: Sides) -> list[Any]:
    """Return what many operands have in common as their result, none if it cannot be followed."""
    machine = Machine(wide=mixes_dtypes(sides))
    try:
        _evaluated(machine, outputs, sides, frozenset())
    except (GslError, UnfollowedError, IndexError):
        return []
    return machine.coarse


def values_of_steps(sides: Sides) -> tuple[list[Any], list[Any]] | None:
    """Return what both sides are where each step of an operator is rounded, as that of a graph is.

    None is returned if they cannot be followed.
    """
    machine = Machine(wide=mixes_dtypes(sides))
    try:
        both = [
            _evaluated(machine, side, sides, frozenset()) for side in (sides.source, sides.target)
        ]
    except (GslError, UnfollowedError, IndexError):
        return None
    before, after = ([_as_held(value) for value in side] for side in both)
    return before, after


def _as_held(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_as_held, value))
    if not isinstance(value, Rounded):
        return value
    with np.errstate(all="ignore"):
        return converted(value.rounded(), value.dtype.name)


def mixes_dtypes(sides: Sides) -> bool:
    """Tell whether numbers are float64 in one place and another float dtype in another."""
    return _has_mixed((*sides.source, *sides.target))


@lru_cache(maxsize=NETWORKS_REMEMBERED)
def _has_mixed(outputs: tuple[Expr, ...]) -> bool:
    types = tensors(tuple(expr.type for expr in evaluation_order(outputs)))
    used = {one.dtype for one in types if one.dtype in ANY_FLOAT}
    return "float64" in used and len(used) > 1


def _rounds_constants(sides: Sides) -> bool:
    exprs = evaluation_order((*sides.source, *sides.target))
    constants = (one for one in exprs if isinstance(one, Const) and one.asked is not None)
    return any(one.asked != float(one.value) for one in constants)


def _compared(flags: Set[str], sides: Sides, wide: bool, as_held: bool) -> Agreement | None:
    mine, theirs = Machine(frozenset(flags), wide), Machine(frozenset(flags), wide)
    known = _held_constants(sides) if as_held else frozenset()
    try:
        before = _evaluated(mine, sides.source, sides, known)
        after = _evaluated(theirs, sides.target, sides, known)
    except (GslError, UnfollowedError, IndexError):
        return None
    noise = CANCELLED * max(mine.magnitude, theirs.magnitude)
    replaces = mine.functions != theirs.functions
    units = ACCURACY if replaces and "afn" in flags else 0.0
    candidates = _candidates(mine.steps | theirs.steps)
    return Agreement(_first_apart(before, after, noise, units), candidates, replaces)


def _held_constants(sides: Sides) -> frozenset[float]:
    """Return the numbers that constants of the source hold, which are no results of a rule."""
    exprs = evaluation_order(tuple(sides.source))
    constants = (one for one in exprs if isinstance(one, Const) and one.asked is not None)
    return frozenset(float(one.value) for one in constants)


def _candidates(steps: Set[Step]) -> frozenset[str]:
    """Return the flags that can make a difference to graphs with these steps."""
    found = {flag for flag, needed in STEPS_OF.items() if needed <= steps}
    return frozenset(found | ({"reassoc"} if steps & FIELD_STEPS else set()))


STEPS_OF: Mapping[str, frozenset[Step]] = {
    "contract": frozenset({Step.PRODUCT, Step.SUM}),
    "arcp": frozenset({Step.QUOTIENT}),
    "afn": frozenset({Step.FUNCTION}),
    "lossy": frozenset({Step.NARROWED}),
}
FIELD_STEPS = frozenset({Step.SUM, Step.PRODUCT, Step.QUOTIENT})


def sets_to_try(agreement: Agreement) -> Iterator[frozenset[str]]:
    """Yield sets of flags, small ones first, and of these the one that says more about the rule.

    Where both sides call different functions, nothing but `afn` lets one take the other's place.
    """
    usable = [flag for flag in ORDER if flag in agreement.candidates]
    for size in range(1, len(usable) + 1):
        for flags in map(frozenset, combinations(usable, size)):
            if "afn" in flags or not agreement.replaces_functions:
                yield flags


ORDER = ("contract", "arcp", "reassoc", "afn", "lossy")


def _evaluated(
    machine: Machine, outputs: Sequence[Expr], sides: Sides, held: Set[float]
) -> list[Any]:
    values: dict[Expr, Any] = {}
    with np.errstate(all="ignore"):
        for expr in evaluation_order(tuple(outputs)):
            if _is_written(expr) and float(expr.value) not in held:
                is_quotient = expr in sides.folded
                values[expr] = number(float(expr.asked or 0), machine, expr.dtype, is_quotient)
                continue
            operands = [values[operand] for operand in expr.operands]
            values[expr] = _lifted(value_or_error(expr, operands, sides.inputs), machine)
    return [values[output] for output in outputs]


def _is_written(expr: Expr) -> TypeGuard[Const]:
    """Tell whether the number is known that a rule or a network asked for."""
    return isinstance(expr, Const) and expr.asked is not None and bool(np.isfinite(expr.asked))


def _lifted(value: Any, machine: Machine) -> Any:
    if isinstance(value, tuple | list):
        return tuple(_lifted(part, machine) for part in value)
    if isinstance(value, Rounded) or not is_floating(np.asarray(value).dtype):
        return value
    return stored(value, machine, np.asarray(value).dtype)


def _first_apart(
    before: Sequence[Any], after: Sequence[Any], noise: float, units: float
) -> Apart | None:
    for output, pair in enumerate(zip(before, after, strict=True)):
        for one, other in _flat(*pair):
            found = _apart(one, other, noise, units)
            if found is not None:
                return Apart(output, one.size, *found)
    return None


def _flat(one: Any, other: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(one, tuple):
        for pair in zip(one, other, strict=True):
            yield from _flat(*pair)
    else:
        yield one, other


def _apart(
    one: Any, other: Any, noise: float, units: float
) -> tuple[tuple[int, ...], Any, Any] | None:
    if not isinstance(one, Rounded):
        wrong, mine, theirs = np.asarray(one != other), np.asarray(one), np.asarray(other)
    else:
        mine, theirs = one.rounded(), other.rounded()
        with np.errstate(all="ignore"):
            gap = np.abs(one.value - other.value)
        usable = np.isfinite(mine) & np.isfinite(theirs)
        share = NOISE + units * 2.0**-one.digits
        least = units * float(finfo(OF_DIGITS.get(one.digits, "float32")).smallest_subnormal)
        wrong = usable & (mine != theirs) & ~(gap <= share * np.abs(one.value) + noise + least)
    if not wrong.any():
        return None
    place = tuple(map(int, np.argwhere(wrong)[0]))
    dtype = one.dtype
    return place, mine[place].astype(dtype).item(), theirs[place].astype(dtype).item()
