"""Facts about what operators compute, read off their kernels: none is known here by its name."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from gsl.attr.term import Symbol
from gsl.expr import Call
from gsl.kernel.expression import Apply, Expression, Number, Read, Reduction, Select, walk
from gsl.kernel.meaning import named
from gsl.operators import Operator
from gsl.operators.declaration import tensors
from gsl.types import TensorType, TupleType, Type

CHOOSING = frozenset({"select", "max", "min", "cast"})
"""Functions whose value is one of their arguments, or the same number in another dtype."""


COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})


@dataclass(frozen=True, slots=True)
class Element:
    """What a call has at an `index` of a tensor that it returns, which has a `type`.

    At its first place, the index is empty.
    """

    type: TensorType
    index: tuple[Symbol, ...]
    value: Expression


def elements_of(call: Call, at_start: bool = False) -> tuple[Element, ...]:
    """Return the element of every tensor that a call returns; none if its kernel is unknown.

    It is that at any place, or `at_start` the first one. Raises as `Operator.element` does, for
    attributes on which the structure depends.
    """
    types = tuple(operand.type for operand in call.operands)
    return _elements(call.operator, types, tuple(call.attributes.items()), call.type, at_start)


@lru_cache(maxsize=512)
def _elements(
    operator: Operator,
    types: tuple[Type, ...],
    attributes: tuple[Any, ...],
    result: Type,
    at_start: bool,
) -> tuple[Element, ...]:
    if operator.meaning is None:
        return ()
    operands = [_named(declared) for declared in types]
    found: list[Element] = []
    for number, tensor in enumerate(tensors((result,))):
        index = () if at_start else tuple(Symbol(f"i{n}", low=0) for n in range(tensor.ndim))
        place, field = (
            index or (0,) * tensor.ndim,
            number if isinstance(result, TupleType) else None,
        )
        value = operator.element(place, operands, dict(attributes), field)
        found.append(Element(tensor, index, value))
    return tuple(found)


def _named(declared: Type) -> Any:
    if isinstance(declared, TensorType):
        return named("operand", declared)
    return tuple(_named(part) for part in declared.fields)


def is_pointwise(call: Call) -> bool:
    """Tell whether an element of a result depends on the same place of each operand alone."""
    if "elementwise" in call.operator.traits:
        return True
    elements = elements_of(call)
    return (
        len(elements) == 1
        and bool(call.operands)
        and all(
            isinstance(node, Apply | Number) or _is_at(node, elements[0].index)
            for node in walk(elements[0].value)
        )
    )


def _is_at(node: Expression, index: tuple[Symbol, ...]) -> bool:
    """Tell whether a kernel reads an operand, which may have fewer axes, at an index."""
    if not isinstance(node, Read):
        return False
    own = index[len(index) - len(node.indices) :]
    pairs = zip(node.indices, own, strict=False)
    return all(term is axis or (type(term) is int and not term) for term, axis in pairs)


def converts(call: Call) -> bool:
    """Tell whether a call returns its operand in another dtype, and nothing else."""
    values = [element.value for element in elements_of(call)]
    return bool(values) and all(
        isinstance(one, Apply) and one.function == "cast" and isinstance(one.arguments[0], Read)
        for one in values
    )


def functions_of(call: Call) -> frozenset[str]:
    """Return the functions that a kernel applies to elements."""
    nodes = (node for element in elements_of(call) for node in walk(element.value))
    return frozenset(node.function for node in nodes if isinstance(node, Apply))


def compares(call: Call) -> bool:
    """Tell whether a call says how its operands compare, element by element."""
    values = [element.value for element in elements_of(call)]
    return bool(values) and all(
        isinstance(one, Apply) and one.function in COMPARISONS for one in values
    )


def combined_by(call: Call) -> frozenset[str]:
    """Return the functions that combine many values into one, in an order that nobody states."""
    if is_pointwise(call):
        return frozenset()
    nodes = (node for element in elements_of(call) for node in walk(element.value))
    return frozenset(node.function for node in nodes if isinstance(node, Reduction))


def computes_sums(call: Call) -> bool:
    """Tell whether a call computes sums and products of elements of its operands alone."""
    nodes = [node for element in elements_of(call) for node in walk(element.value)]
    used = {node.function for node in nodes if isinstance(node, Apply | Reduction)}
    return bool(used) and used <= {"+", "-", "*", "neg", "sum"}


def adds_elements(call: Call) -> bool:
    """Tell whether a call adds elements of its operands as they are, to divide the sum perhaps."""
    nodes = [node for element in elements_of(call) for node in walk(element.value)]
    functions = {node.function for node in nodes if isinstance(node, Apply)}
    return "sum" in combined_by(call) and functions <= {"cast", "/"}


def rearranges(call: Call) -> bool:
    """Tell whether a call returns every element of its operands, and no other."""
    operands = tensors(tuple(operand.type for operand in call.operands))
    if not isinstance(call.type, TensorType) or call.type.size < sum(o.size for o in operands):
        return False
    return _is_made_of(call, (Read, Select))


def chooses(call: Call) -> bool:
    """Tell whether a call returns elements of its operands, not all or as other numbers perhaps.

    A network may guard another operator with it.
    """
    return _is_made_of(call, (Read, Select, Apply, Number))


def _is_made_of(call: Call, kinds: tuple[type, ...]) -> bool:
    elements = elements_of(call)
    nodes = (node for element in elements for node in walk(element.value))
    return bool(elements) and all(isinstance(one, kinds) and _is_chosen(one) for one in nodes)


def _is_chosen(node: Expression) -> bool:
    """Tell whether what a kernel computes is an element of an operand, or the name of a dtype."""
    match node:
        case Apply(function=function):
            return function in CHOOSING
        case Number(value=value):
            return isinstance(value, str)
    return True
