"""A given number of networks that a rule matches, without a property to look for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import HypothesisException

from gslverify.networks.network import Network
from gslverify.networks.strategies import networks
from gslverify.structures.sampling import Sampler


def some_networks(
    samplers: Sequence[Sampler],
    dtypes: Sequence[str],
    count: int,
    start: int,
    refused: Counter[str],
) -> list[Network]:
    """Return up to `count` networks of one match alone, simple ones first.

    `dtypes` are preferred where the rule leaves a choice. What could not be drawn is counted in
    `refused`; `start` decides about all choices.
    """
    found: list[Network] = []

    @seed(start)
    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
        print_blob=False,
    )
    @given(st.data())
    def collect(data: st.DataObject) -> None:
        found.append(data.draw(networks(samplers, ("alone",), dtypes, refused)))

    try:
        collect()
    except HypothesisException as error:
        refused[f"no network could be drawn: {type(error).__name__}"] += 1
    return found
