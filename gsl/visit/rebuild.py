"""Make an expression anew over other operands, at no more cost than the change demands."""

from __future__ import annotations

from operator import is_

from gsl.attr.evaluate import equal
from gsl.errors import GraphError
from gsl.expr import Call, Expr, Proj, Tuple
from gsl.types import TensorType, TupleType, Type


def rebuild(expr: Expr, operands: tuple[Expr, ...]) -> Expr:
    """Return `expr` over `operands`: itself if they are its own, else the same with those.

    The type is inferred anew only if that of an operand differs. A kind of expression from
    outside this package overrides `with_operands` if that may happen to it.

    Raises OperatorError or GraphError when `expr` cannot have these operands.
    """
    same_number = len(operands) == len(expr.operands)
    if same_number and all(map(is_, operands, expr.operands)):
        return expr
    for operand in operands:
        if not isinstance(operand, Expr):
            raise GraphError(f"an operand is an expression, not {operand!r}")
    if same_number and all(map(same_type, operands, expr.operands)):
        return expr.with_operands(operands)
    match expr:
        case Call():
            return Call(expr.operator, operands, expr.attributes)
        case Tuple():
            return Tuple(operands)
        case Proj(index=index) if len(operands) == 1:
            return Proj(operands[0], index)
        case _ if type(expr).with_operands not in (Expr.with_operands, Proj.with_operands):
            return expr.with_operands(operands)
    raise GraphError(f"{expr!r} cannot have {len(operands)} operands of these types")


def same_type(one: Expr, other: Expr) -> bool:
    """Tell whether the types are known to be the same; those with different terms are not."""
    pairs: list[tuple[Type, Type]] = [(one.type, other.type)]
    while pairs:
        match pairs.pop():
            case left, right if left is right:
                continue
            case TupleType(fields=left), TupleType(fields=right) if len(left) == len(right):
                pairs.extend(zip(left, right, strict=True))
            case TensorType() as left, TensorType() as right:
                if equal((left.shape, left.dtype), (right.shape, right.dtype)) is not True:
                    return False
            case _:
                return False
    return True
