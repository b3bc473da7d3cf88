"""Models of other frameworks as workloads, read by TVM's own frontends.

The packages `onnx` and `torch` are an extra: ``pip install 'gslverify[models]'``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from importlib import import_module
from io import StringIO
from numbers import Integral
from pathlib import Path
from typing import Any

from gsl.errors import GslError, MisuseError, ModelError, did_you_mean
from gsl.tvm import onnx_misread, torch_misread
from gsl.tvm.errors import UnsupportedError, reason
from gsl.tvm.importer import from_relax
from gsl.types import ALL_DTYPES
from gsl.workload import Workload

SHOWN_PLACES = 5
"""So many nodes with an operator that is not supported are listed."""

KNOWN_DOMAINS = ("", "ai.onnx", "com.microsoft")
"""Sets of operators: that of ONNX under both of its names, and that of ONNX Runtime."""

Shapes = Mapping[str, Sequence[int]]


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
    _check_elements(onnx, proto)
    _check_inputs(proto, shapes or {})
    _check_order(proto)
    _check_domains(proto)
    _check_inference(onnx, proto)
    _check_misread(onnx, proto)
    read = _read(onnx, proto, shapes or {})
    try:
        return _workload(read.module)
    except UnsupportedError as error:
        nodes = enumerate(proto.graph.node)
        numbers = [number for number, node in nodes if read.is_beyond_gsl(node)]
        raise UnsupportedError(f"{error}{_places_of(proto, numbers[:1])}") from error


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
        where = _places_of(proto, numbers) or _damaged(onnx, proto)
        raise ModelError(f"TVM cannot read the ONNX model: {text}{where}") from error


def from_torch(program: Any) -> Workload:
    """Return the workload of a `torch.export.ExportedProgram`.

    Its parameters stay parameters, its buffers become constants.

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
        _check_tensors(torch, program)
        core = program.run_decompositions()
        _check_pure(torch, core)
        for name, lost in torch_misread.misread_nodes(core):
            raise ModelError(f"TVM cannot read `{name}` of the PyTorch model: {lost} would be lost")
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


def _nodes_of(program: Any, text: str) -> str:
    """Return, in words, the first few nodes whose operator a message calls unsupported."""
    found = [
        f"`{node.name}`"
        for node in program.graph.nodes
        if f"'{getattr(node.target, '__name__', None)}'" in text
    ]
    return f" (the program has it as {', '.join(found[:SHOWN_PLACES])})" if found else ""


def _check_tensors(torch: Any, program: Any) -> None:
    """Demand that a program takes and returns tensors only."""
    kinds, signature = torch.export.graph_signature, program.graph_signature
    given = [s.arg for s in signature.input_specs if s.kind == kinds.InputKind.USER_INPUT]
    made = [s.arg for s in signature.output_specs if s.kind == kinds.OutputKind.USER_OUTPUT]
    for one in given:
        if not isinstance(one, kinds.TensorArgument):
            cure = "export a module that has it inside"
            raise UnsupportedError(f"argument `{one.name}` is {_said(one)}, no tensor; {cure}")
    for one, place in zip(made, _places(torch, program, len(made)), strict=True):
        if not isinstance(one, kinds.TensorArgument):
            cure = "export a module that returns tensors only"
            raise UnsupportedError(f"the model returns {_said(one)} as {place}, no tensor; {cure}")


def _said(argument: Any) -> str:
    return repr(argument.value) if hasattr(argument, "value") else f"`{argument.name}`"


def _places(torch: Any, program: Any, count: int) -> list[str]:
    """Return how Python writes each of the results, such as `result[1]`."""
    tree = torch.utils._pytree
    try:
        results = tree.tree_unflatten(list(range(count)), program.call_spec.out_spec)
        paths, _ = tree.tree_flatten_with_path(results)
        return [f"`result{tree.keystr(path)}`" for path, _ in paths]
    except ValueError:  # a class of results that does not name its fields
        return [f"result {number} of {count}" for number in range(1, count + 1)]


def _check_pure(torch: Any, program: Any) -> None:
    """Demand that a program has no branches or loops, no random numbers and no effects.

    TVM would take one draw for a constant, and forget the changes.
    """
    signature = program.graph_signature
    changed = [*signature.buffers_to_mutate.values(), *signature.user_inputs_to_mutate.values()]
    if changed:
        cure = "export model.eval(), or return the new values"
        raise UnsupportedError(f"the model changes {', '.join(changed)}; {cure}")
    for node in program.graph.nodes:
        if isinstance(node.target, torch._ops.HigherOrderOperator):
            cure = "export a module without control flow"
            raise UnsupportedError(f"`{node.name}` = {node.target} calls functions; {cure}")
        if _is_random(torch, node):
            cure = "export model.eval(), or make what is drawn an input"
            raise UnsupportedError(f"`{node.name}` = {node.target} draws random numbers; {cure}")


def _is_random(torch: Any, node: Any) -> bool:
    if torch.Tag.nondeterministic_seeded not in getattr(node.target, "tags", ()):
        return False
    names = [argument.name for argument in node.target._schema.arguments]
    given = torch_misread.arguments_of(node)
    return "training" not in names or bool(given.get("training", False))


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


def _check_elements(onnx: Any, proto: Any) -> None:
    """Demand that the elements of the inputs have a dtype of GSL."""
    for value in _inputs(proto):
        kind = value.type.tensor_type.elem_type
        if not value.type.HasField("tensor_type"):
            raise UnsupportedError(f"input `{value.name}` is no tensor")
        if kind and onnx.helper.tensor_dtype_to_np_dtype(kind).name not in ALL_DTYPES:
            name = onnx.TensorProto.DataType.Name(kind)
            raise UnsupportedError(
                f"input `{value.name}` has elements of {name}, not of {', '.join(ALL_DTYPES)}"
            )


def _inputs(proto: Any) -> list[Any]:
    """Return the inputs of a model; old ones list their initializers among these."""
    initial = {tensor.name for tensor in proto.graph.initializer}
    return [value for value in proto.graph.input if value.name not in initial]


def _check_inputs(proto: Any, shapes: Shapes) -> None:
    """Demand that all sizes of the inputs are known."""
    inputs = {value.name: value for value in _inputs(proto)}
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
        if name in shapes and text != "..." and len(shapes[name]) != len(sizes):
            raise ModelError(f"input `{name}` has the shape ({text}), not {tuple(shapes[name])}")


def _require_shapes(shapes: object) -> None:
    """Raise MisuseError unless these are sizes by the names of inputs."""
    if not isinstance(shapes, Mapping):
        raise MisuseError(f"shapes are given by the names of inputs, not as {shapes!r}")
    for name, sizes in shapes.items():
        if not isinstance(sizes, Sequence) or not all(map(_is_natural, sizes)):
            raise MisuseError(f"the sizes of input `{name}` are natural numbers, not {sizes!r}")


def _is_natural(size: object) -> bool:
    return isinstance(size, Integral) and not isinstance(size, bool) and int(size) >= 0


def _size(dim: Any) -> int | str:
    return dim.dim_value if dim.dim_value > 0 else dim.dim_param or "?"


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
    for value in graph.output:
        if value.name not in known:
            raise ModelError(f"the model returns `{value.name}`, which nothing makes")


def _check_domains(proto: Any) -> None:
    """Demand that all operators are of sets that TVM knows; it looks at their names only."""
    for number, node in enumerate(proto.graph.node):
        if node.domain not in KNOWN_DOMAINS:
            place = _place(proto, number)
            raise ModelError(f"TVM cannot read {place}: it is of the domain `{node.domain}`")


def _check_misread(onnx: Any, proto: Any) -> None:
    """Demand that TVM passes over nothing that a node says."""
    for number, lost in onnx_misread.misread_nodes(onnx, proto.graph):
        raise ModelError(f"TVM cannot read {_place(proto, number)}: {lost} would be lost")


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
            raise UnsupportedError(f"{_place(proto, number)} draws random numbers; {cure}")


def _prepared(onnx: Any, proto: Any) -> Any:
    """Return the model with nodes for the initializers that are constants, the others no inputs.

    Old models list their initializers among the inputs, too, which TVM takes for other tensors.
    """
    graph = proto.graph
    inputs = _inputs(proto)
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


def _places_of(proto: Any, numbers: Sequence[int]) -> str:
    places = "; ".join(_place(proto, number) for number in numbers)
    return f" (the model has it as {places})" if places else ""


def _damaged(onnx: Any, proto: Any) -> str:
    """Return which initializer cannot be read, in words, if there is one."""
    for tensor in proto.graph.initializer:
        try:
            onnx.numpy_helper.to_array(tensor)
        except Exception:
            return f" (the initializer `{tensor.name}` is damaged)"
    return ""


def _place(proto: Any, number: int) -> str:
    node = proto.graph.node[number]
    return f"node {number}, {node.op_type} of `{', '.join(node.output)}`"


def _workload(module: Any) -> Workload:
    frontend = import_module("tvm.relax.frontend")
    bare, parameters = frontend.detach_params(module)
    workload = from_relax(bare, parameters.get("main", ()))
    return workload.with_outputs(workload.outputs)
