"""Small graphs that a rule matches: of every structure some, of sizes 1 to 3 and several dtypes.

Where a rule writes numbers, some have an axis with room for these as places.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import cycle, islice
from math import prod
from typing import Any

from gsl.attr.term import Symbol
from gsl.errors import GslError
from gsl.operators.declaration import tensors
from gslverify.networks.rare_sizes import sizes_with_room
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
MOST_WITH_ROOM, MOST_ELEMENTS_WITH_ROOM = 4, 400
USUAL_PLACES = 2
"""Every second small graph has places up to this one."""

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
    numbers = {id(sampler): number for number, sampler in enumerate(samplers)}
    seen: set[Any] = set()
    for sampler, model in _models(samplers):
        key = numbers[id(sampler)], tuple(model.items())
        if key not in seen:
            seen.add(key)
            yield SmallGraph(sampler, model)


def _models(samplers: Sequence[Sampler]) -> Iterator[tuple[Sampler, Model]]:
    for turn in range(TURNS):
        for number, sampler in enumerate(samplers):
            model = _model(sampler, turn + number, is_first=not turn)
            if model is not None and _elements(sampler, model) <= MOST_ELEMENTS:
                yield sampler, model
        if not turn:
            yield from islice(_with_room(samplers), MOST_WITH_ROOM)


def _with_room(samplers: Sequence[Sampler]) -> Iterator[tuple[Sampler, Model]]:
    """Yield models with room for places that the rule writes."""
    for sampler, given in sizes_with_room(samplers, USUAL_PLACES):
        preference = partial(_given_or_preferred, dict(given), _preferred(0))
        try:
            model = sampler.near(preference, may_be_empty=False)
        except GslError:
            continue
        if model is not None and _elements(sampler, model) <= MOST_ELEMENTS_WITH_ROOM:
            yield sampler, model


def _given_or_preferred(
    given: Mapping[str, int], preferred: Preferred, symbol: Symbol, options: tuple[Any, ...]
) -> Any:
    return given[symbol.name] if symbol.name in given else preferred(symbol, options)


def _preferred(turn: int) -> Preferred:
    """Return the preferences of a turn."""
    return Preferred(
        cycle(SIZES[turn % TURNS]),
        cycle(COUNTS[turn % TURNS]),
        DTYPES[turn % TURNS],
        INTEGERS[turn % len(INTEGERS)],
        REALS[turn % len(REALS)],
        flag=bool(turn % 2),
        turn=turn,
    )


def _model(sampler: Sampler, turn: int, is_first: bool) -> Model | None:
    """Return a model with the preferences of a turn; the first of a structure may be near them."""
    preference = _preferred(turn)
    try:
        if not is_first:
            return sampler.granted(preference, may_be_empty=False)
        found = sampler.near(preference, may_be_empty=False)
        return sampler.model(preference, may_be_empty=False) if found is None else found
    except GslError:
        return None


def _elements(sampler: Sampler, model: Model) -> int:
    """Return how many elements the inputs of a structure have in a model."""
    bindings = sampler.instance.bindings
    types = [bindings.nodes[key].expr.type for key in sampler.instance.inputs]
    shapes = [value_in(tensor.shape, model) for tensor in tensors(tuple(types))]
    return sum(map(prod, shapes))
