"""Variadic patterns and access to their instances (thesis, section 3.1.3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from gsl.attr.term import Symbol, Term, as_term
from gsl.errors import RuleError
from gsl.graph import reverse_post_order
from gsl.pat.pattern import Pattern, as_pattern
from gsl.span import here, resolve


class Variadic(Pattern):
    """Matches or builds a tuple, or the outputs of a rule, of which the number is not fixed.

    Args:
        field: the pattern of one field.
        templates: subpatterns of `field` that are made anew for every field; all others are shared
            by all fields. Default: only `field`.
        first: patterns that stand for the templates in field 0, so that others can refer to it.
        index: the symbol that is the number of the field, from 0.
        length: number of fields; needed where a target builds a tuple, a condition in a source.
        min_len: least number of fields that match.
        name: what reports call it; by default the variable that it is assigned to.
    """

    __slots__ = ("field", "first", "minimum", "size", "symbol", "templates")

    def __init__(
        self,
        field: Any,
        *,
        templates: Sequence[Pattern] | None = None,
        first: Sequence[Pattern] | None = None,
        index: Symbol | None = None,
        length: Any = None,
        min_len: int = 1,
        name: str | None = None,
    ) -> None:
        self.field = as_pattern(field)
        self.templates = (self.field,) if templates is None else _patterns("templates", templates)
        self.first = () if first is None else _patterns("first", first)
        self.symbol = Symbol() if index is None else index
        self.size = as_term(length)
        self.minimum = min_len
        super().__init__((*self.head_operands(), self.field), name=name)
        self._check()

    def head_operands(self) -> tuple[Pattern, ...]:
        """Return the pattern that stands for the field at index 0, if there is one."""
        return (self.first_of(self.field),) if self.first and self.field in self.templates else ()

    def first_of(self, template: Pattern) -> Pattern:
        """Return what stands for `template` at index 0."""
        return self.first[self.templates.index(template)] if self.first else template

    @property
    def shared(self) -> frozenset[Pattern]:
        """The patterns below the field that are the same in all fields."""
        return frozenset(reverse_post_order([self.field])) - frozenset(self.templates)

    def _check(self) -> None:
        if self.first and len(self.first) != len(self.templates):
            message = f"{len(self.first)} first patterns for {len(self.templates)} templates"
            raise RuleError("GSL133", message, resolve(self.origin), "give one for each template")
        if type(self.minimum) is not int or self.minimum < 1:
            message = f"min_len must be at least 1, not {self.minimum!r}"
            raise RuleError(
                "GSL133", message, resolve(self.origin), "write min_len=2 or leave it out"
            )
        if self.field not in self.templates:
            raise RuleError(
                "GSL133",
                "the field of a variadic pattern must be one of its templates",
                resolve(self.origin),
                "add it to templates=[...]",
            )

    def __call__(self, template: Pattern, index: Any) -> GetInst:
        """Return the pattern of field `index` that was made from `template`."""
        return GetInst(self, template, index)

    def terms(self) -> tuple[Term, ...]:
        """Return the length."""
        return (self.size,)

    def attribute_names(self) -> tuple[str, ...]:
        """A variadic pattern only has a length."""
        return ("length",)


class GetInst(Pattern):
    """Stands for the instance of a template in one field of a variadic pattern."""

    __slots__ = ("index_term", "template", "variadic")

    def __init__(self, variadic: Variadic, template: Pattern, index: Any) -> None:
        super().__init__(())
        self.variadic = variadic
        self.template = template
        self.index_term = as_term(index)
        if template not in variadic.templates:
            raise RuleError(
                "GSL133",
                f"{template!r} is not a template of this variadic pattern",
                resolve(self.origin),
                "list it in templates=[...]",
            )

    def terms(self) -> tuple[Term, ...]:
        """Return the index."""
        return (self.index_term,)

    def location(self) -> tuple[Term, ...]:
        """Return the index, and what locates a template that is an instance itself."""
        return (self.index_term, *self.template.location())

    def attribute_names(self) -> tuple[str, ...]:
        """Return what the template has."""
        return self.template.attribute_names()

    def original(self) -> Pattern:
        """Return the template."""
        return self.template.original()

    def __repr__(self) -> str:
        return f"an instance of {self.template!r}"


def _patterns(name: str, given: Any) -> tuple[Pattern, ...]:
    is_list = isinstance(given, Iterable) and not isinstance(given, Pattern)
    listed = tuple(given) if is_list else (None,)
    if not all(isinstance(one, Pattern) for one in listed):
        message = f"{name}={given!r} is not a list of patterns"
        raise RuleError("GSL133", message, resolve(here()), f"write {name}=[...]")
    return listed
