"""ONNX nodes that TVM's importer reads as if they said something else.

It passes over attributes and results that it does not know, so the model would be another one.
Found by the test cases that ONNX has for its operators (TVM 0.27).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

Attributes = Mapping[str, Any]

FORGOTTEN: Mapping[str, Callable[[Attributes], str]] = {
    "BatchNormalization": lambda given: "training_mode" if given.get("training_mode") else "",
    "ConvTranspose": lambda given: "output_shape" if "output_shape" in given else "",
    "IsInf": lambda given: next(
        (name for name in ("detect_negative", "detect_positive") if not given.get(name, 1)), ""
    ),
    "RoiAlign": lambda given: "mode" if given.get("mode") == b"max" else "",
    "SpaceToDepth": lambda given: "mode" if given.get("mode") == b"CRD" else "",
}
"""The attribute of a node that TVM passes over, or takes for another, by operator."""

FIRST_ONLY = ("Dropout", "LayerNormalization")
"""Operators of which TVM computes the first result only; the others are of no use."""


def misread_nodes(onnx: Any, graph: Any) -> Iterator[tuple[int, str]]:
    """Yield the numbers of the nodes that are not read as they are, and what is lost of each."""
    used = {name for node in graph.node for name in node.input}
    used |= {value.name for value in graph.output}
    for number, node in enumerate(graph.node):
        given = {one.name: onnx.helper.get_attribute_value(one) for one in node.attribute}
        lost = FORGOTTEN[node.op_type](given) if node.op_type in FORGOTTEN else ""
        if lost:
            yield number, f"its {lost}"
        more = [name for name in node.output[1:] if name in used]
        if more and node.op_type in FIRST_ONLY:
            yield number, f"its result `{more[0]}`"
