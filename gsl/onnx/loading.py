"""ONNX models from files, checked before anything is made of them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from math import prod
from typing import Any

import onnx
import onnx_ir as ir
from onnx_ir.passes import common as passes

from gsl.errors import ModelError
from gsl.onnx.dense import filled
from gsl.onnx.errors import NotReadableError

OLDEST_IR = 3
"""Versions of ONNX before this one have other rules about initializers."""

OLDEST_OPSET = 7
"""Operators of older opsets broadcast by an attribute, so they are others."""

MAIN_DOMAIN = ("", "ai.onnx")
"""The two names of the domain of ONNX's own operators."""


def load(model: Any) -> ir.Model:
    """Return a model with its functions in the place of their calls.

    Args:
        model: the path of a file, or an `onnx.ModelProto`, which stays as it is.

    Weights in files beside the model are mapped into memory, not read. Raises ModelError for what
    is no model, for weights outside of its folder and for nodes that are out of order, and
    NotReadableError for versions of ONNX that are too old or too new.
    """
    if isinstance(model, str | os.PathLike):
        path = os.fspath(model)
        proto = _read(path)
        folder = os.path.dirname(os.path.abspath(path))
        _check_external(proto, folder)
    elif isinstance(model, onnx.ModelProto):
        proto, folder = model, ""
        _check_embedded(proto)
    else:
        raise ModelError(f"{type(model).__name__} is neither a path nor an onnx.ModelProto")
    _check_versions(proto)
    check_order(proto)
    try:
        result = ir.from_proto(filled(proto))
        if folder:
            for graph in (result.graph, *(one.graph for one in result.functions.values())):
                ir.external_data.set_base_dir(graph, folder)
        _restore_inputs(result.graph, proto.graph)
        passes.InlinePass()(result)
    except Exception as error:
        raise ModelError(f"the ONNX model cannot be read: {reason(error)}") from error
    return result


def _restore_inputs(graph: ir.Graph, proto: onnx.GraphProto) -> None:
    """Give inputs that are outputs, too, the types that they have as inputs."""
    declared = {value.name: value.type for value in proto.input}
    for value in graph.inputs:
        if value.is_graph_output() and value.name in declared:
            kind = declared[value.name]
            value.type = ir.serde.deserialize_type_proto_for_type(kind)
            value.shape = ir.serde.deserialize_type_proto_for_shape(kind)


def reason(error: BaseException) -> str:
    """Return what an exception of another package says, on one line."""
    while type(error).__name__ == "SerdeError" and error.__cause__ is not None:
        error = error.__cause__
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 500 else f"{text[:500]}..."


def _read(path: str) -> onnx.ModelProto:
    if not os.path.isfile(path):
        raise ModelError(f"there is no file `{path}`")
    try:
        proto = onnx.load(path, format="protobuf", load_external_data=False)
    except Exception as error:
        raise ModelError(f"`{path}` is no ONNX model: {reason(error)}") from error
    if not proto.graph.output:
        raise ModelError(f"`{path}` is no ONNX model: it has no outputs")
    return proto


def tensors_of(proto: onnx.ModelProto) -> Iterator[onnx.TensorProto]:
    """Yield all tensors of a model, those of nodes, of graphs inside and of functions included."""
    graphs = [proto.graph]
    nodes = [node for function in proto.functions for node in function.node]
    while graphs or nodes:
        for graph in graphs:
            yield from graph.initializer
            nodes.extend(graph.node)
        attributes = [one for node in nodes for one in node.attribute]
        for one in attributes:
            if one.HasField("t"):
                yield one.t
            yield from one.tensors
        graphs = [graph for one in attributes for graph in one.graphs]
        graphs += [one.g for one in attributes if one.HasField("g")]
        nodes = []


def _is_external(tensor: onnx.TensorProto) -> bool:
    return bool(tensor.data_location == onnx.TensorProto.EXTERNAL)


def _check_external(proto: onnx.ModelProto, folder: str) -> None:
    """Demand that weights in other files are complete, and below the folder of the model."""
    real = os.path.realpath(folder)
    for tensor in filter(_is_external, tensors_of(proto)):
        given = {entry.key: entry.value for entry in tensor.external_data}
        location = given.get("location", "")
        named = f"the weight `{tensor.name}` is in `{location}`"
        if "\0" in location:
            raise ModelError(f"{named}, which is no name of a file")
        path = os.path.realpath(os.path.join(folder, location))
        if os.path.isabs(location) or os.path.commonpath([real, path]) != real:
            raise ModelError(f"{named}, outside of the folder of the model; move it there")
        if not os.path.isfile(path):
            raise ModelError(f"{named}, and there is no such file beside the model")
        end = _end_of(tensor, given, named)
        if end > os.path.getsize(path):
            raise ModelError(f"{named}, which ends before byte {end}; the file is incomplete")


def _end_of(tensor: onnx.TensorProto, given: Mapping[str, str], named: str) -> int:
    """Return behind which byte of its file a weight ends; raise ModelError where it has no place.

    Without a length it has as many bytes as its elements.
    """
    try:
        offset, length = int(given.get("offset", 0)), int(given.get("length", 0))
        needed: int = -(-prod(tensor.dims) * ir.DataType(tensor.data_type).bitwidth // 8)
    except (TypeError, ValueError) as error:
        raise ModelError(f"{named}, whose place or size is no number") from error
    if min(offset, *tensor.dims) < 0:
        raise ModelError(f"{named} at a negative place, or has negative sizes")
    if length and length != needed:
        raise ModelError(f"{named} with {length} bytes, but its elements have {needed}")
    return offset + needed


def _check_embedded(proto: onnx.ModelProto) -> None:
    external = next(filter(_is_external, tensors_of(proto)), None)
    if external is not None:
        raise ModelError(
            f"the weight `{external.name}` is in another file; give the path of the model instead"
        )


def _check_versions(proto: onnx.ModelProto) -> None:
    if proto.ir_version < OLDEST_IR:
        message = f"version {proto.ir_version} of ONNX IR is older than {OLDEST_IR}"
        raise NotReadableError(f"{message}; convert the model by onnx.version_converter")
    newest = onnx.defs.onnx_opset_version()
    for one in proto.opset_import:
        if one.domain in MAIN_DOMAIN and one.version < OLDEST_OPSET:
            message = f"opset {one.version} is older than {OLDEST_OPSET}"
            raise NotReadableError(f"{message}; convert the model by onnx.version_converter")
        if one.domain in MAIN_DOMAIN and one.version > newest:
            message = f"opset {one.version} is newer than {newest}, the last that this onnx has"
            raise NotReadableError(
                f"{message}; update the package `onnx`, or export an older opset"
            )
    if not any(one.domain in MAIN_DOMAIN for one in proto.opset_import):
        raise NotReadableError("the model does not say which opset of ONNX it is written in")


def check_order(proto: onnx.ModelProto) -> None:
    """Demand that a node comes after what it needs, and that nothing is made twice."""
    graph = proto.graph
    inputs = Counter(value.name for value in graph.input)
    for name, count in inputs.items():
        if count > 1:
            raise ModelError(f"{count} inputs of the model are called `{name}`")
    known = {"", *(value.name for value in (*graph.input, *graph.initializer))}
    known |= {tensor.values.name for tensor in graph.sparse_initializer}
    for number, node in enumerate(graph.node):
        place = f"node {number}, {node.op_type} of `{', '.join(node.output)}`"
        for name in node.input:
            if name not in known:
                cure = "nodes must come in order, without cycles"
                raise ModelError(f"{place} needs `{name}`, which nothing before it makes; {cure}")
        for name in filter(None, node.output):
            if name in known:
                raise ModelError(f"{place} makes `{name}`, which is there already")
            known.add(name)
    for value in graph.output:
        if value.name not in known:
            raise ModelError(f"the model returns `{value.name}`, which nothing makes")
