"""Tiny operators and short spellings for the tests of matching and rewriting.

The operators are not registered, so that no test of the operators meets them. All tensors have
one type, so that every composition is well typed.
"""

from __future__ import annotations

from typing import Any

from gsl import Call, Const, Expr, Proj, Tuple, Var, pat
from gsl.operators.declaration import REGISTRY, Need, Operator, Tensor, Tensors, operator
from gsl.operators.kinds import AnyInt
from gsl.types import TensorType


def unregistered(declared: Operator) -> Operator:
    del REGISTRY[declared.name]
    return declared


@unregistered
@operator(traits={"unary"})
def Tag(need: Need, data: Tensor, *, k: AnyInt = 0) -> TensorType:
    """Add `k`."""
    return data


Tag.numpy(lambda data, k: data + k)


@unregistered
@operator(traits={"unary"})
def Mark(need: Need, data: Tensor, *, k: AnyInt = 0) -> TensorType:
    """Multiply by `k`; has the attribute of Tag, too."""
    return data


Mark.numpy(lambda data, k: data * k)


@unregistered
@operator()
def Pack(need: Need, fields: Tensors) -> TensorType:
    """Sum up the fields of a tuple."""
    first: Any = fields.fields[0]
    return first


Pack.numpy(sum)


@unregistered
@operator()
def Halves(need: Need, data: Tensor) -> Any:
    """Return the data and its double as a tuple."""
    return [data, data]


Halves.numpy(lambda data: (data, 2 * data))

RELU, EXP, NEGATIVE, TANH = (REGISTRY[name] for name in ("Relu", "Exp", "Negative", "Tanh"))
ADD, MULTIPLY, SUBTRACT = REGISTRY["Add"], REGISTRY["Multiply"], REGISTRY["Subtract"]

SHAPE = (2,)


def var(name: str) -> Var:
    return Var(name, SHAPE)


def const(value: float) -> Const:
    return Const([value] * SHAPE[0], "float32")


def relu(data: Expr) -> Call:
    return Call(RELU, [data])


def exp(data: Expr) -> Call:
    return Call(EXP, [data])


def tanh(data: Expr) -> Call:
    return Call(TANH, [data])


def negative(data: Expr) -> Call:
    return Call(NEGATIVE, [data])


def add(left: Expr, right: Expr) -> Call:
    return Call(ADD, [left, right])


def multiply(left: Expr, right: Expr) -> Call:
    return Call(MULTIPLY, [left, right])


def tag(data: Expr, k: int = 0) -> Call:
    return Call(Tag, [data], {"k": k})


def mark(data: Expr, k: int = 0) -> Call:
    return Call(Mark, [data], {"k": k})


def pack(*fields: Expr) -> Call:
    return Call(Pack, [Tuple(fields)])


def half(data: Expr, index: int) -> Proj:
    return Proj(Call(Halves, [data]), index)


def p_tag(data: Any, **attributes: Any) -> pat.Call:
    return pat.call(Tag, (data,), attributes)


def p_mark(data: Any, **attributes: Any) -> pat.Call:
    return pat.call(Mark, (data,), attributes)


def p_pack(fields: Any) -> pat.Call:
    return pat.call(Pack, (fields,))


def p_halves(data: Any) -> pat.Call:
    return pat.call(Halves, (data,))
