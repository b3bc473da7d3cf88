"""Graphs as text in static single assignment form, one operator per line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gsl.expr import Call, Const, Expr, Proj, Tuple, Var
from gsl.graph import reverse_post_order
from gsl.numpy_dtypes import is_floating

MOST_NUMBERS = 64
"""Of a constant that are written with few digits; the text of more is cut."""


def listing(outputs: Sequence[Expr]) -> list[str]:
    """Return one line for every operator below `outputs`, then the outputs.

    Attributes are shown where they differ from their default.
    """
    names: dict[Expr, str] = {}
    lines: list[str] = []
    for expr in reverse_post_order(outputs):
        text = text_over(expr, [names[operand] for operand in expr.operands])
        names[expr] = f"%{len(lines)}" if isinstance(expr, Call) else text
        if isinstance(expr, Call):
            lines.append(f"{names[expr]} = {text}")
    lines.append(f"return {', '.join(names[output] for output in outputs)}")
    return lines


def text_over(expr: Expr, operands: Sequence[str]) -> str:
    """Return one expression as text over the texts of its operands."""
    match expr:
        case Var(name=name):
            return name
        case Const(value=value):
            return _constant_text(value)
        case Proj(index=index):
            return f"{operands[0]}.{index}"
        case Tuple():
            return f"({', '.join(operands)})"
        case Call():
            shown = [f"{name}={value!r}" for name, value in shown_attributes(expr).items()]
            return f"{expr.operator}({', '.join([*operands, *shown])})"
        case _:
            return f"{type(expr).__name__}({', '.join(operands)})"


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
    text = str(_as_its_dtype_prints(value) if value.size <= MOST_NUMBERS else value.tolist())
    return text if len(text) <= 40 else f"{text[:36]}...]"


def _as_its_dtype_prints(value: Any) -> Any:
    """Return nested lists; float32 tells 0.1 from its neighbours by fewer digits than float64."""
    if not is_floating(value.dtype):
        return value.tolist()
    return np.array([float(str(one)) for one in value.flat]).reshape(value.shape).tolist()
