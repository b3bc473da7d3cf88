"""Whether what is proved for up to four axes holds for any number of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence, Set
from itertools import product

from gsl.attr.term import ANYTHING
from gsl.errors import GslError
from gsl.graph import reverse_post_order
from gsl.operators.declaration import tensors
from gsl.operators.domain import Domain, Sizes
from gsl.operators.domain_axes import NewAxes
from gsl.pat import INPUTS, Call, Pattern
from gsl.subst import Subst
from gslverify.prove.proof import targets
from gslverify.ranks.behaviour import Behaviours
from gslverify.ranks.groups import Groups
from gslverify.ranks.kinds import Frame
from gslverify.ranks.rule import demands_of
from gslverify.ranks.structure import Findings, Special, Structure, look_at
from gslverify.ranks.terms import Demands, domains_of
from gslverify.structures.instance import USUAL, Extent, Instance
from gslverify.structures.variants import some_variants

MOST_AXES = max(USUAL.ranks)
LARGER = (Extent(ranks=(5,)), Extent(ranks=(5, 1, 0)), Extent(ranks=(5, 4, 3, 2, 1, 0), rare=True))
RUNS, MOST_LARGER = (64, 4096), 2
"""Builds of a source to find a structure with more axes, and where these find none."""

NO_LARGER = "no structure with more axes was found"

MOST_NEW_AXES = 2
"""So many axes of size 1 can be added at once in the structures that are all tried."""


def reason_against_all_ranks(
    subst: Subst, usual: Iterable[Instance], large: Sequence[Instance]
) -> str:
    """Return why a proof for the usual structures may not hold for more axes; empty if it does.

    `usual` are all structures within the bound, of each class of alike ones one; `large` are some
    beyond, of which a few are looked at.
    """
    try:
        large = [one for one in large if is_larger(one)][:MOST_LARGER] or larger(subst)
        if not large:
            return NO_LARGER
        demands = demands_of(subst)
        findings, behaviours = Findings(), Behaviours()
        inputs = _Inputs(subst, demands)
        for instance in (*usual, *large):
            for target in targets(instance):
                structure = Structure(demands, target, behaviours, instance.claims)
                look_at(structure, findings)
                inputs.note(structure)
        needed = inputs.lost() + _axes(demands, findings)
        most = _most(subst)
    except GslError as error:
        return str(error)
    return "" if needed <= most else f"{needed} axes may matter, and {most} are tried"


def is_larger(instance: Instance) -> bool:
    """Tell whether a tensor of a source has more axes than are tried in every way."""
    exprs = reverse_post_order([node.expr for node in instance.outputs])
    return any(one.ndim > MOST_AXES for expr in exprs for one in tensors((expr.type,)))


def larger(subst: Subst) -> list[Instance]:
    """Return some structures with more axes, whether some graph has them or not."""
    for runs, extent in product(RUNS, LARGER):
        found = some_variants(subst, extent, is_larger, MOST_LARGER, runs)
        if found:
            return [variant.instance(subst) for variant in found]
    return []


class _Inputs:
    """Which tensors have any number of axes, and whether these are those of frames with limits."""

    def __init__(self, subst: Subst, demands: Demands) -> None:
        self.limits = demands.limits
        self.ranks: dict[Frame, set[int]] = {
            Frame(one): set() for one in subst.source_patterns if _has_own_sizes(one)
        }
        self.apart: set[tuple[Frame, Frame]] = set()

    def note(self, structure: Structure) -> None:
        """Note the ranks of a structure."""
        for frame, seen in self.ranks.items():
            seen.add(structure.rank(frame))
            for limited, _ in self.limits:
                if not structure.are_aligned(frame, limited):
                    self.apart.add((frame, limited))

    def lost(self) -> int:
        """Return how many axes of an input may have to stay for a rank to stay above its limit."""
        lost = 0
        for limited, number in self.limits:
            varying = [frame for frame, seen in self.ranks.items() if len(seen) > 1]
            apart = any((frame, limited) in self.apart for frame in varying)
            lost += MOST_AXES + 1 if number >= MOST_AXES else (number + 1 if apart else 0)
        return lost


def _axes(demands: Demands, findings: Findings) -> int:
    """Return how many axes may have to stay to see that a rule is wrong."""
    alignment, sketches = findings.alignment, findings.sketches
    equal, certain = alignment.equal(), sketches.certain()
    kept: dict[Hashable, int] = {}
    for frame in demands.kept:
        kind = _kind(frame, findings, equal)
        kept[kind] = max(kept.get(kind, 0), findings.ranks[frame])
    rearranged = alignment.verify(equal, kept.keys(), certain)
    in_order = sketches.are_in_order(certain)
    # Of small tensors axes may stay only because an operator needs some.
    enough = min(MOST_AXES, max(rank for rank, _ in findings.special))
    large = [found for rank, found in findings.special if rank >= enough]
    special, others = (
        max((_special(one, findings, equal, kept.keys(), calls) for one in large), default=0)
        for calls in (frozenset[Call](), certain)
    )
    named = _named(demands, findings, equal, kept.keys())
    counted = (
        sum(kept.values()) + named + special + sum(max(alignment.ranks[one]) for one in rearranged),
        sketches.staying(certain, rearranged, in_order) + others,
    )
    out_of_order = 0 if in_order else alignment.axes_out_of_order(equal)
    of_elements = sum(findings.combined.values()) + findings.accesses.needed()
    at_once = max(findings.most_at_once, out_of_order, of_elements)
    return min(counted) + sum(findings.fixed.values()) + demands.witnesses + at_once


def _special(
    found: Special, findings: Findings, equal: Groups, kept: Set[Hashable], but: Set[Call]
) -> int:
    """Return along how many axes calls do something else, for calls that do the same once.

    Axes of tensors that keep all of theirs are left out, and some calls.
    """
    kinds: dict[Hashable, set[Hashable]] = defaultdict(set)
    for call, axes in ((call, axes) for call, axes in found.items() if call not in but):
        for root, operands in axes.items():
            if kept.isdisjoint(map(equal.root, operands)):
                kinds[findings.alignment.kind(call, equal)].add(root)
    return sum(map(len, kinds.values()))


def _kind(frame: Frame, findings: Findings, equal: Groups) -> Hashable:
    """Return what frames have in common that have the same axes for certain."""
    labels = findings.frames.get(frame, set())
    return equal.root(next(iter(labels))) if len(labels) == 1 else frame


def _named(demands: Demands, findings: Findings, equal: Groups, kept: Set[Hashable]) -> int:
    """Return how many axes stay that have numbers from either end, of alike frames once."""
    front: Counter[Hashable] = Counter()
    back: Counter[Hashable] = Counter()
    for frame, number in demands.named:
        kind = _kind(frame, findings, equal)
        if kind in kept:
            continue
        if number >= 0:
            front[kind] = max(front[kind], number + 1)
        else:
            back[kind] = max(back[kind], -number)
    return front.total() + back.total()


def _has_own_sizes(pattern: Pattern) -> bool:
    """Tell whether the axes of what a pattern stands for do not follow from those of others."""
    if not isinstance(pattern, Call):
        return isinstance(pattern, INPUTS)
    return any(type(domain) is Sizes for _, domain in _attributes(pattern))


def _most(subst: Subst) -> int:
    """Return how many axes are tried in every way."""
    for pattern in subst.source_patterns:
        if isinstance(pattern, Call):
            for name, attribute in _attributes(pattern):
                is_open = pattern.constraints.get(name, ANYTHING) is ANYTHING
                if is_open and isinstance(attribute, NewAxes):
                    return MOST_NEW_AXES + 1
    return MOST_AXES


def _attributes(call: Call) -> list[tuple[str, Domain]]:
    names = call.attribute_names()
    return [(name, domain) for name in names for domain in domains_of(call, name)]
