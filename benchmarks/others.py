"""W1 on other rewriters, where they are installed: multiples of the same floor.

Each is given the graph in its own form and two adjacent relus to make one of; what is measured is
the rewriting alone. Those that change the graph they are given get a copy each time, made before.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from floor import multiple

REPEATS = 3

UNARY = ("exp", "tanh", "negative", "sigmoid")

Measured = tuple[str, list[tuple[int, float]]]
"""The name of a rewriter, and sizes with the multiple of the floor for each operator."""


def compare(sizes: Sequence[int]) -> Iterator[Measured]:
    """Yield how fast each rewriter is that is installed; the others are named on stderr."""
    for name, module, prepare in REWRITERS:
        try:
            importlib.import_module(module)
        except ImportError as error:
            print(f"{name} is not installed, so it is not compared: {error}", file=sys.stderr)
            continue
        yield name, [(size, _multiple(name, prepare, size)) for size in sizes]


def _multiple(name: str, prepare: Callable[[int], Prepared], size: int) -> float:
    work, left = prepare(size)
    theirs = multiple(work, size, repeats=REPEATS)
    found = work()
    assert found == left, f"{name} leaves {found} operators instead of {left}"
    return theirs


def names(size: int) -> list[str]:
    return ["relu" if i % 10 in (4, 5) else UNARY[i % len(UNARY)] for i in range(size)]


def rewritten(size: int) -> int:
    """Return the number of operators after each pair of relus has become one."""
    return size - sum(i % 10 == 5 for i in range(size))


Prepared = tuple[Callable[[], int], int]


def relax(size: int) -> Prepared:
    """TVM's pattern language on Relax; one call rewrites all matches."""
    from tvm import relax as rx
    from tvm.relax.dpl import is_op, rewrite_call, wildcard

    builder = rx.BlockBuilder()
    value: Any = rx.Var("x", rx.TensorType((4, 4), "float32"))
    with builder.function("main", [value]):
        with builder.dataflow():
            for name in names(size):
                operator = rx.op.nn.relu if name == "relu" else getattr(rx.op, name)
                value = builder.emit(operator(value))
            value = builder.emit_output(value)
        builder.emit_func_output(value)
    function = builder.get()["main"]
    x = wildcard()
    pattern = is_op("relax.nn.relu")(is_op("relax.nn.relu")(x))

    def work() -> int:
        result = rewrite_call(pattern, lambda _, found: rx.op.nn.relu(found[x]), function)
        return len(result.body.blocks[0].bindings)

    return work, rewritten(size)


def inductor(size: int) -> Prepared:
    """The pattern matcher of torch's Inductor."""
    import torch
    from torch._inductor import pattern_matcher as matcher

    aten = torch.ops.aten
    graph = torch.fx.Graph()
    node = graph.placeholder("x")
    for name in names(size):
        operator = aten.neg if name == "negative" else getattr(aten, name)
        node = graph.call_function(operator.default, (node,))
    graph.output(node)
    passes = matcher.PatternMatcherPass()
    inner = matcher.CallFunction(aten.relu.default, matcher.KeywordArg("x"))

    @matcher.register_graph_pattern(
        matcher.CallFunction(aten.relu.default, inner), pass_dict=passes
    )
    def _(match: Any, x: Any) -> None:
        with match.graph.inserting_before(match.output_node()):
            new = match.graph.call_function(aten.relu.default, (x,))
        match.output_node().replace_all_uses_with(new)
        match.erase_nodes()

    def copy() -> Any:
        copied = torch.fx.Graph()
        copied.output(copied.graph_copy(graph, {}))
        return torch.fx.GraphModule(torch.nn.Module(), copied)

    copies = [copy() for _ in range(REPEATS + 1)]

    def work() -> int:
        copied = copies.pop()
        passes.apply(copied)
        return len(copied.graph.nodes) - 2

    return work, rewritten(size)


def onnx(size: int) -> Prepared:
    """The rewriter of ONNX Script."""
    import onnx
    import onnx_ir
    from onnxscript.rewriter import RewriteRuleSet, pattern

    value = onnx.helper.make_tensor_value_info
    called = [onnx_names(name) for name in names(size)]
    nodes = [onnx.helper.make_node(op, [f"v{i}"], [f"v{i + 1}"]) for i, op in enumerate(called)]
    ends = [value(f"v{i}", onnx.TensorProto.FLOAT, (4, 4)) for i in (0, size)]
    graph = onnx.helper.make_graph(nodes, "main", ends[:1], ends[1:])
    model = onnx.helper.make_model(graph)
    rule = pattern.RewriteRule(lambda op, x: op.Relu(op.Relu(x)), lambda op, x: op.Relu(x))

    copies = [onnx_ir.from_proto(model) for _ in range(REPEATS + 1)]

    def work() -> int:
        copied = copies.pop()
        RewriteRuleSet([rule]).apply_to_model(copied)
        return len(copied.graph)

    return work, rewritten(size)


def onnx_names(name: str) -> str:
    return "Neg" if name == "negative" else name.capitalize()


REWRITERS: tuple[tuple[str, str, Callable[[int], Prepared]], ...] = (
    ("relax.dpl", "tvm.relax.dpl", relax),
    ("ONNX Script", "onnxscript.rewriter", onnx),
    ("Inductor", "torch._inductor.pattern_matcher", inductor),
)
