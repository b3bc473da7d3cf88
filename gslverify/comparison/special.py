"""What a rule does to NaN, infinities and signed zeros, which no number stands for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from gsl.errors import GslError
from gsl.evaluate import evaluate, trace, value_or_error
from gsl.expr import Call, Const, Expr, Var
from gsl.graph import reverse_post_order
from gsl.numpy_dtypes import finfo, iinfo, is_floating, kind_of
from gsl.types import ANY_FLOAT, TensorType
from gsl.visit import post_order_rewrite

NAN, INFINITY, ZERO = "NaN", "infinity", "signed zero"

MENUS: Mapping[str, tuple[float, ...]] = {
    NAN: (np.nan, 1.0, -2.0, 0.5),
    INFINITY: (np.inf, -np.inf, 1.0, -2.0),
    ZERO: (0.0, -0.0, 1.0, -2.0),
}
"""What inputs consist of when one of the kinds is examined."""

BEYOND_HALVES = 70_000
"""An integer that float16 does not hold."""

DOWN = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
"""The powers of 2 by which inputs are made smaller until nothing overflows."""
DOMAINS: Sequence[Callable[[Any], Any]] = (
    np.abs,
    lambda array: np.clip(array, -1, 1),
    lambda array: np.clip(np.abs(array), 0, 1),
    lambda array: np.abs(array) + array.dtype.type(1),
)
"""What brings numbers to where functions like roots, logarithms and arc sines have values."""

ROUNDED_SHARE = 15 / 16
"""The share of the largest number beyond which rounding may decide whether a result overflows."""

Masks = Mapping[str, Callable[[Any, Any], Any]]

CHANGES: Masks = {
    NAN: lambda one, other: np.isnan(one) != np.isnan(other),
    INFINITY: lambda one, other: (np.isinf(one) | np.isinf(other)) & ~_same(one, other),
    ZERO: lambda one, other: (one == 0) & (other == 0) & (np.signbit(one) != np.signbit(other)),
}
"""Where two arrays differ in each of the kinds."""

SPECIAL: Mapping[str, tuple[Callable[[Any], Any], float]] = {
    NAN: (np.isnan, 1.0),
    INFINITY: (np.isinf, 1.0),
    ZERO: (lambda array: (array == 0) & np.signbit(array), 0.0),
}
"""Where an array has a value of each of the kinds, and the usual number to put there."""

Key = TypeVar("Key")

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
    return any(map(_is_floating, reverse_post_order(outputs)))


def _is_floating(expr: Expr) -> bool:
    return isinstance(expr.type, TensorType) and expr.type.dtype in ANY_FLOAT


def changes(
    source: Sequence[Expr], target: Sequence[Expr], inputs: Mapping[str, Any]
) -> Iterator[Change]:
    """Yield every output and kind in which the references of both sides differ.

    Many machines take subnormal numbers for 0: what differs on one kind of them only is left out.
    """
    try:
        before, after = evaluate(source, inputs), evaluate(target, inputs)
    except (GslError, IndexError):
        return
    decided = _decisions(source, target, inputs, (before, after))
    found = [*changes_between(before, after, inputs), *decided]
    yield from _where_flushed(found, source, target) if found else ()


def _where_flushed(
    found: Sequence[Change], source: Sequence[Expr], target: Sequence[Expr]
) -> Iterator[Change]:
    """Yield changes where they are the same if subnormal numbers are taken for 0.

    Constants stay as they are: what a rule computes of them is computed by the compiler.
    """
    inputs = found[0].inputs
    values: dict[Expr, Any] = {}
    try:
        with np.errstate(all="ignore"):
            for expr in reverse_post_order((*source, *target)):
                operands = [values[operand] for operand in expr.operands]
                value = value_or_error(expr, operands, inputs)
                values[expr] = value if isinstance(expr, Const) else flushed(value)
    except (GslError, IndexError):  # an index that is computed, perhaps: it says nothing then
        yield from found
        return
    sides = ([values[expr] for expr in side] for side in (source, target))
    pairs = list(zip(*map(flat, sides), strict=True))
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
    for kind, sides, tame in _calmer((source, target), inputs, values):
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
            elif kind == NAN and sides[0] is source:
                places &= where_any(np.isnan, of_source, places.shape)
            if places.any():
                one, other = pairs[number]
                found.append(Change(kind, number, places, one, other, inputs))
        if found:
            yield from found
            return


Sides = tuple[Sequence[Expr], Sequence[Expr]]


def _calmer(
    sides: Sides, inputs: Mapping[str, Any], values: Mapping[Expr, Any]
) -> Iterator[tuple[str, Sides, Mapping[str, Any]]]:
    """Yield both sides and inputs without a kind of special values, and that kind.

    It is one of the inputs or else of constants, or an infinity that is computed from neither, or
    NaN where a function has no value.
    """
    kind, tame = _tamed(inputs)
    if kind:
        yield kind, sides, tame
    else:
        kind, constants = _tamed(_floating_constants((*sides[0], *sides[1])))
        if kind:
            source, target = (_with_constants(side, constants) for side in sides)
            yield kind, (source, target), inputs
    smaller = _without_overflow((*sides[0], *sides[1]), inputs) if _has_infinity(values) else None
    if smaller is not None:
        yield INFINITY, sides, smaller
    inside = _within_domains((*sides[0], *sides[1]), tame)
    if inside is not None:
        yield NAN, sides, inside


def _floating_constants(outputs: Sequence[Expr]) -> dict[Expr, Any]:
    exprs = reverse_post_order(outputs)
    return {one: one.value for one in exprs if isinstance(one, Const) and _is_floating(one)}


def _with_constants(outputs: Sequence[Expr], values: Mapping[Expr, Any]) -> Sequence[Expr]:
    """Return a network whose constants have the values given."""
    return post_order_rewrite(
        outputs, lambda pre, post: Const(values[pre]) if pre in values else post
    )


def apart(one: Any, other: Any) -> Any:
    """Return where two arrays hold ordinary values that differ, floats by more than rounding."""
    if not is_floating(one.dtype):
        return one != other
    finite = np.isfinite(one) & np.isfinite(other)
    first, second = (np.where(finite, array, 0).astype(np.float64) for array in (one, other))
    larger = np.maximum(np.abs(first), np.abs(second))
    with np.errstate(over="ignore"):
        return np.abs(first - second) > ROUNDING * np.maximum(larger, 1.0)


def _tamed(arrays: Mapping[Key, Any]) -> tuple[str, dict[Key, Any]]:
    """Return the first kind among some arrays, none as "", and the arrays without that kind.

    Numbers at the ends of the range count as infinity. Their digits stay when they are brought
    nearer to 1, so that they are rounded as before.
    """
    floats = {name: array for name, array in arrays.items() if is_floating(array.dtype)}
    for kind, (is_special, usual) in SPECIAL.items():
        if any(is_special(array).any() for array in floats.values()):
            tame = {n: np.where(is_special(a), a.dtype.type(usual), a) for n, a in floats.items()}
            return kind, {**arrays, **tame}
    tame = {name: _within_range(array) for name, array in floats.items()}
    if any((tame[name] != floats[name]).any() for name in floats):
        return INFINITY, {**arrays, **tame}
    return "", dict(arrays)


def _within_range(array: Any) -> Any:
    """Return an array whose numbers at the end of the range are moved into it by powers of 2.

    Doubles of them are finite then, and but for float16 so are products of two. 1 still vanishes
    beside the largest.
    """
    limits = finfo(array.dtype)
    exponent = min(limits.maxexp // 2 + 2, limits.maxexp - limits.nmant - 4)
    return np.ldexp(array, -exponent * (np.abs(array) > limits.max / 4).astype(int))


def _without_overflow(outputs: Sequence[Expr], inputs: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return inputs so much smaller that nothing overflows; None if there are none.

    All are scaled by one power of 2, so that they are rounded as before, and no number vanishes.
    """
    if not all(map(_is_finite, inputs.values())):
        return None
    for exponent in DOWN:
        smaller = {name: _scaled(array, -exponent) for name, array in inputs.items()}
        if any(_vanishes(inputs[name], array) for name, array in smaller.items()):
            return None
        try:
            if not _has_infinity(trace(outputs, smaller)):
                return smaller
        except (GslError, IndexError):
            return None
    return None


def _within_domains(outputs: Sequence[Expr], inputs: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return inputs in whose place all functions have values; None if it is these, or none are."""
    for number, domain in enumerate((lambda array: array, *DOMAINS)):
        moved = {n: domain(a) if is_floating(a.dtype) else a for n, a in inputs.items()}
        try:
            values = trace(outputs, moved)
        except (GslError, IndexError):
            return None
        if not any(np.isnan(array).any() for array in floats_in(values.values())):
            return moved if number else None
    return None


def overflows(outputs: Sequence[Expr], inputs: Mapping[str, Any]) -> bool:
    """Tell whether something is infinite on the way to some outputs by their references."""
    try:
        return _has_infinity(trace(outputs, inputs))
    except (GslError, IndexError):
        return False


def _is_finite(array: Any) -> bool:
    return not is_floating(array.dtype) or bool(np.isfinite(array).all())


def _has_infinity(values: Mapping[Expr, Any]) -> bool:
    return any(np.isinf(array).any() for array in floats_in(values.values()))


def _scaled(array: Any, exponent: int) -> Any:
    return np.ldexp(array, exponent) if is_floating(array.dtype) else array


def _vanishes(array: Any, smaller: Any) -> bool:
    if not is_floating(array.dtype):
        return False
    return bool(((array != 0) & (np.abs(smaller) < finfo(array.dtype).tiny)).any())


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


def floats_in(values: Any) -> list[Any]:
    """Return the arrays of floats in values that may be tuples, at any depth."""
    return [array for array in flat(values) if is_floating(array.dtype)]


def flat(values: Any) -> Iterator[Any]:
    """Yield the arrays in values that may be tuples, at any depth."""
    for value in values:
        if isinstance(value, tuple):
            yield from flat(value)
        else:
            yield np.asarray(value)
