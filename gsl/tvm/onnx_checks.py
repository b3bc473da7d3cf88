"""What an ONNX model must be like to be read: checks that name the place of what is not.

TVM's frontend reads some models as others, or fails without saying where.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gsl.errors import ModelError, did_you_mean
from gsl.tvm import onnx_misread
from gsl.tvm.errors import UnsupportedError
from gsl.types import ALL_DTYPES

KNOWN_DOMAINS = ("", "ai.onnx", "com.microsoft")
"""Sets of operators: that of ONNX under both of its names, and that of ONNX Runtime."""

Shapes = Mapping[str, Sequence[int]]
"""Sizes of inputs by name."""


def check(onnx: Any, proto: Any, shapes: Shapes) -> None:
    """Raise ModelError or UnsupportedError unless a model can be read with these shapes."""
    _check_elements(onnx, proto)
    _check_inputs(proto, shapes)
    _check_order(proto)
    _check_domains(proto)
    _check_inference(onnx, proto)
    _check_misread(onnx, proto)


def _check_elements(onnx: Any, proto: Any) -> None:
    """Demand that the elements of the inputs have a dtype of GSL."""
    for value in inputs_of(proto):
        kind = value.type.tensor_type.elem_type
        if not value.type.HasField("tensor_type"):
            raise UnsupportedError(f"input `{value.name}` is no tensor")
        if kind and onnx.helper.tensor_dtype_to_np_dtype(kind).name not in ALL_DTYPES:
            name = onnx.TensorProto.DataType.Name(kind)
            raise UnsupportedError(
                f"input `{value.name}` has elements of {name}, not of {', '.join(ALL_DTYPES)}"
            )


def inputs_of(proto: Any) -> list[Any]:
    """Return the inputs of a model; old ones list their initializers among these."""
    initial = {tensor.name for tensor in proto.graph.initializer}
    return [value for value in proto.graph.input if value.name not in initial]


def _check_inputs(proto: Any, shapes: Shapes) -> None:
    """Demand that all sizes of the inputs are known."""
    inputs = {value.name: value for value in inputs_of(proto)}
    for name in shapes:
        if name not in inputs:
            hint = did_you_mean(name, inputs) or f"its inputs are {', '.join(inputs)}"
            raise ModelError(f"the model has no input `{name}`; {hint}")
    for name, value in inputs.items():
        tensor = value.type.tensor_type
        sizes = [_size(dim) for dim in tensor.shape.dim]
        text = ", ".join(map(str, sizes)) if tensor.HasField("shape") else "..."
        if name not in shapes and (text == "..." or not all(isinstance(s, int) for s in sizes)):
            cure = f'give its sizes as shapes={{"{name}": ...}} or with --shape {name}=...'
            raise ModelError(f"input `{name}` has the open shape ({text}); {cure}")
        if name in shapes and text != "..." and not _fits(shapes[name], sizes):
            raise ModelError(f"input `{name}` has the shape ({text}), not {tuple(shapes[name])}")


def _fits(given: Sequence[int], declared: Sequence[int | str]) -> bool:
    """Tell whether sizes are those of a declared shape, which leaves open what is a text."""
    pairs = zip(given, declared, strict=False)
    return len(given) == len(declared) and all(isinstance(d, str) or g == d for g, d in pairs)


def _size(dim: Any) -> int | str:
    return dim.dim_value if dim.dim_value > 0 else dim.dim_param or "?"


def _check_order(proto: Any) -> None:
    """Demand that a node comes after what it needs, and that nothing is made twice."""
    graph = proto.graph
    known = {"", *(value.name for value in (*graph.input, *graph.initializer))}
    known |= {tensor.values.name for tensor in graph.sparse_initializer}
    for number, node in enumerate(graph.node):
        for name in node.input:
            if name not in known:
                cure = "nodes must come in order, without cycles"
                raise ModelError(
                    f"{place(proto, number)} needs `{name}`, which nothing before it makes; {cure}"
                )
        for name in filter(None, node.output):
            if name in known:
                raise ModelError(f"{place(proto, number)} makes `{name}`, which is there already")
            known.add(name)
    for value in graph.output:
        if value.name not in known:
            raise ModelError(f"the model returns `{value.name}`, which nothing makes")


def _check_domains(proto: Any) -> None:
    """Demand that all operators are of sets that TVM knows; it looks at their names only."""
    for number, node in enumerate(proto.graph.node):
        if node.domain not in KNOWN_DOMAINS:
            raise ModelError(
                f"TVM cannot read {place(proto, number)}: it is of the domain `{node.domain}`"
            )


def _check_misread(onnx: Any, proto: Any) -> None:
    """Demand that TVM passes over nothing that a node says."""
    for number, lost in onnx_misread.misread_nodes(onnx, proto.graph):
        raise ModelError(f"TVM cannot read {place(proto, number)}: {lost} would be lost")


def _check_inference(onnx: Any, proto: Any) -> None:
    """Demand that no node drops values at random; TVM would read it as one that drops none."""
    known = {tensor.name: tensor for tensor in proto.graph.initializer}
    for number, node in enumerate(proto.graph.node):
        values = [one.t for one in node.attribute if one.name == "value"]
        if node.op_type == "Constant" and values:
            known[node.output[0]] = values[0]
        mode = node.input[2] if node.op_type == "Dropout" and len(node.input) > 2 else ""
        if mode and (mode not in known or onnx.numpy_helper.to_array(known[mode])):
            cure = "export the model for inference"
            raise UnsupportedError(f"{place(proto, number)} draws random numbers; {cure}")


def places_of(proto: Any, numbers: Sequence[int]) -> str:
    """Return, in words to be put behind others, where nodes are in a model."""
    places = "; ".join(place(proto, number) for number in numbers)
    return f" (the model has it as {places})" if places else ""


def place(proto: Any, number: int) -> str:
    """Return what to call a node of a model."""
    node = proto.graph.node[number]
    return f"node {number}, {node.op_type} of `{', '.join(node.output)}`"
