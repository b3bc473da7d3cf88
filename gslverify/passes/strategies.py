"""Graphs of sources as strategies of hypothesis, for property tests of anybody's passes."""

from __future__ import annotations

from typing import Any

from gsl.workload import Workload
from gslverify.networks.choices import Choices, one_of
from gslverify.networks.matching import Strategy, made_of
from gslverify.passes.sources import Source


def graphs(*sources: Source) -> Strategy[tuple[Workload, dict[str, Any]]]:
    """Return a strategy for graphs of sources, each with arrays for its inputs by name.

    Args:
        sources: where graphs come from; see `gslverify.passes.source`.

    The graphs are those that `gslverify.passes.check` tries a pass on. Raises ValueError when there
    are no sources.
    """
    if not sources:
        raise ValueError("there are no sources to draw graphs from")

    def drawn(choices: Choices) -> tuple[Workload, dict[str, Any]]:
        network, inputs = one_of(choices, sources).draw(choices)
        return Workload(network.outputs), inputs[0]

    return made_of(drawn)
