"""What all checks share: where something was written, and what stands where in a rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gsl.attr.term import Symbol, Term
from gsl.errors import RuleError
from gsl.pat import Pattern, Variadic
from gsl.span import Span, resolve
from gsl.subst import Subst

Findings = Iterator[RuleError]


def place_of(written: Pattern | Term) -> Span | None:
    """Return where a pattern or an attribute expression was written, if it says so."""
    return resolve(getattr(written, "origin", None))


def target_only(subst: Subst) -> list[Pattern]:
    """Return the patterns that only the target has, in reverse post-order."""
    source = set(subst.source_patterns)
    return [pattern for pattern in subst.target_patterns if pattern not in source]


def all_patterns(subst: Subst) -> dict[Pattern, None]:
    """Return all patterns, those of the source first, each side in reverse post-order."""
    return dict.fromkeys((*subst.source_patterns, *subst.target_patterns))


@dataclass(frozen=True, slots=True)
class Place:
    """A pattern, and the variadic patterns, from the outermost on, in whose fields it lies."""

    pattern: Pattern
    fields: tuple[Variadic, ...] = ()

    @property
    def symbols(self) -> frozenset[Symbol]:
        """The symbols that have a value here."""
        return frozenset(variadic.symbol for variadic in self.fields)

    def see(self, pattern: Pattern) -> Place:
        """Return what `pattern` means here: its instance in a field, or the only one there is."""
        fields = self.fields
        while fields and pattern not in fields[-1].templates:
            fields = fields[:-1]
        return Place(pattern, fields)

    def below(self) -> list[Place]:
        """Return the places of the direct subpatterns."""
        pattern = self.pattern
        if not isinstance(pattern, Variadic):
            return [self.see(operand) for operand in pattern.operands]
        inside = Place(pattern, (*self.fields, pattern))
        return [*map(self.see, pattern.head_operands()), inside.see(pattern.field)]


def places(outputs: Iterable[Pattern], matched: Iterable[Place] = ()) -> list[Place]:
    """Return the places below `outputs` that are not below `matched`, operands before users."""
    order: list[Place] = []
    seen = set(matched)
    stack = [(Place(output), False) for output in reversed(list(outputs))]
    while stack:
        place, expanded = stack.pop()
        if expanded:
            order.append(place)
        elif place not in seen:
            seen.add(place)
            stack.append((place, True))
            stack.extend((operand, False) for operand in reversed(place.below()))
    return order
