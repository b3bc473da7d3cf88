"""Whether the gradients of a network and of what it was rewritten to agree.

Both are derived operator by operator from kernels and computed in float64, on inputs at which no
operator has a joint such as that of relu at 0. A difference counts if the slopes of both networks
along a direction confirm it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gsl.differentiation import (
    Place,
    adjoints,
    clearance,
    ideal_values,
    is_differentiable,
    places,
    tensor_type,
)
from gsl.errors import GslError
from gsl.expr import Expr, Var
from gsl.numpy_dtypes import is_floating
from gsl.operators.defined import Values
from gslverify.finding import Difference, Mismatch
from gslverify.networks.arrays import random_array
from gslverify.networks.network import Network
from gslverify.networks.values import value_ranges
from gslverify.trials.domains import misuse

NEAREST_JOINT = 1e-5
"""Values closer to a joint than this are not used."""

TOLERANCE = 1e-6
"""Differences that are smaller, relative to the largest slope, are those of rounding."""

STEPS = (1e-6, 1e-5)
MOST_ELEMENTS = 2_000
MOST_ELEMENTS_SHOWN = 3
ATTEMPTS = 4


Slot = tuple[int, int | None]
"""The number of an output, and that of a field of it if it is a tuple."""


@dataclass(frozen=True, slots=True)
class Sides:
    """A network, what it was rewritten to, inputs, and the adjoints of what they return."""

    network: Network
    target: tuple[Expr, ...]
    inputs: Mapping[str, Any]
    above: Mapping[Slot, Any] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """How many elements the inputs have."""
        return sum(int(np.size(array)) for array in self.inputs.values())


@dataclass(frozen=True, slots=True)
class Agreement:
    """What was found out: why nothing, or how the gradients to inputs differ, if they do."""

    sides: Sides
    rejected: str = ""
    differences: tuple[Difference, ...] = ()

    @property
    def network(self) -> Network:
        """The network on the side of the source."""
        return self.sides.network

    @property
    def inputs(self) -> Mapping[str, Any]:
        """An array for every variable."""
        return self.sides.inputs


def judge(network: Network, target: tuple[Expr, ...], generator: np.random.Generator) -> Agreement:
    """Compare the gradients of two networks at random inputs, smooth ones if there are some."""
    found = Agreement(Sides(network, target, {}), "no inputs were tried")
    for attempt in range(ATTEMPTS):
        inputs = smooth_inputs(network, generator, narrow=attempt > 0)
        found = _attempt(Sides(network, target, inputs), generator)
        if not found.rejected:
            break
    return found


def judge_at(
    network: Network,
    target: tuple[Expr, ...],
    inputs: Mapping[str, Any],
    generator: np.random.Generator,
) -> Agreement:
    """Compare the gradients of two networks at given inputs."""
    return _attempt(Sides(network, target, inputs), generator)


def smooth_inputs(
    network: Network, generator: np.random.Generator, *, narrow: bool = False
) -> dict[str, Any]:
    """Return an array for every variable; no two of its floats are equal, and none is 0.

    With `narrow` floats are positive and of one order of magnitude.
    """
    ranges = value_ranges(network.outputs)
    return {
        variable.name: _smooth(variable, ranges.get(variable, ()), generator, narrow)
        for variable in network.variables
    }


def _smooth(
    variable: Var, ranges: Sequence[Values], generator: np.random.Generator, narrow: bool
) -> Any:
    if not is_differentiable(variable.type):
        return random_array(variable, "small integers", list(ranges), generator)
    low, high = (0.5, 1.5) if narrow else (-1.5, 1.5)
    low = max([low, *(values.low for values in ranges if values.low is not None)])
    high = min([high, *(values.high for values in ranges if values.high is not None)])
    if low >= high:
        low, high = (low, low + 1) if high == 1.5 else (high - 1, high)
    raw = generator.uniform(low, high, variable.shape)
    if any(values.nonzero for values in ranges):
        raw = np.where(np.abs(raw) < 0.2, np.copysign(0.2 + np.abs(raw), raw), raw)
    return raw


def _attempt(sides: Sides, generator: np.random.Generator) -> Agreement:
    network = sides.network
    try:
        values = ideal_values(network.outputs, sides.inputs)
        reason = _unfit(network.outputs, values) or misuse(values)
        if reason:
            return Agreement(sides, reason)
        above = {
            slot: generator.uniform(0.5, 1.5, np.shape(value))
            for slot, value in returned(network.outputs, values).items()
        }
        sides = Sides(network, sides.target, sides.inputs, above)
        source = gradients(network.outputs, values, above)
        if not all(np.all(np.isfinite(array)) for array in source.values()):
            return Agreement(sides, "the gradient of the source is not finite")
        new_values = ideal_values(sides.target, sides.inputs)
        reason = _unfit(sides.target, new_values)
        if reason:
            return Agreement(sides, reason)
        target = gradients(sides.target, new_values, above)
    except GslError as error:
        return Agreement(sides, str(error))
    return _compared(sides, source, target)


def _unfit(outputs: Sequence[Expr], values: Mapping[Expr, Any]) -> str:
    """Return why nothing can be said at these values."""
    for value in values.values():
        arrays = value if isinstance(value, tuple) else (value,)
        if any(np.size(array) > MOST_ELEMENTS for array in arrays):
            return f"a tensor has more than {MOST_ELEMENTS:,} elements"
        if any(is_floating(array.dtype) and np.any(np.isnan(array)) for array in arrays):
            return "a value is not a number"
    if not all(np.all(np.isfinite(value)) for value in returned(outputs, values).values()):
        return "an output is not finite"
    if clearance(outputs, values) < NEAREST_JOINT:
        return "a value is too close to a joint"
    return ""


def returned(outputs: Sequence[Expr], values: Mapping[Expr, Any]) -> dict[Slot, Any]:
    """Return the tensors of floats among the outputs of a graph, fields of tuples included."""
    return {
        (number, index): values[expr] if index is None else values[expr][index]
        for number, output in enumerate(outputs)
        for expr, index in places(output)
        if is_differentiable(tensor_type((expr, index)))
    }


def gradients(
    outputs: Sequence[Expr], values: Mapping[Expr, Any], above: Mapping[Slot, Any]
) -> dict[str, Any]:
    """Return the gradient of the weighted sum of outputs to every variable of floats, by name."""
    given: dict[Place, Any] = {}
    for (number, index), array in above.items():
        place = (outputs[number], index)
        given[place] = given[place] + array if place in given else array
    found = adjoints(outputs, values, given)
    return {
        expr.name: found.get((expr, None), np.zeros(expr.shape))
        for expr in values
        if isinstance(expr, Var) and is_differentiable(expr.type)
    }


def _compared(sides: Sides, source: dict[str, Any], target: dict[str, Any]) -> Agreement:
    differences: list[Difference] = []
    for name, mine in source.items():
        theirs = target.get(name, np.zeros_like(mine))
        with np.errstate(invalid="ignore"):
            scale = max(1.0, np.max(np.abs(mine), initial=0), np.max(np.abs(theirs), initial=0))
            wrong = ~(np.abs(mine - theirs) <= TOLERANCE * scale)
        if not np.any(wrong):
            continue
        if not _is_confirmed(sides, name, mine, theirs):
            return Agreement(sides, f"slopes do not confirm the gradient to {name}")
        differences.append(_difference(name, mine, theirs, wrong))
    return Agreement(sides, differences=tuple(differences))


def _difference(name: str, mine: Any, theirs: Any, wrong: Any) -> Difference:
    gaps = np.where(wrong, np.abs(mine - theirs), 0.0)
    order = np.argsort(-gaps, axis=None)[:MOST_ELEMENTS_SHOWN]
    found = [tuple(int(i) for i in np.unravel_index(flat, mine.shape)) for flat in order]
    worst = tuple(Mismatch(i, mine[i].item(), theirs[i].item()) for i in found if wrong[i])
    largest = float(np.max(gaps, initial=0.0))
    return Difference(f"gradient to {name}", int(wrong.sum()), wrong.size, largest, worst)


def _is_confirmed(sides: Sides, name: str, mine: Any, theirs: Any) -> bool:
    """Tell whether the slopes of both networks are what their gradients say, for some step."""
    gap = np.nan_to_num(mine - theirs)
    direction = np.where(np.abs(gap) == np.max(np.abs(gap)), np.sign(gap), 0.0)
    expected = [float(np.sum(array * direction)) for array in (mine, theirs)]
    allowed = 0.1 * abs(expected[0] - expected[1])
    return any(
        all(abs(slope - e) <= allowed for slope, e in zip(slopes, expected, strict=True))
        for slopes in _slopes(sides, name, direction)
    )


def _slopes(sides: Sides, name: str, direction: Any) -> Iterator[list[float]]:
    """Yield for every step the slopes of source and target along a direction of an input."""
    for step in STEPS:
        slopes = []
        for outputs in (sides.network.outputs, sides.target):
            ends = []
            for signed in (step, -step):
                moved = {**sides.inputs, name: sides.inputs[name] + signed * direction}
                values = returned(outputs, ideal_values(outputs, moved))
                sums = (np.sum(array * values[slot]) for slot, array in sides.above.items())
                ends.append(float(sum(sums)))
            slopes.append((ends[0] - ends[1]) / (2 * step))
        yield slopes
