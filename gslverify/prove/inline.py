"""The element of a computation as an expression that reads nothing but inputs.

Kernels are put into each other. Rules are small, so recursion over their depth is short.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np

from gsl.attr.evaluate import choose, equal
from gsl.attr.values import BOOL, sort_of
from gsl.expr import Call, Const, Expr, Proj, Tuple, Var
from gsl.kernel.expression import Apply, Expression, Number, Read
from gsl.kernel.meaning import Elements, Index, inside, select
from gsl.numpy_dtypes import kind_of
from gsl.types import TensorType
from gslverify.prove.failure import UnprovableError

MOST_NUMBERS = 4
"""Constants of so many integers are written out, as places of others are often."""


class Keys(Protocol):
    """Tells which indices are the same."""

    def poly(self, value: Any) -> Hashable:
        """Return what equal indices have in common."""


class Inliner:
    """Writes elements of the computations of one scenario as expressions over its inputs.

    `functions` are names for calls, by id, that are left as functions of one element.
    """

    def __init__(self, forms: Keys, functions: Mapping[int, str] = MappingProxyType({})) -> None:
        self.forms = forms
        self.functions = functions
        self.dtypes: dict[str, Any] = {}
        self.results: dict[int, tuple[Expression, Any]] = {}
        self._constants: dict[Any, str] = {}
        self._known: dict[Any, tuple[Expr, Expression]] = {}

    def element(self, expr: Expr, index: Index) -> Expression:
        """Return the element of a tensor at an index inside of it; raise UnprovableError."""
        key = id(expr), tuple(self.forms.poly(place) for place in index)
        if key not in self._known:
            self._known[key] = expr, self._element(expr, index)
        return self._known[key][1]

    def _element(self, expr: Expr, index: Index) -> Expression:
        match expr:
            case Var(name=name):
                return self._read(name, expr, index)
            case Const():
                return self._constant(expr, index)
            case Proj(index=field):
                return self._field(expr.operands[0], field, index)
            case Call():
                return self._of_dtype(self._called(expr, index, None), expr.tensor_type.dtype)
            case _:
                raise UnprovableError("a tuple stands where a tensor belongs")

    def _read(self, name: str, expr: Expr, index: Index) -> Expression:
        self.dtypes[name] = expr.tensor_type.dtype
        return self._of_dtype(Read(name, index), expr.tensor_type.dtype)

    def _field(self, whole: Expr, field: int, index: Index) -> Expression:
        if isinstance(whole, Tuple):
            return self.element(whole.operands[field], index)
        if isinstance(whole, Call):
            declared = whole.type.fields[field]  # type: ignore[union-attr]
            return self._of_dtype(
                self._called(whole, index, field), getattr(declared, "dtype", None)
            )
        raise UnprovableError("a field of a tuple is itself a tuple")

    def _constant(self, expr: Const, index: Index) -> Expression:
        if not isinstance(expr.value, np.ndarray):
            return _element(expr.value, index)
        if not index:
            asked = expr.asked
            return Number(expr.value.item() if asked is None else asked)
        if expr.value.size <= MOST_NUMBERS and kind_of(expr.value.dtype) in "iu":
            return _element(_nested(expr.value.tolist()), index)
        content = expr.dtype, expr.value.shape, expr.value.tobytes()
        name = self._constants.setdefault(content, f"constant {len(self._constants)}")
        return self._read(name, expr, index)

    def _of_dtype(self, element: Expression, dtype: Any) -> Expression:
        """Note the dtype that an element is computed in."""
        self.results.setdefault(id(element), (element, dtype))
        return element

    def _called(self, call: Call, index: Index, field: int | None) -> Expression:
        if call.operator.meaning is None:
            raise UnprovableError(f"{call.operator} has no kernel")
        operands = [self.view(operand) for operand in call.operands]
        if id(call) in self.functions:
            return Apply(self.functions[id(call)], (operands[0][index],))
        return call.operator.element(index, operands, call.attributes, field)

    def view(self, expr: Expr) -> Any:
        """Return the elements of a tensor, or those of every field of a tuple."""
        if isinstance(expr.type, TensorType):
            return self._elements(expr.type, lambda index: self.element(expr, index))
        fields = []
        for number, declared in enumerate(expr.type.fields):
            if not isinstance(declared, TensorType):
                raise UnprovableError("a tuple holds a tuple")
            fields.append(self._elements(declared, self._reader(expr, number)))
        return tuple(fields)

    def _reader(self, expr: Expr, field: int) -> Any:
        return lambda index: self._field(expr, field, index)

    @staticmethod
    def _elements(declared: TensorType, element: Any) -> Elements:
        def read(index: Index, guarded: bool) -> Expression:
            if not guarded:
                found: Expression = element(index)
                return found
            return select(inside(index, declared.shape), element(index), 0)

        return Elements(declared, read)


def _nested(value: Any) -> Any:
    return tuple(map(_nested, value)) if isinstance(value, list) else value


def _element(value: Any, index: Index) -> Expression:
    """Return an element of a constant of numbers that may be unknown; True counts as 1."""
    if not isinstance(value, tuple):
        return Number(choose(value, 1, 0) if sort_of(value) == BOOL else value)
    place, *inner = index
    element = _element(value[-1], tuple(inner))
    for number in range(len(value) - 2, -1, -1):
        element = select(equal(place, number), _element(value[number], tuple(inner)), element)
    return element
