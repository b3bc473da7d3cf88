"""Workloads: a network together with the values of its parameters (thesis, section 2.1)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from copy import copy
from types import MappingProxyType
from typing import Any

import numpy as np

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
        given = set(self.inputs if inputs is None else inputs)
        _require_known([v for v in self.inputs if v not in given])

    def with_outputs(
        self, outputs: Sequence[Expr], used: Collection[Var] | None = None
    ) -> Workload:
        """Return the workload of other outputs; inputs stay, parameters unused by now go.

        What stays keeps its order. `used` are the variables below `outputs`, if they are known.
        Raises GraphError for a variable that is new.
        """
        if used is None:
            used = [expr for expr in reverse_post_order(outputs) if isinstance(expr, Var)]
        known, kept = set(self.variables), {*self.inputs, *used}
        _require_known([v for v in used if v not in known])
        result = copy(self)
        result.outputs = tuple(outputs)
        result.variables = tuple(v for v in self.variables if v in kept)
        result.parameters = MappingProxyType(
            {v.name: self.parameters[v.name] for v in result.variables if v.name in self.parameters}
        )
        return result

    def __repr__(self) -> str:
        inputs = ", ".join(f"{v.name}: {v.type}" for v in self.inputs)
        return f"Workload({inputs}; {len(self.parameters)} parameters)"


def _require_known(missing: Sequence[Var]) -> None:
    if missing:
        names = ", ".join(v.name for v in missing)
        raise GraphError(f"the network uses variables that are not among its inputs: {names}")


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
