"""Whether what is proved for up to four axes holds for any number of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gsl.attr.term import ANYTHING
from gsl.errors import GslError
from gsl.operators.domain import Domain
from gsl.operators.domain_axes import NewAxes
from gsl.pat import INPUTS, Call
from gsl.subst import Subst
from gslverify.prove.proof import targets
from gslverify.ranks.behaviour import Behaviours
from gslverify.ranks.kinds import Frame
from gslverify.ranks.rule import demands_of
from gslverify.ranks.structure import Findings, Structure, look_at
from gslverify.ranks.terms import Demands, domains_of
from gslverify.structures.cut_points import ranks_of
from gslverify.structures.instance import USUAL, Instance

MOST_AXES = max(USUAL.ranks)
MOST_NEW_AXES = 2
"""So many axes of size 1 can be added at once in the structures that are all tried."""


def reason_against_all_ranks(
    subst: Subst, usual: Iterable[Instance], large: Sequence[Instance]
) -> str:
    """Return why a proof for the usual structures may not hold for more axes; empty if it does.

    `usual` are all structures within the bound, of each class of alike ones one; `large` are some
    beyond.
    """
    try:
        demands = demands_of(subst)
        if not any(max(ranks_of(one), default=0) > MOST_AXES for one in large):
            return "no structure with more axes was found"
        findings, behaviours = Findings(), Behaviours()
        inputs = _Inputs(subst, demands)
        for instance in (*usual, *large):
            for target in targets(instance):
                structure = Structure(demands, target, behaviours)
                look_at(structure, findings)
                inputs.note(structure)
        needed = _named(demands, findings) + inputs.lost() + findings.axes()
        needed += findings.alignment.verify()
        most = _most(subst)
    except GslError as error:
        return str(error)
    return "" if needed <= most else f"{needed} axes may matter, and {most} are tried"


class _Inputs:
    """Which inputs have any number of axes, and whether these are those of frames with limits."""

    def __init__(self, subst: Subst, demands: Demands) -> None:
        self.limits = demands.limits
        self.ranks: dict[Frame, set[int]] = {
            Frame(one): set() for one in subst.source_patterns if isinstance(one, INPUTS)
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


def _named(demands: Demands, findings: Findings) -> int:
    """Return how many axes are named by numbers, those of frames with the same axes once."""
    classes: list[list[Frame]] = []
    for frame in dict.fromkeys(frame for frame, _ in demands.named):
        for known in classes:
            if all(findings.aligned.get((frame, other), False) for other in known):
                known.append(frame)
                break
        else:
            classes.append([frame])
    total = 0
    for frames in classes:
        numbers = [number for frame, number in demands.named if frame in frames]
        total += max((number + 1 for number in numbers if number >= 0), default=0)
        total += max((-number for number in numbers if number < 0), default=0)
    return total


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
