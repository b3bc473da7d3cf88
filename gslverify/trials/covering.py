"""Trials of which each has an attribute, a constant or an arm that others have not.

What a rule writes of one value of many, or in one arm, shows on few of the networks that it was
tried on. Where some are looked at more closely, these are among them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence

import numpy as np

from gsl.expr import Call, Const
from gsl.graph import reverse_post_order
from gslverify.networks.network import Network
from gslverify.structures.models.concrete import meets
from gslverify.structures.models.sampling import Sampler
from gslverify.structures.models.symbols import instance_symbols
from gslverify.trials.second_opinion import spread
from gslverify.trials.trial import Outcome as Trial

MOST_VALUES = 32
"""Of what has more values than these, such as a constant that a rule leaves open, any will do."""
TIMES_AS_MANY = 2
"""By so much the number of networks that are asked for may be exceeded."""
MOST_DECISIONS = 16
ARM = "arm"
"""Features about arms are those of what is conditional in a target."""

Feature = tuple[Hashable, Hashable]
"""What a network decides, and how."""


def covering(
    passed: Sequence[Sequence[Trial]], count: int, among: int | None = None
) -> list[Sequence[Trial]]:
    """Return the trials of about `count` networks with as many values and arms as there are.

    For each of these, arms and what is rare first, it is the first network that has it. The others
    are spread over all, or over the first so many.
    """
    if len(passed) <= count:
        return list(passed)
    having: dict[Feature, list[int]] = defaultdict(list)
    for number, few in enumerate(passed):
        for feature in dict.fromkeys(_features(few[0])):
            having[feature].append(number)
    values = Counter(decided for decided, _ in having)
    wanted = [one for one in having if 1 < values[one[0]] <= MOST_VALUES]
    chosen: dict[int, None] = {}
    for feature in sorted(wanted, key=lambda one: (not _is_of_arm(one), len(having[one]))):
        if len(chosen) < TIMES_AS_MANY * count and chosen.keys().isdisjoint(having[feature]):
            chosen[having[feature][0]] = None
    others = [number for number in range(len(passed))[:among] if number not in chosen]
    further = spread(others, max(0, count - len(chosen)))
    return [passed[number] for number in sorted((*chosen, *further))]


def _is_of_arm(feature: Feature) -> bool:
    decided, _ = feature
    return isinstance(decided, tuple) and decided[0] == ARM


def _features(trial: Trial) -> Iterator[Feature]:
    network = trial.network
    if network.sampler is not None:
        yield from _arms(network)
    yield "dtypes", frozenset(variable.dtype for variable in network.variables)
    constants: list[Hashable] = []
    for expr in reverse_post_order(network.matched):
        match expr:
            case Call(operator=operator, attributes=attributes):
                yield from (((operator.name, name), value) for name, value in attributes.items())
            case Const(value=np.ndarray(size=1) as value):
                constants.append((value.dtype.name, value.tobytes()))
    yield from ((("constant", number), value) for number, value in enumerate(constants))
    yield "constants", tuple(constants)


def _arms(network: Network) -> Iterator[Feature]:
    """Yield which arms the structure takes, and how what sizes and attributes decide falls."""
    sampler: Sampler = network.sampler
    yield (ARM, ""), sampler.way
    if decisive := sampler.decisive[:MOST_DECISIONS]:
        named = {symbol.name: symbol for symbol in instance_symbols(sampler.instance)}
        model = {named[name]: value for name, value in network.model.items() if name in named}
        for number, (demand, _) in enumerate(decisive):
            yield (ARM, number), meets(model, demand)
