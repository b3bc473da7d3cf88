"""Central differences, against which gradients are held."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gsl.kernel.gradient import differentiate
from gsl.kernel.run import run
from gsl.kernel.statement import Kernel

STEP = 1e-5
TOLERANCE = 1e-6


def error(found: Any, expected: Any) -> float:
    """Return the largest difference, relative to the largest value that is expected."""
    assert np.shape(found) == np.shape(expected)
    scale = max(1.0, float(np.max(np.abs(expected), initial=0.0)))
    return float(np.max(np.abs(found - expected), initial=0.0)) / scale


def seeds(kernel: Kernel, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Return random adjoints of the outputs."""
    random = np.random.default_rng(7)
    results = run(kernel, inputs)
    return {name: random.normal(size=np.shape(value)) for name, value in results.items()}


def slope(
    kernel: Kernel,
    inputs: Mapping[str, Any],
    above: Mapping[str, Any],
    name: str,
    direction: Any,
    step: float = STEP,
) -> float:
    """Return the slope of the outputs, weighted by `above`, along a direction of an input."""
    sums = []
    for moved in (inputs[name] + step * direction, inputs[name] - step * direction):
        results = run(kernel, {**inputs, name: moved})
        sums.append(sum(float(np.sum(above[o] * results[o])) for o in kernel.outputs))
    return (sums[0] - sums[1]) / (2 * step)


def differences(
    kernel: Kernel, inputs: Mapping[str, Any], above: Mapping[str, Any], name: str
) -> Any:
    """Return the slopes along all elements of an input."""
    slopes = np.zeros(np.shape(inputs[name]))
    for place in np.ndindex(slopes.shape):
        direction = np.zeros(slopes.shape)
        direction[place] = 1.0
        slopes[place] = slope(kernel, inputs, above, name, direction)
    return slopes


def directions(array: Any) -> Any:
    """Return some random directions in which an array may move."""
    return np.random.default_rng(5).choice([-1.0, -0.5, 0.5, 1.0], size=(2, *np.shape(array)))


def gradients(
    kernel: Kernel, inputs: Mapping[str, Any], above: Mapping[str, Any], names: list[str]
) -> tuple[Kernel, dict[str, Any]]:
    """Return the gradient kernel and its results."""
    gradient = differentiate(kernel, names)
    given = {f"d{name}": value for name, value in above.items()} | dict(inputs)
    return gradient, run(gradient, {name: given[name] for name in gradient.inputs})


def check(kernel: Kernel, inputs: Mapping[str, Any], names: list[str]) -> Kernel:
    """Compare the gradient to inputs with central differences; return the gradient kernel."""
    above = seeds(kernel, inputs)
    gradient, found = gradients(kernel, inputs, above, names)
    for name, output in zip(names, gradient.outputs, strict=True):
        expected = differences(kernel, inputs, above, name)
        assert error(found[output], expected) < TOLERANCE, (name, found[output], expected)
    return gradient


def random_inputs(kernel: Kernel, low: float = -1.0, high: float = 1.0) -> dict[str, Any]:
    """Return random arrays for the inputs of a kernel whose dimensions are numbers."""
    random = np.random.default_rng(3)
    shapes = {name: kernel.shapes[name] for name in kernel.inputs}
    return {name: random.uniform(low, high, size=shape) for name, shape in shapes.items()}
