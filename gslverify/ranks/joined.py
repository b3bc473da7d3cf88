"""Axes that belong together: kernels read operands along one at an index of another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence

from gsl.errors import GslError
from gsl.expr import Call, Expr
from gsl.graph import reverse_post_order
from gslverify.ranks.behaviour import SPECIAL, Along, Behaviour, Behaviours, ReadAt, Removal
from gslverify.ranks.groups import Groups
from gslverify.ranks.tensors import Place, Tensor, tensors_of


class Site:
    """A call in a computation: what it does along axes, and its tensors by their numbers."""

    def __init__(self, call: Call, behaviours: Behaviours) -> None:
        self.call = call
        self.behaviour: Behaviour | None
        self.joins: set[tuple[tuple[int, int], ReadAt]]
        try:
            self.behaviour, self.tensors, self.values = behaviours.of(call)
            self.count = self.behaviour.operand_count
            self.joins = set(self.behaviour.joined())
        except GslError:
            operands = [t for operand in call.operands for t, _ in tensors_of(operand)]
            self.behaviour, self.count = None, len(operands)
            self.tensors, self.joins = [*operands, *(t for t, _ in tensors_of(call))], set()
            self.values = {}

    def removal(self, axes: Mapping[Tensor, int]) -> Removal:
        """Return what the call does along an axis that its tensors share."""
        if self.behaviour is None:
            return SPECIAL
        own = ((number, axes.get(tensor)) for number, tensor in enumerate(self.tensors))
        return self.behaviour.removal(tuple((n, axis) for n, axis in own if axis is not None))

    def reads(self, operand: tuple[int, int], result: tuple[int, int]) -> bool:
        """Tell whether an axis of an operand corresponds to an axis of a result, by numbers."""
        return (operand, result) in self.joins

    def together(self) -> list[list[Place]]:
        """Return the axes of tensors that belong together by this call alone."""
        groups, found = Groups(), defaultdict[Hashable, list[Place]](list)
        for (operand, axis), at in self.joins:
            groups.join((operand, axis), at)
        for number, axis in dict.fromkeys(one for join in self.joins for one in join):
            if isinstance(number, int):
                found[groups.root((number, axis))].append((self.tensors[number], axis))
        return [list(dict.fromkeys(places)) for places in found.values()]

    @property
    def operands(self) -> list[Tensor]:
        """The tensors among the operands."""
        return self.tensors[: self.count]

    @property
    def results(self) -> list[Tensor]:
        """The tensors that the call makes."""
        return self.tensors[self.count :]


class Computation:
    """The calls of source and target of one structure, and which axes belong together in them."""

    def __init__(
        self,
        outputs: Iterable[Expr],
        behaviours: Behaviours,
        alike: Iterable[tuple[Tensor, Tensor]],
    ) -> None:
        exprs = list(reverse_post_order(list(outputs)))
        self.sites = {id(e): Site(e, behaviours) for e in exprs if isinstance(e, Call)}
        self.leaves = {t for e in exprs if not e.operands for t, _ in tensors_of(e)}
        self.types = {tensor: declared for e in exprs for tensor, declared in tensors_of(e)}
        self.ranks = {tensor: declared.ndim for tensor, declared in self.types.items()}
        self.groups = Groups()
        for number, site in self.sites.items():
            self._join(number, site)
        for one, other in alike:
            for axis in range(self.ranks[one]):
                self.groups.join((one, axis), (other, axis))
        for site in self.sites.values():
            self._join_unread(site)
        self._members: dict[Hashable, list[Place]] = {}
        for tensor, rank in self.ranks.items():
            for axis in range(rank):
                root = self.groups.root((tensor, axis))
                self._members.setdefault(root, []).append((tensor, axis))

    def _join(self, number: int, site: Site) -> None:
        """Join the axes of operands with the indices that they are read at."""
        for (operand, axis), (name, which) in site.joins:
            of = number if isinstance(name, str) else site.tensors[name]
            self.groups.join((site.tensors[operand], axis), (of, which))

    def _join_unread(self, site: Site) -> None:
        """Join axes of a result that a kernel reads nothing at with those that they come from.

        They are of size 1 where an operator combines along an axis and keeps it, or of the size of
        an operand of which no element matters.
        """
        ranks = self.ranks
        made = [(tensor, axis) for tensor in site.results for axis in range(ranks[tensor])]
        own = [(tensor, axis) for tensor in site.operands for axis in range(ranks[tensor])]
        inside = {(site.tensors[of], axis) for _, (of, axis) in site.joins if isinstance(of, int)}
        outside = {
            (site.tensors[of], axis) for (of, axis), (to, _) in site.joins if isinstance(to, int)
        }
        bare = [place for place in made if place not in inside]
        gone = [place for place in own if place not in outside] if bare else []
        for fits in (self._are_joined, self._may_go):
            for mine in list(gone):
                for place in bare:
                    if fits(site, mine, place):
                        self._pair(site, mine, place)
                        bare.remove(place)
                        gone.remove(mine)
                        break
        if len(gone) == len(bare):
            # One that may not go, since an operator needs an axis, is found in no other way.
            for mine, place in zip(gone, bare, strict=True):
                self._pair(site, mine, place)

    def _are_joined(self, site: Site, operand: Place, result: Place) -> bool:
        return self.groups.root(operand) == self.groups.root(result)

    def _may_go(self, site: Site, operand: Place, result: Place) -> bool:
        """Tell whether two axes of a call may go together that belong to no others of the call."""
        root, ranks = self.groups.root, self.ranks
        inside = {root((t, axis)) for t in site.operands for axis in range(ranks[t])}
        outside = {root((t, axis)) for t in site.results for axis in range(ranks[t])}
        if root(operand) in outside or root(result) in inside:
            return False
        return site.removal(dict([operand, result])).along is not Along.SPECIAL

    def _pair(self, site: Site, operand: Place, result: Place) -> None:
        self.groups.join(operand, result)
        numbers = [(site.tensors.index(tensor), axis) for tensor, axis in (operand, result)]
        site.joins.add((numbers[0], numbers[1]))

    def joined(self) -> list[list[Place]]:
        """Return the axes of all tensors, those together that belong together."""
        return list(self._members.values())

    def together(self, tensor: Tensor, axis: int) -> Hashable:
        """Return what stands for all axes that belong to one."""
        return self.groups.root((tensor, axis))

    def removals(self, places: Sequence[Place]) -> Mapping[int, Removal] | None:
        """Return what each call does along joined axes; None if a tensor has several of these."""
        axes = dict(places)
        if len(axes) != len(places):
            return None
        return {
            number: site.removal(axes)
            for number, site in self.sites.items()
            if any(tensor in axes for tensor in site.tensors)
        }

    def combines_together(
        self, number: int, removals: Sequence[Removal], roots: set[Hashable]
    ) -> bool:
        """Tell whether a call combines along all of some axes at once, wherever along one."""
        site = self.sites[number]
        places = {
            (place, axis)
            for place, tensor in enumerate(site.operands)
            for axis in range(self.ranks[tensor])
            if self.groups.root((tensor, axis)) in roots
        }
        return site.behaviour is not None and site.behaviour.combines_together(removals, places)
