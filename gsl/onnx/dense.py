"""Sparse tensors of ONNX models as dense ones: neither onnx-ir nor GSL has others."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import onnx

from gsl.onnx.errors import NotReadableError


def filled(proto: onnx.ModelProto) -> onnx.ModelProto:
    """Return a model whose tensors are dense; one that has no others is returned as it is."""
    if not any(graph.sparse_initializer or _constants(graph) for graph in _graphs(proto)):
        return proto
    copy = onnx.ModelProto()
    copy.CopyFrom(proto)
    for graph in list(_graphs(copy)):
        graph.initializer.extend(map(_dense, graph.sparse_initializer))
        del graph.sparse_initializer[:]
        for attribute in _constants(graph):
            tensor = _dense(attribute.sparse_tensor)
            attribute.Clear()
            attribute.CopyFrom(onnx.helper.make_attribute("value", tensor))
    return copy


def _graphs(proto: onnx.ModelProto) -> Iterator[onnx.GraphProto]:
    """Yield the graph of a model, and the graphs of its functions' and its own nodes."""
    pending = [proto.graph]
    nodes = [node for function in proto.functions for node in function.node]
    while pending or nodes:
        if pending:
            graph = pending.pop()
            yield graph
            nodes += graph.node
        for node in nodes:
            for attribute in node.attribute:
                pending += [attribute.g] if attribute.HasField("g") else []
                pending += attribute.graphs
        nodes = []


def _constants(graph: onnx.GraphProto) -> list[onnx.AttributeProto]:
    """Return the attributes of a graph that are sparse tensors."""
    kind = onnx.AttributeProto.SPARSE_TENSOR
    return [one for node in graph.node for one in node.attribute if one.type == kind]


def _dense(sparse: onnx.SparseTensorProto) -> onnx.TensorProto:
    """Return a tensor with zeros where a sparse one has no element.

    Its indices are those of all axes, or places in the elements in order. Source: onnx.proto.
    """
    if onnx.TensorProto.EXTERNAL in (sparse.values.data_location, sparse.indices.data_location):
        raise NotReadableError(f"the sparse tensor `{sparse.values.name}` is in another file")
    elements = onnx.numpy_helper.to_array(sparse.values)
    places = onnx.numpy_helper.to_array(sparse.indices)
    whole = np.zeros(tuple(sparse.dims), elements.dtype)
    if places.ndim == 1:
        whole.reshape(-1)[places] = elements
    else:
        whole[tuple(places.T)] = elements
    return onnx.numpy_helper.from_array(whole, sparse.values.name)
