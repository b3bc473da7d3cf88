"""Operators of somebody else, with references that cannot be relied on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gsl import Subst, op, pat
from gsl.operators.declaration import Need, Operator, Tensor, operator
from gsl.types import TensorType


def operator_of(name: str, reference: Callable[..., Any]) -> Operator:
    """Declare an operator on floats whose result has the type of its operand."""

    def rule(need: Need, data: Tensor) -> TensorType:
        return data

    rule.__name__ = rule.__qualname__ = name
    rule.__doc__ = "An operator of a test."
    declared = operator(dtypes=("float32",))(rule)
    declared.reference = reference
    return declared


def noise(data: Any) -> Any:
    return data + np.random.default_rng().standard_normal(data.shape)


def median_apart(data: Any) -> Any:
    return data - np.median(data)


def shifted_in_place(data: Any) -> Any:
    return np.add(data, 1.0, out=data)


def half_of_sum(data: Any) -> Any:
    return data - data.cumsum()


def as_array(data: Any) -> Any:
    return np.asarray(data) + 1


def failing(data: Any) -> Any:
    raise ValueError("nothing fits")


def twice_limited(declared: Operator) -> Callable[[], Subst]:
    """Return the rule f(relu(relu(x))) => f(relu(x)), which holds for every function f."""
    call = getattr(op, declared.name)

    def limited() -> Subst:
        x = pat.Wildcard()
        return Subst(call(op.Relu(op.Relu(x))), call(op.Relu(x)))

    return limited
