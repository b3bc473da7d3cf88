"""Graphs inside of nodes, such as the bodies of loops: the values that they take from outside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import onnx
import onnx_ir as ir

from gsl.onnx.emitter import Value

CAPTURED = "c"
"""How the names begin that stand for values from outside."""


def captured(node: ir.Node) -> list[Value]:
    """Return the values that graphs inside of a node take from outside, each once."""
    found: dict[Value, None] = {}
    for graph in graphs_of(node):
        own = {*graph.inputs, *graph.initializers.values()}
        inner = list(ir.traversal.RecursiveGraphIterator(graph))
        for one in inner:
            own |= {*one.outputs}
            own |= {value for below in graphs_of(one) for value in below.inputs}
            own |= {value for below in graphs_of(one) for value in below.initializers.values()}
        used = [value for one in inner for value in one.inputs]
        used += [value for one in inner for below in graphs_of(one) for value in below.outputs]
        for value in (*used, *graph.outputs):
            if value is not None and value not in own:
                found[value] = None
    return list(found)


def graphs_of(node: ir.Node) -> Iterator[ir.Graph]:
    """Yield the graphs that are attributes of a node."""
    for attribute in node.attributes.values():
        if attribute.type == ir.AttributeType.GRAPH:
            yield attribute.value
        elif attribute.type == ir.AttributeType.GRAPHS:
            yield from attribute.value


def nodes_of(node: onnx.NodeProto) -> Iterator[onnx.NodeProto]:
    """Yield a node and all nodes of the graphs inside of it."""
    pending = [node]
    while pending:
        current = pending.pop()
        yield current
        for attribute in current.attribute:
            for graph in (*([attribute.g] if attribute.HasField("g") else ()), *attribute.graphs):
                pending.extend(graph.node)


def renamed(node: onnx.NodeProto, names: Mapping[str, str]) -> None:
    """Give values that graphs inside of a node take from outside other names, in place."""
    pending = [(node, dict(names))]
    while pending:
        current, known = pending.pop()
        for attribute in current.attribute:
            for graph in (*([attribute.g] if attribute.HasField("g") else ()), *attribute.graphs):
                own = {one.name for one in (*graph.input, *graph.initializer)}
                own |= {name for one in graph.node for name in one.output}
                outer = {old: new for old, new in known.items() if old not in own}
                for one in graph.node:
                    one.input[:] = [outer.get(name, name) for name in one.input]
                    pending.append((one, outer))
                for output in graph.output:
                    output.name = outer.get(output.name, output.name)


def connect(node: ir.Node, values: Sequence[Value]) -> None:
    """Put values in the place of those that stand for them in graphs inside of a node."""
    places = {f"{CAPTURED}{place}": value for place, value in enumerate(values)}
    for graph in graphs_of(node):
        for one in ir.traversal.RecursiveGraphIterator(graph):
            for index, value in enumerate(one.inputs):
                if value is not None and value.name in places:
                    one.replace_input_with(index, places[value.name])
