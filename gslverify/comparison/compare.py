"""Compare what source and target compute, element by element, with what may be concluded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from gsl.errors import GslError
from gsl.evaluate import value_of
from gsl.expr import Call, Const, Expr
from gsl.numpy_dtypes import converted, is_floating
from gsl.types import ANY_FLOAT, ANY_INTEGER, TensorType
from gslverify.comparison.approximations import approximated
from gslverify.comparison.bounded import PRECISIONS, Bounded, number, written
from gslverify.comparison.references import failure_of
from gslverify.evaluation_order import NETWORKS_REMEMBERED, evaluation_order
from gslverify.finding import Difference, Mismatch
from gslverify.structures.kernels import computes_sums, converts

MOST_ELEMENTS_SHOWN = 5
LARGEST = {np.dtype(name): one.largest for name, one in PRECISIONS.items()}
FILLS = frozenset(("fill_value", "on_value", "off_value"))
"""Attributes whose numbers are elements of results."""


class UndefinedError(GslError):
    """An operator gets values on which it is not defined, such as an index out of range."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The outcome for one output.

    `exact` says that no rounding was involved, `compared` how many elements could be compared;
    elements on which the source itself is not finite, or where the bound is not, are left out.
    """

    exact: bool
    compared: int
    total: int
    difference: Difference | None = None


def evaluate_bounded(
    outputs: Sequence[Expr], inputs: Mapping[str, Any], known: Mapping[Expr, Any] | None = None
) -> tuple[list[Any], dict[Expr, Any]]:
    """Return the outputs and the value of every expression, floats with an error bound.

    Expressions whose values for the same inputs are `known` are not computed again. Raises
    AmbiguousError when a decision on the way depends on rounding, UndefinedError, and
    ReferenceFailureError for operators of others.
    """
    known = known or {}
    values: dict[Expr, Any] = {}
    rounded = _rounded_integers(tuple(outputs))
    with np.errstate(all="ignore"):
        for expr in evaluation_order(tuple(outputs)):
            if expr in known:
                values[expr] = known[expr]
                continue
            operands = [values[operand] for operand in expr.operands]
            values[expr] = computed(expr, operands, inputs)
            if expr in rounded:
                values[expr] = _with_rounding(_before_rounding(expr, operands), values[expr])
    return [values[output] for output in outputs], values


@lru_cache(maxsize=NETWORKS_REMEMBERED)
def _rounded_integers(outputs: tuple[Expr, ...]) -> frozenset[Expr]:
    """Return integers made into floats, by conversion or as a range, only added and multiplied.

    What is converted again, compared or an output is the number that the dtype holds.
    """
    order = evaluation_order(outputs)
    calls = [one for one in order if isinstance(one, Call)]
    found = {one for one in calls if _makes_floats(one)}.difference(outputs)
    for one in calls if found else ():
        if not computes_sums(one):
            found.difference_update(one.operands)
    return frozenset(found)


def _makes_floats(call: Call) -> bool:
    match call:
        case Call(type=TensorType(dtype=made), operands=(Expr(type=TensorType(dtype=given)),)):
            return given in ANY_INTEGER and made in ANY_FLOAT and converts(call)
        case Call(type=TensorType(dtype=made), operands=()):
            return made in ANY_FLOAT and _integers_of(call) is not None
        case _:
            return False


def _before_rounding(expr: Expr, operands: list[Any]) -> Any:
    """Return the integers that an expression makes into floats."""
    match expr:
        case Call(operands=()) if (integers := _integers_of(expr)) is not None:
            return value_of(integers, [], {})
        case _:
            return operands[0]


def _integers_of(call: Call) -> Call | None:
    """Return a call that makes numbers of its attributes, as one that makes them as integers."""
    if "dtype" not in call.attributes or not FILLS.isdisjoint(call.attributes):
        return None
    try:
        return Call(call.operator, (), {**call.attributes, "dtype": "int64"})
    except GslError:
        return None


def _with_rounding(operand: Any, value: Any) -> Any:
    """Give floats that were integers the error of rounding these, as other sums have it."""
    exact, held = np.asarray(operand, np.float64), value.value
    gap = np.abs(exact - held)
    if not gap.any() or not np.isfinite(gap).all():
        return value
    return Bounded(exact, 2 * gap, value.dtype)


UNITS_OF_CONSTANTS = 8.0
"""Units of its dtype by which a constant may be off that was computed from another one."""


def rounded_constants(outputs: Sequence[Expr]) -> dict[Expr, Any]:
    """Return the constants that may have been computed from constants of an earlier rewrite.

    An earlier one was rounded to its dtype, which no bound on the machine's arithmetic covers.
    """
    found: dict[Expr, Any] = {}
    for expr in evaluation_order(tuple(outputs)):
        if isinstance(expr, Const) and expr.asked is not None and expr.asked != float(expr.value):
            error = UNITS_OF_CONSTANTS * PRECISIONS[expr.dtype].unit * abs(expr.asked)
            found[expr] = Bounded(expr.asked, error, expr.dtype, stored=expr.value)
    return found


def converted_constants(exprs: Sequence[Expr]) -> dict[Expr, Any]:
    """Return the constants of networks in which one is converted, each as either of two numbers.

    Where it is converted it is the one that its dtype holds, elsewhere the one that is written. If
    these are one number for all that are converted, constants are what is written.
    """
    casts = [one for one in exprs if isinstance(one, Call) and one.operator.name == "Cast"]
    if all(map(_keeps_number, casts)):
        return {}
    found: dict[Expr, Any] = {}
    for expr in exprs:
        if isinstance(expr, Const) and expr.asked is not None:
            gap = abs(expr.asked - float(expr.value))
            if gap and np.isfinite(gap):
                found[expr] = Bounded(expr.asked, 2 * gap, expr.dtype, stored=expr.value)
    return found


def _keeps_number(cast: Call) -> bool:
    """Tell whether what is converted is no constant, or one that both dtypes hold as it is."""
    (constant,) = cast.operands
    if not isinstance(constant, Const):
        return True
    held = constant.value
    written = held if constant.asked is None else np.asarray(constant.asked)
    with np.errstate(all="ignore"):
        return bool(np.all((written == held) & (held == converted(held, cast.dtype))))


def computed(expr: Expr, operands: list[Any], inputs: Mapping[str, Any]) -> Any:
    """Return the value of an expression for those of its operands, floats with an error bound."""
    return lift(_defined_value(expr, operands, inputs))


def _defined_value(expr: Expr, operands: list[Any], inputs: Mapping[str, Any]) -> Any:
    if isinstance(expr, Const) and expr.asked is not None:
        return written(expr.asked, expr.dtype)
    try:
        value = value_of(expr, operands, inputs)
    except IndexError as error:
        raise UndefinedError(f"{expr!r} is not defined here: {error}") from error
    except GslError:
        raise
    except Exception as error:
        failure = failure_of(expr, error)
        if failure is None:
            raise
        raise failure from error
    if not isinstance(expr, Call):
        return value
    value = _filled(expr, value) if not FILLS.isdisjoint(expr.attributes) else value
    return approximated(expr, operands, value)


def _filled(expr: Call, value: Any) -> Any:
    """Give what is filled with numbers the error of rounding these, as constants have it."""
    if not is_floating(value.dtype):
        return value
    filled: Any = lift(value)
    plain = filled.value
    for name in FILLS & expr.attributes.keys():
        fill = number(float(expr.attributes[name]), value.dtype)
        filled = np.where(plain == value.dtype.type(fill.value), fill, filled)
    return filled


def lift(value: Any) -> Any:
    """Give floating arrays an error bound of zero; leave integers and tuples of them alone."""
    if isinstance(value, tuple | list):
        return tuple(map(lift, value))
    if isinstance(value, Bounded) or not is_floating(np.asarray(value).dtype):
        return value
    return Bounded(value)


def is_finite(value: Any) -> bool:
    """Tell whether all elements are finite in their dtypes, of all fields when it is a tuple."""
    if isinstance(value, tuple):
        return all(map(is_finite, value))
    if not isinstance(value, Bounded):
        return True
    largest = LARGEST.get(value.dtype, np.inf)
    return bool((np.isfinite(value.value) & (np.abs(value.value) <= largest)).all())


def compare(name: str, source: Any, target: Any) -> list[Comparison]:
    """Compare one output, or each field of one that is a tuple."""
    if isinstance(source, tuple):
        pairs = enumerate(zip(source, target, strict=True))
        return [c for i, (s, t) in pairs for c in compare(f"{name}.{i}", s, t)]
    if source.shape != target.shape or source.dtype != target.dtype:
        return [Comparison(True, 0, source.size, _type_difference(name, source, target))]
    if isinstance(source, Bounded):
        return [_compare_bounded(name, source, target)]
    return [_compare_exact(name, np.asarray(source), np.asarray(target))]


def _compare_exact(name: str, source: Any, target: Any) -> Comparison:
    wrong = source != target
    difference = _difference(name, wrong, source, target) if wrong.any() else None
    return Comparison(True, source.size, source.size, difference)


def _compare_bounded(name: str, source: Bounded, target: Bounded) -> Comparison:
    error = source.error + target.error
    comparable = np.isfinite(source.value) & np.isfinite(error)
    with np.errstate(all="ignore"):
        close = np.abs(source.value - target.value) <= error
    if source.held is not None and target.held is not None:
        close |= source.held == target.held
    wrong = comparable & ~close
    difference = _difference(name, wrong, source.value, target.value) if wrong.any() else None
    exact = source.is_exact and target.is_exact
    return Comparison(exact, int(comparable.sum()), source.size, difference)


def not_finite(name: str, source: Any, target: Any) -> Iterator[Comparison]:
    """Yield outputs, or fields of one, that are not finite where those of the source are."""
    if isinstance(source, tuple):
        for number, (one, other) in enumerate(zip(source, target, strict=True)):
            yield from not_finite(f"{name}.{number}", one, other)
    elif isinstance(source, Bounded):
        wrong = np.isfinite(source.value) & ~np.isfinite(target.value)
        if wrong.any():
            difference = _difference(name, wrong, source.value, target.value)
            yield Comparison(False, source.size, source.size, difference)


def _type_difference(name: str, source: Any, target: Any) -> Difference:
    sentence = (
        f"{name} is {source.dtype}{list(source.shape)} in the source "
        f"and {target.dtype}{list(target.shape)} in the target"
    )
    return Difference(name, source.size, source.size, float("inf"), (), sentence)


def _difference(name: str, wrong: Any, source: Any, target: Any) -> Difference:
    places = np.argwhere(wrong)
    gaps = _gaps(source[wrong], target[wrong])
    order = np.argsort(-gaps, kind="stable")[:MOST_ELEMENTS_SHOWN]
    worst = tuple(
        Mismatch(
            tuple(map(int, places[i])),
            source[tuple(places[i])].item(),
            target[tuple(places[i])].item(),
        )
        for i in order
    )
    return Difference(name, len(places), int(wrong.size), float(gaps[order[0]]), worst)


def _gaps(source: Any, target: Any) -> Any:
    # Python's integers neither wrap nor round.
    kind = np.float64 if is_floating(source.dtype) else object
    with np.errstate(all="ignore"):
        gaps = np.abs(source.astype(kind) - target.astype(kind)).astype(np.float64)
    return np.where(np.isnan(gaps), np.inf, gaps)
