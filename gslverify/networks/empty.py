"""Networks in which sizes are 0, which no solver is asked for: sizes are at least 1 there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import combinations
from typing import Any

import numpy as np

from gsl.attr.term import Symbol
from gsl.errors import GslError
from gsl.graph import reverse_post_order
from gslverify.networks.arrays import random_array
from gslverify.networks.network import Network
from gslverify.networks.strategies import concrete_site, has_at_most, most_elements
from gslverify.networks.values import value_ranges
from gslverify.structures.concrete import value_in
from gslverify.structures.sampling import Sampler
from gslverify.structures.source_builder import SIZES_ARE_POSITIVE

CONTEXT = "an axis without elements"
MOST_SAMPLERS = 8
PREFERRED = ("float32", "int32", "bool")


def empty_networks(samplers: Sequence[Sampler]) -> Iterator[Network]:
    """Yield matches of some structures of a rule, each with one or more sizes 0."""
    step = max(1, -(-len(samplers) // MOST_SAMPLERS))
    for sampler in samplers[::step]:
        model = sampler.model(smallest)
        if model is None:
            continue
        yield from _networks(sampler, model)


def _networks(sampler: Sampler, model: Mapping[Symbol, Any]) -> Iterator[Network]:
    """Yield networks with one size 0, then with several of those that cannot be 0 alone.

    An empty tensor is reshaped only to what is empty as well, and added to what is. So they are 0
    together, in pairs, and as is each size.
    """
    sizes = [symbol for symbol in sampler.free if ".shape[" in symbol.name]
    never_alone: list[Symbol] = []
    for size in sizes:
        try:
            yield _network(sampler, _emptied(sampler, model, (size,)))
        except GslError:
            never_alone.append(size)
    if not never_alone:
        return
    groups = [tuple(never_alone), tuple(sizes), *combinations(never_alone, 2)]
    for several in dict.fromkeys(groups):
        with suppress(GslError):
            yield _network(sampler, _emptied(sampler, model, several))


def smallest(symbol: Symbol, options: tuple[Any, ...]) -> Any:
    """Choose a plain value for a symbol: sizes are 2, so that none is broadcast."""
    match symbol.sort:
        case "text":
            return next((d for d in PREFERRED if not options or d in options), options[:1])
        case "real":
            return 1.0
        case "bool":
            return False
        case _ if ".shape[" in symbol.name:
            return 2
        case _:
            return 1 if symbol.low is None else int(symbol.low)


def _emptied(
    sampler: Sampler, model: Mapping[Symbol, Any], empty: tuple[Symbol, ...]
) -> dict[Symbol, Any]:
    """Return a model with sizes 0 and everything that follows from it; raise GslError if none.

    Everything that the rule and its operators demand must hold, but for the size to be positive.
    """
    changed = {symbol: model[symbol] for symbol in sampler.free}
    changed |= dict.fromkeys(empty, 0)
    for symbol in sampler.defined_in_order():
        changed[symbol] = value_in(sampler.definitions[symbol], changed)
    for claim in sampler.instance.claims:
        if claim.reason != SIZES_ARE_POSITIVE and value_in(claim.term, changed) is not True:
            raise GslError(claim.reason)
    return changed


def _network(sampler: Sampler, model: Mapping[Symbol, Any]) -> Network:
    outputs = tuple(concrete_site(sampler.instance, model).outputs)
    largest = most_elements(sampler)
    if not all(has_at_most(expr, largest) for expr in reverse_post_order(outputs)):
        raise GslError(f"a tensor has more than {largest:,} elements")
    named = {symbol.name: model[symbol] for symbol in sorted(model, key=lambda s: s.name)}
    return Network(outputs, outputs, CONTEXT, named)


def plain_inputs(network: Network) -> dict[str, Any]:
    """Return small integers for the inputs of a network."""
    generator = np.random.default_rng(0)
    ranges = value_ranges(network.outputs)
    return {
        v.name: random_array(v, "small integers", ranges.get(v), generator)
        for v in network.variables
    }
