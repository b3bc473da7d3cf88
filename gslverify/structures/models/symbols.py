"""The symbols of an instance, what values they may have, and the sizes of results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from gsl.attr.term import Symbol, Term, subterms
from gsl.expr import Call, Const
from gsl.operators.declaration import tensors
from gsl.operators.domain import Element, Integer
from gsl.types import TensorType, TupleType, Type
from gslverify.structures.instance import Instance


def instance_symbols(instance: Instance) -> list[Symbol]:
    """Return the symbols of an instance in the order in which they occur in its graph."""
    found: dict[Symbol, None] = {}
    for node in instance.graph:
        for term in _terms(node.expr.type, node.expr):
            found.update((part, None) for part in subterms(term) if isinstance(part, Symbol))
    return list(found)


def result_sizes(instance: Instance) -> Iterator[Term]:
    """Yield the sizes of what operators return that may be 0."""
    calls = [node.expr for node in instance.graph if isinstance(node.expr, Call)]
    for size in _flatten(tensor.shape for call in calls for tensor in tensors((call.type,))):
        if not (isinstance(size, Symbol) and size.low):
            yield size


def written_numbers(instance: Instance) -> frozenset[Symbol]:
    """Return the symbols for numbers of any size in attributes, such as what fills a tensor.

    Elements are made of these, or they are where a range begins and ends.
    """
    found = set()
    for call in [node.expr for node in instance.graph if isinstance(node.expr, Call)]:
        for name, value in call.attributes.items():
            domain = call.operator.attributes[name].domain
            if isinstance(value, Symbol) and (isinstance(domain, Element) or domain == Integer()):
                found.add(value)
    return frozenset(found)


def is_constant(symbol: Symbol) -> bool:
    """Tell whether a symbol is the value of a constant, or an element of it."""
    return symbol.name.rpartition(".")[2].partition("[")[0] == "value"


def is_size(symbol: Symbol) -> bool:
    """Tell whether a symbol is the size of an axis of an input."""
    return ".shape[" in symbol.name


def _terms(declared: Type, expr: Any) -> Iterator[Term]:
    values: list[Any] = list(_type_parts(declared))
    if isinstance(expr, Call):
        values.extend(expr.attributes.values())
    if isinstance(expr, Const):
        values.append(expr.value)
    yield from _flatten(values)


def _type_parts(declared: Type) -> Iterator[Any]:
    if isinstance(declared, TensorType):
        yield from (*declared.shape, declared.dtype)
    if isinstance(declared, TupleType):
        for part in declared.fields:
            yield from _type_parts(part)


def _flatten(values: Iterable[Any]) -> Iterator[Term]:
    for value in values:
        if isinstance(value, Term):
            yield value
        elif isinstance(value, tuple):
            yield from _flatten(value)


_KINDS: Mapping[str, tuple[type, ...]] = {
    "int": (int,),
    "real": (float, int),
    "bool": (bool,),
    "text": (str,),
}


def are_legal(model: Mapping[Symbol, Any]) -> bool:
    """Tell whether every symbol has a value of its sort and within its bounds."""
    pairs = model.items()
    return all(type(one) in _KINDS[symbol.sort] and is_within(symbol, one) for symbol, one in pairs)


def is_within(symbol: Symbol, value: Any) -> bool:
    """Tell whether a value is within the bounds of a symbol."""
    is_low = symbol.low is not None and value < symbol.low
    return not is_low and (symbol.high is None or bool(value <= symbol.high))
