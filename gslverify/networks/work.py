"""How much an operator computes, read off the kernel that says what its elements are."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

from gsl.attr.term import Symbol, Term, subterms
from gsl.expr import Call
from gsl.kernel.expression import Apply, Expression, Number, Read, Reduction, parts, walk
from gsl.kernel.meaning import named
from gsl.operators.declaration import tensors
from gsl.types import TensorType, TupleType, Type

Varying = dict[Expression, frozenset[Symbol]]
"""The indices that the values of expressions depend on."""


def takes_at_most(call: Call, limit: int) -> bool:
    """Tell whether the `work_of` a call is within a limit; at once where all sizes are small."""
    sizes = [tensor.size for tensor in tensors((call.type, *_operand_types(call)))]
    extents = [n for value in call.attributes.values() for n in _whole_numbers(value)]
    return prod(max(1, size) for size in (*sizes, *extents)) <= limit or work_of(call) <= limit


def _operand_types(call: Call) -> tuple[Type, ...]:
    return tuple(operand.type for operand in call.operands)


def _whole_numbers(value: Any) -> Iterator[int]:
    for part in value if isinstance(value, tuple) else (value,):
        if type(part) is int:
            yield part


def work_of(call: Call) -> int:
    """Return how many values a call computes on its way to its result.

    A value counts once for all indices that it depends on: of a convolution these are the
    products, of a pooling what all windows meet, of a softmax the powers. What only decides between
    values does not count, so that looking up and adding up are as cheap as they are.
    """
    results = tensors((call.type,))
    elements: int = sum(result.size for result in results)
    if call.operator.meaning is None or "elementwise" in call.operator.traits or not elements:
        return elements
    is_tuple = isinstance(call.type, TupleType)
    most = sum(_values(call, r, n if is_tuple else None) for n, r in enumerate(results))
    return max(elements, most)


def combined_by(call: Call) -> frozenset[str]:
    """Return the functions that combine many values into one, in an order that nobody states."""
    if call.operator.meaning is None or "elementwise" in call.operator.traits:
        return frozenset()
    is_tuple = isinstance(call.type, TupleType)
    kernels = (
        _kernel(call, result, n if is_tuple else None)[1]
        for n, result in enumerate(tensors((call.type,)))
    )
    nodes = (node for element in kernels for node in walk(element))
    return frozenset(node.function for node in nodes if isinstance(node, Reduction))


def _kernel(
    call: Call, result: TensorType, field: int | None
) -> tuple[tuple[Symbol, ...], Expression]:
    """Return indices and what the element of the result is there."""
    index = tuple(Symbol(f"i{axis}", low=0) for axis in range(result.ndim))
    operands = [_named(declared) for declared in _operand_types(call)]
    return index, call.operator.element(index, operands, call.attributes, field)


def _values(call: Call, result: TensorType, field: int | None) -> int:
    """Return how many different values the part of a kernel has that has most of them."""
    index, element = _kernel(call, result, field)
    extents: dict[Symbol, int] = dict(zip(index, result.shape, strict=True))
    nodes = list(walk(element))
    for node in nodes:
        if isinstance(node, Reduction):
            extents.update(node.variables)
    varying: Varying = {}
    for node in reversed(nodes):
        varying[node] = _indices_of(node, varying)
    return max(prod(extents[symbol] for symbol in symbols) for symbols in varying.values())


def _named(declared: Type) -> Any:
    if isinstance(declared, TensorType):
        return named("operand", declared)
    return tuple(_named(part) for part in declared.fields)


def _indices_of(node: Expression, varying: Varying) -> frozenset[Symbol]:
    """Return the indices that a value depends on, other than by being chosen."""
    match node:
        case Read(indices=terms):
            return _symbols(*terms)
        case Number(value=value):
            return _symbols(value)
        case Apply(function="select", arguments=(_, *chosen)):
            return frozenset[Symbol]().union(*(varying[part] for part in chosen))
        case Reduction(variables=variables, body=body):
            return varying[body] - {symbol for symbol, _ in variables}
        case _:
            return frozenset[Symbol]().union(*(varying[part] for part in parts(node)))


def _symbols(*values: Any) -> frozenset[Symbol]:
    terms = (value for value in values if isinstance(value, Term))
    return frozenset(part for term in terms for part in subterms(term) if isinstance(part, Symbol))
