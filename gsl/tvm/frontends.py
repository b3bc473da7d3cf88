"""Models of other frameworks as workloads, read by TVM's own frontends.

The packages `onnx` and `torch` are an extra: ``pip install 'gslverify[models]'``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import replace
from importlib import import_module
from io import StringIO
from numbers import Integral
from pathlib import Path
from typing import Any

from gsl.errors import GslError, MisuseError, ModelError
from gsl.tvm import onnx_checks, torch_checks, torch_misread
from gsl.tvm.errors import UnsupportedError, reason
from gsl.tvm.importer import from_relax
from gsl.tvm.onnx_checks import Shapes
from gsl.workload import Workload

SHOWN_PLACES = 5
"""So many nodes with an operator that is not supported are listed."""


def from_onnx(model: Any, shapes: Shapes | None = None) -> Workload:
    """Return the workload of an ONNX model.

    Its initializers become parameters, but single numbers and lists of sizes or axes become
    constants: rules look at those, and TVM must see them to know shapes that a model computes.

    Args:
        model: the path of a file, or an `onnx.ModelProto`.
        shapes: sizes of the inputs by name, for models that leave some open.

    A dot in the name of an input becomes an underscore. Raises ModelError when the package `onnx`
    is missing, when the file is no ONNX model or when TVM cannot read it, MisuseError for shapes of
    another kind, and UnsupportedError for what GSL cannot express.
    """
    _require_shapes(shapes or {})
    onnx = _extra("onnx", "ONNX models")
    proto = _load(onnx, model) if isinstance(model, str | os.PathLike) else model
    if not isinstance(proto, onnx.ModelProto):
        raise ModelError(f"{type(model).__name__} is neither a path nor an onnx.ModelProto")
    onnx_checks.check(onnx, proto, shapes or {})
    read = _read(onnx, proto, shapes or {})
    try:
        return _workload(read.module)
    except UnsupportedError as error:
        nodes = enumerate(proto.graph.node)
        numbers = [number for number, node in nodes if read.is_beyond_gsl(node)]
        raise UnsupportedError(f"{error}{onnx_checks.places_of(proto, numbers[:1])}") from error


def _read(onnx: Any, proto: Any, shapes: Shapes) -> Any:
    """Return what TVM makes of an ONNX model."""
    given = {name: list(map(int, sizes)) for name, sizes in shapes.items()}
    try:
        source = _prepared(onnx, proto)
        with redirect_stdout(StringIO()):  # what goes wrong is printed before it is raised
            return import_module("gsl.tvm.onnx_importer").read_onnx(onnx, source, given)
    except Exception as error:
        text = reason(error)
        numbers = _mentioned(proto, text) or _read_last(onnx, proto, error)
        where = onnx_checks.places_of(proto, numbers) or _damaged(onnx, proto)
        raise ModelError(f"TVM cannot read the ONNX model: {text}{where}") from error


def from_torch(program: Any) -> Workload:
    """Return the workload of a `torch.export.ExportedProgram`.

    Its parameters stay parameters, and so do buffers of floats with axes, such as the statistics of
    a batch norm; single numbers, integers and what is not saved with the model become constants.

    Export with ``torch.export.export(model.eval(), example_inputs)``. Raises ModelError when the
    package `torch` is missing, for anything that is not an exported program and when TVM cannot
    read it, and UnsupportedError for what GSL cannot express, such as a dynamic size, a random
    number, a buffer that changes, and an argument or a result that is no tensor: outputs of a
    workload are tensors known by their places, and a None left out would move those behind it.
    """
    torch = _extra("torch", "PyTorch models")
    if not isinstance(program, torch.export.ExportedProgram):
        cure = "export the model with torch.export.export(model.eval(), example_inputs)"
        raise ModelError(f"{type(program).__name__} is not an exported program; {cure}")
    frontend = import_module("tvm.relax.frontend.torch")
    core = program
    try:
        torch_checks.check_tensors(torch, program)
        core = program.run_decompositions()
        torch_checks.check_pure(torch, core)
        for name, lost in torch_misread.misread_nodes(core):
            raise ModelError(f"TVM cannot read `{name}` of the PyTorch model: {lost} would be lost")
        _keep_buffers(torch, core)
        module = frontend.from_exported_program(
            core,
            keep_params_as_input=True,
            unwrap_unit_return_tuple=True,
            run_ep_decomposition=False,
        )
    except GslError:
        raise
    except Exception as error:
        text = reason(error)
        where = _nodes_of(core, text)
        raise ModelError(f"TVM cannot read the PyTorch model: {text}{where}") from error
    return _workload(module)


def _keep_buffers(torch: Any, core: Any) -> None:
    """Have buffers that are like weights count as parameters; TVM makes the others constants."""
    kinds, specs = torch.export.graph_signature.InputKind, core.graph_signature.input_specs
    for place, spec in enumerate(specs):
        value = core.state_dict.get(spec.target) if spec.kind is kinds.BUFFER else None
        if value is not None and value.ndim and value.is_floating_point():
            specs[place] = replace(spec, kind=kinds.PARAMETER, persistent=None)


def _nodes_of(program: Any, text: str) -> str:
    """Return, in words, the first few nodes whose operator a message calls unsupported."""
    found = [
        f"`{node.name}`"
        for node in program.graph.nodes
        if f"'{getattr(node.target, '__name__', None)}'" in text
    ]
    return f" (the program has it as {', '.join(found[:SHOWN_PLACES])})" if found else ""


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


def _require_shapes(shapes: object) -> None:
    """Raise MisuseError unless these are sizes by the names of inputs."""
    if not isinstance(shapes, Mapping):
        raise MisuseError(f"shapes are given by the names of inputs, not as {shapes!r}")
    for name, sizes in shapes.items():
        if not isinstance(sizes, Sequence) or not all(map(_is_natural, sizes)):
            raise MisuseError(f"the sizes of input `{name}` are natural numbers, not {sizes!r}")


def _is_natural(size: object) -> bool:
    return isinstance(size, Integral) and not isinstance(size, bool) and int(size) >= 0


def _prepared(onnx: Any, proto: Any) -> Any:
    """Return the model with nodes for the initializers that are constants, the others no inputs.

    Old models list their initializers among the inputs, too, which TVM takes for other tensors.
    """
    graph = proto.graph
    inputs = onnx_checks.inputs_of(proto)
    constants = [tensor for tensor in graph.initializer if _is_constant(onnx, tensor)]
    if not constants and len(inputs) == len(graph.input):
        return proto
    moved = {tensor.name for tensor in constants}
    nodes = [onnx.helper.make_node("Constant", [], [one.name], value=one) for one in constants]
    kept = [tensor for tensor in graph.initializer if tensor.name not in moved]
    result = onnx.ModelProto()
    result.CopyFrom(proto)
    for field, items in (
        (result.graph.node, [*nodes, *graph.node]),
        (result.graph.initializer, kept),
        (result.graph.input, inputs),
    ):
        del field[:]
        field.extend(items)
    return result


def _is_constant(onnx: Any, tensor: Any) -> bool:
    kinds = onnx.TensorProto
    return not tensor.dims or (
        len(tensor.dims) == 1 and tensor.data_type in (kinds.INT32, kinds.INT64)
    )


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


def _damaged(onnx: Any, proto: Any) -> str:
    """Return which initializer cannot be read, in words, if there is one."""
    for tensor in proto.graph.initializer:
        try:
            onnx.numpy_helper.to_array(tensor)
        except Exception:
            return f" (the initializer `{tensor.name}` is damaged)"
    return ""


def _workload(module: Any) -> Workload:
    frontend = import_module("tvm.relax.frontend")
    bare, parameters = frontend.detach_params(module)
    workload = from_relax(bare, parameters.get("main", ()))
    return workload.with_outputs(workload.outputs)
