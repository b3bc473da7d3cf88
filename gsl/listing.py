"""Graphs as text in static single assignment form, one operator per line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gsl.expr import Call, Const, Expr, Proj, Tuple, Var
from gsl.graph import reverse_post_order


def listing(outputs: Sequence[Expr]) -> list[str]:
    """Return one line for every constant and operator below `outputs`, then the outputs.

    Attributes are shown where they differ from their default.
    """
    names: dict[Expr, str] = {}
    lines: list[str] = []
    for expr in reverse_post_order(outputs):
        operands = [names[operand] for operand in expr.operands]
        match expr:
            case Var(name=name):
                names[expr] = name
            case Proj(index=index):
                names[expr] = f"{operands[0]}.{index}"
            case Tuple():
                names[expr] = f"({', '.join(operands)})"
            case Call():
                names[expr] = f"%{len(lines)}"
                lines.append(f"{names[expr]} = {_call_text(expr, operands)}")
            case Const(value=value):
                names[expr] = _constant_text(value)
    lines.append(f"return {', '.join(names[output] for output in outputs)}")
    return lines


def _call_text(call: Call, operands: list[str]) -> str:
    attributes = [f"{name}={value!r}" for name, value in shown_attributes(call).items()]
    return f"{call.operator}({', '.join([*operands, *attributes])})"


def shown_attributes(call: Call) -> dict[str, Any]:
    """Return the attributes of a call that differ from their defaults."""
    types = tuple(operand.type for operand in call.operands)
    shown = {}
    for attribute in call.operator.attributes.values():
        value = call.attributes[attribute.name]
        try:
            default = attribute.domain.normalise(attribute.default, types)
        except (TypeError, ValueError):
            default = attribute.default
        if value != default:
            shown[attribute.name] = value
    return shown


def _constant_text(value: Any) -> str:
    text = str(value.tolist())
    return text if len(text) <= 40 else f"{text[:36]}...]"
