"""What rules of onnxscript compute of weights with NumPy, as expressions over these weights.

A rule reads the elements of an initializer and makes a new one of them. The arrays that it is given
note what is computed of them, so that the new initializer is known as an expression, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gsl.errors import GslError
from gsl.expr import Call, Const, Expr, Var
from gsl.graph import reverse_post_order
from gsl.onnx.build import call

UFUNCS: Mapping[Any, str] = {
    np.add: "Add",
    np.subtract: "Subtract",
    np.multiply: "Multiply",
    np.divide: "Divide",
    np.sqrt: "Sqrt",
    np.negative: "Negative",
    np.maximum: "Maximum",
    np.minimum: "Minimum",
}

Key = tuple[tuple[int, ...], str, bytes]
"""An array by its shape, dtype and elements."""


class Noted(np.ndarray[Any, Any]):
    """An array with the expression that it is the value of, None where that is not known."""

    expr: Expr | None = None
    notes: dict[Key, Expr]

    def __array_finalize__(self, given: Any) -> None:
        self.notes = getattr(given, "notes", {})

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **named: Any) -> Any:
        plain = [np.asarray(one) if isinstance(one, Noted) else one for one in inputs]
        result = getattr(ufunc, method)(*plain, **named)
        if not isinstance(result, np.ndarray | np.generic):
            return result
        if method != "__call__" or ufunc not in UFUNCS or named:
            return result
        dtype = np.asarray(result).dtype
        return self._made(
            result, lambda: call(UFUNCS[ufunc], *(_expr(one, dtype) for one in inputs))
        )

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        result = super().__array_function__(function, types, args, kwargs)
        if function in (np.zeros_like, np.ones_like, np.full_like):
            return noted(np.array(result), filled(result), self.notes)
        return result

    def _made(self, result: Any, make: Callable[[], Expr]) -> Any:
        """Return a result with its expression, if it has one."""
        try:
            expr = make()
        except (GslError, ValueError):
            return result
        return noted(np.asarray(result), expr, self.notes)

    def reshape(self, *shape: Any, **named: Any) -> Any:
        """Return the array in another shape, with its expression."""
        result = np.asarray(self).reshape(*shape, **named)
        return self._made(result, lambda: call("Reshape", _expr(self), shape=result.shape))

    def __getitem__(self, place: Any) -> Any:
        """Return a part of the array, with its expression if that is all of it."""
        plain = np.asarray(self)
        result = plain[place]
        if np.ndim(result) == 0 or not np.array_equal(result.ravel(), plain.ravel()):
            return result
        return self._made(result, lambda: call("Reshape", _expr(self), shape=result.shape))

    def sum(  # type: ignore[override]
        self, axis: Any = None, *, keepdims: bool = False, **named: Any
    ) -> Any:
        """Return sums along axes, with their expression."""
        result = np.asarray(self).sum(axis=axis, keepdims=keepdims, **named)
        axes = range(self.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
        attributes = {"axis": tuple(axes), "keepdims": keepdims}
        return self._made(result, lambda: call("Sum", _expr(self), **attributes))

    def transpose(self, *axes: Any) -> Any:
        """Return the array with its axes in another order, with its expression."""
        result = np.asarray(self).transpose(*axes)
        given = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
        order = tuple(given) if given else tuple(reversed(range(self.ndim)))
        return self._made(result, lambda: call("Transpose", _expr(self), axes=order))


def noted(array: Any, expr: Expr, notes: dict[Key, Expr]) -> Any:
    """Return an array that notes what is computed of it; `expr` is what it is the value of."""
    made = array.view(Noted)
    made.notes, made.expr = notes, expr
    notes.setdefault(key_of(array), expr)
    return made


def is_uniform(array: Any) -> bool:
    """Tell whether all elements of an array are the same number."""
    return array.size > 0 and bool(np.all(array == array.flat[0]))


def filled(array: Any) -> Expr:
    """Return an array of one number as that number, broadcast."""
    return call("BroadcastTo", Const(np.asarray(array.flat[0])), shape=array.shape)


def key_of(array: Any) -> Key:
    """Return an array as something that equal arrays have in common."""
    plain = np.ascontiguousarray(array)
    return tuple(array.shape), plain.dtype.name, plain.tobytes()


def _expr(operand: Any, dtype: Any = None) -> Expr:
    """Return the expression of an operand; raise ValueError where it is not known."""
    if isinstance(operand, Noted) and operand.expr is not None:
        return operand.expr
    array = np.asarray(operand)
    if array.ndim:
        raise ValueError("an array of unknown origin")
    name = np.dtype(dtype or array.dtype).name
    return Const(float(str(array.astype(name))), name)


def _shortest(value: Any) -> Any:
    """Return the shortest number that is stored in 32 bits as a float is: 1e-05 was meant so."""
    is_stored = isinstance(value, float) and float(np.float32(value)) == value
    return float(str(np.float32(value))) if is_stored else value


def substituted(outputs: Sequence[Expr], known: Mapping[str, Expr]) -> list[Expr]:
    """Return a graph with expressions in the place of variables; equal names are one variable.

    The expressions in `known` are over variables that stay what they are.
    """
    leaves: dict[str, Expr] = {}
    inner = _rebuilt(list(known.values()), lambda one: leaves.setdefault(one.name, one))
    replaced = dict(zip(known, inner, strict=True))
    return _rebuilt(outputs, lambda one: replaced.get(one.name) or leaves.setdefault(one.name, one))


def _rebuilt(outputs: Sequence[Expr], leaf: Callable[[Var], Expr]) -> list[Expr]:
    made: dict[Expr, Expr] = {}
    for expr in reverse_post_order(outputs):
        if isinstance(expr, Var):
            made[expr] = leaf(expr)
        elif isinstance(expr, Call):
            operands = tuple(made[one] for one in expr.operands)
            given = {name: _shortest(one) for name, one in expr.attributes.items()}
            made[expr] = Call(expr.operator, operands, given)
        elif expr.operands:
            made[expr] = expr.with_operands(tuple(made[one] for one in expr.operands))
        else:
            made[expr] = expr
    return [made[one] for one in outputs]
