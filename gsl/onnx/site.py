"""A node of an ONNX model, as the rows that read it see it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import onnx_ir as ir

from gsl.expr import Const, Expr
from gsl.onnx.errors import RowError

REQUIRED = object()


class Site:
    """A node with the expressions of its inputs; it notices what a row does not ask for.

    Args:
        node: the node.
        operands: the expression of each input, None for one that is left out.
        opset: the version of the operators of its domain.
        value_of: gives the elements of an expression, None where they depend on an input.
        used: for each result, whether anything uses it.
    """

    def __init__(
        self,
        node: ir.Node,
        operands: Sequence[Expr | None],
        opset: int,
        value_of: Callable[[Expr], Any],
        used: Sequence[bool],
    ) -> None:
        self.node = node
        self.opset = opset
        self.used = used
        self._operands = operands
        self._value_of = value_of
        self._asked: set[str | int] = set()

    def __len__(self) -> int:
        """Return the number of inputs, those left out included."""
        return len(self._operands)

    def has(self, place: int) -> bool:
        """Tell whether the node has an input at a place."""
        return place < len(self._operands) and self._operands[place] is not None

    def optional(self, place: int) -> Expr | None:
        """Return the input at a place, None if it is left out."""
        self._asked.add(place)
        return self._operands[place] if self.has(place) else None

    def operand(self, place: int = 0) -> Expr:
        """Return the input at a place; raise RowError if it is left out."""
        found = self.optional(place)
        if found is None:
            raise RowError(f"it has no input {place}")
        return found

    def operands(self) -> list[Expr]:
        """Return all inputs; raise RowError if one is left out."""
        return [self.operand(place) for place in range(len(self._operands))]

    def factors(self) -> list[Expr]:
        """Return both inputs; a tensor of one number beside a larger one has no axes here.

        Exporters write factors as tensors of one element, where rules look for numbers.
        """
        left, right = self.operands()
        return [self._bare(left, right), self._bare(right, left)]

    def summands(self) -> list[Expr]:
        """Return both inputs as `factors` does; the bias of a single column stays a vector."""
        left, right = self.operands()
        is_column = 1 in (*left.shape[-1:],) and 1 in (*right.shape[-1:],)
        return [left, right] if is_column else self.factors()

    def _bare(self, single: Expr, other: Expr) -> Expr:
        is_spread = single.tensor_type.size == 1 < other.tensor_type.size
        if not single.shape or not is_spread or len(single.shape) > len(other.shape):
            return single
        value = self._value_of(single)
        return single if value is None else Const(np.reshape(value, ()))

    def constant(self, place: int) -> Any:
        """Return the elements of an input; raise RowError if they depend on inputs of the model."""
        value = self._value_of(self.operand(place))
        if value is None:
            raise RowError(f"its input {place} depends on an input of the model", place)
        return value

    def optional_constant(self, place: int) -> Any:
        """Return the elements of an input, None if it is left out."""
        return self.constant(place) if self.has(place) else None

    def known(self, expr: Expr) -> Any:
        """Return the elements of an expression, None if they depend on an input of the model."""
        return self._value_of(expr)

    def integers(self, place: int) -> list[int] | None:
        """Return the elements of an input as a list, None if it is left out."""
        value = self.optional_constant(place)
        return None if value is None else [int(one) for one in np.reshape(value, -1)]

    def attribute(self, name: str, default: Any = REQUIRED) -> Any:
        """Return an attribute as a value of Python or a tensor of onnx-ir; texts are `str`."""
        self._asked.add(name)
        found = self.node.attributes.get(name)
        if found is None:
            if default is REQUIRED:
                raise RowError(f"it has no attribute `{name}`")
            return default
        return found.value

    def axes(self, place: int, since: int) -> list[int] | None:
        """Return axes that are an input from an opset on and an attribute before it."""
        if self.opset >= since:
            return self.integers(place)
        given = self.attribute("axes", None)
        return None if given is None else [int(one) for one in given]

    def passed_over(self) -> str:
        """Return what the row has not asked for, in words, or an empty text."""
        for name in self.node.attributes:
            if name not in self._asked:
                return f"its attribute `{name}` would be lost"
        for place, operand in enumerate(self._operands):
            if operand is not None and place not in self._asked:
                return f"its input {place} would be lost"
        return ""
