"""Whether the operators of a network are defined on the values that they get."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from gsl.errors import GslError
from gsl.evaluate import trace
from gsl.expr import Call, Const, Expr
from gsl.graph import reverse_post_order
from gsl.numpy_dtypes import iinfo, is_floating, kind_of
from gsl.operators.defined import Values
from gsl.types import ANY_INTEGER, FLOATING, TensorType
from gslverify.comparison.bounded import Bounded
from gslverify.comparison.compare import is_finite
from gslverify.networks.network import Network
from gslverify.networks.values import declared_values, restricted, value_ranges, within
from gslverify.structures.kernels import converts

Computed = Mapping[Expr, Any]
"""The value of every expression of a network."""


def is_defined(network: Network, inputs: Mapping[str, Any], values: Computed) -> bool:
    """Tell whether a network says what it computes from these inputs.

    An operator on integers, or one that makes integers, must get what it declares. What floats
    are declared to be only keeps them numerically sane; with inputs beyond that all values must be
    finite.
    """
    if misuse(values):
        return False
    return not _strays(network, inputs) or all(map(is_finite, values.values()))


def partial_operators(networks: Iterable[Network]) -> tuple[str, ...]:
    """Return the operators of a source that are not defined on all integers they may get, by name.

    Backends differ there: an index outside is counted from the end, moved inside or refused. What
    a constant is that all networks have needs no mention.
    """
    alone = [network for network in networks if network.context == "alone"]
    nodes = {one for network in alone for one in reverse_post_order(network.matched)}
    given: dict[tuple[str, int], set[Hashable]] = defaultdict(set)
    for call in [one for one in nodes if isinstance(one, Call)]:
        for place, operand in _bound(call):
            given[str(call.operator), place].add(
                operand.value.tobytes() if isinstance(operand, Const) else None
            )
    return tuple(
        sorted({name for (name, _), seen in given.items() if len(seen) > 1 or None in seen})
    )


def _bound(call: Call) -> Iterator[tuple[int, Expr]]:
    """Yield the operands of a call, with their places, of which it matters what they are."""
    for operand, declared in declared_values(call):
        kind = operand.type
        if not isinstance(kind, TensorType) or not _binds(call, np.dtype(kind.dtype)):
            continue
        if not _holds_only(np.dtype(kind.dtype), declared):
            yield call.operands.index(operand), operand


def _holds_only(dtype: np.dtype[Any], declared: Values) -> bool:
    """Tell whether a dtype of integers or truth values holds nothing else than is declared."""
    if kind_of(dtype) == "b":
        return True
    if is_floating(dtype) or declared.nonzero or declared.highs:
        return False
    limits = iinfo(dtype)
    return within(np.array([limits.min, limits.max], dtype), [declared])


def misuse(values: Computed, apart_from: Collection[Expr] = ()) -> str:
    """Return which operator gets an integer or index on which it is not defined, if one does."""
    for call in values:
        if isinstance(call, Call) and call not in apart_from and _is_misused(call, values):
            return f"{call.operator} is not defined on all values of its operands"
    return ""


def is_misused(outputs: Sequence[Expr], inputs: Mapping[str, Any]) -> bool:
    """Tell whether some outputs are not defined on some inputs, or cannot be computed."""
    try:
        return bool(misuse(trace(outputs, inputs)))
    except (GslError, IndexError):
        return True


def other_conversions(values: Computed) -> dict[Expr, Any]:
    """Return what conversions of floats may give as well where no integer is right.

    Such a conversion gives some integer and stops nothing, unlike a division by 0.
    """
    calls = [call for call in values if isinstance(call, Call) and converts(call)]
    whole = [call for call in calls if call.dtype in ANY_INTEGER]
    return {call: _converted(call, values) for call in whole if _is_misused(call, values)}


def _converted(call: Call, values: Computed) -> Any:
    raw = _plain(values[call.operands[0]])
    inside = restricted(raw, [declared for _, declared in declared_values(call)], raw.dtype)
    return np.where(inside != raw, values[call] ^ 1, values[call]).astype(values[call].dtype)


def _is_misused(call: Call, values: Computed) -> bool:
    undefined = call.operator.undefined
    if undefined is not None:
        operands = [_plain(values[operand]) for operand in call.operands]
        if np.any(undefined(*operands)):
            return True
    return any(np.any(outside) for outside in _outside(call, values))


def misused_inputs(outputs: Sequence[Expr], values: Computed, count: int) -> Any:
    """Return on which of many inputs, which are an axis in front, an operator is not defined.

    What operators declare of single elements is looked at.
    """
    found = np.zeros(count, bool)
    for call in [one for one in reverse_post_order(outputs) if isinstance(one, Call)]:
        for outside in _outside(call, values):
            found |= outside.reshape(count, -1).any(axis=1)
    return found


def _outside(call: Call, values: Computed) -> Iterator[Any]:
    """Yield where the operands of a call are not what it declares; NaN is no integer."""
    for operand, declared in declared_values(call):
        array = _plain(values[operand])
        if kind_of(array.dtype) == "b" or not _binds(call, array.dtype):
            continue
        outside = restricted(array, [declared], array.dtype) != array
        if is_floating(array.dtype) and not _makes_integers(call):
            outside &= ~np.isnan(array)
        yield outside


def _makes_integers(call: Call) -> bool:
    return isinstance(call.type, TensorType) and call.type.dtype in ANY_INTEGER


def _strays(network: Network, inputs: Mapping[str, Any]) -> bool:
    ranges = value_ranges(network.outputs)
    given: dict[Expr, Any] = {v: inputs[v.name] for v in network.variables}
    given.update((one, one.value) for one in ranges if isinstance(one, Const))
    return any(not within(array, ranges.get(one, ())) for one, array in given.items())


def _binds(call: Call, operand: np.dtype[Any]) -> bool:
    result = call.type
    makes_floats = isinstance(result, TensorType) and result.dtype in FLOATING
    return not is_floating(operand) or not makes_floats


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    with np.errstate(over="ignore"):
        return value.value.astype(value.dtype) if isinstance(value, Bounded) else np.asarray(value)
