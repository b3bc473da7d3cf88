"""Arrays for the inputs and constants of a network, in styles that show different defects."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import cycle, islice
from typing import Any

import numpy as np

from gsl.expr import Var
from gsl.numpy_dtypes import iinfo, is_floating, kind_of
from gsl.operators.defined import Values
from gslverify.networks.choices import Choices
from gslverify.networks.cut_points import cut_points, held
from gslverify.networks.divisors import divisors
from gslverify.networks.network import Network
from gslverify.networks.styles import FILLED, PEAK
from gslverify.networks.values import restricted, value_ranges

CUT_POINTS = "cut points"
STYLES = (
    "small integers",
    "distinct integers",
    "reals",
    "halves",
    "wide",
    "edges",
    "magnitudes",
    "signed magnitudes",
    "nonzero integers",
    CUT_POINTS,
    "alike",
    "rising",
    "falling",
)
ANYWHERE = frozenset({"magnitudes", "signed magnitudes", "nonzero integers"})
"""Styles of floats that do not keep to the ranges that operators declare for their operands."""

ALL_TRUE = frozenset({"wide", "edges", "largest"})
"""Styles in which all booleans are true: as many as an axis is long."""
OF_TRUTH_VALUES = frozenset({"one of many", "mirrored"})
"""Styles of integers that booleans have, odd ones as true or as false."""

Distribution = tuple[str, bool]
"""A style, and whether the ranges pass through guards (see `value_ranges`)."""

MIXTURES: tuple[tuple[Distribution, ...], ...] = (
    (
        ("small integers", True),
        ("distinct integers", True),
        ("reals", True),
        (CUT_POINTS, False),
        ("wide", False),
        ("magnitudes", False),
        ("alike", True),
    ),
    (
        ("small integers", True),
        ("reals", True),
        ("halves", True),
        ("edges", False),
        ("signed magnitudes", False),
        ("nonzero integers", False),
        ("alike", True),
    ),
)
"""The inputs of a network follow those of one of these, which together have all styles."""
DISTRIBUTIONS_IN_CORNERS: tuple[Distribution, ...] = (("rising", True), ("falling", True))
"""Where sizes and attributes are at their limits, places of extrema are tried there, too."""
DISTRIBUTIONS_AT_PLACES: tuple[Distribution, ...] = (("peaks", True), ("pits", True))
"""Where an axis has a place whose number the rule writes, the extrema along all axes are there."""
EXTREMES: tuple[Distribution, ...] = (
    ("largest", True),
    ("least", True),
    ("largest and least", True),
)
"""Sums of many integers are largest where all of these are, differences where one tensor's are."""
PATTERNS: tuple[Distribution, ...] = (
    ("ascending", True),
    ("descending", True),
    ("one of many", True),
    ("mirrored", True),
)
"""What many elements are by chance next to never."""
LONG_AXIS, MOST_PATTERNS = 8, 2
DIVISORS: Distribution = ("divisors", True)
"""Where a number is written that integers may multiply to, they are such that do."""
DISTRIBUTIONS_OF_LARGE_NETWORKS: tuple[Distribution, ...] = (
    ("small integers", True),
    ("reals", True),
    ("magnitudes", False),
)
LARGE = 50_000
COMMON_PLACES = 5
"""Of shorter axes each place has an extremum before long."""
MOST_PLACES = 3
MOST_PRODUCTS = 2


USUAL_DRAWS = len(MIXTURES[0])
NEXT_SEED = 1_000_003
"""What the seeds of two draws differ by, as truth values are alike in many styles."""
MOST_ATTEMPTS = 4
"""How often inputs are drawn at most until they differ from those before them."""


def inputs_of_a_mixture(
    choices: Choices, network: Network, salt: int = 0, count: int = USUAL_DRAWS
) -> list[dict[str, Any]]:
    """Draw the inputs of a network `count` times from the distributions of a mixture, simple first.

    Few draws begin with a simple one, and others of the mixture follow in turn. Of a network with
    large tensors there are only a few. With another `salt` the same choices give other
    arrays, so that the first draws of several rounds differ. Draws of one call differ, too, unless
    the network has so few inputs that `MOST_ATTEMPTS` are not enough.
    """
    mixture = MIXTURES[(choices.number(len(MIXTURES) - 1) + salt) % len(MIXTURES)]
    seed = choices.number(255) + 256 * salt
    elements = sum(math.prod(variable.shape) for variable in network.variables)
    distributions = DISTRIBUTIONS_OF_LARGE_NETWORKS if elements > LARGE else mixture
    times = count if elements <= LARGE else min(count, len(distributions))
    chosen = _in_turn(distributions, times, seed)
    chosen += DISTRIBUTIONS_IN_CORNERS if network.in_corner else ()
    chosen += EXTREMES if network.at_limits else ()
    chosen += DISTRIBUTIONS_AT_PLACES * len(_places(network))
    chosen += _of_long_axes(network, seed)
    chosen += [DIVISORS] * min(MOST_PRODUCTS, len(_products(network)))
    drawn: set[tuple[bytes, ...]] = set()
    draws: list[dict[str, Any]] = []
    for number, distribution in enumerate(chosen):
        for attempt in range(MOST_ATTEMPTS):
            start, turn = seed + NEXT_SEED * number + attempt, chosen[:number].count(distribution)
            filled = filled_inputs(network, distribution, start, turn)
            key = tuple(array.tobytes() for array in filled.values())
            if key not in drawn:
                break
        drawn.add(key)
        draws.append(filled)
    return draws


def _places(network: Network) -> tuple[int, ...]:
    """Return the first numbers that a rule writes and some axis of an input has as a rare place."""
    longest = max((size for variable in network.variables for size in variable.shape), default=0)
    if longest <= COMMON_PLACES:
        return ()
    numbers = (number for number in cut_points(network) if type(number) is int)
    rare = (number for number in numbers if COMMON_PLACES <= number < longest)
    return tuple(islice(rare, MOST_PLACES))


def _of_long_axes(network: Network, seed: int) -> list[Distribution]:
    """Return what is drawn beside a mixture where an input has a long axis."""
    long = [v for v in network.variables if max(v.shape, default=0) >= LONG_AXIS]
    if not long:
        return []
    patterns = [PATTERNS[(seed + number) % len(PATTERNS)] for number in range(MOST_PATTERNS)]
    may_wrap = any(not is_floating(np.dtype(variable.dtype)) for variable in long)
    return [*patterns, *(EXTREMES if may_wrap else ())]


def _products(network: Network) -> tuple[int, ...]:
    """Return the numbers that are written and too large to be products of small integers."""
    if all(is_floating(np.dtype(variable.dtype)) for variable in network.variables):
        return ()
    numbers = (number for number in cut_points(network) if type(number) is int)
    return tuple(number for number in numbers if abs(number) > PEAK)


def _in_turn(mixture: Sequence[Distribution], count: int, start: int) -> list[Distribution]:
    """Return so many distributions; if not all have a turn, those behind the first by `start`."""
    first, *others = mixture
    if count < len(mixture):
        others = [others[(start + number) % len(others)] for number in range(len(others))]
    return [(first, *others)[number % len(mixture)] for number in range(count)]


def filled_inputs(
    network: Network, distribution: Distribution, seed: int, turn: int = 0
) -> dict[str, Any]:
    """Return a value for every input of a network, drawn from one distribution.

    Of several places for extrema one has its `turn`.
    """
    style, guarded = distribution
    generator = np.random.default_rng(seed)
    ranges = value_ranges(network.outputs, guarded)
    at_places = (style, guarded) in DISTRIBUTIONS_AT_PLACES
    numbers: tuple[float, ...] = cut_points(network) if style == CUT_POINTS else ()
    if at_places:
        places = _places(network)
        numbers = (places[turn % len(places)],)
    if distribution == DIVISORS:
        products = _products(network)
        numbers = divisors(products[(seed + turn) % len(products)])
    filled: dict[str, Any] = {}
    for variable, extreme in zip(network.variables, cycle(("largest", "least")), strict=False):
        if distribution[0] == "largest and least":
            style = extreme
        if style == "alike":
            generator = np.random.default_rng(seed)
        filled[variable.name] = random_array(
            variable, style, ranges.get(variable), generator, numbers
        )
    return filled


def inputs_in_style(network: Network, style: str, generator: np.random.Generator) -> dict[str, Any]:
    """Return a value for every input of a network on which its operators are defined."""
    ranges = value_ranges(network.outputs)
    return {v.name: random_array(v, style, ranges.get(v), generator) for v in network.variables}


def random_array(
    variable: Var,
    style: str,
    ranges: list[Values] | None,
    generator: np.random.Generator,
    numbers: Sequence[float] = (),
) -> Any:
    """Return values of one style for a variable, brought into its ranges (see ANYWHERE).

    Half of the elements that are "cut points" are among `numbers`, if the dtype holds any of them,
    and all integers that are "divisors"; "peaks" and "pits" are at places with the first of these
    numbers.
    """
    dtype = np.dtype(variable.dtype)
    if kind_of(dtype) == "b" and style in OF_TRUTH_VALUES:
        raw = FILLED[style](variable.shape, np.dtype(np.int8), generator) % 2
        return (raw != generator.integers(2)).astype(bool)
    if kind_of(dtype) == "b":
        least = 1 if style in ALL_TRUE else 0
        beyond = 1 if style == "least" else 2
        return generator.integers(least, beyond, variable.shape).astype(bool)
    raw = FILLED[style](variable.shape, dtype, generator)
    if (style, True) in DISTRIBUTIONS_AT_PLACES:
        raw = raw + _towards(variable.shape, int(numbers[0]), style, dtype)
    elif style == DIVISORS[0] and not is_floating(dtype):
        limits = iinfo(dtype)
        signed = [one for number in numbers for one in (number, -number)]
        few = [one for one in signed if limits.min <= one <= limits.max]
        raw = generator.choice(np.array(few, dtype), variable.shape)
    elif numbers and (likely := held(numbers, dtype)):
        wide = np.float64 if is_floating(dtype) else dtype
        chosen = generator.choice(np.array(likely, wide).astype(dtype), variable.shape)
        raw = np.where(generator.integers(0, 2, variable.shape) == 1, chosen, raw.astype(dtype))
    if style in ANYWHERE and is_floating(dtype):
        return np.asarray(raw).astype(dtype)
    return np.asarray(restricted(raw, ranges or (), dtype)).astype(dtype)


def _towards(shape: Sequence[int], place: int, style: str, dtype: np.dtype[Any]) -> Any:
    """Return what moves the extremum along every axis that is long enough to one place."""
    along = [np.arange(size) == place for size in shape]
    axes = sum(np.meshgrid(*along, indexing="ij", sparse=True)) if along else 0
    is_unsigned = kind_of(dtype) == "u"
    step = PEAK // max(1, len(shape))
    if style == "peaks":
        return step * np.asarray(axes, int)
    return PEAK * is_unsigned - step * np.asarray(axes, int)
