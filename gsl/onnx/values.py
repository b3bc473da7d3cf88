"""What is known about expressions while a model is read: elements that need no input."""

from __future__ import annotations

from typing import Any

import numpy as np

from gsl.evaluate import value_of
from gsl.expr import Const, Expr, Var
from gsl.graph import reverse_post_order
from gsl.types import TensorType

OPEN, PARAMETERS, CONSTANTS = 0, 1, 2
"""What an expression depends on: inputs, or else parameters, or else constants alone."""

MOST_FOLDED = 4096
"""What is computed of constants alone becomes a constant up to this number of elements."""


class Values:
    """Elements of expressions that depend on no input; `parameters` are arrays by name."""

    def __init__(self) -> None:
        self.parameters: dict[str, Any] = {}
        self._kinds: dict[Expr, int] = {}
        self._known: dict[Expr, Any] = {}

    def kind(self, expr: Expr) -> int:
        """Return what an expression depends on."""
        pending = [expr]
        while pending:
            current = pending[-1]
            unknown = [one for one in current.operands if one not in self._kinds]
            if unknown and current not in self._kinds:
                pending += unknown
                continue
            pending.pop()
            if isinstance(current, Var):
                self._kinds[current] = PARAMETERS if current.name in self.parameters else OPEN
            else:
                kinds = (self._kinds[one] for one in current.operands)
                self._kinds[current] = min(kinds, default=CONSTANTS)
        return self._kinds[expr]

    def value_of(self, expr: Expr) -> Any:
        """Return the elements of a tensor, None if they depend on an input or cannot be had."""
        if self.kind(expr) == OPEN:
            return None
        if expr not in self._known:
            self._known[expr] = self._computed(expr)
        return self._known[expr]

    def _computed(self, expr: Expr) -> Any:
        results: dict[Expr, Any] = {}
        try:
            with np.errstate(all="ignore", divide="raise", invalid="raise"):
                for one in reverse_post_order([expr]):
                    operands = [results[operand] for operand in one.operands]
                    results[one] = value_of(one, operands, self.parameters)
        except Exception:  # whatever a reference raises: the value cannot be had
            return None
        return results[expr]

    def folded(self, expr: Expr) -> Expr:
        """Return a constant for what depends on few constants, so that rules and rows see it."""
        is_small = isinstance(expr.type, TensorType) and expr.type.size <= MOST_FOLDED
        if not is_small or isinstance(expr, Const) or self.kind(expr) != CONSTANTS:
            return expr
        value = self.value_of(expr)
        if value is None or value.dtype.name != expr.dtype or value.shape != expr.shape:
            return expr
        return Const(np.asarray(value))


def is_constant(array: Any) -> bool:
    """Tell whether a tensor of a model is a constant: a number, or a list of sizes or axes.

    Rules look at those. All other tensors are parameters.
    """
    return array.ndim == 0 or (array.ndim == 1 and array.dtype.name in ("int32", "int64"))
