"""What all checks share: where something was written, and what stands where in a rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from gsl.attr.term import Reduce, Symbol, Term
from gsl.errors import RuleError
from gsl.pat import Const, Pattern, Variadic
from gsl.span import Span, resolve
from gsl.subst import Subst

Findings = Iterator[RuleError]


def place_of(written: Pattern | Term) -> Span | None:
    """Return where a pattern or an attribute expression was written, if it says so."""
    while isinstance(written, Reduce):
        written = written.body
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

    def built_from(self) -> list[Place]:
        """Return the places below, and those that constants among them take their dtype from."""
        pattern = self.pattern
        inside = Place(pattern, (*self.fields, pattern)) if isinstance(pattern, Variadic) else self
        models = map(model_of, pattern.operands)
        return [*(inside.see(model) for model in models if model is not None), *self.below()]


def model_of(pattern: Pattern) -> Pattern | None:
    """Return the pattern that gives a constant its dtype where a target builds it, if one does."""
    if isinstance(pattern, Const) and "dtype" not in pattern.constraints:
        return pattern.like
    return None


def source_places(subst: Subst) -> list[Place]:
    """Return the places of what the source matches, operands before users."""
    return _ordered(subst.source, (), Place.below)


def target_places(subst: Subst) -> list[Place]:
    """Return the places of what the target builds, and of what it asks in vain of the source."""
    models = map(model_of, subst.target)
    roots = (*(model for model in models if model is not None), *subst.target)
    return _ordered(roots, subst.derived(source_places), Place.built_from)


def _ordered(
    outputs: Iterable[Pattern], matched: Iterable[Place], below: Callable[[Place], list[Place]]
) -> list[Place]:
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
            stack.extend((operand, False) for operand in reversed(below(place)))
    return order
