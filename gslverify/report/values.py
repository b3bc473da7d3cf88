"""Attribute values, tensors, differences and counts as short text."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from math import inf, prod
from typing import Any

from gslverify.finding import Difference, Tensor

MOST_ELEMENTS = 16
MOST_DIFFERENCES = 5


def number_text(value: Any, *, single: bool = False) -> str:
    """Return a number as short as it can be without losing what tells it from its neighbours.

    These are the neighbours in float32 where the number is known to be a `single` one.
    """
    if isinstance(value, float):
        text = _single_text(value) if single else repr(value)
        return text[:-2] if text.endswith(".0") else text
    return str(value)


def _single_text(value: float) -> str:
    """Return the text with the fewest digits that is read as a value of float32."""
    shorter = (float(f"{value:.{digits}g}") for digits in range(1, 10))
    return repr(next((number for number in shorter if _as_single(number) == value), value))


def _as_single(value: float) -> float:
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return inf


def are_single(*values: Any) -> bool:
    """Tell whether all floats in nested lists have a value of float32, so that none looks alike."""
    stack = list(values)
    while stack:
        value = stack.pop()
        if isinstance(value, list | tuple):
            stack.extend(value)
        elif isinstance(value, float) and value == value and _as_single(value) != value:
            return False
    return True


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


def table_lines(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows of cells as lines; all columns but the last are as wide as their widest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)][:-1]
    return ["  ".join([*map(str.ljust, row[:-1], widths), row[-1]]).rstrip() for row in rows]


def nested_text(values: Any) -> str:
    """Return nested lists without commas: "[[0 1] [4 2]]"."""
    return _nested_text(values, are_single(values))


def _nested_text(values: Any, single: bool) -> str:
    if isinstance(values, list | tuple):
        return f"[{' '.join(_nested_text(value, single) for value in values)}]"
    return number_text(values, single=single)


def difference_lines(difference: Difference) -> list[str]:
    """Return how one output differs, its worst elements below."""
    share = f"{difference.mismatched} of {difference.total} elements differ"
    sentence = f"; {difference.sentence}" if difference.sentence else ""
    lines = [f"{difference.output}: {share}{sentence}"]
    shown = difference.worst[:MOST_DIFFERENCES]
    for element in shown:
        place = f"[{','.join(map(str, element.index))}]"
        one, other = pair_text(element.source, element.target)
        values = f"source {one}   target {other}"
        lines.append(f"  {place}   {values}{_distance(element.source, element.target)}")
    return lines


def pair_text(source: Any, target: Any) -> tuple[str, str]:
    """Return two values as text that differs where they do."""
    single = are_single(source, target)
    return number_text(source, single=single), number_text(target, single=single)


def _distance(source: Any, target: Any) -> str:
    if isinstance(source, bool) or not isinstance(source, int | float):
        return ""
    if isinstance(target, bool) or not isinstance(target, int | float):
        return ""
    distance = abs(source - target)
    return "" if distance != distance else f"   apart {number_text(distance)}"
