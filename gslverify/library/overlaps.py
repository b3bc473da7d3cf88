"""Graphs on which one rule makes a part of what another matches.

Rules may lead in a circle although the source of none of them holds the whole circle: one makes the
first half of what the next one matches, and the other half comes from around it. So the target of
one sample is laid over the source of another wherever an operator of both is the same, what is
missing on either side is added, and the graph before the first rewrite is what may be explored.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gsl.errors import GslError
from gsl.expr import Call, Const, Expr, Proj, Tuple, Var
from gsl.graph import Graph, cyclic, reverse_post_order
from gsl.match.find import find
from gsl.rewrite.builder import rewrite
from gsl.visit.rebuild import rebuild
from gslverify.library.exploration import text_of
from gslverify.library.samples import MOST_SAMPLES, Member, Sample

MOST_ROUNDS = 3
"""How many rules are joined to one, each by what those before it have made."""
MOST_OVERLAPS = 1000
"""Of all rules of a library together."""
MOST_NODES = 24
"""Graphs that have grown beyond this are not joined to others."""


def overlaps(members: Sequence[Member]) -> Iterator[Sample]:
    """Yield graphs on which rules overlap.

    The target of each sample is what the rules that were joined have made of its source.
    """
    meeting = _Meeting(members)
    round_ = [m.samples[n] for n in range(MOST_SAMPLES) for m in members if n < len(m.samples)]
    left = MOST_OVERLAPS
    for _ in range(MOST_ROUNDS):
        joined: list[Sample] = []
        for sample in round_:
            for new in meeting.joined(sample):
                if left == 0:
                    return
                left -= 1
                joined.append(new)
                yield new
        round_ = joined


@dataclass(frozen=True, slots=True)
class _Part:
    """A call in the source of a sample that may be made by another rule."""

    member: Member
    sample: Sample
    call: Call


class _Meeting:
    """The sources that targets are laid over, by their operators and types."""

    def __init__(self, members: Sequence[Member]) -> None:
        self.parts: dict[object, list[_Part]] = {}
        self.known: set[str] = set()
        for member in members:
            for sample in member.samples:
                sample = _renamed(sample, "y")
                for expr in reverse_post_order(sample.source):
                    if isinstance(expr, Call):
                        part = _Part(member, sample, expr)
                        self.parts.setdefault(_look(expr), []).append(part)

    def joined(self, sample: Sample) -> Iterator[Sample]:
        """Yield the sample with what it takes for another rule to match what it makes."""
        before = set(reverse_post_order(sample.source))
        if len(before) > MOST_NODES:
            return
        for call in reverse_post_order(sample.target):
            if isinstance(call, Call) and call not in before:
                for part in self.parts.get(_look(call), ()):
                    found = _overlap(sample, call, part)
                    if found is not None and self._is_new(found):
                        yield found

    def _is_new(self, sample: Sample) -> bool:
        text = text_of(sample.source)
        is_new = text not in self.known
        self.known.add(text)
        return is_new


def _look(call: Call) -> object:
    return call.operator, call.type


def _renamed(sample: Sample, prefix: str) -> Sample:
    """Return the sample over variables with other names, so that no name is met twice."""
    outputs = [*sample.source, *sample.target]
    variables = [expr for expr in reverse_post_order(outputs) if isinstance(expr, Var)]
    names = {old: f"{prefix}{number}" for number, old in enumerate(variables, 1)}
    new = built(outputs, {old: Var(name, old.shape, old.dtype) for old, name in names.items()})
    return Sample(tuple(new[: len(sample.source)]), tuple(new[len(sample.source) :]))


def _overlap(sample: Sample, call: Call, part: _Part) -> Sample | None:
    """Return the graph on which a rule makes `call` for another to match; None if there is none."""
    known = unified(call, part.call)
    if known is None or not _adds_something(sample, call, part, known):
        return None
    rest = [output for output in part.sample.source if output is not part.call]
    first, made = list(sample.source), list(sample.target)
    known_before = known
    if call in made:
        place = made.index(call)
        known_before = {**known, part.call: first[place]}
        if part.call not in part.sample.source:
            del first[place], made[place]
    elif part.call not in part.sample.source:
        return None
    after = {**known, part.call: call}
    try:
        source = built([*first, *rest], known_before)
        *outputs, root = built([*made, *rest, part.sample.source[0]], after)
        target = _rewritten(part.member, outputs, root)
    except GslError:
        return None
    return None if target is None else _renamed(Sample(tuple(source), target), "x")


def _adds_something(sample: Sample, call: Call, part: _Part, known: Mapping[Expr, Expr]) -> bool:
    """Tell whether the other rule needs more than what the first has made."""
    inputs = set(reverse_post_order(sample.source))
    above = part.sample.source != (part.call,)
    return above or any(v in inputs and not isinstance(e, Var) for v, e in known.items())


def _rewritten(member: Member, outputs: Sequence[Expr], root: Expr) -> tuple[Expr, ...] | None:
    graph = Graph(outputs)
    node = next((node for node in graph if node.expr is root), None)
    match = None if node is None else find(member.subst, graph, node)
    if match is None:
        return None
    rewrite(member.subst, match, graph)
    return tuple(graph.to_exprs())


def unified(one: Expr, other: Expr) -> dict[Expr, Expr] | None:
    """Return what the variables of two expressions are where both are one; None if they differ.

    Attributes may differ, because rules often match any.
    """
    known: dict[Expr, Expr] = {}
    pairs = [(one, other)]
    while pairs:
        left, right = (_known(expr, known) for expr in pairs.pop())
        if left is right:
            continue
        if left.type != right.type:
            return None
        if isinstance(right, Var):
            known[right] = left
        elif isinstance(left, Var):
            known[left] = right
        elif _alike(left, right):
            pairs += zip(left.operands, right.operands, strict=True)
        else:
            return None
    return known


def _known(expr: Expr, known: Mapping[Expr, Expr]) -> Expr:
    while expr in known:
        expr = known[expr]
    return expr


def _alike(one: Expr, other: Expr) -> bool:
    match one, other:
        case Call(operator=left), Call(operator=right):
            return left is right and len(one.operands) == len(other.operands)
        case Const(value=left), Const(value=right):
            return bool((left == right).all())
        case Proj(index=left), Proj(index=right):
            return left == right
        case _:
            return isinstance(one, Tuple) and isinstance(other, Tuple)


def built(outputs: Sequence[Expr], instead: Mapping[Expr, Expr]) -> list[Expr]:
    """Return expressions in which others stand for those that are keys of `instead`.

    What stands for another is built in the same way. Raises GraphError for what would need itself.
    """
    made: dict[Expr, Expr | None] = {}

    def make(expr: Expr) -> Expr:
        if expr not in made:
            made[expr] = None
            meant = instead.get(expr)
            made[expr] = (
                rebuild(expr, tuple(map(make, expr.operands))) if meant is None else make(meant)
            )
        result = made[expr]
        if result is None:
            raise cyclic(expr)
        return result

    return [make(output) for output in outputs]
