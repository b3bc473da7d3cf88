"""Conversions that PyTorch does by itself, written out before TVM reads a program.

Operands of arithmetic meet in a dtype that depends on all of them, numbers included, and sums of
small integers have 64 bits. TVM knows neither. What every node really returns stands in its
metadata; `disagreements` holds that against what TVM has made of the node.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gsl.tvm.torch_misread import arguments_of

ACCUMULATING = ("sum", "prod", "cumsum", "cumprod", "mean", "var")
"""Operators that convert their operand to the dtype of the result before they compute."""

QUESTIONS = ("any", "all", "logical_and", "logical_or", "logical_not", "logical_xor")
"""Operators whose operands are truth values, whatever their dtype."""

OF_TRUTH_VALUES = {"add": "logical_or", "mul": "logical_and"}
"""What arithmetic of truth values is."""

CONVERTING = ("_to_copy", "clone", "lift_fresh_copy", "where", "copy")
"""Operators of single elements whose operands keep their dtypes."""


def promote(torch: Any, program: Any) -> None:
    """Insert the conversions that operators of a program do, in place."""
    for node in list(program.graph.nodes):
        schema = getattr(node.target, "_schema", None)
        if node.op == "call_function" and schema is not None:
            _promote_node(torch, program.graph, node)
    program.graph.eliminate_dead_code()
    program.graph_module.recompile()


def _promote_node(torch: Any, graph: Any, node: Any) -> None:
    name, result = _name(node), node.meta.get("val")
    if not isinstance(result, torch.Tensor):
        return
    if name == "div" and node.kwargs.get("rounding_mode") == "floor":
        # TVM makes a number of 32 bits of a divisor here, but not there.
        node.target, node.kwargs = torch.ops.aten.floor_divide.default, {}
    if result.dtype == torch.bool and name in OF_TRUTH_VALUES:
        node.target, node.kwargs = getattr(torch.ops.aten, OF_TRUTH_VALUES[name]).default, {}
        name = OF_TRUTH_VALUES[name]
        _write_numbers(torch, graph, node)
    if name == "addmm" and result.dtype != torch.float32:
        _take_apart(torch, graph, node, result)
    elif name in QUESTIONS:
        _convert_operands(torch, graph, node, torch.bool)
        if result.dtype != torch.bool:
            _convert_result(torch, graph, node, result)
    elif name in ACCUMULATING or name in ("cat", "stack"):
        _convert_operands(torch, graph, node, result.dtype)
    elif name == "where":
        _convert_operands(torch, graph, node, result.dtype, skipped=1)
    elif torch.Tag.pointwise in node.target.tags and name not in CONVERTING:
        wanted = result.dtype if result.dtype != torch.bool else _compared_in(torch, node)
        _convert_operands(torch, graph, node, wanted)


def _write_numbers(torch: Any, graph: Any, node: Any) -> None:
    """Give an operator of truth values tensors for those that are written as numbers."""

    def written(operand: Any) -> Any:
        if not isinstance(operand, bool):
            return operand
        with graph.inserting_before(node):
            full = graph.call_function(torch.ops.aten.full.default, ([], operand))
        full.kwargs = {"dtype": torch.bool}
        full.meta["val"] = node.meta["val"].new_empty(())
        return full

    node.args = tuple(map(written, node.args))


def _take_apart(torch: Any, graph: Any, node: Any, result: Any) -> None:
    """Write a product with an addend as two calls; TVM has it in float32."""
    addend, left, right = node.args[:3]
    if node.kwargs:
        return
    with graph.inserting_before(node):
        product = graph.call_function(torch.ops.aten.mm.default, (left, right))
        total = graph.call_function(torch.ops.aten.add.Tensor, (product, addend))
    product.meta["val"] = total.meta["val"] = result
    node.replace_all_uses_with(total)


def _name(node: Any) -> str:
    return str(node.target).partition(".")[2].partition(".")[0]


def _compared_in(torch: Any, node: Any) -> Any:
    """Return the dtype in which a relation compares its operands."""
    given = list(arguments_of(node).values())
    values = [one.meta["val"] if hasattr(one, "meta") else one for one in given]
    known = [one for one in values if isinstance(one, torch.Tensor | bool | int | float)]
    if len(known) == 2:
        return torch.result_type(*known)
    return known[0].dtype if isinstance(known[0], torch.Tensor) else torch.bool


def _convert_operands(torch: Any, graph: Any, node: Any, dtype: Any, skipped: int = 0) -> None:
    """Convert the tensors among the operands of a node; `skipped` first ones stay."""
    seen = 0

    def converted(operand: Any) -> Any:
        nonlocal seen
        value = operand.meta.get("val")
        seen += 1
        if seen <= skipped or not isinstance(value, torch.Tensor) or value.dtype == dtype:
            return operand
        with graph.inserting_before(node):
            copy = graph.call_function(
                torch.ops.aten._to_copy.default, (operand,), {"dtype": dtype}
            )
        copy.meta["val"] = value.to(dtype)
        return copy

    node.args = torch.fx.map_arg(node.args, converted)


def _convert_result(torch: Any, graph: Any, node: Any, result: Any) -> None:
    with graph.inserting_after(node):
        copy = graph.call_function(torch.ops.aten._to_copy.default, (node,), {})
    node.replace_all_uses_with(copy)
    copy.args, copy.kwargs = (node,), {"dtype": result.dtype}
    copy.meta["val"], node.meta["val"] = result, result.to(torch.bool)


def disagreements(torch: Any, made: Mapping[Any, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield nodes with their types in PyTorch and in TVM where these differ.

    `made` has what TVM has made of each node.
    """
    for node, expr in made.items():
        value = getattr(node, "meta", {}).get("val")
        if node.op != "call_function" or not isinstance(value, torch.Tensor):
            continue
        kind = getattr(expr, "ty", None)
        if kind is None or getattr(kind, "dtype", None) is None:
            continue
        own = str(value.dtype).removeprefix("torch."), [*value.shape]
        theirs = str(kind.dtype), _sizes(kind, own[1])
        if own != theirs:
            yield node.name, _text(own), _text(theirs)


def _sizes(kind: Any, usual: list[Any]) -> list[Any]:
    """Return the sizes that TVM knows; those that it leaves open are as usual."""
    shape = getattr(kind, "shape", None)
    if shape is None or not all(hasattr(size, "value") for size in shape):
        return usual
    return [int(size.value) for size in shape]


def _text(kind: tuple[str, list[Any]]) -> str:
    return f"{kind[0]}[{','.join(map(str, kind[1]))}]"
