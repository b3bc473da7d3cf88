"""Networks in which tensors lack elements, which solvers and proofs for all sizes leave out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from gsl.errors import GslError
from gsl.graph import reverse_post_order
from gslverify.networks.arrays import inputs_in_style
from gslverify.networks.generation import has_at_most, misused_constant, most_elements, network_of
from gslverify.networks.network import Network
from gslverify.semantics.solver import new_context
from gslverify.structures.choices import Steps
from gslverify.structures.instance import Extent
from gslverify.structures.models.emptied import Model, deciding_models, emptied, empty_models
from gslverify.structures.models.sampling import Sampler
from gslverify.structures.targets.arms import may_read_sizes

CONTEXT = "an axis without elements"
MOST_SAMPLERS = 8
MOST_EMPTY = 24


def empty_networks(samplers: Sequence[Sampler]) -> Iterator[Network]:
    """Yield matches of a rule, first one for each way in which sizes decide what its target is.

    Of some structures, in turn, follow up to `MOST_EMPTY` for the sets of sizes that can be 0.
    """
    lowered = _Lowered()
    if samplers and may_read_sizes(samplers[0].instance.subst):
        yield from _deciding(samplers, lowered)
    step = max(1, -(-len(samplers) // MOST_SAMPLERS))
    some = [lowered.of(sampler) for sampler in samplers[::step]]
    waiting = [_networks(sampler, empty_models(sampler)) for sampler in some]
    yield from islice(_in_turn(waiting), MOST_EMPTY)


class _Lowered:
    """The samplers of one rule with sizes that may be 0, which share what is made for them."""

    def __init__(self) -> None:
        self._steps = defaultdict[Extent, Steps](Steps)
        self._context = new_context()

    def of(self, sampler: Sampler) -> Sampler:
        """Return the sampler of the same structure."""
        return emptied(sampler, self._steps[sampler.instance.extent], self._context)


def _deciding(samplers: Sequence[Sampler], lowered: _Lowered) -> Iterator[Network]:
    known = set[tuple[Hashable, int]]()
    for sampler in map(lowered.of, samplers):
        yield from _networks(sampler, deciding_models(sampler, known))


def _in_turn(waiting: list[Iterator[Network]]) -> Iterator[Network]:
    while waiting:
        going_on = []
        for networks in waiting:
            network = next(networks, None)
            if network is not None:
                yield network
                going_on.append(networks)
        waiting = going_on


def _networks(sampler: Sampler, models: Iterable[Model]) -> Iterator[Network]:
    for model in models:
        with suppress(GslError):
            network, largest = network_of(sampler, model), most_elements(sampler)
            exprs = reverse_post_order(network.outputs)
            is_small = all(has_at_most(expr, largest) for expr in exprs)
            if is_small and misused_constant(network.matched) is None:
                yield replace(network, context=CONTEXT, sampler=None)


def plain_inputs(network: Network) -> dict[str, Any]:
    """Return small integers for the inputs of a network."""
    return inputs_in_style(network, "small integers", np.random.default_rng(0))
