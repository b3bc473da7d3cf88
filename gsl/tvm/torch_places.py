"""Indices of PyTorch programs that may count from the end, counted from the front.

Operators of Relax take indices as they are. What is outside is an error in PyTorch, so the
remainder says the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

COPIES = ("aten.clone.default", "aten.lift_fresh_copy.default", "aten._to_copy.default")
"""Operators whose result has the values of their first operand, for whole numbers."""

VIEWS = ("expand", "permute", "reshape", "select", "slice", "squeeze", "unsqueeze", "view")
"""Operators whose result has no other elements than their first operand."""

COUNTING = ("argmax", "argmin", "argsort")
"""Operators whose result has places from the front."""


def count_from_front(torch: Any, program: Any) -> None:
    """Insert the remainders that indices of a program need, in place."""
    constants = _constants(program)
    for node in list(program.graph.nodes):
        if str(node.target) not in ("aten.index.Tensor", "aten.index_put.default"):
            continue
        data, indices, *rest = node.args
        sizes = data.meta["val"].shape
        counted = [
            one
            if one is None or _is_never_negative(torch, one, constants)
            else _remainder(torch, program.graph, node, one, size)
            for one, size in zip(indices, sizes, strict=False)
        ]
        node.args = (data, counted, *rest)


def _remainder(torch: Any, graph: Any, before: Any, index: Any, size: int) -> Any:
    with graph.inserting_before(before):
        made = graph.call_function(torch.ops.aten.remainder.Scalar, (index, size))
    made.meta["val"] = index.meta["val"]
    return made


def _is_never_negative(torch: Any, node: Any, constants: Mapping[str, Any]) -> bool:
    known = constants.get(node.name)
    if known is not None:
        return not known.numel() or bool((known >= 0).all())
    if node.meta["val"].dtype in (torch.bool, torch.uint8):
        return True
    name = str(node.target).partition(".")[2].partition(".")[0]
    if name in VIEWS or str(node.target) in COPIES:
        return _is_never_negative(torch, node.args[0], constants)
    if name == "arange":
        begin = node.args[0] if len(node.args) > 1 else 0
        return begin >= 0 and (len(node.args) < 3 or node.args[2] > 0)
    return name in COUNTING


def _constants(program: Any) -> Mapping[str, Any]:
    """Return the tensors that a program contains, by the names of the nodes that stand for them."""
    signature = program.graph_signature
    lifted = signature.inputs_to_lifted_tensor_constants.items()
    buffers = signature.inputs_to_buffers.items()
    known = {**program.state_dict, **program.constants}
    found = {node: known[name] for node, name in (*lifted, *buffers) if name in known}
    for node in program.graph.nodes:
        if str(node.target) in COPIES and getattr(node.args[0], "name", None) in found:
            found[node.name] = found[node.args[0].name]
    return found


def drop_assertions(program: Any) -> None:
    """Remove what a program only asserts: a graph has no effects."""
    for node in reversed(list(program.graph.nodes)):
        name = str(node.target).partition(".")[2]
        if name.startswith("_assert") and not node.users:
            program.graph.erase_node(node)
