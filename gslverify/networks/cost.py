"""How much an operator computes, read off the kernel that says what its elements are."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

from gsl.attr.term import Symbol, Term, subterms
from gsl.expr import Call
from gsl.kernel.expression import Apply, Expression, Number, Read, Reduction, parts, walk
from gsl.operators.declaration import tensors
from gsl.types import Type
from gslverify.structures.kernels import Element, elements_of, is_pointwise

Varying = dict[Expression, frozenset[Symbol]]
"""The indices that the values of expressions depend on."""


def costs_at_most(call: Call, limit: int) -> bool:
    """Tell whether the `cost_of` a call is within a limit; at once where all sizes are small."""
    sizes = [tensor.size for tensor in tensors((call.type, *_operand_types(call)))]
    extents = [n for value in call.attributes.values() for n in _whole_numbers(value)]
    return prod(max(1, size) for size in (*sizes, *extents)) <= limit or cost_of(call) <= limit


def _operand_types(call: Call) -> tuple[Type, ...]:
    return tuple(operand.type for operand in call.operands)


def _whole_numbers(value: Any) -> Iterator[int]:
    for part in value if isinstance(value, tuple) else (value,):
        if type(part) is int:
            yield part


def cost_of(call: Call) -> int:
    """Return how many values a call computes on its way to its result.

    A value counts once for all indices that it depends on: of a convolution these are the
    products, of a pooling what all windows meet, of a softmax the powers. What only decides between
    values does not count, so that looking up and adding up are as cheap as they are.
    """
    elements: int = sum(result.size for result in tensors((call.type,)))
    if is_pointwise(call) or not elements:
        return elements
    return max(elements, sum(map(_values, elements_of(call))))


def _values(element: Element) -> int:
    """Return how many different values the part of a kernel has that has most of them."""
    extents: dict[Symbol, int] = dict(zip(element.index, element.type.shape, strict=True))
    nodes = list(walk(element.value))
    for node in nodes:
        if isinstance(node, Reduction):
            extents.update(node.variables)
    varying: Varying = {}
    for node in reversed(nodes):
        varying[node] = _indices_of(node, varying)
    return max(prod(extents[symbol] for symbol in symbols) for symbols in varying.values())


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
