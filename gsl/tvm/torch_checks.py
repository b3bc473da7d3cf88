"""What an exported PyTorch program must be like to be read.

TVM takes one random draw for a constant and forgets changes; outputs of a workload are tensors.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from gsl.tvm import torch_misread
from gsl.tvm.errors import UnsupportedError

SHOWN_PLACES = 5
"""So many nodes with an operator that is not supported are listed."""


def check_tensors(torch: Any, program: Any) -> None:
    """Demand that a program takes and returns tensors only."""
    kinds, signature = torch.export.graph_signature, program.graph_signature
    given = [s.arg for s in signature.input_specs if s.kind == kinds.InputKind.USER_INPUT]
    made = [s.arg for s in signature.output_specs if s.kind == kinds.OutputKind.USER_OUTPUT]
    for one in given:
        if not isinstance(one, kinds.TensorArgument):
            cure = "export a module that has it inside"
            raise UnsupportedError(f"argument `{one.name}` is {_said(one)}, no tensor; {cure}")
    for one, place in zip(made, _places(torch, program, len(made)), strict=True):
        if not isinstance(one, kinds.TensorArgument):
            cure = "export a module that returns tensors only"
            raise UnsupportedError(f"the model returns {_said(one)} as {place}, no tensor; {cure}")


def _said(argument: Any) -> str:
    return repr(argument.value) if hasattr(argument, "value") else f"`{argument.name}`"


def _places(torch: Any, program: Any, count: int) -> list[str]:
    """Return how Python writes each of the results, such as `result[1]`."""
    tree = torch.utils._pytree
    try:
        results = tree.tree_unflatten(list(range(count)), program.call_spec.out_spec)
        paths, _ = tree.tree_flatten_with_path(results)
        return [f"`result{tree.keystr(path)}`" for path, _ in paths]
    except ValueError:  # a class of results that does not name its fields
        return [f"result {number} of {count}" for number in range(1, count + 1)]


def check_pure(torch: Any, program: Any) -> None:
    """Demand that a program has no branches or loops, no random numbers and no effects.

    TVM would take one draw for a constant, and forget the changes.
    """
    signature = program.graph_signature
    changed = [*signature.buffers_to_mutate.values(), *signature.user_inputs_to_mutate.values()]
    if changed:
        cure = "export model.eval(), or return the new values"
        raise UnsupportedError(f"the model changes {', '.join(changed)}; {cure}")
    for node in program.graph.nodes:
        if isinstance(node.target, torch._ops.HigherOrderOperator):
            cure = "export a module without control flow"
            raise UnsupportedError(f"`{node.name}` = {node.target} calls functions; {cure}")
        if _is_random(torch, node):
            cure = "export model.eval(), or make what is drawn an input"
            raise UnsupportedError(f"`{node.name}` = {node.target} draws random numbers; {cure}")


def _is_random(torch: Any, node: Any) -> bool:
    if torch.Tag.nondeterministic_seeded not in getattr(node.target, "tags", ()):
        return False
    names = [argument.name for argument in node.target._schema.arguments]
    given = torch_misread.arguments_of(node)
    return "training" not in names or bool(given.get("training", False))


def check_sizes(torch: Any, program: Any) -> None:
    """Demand that all sizes are known."""
    for node in program.graph.nodes:
        value = node.meta.get("val")
        if isinstance(value, torch.Tensor) and not all(isinstance(n, int) for n in value.shape):
            shape = ", ".join(map(str, value.shape))
            cure = "export with fixed sizes, without dynamic_shapes"
            raise UnsupportedError(f"`{node.name}` has the open shape ({shape}); {cure}")


def check_known(program: Any, known: Container[str]) -> None:
    """Demand that all operators are read; `known` has their names in TVM's frontend."""
    unread = [
        node
        for node in program.graph.nodes
        if node.op == "call_function" and getattr(node.target, "__name__", "") not in known
    ]
    if unread:
        listed = ", ".join(f"`{node.name}` = {node.target}" for node in unread[:SHOWN_PLACES])
        raise UnsupportedError(f"no operator reads {listed}; write it with others")
