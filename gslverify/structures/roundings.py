"""Whole numbers that a floating dtype does not have, as elements of what is made of nothing else.

A rule that computes with the attribute has the number itself, the tensor has a neighbour of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from gsl.attr.evaluate import conjunction, equal
from gsl.attr.term import Symbol, Term, subterms
from gsl.dtypes import DTYPES
from gsl.errors import GslError
from gsl.expr import Call
from gsl.kernel.affine import simplify
from gsl.kernel.expression import Number
from gsl.kernel.meaning import named
from gsl.types import FLOATING, TensorType
from gslverify.structures.instance import Instance

FIRST_LOST = {name: 2 ** DTYPES[name].digits + 1 for name in FLOATING}
"""The least positive whole numbers that the floating dtypes round."""
FEW = 4
"""Elements along an axis that are enough; ranges from zero on would be too long."""


def roundings(instance: Instance) -> Iterator[Term]:
    """Yield the conditions that the first element of a tensor of numbers is one that is rounded."""
    for node in instance.graph:
        call = node.expr
        if not isinstance(call, Call) or not isinstance(call.type, TensorType):
            continue
        with suppress(GslError):
            first = _first_element(call, call.type)
            if isinstance(first, Term):
                yield from _rounded(first, call.type)


def _first_element(call: Call, result: TensorType) -> Any:
    """Return the first element of what an operator makes of its attributes alone, else None."""
    types = [operand.type for operand in call.operands]
    operands = [named("operand", one) for one in types if isinstance(one, TensorType)]
    if "dtype" not in call.attributes or call.operator.meaning is None:
        return None
    if len(operands) < len(types):
        return None
    element = call.operator.element((0,) * result.ndim, operands, call.attributes, None)
    return element.value if isinstance(element, Number) else None


def _rounded(value: Term, result: TensorType) -> Iterator[Term]:
    is_real = any(isinstance(part, Symbol) and part.sort == "real" for part in subterms(value))
    first = value if is_real else simplify(value, {})
    if not isinstance(first, Term):
        return
    few = [size <= FEW for size in result.shape]
    for dtype, number in FIRST_LOST.items():
        lost = float(number) if is_real else number
        is_it = conjunction(equal(result.dtype, dtype), equal(first, lost), *few)
        if lost == number and isinstance(is_it, Term):
            yield is_it
