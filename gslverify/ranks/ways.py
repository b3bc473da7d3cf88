"""The ways from an output to what it is computed from, and the indices along axes on them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass

from gsl.attr.evaluate import choose, equal
from gsl.attr.term import Operation, Symbol, Term, free_symbols
from gsl.kernel.affine import affine
from gsl.kernel.expression import Read, Select, walk
from gsl.kernel.terms import alike, structure, substitute
from gsl.types import Bool, Int
from gslverify.ranks.accesses import CONDITION, Access, Way
from gslverify.ranks.behaviour import Behaviour, Removal
from gslverify.ranks.groups import Groups
from gslverify.ranks.joined import Computation, Site
from gslverify.ranks.kinds import UnlikeError
from gslverify.ranks.tensors import Tensor

MOST_WAYS = 128
"""Ways from an output beyond which nothing is said."""

COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})


@dataclass(frozen=True, slots=True)
class At:
    """The index along an axis of a tensor of some size.

    It is that of all others, too, but 0 of those of size 1.
    """

    index: Int
    size: Int

    def of(self, size: Int) -> Int:
        """Return the index along the same axis of a tensor of another size."""
        return self.index if alike(size, self.size) else choose(equal(size, 1), 0, self.index)


@dataclass(frozen=True, slots=True)
class Here:
    """A tensor on a way, with the index along each axis that may be taken away."""

    tensor: Tensor
    at: Mapping[Hashable, At]
    way: Way


class Ways:
    """Finds the ways from outputs in one structure.

    `removals` has the axes that may be taken away, each with what every call does along it; `name`
    returns what a tensor is called in all structures, `equal` which symbol sizes share.
    """

    def __init__(
        self,
        computation: Computation,
        removals: Mapping[Hashable, Mapping[int, Removal]],
        name: Callable[[Tensor], Hashable],
        equal: Groups,
    ) -> None:
        self.computation = computation
        self.removals = removals
        self.name = name
        self.equal = equal
        self.indices = {root: Symbol("i", low=0) for root in removals}

    def of(self, output: Tensor) -> Iterator[Access]:
        """Yield all that an element of an output depends on; raise UnlikeError for too much."""
        own = self._axes(output).items()
        start = {root: At(self.indices[root], self._size(output, axis)) for root, axis in own}
        stack, met = [Here(output, start, ())], 0
        while stack:
            here = stack.pop()
            met += 1
            if met > MOST_WAYS:
                raise UnlikeError("elements are read in too many ways")
            site = self.computation.sites.get(here.tensor[0])
            if site is None:
                along = frozenset((root, _form(at.index)) for root, at in here.at.items())
                yield Access(self.name(here.tensor), here.way, along)
            elif site.behaviour is None:
                # None of its axes may be taken away.
                name = self.name(here.tensor)
                operands = enumerate(site.operands)
                stack += [Here(one, {}, (*here.way, name, n)) for n, one in operands]
            else:
                yield from self._conditions(site, site.behaviour, here)
                stack += self._reads(site, site.behaviour, here)

    def _axes(self, tensor: Tensor) -> dict[Hashable, int]:
        """Return the axes of a tensor that may be taken away, by what stands for each."""
        together = self.computation.together
        own = {together(tensor, axis): axis for axis in range(self.computation.ranks[tensor])}
        return {root: axis for root, axis in own.items() if root in self.removals}

    def _size(self, tensor: Tensor, axis: int) -> Int:
        return self._shared(self.computation.types[tensor].shape[axis])

    def _shared(self, size: Int) -> Int:
        """Return a size written with one symbol for all that are equal."""
        if not isinstance(size, Term):
            return size
        return substitute(size, {one: self.equal.root(one) for one in free_symbols(size)})

    def _reads(self, site: Site, behaviour: Behaviour, here: Here) -> Iterator[Here]:
        """Yield the elements of operands that an element of a result is computed from."""
        number, name = site.results.index(here.tensor), self.name(here.tensor)
        for place, part in enumerate(walk(behaviour.elements[number])):
            if isinstance(part, Read):
                operand = site.tensors[int(part.tensor)]
                at = {}
                for root, axis in self._axes(operand).items():
                    moved = self.removals[root][here.tensor[0]].moved.get(id(part))
                    if moved is not None:
                        index = self._value(moved, root, site, here)
                        at[root] = At(index, self._size(operand, axis))
                    else:
                        at[root] = here.at.get(root, At(0, 1))
                yield Here(operand, at, (*here.way, name, place))

    def _conditions(self, site: Site, behaviour: Behaviour, here: Here) -> Iterator[Access]:
        """Yield the conditions about indices that an element of a result depends on."""
        number, name = site.results.index(here.tensor), self.name(here.tensor)
        for place, part in enumerate(walk(behaviour.elements[number])):
            if not isinstance(part, Read | Select):
                continue
            along: set[tuple[Hashable, Hashable]] = set()
            for root, removals in self.removals.items():
                removal = removals.get(here.tensor[0])
                guards = removal.guards.get(id(part), ()) if removal is not None else ()
                if guards:
                    asked = (self._value(guard, root, site, here) for guard in guards)
                    along.add((root, tuple(map(_form, asked))))
            if along:
                yield Access(CONDITION, (*here.way, name, place, CONDITION), frozenset(along))

    def _value(self, term: Int, root: Hashable, site: Site, here: Here) -> Int:
        """Return what a term about an axis of a result is, written with the index of the output."""
        values = {symbol: self._shared(value) for symbol, value in site.values.items()}
        axis = self._axes(here.tensor).get(root)
        if axis is not None and site.behaviour is not None:
            index = site.behaviour.indices[site.results.index(here.tensor)][axis]
            values[index] = here.at[root].of(self._size(here.tensor, axis))
        return substitute(term, values)


def _form(term: Bool | Int) -> Hashable:
    """Return what terms share that are equal by the arithmetic of sums."""
    match term:
        case Operation(head=head, operands=(left, right)) if head in COMPARISONS:
            return head, _form(left - right)
        case Operation(head="+" | "-" | "*" | "//" | "%" | "neg"):
            found = affine(term, {})
            return found.constant, frozenset((key, n) for key, (_, n) in found.parts.items())
    return structure(term)
