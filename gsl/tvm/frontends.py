"""Models of other frameworks as workloads, read by TVM's own frontends.

The packages `onnx` and `torch` are an extra: ``pip install 'gslverify[models]'``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from gsl.errors import ModelError, did_you_mean
from gsl.tvm.errors import reason
from gsl.tvm.importer import from_relax
from gsl.workload import Workload

SHOWN_PLACES = 5
"""So many nodes with an operator that is not supported are listed."""

Shapes = Mapping[str, Sequence[int]]


def from_onnx(model: Any, shapes: Shapes | None = None) -> Workload:
    """Return the workload of an ONNX model; its initializers become parameters.

    Args:
        model: the path of a file, or an `onnx.ModelProto`.
        shapes: sizes of the inputs by name, for models that leave some open.

    Names of inputs keep their letters, digits and underscores; anything else becomes "_". Raises
    ModelError when the package `onnx` is missing, when the file is no ONNX model or when TVM
    cannot read it, and UnsupportedError for what GSL cannot express.
    """
    onnx = _extra("onnx", "ONNX models")
    proto = _load(onnx, model) if isinstance(model, str | os.PathLike) else model
    if not isinstance(proto, onnx.ModelProto):
        raise ModelError(f"{type(model).__name__} is neither a path nor an onnx.ModelProto")
    _check_inputs(proto, shapes or {})
    _check_order(proto)
    frontend = import_module("tvm.relax.frontend.onnx")
    given = {name: list(sizes) for name, sizes in (shapes or {}).items()}
    try:
        module = frontend.from_onnx(proto, shape_dict=given or None, keep_params_in_input=True)
    except Exception as error:
        text = reason(error)
        numbers = _mentioned(proto, text) or _read_last(onnx, proto, error)
        places = "; ".join(_place(proto, number) for number in numbers)
        where = f" (the model has it as {places})" if places else ""
        raise ModelError(f"TVM cannot read the ONNX model: {text}{where}") from error
    return _workload(module)


def from_torch(program: Any) -> Workload:
    """Return the workload of a `torch.export.ExportedProgram`.

    Its parameters stay parameters, its buffers become constants.

    Export with ``torch.export.export(model.eval(), example_inputs)``. Raises ModelError when the
    package `torch` is missing, for anything that is not an exported program and when TVM cannot
    read it, and UnsupportedError for what GSL cannot express, such as a dynamic size.
    """
    torch = _extra("torch", "PyTorch models")
    if not isinstance(program, torch.export.ExportedProgram):
        cure = "export the model with torch.export.export(model.eval(), example_inputs)"
        raise ModelError(f"{type(program).__name__} is not an exported program; {cure}")
    frontend = import_module("tvm.relax.frontend.torch")
    try:
        module = frontend.from_exported_program(
            program, keep_params_as_input=True, unwrap_unit_return_tuple=True
        )
    except Exception as error:
        raise ModelError(f"TVM cannot read the PyTorch model: {reason(error)}") from error
    return _workload(module)


def _extra(package: str, what: str) -> Any:
    try:
        return import_module(package)
    except ImportError as error:
        cure = "pip install 'gslverify[models]'"
        raise ModelError(f"reading {what} needs the package `{package}`: {cure}") from error


def _load(onnx: Any, path: str | os.PathLike[str]) -> Any:
    if not Path(path).is_file():
        raise ModelError(f"there is no file `{os.fspath(path)}`")
    try:
        proto = onnx.load(path)
    except Exception as error:
        raise ModelError(f"`{os.fspath(path)}` is no ONNX model: {reason(error)}") from error
    if not proto.graph.output:
        raise ModelError(f"`{os.fspath(path)}` is no ONNX model: it has no outputs")
    return proto


def _check_inputs(proto: Any, shapes: Shapes) -> None:
    """Demand that all sizes of the inputs are known."""
    initial = {tensor.name for tensor in proto.graph.initializer}
    inputs = {value.name: value for value in proto.graph.input if value.name not in initial}
    for name in shapes:
        if name not in inputs:
            hint = did_you_mean(name, inputs) or f"its inputs are {', '.join(inputs)}"
            raise ModelError(f"the model has no input `{name}`; {hint}")
    for name, value in inputs.items():
        sizes = [size.dim_value or size.dim_param for size in value.type.tensor_type.shape.dim]
        if name not in shapes and not all(isinstance(size, int) for size in sizes):
            text = ", ".join(str(size) or "?" for size in sizes)
            cure = f'give its sizes as shapes={{"{name}": ...}} or with --shape {name}=...'
            raise ModelError(f"input `{name}` has the open shape ({text}); {cure}")


def _check_order(proto: Any) -> None:
    """Demand that every node comes after what it needs, which excludes cycles."""
    graph = proto.graph
    known = {"", *(value.name for value in (*graph.input, *graph.initializer))}
    known |= {tensor.values.name for tensor in graph.sparse_initializer}
    for number, node in enumerate(graph.node):
        for name in node.input:
            if name not in known:
                cure = "nodes must come in order, without cycles"
                place = _place(proto, number)
                raise ModelError(f"{place} needs `{name}`, which nothing before it makes; {cure}")
        known.update(node.output)


def _mentioned(proto: Any, text: str) -> list[int]:
    """Return the numbers of the first few nodes whose operator a message calls unsupported."""
    words = set(re.findall(r"\w+", text)) if "not supported" in text else set()
    found = [number for number, node in enumerate(proto.graph.node) if node.op_type in words]
    return found[:SHOWN_PLACES]


def _read_last(onnx: Any, proto: Any, error: Exception) -> list[int]:
    """Return the number of the node that the frontend was reading when it failed, if it was."""
    place, node = error.__traceback__, None
    while place is not None:
        known = place.tb_frame.f_locals.get("node")
        node = known if isinstance(known, onnx.NodeProto) else node
        place = place.tb_next
    nodes = enumerate(proto.graph.node)
    return [number for number, one in nodes if node is not None and one.output == node.output]


def _place(proto: Any, number: int) -> str:
    node = proto.graph.node[number]
    return f"node {number}, {node.op_type} of `{', '.join(node.output)}`"


def _workload(module: Any) -> Workload:
    frontend = import_module("tvm.relax.frontend")
    bare, parameters = frontend.detach_params(module)
    workload = from_relax(bare, parameters.get("main", ()))
    return workload.with_outputs(workload.outputs)
