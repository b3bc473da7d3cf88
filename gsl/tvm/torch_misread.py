"""Nodes of PyTorch programs that TVM's importer reads as if they said something else.

It passes over arguments that it does not know, so the model would be another one. Found by
comparing operators one by one with what PyTorch computes (TVM 0.27).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

Arguments = Mapping[str, Any]


def misread_nodes(program: Any) -> Iterator[tuple[str, str]]:
    """Yield the names of nodes that are not read as they are, and what is lost of each."""
    for node in program.graph.nodes:
        schema = getattr(node.target, "_schema", None)
        check = FORGOTTEN.get(str(node.target).partition(".")[2].partition(".")[0])
        if schema is not None and check is not None:
            lost = check(arguments_of(node))
            if lost:
                yield node.name, lost


def arguments_of(node: Any) -> Arguments:
    """Return the arguments that a call of an operator gives, by name."""
    names = [argument.name for argument in node.target._schema.arguments]
    return {**dict(zip(names, node.args, strict=False)), **node.kwargs}


def _divisor(given: Arguments) -> str:
    return "" if given.get("divisor_override") is None else "its divisor_override"


FORGOTTEN: Mapping[str, Callable[[Arguments], str]] = {
    "avg_pool2d": _divisor,
    "avg_pool3d": _divisor,
}
"""Tells what TVM passes over in a call, "" for nothing, by operator."""
