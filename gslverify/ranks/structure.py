"""What one structure says: which axes may go, and which of its calls stand against it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from gsl.attr.conjuncts import conjuncts
from gsl.attr.term import ANYTHING, Operation, Symbol
from gsl.expr import Call as CallExpr
from gsl.expr import Const, Expr
from gsl.graph import reverse_post_order
from gsl.match.bindings import Bindings
from gsl.operators.domain import Sizes
from gsl.operators.domain_axes import Axes, Axis, NewAxes
from gsl.pat import INPUTS, Call, Pattern
from gsl.types import TensorType
from gslverify.prove.proof import Target
from gslverify.ranks.accesses import Accesses
from gslverify.ranks.alignment import Alignment, Label, label
from gslverify.ranks.behaviour import Along, Behaviours, Removal
from gslverify.ranks.groups import Groups
from gslverify.ranks.joined import Computation
from gslverify.ranks.kinds import Frame, UnlikeError
from gslverify.ranks.places import Sketch, Sketches, names_no_axes
from gslverify.ranks.tensors import Place, Tensor, tensors_of
from gslverify.ranks.terms import Demands
from gslverify.ranks.ways import Ways
from gslverify.structures.instance import Claim

Special = Mapping[Call, Mapping[Hashable, set[Label]]]


@dataclass(slots=True)
class Findings:
    """What is known from the structures looked at so far, the largest of every number.

    Attributes:
        special: for each structure, how many axes its inputs have at the most, and axes that a call
            treats in a way of its own, by its pattern, without those that the rule names, each with
            the operands that have it.
        combined: along how many axes that differ in what broadcasts, for all calls that do so.
        ranks: how many axes frames have.
        frames: what frames are the axes of.
        fixed: how many axes an attribute of known length has that are not written down.
        most_at_once: of how many axes one demand can speak.
        alignment: which tensors have the same axes.
        accesses: which elements and conditions an element of an output depends on.
        sketches: the axes of each structure.
    """

    special: list[tuple[int, Special]] = field(default_factory=list)
    alignment: Alignment = field(default_factory=Alignment)
    accesses: Accesses = field(default_factory=Accesses)
    sketches: Sketches = field(default_factory=Sketches)
    combined: Counter[frozenset[Pattern]] = field(default_factory=Counter)
    ranks: Counter[Frame] = field(default_factory=Counter)
    frames: dict[Frame, set[Label]] = field(default_factory=lambda: defaultdict(set))
    fixed: Counter[tuple[Pattern, str]] = field(default_factory=Counter)
    most_at_once: int = 1


class Structure:
    """The axes of one structure and of one of its targets."""

    def __init__(
        self, demands: Demands, target: Target, behaviours: Behaviours, claims: Iterable[Claim] = ()
    ) -> None:
        self.demands = demands
        self.bindings: Bindings = target.bindings
        self.target = target
        outputs = [expr for pair in target.pairs for expr in pair]
        self.computation = Computation(outputs, behaviours, self._alike())
        sources = reverse_post_order([old for old, _ in target.pairs])
        self.source_calls = {id(expr) for expr in sources}
        self.labels: dict[int, Pattern] = {
            id(node.expr): pattern
            for (pattern, _), node in self.bindings.nodes.items()
            if isinstance(pattern, (Call, *INPUTS))
        }
        self.staying = set(self._staying())
        self.marked = {self.computation.together(*place) for place in self.staying}
        self.marked |= set(self._marked())
        self.equal_sizes = _equal_sizes(claims)

    def tensor(self, frame: Frame) -> Tensor | None:
        """Return the tensor that has the axes of a frame, None if it is not there."""
        typed = self._typed(frame)
        return None if typed is None else typed[0]

    def _alike(self) -> Iterator[tuple[Tensor, Tensor]]:
        """Yield tensors that have the same axes, because of terms or as an output of both sides.

        Raises UnlikeError for tensors of different ranks.
        """
        for old, new in self.target.pairs:
            for (one, had), (other, has) in zip(tensors_of(old), tensors_of(new), strict=True):
                if had.ndim != has.ndim:
                    raise UnlikeError("source and target have outputs of different ranks")
                yield one, other
        for frame, also in (*self.demands.alike, *self.demands.stated):
            first, second = self._typed(frame), self._typed(also)
            if first is None or second is None:
                continue
            if first[1].ndim != second[1].ndim:
                raise UnlikeError("terms compare axes of tensors of different ranks")
            yield first[0], second[0]

    def _typed(self, frame: Frame) -> tuple[Tensor, TensorType] | None:
        node = self.bindings.nodes.get((frame.pattern, ()))
        if node is None:
            return None
        exprs: Sequence[Expr] = node.expr.operands if frame.of_operand else [node.expr]
        return next((typed for expr in exprs for typed in tensors_of(expr)), None)

    def rank(self, frame: Frame) -> int:
        """Return the number of axes of a frame, 0 if it is not there."""
        tensor = self.tensor(frame)
        return 0 if tensor is None else self.computation.ranks.get(tensor, 0)

    def most_axes(self) -> int:
        """Return how many axes a tensor has at the most whose sizes do not follow from others."""
        ranks = self.computation.ranks
        return max((ranks[one] for one in _with_own_sizes(self.computation)), default=0)

    def places(self, tensor: Tensor | None) -> list[Place]:
        """Return the axes of a tensor, if it is there."""
        if tensor is None:
            return []
        return [(tensor, axis) for axis in range(self.computation.ranks.get(tensor, 0))]

    def roots(self, tensor: Tensor | None) -> list[Hashable]:
        """Return what stands for each axis of a tensor and all that belong to it."""
        return [self.computation.together(*place) for place in self.places(tensor)]

    def axis(self, place: Place) -> tuple[Label, int]:
        """Return an axis by what its tensor is called in all structures."""
        return label(place[0], self.labels), place[1]

    def outputs(self) -> set[tuple[Label, Label]]:
        """Return the outputs of source and target."""
        found = [
            zip(tensors_of(old), tensors_of(new), strict=True) for old, new in self.target.pairs
        ]
        pairs = (pair for both in found for pair in both)
        return {
            (label(one, self.labels), label(other, self.labels)) for (one, _), (other, _) in pairs
        }

    def alike(self, frames: Iterable[tuple[Frame, Frame]]) -> set[tuple[Label, Label]]:
        """Return the tensors of pairs of frames that are there."""
        pairs = [(self.tensor(one), self.tensor(other)) for one, other in frames]
        return {
            (label(one, self.labels), label(other, self.labels))
            for one, other in pairs
            if one is not None and other is not None
        }

    def are_aligned(self, one: Frame, other: Frame) -> bool | None:
        """Tell whether two frames have the same axes; None if one is not there."""
        tensors = self.tensor(one), self.tensor(other)
        if None in tensors:
            return None
        return self.roots(tensors[0]) == self.roots(tensors[1])

    def _staying(self) -> Iterator[Place]:
        """Yield axes that may not go because the rule names them, or all of their tensor."""
        demands = self.demands
        for frame, number in demands.named:
            places = self.places(self.tensor(frame))
            yield from places[: number + 1] if number >= 0 else places[number:]
        for frame in demands.kept:
            yield from self.places(self.tensor(frame))
        for expr in reverse_post_order([expr for pair in self.target.pairs for expr in pair]):
            if isinstance(expr, Const) and isinstance(expr.value, np.ndarray | tuple):
                for tensor, _ in tensors_of(expr):
                    yield from self.places(tensor)

    def _marked(self) -> Iterator[Hashable]:
        """Yield other axes that may not go because of what the rule says."""
        for frame, number in self.demands.limits:
            roots = self.roots(self.tensor(frame))
            yield from roots if len(roots) <= number + 1 else []
        for call, name in self.demands.fixed:
            yield from self.named_by(call, name)

    def call(self, number: int) -> Call:
        """Return the pattern of a call."""
        pattern, _ = label((number, -1), self.labels)
        assert isinstance(pattern, Call)
        return pattern

    def named_by(self, call: Pattern, name: str) -> list[Hashable]:
        """Return the axes that an attribute of a call names."""
        node = self.bindings.nodes.get((call, ()))
        if node is None or not isinstance(node.expr, CallExpr):
            return []
        domain = node.expr.operator.attribute(name).domain
        value = node.expr.attributes[name]
        numbers = value if isinstance(value, tuple) else (value,)
        of_result = isinstance(domain, NewAxes) or (isinstance(domain, Axis) and domain.extra)
        if not isinstance(domain, Axis | Axes):
            return []
        roots = self.roots(self.tensor(Frame(call, not of_result)))
        return [roots[number] for number in numbers]


def look_at(structure: Structure, findings: Findings) -> None:
    """Add to the findings what a structure says; raise UnlikeError for what speaks against it."""
    _note_frames(structure, structure.demands, findings)
    _note_alignment(structure, findings.alignment)
    _note_calls(structure, findings)


def _equal_sizes(claims: Iterable[Claim]) -> Groups:
    """Return the sets of sizes that are equal wherever a source matches."""
    equal = Groups()
    for part in (part for claim in claims for part in conjuncts(claim.term)):
        match part:
            case Operation(head="==", operands=(Symbol() as one, Symbol() as other)):
                equal.join(one, other)
    return equal


def _note_frames(structure: Structure, demands: Demands, findings: Findings) -> None:
    for call, name in demands.fixed:
        count = min(demands.fixed[call, name], len(structure.named_by(call, name)))
        findings.fixed[call, name] = max(findings.fixed[call, name], count)
    for frame in (*demands.kept, *(frame for frame, _ in (*demands.named, *demands.limits))):
        tensor = structure.tensor(frame)
        if tensor is not None:
            findings.ranks[frame] = max(findings.ranks[frame], structure.rank(frame))
            findings.frames[frame].add(label(tensor, structure.labels))


def _note_alignment(structure: Structure, alignment: Alignment) -> None:
    alignment.note(structure.computation, structure.labels)
    alignment.outputs |= structure.outputs()
    alignment.stated |= structure.alike(structure.demands.stated)
    alignment.wanted |= structure.alike(structure.demands.alike)


def _note_calls(structure: Structure, findings: Findings) -> None:
    computation = structure.computation
    special: dict[Call, dict[Hashable, set[Label]]] = defaultdict(dict)
    combined: dict[frozenset[int], list[list[Place]]] = defaultdict(list)
    removals: dict[int, dict[Hashable, Removal]] = defaultdict(dict)
    free: dict[Hashable, Mapping[int, Removal]] = {}
    lost: Counter[tuple[int, int]] = Counter()
    for places in computation.joined():
        root = computation.together(*places[0])
        found = computation.removals(places)
        if found is None:
            raise UnlikeError("a tensor has several axes that belong together")
        for number, one in found.items():
            removals[number][root] = one
            lost.update((number, part) for part in one.lost)
        along = frozenset(n for n, one in found.items() if one.along is Along.COMBINED)
        ways = {Along.SPECIAL, Along.MOVED} if along else {Along.SPECIAL}
        stuck = [number for number, one in found.items() if one.along in ways]
        counted = [n for n in stuck if root not in _accounted(structure, n)]
        if stuck and not counted and root not in structure.marked:
            # What names this axis takes it from an attribute of which the number of axes is open.
            counted = stuck
        for number in counted:
            special[structure.call(number)][root] = _operands(structure, number, places)
        if stuck or root in structure.marked:
            continue
        if along:
            combined[along].append(places)
        else:
            free[root] = found
    findings.special.append((structure.most_axes(), special))
    _note_accesses(structure, free, findings.accesses)
    _note_sketch(structure, special, findings)
    _note_combined(structure, combined, removals, findings)
    findings.most_at_once = max((findings.most_at_once, *lost.values()))


def _note_sketch(structure: Structure, special: Special, findings: Findings) -> None:
    """Note which axes stay, and which of them are the same ones by calls that name no axes."""
    computation = structure.computation
    links: dict[Call, list[list[tuple[Label, int]]]] = {}
    stuck: dict[Call, set[tuple[Label, int]]] = defaultdict(set)
    for number, site in computation.sites.items():
        call = structure.call(number)
        if not names_no_axes(call):
            continue
        links[call] = [list(map(structure.axis, places)) for places in site.together()]
        for root in special.get(call, ()):
            own = [place for one in site.tensors for place in structure.places(one)]
            found = next(place for place in own if computation.together(*place) == root)
            stuck[call].add(structure.axis(found))
    ranks = {label(tensor, structure.labels): n for tensor, n in computation.ranks.items()}
    alike = structure.alike(structure.demands.stated | structure.demands.alike)
    staying = set(map(structure.axis, structure.staying))
    sketch = Sketch(ranks, links, alike, structure.outputs(), staying, stuck)
    findings.sketches.every.append(sketch)


def _note_accesses(
    structure: Structure, free: Mapping[Hashable, Mapping[int, Removal]], accesses: Accesses
) -> None:
    """Note what outputs depend on, where elements are read elsewhere than at their own index."""
    if not any(one.along is Along.MOVED for found in free.values() for one in found.values()):
        return
    name = partial(label, patterns=structure.labels)
    ways = Ways(structure.computation, free, name, structure.equal_sizes)
    for old, new in structure.target.pairs:
        for (one, _), (other, _) in zip(tensors_of(old), tensors_of(new), strict=True):
            accesses.note([*ways.of(one), *ways.of(other)])


def _operands(structure: Structure, number: int, places: Sequence[Place]) -> set[Label]:
    """Return the operands of a call that have one of some joined axes."""
    tensors = {tensor for tensor, _ in places}
    own = structure.computation.sites[number].operands
    return {label(tensor, structure.labels) for tensor in own if tensor in tensors}


def _accounted(structure: Structure, number: int) -> set[Hashable]:
    """Return the axes of a call that are counted elsewhere.

    They are those that it names by attributes that its rule gives, which are counted where the rule
    names them or where it takes them from, and those of operands that keep all axes.
    """
    site = structure.computation.sites[number]
    kept = {structure.tensor(frame) for frame in structure.demands.kept}
    found = {root for tensor in site.operands if tensor in kept for root in structure.roots(tensor)}
    pattern = structure.labels.get(number)
    if not isinstance(pattern, Call):
        return found
    is_source = number in structure.source_calls
    operator = site.call.operator
    given = [
        name
        for name, attribute in operator.attributes.items()
        if attribute.domain.names_axes and (not is_source or _is_given(pattern, name))
    ]
    return found | {root for name in given for root in structure.named_by(pattern, name)}


def _is_given(call: Call, name: str) -> bool:
    return call.constraints.get(name, ANYTHING) is not ANYTHING


def _note_combined(
    structure: Structure,
    combined: Mapping[frozenset[int], list[list[Place]]],
    removals: Mapping[int, Mapping[Hashable, Removal]],
    findings: Findings,
) -> None:
    computation = structure.computation
    if combined and structure.demands.reads_sizes:
        raise UnlikeError("sizes are computed with, of which some are of axes that are combined")
    for numbers, groups in combined.items():
        roots = {computation.together(*places[0]) for places in groups}
        for number in numbers:
            ways = [removals[number][root] for root in roots]
            if not computation.combines_together(number, ways, roots):
                raise UnlikeError("a call combines along axes in several ways")
        patterns = frozenset(structure.labels[number] for number in numbers)
        inputs = max(_sizes_given(structure, places) for places in groups)
        most = 2 ** max(inputs, 1) - 1
        findings.combined[patterns] = max(findings.combined[patterns], most)


def _sizes_given(structure: Structure, places: Sequence[Place]) -> int:
    """Return how many tensors have sizes along joined axes that do not follow from others."""
    computation = structure.computation
    return len({tensor for tensor, _ in places} & _with_own_sizes(computation))


def _with_own_sizes(computation: Computation) -> set[Tensor]:
    """Return the tensors whose sizes do not follow from those of others."""
    made = {
        tensor
        for site in computation.sites.values()
        if not site.operands or _has_sizes(site.call)
        for tensor in site.results
    }
    return computation.leaves | made


def _has_sizes(call: CallExpr) -> bool:
    return any(isinstance(one.domain, Sizes) for one in call.operator.attributes.values())
