"""Where patterns of a source lie, in alternatives and fields, and how to demand something there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from gsl.attr.term import Access, Reduce, Symbol, Term, operation
from gsl.errors import RuleError
from gsl.graph import reverse_post_order
from gsl.pat import Alt, GetInst, Pattern, Variadic
from gsl.span import resolve

Step = tuple[Pattern, int]
"""An alternative by its number, or the fields of a variadic pattern."""


@dataclass(frozen=True, slots=True)
class Place:
    """A pattern of a source, and the alternatives and fields, outermost first, that it lies in."""

    pattern: Pattern
    steps: tuple[Step, ...] = ()

    @property
    def is_repeated(self) -> bool:
        """Whether the pattern is matched anew in every field of a variadic one."""
        return any(isinstance(owner, Variadic) for owner, _ in self.steps)

    def below(self, number: int) -> Place:
        """Return the place of an operand."""
        operand, steps = self.pattern.operands[number], self.steps
        if isinstance(self.pattern, Alt):
            steps = (*steps, (self.pattern, number))
        elif isinstance(self.pattern, Variadic) and operand is self.pattern.field:
            steps = (*steps, (self.pattern, 0))
        for at, (owner, _) in enumerate(steps):
            if isinstance(owner, Variadic) and operand not in owner.templates:
                return Place(operand, steps[:at])
        return Place(operand, steps)


def places_of(outputs: Sequence[Pattern]) -> list[Place]:
    """Return every place of the patterns of a source; one where it is matched in any case is all.

    Operands come before users.
    """
    ways: dict[Pattern, dict[Place, None]] = {output: {Place(output): None} for output in outputs}
    found: list[Place] = []
    for pattern in reversed(list(reverse_post_order(outputs))):
        always = Place(pattern)
        here = [always] if always in ways[pattern] else list(ways[pattern])
        found += here
        for place in here:
            for number, operand in enumerate(pattern.operands):
                ways.setdefault(operand, {})[place.below(number)] = None
    return found[::-1]


def required(condition: Callable[..., Term], *places: Place) -> Term:
    """Return that a condition of patterns holds where these are matched, and in every field."""
    steps = dict.fromkeys(step for place in places for step in place.steps)
    repeated = [owner for owner, _ in steps if isinstance(owner, Variadic)]
    if any(inner in outer.templates for outer in repeated for inner in repeated):
        message = "nothing can be assumed of fields of fields"
        raise RuleError("GSL108", message, resolve(repeated[0].origin), "write it in the rule")
    symbols = {owner: Symbol("i") for owner in repeated}

    def seen(pattern: Pattern) -> Pattern:
        for owner, symbol in symbols.items():
            if pattern in owner.templates:
                return GetInst(owner, pattern, symbol)
        return pattern

    whole = condition(*(seen(place.pattern) for place in places))
    for owner, arm in reversed(steps):
        if isinstance(owner, Variadic):
            whole = Reduce("and", whole, symbols[owner], Access(owner, "length"))
        else:
            chosen = operation("==", Access(seen(owner), "arm"), arm)
            whole = operation("cond", chosen, whole, True)
    return whole


def first_field(place: Place) -> Pattern:
    """Return the pattern of a place; where it is repeated, its instance in field 0."""
    for owner, _ in place.steps:
        if isinstance(owner, Variadic) and place.pattern in owner.templates:
            return GetInst(owner, place.pattern, 0)
    return place.pattern


def always_matched(places: Sequence[Place]) -> Iterator[Place]:
    """Yield the places that every match has, those outside of fields first."""
    plain = (place for place in places if not place.steps)
    fields = (p for p in places if p.steps and all(isinstance(o, Variadic) for o, _ in p.steps))
    yield from (*plain, *fields)
