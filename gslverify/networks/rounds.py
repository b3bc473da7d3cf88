"""Which networks are drawn for a rule: shares of them, and what would rarely be among them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from itertools import chain, islice, product, zip_longest
from typing import Any

from gsl.types import FLOATING, INTEGER
from gslverify.networks.contexts import CONTEXTS, ONE_A_TURN
from gslverify.networks.generation import MOST_TURNS, most_inner_values, takes_turns
from gslverify.networks.joint_dtypes import MOST_ROWS, Row, joint_dtypes
from gslverify.networks.joint_sizes import joint_sizes
from gslverify.networks.network import Network
from gslverify.networks.preferences import (
    BEYOND,
    BEYOND_NARROW_DTYPES,
    DTYPES,
    LENGTHS,
    LONG,
    ROOMY,
    SIZES,
    VERY_LONG,
)
from gslverify.networks.rare_sizes import Given, rare_sizes, single_elements
from gslverify.structures.instance import USUAL
from gslverify.structures.models.sampling import Sampler
from gslverify.structures.models.symbols import is_constant, is_size, written_numbers
from gslverify.structures.written_values import names_any

GRAPHS_PER_WAY, GRAPHS_OF_WAYS, MOST_WAYS = 6, 72, 60
"""For each way through a target; where there are many, each has its part of the second number."""
GRAPHS_IN_CORNERS = 24
LEAST_GRAPHS_IN_A_CORNER = 2
MOST_CORNERS = 32
LONGEST = LENGTHS.index(max(LENGTHS))
"""The turn of the longest of the lengths."""
MOST_COMPARED = 60
"""So many pairs of graphs are for sizes and attributes that references compare."""
GRAPHS_PER_LARGE_STRUCTURE = 1
GRAPHS_OF_RARE_SIZES = 2
GRAPHS_BEYOND = 2
"""For each number beyond narrow dtypes."""
MOST_SINGLE, DISTINCT = 120, ("distinct",)
"""Graphs in which one axis has a single element, and the mode of sizes of the others."""
WORDS, GRAPHS_WITH_WORDS = ("int16", "uint16"), 6
"""Dtypes of which a rule that names one is run on axes longer than they can count, so often."""


@dataclass(frozen=True, slots=True)
class Round:
    """A share of the networks, all in one context and preferably of some dtypes.

    In all of them sizes and attributes are as `given`, or dtypes; in those of a `turn` that one of
    what takes turns has its turn, in others one after the other.
    Hypothesis explores unevenly; rounds make sure that nothing is left out.
    """

    context: str
    dtypes: tuple[str, ...]
    share: float
    sizes: tuple[str, ...] = SIZES
    corner: int = -1
    given: Given | Row = ()
    turn: int | None = None

    @property
    def takes_turns(self) -> bool:
        """Whether each inner value, or each axis and length, has its turn."""
        return takes_turns(self.context, self.sizes)

    def plain(self) -> list[Any]:
        """Return the round as plain data."""
        return list(astuple(self))

    @classmethod
    def of_plain(cls, written: Sequence[Any]) -> Round:
        """Return the round of plain data."""
        context, dtypes, share, sizes, corner, given, turn = written
        pairs = tuple((name, value) for name, value in given)
        return cls(context, tuple(dtypes), share, tuple(sizes), corner, pairs, turn)

    def graphs(self, total: int, samplers: Sequence[Sampler]) -> int:
        """Return how many graphs there are of `total`: where they are needed, one a turn."""
        share = max(1, round(total * self.share))
        if self.context not in ONE_A_TURN:
            return share
        return max(share, min(MOST_TURNS, most_inner_values(samplers)))


ROUNDS = (
    Round("alone", FLOATING, 0.2),
    Round("alone", INTEGER, 0.15),
    Round("alone", DTYPES, 0.15, LONG),
    Round("outputs used", DTYPES, 0.1),
    Round("inputs computed", DTYPES, 0.1),
    Round("inputs constant", DTYPES, 0.08),
    Round("twice", DTYPES, 0.05),
    Round("inner value used", DTYPES, 0.05),
)
RARE_CONTEXTS = tuple(context for context in CONTEXTS if context not in {r.context for r in ROUNDS})
"""Contexts that many rules have no place for; a few networks in each must do."""
SHARE_OF_RARE_CONTEXTS = 0.03
ALL_EQUAL = Round("alone", DTYPES, 0.0, ("equal",))


def with_short_axes_only(networks: Iterable[Network], samplers: Sequence[Sampler]) -> list[Sampler]:
    """Return the samplers of the structures in whose networks some free size was always 1.

    An axis in the place of another is only seen where both have several elements.
    """
    longer = {id(one.sampler) for one in networks if min(_free_sizes(one), default=2) >= 2}
    return [sampler for sampler in samplers if id(sampler) not in longer]


def _free_sizes(network: Network) -> list[int]:
    return [network.model[symbol.name] for symbol in network.sampler.free if is_size(symbol)]


def special_rounds(
    samplers: Sequence[Sampler], proved: bool = False
) -> Iterator[tuple[list[Sampler], Round, int]]:
    """Yield rounds for what is rarely drawn: ways through the target, corners, large structures.

    Of rules that are `proved` there are half as many graphs in each.
    """
    plain, parts = Round("alone", DTYPES, 0.0), 2 if proved else 1
    ways = _ways(samplers)
    graphs = min(GRAPHS_PER_WAY, GRAPHS_OF_WAYS // (len(ways) or 1)) // parts
    for few, sizes in product(ways, (SIZES, ROOMY)):
        yield few, replace(plain, sizes=sizes), max(1, graphs)
    yield from _deciding(samplers, GRAPHS_IN_CORNERS // parts)
    corners = min(max(len(sampler.ordinary) for sampler in samplers), MOST_CORNERS)
    for corner in range(corners):
        few = [sampler for sampler in samplers if corner < len(sampler.ordinary)]
        graphs = min(8, max(LEAST_GRAPHS_IN_A_CORNER, GRAPHS_IN_CORNERS // corners)) // parts
        yield few, replace(plain, corner=corner), graphs
        if choosing := [sampler for sampler in few if corner < len(sampler.choosing)]:
            yield choosing, replace(plain, corner=corner, sizes=ROOMY), graphs
        if counted := [sampler for sampler in few if _has_integers_and_sizes(sampler)]:
            yield counted, replace(plain, corner=corner, sizes=LONG, turn=LONGEST), 1
    for sampler, corner in islice(_compared(samplers), MOST_COMPARED):
        for sizes in (SIZES, ROOMY):
            yield [sampler], replace(plain, corner=corner, sizes=sizes), 1
    for sampler, given in chain(rare_sizes(samplers), () if proved else joint_sizes(samplers)):
        yield [sampler], replace(plain, given=given), GRAPHS_OF_RARE_SIZES
    counting = [one for one in samplers if any(map(is_size, one.free))]
    if counting and names_any(counting[0].instance.subst, WORDS):
        yield counting, replace(plain, sizes=VERY_LONG), GRAPHS_WITH_WORDS
        for corner in range(corners):
            few = [sampler for sampler in counting if corner < len(sampler.ordinary)]
            yield few, replace(plain, sizes=VERY_LONG, corner=corner), 1
    if numbered := [one for one in samplers if written_numbers(one.instance)]:
        beyond = Round("alone", INTEGER, 0.0, BEYOND_NARROW_DTYPES)
        for turn in range(len(BEYOND)):
            yield numbered, replace(beyond, turn=turn), GRAPHS_BEYOND
    large = [sampler for sampler in samplers if sampler.instance.extent != USUAL]
    for sampler in large if len(large) < len(samplers) else ():
        yield [sampler], plain, GRAPHS_PER_LARGE_STRUCTURE
    for sampler, row in islice(() if proved else joint_dtypes(samplers), MOST_ROWS):
        yield [sampler], replace(plain, given=row), 1
    for sampler, given in islice(() if proved else single_elements(samplers), MOST_SINGLE):
        yield [sampler], replace(plain, sizes=DISTINCT, given=given), 1


def _has_integers_and_sizes(sampler: Sampler) -> bool:
    """Tell whether there are constants of integers, which sizes may be multiplied by."""
    integers = any(is_constant(one) and one.sort == "int" for one in sampler.free)
    return integers and any(map(is_size, sampler.free))


def _compared(samplers: Sequence[Sampler]) -> Iterator[tuple[Sampler, int]]:
    """Yield the corners of what references compare, the first of each structure first."""
    before = [len(one.ordinary) + len(one.decisive) for one in samplers]
    turns = [range(known, len(one.corners)) for one, known in zip(samplers, before, strict=True)]
    for turn in zip_longest(*turns):
        pairs = zip(samplers, turn, strict=True)
        yield from ((one, corner) for one, corner in pairs if corner is not None)


def _deciding(samplers: Sequence[Sampler], most: int) -> Iterator[tuple[list[Sampler], Round, int]]:
    """Yield rounds for what sizes and attributes decide about the target, in every way it has."""
    asked = by_decision(samplers)
    graphs = max(1, min(8, most // (len(asked) or 1)))
    for (_, number), among in asked.items():
        may_meet = (one for one in among if one.may_meet(one.decisive[number][0]))
        if few := list(islice(may_meet, graphs)):
            before = len(few[0].ordinary)
            few = [one for one in few if len(one.ordinary) == before]
            for sizes in (SIZES, ROOMY):
                yield few, Round("alone", DTYPES, 0.0, sizes, before + number), graphs


def by_decision(samplers: Iterable[Sampler]) -> dict[tuple[Hashable, int], list[Sampler]]:
    """Return the samplers by the way of their structure, and the number of a decision.

    What decides in one structure need not in another one, so a number alone says nothing.
    """
    found: dict[tuple[Hashable, int], list[Sampler]] = {}
    for sampler in samplers:
        for number in range(len(sampler.decisive)):
            found.setdefault((sampler.way, number), []).append(sampler)
    return found


def _ways(samplers: Sequence[Sampler]) -> list[list[Sampler]]:
    """Return the samplers of ways through what is conditional in targets, the rarest ways first.

    Choices of attributes decide, too, which arm of an attribute of the target is taken.
    """
    ways: dict[Hashable, list[Sampler]] = {}
    for sampler in samplers:
        ways.setdefault(sampler.way, []).append(sampler)
    return sorted(ways.values(), key=len)[:MOST_WAYS] if len(ways) > 1 else []
