"""Workloads: a network together with the values of its parameters (thesis, section 2.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from types import MappingProxyType
from typing import Any, Self

import numpy as np

from gsl import fold, storage
from gsl.errors import GraphError
from gsl.expr import Expr, Var
from gsl.graph import reverse_post_order


class Workload:
    """A network W = (F, Theta), callable on its inputs once bound to a way of running it.

    Args:
        outputs: the expression or expressions that the network computes.
        parameters: an array for every variable that is a model parameter; all others are inputs.
        inputs: order of the input variables; by default the reverse post-order of the network.

    Raises GraphError when two variables share a name, when a parameter does not fit its variable,
    or when `inputs` misses a variable.
    """

    def __init__(
        self,
        outputs: Expr | Sequence[Expr],
        parameters: Mapping[str, Any] = MappingProxyType({}),
        inputs: Sequence[Var] | None = None,
    ) -> None:
        self.outputs = (outputs,) if isinstance(outputs, Expr) else tuple(outputs)
        order = reverse_post_order(self.outputs)
        used = [expr for expr in order if isinstance(expr, Var)]
        self.variables = _unique(used if inputs is None else [*inputs, *used])
        unknown = parameters.keys() - {variable.name for variable in self.variables}
        if unknown:
            raise GraphError(f"parameters without a variable: {', '.join(sorted(unknown))}")
        self.parameters = MappingProxyType(
            {
                v.name: _fitting(v, parameters[v.name])
                for v in self.variables
                if v.name in parameters
            }
        )
        self.inputs = tuple(v for v in self.variables if v.name not in self.parameters)
        self._check_inputs(inputs)

    def _check_inputs(self, inputs: Sequence[Var] | None) -> None:
        missing = [] if inputs is None else [v.name for v in self.inputs if v not in inputs]
        if missing:
            names = ", ".join(missing)
            raise GraphError(f"the network uses variables that are not among its inputs: {names}")

    def with_outputs(self, outputs: Sequence[Expr]) -> Workload:
        """Return the workload of other outputs; inputs stay, parameters unused by now go."""
        used = {expr.name for expr in reverse_post_order(outputs) if isinstance(expr, Var)}
        parameters = {name: value for name, value in self.parameters.items() if name in used}
        return Workload(outputs, parameters, self.inputs)

    def fold(self) -> Workload:
        """Return the workload with everything computed that needs no input; see `gsl.fold`."""
        return fold.fold(self)

    def save(self, path: str | PathLike[str]) -> None:
        """Save the workload as one file; raises StorageError, see `gsl.storage`."""
        storage.save(self, path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Return the workload that `save` has written to `path`; raises StorageError."""
        return storage.load(path, cls)

    def __repr__(self) -> str:
        inputs = ", ".join(f"{v.name}: {v.type}" for v in self.inputs)
        return f"Workload({inputs}; {len(self.parameters)} parameters)"


def _unique(variables: Sequence[Var]) -> tuple[Var, ...]:
    by_name: dict[str, Var] = {}
    for variable in variables:
        if by_name.setdefault(variable.name, variable) is not variable:
            raise GraphError(f"two variables are called `{variable.name}`")
    return tuple(by_name.values())


def _fitting(variable: Var, value: Any) -> Any:
    array = np.asarray(value)
    if array.shape != variable.shape or array.dtype.name != variable.dtype:
        raise GraphError(
            f"parameter `{variable.name}` is {array.dtype.name}{list(array.shape)}, "
            f"its variable {variable.type}"
        )
    return array
