"""Which arms the conditional targets of a rule take, so that every one of them is tried."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import combinations, islice, product
from typing import Any

from gsl.attr.evaluate import conjunction, disjunction
from gsl.attr.term import Access, Operation, Term, operation, subterms
from gsl.attr.values import TRUTH
from gsl.errors import GslError
from gsl.match.bindings import frame_of
from gsl.node import Node
from gsl.operators.declaration import Need, tensors
from gsl.pat import Cond, GetInst
from gsl.rewrite.builder import Builder, Decide, known, output_pairs
from gsl.subst import Subst
from gslverify.structures.decisions import Decisions, Forms, every_way
from gslverify.structures.instance import Instance
from gslverify.structures.targets.deciding import falling, ways_to_be
from gslverify.structures.targets.guards import Guards, guards_in, under, where_counting
from gslverify.structures.targets.occurrences import Place, occurrences

Outcome = tuple[Cond | Operation, bool]
"""How the condition of a conditional target or attribute falls."""


@dataclass(slots=True)
class Arms:
    """The conditions of an instance in the order in which its target meets them.

    `taken` has None where sizes or attributes decide; then `open` has the condition, also in arms
    of others, which are `under` how those fall. So has it whether the quotients and remainders by a
    number are 0. `extremes` says which operand of a minimum or maximum is taken, and the same of
    other quotients. `known` has what the structure decides of all that is asked, parts of
    conditions among it, and how. `outcomes` are those of everything conditional that counts for the
    target; what is open has both.
    """

    taken: list[bool | None] = field(default_factory=list)
    open: list[Term] = field(default_factory=list)
    under: dict[Term, tuple[Term, ...]] = field(default_factory=dict)
    extremes: list[Term] = field(default_factory=list)
    known: set[tuple[Term, bool]] = field(default_factory=set)
    outcomes: set[Outcome] = field(default_factory=set)

    @property
    def way(self) -> Hashable:
        """How the structure decides what is conditional, and each part of every condition."""
        return *self.taken, frozenset(self.known)

    def deciding(self) -> list[tuple[Term, bool]]:
        """Return the ways in which what is open falls where it is asked, and how it falls then."""
        found = (
            (conjunction(*self.under.get(condition, ()), way), outcome)
            for condition in self.open
            for outcome in (True, False)
            for way in ways_to_be(condition, outcome)
        )
        return [(way, outcome) for way, outcome in found if isinstance(way, Term)]

    def rows(self) -> list[Term]:
        """Return demands on all conditions at once, in which every two fall in all four ways.

        The numbers of any two of them differ in some digit, and there are two rows for each digit.
        """
        numbers = range(len(self.open))
        if len(numbers) <= 2:
            return []
        digits = range(len(numbers).bit_length())
        rows = [[bool(number >> digit & 1) for number in numbers] for digit in digits]
        rows.append([True for _ in numbers])
        both = [row for one in rows for row in (one, [not value for value in one])]
        found = (conjunction(*map(falling, self.open, row)) for row in both)
        return [one for one in found if isinstance(one, Term)]

    def pairs(self, most: int) -> list[Term]:
        """Return up to `most` conditions that two choices of the target fall in some way."""
        groups = [either_way([one]) for one in self.open] + [[one] for one in self.extremes]
        both = (pair for two in combinations(groups, 2) for pair in product(*two))
        found = (conjunction(*pair) for pair in both)
        return list(islice((one for one in found if isinstance(one, Term)), most))

    def note_asked(self, reached: Sequence[tuple[tuple[Term, ...], Term]]) -> None:
        """Note a condition as it is in each place where it is asked, and what holds there."""
        values = [value for _, value in reached]
        self.open += _any_and_all(values)
        if len(reached) == 1:
            self.under[values[0]] = reached[0][0]
        elif any(guards for guards, _ in reached):
            anywhere = (disjunction(*where_counting(reached, outcome)) for outcome in (True, False))
            self.open += [one for one in anywhere if isinstance(one, Term)]

    def decide(self, condition: Any) -> bool:
        """Note a condition, and go on with the first arm if it is open."""
        if not isinstance(condition, Term):
            self.taken.append(known(condition))
            return known(condition)
        self.taken.append(None)
        return True


def arms_of(instance: Instance) -> Arms:
    """Return what decides the conditional targets and attributes of the target of an instance."""
    arms = Arms()
    if not has_choices(instance.subst):
        return arms
    with target_of(instance, arms.decide) as builder:
        _note_choices(arms, instance.subst, builder)
    asked = _Asked()
    with suppress(GslError):  # of too many ways the first are looked at
        for outcomes, _ in every_way(partial(_outcomes_on, instance, asked)):
            arms.outcomes |= outcomes
    arms.open[:0] = asked.terms.values()
    arms.under.update(asked.under())
    return arms


class _Asked:
    """The conditions that a target meets on its ways, and how others fall wherever it does."""

    def __init__(self) -> None:
        self.terms: dict[int, Term] = {}
        self._common: dict[int, dict[int, bool]] = {}

    def note(self, decisions: Decisions) -> None:
        """Note what was asked on a way."""
        before: dict[int, bool] = {}
        for (number, term), outcome in zip(decisions.asked.items(), decisions.taken, strict=True):
            self.terms.setdefault(number, term)
            common = self._common.setdefault(number, dict(before))
            self._common[number] = {n: o for n, o in common.items() if before.get(n) is o}
            before[number] = outcome

    def under(self) -> Iterator[tuple[Term, tuple[Term, ...]]]:
        """Yield each condition with what holds wherever it is asked."""
        for number, term in self.terms.items():
            common = self._common[number].items()
            yield term, tuple(falling(self.terms[n], outcome) for n, outcome in common)


def _outcomes_on(instance: Instance, asked: _Asked, decisions: Decisions) -> set[Outcome]:
    """Return how what is conditional falls on a way through the target."""
    with target_of(instance, decisions) as builder:
        asked.note(decisions)
        return set(outcomes_of(instance.subst, builder))


@contextmanager
def target_of(instance: Instance, decide: Decide) -> Iterator[Builder]:
    """Build the target of an instance, in the arms that are decided on, and take it out."""
    builder = Builder(instance.bindings, instance.graph, Need(), decide)
    try:
        with suppress(GslError):  # that a target cannot be built is for the stage shape to say
            for _, target in output_pairs(instance.subst, instance.bindings):
                builder.build(*target)
        yield builder
    finally:
        instance.take_out(builder.added)


def with_all_axes_seen(instance: Instance) -> list[Term]:
    """Return the demand that no tensor that the target makes has an axis of size 1.

    Its axes need not be those of the source: heads are parts of channels, and with one head, or
    one channel in each, the order of both is not seen.
    """
    with target_of(instance, Arms().decide) as builder:
        own = [
            size for node in instance.graph if node not in builder.added for size in _sizes(node)
        ]
        made = [size for node in builder.added for size in _sizes(node)]
    forms = Forms()
    known = {forms.of(size) for size in own if isinstance(size, Term)}
    new = {forms.of(size): size for size in made if isinstance(size, Term)}
    demand = conjunction(*(size >= 2 for form, size in new.items() if form not in known))
    return [demand] if isinstance(demand, Term) else []


def _sizes(node: Node) -> Iterator[Any]:
    return (size for one in tensors((node.expr.type,)) for size in one.shape)


@lru_cache(maxsize=16)
def has_choices(subst: Subst) -> bool:
    """Tell whether anything in the target of a rule is chosen, so that it has to be built."""
    terms = (term for pattern in subst.target_patterns for term in pattern.terms())
    parts = (part for term in terms for part in subterms(term))
    chosen = any(isinstance(part, Operation) and part.head in CHOOSING for part in parts)
    return chosen or has_arms(subst)


COND = frozenset({"cond"})
CHOOSING = COND | {"min", "max", "//", "%"}


def _note_choices(arms: Arms, subst: Subst, builder: Builder) -> None:
    """Note on what it depends how attributes of the target are computed.

    Of what differs from field to field, it is noted whether it holds for any and for all.
    """
    found: dict[Operation, list[Place]] = {}
    for part, place in occurrences(subst, builder.bindings, builder.memory, CHOOSING | TRUTH):
        found.setdefault(part, []).append(place)
    for part, places in found.items():
        match part:
            case Operation(head=head) if head in TRUTH:
                arms.known |= decided_by(part, part, places)
            case Operation(head="cond", operands=(condition, _, _)):
                arms.note_asked(_reached(condition, places, guards_in(subst)[part]))
                arms.known |= decided_by(part, condition, places)
            case Operation(head="min" | "max", operands=(left, right)):
                for head in ("<", ">"):
                    arms.extremes += _any_and_all(_open(operation(head, left, right), places))[:1]
            case Operation(operands=(_, divisor)):
                nothing = _any_and_all(_open(operation("==", part, 0), places))
                if _open(divisor, places):
                    arms.extremes += either_way(nothing)
                else:
                    arms.open += nothing


def outcomes_of(subst: Subst, builder: Builder) -> Iterator[Outcome]:
    """Yield how the conditions fall of what a builder has built, either way where that is open."""
    asked: list[tuple[Cond | Operation, Term, Place]] = []
    for pattern, path in builder.arms:
        if isinstance(pattern, Cond):
            place = Place.at(builder.bindings, frame_of(path), builder.memory)
            asked.append((pattern, pattern.condition, place))
    known = {pattern for pattern, _ in builder.bindings.nodes}
    built = [p for p in subst.target_patterns if p in known or isinstance(p, GetInst)]
    for part, place in occurrences(subst, builder.bindings, builder.memory, COND, built):
        asked.append((part, part.operands[0], place))
    for conditional, condition, place in asked:
        for value in values_at(condition, [place]):
            either = (True, False) if isinstance(value, Term) else (value is True,)
            yield from ((conditional, outcome) for outcome in either)


def decisions(subst: Subst) -> list[Cond | Operation]:
    """Return the conditional targets and attributes of a rule."""
    patterns = [pattern for pattern in subst.target_patterns if isinstance(pattern, Cond)]
    terms = (term for pattern in subst.target_patterns for term in pattern.terms())
    parts = dict.fromkeys(part for term in terms for part in subterms(term))
    operations = [part for part in parts if isinstance(part, Operation) and part.head == "cond"]
    return [*patterns, *operations]


@lru_cache(maxsize=16)
def may_read_sizes(subst: Subst) -> bool:
    """Tell whether anything but ranks, dtypes and numbers of fields may decide a target."""
    parts = (part for one in decisions(subst) for part in subterms(condition_of(one)))
    return any(isinstance(part, Access) and part.name not in KNOWN_OF_STRUCTURES for part in parts)


KNOWN_OF_STRUCTURES = frozenset({"ndim", "dtype", "operator", "length", "arm"})


def condition_of(conditional: Cond | Operation) -> Term:
    """Return the condition of a conditional target or attribute."""
    return conditional.condition if isinstance(conditional, Cond) else conditional.operands[0]


def _reached(
    condition: Term, places: Iterable[Place], guards: Guards
) -> list[tuple[tuple[Term, ...], Term]]:
    """Return what a condition is where it counts and sizes decide, each with what holds there."""
    found = (
        (under(guards, place), value) for place in places for value in _open(condition, [place])
    )
    return [(above, value) for above, value in found if above is not None]


def _open(term: Term, places: Iterable[Place]) -> list[Term]:
    """Return what a term is in each of some places, where sizes or attributes decide."""
    return [value for value in values_at(term, places) if isinstance(value, Term)]


def values_at(term: Term, places: Iterable[Place]) -> Iterator[Any]:
    """Yield the values of a term in some places, in those where it has one."""
    for place in places:
        with suppress(GslError):
            yield place.value(term)


def decided_by(part: Term, condition: Term, places: Iterable[Place]) -> set[tuple[Term, bool]]:
    """Return how a condition falls that a part of the target depends on, where that is decided."""
    return {(part, value) for value in values_at(condition, places) if type(value) is bool}


def _any_and_all(conditions: Sequence[Term]) -> list[Any]:
    """Return that one of the conditions holds, and if there are several, that all do."""
    if len(conditions) < 2:
        return list(conditions)
    return [disjunction(*conditions), conjunction(*conditions)]


def has_arms(subst: Subst) -> bool:
    """Tell whether a rule has a conditional target."""
    return any(isinstance(pattern, Cond) for pattern in subst.target_patterns)


def either_way(conditions: Iterable[Term]) -> list[Term]:
    """Return every condition and its opposite."""
    return [term for one in conditions for term in (one, operation("not", one))]
