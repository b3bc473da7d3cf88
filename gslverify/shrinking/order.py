"""Which of two failures is simpler."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any, Protocol

import numpy as np

from gsl.graph import reverse_post_order
from gslverify.networks.network import Network
from gslverify.networks.preferences import DTYPES
from gslverify.shrinking.roundness import remoteness

MOST = 1e300
"""Counts for infinities and NaN, too."""

Order = tuple[int, int, float, int, int, int]
"""Expressions, elements of inputs, numbers in sizes and attributes, how far all dtypes are from
what rules are mostly about, elements that are not 0, and how far all are from round numbers."""


class Failing(Protocol):
    """A network and inputs on which something failed."""

    @property
    def network(self) -> Network:
        """The network."""

    @property
    def inputs(self) -> Mapping[str, Any]:
        """An array for every variable, by name."""


def order_of(network: Network, inputs: Mapping[str, Any]) -> Order:
    """Return how simple a network and its inputs are; less is simpler."""
    numbers = (_magnitude(n) for n in network.model.values() if isinstance(n, int | float))
    return (
        len(reverse_post_order(network.outputs)),
        sum(int(array.size) for array in inputs.values()),
        float(sum(numbers)),
        sum(DTYPES.index(one) for one in network.model.values() if one in DTYPES),
        sum(int(np.count_nonzero(array)) for array in inputs.values()),
        sum(map(remoteness, inputs.values())),
    )


def _magnitude(number: float) -> float:
    return min(abs(number), MOST) if isfinite(number) else MOST
