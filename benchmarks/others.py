"""W1 and W2 on other rewriters, where they are installed: multiples of the same floor.

Each is given the graph in its own form and a rule of its own language: of two adjacent relus one is
made (W1), of two convolutions of one tensor one (W2). What is measured is the rewriting alone.
Those that change the graph they are given get a copy each time, made before.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from floor import multiple

REPEATS = 5

UNARY = ("exp", "tanh", "negative", "sigmoid")

Measured = tuple[str, list[tuple[int, float]]]
"""The name of a rewriter, and sizes with the multiple of the floor for each operator."""


def compare(workload: str, sizes: Sequence[int]) -> Iterator[Measured]:
    """Yield how fast each rewriter is that is installed; the others are named on stderr."""
    for name, module, prepare in REWRITERS[workload]:
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
    from onnxscript.rewriter import pattern

    value = onnx.helper.make_tensor_value_info
    called = [onnx_names(name) for name in names(size)]
    nodes = [onnx.helper.make_node(op, [f"v{i}"], [f"v{i + 1}"]) for i, op in enumerate(called)]
    ends = [value(f"v{i}", onnx.TensorProto.FLOAT, (4, 4)) for i in (0, size)]
    graph = onnx.helper.make_graph(nodes, "main", ends[:1], ends[1:])
    model = onnx.helper.make_model(graph)
    rule = pattern.RewriteRule(lambda op, x: op.Relu(op.Relu(x)), lambda op, x: op.Relu(x))
    return onnx_rewriting(model, rule), rewritten(size)


def onnx_rewriting(model: Any, rule: Any) -> Callable[[], int]:
    import onnx_ir
    from onnxscript.rewriter import RewriteRuleSet

    copies = [onnx_ir.from_proto(model) for _ in range(REPEATS + 1)]

    def work() -> int:
        copied = copies.pop()
        RewriteRuleSet([rule]).apply_to_model(copied)
        return len(copied.graph)

    return work


PLACES = ("l", "r")


def relax_pairs(size: int) -> Prepared:
    """TVM's pattern language on the bindings of a Relax function, for sources of two outputs."""
    from tvm import relax as rx
    from tvm.relax.dpl import PatternContext, is_op, rewrite_bindings, wildcard

    builder = rx.BlockBuilder()
    conv = rx.op.nn.conv2d
    value: Any = rx.Var("x", rx.TensorType((1, 8, 8, 8), "float32"))
    kernel = rx.TensorType((8, 8, 3, 3), "float32")
    weights = [[rx.Var(f"{s}{i}", kernel) for s in PLACES] for i in range(size // 4)]
    with builder.function("main", [value, *(w for pair in weights for w in pair)]):
        with builder.dataflow():
            for pair in weights:
                one, two = [builder.emit(conv(value, weight, padding=1)) for weight in pair]
                value = builder.emit(rx.op.nn.relu(builder.emit(rx.op.add(one, two))))
            value = builder.emit_output(value)
        builder.emit_func_output(value)
    function = builder.get()["main"]
    with PatternContext() as context:
        x, left, right = wildcard(), wildcard(), wildcard()
        first, second = [is_op("relax.nn.conv2d")(x, weight) for weight in (left, right)]

    def merged(found: Any, _: Any) -> Any:
        whole = conv(found[x], rx.op.concat([found[left], found[right]], axis=0), padding=1)
        parts = rx.op.split(whole, 2, axis=1)
        return {found[one]: rx.TupleGetItem(parts, i) for i, one in enumerate((first, second))}

    def work() -> int:
        result = rewrite_bindings(context, merged, function)
        return len(result.body.blocks[0].bindings)

    return work, size // 4 * 7


def onnx_pairs(size: int) -> Prepared:
    """The rewriter of ONNX Script, which tries all pairs of nodes for a source of two outputs."""
    import onnx
    from onnxscript.rewriter import pattern

    def value(name: str, *shape: int) -> Any:
        return onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)

    make, nodes, pads = onnx.helper.make_node, [], [1, 1, 1, 1]
    for i in range(size // 4):
        nodes += [make("Conv", [f"x{i}", f"{s}{i}"], [f"c{s}{i}"], pads=pads) for s in PLACES]
        nodes.append(make("Add", [f"cl{i}", f"cr{i}"], [f"a{i}"]))
        nodes.append(make("Relu", [f"a{i}"], [f"x{i + 1}"]))
    ends = [value(f"x{i}", 1, 8, 8, 8) for i in (0, size // 4)]
    weights = [value(f"{s}{i}", 8, 8, 3, 3) for i in range(size // 4) for s in PLACES]
    graph = onnx.helper.make_graph(nodes, "main", [ends[0], *weights], ends[1:])
    model = onnx.helper.make_model(graph)

    def merged(op: Any, x: Any, left: Any, right: Any) -> Any:
        whole = op.Conv(x, op.Concat(left, right, axis=0), pads=pads)
        return op.Split(whole, axis=1, num_outputs=2, _outputs=2)

    rule = pattern.RewriteRule(
        lambda op, x, left, right: (op.Conv(x, left, pads=pads), op.Conv(x, right, pads=pads)),
        merged,
        # Without it, one convolution would count as two.
        lambda context, left, right, **_: left is not right,
    )
    return onnx_rewriting(model, rule), size // 4 * 5


def onnx_names(name: str) -> str:
    return "Neg" if name == "negative" else name.capitalize()


REWRITERS: dict[str, list[tuple[str, str, Callable[[int], Prepared]]]] = {
    "W1": [
        ("relax.dpl", "tvm.relax.dpl", relax),
        ("ONNX Script", "onnxscript.rewriter", onnx),
        ("Inductor", "torch._inductor.pattern_matcher", inductor),
    ],
    "W2": [
        ("relax.dpl", "tvm.relax.dpl", relax_pairs),
        ("ONNX Script", "onnxscript.rewriter", onnx_pairs),
    ],
}
"""By workload: names, the module each needs, and what prepares it."""
