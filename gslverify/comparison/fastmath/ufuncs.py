"""Arithmetic and elementary functions, step by step."""

from __future__ import annotations

from typing import Any

import numpy as np

from gsl.operators.elementwise import ERF
from gslverify.comparison.fastmath.array import (
    UFUNCS,
    Rounded,
    Step,
    chosen,
    refuse_ties,
    stepped,
)


def _sum(ufunc: Any, left: Rounded, right: Rounded) -> Rounded:
    value = ufunc(left.used_for(Step.SUM), right.used_for(Step.SUM))
    return stepped(Step.SUM, (left, right), value)


def product(ufunc: Any, *operands: Rounded) -> Rounded:
    """Multiply element by element."""
    value = ufunc(*(one.used_for(Step.PRODUCT) for one in operands))
    return stepped(Step.PRODUCT, operands, value)


def _sum_of_products(ufunc: Any, *operands: Rounded) -> Rounded:
    """Multiply matrices: one step, rounded once; what is added to it comes after its sums."""
    value = ufunc(*(one.used_for(Step.PRODUCT) for one in operands))
    operands[0].machine.steps.add(Step.PRODUCT)
    return stepped(Step.SUM, operands, value)


def divide(ufunc: Any, left: Rounded, right: Rounded) -> Rounded:
    """Divide; with `arcp` a quotient is a product with a reciprocal, that of a quotient turned."""
    machine = left.machine
    if "arcp" not in machine.flags:
        below = right.used_for(Step.QUOTIENT)
        return stepped(Step.QUOTIENT, (left, right), left.used_for(Step.QUOTIENT) / below)
    machine.steps.add(Step.QUOTIENT)
    if right.parts is not None and not machine.keeps(right.made_by, Step.QUOTIENT):
        above, below = right.parts
        return product(np.multiply, left, divide(ufunc, below, above))
    one = Rounded(machine, 1.0, right.dtype)
    inverse = stepped(Step.QUOTIENT, (one, right), 1.0 / right.used_for(Step.QUOTIENT))
    value = left.used_for(Step.PRODUCT) * inverse.used_for(Step.PRODUCT)
    is_one = bool(np.all(left.value == 1.0))
    step = Step.QUOTIENT if is_one else Step.PRODUCT
    return stepped(step, (left, inverse), value, (left, right))


def _function(ufunc: Any, *operands: Rounded) -> Rounded:
    machine = operands[0].machine
    machine.functions.add(ufunc.__name__)
    value = np.asarray(ufunc(*(one.used_for(Step.FUNCTION) for one in operands)), np.float64)
    return stepped(Step.FUNCTION, operands, value)


def _same(ufunc: Any, *operands: Rounded) -> Rounded:
    """A sign or a choice commutes with rounding."""
    return chosen(operands, ufunc(*(one.value for one in operands)))


def _step(ufunc: Any, operand: Rounded) -> Rounded:
    """Floor, ceil, round, sign: what they make is held by the dtype."""
    value = ufunc(operand.to_make_whole())
    return Rounded(operand.machine, operand.machine.made_coarse(value), operand.dtype)


def _decide(ufunc: Any, *operands: Rounded) -> Any:
    values = [one.used_for(Step.OTHER) for one in operands]
    if len(values) > 1 and any(one.is_approximate for one in operands):
        refuse_ties(np.equal(*values))
    return operands[0].machine.made_coarse(ufunc(*values))


for rule, names in (
    (_sum, (np.add, np.subtract)),
    (product, (np.multiply,)),
    (_sum_of_products, (np.matmul,)),
    (lambda ufunc, operand: product(np.multiply, operand, operand), (np.square,)),
    (divide, (np.divide,)),
    (_same, (np.negative, np.positive, np.absolute, np.maximum, np.minimum)),
    (_step, (np.floor, np.ceil, np.rint, np.trunc, np.sign)),
    (_function, (np.exp, np.log, np.sqrt, np.power, ERF, np.sin, np.cos, np.tan, np.tanh)),
    (_function, (np.sinh, np.cosh, np.arcsin, np.arccos, np.arctan)),
    (_function, (np.arcsinh, np.arccosh, np.arctanh)),
    (_decide, (np.isfinite, np.isinf, np.isnan, np.equal, np.not_equal)),
    (_decide, (np.less, np.less_equal, np.greater, np.greater_equal)),
):
    UFUNCS.update(dict.fromkeys(names, rule))
