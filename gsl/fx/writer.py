"""Workloads as modules of PyTorch whose forward method is a graph."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from gsl.errors import MisuseError, ModelError
from gsl.expr import Call, Const, Expr, Proj, Tuple, Var
from gsl.fx import activations, elements, pools, shapes, weights
from gsl.fx.reference import reference_module
from gsl.fx.table import Site, row_of
from gsl.numpy_dtypes import BFLOAT16
from gsl.types import TensorType
from gsl.workload import Workload

assert all((activations, elements, pools, shapes, weights))  # importing them has filled the table


def to_fx(workload: Workload) -> Any:
    """Return a `torch.fx.GraphModule` that computes a workload.

    Its forward method takes the inputs in their order and returns the output, a tuple of several.
    Parameters are those of the module, under their names with `_` for what no name has; those of
    integers are buffers. An operator without a function of PyTorch is a submodule that computes its
    NumPy reference.

    Raises ModelError when the package `torch` is missing, MisuseError for a dtype or an output that
    PyTorch does not have.
    """
    try:
        torch = import_module("torch")
    except ImportError as error:
        cure = "pip install 'gslverify[models]'"
        raise ModelError(f"writing PyTorch modules needs the package `torch`: {cure}") from error
    return _Writing(torch, workload).module()


class _Writing:
    """One workload on its way into a graph module."""

    def __init__(self, torch: Any, workload: Workload) -> None:
        self._torch = torch
        self._workload = workload
        self._root = torch.nn.Module()
        self._graph = torch.fx.Graph()
        self._tracer = torch.fx.proxy.GraphAppendingTracer(self._graph)
        self._values: dict[Expr, Any] = {}
        self._count = 0

    def module(self) -> Any:
        for variable in self._workload.inputs:
            self._values[variable] = self._proxy(self._graph.placeholder(_plain(variable.name)))
        for expr in self._workload.order:
            if expr not in self._values:
                self._values[expr] = self._value(expr)
        found = [self._values[one] for one in self._workload.outputs]
        if not all(isinstance(one.type, TensorType) for one in self._workload.outputs):
            raise MisuseError("an output is a tuple; a module returns tensors")
        nodes = [one.node for one in found]
        self._graph.output(nodes[0] if len(nodes) == 1 else tuple(nodes))
        self._graph.lint()
        return self._torch.fx.GraphModule(self._root, self._graph, "Workload")

    def _proxy(self, node: Any) -> Any:
        return self._torch.fx.Proxy(node, self._tracer)

    def _value(self, expr: Expr) -> Any:
        operands = [self._values[one] for one in expr.operands]
        match expr:
            case Var(name=name):
                return self._stored(_plain(name), self._workload.parameters[name], True)
            case Const(value=np.ndarray() as array):
                self._count += 1
                return self._stored(f"constant_{self._count}", array, False)
            case Tuple():
                return tuple(operands)
            case Proj(index=index):
                return operands[0][index]
            case Call():
                return self._called(expr, operands)
            case _:
                raise MisuseError(f"PyTorch has nothing for {expr!r}")

    def _stored(self, name: str, array: Any, is_weight: bool) -> Any:
        tensor = _tensor(self._torch, array)
        while hasattr(self._root, name):
            name += "_"
        if is_weight and tensor.is_floating_point():
            parameter = self._torch.nn.Parameter(tensor, requires_grad=False)
            self._root.register_parameter(name, parameter)
        else:
            self._root.register_buffer(name, tensor)
        return self._proxy(self._graph.get_attr(name))

    def _created(self, function: Any, *operands: Any, **attributes: Any) -> Any:
        return self._proxy(self._graph.call_function(function, operands, attributes))

    def _called(self, call: Call, operands: list[Any]) -> Any:
        row = row_of(call.operator.name)
        if row is not None:
            made = row(Site(self._torch, call, self._created), *operands)
            if made is not NotImplemented:
                return made
        self._count += 1
        name = f"reference_{self._count}"
        self._root.add_module(name, reference_module(self._torch, call))
        nodes = [_node(one) for one in operands]
        made = self._proxy(self._graph.call_module(name, tuple(nodes)))
        if isinstance(call.type, TensorType):
            return made
        return tuple(made[place] for place in range(len(call.type.fields)))


def _node(value: Any) -> Any:
    return tuple(map(_node, value)) if isinstance(value, tuple) else value.node


def _plain(name: str) -> str:
    """Return a name that an attribute in Python can have."""
    made = "".join(one if one.isidentifier() or one.isdigit() else "_" for one in name)
    return made if made.isidentifier() else f"_{made}"


def _tensor(torch: Any, array: Any) -> Any:
    try:
        if array.dtype == BFLOAT16:
            return torch.from_numpy(array.view(np.int16).copy()).view(torch.bfloat16)
        return torch.from_numpy(np.array(array))
    except TypeError as error:
        raise MisuseError(f"PyTorch has no tensors of {array.dtype}") from error
