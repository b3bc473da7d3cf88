"""The GSL operator of a Relax call: the inverse of `gsl.tvm.lower`.

Operators with a Relax twin need no table: operands and attributes have the same names on both
sides. `LOWERED` adds the operators whose lowering is one Relax call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gsl.expr import Call, Expr
from gsl.operators.declaration import REGISTRY, Operator
from gsl.tvm.errors import UnsupportedError
from gsl.tvm.lower import lower
from gsl.tvm.plain import keyword_attributes, plain, positional_arguments

LOWERED: Mapping[str, str] = {"clip": "Clip", "full": "Full", "full_like": "FullLike"}
"""Relax name to operator, for lowerings that are one call with the same names."""


def read_operator(call: Any, read: Callable[[Any], Expr], resolve: Callable[[Any], Any]) -> Call:
    """Return the GSL call of a Relax call.

    Args:
        call: a Relax call of an operator of ``relax.op``.
        read: gives the expression of an operand.
        resolve: gives what an argument is bound to that GSL calls an attribute.

    Raises UnsupportedError when GSL has no such operator, or not with these attributes.
    """
    name = call.op.name.removeprefix("relax.")
    operator = _operator(name)
    arguments = positional_arguments(call, name)
    keywords = keyword_attributes(call)
    operands = [arguments[key] for key in arguments if key not in operator.attributes]
    written = {key: resolve(arguments[key]) for key in arguments} | keywords
    attributes = {key: plain(written[key]) for key in operator.attributes if key in written}
    result = Call(operator, [read(operand) for operand in operands], attributes)
    _check_rest(call, result, operands, keywords)
    return result


def _operator(relax_name: str) -> Operator:
    for operator in REGISTRY.values():
        if operator.relax_name == relax_name:
            return operator
    lowered = REGISTRY.get(LOWERED.get(relax_name, ""))
    if lowered is None:
        raise UnsupportedError(f"GSL has no operator for relax.{relax_name}")
    return lowered


def _check_rest(call: Any, result: Call, operands: list[Any], keywords: dict[str, Any]) -> None:
    """Demand that attributes GSL does not have are those it would write."""
    rest = keywords.keys() - result.operator.attributes.keys()
    if not rest:
        return
    again = keyword_attributes(lower(None, result.operator, operands, result.attributes))
    for name in sorted(rest):
        if plain(again[name]) != plain(keywords[name]):
            value = plain(keywords[name])
            raise UnsupportedError(f"{result.operator} cannot express {name}={value!r}")
