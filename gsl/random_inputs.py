"""Random inputs on which the operators of a workload are defined."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gsl.dtypes import DTYPES, Kind
from gsl.evaluate import trace
from gsl.expr import Call, Expr, Proj, Var
from gsl.graph import reverse_post_order
from gsl.operators.defined import Values
from gsl.types import TensorType
from gsl.workload import Workload

INTEGERS = frozenset({Kind.SIGNED, Kind.UNSIGNED})
WHOLE = INTEGERS | {Kind.BOOL}

BYTE = 8
"""Integers of up to so many bits are data, such as pixels; longer ones are ids and masks."""


@dataclass(frozen=True, slots=True)
class _Demand:
    """Integers on whose values an operator is defined, and the inputs that they come from."""

    operand: Expr
    values: Values
    inputs: frozenset[Var]


def random_inputs(workload: Workload, seed: int = 0) -> dict[str, Any]:
    """Return an array for each input: normally distributed floats, random bools and integers.

    Integers that look something up are within what is looked up, other ones of more than 8 bits 0
    or 1, as in masks. Where sums and the like of them would be outside all are 0 or 1, or else 0.
    """
    demands = list(_demands(workload))
    for most in (None, 1, 0):
        generator = np.random.default_rng(seed)
        drawn = {
            one.name: _drawn(generator, one, *_bounds(one, demands, most))
            for one in workload.inputs
        }
        if all(_is_met(demand, {**workload.parameters, **drawn}) for demand in demands):
            break
    return drawn


def _demands(workload: Workload) -> Iterator[_Demand]:
    """Yield what operators demand of integers that come from inputs."""
    origins: dict[Expr, frozenset[Var]] = {
        one: frozenset([one]) for one in workload.inputs if _is_of(one, INTEGERS)
    }
    for expr in workload.order:
        found = [origins.get(operand, frozenset()) for operand in expr.operands]
        if isinstance(expr, Call):
            types = tuple(operand.type for operand in expr.operands)
            for declared, operand, inputs in zip(
                expr.operator.operands, expr.operands, found, strict=False
            ):
                rule = expr.operator.values.get(declared.name)
                if rule is not None and inputs:
                    known = rule if isinstance(rule, Values) else rule(types, expr.attributes)
                    yield _Demand(operand, known, inputs)
        if found and (not isinstance(expr, Call | Proj) or _is_of(expr, INTEGERS)):
            origins[expr] = frozenset[Var]().union(*found)


def _is_of(expr: Expr, kinds: frozenset[Kind]) -> bool:
    kind = expr.type
    return isinstance(kind, TensorType) and DTYPES[str(kind.dtype)].kind in kinds


def _bounds(variable: Var, demands: list[_Demand], most: int | None) -> tuple[int, int]:
    """Return the least and the largest integer for an input."""
    dtype = DTYPES[str(variable.dtype)]
    own = [one.values for one in demands if variable in one.inputs]
    highs = [int(one.high) for one in own if one.high is not None]
    lows = [int(one.low) for one in own if one.low is not None]
    lows += [1 for one in own if one.nonzero]
    is_data = dtype.bits <= BYTE and dtype.kind is not Kind.BOOL
    low = max(lows, default=int(dtype.lowest) if is_data and not own else 0)
    high = min(highs, default=int(dtype.largest) if is_data else max(low, 1))
    return (low, max(low, high)) if most is None else (0, most)


def _drawn(generator: np.random.Generator, variable: Var, low: int, high: int) -> Any:
    dtype = DTYPES[str(variable.dtype)]
    if dtype.kind in WHOLE:
        whole = generator.integers(low, high, variable.shape, endpoint=True)
        return np.asarray(whole).astype(dtype.name)
    return np.asarray(generator.standard_normal(variable.shape)).astype(dtype.name)


def _is_met(demand: _Demand, values: Mapping[str, Any]) -> bool:
    """Tell whether what is computed of integers alone fits; all else is not looked at."""
    below = reverse_post_order([demand.operand])
    if not all(_is_of(one, WHOLE) for one in below):
        return True
    try:
        found = trace([demand.operand], values)[demand.operand]
    except Exception:  # whatever a reference raises: nothing is known
        return True
    low, high = demand.values.low, demand.values.high
    return bool((low is None or np.all(found >= low)) and (high is None or np.all(found <= high)))
