"""Symbolic instances of a rule's source: known structure, unknown sizes.

What the structure of a graph depends on (ranks, axes, layouts, lengths, alternatives) is chosen;
sizes, strides, dtypes and real attributes stay symbols. The result is an ordinary work graph with
bindings as a match would have found them, so the target is built by the engine's own builder.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from gsl.attr.term import Term
from gsl.errors import GslError
from gsl.graph import Graph, Node
from gsl.match.bindings import Bindings, Frame, Key, instance_of
from gsl.pat import (
    INPUTS,
)
from gsl.span import Origin, Span, resolve
from gsl.subst import Subst

Order = tuple[int, ...]
"""A permutation of axes."""


@dataclass(frozen=True, slots=True)
class Extent:
    """How far structures are looked for: ranks of inputs and lengths, likely ones first.

    `rare` takes also those forms of attributes that are too many to try them all, `longest_first`
    begins with many fields, and no other numbers than `fields` are taken if there are any. Axes are
    put in any order unless some `orders` are given. Sizes are `least_size` or more.
    """

    ranks: tuple[int, ...] = (1, 2, 3, 4, 0)
    most_fields: int = 4
    rare: bool = False
    longest_first: bool = False
    orders: tuple[Order, ...] = ()
    least_size: int = 1
    fields: tuple[int, ...] = ()


USUAL = Extent()
FIVE_FIELDS = Extent(ranks=(2, 1, 3, 4), most_fields=5, longest_first=True)
LARGE = tuple(Extent(ranks=ranks, most_fields=10) for ranks in ((5,), (6,), (5, 1), (5, 2), (7,)))
"""Extents of which only a few structures are tried, beside the usual ones."""


def of_many_fields(count: int) -> tuple[Extent, ...]:
    """Return extents with tuples of up to `count` fields.

    There are several, as inputs of unknown rank are enumerated first.
    """
    ranks = ((2,), (1,), (4,), (3,), (4, 1))
    return tuple(Extent(ranks=one, most_fields=count, longest_first=True) for one in ranks)


RARE = Extent(rare=True)
EMPTY = Extent(least_size=0)
WIDE = Extent(ranks=(5, 4, 3, 2, 1, 0, 6), most_fields=8, rare=True)


class InfeasibleError(GslError):
    """The choices made so far contradict the rule; no graph of this structure matches.

    `progress` counts the patterns that could be built before, `origin` is the place of the
    constraint that failed. It fails whatever is decided at other than the `positions`, a set of
    decisions by their places in order as the bits of a number; -1 for all of them.
    """

    def __init__(self, reason: str, origin: Origin | None = None, positions: int = -1) -> None:
        super().__init__(reason)
        self.origin = origin
        self.progress = 0
        self.positions = positions


class CoveredError(InfeasibleError):
    """Another structure stands for this one, which is no reason why a rule matches nothing."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A condition that holds whenever the source matches, and where the rule says so.

    It is `written` in the rule's list of conditions, or follows from the patterns.
    """

    term: Term
    reason: str
    origin: Origin | None
    written: bool = False

    @property
    def span(self) -> Span | None:
        """The place in the rule file."""
        return resolve(self.origin)


@dataclass(slots=True)
class Instance:
    """One structural variant of the source of a rule.

    It is not `exhaustive` when an attribute has forms beside those that can be chosen. The
    `choices` lead to it within its extent.
    """

    subst: Subst
    graph: Graph
    bindings: Bindings
    names: dict[Key, str]
    claims: list[Claim] = field(default_factory=list)
    exhaustive: bool = True
    extent: Extent = USUAL
    choices: tuple[int, ...] = ()

    @property
    def inputs(self) -> list[Key]:
        """The keys of the inputs in the order in which they were met."""
        return [key for key in self.bindings.nodes if isinstance(key[0], INPUTS)]

    @property
    def outputs(self) -> list[Node]:
        """The nodes of the source outputs."""
        return [self.bindings.nodes[key] for key in source_output_keys(self.subst, self.bindings)]

    def take_out(self, added: Iterable[Node]) -> None:
        """Drop the nodes of a target from the graph, in which the source stays as it was."""
        outputs = self.outputs
        for node in outputs:
            node.output_count += 1
        self.graph.drop_unused(reversed([*added]))
        for node in outputs:
            node.output_count -= 1


def source_output_keys(subst: Subst, bindings: Bindings) -> list[Key]:
    """Return the keys of the outputs of a match, one for each field of a variadic source."""
    variadic = subst.variadic
    if variadic is None:
        return [instance_of(pattern, None) for pattern in subst.source]
    count = bindings.lengths[(variadic, ())]
    return [instance_of(variadic.field, Frame(variadic, index)) for index in range(count)]
