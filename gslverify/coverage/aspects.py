"""The aspects of a match that defects hide in: which values attributes, sizes and operands have.

Every aspect is a condition on a match. For a network it is true or false; for a symbolic instance
it may be a term, which a solver can make true. So what was tried, what could be tried, and how to
try it come from one definition.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from gsl.attr.evaluate import conjunction, disjunction, equal, negation
from gsl.attr.term import Symbol, Term
from gsl.expr import Call, Const, Expr, Var
from gsl.match.bindings import Bindings, Key
from gsl.operators.declaration import tensors
from gsl.operators.domain import Choice, Domain, DtypeName, Integer, Integers, Pieces, Real
from gsl.operators.domain_axes import Axes, Axis, NewAxes, Permutation
from gsl.pat import INPUTS, Alt, Pattern, Wildcard
from gsl.types import ALL_DTYPES, TensorType, Type

LONGEST = 5
LARGEST_RANK = 5


class Aspect(NamedTuple):
    """A value of a facet, such as "2 or more" of "conv.strides", and when a match has it."""

    facet: str
    value: str
    holds: Any


def aspects_of(bindings: Bindings, names: Mapping[Pattern, str]) -> Iterator[Aspect]:
    """Yield the aspects of a match; fields of variadic patterns go by the name of the template."""
    inputs: list[TensorType] = []
    for key, node in bindings.nodes.items():
        name = names[key[0]]
        if isinstance(key[0], INPUTS):
            inputs += tensors((node.expr.type,))
            yield from _of_input(name, key[0], node.expr)
        elif isinstance(node.expr, Call) and not isinstance(key[0], Alt):
            yield from _of_call(name, node.expr)
    yield from _of_extents([size for tensor in inputs for size in tensor.shape])
    yield from _of_structure(bindings, names)


def _of_structure(bindings: Bindings, names: Mapping[Pattern, str]) -> Iterator[Aspect]:
    for key, length in bindings.lengths.items():
        for value in range(1, LONGEST + 1):
            yield Aspect(f"{_name(names, key)}.length", str(value), length == value)
    for key, arm in bindings.arms.items():
        for value in range(len(key[0].operands)):
            yield Aspect(f"{_name(names, key)}.arm", str(value), arm == value)


def _name(names: Mapping[Pattern, str], key: Key) -> str:
    return names.get(key[0], "outputs")


def _of_input(name: str, pattern: Pattern, expr: Expr) -> Iterator[Aspect]:
    if isinstance(pattern, Wildcard):
        kinds = {"a variable": isinstance(expr, Var), "a constant": isinstance(expr, Const)}
        kinds["computed"] = not any(kinds.values())
        yield from (Aspect(f"{name}.filled", kind, is_it) for kind, is_it in kinds.items())
    tensor = expr.type
    if not isinstance(tensor, TensorType):
        return
    for rank in range(LARGEST_RANK + 1):
        yield Aspect(f"{name}.rank", str(rank), tensor.ndim == rank)
    for dtype in ALL_DTYPES:
        yield Aspect(f"{name}.dtype", dtype, equal(tensor.dtype, dtype))
    for size in (0, 1):
        some = disjunction(*(equal(extent, size) for extent in tensor.shape))
        yield Aspect(f"{name}.size", str(size), some)


def _of_extents(sizes: Sequence[Any]) -> Iterator[Aspect]:
    if len(sizes) < 2:
        return
    large = conjunction(*(size >= 2 for size in sizes))
    same = conjunction(*(equal(sizes[0], size) for size in sizes[1:]))
    yield Aspect("sizes", "all equal", conjunction(large, same))
    # Sizes that the rule equates are one size.
    free = list(dict.fromkeys(size for size in sizes if isinstance(size, int | Symbol)))
    if len(free) > 1:
        yield Aspect("sizes", "different", _some_distinct(sizes))


def _some_distinct(sizes: Sequence[Any]) -> Any:
    large = conjunction(*(size >= 2 for size in sizes))
    return conjunction(large, negation(equal(sizes[0], sizes[-1])))


def _of_call(name: str, call: Call) -> Iterator[Aspect]:
    types = tuple(operand.type for operand in call.operands)
    for attribute, value in call.attributes.items():
        facet = f"{name}.{attribute}"
        declared = call.operator.attributes.get(attribute)
        if declared is None:
            continue
        for said, holds in values_of(declared.domain, value, types).items():
            yield Aspect(facet, said, holds)
    if "groups" in call.attributes:
        yield from _of_groups(name, call)
    if "elementwise" in call.operator.traits and len(types) >= 2:
        yield from _of_broadcast(name, types[-2], types[-1])


def _of_groups(name: str, call: Call) -> Iterator[Aspect]:
    groups, data = call.attributes["groups"], call.operands[0].type
    assert isinstance(data, TensorType)
    channels = data.shape[call.attributes.get("data_layout", "NC").index("C")]
    several = groups >= 2
    each = conjunction(several, equal(groups, channels))
    yield Aspect(f"{name}.groups", "as many as channels", each)
    between = conjunction(several, groups < channels)
    yield Aspect(f"{name}.groups", "fewer than channels", between)


def _of_broadcast(name: str, left: Type, right: Type) -> Iterator[Aspect]:
    if not (isinstance(left, TensorType) and isinstance(right, TensorType)):
        return
    facet = f"{name}.broadcast"
    shorter = min(left.ndim, right.ndim)
    ends = (tensor.shape[tensor.ndim - shorter :] for tensor in (left, right))
    pairs = list(zip(*ends, strict=True))
    yield Aspect(facet, "none", equal(left.shape, right.shape))
    yield Aspect(facet, "first has fewer axes", left.ndim < right.ndim)
    yield Aspect(facet, "second has fewer axes", left.ndim > right.ndim)
    first = disjunction(*(conjunction(equal(a, 1), b >= 2) for a, b in pairs))
    second = disjunction(*(conjunction(a >= 2, equal(b, 1)) for a, b in pairs))
    yield Aspect(facet, "first is stretched", first)
    yield Aspect(facet, "second is stretched", second)
    yield Aspect(facet, "both are stretched", conjunction(first, second))


def values_of(domain: Domain, value: Any, types: tuple[Type, ...]) -> dict[str, Any]:
    """Return for every class of values of a domain the condition that `value` belongs to it."""
    match domain:
        case Choice(options=options):
            return {str(option): equal(value, option) for option in options}
        case Integers(low=low):
            return _of_integers(value, low)
        case Integer(low=1):
            return {"1": equal(value, 1), "2 or more": value >= 2}
        case Integer() | Real():
            return {"negative": value < 0, "0": equal(value, 0), "positive": value > 0}
        case DtypeName(options=options):
            return {option: equal(value, option) for option in options}
        case Pieces():
            cut = isinstance(value, tuple)
            return {"sections": not cut, "positions": cut}
        case _:
            return _of_axes(domain, value, types)


def _of_integers(values: Sequence[Any], low: int | None) -> dict[str, Any]:
    least = low or 0
    classes = {
        f"all {least}": conjunction(*(equal(value, least) for value in values)),
        f"{least + 1}": disjunction(*(equal(value, least + 1) for value in values)),
        f"{least + 2} or more": disjunction(*(value >= least + 2 for value in values)),
    }
    if len(values) > 1:
        pairs = combinations(values, 2)
        distinct = conjunction(*(negation(equal(one, other)) for one, other in pairs))
        classes["all different"] = distinct
    return classes


def _of_axes(domain: Domain, value: Any, types: tuple[Type, ...]) -> dict[str, Any]:
    rank = next((tensor.ndim for tensor in tensors(types)), 0)
    if isinstance(value, Term) or isinstance(domain, NewAxes):
        return {}
    if isinstance(domain, Axis) and rank:
        place = value % (rank + domain.extra)
        return {
            "counted from the end": value < 0,
            "counted from the front": value >= 0,
            "the first": place == 0,
            "the last": place == rank + domain.extra - 1,
            "an inner one": 0 < place < rank + domain.extra - 1,
        }
    if isinstance(domain, Permutation):
        return _of_permutation(value)
    if isinstance(domain, Axes):
        counted = [axis % max(rank, 1) for axis in value]
        return {
            "one": len(value) == 1 < rank,
            "some": 1 < len(value) < rank,
            "all": len(value) == rank > 0,
            "counted from the end": any(axis < 0 for axis in value),
            "unsorted": counted != sorted(counted),
        }
    return {}


def _of_permutation(order: Sequence[int]) -> dict[str, bool]:
    identity = tuple(range(len(order)))
    if any(isinstance(axis, Term) for axis in order):
        return {}
    twice = tuple(order[axis] for axis in order)
    return {
        "identity": tuple(order) == identity,
        "its own inverse": tuple(order) != identity == twice,
        "not its own inverse": twice != identity,
        "moves the first axis": bool(order) and order[0] != 0,
    }


def offered(holds: Any) -> bool:
    """Tell whether an aspect of a symbolic instance may be true."""
    return isinstance(holds, Term) or bool(holds)
