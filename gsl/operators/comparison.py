"""Comparisons, logic on truth values, and the choice between two tensors."""

from __future__ import annotations

from math import inf

import numpy as np

from gsl.attr.evaluate import equal
from gsl.kernel.meaning import apply
from gsl.operators.declaration import Need, Operator, Tensor, operator
from gsl.operators.elementwise import ELEMENTWISE, UNARY, Reference, binary, pointwise, unary
from gsl.operators.shapes import broadcast
from gsl.types import BOOLEAN, FLOATING, TensorType


def comparison(name: str, relax: str, reference: Reference, meaning: str) -> Operator:
    """Declare a relation between two tensors of numbers; the result has dtype bool."""
    return binary(name, relax, reference, f"Whether {meaning}, as bool.", result="bool")


Equal = comparison("Equal", "equal", np.equal, "two elements are equal")
NotEqual = comparison("NotEqual", "not_equal", np.not_equal, "two elements differ")
Less = comparison("Less", "less", np.less, "the first element is smaller")
LessEqual = comparison("LessEqual", "less_equal", np.less_equal, "the first is not larger")
Greater = comparison("Greater", "greater", np.greater, "the first element is larger")
GreaterEqual = comparison(
    "GreaterEqual", "greater_equal", np.greater_equal, "the first is not smaller"
)

LogicalAnd = binary(
    "LogicalAnd", "logical_and", np.logical_and, "Whether both are true.", dtypes=BOOLEAN
)
LogicalOr = binary(
    "LogicalOr", "logical_or", np.logical_or, "Whether one or both are true.", dtypes=BOOLEAN
)
LogicalXor = binary(
    "LogicalXor",
    "logical_xor",
    np.not_equal,
    "Whether one of them is true and one is not.",
    dtypes=BOOLEAN,
)
LogicalNot = unary(
    "LogicalNot", "logical_not", np.logical_not, "Whether it is false.", dtypes=BOOLEAN
)


def classification(name: str, reference: Reference, element: Reference, meaning: str) -> Operator:
    """Declare a question about single numbers; the result has dtype bool."""

    def rule(need: Need, data: Tensor) -> TensorType:
        return data.with_dtype("bool")

    rule.__name__ = name
    rule.__doc__ = f"Whether an element is {meaning}, as bool. Source: relax.{name.lower()}."
    declared = operator(dtypes=FLOATING, relax=name.lower(), traits=UNARY)(rule)
    declared.reference = reference
    declared.meaning = pointwise(element)
    return declared


IsNaN = classification("IsNaN", np.isnan, lambda x: apply("!=", x, x), "not a number")
IsInf = classification(
    "IsInf", np.isinf, lambda x: apply("==", apply("abs", x), inf), "infinite, of either sign"
)
IsFinite = classification(
    "IsFinite", np.isfinite, lambda x: apply("<", apply("abs", x), inf), "neither infinite nor NaN"
)


@operator(dtypes=None, relax="where", traits=ELEMENTWISE)
def Where(need: Need, condition: Tensor, lhs: Tensor, rhs: Tensor) -> TensorType:
    """Take an element of `lhs` where `condition` is true, of `rhs` where it is false.

    The condition has dtype bool, the other two share any dtype; the shapes of all three
    broadcast to each other. Source: relax.where.
    """
    need(equal(condition.dtype, "bool"), "the condition must have dtype bool")
    need(equal(lhs.dtype, rhs.dtype), "both choices must have one dtype")
    return TensorType(broadcast(need, condition.shape, lhs.shape, rhs.shape), lhs.dtype)


Where.numpy(np.where)
Where.kernel(pointwise("select"))
