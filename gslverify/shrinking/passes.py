"""What may be simpler than a failure: each pass proposes networks and inputs, simple ones first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isfinite
from typing import Any

import numpy as np

from gsl.attr.term import Symbol
from gsl.expr import Var
from gslverify.networks.alteration import altered, brought_to, fresh_inputs
from gslverify.networks.network import Network
from gslverify.networks.preferences import DTYPES
from gslverify.shrinking.order import Failing
from gslverify.shrinking.roundness import MOST_ELEMENTS, rounder_values, simple_values
from gslverify.structures.models.sampling import Sampler
from gslverify.structures.models.symbols import is_constant, is_size, is_within

MOST_STRUCTURES = 24
MOST_INPUT_ELEMENTS = 20_000
SIMPLE_DTYPES = ("float32", "int32")

Attempted = Iterator[tuple[Network, Mapping[str, Any]]]
Pass = Callable[[Failing, Sequence[Sampler]], Attempted]
Complexity = tuple[int, int]
"""How many expressions a structure has, and how many axes its inputs have together."""


def complexity(sampler: Sampler) -> Complexity:
    """Return how complex the graphs of a structure are."""
    exprs = [node.expr for node in sampler.instance.graph]
    return len(exprs), sum(len(expr.shape) for expr in exprs if isinstance(expr, Var))


def _context(failing: Failing, samplers: Sequence[Sampler]) -> Attempted:
    """Leave out what stands around the match."""
    network = failing.network
    if network.sampler is not None and network.context != "alone" and not network.escaping:
        yield from _run(altered(network, network.sampler), failing)


def _structure(failing: Failing, samplers: Sequence[Sampler]) -> Attempted:
    """Fewer expressions, lower ranks; sizes and attributes as far as the structure has them."""
    network = failing.network
    if network.sampler is None or network.escaping:
        return
    now = complexity(network.sampler)
    simpler = [sampler for sampler in samplers if complexity(sampler) < now]
    for sampler in sorted(simpler, key=complexity)[:MOST_STRUCTURES]:
        yield from _run(altered(network, sampler), failing)


def _sizes(failing: Failing, samplers: Sequence[Sampler]) -> Attempted:
    """Make one size smaller, large ones first."""
    yield from _smaller(failing, [one for one in _free(failing.network) if is_size(one)])


def _attributes(failing: Failing, samplers: Sequence[Sampler]) -> Attempted:
    """Make one attribute or value of a constant smaller."""
    free = [one for one in _free(failing.network) if not is_size(one)]
    yield from _smaller(failing, free)


def _smaller(failing: Failing, symbols: Sequence[Symbol]) -> Attempted:
    network = failing.network
    values = {symbol: network.model[symbol.name] for symbol in symbols}
    for symbol, value in sorted(values.items(), key=lambda item: -abs(item[1])):
        for smaller in _towards_zero(symbol, value):
            changed = altered(network, network.sampler, {symbol: smaller}, context=network.context)
            yield from _run(changed, failing)


def _dtypes(failing: Failing, samplers: Sequence[Sampler]) -> Attempted:
    """Have more usual dtypes, all at once or one of them."""
    network = failing.network
    if network.sampler is None or network.escaping:
        return
    values = {one: network.model.get(one.name) for one in network.sampler.free}
    now = {one: value for one, value in values.items() if value in DTYPES}
    for dtype in SIMPLE_DTYPES:
        unusual = [one for one, value in now.items() if DTYPES.index(value) > DTYPES.index(dtype)]
        several = [dict.fromkeys(unusual, dtype)] if len(unusual) > 1 else []
        for chosen in (*several, *({one: dtype} for one in unusual)):
            changed = altered(network, network.sampler, chosen, context=network.context)
            yield from _run(changed, failing)


def _free(network: Network) -> list[Symbol]:
    """Return the symbols with numbers of their own, if the network may be made anew."""
    if network.sampler is None or network.escaping:
        return []
    free = (one for one in network.sampler.free if one.sort in ("int", "real", "bool"))
    return [one for one in free if isinstance(network.model.get(one.name), int | float)]


def _towards_zero(symbol: Symbol, value: Any) -> Iterator[Any]:
    if symbol.sort == "bool":
        yield from (False,) if value else ()
        return
    simple = (0, 1, -1, 2) if is_constant(symbol) or symbol.low is None else (0, 1, 2)
    less = value - 1 if value > 0 else value + 1
    halves = (int(value / 2), int(value), less) if isfinite(value) else ()
    for smaller in dict.fromkeys((*simple, *halves)):
        if is_within(symbol, smaller) and not abs(smaller) >= abs(value):
            yield float(smaller) if symbol.sort == "real" else smaller


def _run(network: Network | None, failing: Failing) -> Attempted:
    """Yield a network with the failing inputs brought to its shapes, then with fresh ones."""
    if network is None or network.elements > MOST_INPUT_ELEMENTS:
        return
    for inputs in (*brought_to(network.variables, failing.inputs), *fresh_inputs(network)):
        yield network, inputs


def _values(failing: Failing, samplers: Sequence[Sampler]) -> Attempted:
    """Make all elements of an input simple, then fewer and fewer of them, at last one."""
    for name, array in failing.inputs.items():
        flat = array.reshape(-1)
        step = flat.size
        while step:
            for start in np.unique(np.flatnonzero(flat != 0) // step) * step:
                for simple in simple_values(flat[start : start + step]):
                    changed = flat.copy()
                    changed[start : start + step] = simple
                    yield failing.network, {**failing.inputs, name: changed.reshape(array.shape)}
            step //= 2


def _round_values(failing: Failing, samplers: Sequence[Sampler]) -> Attempted:
    """Make one element rounder that none of the simplest values can stand for."""
    for name, array in failing.inputs.items():
        flat = array.reshape(-1)
        for place in range(flat.size if flat.size <= MOST_ELEMENTS else 0):
            for rounder in rounder_values(flat[place]):
                changed = flat.copy()
                changed[place] = rounder
                yield failing.network, {**failing.inputs, name: changed.reshape(array.shape)}


PASSES: Mapping[str, Pass] = {
    "context": _context,
    "structure": _structure,
    "sizes": _sizes,
    "attributes": _attributes,
    "dtypes": _dtypes,
    "values": _values,
    "round values": _round_values,
}
"""What is made simpler, in this order."""
