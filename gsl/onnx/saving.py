"""Models on their way into files and messages: weights are checked by their types, and not copied.

A message of protocol buffers may have its fields in any order, so the initializers are written
behind everything else, each from the memory where it is.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO

import onnx
import onnx_ir as ir

from gsl.onnx.errors import NotWritableError

LARGE = 2**14
"""Initializers of so many bytes are left out where a model is checked; no shape depends on them."""

GRAPH = onnx.ModelProto.DESCRIPTOR.fields_by_name["graph"].number
INITIALIZER = onnx.GraphProto.DESCRIPTOR.fields_by_name["initializer"].number
RAW_DATA = onnx.TensorProto.DESCRIPTOR.fields_by_name["raw_data"].number


def save(model: ir.Model, path: Path, beside: bool) -> None:
    """Write a model that the checker accepts, complete or not at all.

    Its weights go into the same file, or `beside` it into one with `.data` behind the name. Raises
    NotWritableError with the reason of the checker, and OSError.
    """
    target = Path(os.path.realpath(path))
    with TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent) as folder:
        written, data = Path(folder) / target.name, f"{target.name}.data"
        if beside:
            ir.save(model, written, external_data=data)
            _check(written)
        else:
            with _checked(model) as (proto, weights), open(written, "wb") as file:
                _write(proto, weights, file)
        # The data first: a model whose data is missing would be worth nothing.
        for name in (data, target.name):
            if (written.parent / name).exists():
                (written.parent / name).replace(target.parent / name)


def message(model: ir.Model) -> onnx.ModelProto:
    """Return a model as a message that the checker accepts; raise NotWritableError otherwise."""
    with _checked(model) as (proto, weights):
        for weight in weights:
            tensor = _described(weight)
            tensor.raw_data = weight.tobytes()
            proto.graph.initializer.append(tensor)
    return proto


@contextmanager
def _checked(model: ir.Model) -> Iterator[tuple[onnx.ModelProto, list[Any]]]:
    """Give a model without its large initializers, and these; the checker took them for inputs."""
    graph = model.graph
    weights = [one for one in graph.initializers.values() if _bytes(one) >= LARGE]
    count = len(graph.inputs)
    for weight in weights:
        del graph.initializers[str(weight.name)]
        graph.inputs.append(weight)
    try:
        proto = ir.to_proto(model)
    finally:
        del graph.inputs[count:]
        for weight in weights:
            graph.initializers[str(weight.name)] = weight
    _check(proto)
    del proto.graph.input[count:]
    yield proto, [weight.const_value for weight in weights]


def _bytes(value: ir.Value) -> int:
    return 0 if value.const_value is None else value.const_value.nbytes


def _check(model: onnx.ModelProto | Path) -> None:
    try:
        onnx.checker.check_model(model, full_check=True)
    except Exception as error:
        reason = " ".join(str(error).split())
        raise NotWritableError(f"the checker of ONNX refuses the model: {reason}") from error


def _described(weight: Any) -> onnx.TensorProto:
    """Return a tensor without its elements."""
    dims = [int(size) for size in weight.shape]
    return onnx.TensorProto(name=weight.name, data_type=int(weight.dtype), dims=dims)


def _write(proto: onnx.ModelProto, weights: list[Any], file: BinaryIO) -> None:
    """Write a message with the initializers that it lacks, each from its own memory."""
    heads = []
    for weight in weights:
        described = _described(weight).SerializeToString()
        head = described + _tag(RAW_DATA, weight.nbytes)
        heads.append(_tag(INITIALIZER, len(head) + weight.nbytes) + head)
    graph = proto.graph.SerializeToString()
    proto.ClearField("graph")
    sizes = [len(head) + weight.nbytes for head, weight in zip(heads, weights, strict=True)]
    file.write(proto.SerializeToString() + _tag(GRAPH, len(graph) + sum(sizes)) + graph)
    for head, weight in zip(heads, weights, strict=True):
        file.write(head)
        weight.tofile(file)


def _tag(number: int, length: int) -> bytes:
    """Return what stands before a field of some bytes: its number with the wire type 2, its length.

    Source: protobuf.dev, "Encoding".
    """
    return _varint(number << 3 | 2) + _varint(length)


def _varint(number: int) -> bytes:
    parts = bytearray()
    while number > 127:
        parts.append(number & 127 | 128)
        number >>= 7
    return bytes([*parts, number])
