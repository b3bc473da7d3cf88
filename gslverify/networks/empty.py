"""Networks in which tensors lack elements, which solvers and proofs for all sizes leave out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from gsl.errors import GslError
from gsl.graph import reverse_post_order
from gslverify.networks.arrays import random_array
from gslverify.networks.generation import has_at_most, most_elements, network_of
from gslverify.networks.network import Network
from gslverify.networks.values import value_ranges
from gslverify.structures.emptied import emptied, empty_models
from gslverify.structures.sampling import Sampler

CONTEXT = "an axis without elements"
MOST_SAMPLERS = 8


def empty_networks(samplers: Sequence[Sampler]) -> Iterator[Network]:
    """Yield matches of some structures of a rule, one for each set of sizes that can be 0.

    Those of all structures come in turn.
    """
    step = max(1, -(-len(samplers) // MOST_SAMPLERS))
    waiting = [_networks(emptied(sampler)) for sampler in samplers[::step]]
    while waiting:
        going_on = []
        for networks in waiting:
            network = next(networks, None)
            if network is not None:
                yield network
                going_on.append(networks)
        waiting = going_on


def _networks(sampler: Sampler) -> Iterator[Network]:
    for model in empty_models(sampler):
        with suppress(GslError):
            network, largest = network_of(sampler, model), most_elements(sampler)
            if all(has_at_most(expr, largest) for expr in reverse_post_order(network.outputs)):
                yield replace(network, context=CONTEXT, sampler=None)


def plain_inputs(network: Network) -> dict[str, Any]:
    """Return small integers for the inputs of a network."""
    generator = np.random.default_rng(0)
    ranges = value_ranges(network.outputs)
    return {
        v.name: random_array(v, "small integers", ranges.get(v), generator)
        for v in network.variables
    }
