"""What a rule does to NaN, infinities and signed zeros, which no number stands for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gsl.dtypes import DTYPES
from gsl.errors import GslError
from gsl.evaluate import evaluate, trace, value_or_error
from gsl.expr import Call, Const, Expr, Var
from gsl.graph import reverse_post_order
from gsl.numpy_dtypes import finfo, iinfo, is_floating, kind_of
from gsl.operators.declaration import tensors
from gsl.types import ANY_FLOAT
from gslverify.comparison.calmer import (
    INFINITY,
    NAN,
    ZERO,
    calmer,
    flat,
    floats_in,
    is_float,
)
from gslverify.comparison.under_flags import Sides, values_of_steps
from gslverify.evaluation_order import evaluation_order

MENUS: Mapping[str, tuple[float, ...]] = {
    NAN: (np.nan, 1.0, -2.0, 0.5),
    INFINITY: (np.inf, -np.inf, 1.0, -2.0),
    ZERO: (0.0, -0.0, 1.0, -2.0),
}
"""What inputs consist of when one of the kinds is examined."""

BEYOND_HALVES = 70_000
"""An integer that float16 does not hold."""

ROUNDED_SHARE = 15 / 16
"""The share of the largest number beyond which rounding may decide whether a result overflows."""

SINGLE = DTYPES["float32"].digits
"""Operators on floats with fewer binary digits may compute in float32, and round once."""

Masks = Mapping[str, Callable[[Any, Any], Any]]

CHANGES: Masks = {
    NAN: lambda one, other: np.isnan(one) != np.isnan(other),
    INFINITY: lambda one, other: (np.isinf(one) | np.isinf(other)) & ~_same(one, other),
    ZERO: lambda one, other: (one == 0) & (other == 0) & (np.signbit(one) != np.signbit(other)),
}
"""Where two arrays differ in each of the kinds."""

ROUNDING = 1 / 16
"""The share of a float, or of one, that rounding cannot make of values as small as those above."""


@dataclass(frozen=True, slots=True)
class Change:
    """An output in which the two sides differ in a kind of value, on the inputs given."""

    kind: str
    output: int
    places: Any
    source: Any
    target: Any
    inputs: Mapping[str, Any]


def _same(one: Any, other: Any) -> Any:
    return (one == other) | np.isnan(one) | np.isnan(other)


def special_inputs(
    variables: Sequence[Var],
    usual: Mapping[str, Any],
    kind: str,
    generator: np.random.Generator,
) -> dict[str, Any]:
    """Return inputs whose floats come from the menu of a kind; all others keep their values.

    Where none of them are floats, these are made of what others are: of zeros, or of large numbers.
    """
    floats = {v.name for v in variables if v.dtype in ANY_FLOAT}
    found: dict[str, Any] = {}
    for v in variables:
        if floats and v.name not in floats:
            found[v.name] = usual[v.name]
        else:
            menu = menu_of(kind, np.dtype(v.dtype))
            found[v.name] = generator.choice(menu, v.shape).astype(v.dtype)
    return found


def menu_of(kind: str, dtype: np.dtype[Any]) -> Any:
    """Return what elements of a dtype are when one of the kinds is examined."""
    if is_floating(dtype):
        return np.array(MENUS[kind])
    if kind_of(dtype) == "b":
        return np.array([False, True])
    limits = iinfo(dtype)
    beyond = (limits.max, limits.min, limits.max // 2 + 1, min(BEYOND_HALVES, limits.max))
    return np.array(beyond if kind == INFINITY else (0, 0, 1, limits.max), dtype)


def has_floats(outputs: Sequence[Expr]) -> bool:
    """Tell whether there are floats anywhere on the way to some outputs, given or computed."""
    return any(map(is_float, reverse_post_order(outputs)))


def changes(
    source: Sequence[Expr], target: Sequence[Expr], inputs: Mapping[str, Any]
) -> Iterator[Change]:
    """Yield every output and kind in which the references of both sides differ.

    Many machines take subnormal numbers for 0, and many round each step of an operator on narrow
    floats, where references round its result: what differs on one kind of them only is left out.
    """
    try:
        before, after = evaluate(source, inputs), evaluate(target, inputs)
    except (GslError, IndexError):
        return
    decided = _decisions(source, target, inputs, (before, after))
    found = [*changes_between(before, after, inputs), *decided]
    if not found:
        return
    values = _flushed_values(source, target, inputs)
    kept = found if values is None else _where_changed(found, *values)
    steps = (
        values_of_steps(Sides(source, target, inputs)) if _has_narrow((*source, *target)) else None
    )
    yield from kept if steps is None else _where_changed(kept, *steps)


def _has_narrow(outputs: Sequence[Expr]) -> bool:
    types = tensors(tuple(expr.type for expr in evaluation_order(tuple(outputs))))
    return any(one.dtype in ANY_FLOAT and DTYPES[one.dtype].digits < SINGLE for one in types)


def _flushed_values(
    source: Sequence[Expr], target: Sequence[Expr], inputs: Mapping[str, Any]
) -> tuple[list[Any], list[Any]] | None:
    """Return what both sides are if subnormal numbers are taken for 0, None if it is not known.

    Constants stay as they are: what a rule computes of them is computed by the compiler.
    """
    values: dict[Expr, Any] = {}
    try:
        with np.errstate(all="ignore"):
            for expr in reverse_post_order((*source, *target)):
                operands = [values[operand] for operand in expr.operands]
                value = value_or_error(expr, operands, inputs)
                values[expr] = value if isinstance(expr, Const) else flushed(value)
    except (GslError, IndexError):  # an index that is computed, perhaps: it says nothing then
        return None
    return [values[expr] for expr in source], [values[expr] for expr in target]


def _where_changed(
    found: Iterable[Change], before: Sequence[Any], after: Sequence[Any]
) -> Iterator[Change]:
    """Yield changes where both sides also differ as another machine computes them."""
    pairs = list(zip(flat(before), flat(after), strict=True))
    for change in found:
        one, other = pairs[change.output]
        floats = is_floating(one.dtype)
        differs = CHANGES[change.kind](one, other) if floats else np.zeros(one.shape, bool)
        places = change.places & (differs | apart(one, other))
        if places.any():
            yield replace(change, places=places)


def flushed(value: Any) -> Any:
    """Return floats with zeros in the place of subnormal numbers, also in tuples."""
    if isinstance(value, tuple):
        return tuple(map(flushed, value))
    array = np.asarray(value)
    if not is_floating(array.dtype):
        return value
    small = (np.abs(array) < finfo(array.dtype).tiny) & (array != 0)
    return np.where(small, array * 0, array) if small.any() else value


def _decisions(
    source: Sequence[Expr], target: Sequence[Expr], inputs: Mapping[str, Any], both: tuple[Any, Any]
) -> Iterator[Change]:
    """Yield the ordinary values that differ because an input, or else a constant, is special.

    They hold no special values themselves: a comparison may have made them. Where the sides differ
    without any, too, it is the rounding that decides, or the rule is wrong in a way that others
    tell.
    """
    pairs = list(zip(*map(flat, both), strict=True))
    suspects = {n: apart(*pair) for n, pair in enumerate(pairs) if pair[0].shape == pair[1].shape}
    if not any(places.any() for places in suspects.values()):
        return
    values = trace((*source, *target), inputs)
    of_source = {expr: values[expr] for expr in reverse_post_order(source)}
    for kind, sides, tame, is_made in calmer((source, target), inputs, values):
        try:
            calm = [evaluate(side, tame) for side in sides]
        except (GslError, IndexError):
            continue
        calm_pairs = list(zip(*map(flat, calm), strict=True))
        found: list[Change] = []
        for number, suspect in suspects.items():
            places = suspect & ~apart(*calm_pairs[number])
            if kind == INFINITY:
                places &= where_any(np.isinf, values, places.shape)
            elif kind == NAN and is_made:
                places &= where_any(np.isnan, of_source, places.shape)
            if places.any():
                one, other = pairs[number]
                found.append(Change(kind, number, places, one, other, inputs))
        if found:
            yield from found
            return


def apart(one: Any, other: Any) -> Any:
    """Return where two arrays hold ordinary values that differ, floats by more than rounding."""
    if not is_floating(one.dtype):
        return one != other
    finite = np.isfinite(one) & np.isfinite(other)
    first, second = (np.where(finite, array, 0).astype(np.float64) for array in (one, other))
    larger = np.maximum(np.abs(first), np.abs(second))
    with np.errstate(over="ignore"):
        return np.abs(first - second) > ROUNDING * np.maximum(larger, 1.0)


def changes_between(
    before: Sequence[Any], after: Sequence[Any], inputs: Mapping[str, Any]
) -> Iterator[Change]:
    """Yield every output and kind in which what was computed from `inputs` differs."""
    pairs = zip(flat(before), flat(after), strict=True)
    for number, (one, other) in enumerate(pairs):
        if not is_floating(one.dtype) or one.shape != other.shape:
            continue
        for kind, differs in CHANGES.items():
            places = differs(one, other)
            if places.any():
                yield Change(kind, number, places, one, other, inputs)


def apart_from_rounding(change: Change) -> Change | None:
    """Return a change without the places where rounding may decide whether a number overflows."""
    if change.kind != INFINITY or not is_floating(change.source.dtype):
        return change
    finite = np.where(np.isfinite(change.source), change.source, change.target)
    most = ROUNDED_SHARE * float(finfo(finite.dtype).max)
    places = change.places & ~(np.isfinite(finite) & (np.abs(finite) > most))
    return replace(change, places=places) if places.any() else None


def where_any(
    test: Callable[[Any], Any], values: Mapping[Expr, Any], shape: tuple[int, ...]
) -> Any:
    """Return where in a result of a `shape` a test holds for some float that was computed.

    In graphs of element-wise operators that is at the same place, in others anywhere.
    """
    is_local = all("elementwise" in e.operator.traits for e in values if isinstance(e, Call))
    found = np.zeros(shape, bool)
    for array in floats_in(values.values()):
        special = test(array)
        found |= special if is_local and _stretches(special, shape) else special.any()
    return found


def _stretches(array: Any, shape: tuple[int, ...]) -> bool:
    """Tell whether an array is broadcast to a shape."""
    own = shape[len(shape) - array.ndim :]
    return array.ndim <= len(shape) and all(
        size in (1, wanted) for size, wanted in zip(array.shape, own, strict=True)
    )
