"""Which arms the conditional targets of a rule take, so that every one of them is tried."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations, islice, product
from typing import Any

from gsl.attr.evaluate import conjunction, disjunction
from gsl.attr.term import Access, Operation, Term, operation, subterms
from gsl.attr.values import TRUTH
from gsl.errors import GslError
from gsl.match.bindings import frame_of
from gsl.operators.declaration import Need
from gsl.pat import Cond, GetInst
from gsl.rewrite.builder import Builder, known, output_pairs
from gsl.subst import Subst
from gslverify.structures.deciding import ways_to_be
from gslverify.structures.instance import Instance
from gslverify.structures.occurrences import Place, occurrences
from gslverify.structures.variants import Variant

Outcome = tuple[Cond | Operation, bool]
"""How the condition of a conditional target or attribute falls."""


@dataclass(slots=True)
class Arms:
    """The conditions of an instance in the order in which its target meets them.

    `taken` has None where sizes or attributes decide; then `open` has the condition. So has it
    whether the quotients and remainders by a number are 0. `extremes` says which operand of a
    minimum or maximum is taken, and the same of other quotients. `known` has what the structure
    decides of all that is asked, parts of conditions among it, and how. `outcomes` are those of
    everything conditional that counts for the target; what is open has both.
    """

    taken: list[bool | None] = field(default_factory=list)
    open: list[Term] = field(default_factory=list)
    extremes: list[Term] = field(default_factory=list)
    known: set[tuple[Term, bool]] = field(default_factory=set)
    outcomes: set[Outcome] = field(default_factory=set)

    @property
    def way(self) -> Hashable:
        """How the structure decides what is conditional, and each part of every condition."""
        return *self.taken, frozenset(self.known)

    def deciding(self) -> list[tuple[Term, bool]]:
        """Return the ways in which what is open falls, and how it falls then."""
        return [
            (way, outcome)
            for condition in self.open
            for outcome in (True, False)
            for way in ways_to_be(condition, outcome)
        ]

    def pairs(self, most: int) -> list[Term]:
        """Return up to `most` conditions that two choices of the target fall in some way."""
        groups = [either_way([one]) for one in self.open] + [[one] for one in self.extremes]
        both = (pair for two in combinations(groups, 2) for pair in product(*two))
        found = (conjunction(*pair) for pair in both)
        return list(islice((one for one in found if isinstance(one, Term)), most))

    def decide(self, condition: Any) -> bool:
        """Note a condition, and go on with the first arm if it is open."""
        if not isinstance(condition, Term):
            self.taken.append(known(condition))
            return known(condition)
        self.taken.append(None)
        self.open.append(condition)
        return True


def arms_of(instance: Instance) -> Arms:
    """Return what decides the conditional targets and attributes of the target of an instance."""
    arms = Arms()
    if not has_choices(instance.subst):
        return arms
    with _target_of(instance, arms) as builder:
        _note_choices(arms, instance.subst, builder)
        arms.outcomes = set(outcomes_of(instance.subst, builder))
    return arms


@contextmanager
def _target_of(instance: Instance, arms: Arms) -> Iterator[Builder]:
    """Build the target of an instance, which tells `arms` what it decides, and take it out."""
    builder = Builder(instance.bindings, instance.graph, Need(), arms.decide)
    try:
        with suppress(GslError):  # that a target cannot be built is for the stage shape to say
            for _, target in output_pairs(instance.subst, instance.bindings):
                builder.build(*target)
        yield builder
    finally:
        instance.take_out(builder.added)


@lru_cache(maxsize=16)
def has_choices(subst: Subst) -> bool:
    """Tell whether anything in the target of a rule is chosen, so that it has to be built."""
    terms = (term for pattern in subst.target_patterns for term in pattern.terms())
    parts = (part for term in terms for part in subterms(term))
    chosen = any(isinstance(part, Operation) and part.head in CHOOSING for part in parts)
    return chosen or has_arms(subst)


CHOOSING = frozenset({"cond", "min", "max", "//", "%"})


def _note_choices(arms: Arms, subst: Subst, builder: Builder) -> None:
    """Note on what it depends how attributes of the target are computed.

    Of what differs from field to field, it is noted whether it holds for any and for all.
    """
    found: dict[Operation, list[Place]] = {}
    for part, place in occurrences(subst, builder.bindings, builder.memory):
        if part.head in CHOOSING or part.head in TRUTH:
            found.setdefault(part, []).append(place)
    for part, places in found.items():
        match part:
            case Operation(head=head) if head in TRUTH:
                arms.known |= _decided(part, part, places)
            case Operation(head="cond", operands=(condition, _, _)):
                arms.open += _any_and_all(_open(condition, places))
                arms.known |= _decided(part, condition, places)
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
    for part, place in occurrences(subst, builder.bindings, builder.memory, built):
        if part.head == "cond":
            asked.append((part, part.operands[0], place))
    for conditional, condition, place in asked:
        for value in _values(condition, [place]):
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


def _open(term: Term, places: Iterable[Place]) -> list[Term]:
    """Return what a term is in each of some places, where sizes or attributes decide."""
    return [value for value in _values(term, places) if isinstance(value, Term)]


def _values(term: Term, places: Iterable[Place]) -> Iterator[Any]:
    for place in places:
        with suppress(GslError):
            yield place.value(term)


def _decided(part: Term, condition: Term, places: Iterable[Place]) -> set[tuple[Term, bool]]:
    """Return how a condition falls that a part of the target depends on, where that is decided."""
    return {(part, value) for value in _values(condition, places) if type(value) is bool}


def _any_and_all(conditions: Sequence[Term]) -> list[Any]:
    """Return that one of the conditions holds, and if there are several, that all do."""
    if len(conditions) < 2:
        return list(conditions)
    return [disjunction(*conditions), conjunction(*conditions)]


def has_arms(subst: Subst) -> bool:
    """Tell whether a rule has a conditional target."""
    return any(isinstance(pattern, Cond) for pattern in subst.target_patterns)


def one_of_each(subst: Subst, variants: Iterable[Variant]) -> list[Variant]:
    """Return the variants with one for every way to compute the target in front."""
    ordered = list(variants)
    front = dict.fromkeys(_ways(subst, ordered).values())
    return [*front, *(variant for variant in ordered if variant not in front)]


def in_other_ways(
    subst: Subst, usual: Iterable[Variant], others: Iterable[Variant]
) -> list[Variant]:
    """Return one of the `others` for every way to compute the target that no usual one takes."""
    known = _ways(subst, usual)
    return [variant for way, variant in _ways(subst, others).items() if way not in known]


def _ways(subst: Subst, variants: Iterable[Variant]) -> dict[Any, Variant]:
    """Return the first of the variants for every way to compute the target, if it has several."""
    ways: dict[Any, Variant] = {}
    for variant in variants if has_choices(subst) else ():
        ways.setdefault(_way(variant.instance(subst)), variant)
    return ways


def _way(instance: Instance) -> Hashable:
    """Return how the structure of an instance decides what is conditional in its target."""
    arms, decided = Arms(), set[tuple[Term, bool]]()
    with _target_of(instance, arms) as builder:
        for part, place in occurrences(instance.subst, builder.bindings, builder.memory):
            if part.head == "cond":
                decided |= _decided(part, part.operands[0], [place])
    return *arms.taken, frozenset(decided)


def either_way(conditions: Iterable[Term]) -> list[Term]:
    """Return every condition and its opposite."""
    return [term for one in conditions for term in (one, operation("not", one))]
