"""Tensors enlarged or reduced along their axes: the nearest element, or between two or four."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from itertools import product
from typing import Annotated, Any

import numpy as np

from gsl.attr.evaluate import choose, contains, equal, maximum, minimum
from gsl.kernel.expression import Expression
from gsl.kernel.meaning import Elements, Index, apply
from gsl.operators.create import constant
from gsl.operators.declaration import Need, Tensor, operator
from gsl.operators.domain import Choice
from gsl.operators.kinds import Number, PerAxis
from gsl.types import ALL_DTYPES, FLOATING, Int, TensorType

Mode = Annotated[str, Choice(("nearest", "linear", "cubic"))]
Coordinates = Annotated[
    str, Choice(("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"))
]
Rounding = Annotated[str, Choice(("round_prefer_floor", "round_prefer_ceil", "floor", "ceil"))]


def _coordinate(place: Int, size: Int, wanted: Int, coordinates: str) -> tuple[Int, Int]:
    """Return where a place of the result lies in the data: a numerator and its divisor."""
    if coordinates == "asymmetric":
        return place * size, wanted
    if coordinates == "align_corners":
        return place * (size - 1), maximum(wanted - 1, 1)
    centre = (2 * place + 1) * size - wanted
    if coordinates == "pytorch_half_pixel":
        return choose(wanted > 1, centre, 0), 2 * wanted
    return centre, 2 * wanted


def _nearest(numerator: Int, divisor: Int, size: Int, rounding: str) -> Int:
    """Return the place of the data that is nearest to a coordinate."""
    found = {
        "floor": lambda: numerator // divisor,
        "ceil": lambda: -((0 - numerator) // divisor),
        "round_prefer_floor": lambda: -((divisor - 2 * numerator) // (2 * divisor)),
        "round_prefer_ceil": lambda: (2 * numerator + divisor) // (2 * divisor),
    }[rounding]()
    return minimum(maximum(found, 0), size - 1)


@operator(dtypes=ALL_DTYPES)
def Resize(
    need: Need,
    data: Tensor,
    *,
    sizes: PerAxis,
    mode: Mode = "nearest",
    coordinates: Coordinates = "half_pixel",
    rounding: Rounding = "round_prefer_floor",
    cubic_coeff: Number = -0.75,
) -> TensorType:
    """Sample `data` at as many places along each axis as `sizes` says.

    Place i of n lies at (i + 1/2) m / n - 1/2 among m elements ("half_pixel", and at 0 for n = 1
    with "pytorch_half_pixel"), at i m / n ("asymmetric") or i (m - 1) / (n - 1) ("align_corners").
    There is the nearest element, where `rounding` decides, or, for floats only, with "linear" the
    mean of two weighted by nearness, with "cubic" that of four, of which those beyond the ends are
    the last ones; `cubic_coeff` is the slope -a of their weights (Keys, "Cubic convolution
    interpolation for digital image processing", 1981). Source: onnx.Resize with `sizes`.
    """
    is_nearest = mode == "nearest"
    need(is_nearest or contains(data.dtype, FLOATING), "only floats have values in between")
    for size in (*data.shape, *sizes):
        need(size >= 1, "no axis may be empty")
    return data.with_shape(sizes)


def _weights(nearness: Any, mode: str, coeff: Any) -> list[tuple[int, Any]]:
    """Return which elements count, from the last one before a place, and their weights.

    `nearness` says how near the place is to the element behind it, from 0 up to 1.
    """
    t, rest = nearness, 1 - nearness
    if mode == "linear":
        return [(0, rest), (1, t)]

    def inner(x: Any) -> Any:
        return ((coeff + 2) * x - (coeff + 3)) * x * x + 1

    def outer(x: Any) -> Any:
        return ((coeff * x - 5 * coeff) * x + 8 * coeff) * x - 4 * coeff

    return [(-1, outer(t + 1)), (0, inner(t)), (1, inner(rest)), (2, outer(rest + 1))]


def _sampled(
    axis: tuple[int, int], coordinates: str, mode: str, coeff: float, quotient: Callable[..., Any]
) -> list[tuple[Any, Any]]:
    """Return elements and their weights for each place of the result.

    `axis` is its size before and after, `quotient` divides arrays of whole numbers.
    """
    size, wanted = axis
    found = [_coordinate(place, size, wanted, coordinates) for place in range(wanted)]
    numerators, divisors = (np.array(column) for column in zip(*found, strict=True))
    before = numerators // divisors
    weights = _weights(quotient(numerators % divisors, divisors), mode, coeff)
    return [(np.clip(before + step, 0, size - 1), weight) for step, weight in weights]


def _nearest_places(size: int, wanted: int, coordinates: str, rounding: str) -> Any:
    found = [_coordinate(place, size, wanted, coordinates) for place in range(wanted)]
    return np.array([_nearest(*one, size, rounding) for one in found], np.int64)


@Resize.numpy
def _resize(
    data: Any, sizes: Any, mode: str, coordinates: str, rounding: str, cubic_coeff: float
) -> Any:
    result = data
    for axis, (size, wanted) in enumerate(zip(data.shape, sizes, strict=True)):
        if size == wanted:
            continue
        if mode == "nearest":
            places = _nearest_places(size, wanted, coordinates, rounding)
            result = np.take(result, places, axis)
            continue
        quotient = partial(_quotient, np.zeros_like(np.take(result, [0], axis)), axis)
        parts = [
            np.take(result, places, axis) * share
            for places, share in _sampled((size, wanted), coordinates, mode, cubic_coeff, quotient)
        ]
        result = reduce(np.add, parts)
    return result


def _quotient(zeros: Any, axis: int, numerators: Any, divisors: Any) -> Any:
    """Divide in the arithmetic of the data, of which zeros are given."""
    whole, parts = (
        _along(one, axis, zeros.ndim).astype(zeros.dtype) for one in (divisors, numerators)
    )
    return (zeros + parts) / whole


def _along(array: Any, axis: int, rank: int) -> Any:
    return np.reshape(array, (-1, *(1 for _ in range(rank - axis - 1))))


@Resize.kernel
def _resize_element(
    index: Index,
    data: Elements,
    sizes: Any,
    mode: str,
    coordinates: str,
    rounding: str,
    cubic_coeff: Any,
) -> Expression:
    axes = list(zip(index, data.shape, sizes, strict=True))
    if mode == "nearest":
        return data[
            tuple(
                place
                if equal(size, wanted) is True
                else _nearest(*_coordinate(place, size, wanted, coordinates), size, rounding)
                for place, size, wanted in axes
            )
        ]
    ways = [_ways(*axis, coordinates, mode, cubic_coeff) for axis in axes]
    terms = [_weighted(data, way) for way in product(*ways)]
    whole = terms[0]
    for term in terms[1:]:
        whole = whole + term
    return whole


Way = tuple[Int, Expression | None]
"""A place of the data along an axis, and its weight; None is 1."""


def _ways(place: Int, size: Int, wanted: Int, coordinates: str, mode: str, coeff: Any) -> list[Way]:
    if equal(size, wanted) is True:
        return [(place, None)]
    numerator, divisor = _coordinate(place, size, wanted, coordinates)
    before, nearness = numerator // divisor, apply("/", numerator % divisor, divisor)
    weights = _weights(nearness, mode, coeff)
    return [(minimum(maximum(before + step, 0), size - 1), share) for step, share in weights]


def _weighted(data: Elements, way: Sequence[Way]) -> Expression:
    value = data[tuple(place for place, _ in way)]
    for _, weight in way:
        value = value if weight is None else value * weight
    return value


@Resize.relax
def _relax_resize(
    relax: Any,
    data: Any,
    sizes: Any,
    mode: str,
    coordinates: str,
    rounding: str,
    cubic_coeff: float,
) -> Any:
    dtype, result, rank = str(data.ty.dtype), data, data.ty.ndim
    for axis, (whole, wanted) in enumerate(zip(data.ty.shape, sizes, strict=True)):
        size = int(whole)
        if size == wanted:
            continue
        if mode == "nearest":
            places = constant(relax, _nearest_places(size, wanted, coordinates, rounding))
            result = relax.take(result, places, axis, mode="clip")
            continue
        parts = [
            relax.multiply(
                relax.take(result, constant(relax, places), axis, mode="clip"),
                constant(relax, _along(share, axis, rank).astype(dtype)),
            )
            for places, share in _sampled((size, wanted), coordinates, mode, cubic_coeff, np.divide)
        ]
        result = reduce(relax.add, parts)
    return result
