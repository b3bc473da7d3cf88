"""Attribute values, tensors, differences and counts as short text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from gslverify.finding import Difference, Tensor

MOST_ELEMENTS = 16
MOST_DIFFERENCES = 5


def number_text(value: Any) -> str:
    """Return a number as short as it can be without losing what tells it from its neighbours."""
    if isinstance(value, float):
        text = repr(value)
        return text[:-2] if text.endswith(".0") else text
    return str(value)


def attribute_texts(attributes: Mapping[str, Any]) -> list[str]:
    """Return "conv.groups = 2", "x.shape = (1, 4)" and so on; elements are put together."""
    whole: dict[str, Any] = {}
    for name, value in attributes.items():
        base, _, index = name.removesuffix("]").rpartition("[")
        if base and index.isdecimal() and isinstance(whole.setdefault(base, {}), dict):
            whole[base][int(index)] = value
        else:
            whole[name] = value
    return [f"{name} = {_assembled(value)}" for name, value in whole.items()]


def _assembled(value: Any) -> str:
    if not isinstance(value, dict):
        return repr(value)
    known = [repr(value[i]) if i in value else "?" for i in range(max(value) + 1)]
    return f"({', '.join(known)}{',' if len(known) == 1 else ''})"


def tensor_text(tensor: Tensor) -> str:
    """Return "x float32[1,2] = [[0 1]]"; of many elements only the type."""
    head = f"{tensor.name} {tensor.dtype}[{','.join(map(str, tensor.shape))}]"
    if tensor.values is None or prod(tensor.shape) > MOST_ELEMENTS:
        return head
    return f"{head} = {nested_text(tensor.values)}"


def with_values(statements: Sequence[str], values: Sequence[Any]) -> list[str]:
    """Return each statement of a listing with what it computes behind it."""
    known = [*values, *[None] * (len(statements) - len(values))]
    return [
        statement if value is None else f"{statement}   = {nested_text(value)}"
        for statement, value in zip(statements, known, strict=True)
    ]


def counted(number: int, noun: str) -> str:
    """Return "1 rule", "2 rules"."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def nested_text(values: Any) -> str:
    """Return nested lists without commas: "[[0 1] [4 2]]"."""
    if isinstance(values, list | tuple):
        return f"[{' '.join(nested_text(value) for value in values)}]"
    return number_text(values)


def difference_lines(difference: Difference) -> list[str]:
    """Return how one output differs, its worst elements below."""
    share = f"{difference.mismatched} of {difference.total} elements differ"
    sentence = f"; {difference.sentence}" if difference.sentence else ""
    lines = [f"{difference.output}: {share}{sentence}"]
    shown = difference.worst[:MOST_DIFFERENCES]
    for index, source, target in shown:
        place = f"[{','.join(map(str, index))}]"
        values = f"source {number_text(source)}   target {number_text(target)}"
        lines.append(f"  {place}   {values}{_distance(source, target)}")
    return lines


def _distance(source: Any, target: Any) -> str:
    if isinstance(source, bool) or not isinstance(source, int | float):
        return ""
    if isinstance(target, bool) or not isinstance(target, int | float):
        return ""
    distance = abs(source - target)
    return "" if distance != distance else f"   apart {number_text(distance)}"
