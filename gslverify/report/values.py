"""Attribute values, tensors and differences as short text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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


def attributes_text(attributes: Mapping[str, Any]) -> str:
    """Return "conv.groups = 2, conv.strides = (1, 1)"."""
    return ", ".join(f"{name} = {value!r}" for name, value in attributes.items())


def tensor_text(tensor: Tensor) -> str:
    """Return "x float32[1,2] = [[0 1]]"; many elements are counted instead."""
    sizes = ",".join(map(str, tensor.shape))
    count = sum(1 for _ in _leaves(tensor.values))
    values = nested_text(tensor.values) if count <= MOST_ELEMENTS else f"{count} elements"
    return f"{tensor.name} {tensor.dtype}[{sizes}] = {values}"


def nested_text(values: Any) -> str:
    """Return nested lists without commas: "[[0 1] [4 2]]"."""
    if isinstance(values, list | tuple):
        return f"[{' '.join(nested_text(value) for value in values)}]"
    return number_text(values)


def _leaves(values: Any) -> Iterator[Any]:
    if isinstance(values, list | tuple):
        for value in values:
            yield from _leaves(value)
    else:
        yield values


def difference_lines(difference: Difference) -> list[str]:
    """Return how one output differs, its worst elements below."""
    share = f"{difference.mismatched} of {difference.total} elements differ"
    sentence = f"; {difference.sentence}" if difference.sentence else ""
    lines = [f"{difference.output}: {share}{sentence}"]
    shown = difference.worst[:MOST_DIFFERENCES]
    for index, source, target in shown:
        place = f"{difference.output}[{','.join(map(str, index))}]"
        values = f"source {number_text(source)}   target {number_text(target)}"
        lines.append(f"{place}   {values}{_distance(source, target)}")
    return lines


def _distance(source: Any, target: Any) -> str:
    if isinstance(source, bool) or not isinstance(source, int | float):
        return ""
    if isinstance(target, bool) or not isinstance(target, int | float):
        return ""
    distance = abs(source - target)
    return "" if distance != distance else f"   apart {number_text(distance)}"
