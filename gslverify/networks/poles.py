"""Inputs that meet where an operator has no value, although each of them alone is allowed.

The least integer has no quotient by -1. Of two inputs that are drawn one by one, one is rarely the
least where the other is -1, and a target may compute what its source keeps from happening.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

import numpy as np

from gsl.expr import Call, Expr, Var
from gsl.graph import reverse_post_order
from gsl.operators import Operator
from gsl.types import TensorType
from gslverify.networks.arrays import filled_inputs
from gslverify.networks.network import Network
from gslverify.networks.values import restricted, value_ranges

MOST_ELEMENTS = 1_000
"""Elements of the inputs of a network; more show nothing that fewer do not."""
MOST_MEETINGS = 12

Pole = tuple[int, ...]
"""Operands on which an operator has no value."""

Plan = Mapping[Var, Sequence[int]]
"""The numbers that the elements of variables are among."""


def meetings(network: Network, seed: int) -> list[dict[str, Any]]:
    """Return inputs that bring integers to the poles of the operators that combine them.

    Divisors are there everywhere, dividends all at once, one by one and here and there.
    """
    if network.elements > MOST_ELEMENTS:
        return []
    calls = [e for e in reverse_post_order(network.outputs) if isinstance(e, Call)]
    plans = islice((plan for call in calls for plan in _plans(network, call)), MOST_MEETINGS)
    return [_planned(network, plan, seed + n) for n, plan in enumerate(plans)]


def _plans(network: Network, call: Call) -> Iterator[Plan]:
    types = [operand.type for operand in call.operands]
    dtypes = tuple(one.dtype for one in types if isinstance(one, TensorType))
    if call.operator.undefined is None or len(dtypes) < len(types):
        return
    first, *groups = [_variables([operand]) for operand in call.operands]
    for pole, *others in poles_of(call.operator, dtypes):
        fixed = {v: (n,) for group, n in zip(groups, others, strict=True) for v in group}
        free = [v for v in network.variables if v in first or v not in fixed]
        yield from _around(fixed, free, pole)


def _variables(exprs: Sequence[Expr]) -> set[Var]:
    return {expr for expr in reverse_post_order(exprs) if isinstance(expr, Var)}


def _around(fixed: Plan, free: Sequence[Var], pole: int) -> Iterator[Plan]:
    """Yield plans with some of the `free` variables at a pole, or beside it."""
    numbers = [v for v in free if v.dtype != "bool"]
    flags = [v for v in free if v.dtype == "bool"]
    either = dict.fromkeys(flags, (0, 1))
    for truth in (0, 1) if flags else (0,):
        for group in (numbers, *([one] for one in numbers if len(numbers) > 1)):
            yield {**fixed, **dict.fromkeys(flags, (truth,)), **dict.fromkeys(group, (pole,))}
    yield {**fixed, **either, **dict.fromkeys(numbers, (pole, 1))}
    beside = (pole + 1, -(pole + 1))
    yield {**fixed, **either, **dict.fromkeys(numbers, beside)}
    opposite = {v: tuple(-n for n in values) for v, values in fixed.items()}
    yield {**opposite, **either, **dict.fromkeys(numbers, (pole,))}


@lru_cache(maxsize=64)
def poles_of(operator: Operator, dtypes: tuple[str, ...]) -> tuple[Pole, ...]:
    """Return the poles of an operator among the edges of integer dtypes of its operands."""
    if operator.undefined is None or any(np.dtype(dtype).kind not in "iu" for dtype in dtypes):
        return ()
    edges = [np.array(_edges(np.iinfo(dtype)), dtype) for dtype in dtypes]
    grid = np.meshgrid(*edges, indexing="ij")
    found = np.argwhere(np.broadcast_to(operator.undefined(*grid), grid[0].shape))
    return tuple(tuple(int(axis[n]) for axis, n in zip(edges, at, strict=True)) for at in found)


def _edges(limits: Any) -> list[int]:
    negative = [limits.min + 1, -1] if limits.min < 0 else []
    return [limits.min, *negative, 0, 1, limits.max]


def _planned(network: Network, plan: Plan, seed: int) -> dict[str, Any]:
    """Return inputs with the elements of a plan, all others small and not 0."""
    given = filled_inputs(network, ("nonzero integers", False), seed)
    ranges = value_ranges(network.outputs, False)
    generator = np.random.default_rng(seed)
    for variable, numbers in plan.items():
        dtype = np.dtype(variable.dtype)
        held = [number for number in numbers if _holds(dtype, number)]
        if held:
            raw = generator.choice(np.array(held, dtype), variable.shape)
            inside = raw if dtype.kind == "b" else restricted(raw, ranges.get(variable, ()), dtype)
            given[variable.name] = np.asarray(inside).astype(dtype)
    return given


def _holds(dtype: np.dtype[Any], number: int) -> bool:
    if dtype.kind not in "iu":
        return dtype.kind == "b"
    limits = np.iinfo(dtype)
    return bool(limits.min <= number <= limits.max)
