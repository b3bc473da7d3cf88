"""Operands of calls: as many as the operator takes, tensors and tuples where it takes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gsl.errors import RuleError
from gsl.operators import Operator
from gsl.span import here, resolve

if TYPE_CHECKING:
    from gsl.pat.pattern import Pattern


def check_operands(operator: Operator, patterns: Sequence[Pattern]) -> None:
    """Raise RuleError GSL111 for a wrong number of operands, GSL119 for one of a wrong kind."""
    if len(patterns) != len(operator.operands):
        names = ", ".join(operand.name for operand in operator.operands)
        raise RuleError(
            "GSL111",
            f"{operator} takes {len(operator.operands)} operands, not {len(patterns)}",
            resolve(here()),
            f"operands: {names or 'none'}",
        )
    for declared, pattern in zip(operator.operands, patterns, strict=True):
        wanted = "tuple" if declared.is_tuple else "tensor"
        if pattern.result_kind() not in (wanted, ""):
            kind = "a tuple of tensors" if declared.is_tuple else "one tensor"
            message = f"operand `{declared.name}` of {operator} is {kind}, not {pattern!r}"
            cure = "put it into a tuple" if declared.is_tuple else "give the tensor itself"
            raise RuleError("GSL119", message, resolve(here()), cure)


def check_has_fields(pattern: Pattern) -> None:
    """Raise RuleError GSL119 for the projection out of a tensor."""
    if pattern.result_kind() == "tensor":
        message = f"{pattern!r} gives one tensor, which has no fields"
        cure = "project from a tuple, such as op.Split(x); for a part use op.StridedSlice"
        raise RuleError("GSL119", message, resolve(here()), cure)


def result_of(operator: Operator) -> str:
    """Return "tuple" or "tensor" for what the calls of an operator give, "" if it is not known."""
    given = operator.rule.__annotations__.get("return")
    kinds = {"TensorType": "tensor", "list[TensorType]": "tuple"}
    return kinds.get(str(given), "")
