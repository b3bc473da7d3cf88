"""How normalisations are written in Relax, by calls that keep their digits.

The kernels of TVM compute in float32, or subtract the squared mean from the mean square.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gsl.operators.create import scalar


def other_axes(rank: int, axes: Sequence[int]) -> tuple[int, ...]:
    """Return the axes that a parameter along `axes` lacks."""
    return tuple(axis for axis in range(rank) if axis not in {a % rank for a in axes})


def relax_layer_norm(
    relax: Any, data: Any, gamma: Any, beta: Any, kind: Any, **attributes: Any
) -> Any:
    """Lower LayerNorm of data with a type that its expression does not know yet."""
    others = other_axes(kind.ndim, attributes["axes"])
    epsilon = scalar(relax, attributes["epsilon"], str(kind.dtype))
    result = relax_standardise(relax, data, attributes["axes"], epsilon)
    return relax_affine(relax, result, gamma, beta, others, attributes)


def relax_rms_norm(relax: Any, data: Any, weight: Any, kind: Any, axes: Any, epsilon: float) -> Any:
    """Lower RmsNorm of data with a type that its expression does not know yet."""
    square = relax.mean(relax.square(data), axes, keepdims=True)
    root = relax_root(relax, square, scalar(relax, epsilon, str(kind.dtype)))
    result = relax.divide(data, root)
    return relax.multiply(result, relax.expand_dims(weight, other_axes(kind.ndim, axes)))


def relax_standardise(relax: Any, data: Any, axes: Any, epsilon: Any) -> Any:
    """Return the deviations of data from their mean, divided by the root of their variance."""
    deviation = relax.subtract(data, relax.mean(data, axes, keepdims=True))
    variance = relax.mean(relax.square(deviation), axes, keepdims=True)
    return relax.divide(deviation, relax_root(relax, variance, epsilon))


def relax_root(relax: Any, variance: Any, epsilon: Any) -> Any:
    """Return the root of a variance that epsilon keeps from being 0."""
    return relax.sqrt(relax.add(variance, epsilon))


def relax_affine(relax: Any, data: Any, gamma: Any, beta: Any, others: Any, attributes: Any) -> Any:
    """Scale and shift as the flags of a normalisation say."""
    if attributes["scale"]:
        data = relax.multiply(data, relax.expand_dims(gamma, others))
    if attributes["center"]:
        data = relax.add(data, relax.expand_dims(beta, others))
    return data
