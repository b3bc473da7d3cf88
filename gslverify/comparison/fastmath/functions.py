"""Functions of whole arrays, step by step: data movement, reductions, products."""

from __future__ import annotations

from typing import Any

import numpy as np

from gsl.numpy_dtypes import is_floating
from gslverify.comparison.fastmath.array import (
    FUNCTIONS,
    Machine,
    Rounded,
    Step,
    chosen,
    lift,
    number,
    refuse_ties,
    result_dtype,
    stepped,
)
from gslverify.comparison.fastmath.ufuncs import divide
from gslverify.comparison.movement import MOVEMENTS

Arguments = tuple[Any, ...]
Options = dict[str, Any]


def _machine(parts: Any) -> Machine:
    found: Machine = next(one.machine for one in parts if isinstance(one, Rounded))
    return found


def _move(func: Any, args: Arguments, kwargs: Options) -> Any:
    whole, *rest = args
    options = dict(kwargs)
    parts = list(whole) if isinstance(whole, list | tuple) else [whole]
    machine, dtype = _machine(parts), result_dtype(parts)
    parts = [lift(part, machine, dtype) for part in parts]
    if type(options.get("constant_values")) is float:
        options["constant_values"] = number(options["constant_values"], machine, dtype).rounded()
    values = [part.value for part in parts]
    moved = func(values if isinstance(whole, list | tuple) else values[0], *rest, **options)
    if isinstance(moved, list | tuple):
        return [chosen(parts, one) for one in moved]
    return chosen(parts, moved)


def _options(kwargs: Options) -> Options:
    """Return the options of a reduction; the dtype is ours to decide."""
    return {name: value for name, value in kwargs.items() if name != "dtype"}


def _sum(func: Any, args: Arguments, kwargs: Options) -> Rounded:
    operand = args[0]
    value = func(operand.used_for(Step.SUM), *args[1:], **_options(kwargs))
    return stepped(Step.SUM, [operand], value)


def _mean(func: Any, args: Arguments, kwargs: Options) -> Rounded:
    total = _sum(np.sum, args, kwargs)
    count = args[0].size // max(1, total.size)
    return divide(np.divide, total, Rounded(total.machine, count, total.dtype))


def _product(func: Any, args: Arguments, kwargs: Options) -> Rounded:
    operand = args[0]
    value = func(operand.used_for(Step.PRODUCT), *args[1:], **_options(kwargs))
    return stepped(Step.PRODUCT, [operand], value)


def _choice(func: Any, args: Arguments, kwargs: Options) -> Rounded:
    return chosen([args[0]], func(args[0].value, *args[1:], **_options(kwargs)))


def _place(func: Any, args: Arguments, kwargs: Options) -> Any:
    operand, *rest = args
    values = operand.used_for(Step.OTHER)
    if operand.is_approximate:
        axis = kwargs.get("axis", rest[0] if rest else None)
        lines = np.ravel(values) if axis is None else np.moveaxis(values, axis, -1)
        refuse_ties(np.diff(np.sort(lines))[..., DECIDING.get(func, slice(None))] == 0)
    return operand.machine.made_coarse(func(values, *rest, **kwargs))


DECIDING = {np.argmax: slice(-1, None), np.argmin: slice(1)}
"""Which neighbours in order decide about a place."""


def _einsum(func: Any, args: Arguments, kwargs: Options) -> Rounded:
    equation, *arrays = args
    machine, dtype = _machine(arrays), result_dtype(arrays)
    operands = [lift(array, machine, dtype) for array in arrays]
    taken = Step.SUM if len(operands) == 1 else Step.PRODUCT
    value = np.einsum(equation, *(one.used_for(taken) for one in operands))
    machine.steps.add(taken)
    letters, result = equation.replace(" ", "").split("->")
    adds = not set(letters) - {","} <= set(result)
    return stepped(Step.SUM if adds else taken, operands, value)


def _where(func: Any, args: Arguments, kwargs: Options) -> Rounded:
    condition, *choices = args
    machine, dtype = _machine(choices), result_dtype(choices)
    then, otherwise = (lift(choice, machine, dtype) for choice in choices)
    return chosen([then, otherwise], np.where(condition, then.value, otherwise.value))


def _filled(func: Any, args: Arguments, kwargs: Options) -> Any:
    operand = args[0]
    filled = func(operand.value, *args[1:], **{"dtype": operand.dtype, **kwargs})
    return Rounded(operand.machine, filled, filled.dtype) if is_floating(filled.dtype) else filled


FUNCTIONS.update(
    {
        np.sum: _sum,
        np.cumsum: _sum,
        np.mean: _mean,
        np.prod: _product,
        np.max: _choice,
        np.min: _choice,
        np.sort: _choice,
        np.argmax: _place,
        np.argmin: _place,
        np.argsort: _place,
        np.einsum: _einsum,
        np.where: _where,
        np.zeros_like: _filled,
        np.ones_like: _filled,
        np.full_like: _filled,
    }
)
FUNCTIONS.update(dict.fromkeys((*MOVEMENTS, np.pad, np.split, np.tril, np.triu), _move))
