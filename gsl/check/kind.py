"""The check that tensors and tuples stand where they belong."""

from __future__ import annotations

from gsl.check.finding import Findings, all_patterns, place_of
from gsl.errors import RuleError
from gsl.operators import Operator
from gsl.pat import Call, Const, GetItem, Pattern, Tuple, Variable, Variadic, Wildcard
from gsl.subst import Subst


def kinds_fit(subst: Subst) -> Findings:
    """GSL119: operators take tensors or tuples as declared, and only tuples have fields."""
    for pattern in all_patterns(subst):
        if isinstance(pattern, GetItem) and kind_of_result(pattern.operands[0]) == "tensor":
            message = f"{pattern.operands[0]!r} gives one tensor, which has no fields"
            cure = "project from a tuple, such as op.Split(x); for a part use op.StridedSlice"
            yield RuleError("GSL119", message, place_of(pattern), cure)
        elif isinstance(pattern, Call) and isinstance(pattern.callee, Operator):
            yield from _operands_fit(pattern, pattern.callee)


def _operands_fit(call: Call, operator: Operator) -> Findings:
    for declared, operand in zip(operator.operands, call.operands, strict=True):
        wanted = "tuple" if declared.is_tuple else "tensor"
        is_absent = declared.is_optional and isinstance(operand, Tuple) and not operand.operands
        if kind_of_result(operand) not in (wanted, "") and not is_absent:
            message = f"operand `{declared.name}` of {operator} is {declared}, not {operand!r}"
            cure = "put it into a tuple" if declared.is_tuple else "give the tensor itself"
            yield RuleError("GSL119", message, place_of(call), cure)


def kind_of_result(pattern: Pattern) -> str:
    """Return "tensor" or "tuple" for what a pattern matches, or "" where it may be either."""
    match pattern:
        case Tuple() | Variadic():
            return "tuple"
        case Variable() | Const():
            return "tensor"
        case Wildcard(constraints=constraints) if constraints:
            return "tensor"
        case Call(callee=Operator() as operator):
            kinds = {"TensorType": "tensor", "list[TensorType]": "tuple"}
            return kinds.get(str(operator.rule.__annotations__.get("return")), "")
        case _:
            return ""
