"""Small graphs that a rule matches: of every structure some, of sizes 1 to 3 and several dtypes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from math import prod
from typing import Any

from gsl.attr.term import Symbol
from gsl.errors import GslError
from gsl.operators.declaration import tensors
from gslverify.structures.models.concrete import value_in
from gslverify.structures.models.sampling import Sampler
from gslverify.structures.models.simple_values import Preferred

SIZES = ((2,), (1, 2), (2, 1, 3), (3, 2), (1,))
COUNTS = ((0,), (1,), (1, 0), (0, 1, 2), (2, 0))
"""What is added to the least number that an attribute may be."""
DTYPES = (
    ("float32", "int32", "bool"),
    ("int8", "int32", "float16", "bool"),
    ("uint8", "int64", "float64", "bool"),
    ("float16", "int8", "float32", "bool"),
    ("bool", "int32", "float64", "uint8"),
)
"""What is preferred turn by turn, the first that a rule allows: every kind of number has turns."""
REALS = (1.0, 0.5, 2.0)
INTEGERS = (1, 2, -1)
TURNS = len(DTYPES)
MOST_ELEMENTS = 64
"""Elements of all inputs of a small graph."""

Model = Mapping[Symbol, Any]


@dataclass(frozen=True, slots=True)
class SmallGraph:
    """A model of the structure that a sampler knows, with small tensors only."""

    sampler: Sampler
    model: Model


def small_graphs(samplers: Sequence[Sampler]) -> Iterator[SmallGraph]:
    """Yield small graphs, one of each structure before the next ones, no model twice.

    Structures begin with different sizes and dtypes, because there may be time for one graph of
    each only.
    """
    seen: set[Any] = set()
    for turn in range(TURNS):
        for number, sampler in enumerate(samplers):
            model = _model(sampler, turn + number, is_first=not turn)
            if model is None:
                continue
            key = number, tuple(model.items())
            if key not in seen and _is_small(sampler, model):
                seen.add(key)
                yield SmallGraph(sampler, model)


def _model(sampler: Sampler, turn: int, is_first: bool) -> Model | None:
    """Return a model with the preferences of a turn; the first of a structure may be near them."""
    preference = Preferred(
        cycle(SIZES[turn % TURNS]),
        cycle(COUNTS[turn % TURNS]),
        DTYPES[turn % TURNS],
        INTEGERS[turn % len(INTEGERS)],
        REALS[turn % len(REALS)],
        flag=bool(turn % 2),
        turn=turn,
    )
    try:
        if not is_first:
            return sampler.granted(preference, may_be_empty=False)
        found = sampler.near(preference, may_be_empty=False)
        return sampler.model(preference, may_be_empty=False) if found is None else found
    except GslError:
        return None


def _is_small(sampler: Sampler, model: Model) -> bool:
    """Tell whether the inputs of a structure are small in a model."""
    bindings = sampler.instance.bindings
    types = [bindings.nodes[key].expr.type for key in sampler.instance.inputs]
    shapes = [value_in(tensor.shape, model) for tensor in tensors(tuple(types))]
    return sum(map(prod, shapes)) <= MOST_ELEMENTS
