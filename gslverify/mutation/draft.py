"""A rule taken apart: change some of its patterns, then put together a new rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from gsl.attr.term import (
    Access,
    Operation,
    Projection,
    Reduce,
    Slice,
    Term,
    TupleOf,
    VariadicTuple,
    bottom_up,
    subterms,
)
from gsl.errors import GraphError
from gsl.pat import Call, Cond, Const, GetInst, Pattern, SameOperator, Variadic
from gsl.subst import Subst


@dataclass(slots=True)
class Draft:
    """What differs from a rule; patterns and terms are those of the rule, or made of them.

    Attributes:
        subst: the rule, which stays as it is.
        source, target: outputs.
        where: conditions.
        operands: other operands of a pattern.
        constraints: other constraints of a pattern.
        details: other values of what only some kinds of patterns have, such as `callee`.
        instead: patterns that take the place of others wherever these are mentioned.
    """

    subst: Subst
    source: tuple[Pattern, ...] = ()
    target: tuple[Pattern, ...] = ()
    where: tuple[Term, ...] = ()
    operands: dict[Pattern, tuple[Pattern, ...]] = field(default_factory=dict)
    constraints: dict[Pattern, Mapping[str, Term]] = field(default_factory=dict)
    details: dict[tuple[Pattern, str], Any] = field(default_factory=dict)
    instead: dict[Pattern, Pattern] = field(default_factory=dict)

    @classmethod
    def of(cls, subst: Subst) -> Draft:
        """Return a draft that changes nothing."""
        return cls(subst, subst.source, subst.target, subst.where)

    def operands_of(self, pattern: Pattern) -> tuple[Pattern, ...]:
        """Return the operands that a pattern is to have."""
        return self.operands.get(pattern, pattern.operands)

    def constrain(self, pattern: Pattern, name: str, term: Term | None) -> Draft:
        """Give an attribute of a pattern another constraint, or none."""
        changed = dict(self.constraints.get(pattern, pattern.constraints))
        changed.pop(name, None)
        if term is not None:
            changed[name] = term
        self.constraints[pattern] = MappingProxyType(changed)
        return self

    def build(self) -> Subst:
        """Return the new rule, made of copies; raise GraphError when a pattern needs itself."""
        return _Copies(self).subst()


DETAILS: Mapping[type[Pattern], tuple[str, ...]] = {
    Call: ("callee", "attributes_of"),
    Const: ("like",),
    Cond: ("condition",),
    Variadic: ("field", "first", "minimum", "size", "symbol", "templates"),
    GetInst: ("index_term", "template", "variadic"),
}
"""What a kind of pattern has besides operands and constraints."""


class _Copies:
    """The copies of patterns; each is made after everything that it mentions."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.made: dict[Pattern, Pattern] = {}

    def subst(self) -> Subst:
        draft = self.draft
        mentioned = [p for term in draft.where for p in patterns_in(term)]
        for pattern in (*draft.source, *draft.target, *mentioned):
            self._make_all(self._meant(pattern))
        made = Subst(
            [self._copy_of(pattern) for pattern in draft.source],
            [self._copy_of(pattern) for pattern in draft.target],
            where=[self._term(term) for term in draft.where],
            aliases=draft.subst.aliases,
        )
        made.origin = draft.subst.origin
        return made

    def _meant(self, pattern: Pattern) -> Pattern:
        return self.draft.instead.get(pattern, pattern)

    def _copy_of(self, pattern: Pattern) -> Pattern:
        return self.made[self._meant(pattern)]

    def _make_all(self, wanted: Pattern) -> None:
        opened: set[Pattern] = set()
        stack = [wanted]
        while stack:
            pattern = stack[-1]
            if pattern in self.made:
                stack.pop()
            elif pattern in opened:
                stack.pop()
                self.made[pattern] = self._copied(pattern)
            else:
                opened.add(pattern)
                missing = [p for p in self._mentioned(pattern) if p not in self.made]
                if any(p in opened for p in missing):
                    raise GraphError("a pattern needs itself")
                stack.extend(missing)

    def _mentioned(self, pattern: Pattern) -> list[Pattern]:
        draft = self.draft
        constraints = draft.constraints.get(pattern, pattern.constraints)
        mentioned = _mentioned(draft.operands_of(pattern), constraints, self._details(pattern))
        return [self._meant(one) for one in mentioned]

    def _details(self, pattern: Pattern) -> dict[str, Any]:
        changed = self.draft.details
        details = _details_of(pattern)
        return {name: changed.get((pattern, name), value) for name, value in details.items()}

    def _copied(self, pattern: Pattern) -> Pattern:
        copy = object.__new__(type(pattern))
        copy.origin, copy.written_name = pattern.origin, pattern.written_name
        copy.operands = tuple(map(self._copy_of, self.draft.operands_of(pattern)))
        constraints = self.draft.constraints.get(pattern, pattern.constraints)
        copy.constraints = MappingProxyType(
            {name: self._term(term) for name, term in constraints.items()}
        )
        for name, value in self._details(pattern).items():
            setattr(copy, name, self._detail(value))
        if isinstance(copy, Variadic):
            copy.operands = (*copy.head_operands(), copy.field)
        return copy

    def _detail(self, value: Any) -> Any:
        match value:
            case Pattern():
                return self._copy_of(value)
            case SameOperator(call=call):
                made = self._copy_of(call)
                assert isinstance(made, Call)
                return SameOperator(made)
            case tuple():
                return tuple(map(self._copy_of, value))
            case Term():
                return self._term(value)
            case _:
                return value

    def _term(self, term: Term) -> Term:
        accesses = {
            part: Access(self._copy_of(part.pattern), part.name, part.origin)
            for part in subterms(term)
            if isinstance(part, Access)
        }
        return replaced(term, accesses)


def mentioned(pattern: Pattern) -> list[Pattern]:
    """Return the patterns that a pattern is written with: operands, and all that it asks about."""
    return _mentioned(pattern.operands, pattern.constraints, _details_of(pattern))


def _mentioned(
    operands: Iterable[Pattern], constraints: Mapping[str, Term], details: Mapping[str, Any]
) -> list[Pattern]:
    terms = [*constraints.values(), *(one for one in details.values() if isinstance(one, Term))]
    return [
        *operands,
        *(one for term in terms for one in patterns_in(term)),
        *(one for value in details.values() for one in _patterns_of(value)),
    ]


def _details_of(pattern: Pattern) -> dict[str, Any]:
    names = next((names for kind, names in DETAILS.items() if isinstance(pattern, kind)), ())
    return {name: getattr(pattern, name) for name in names}


def patterns_in(term: Term) -> Iterator[Pattern]:
    """Yield the patterns of which a term asks an attribute."""
    return (part.pattern for part in subterms(term) if isinstance(part, Access))


def _patterns_of(value: Any) -> list[Pattern]:
    match value:
        case Pattern():
            return [value]
        case SameOperator(call=call):
            return [call]
        case tuple():
            return list(value)
        case _:
            return []


def replaced(term: Term, new: Mapping[Any, Term]) -> Term:
    """Return a term in which the subterms that are keys of `new` are what it says."""
    made: dict[Term, Term] = {}
    for part in bottom_up(term):
        made[part] = new[part] if part in new else _with_parts(part, made)
    return made[term]


def _with_parts(term: Term, made: Mapping[Term, Term]) -> Term:
    match term:
        case Operation(head=head, operands=operands, origin=origin):
            return Operation(head, tuple(made[operand] for operand in operands), origin)
        case TupleOf(fields=fields):
            return TupleOf(tuple(made[part] for part in fields))
        case Projection(tuple=whole, index=index):
            return Projection(made[whole], made[index])
        case Slice(tuple=whole, start=start, stop=stop, step=step):
            return Slice(made[whole], made[start], made[stop], made[step])
        case VariadicTuple(body=body, symbol=symbol, length=length):
            return VariadicTuple(made[body], symbol, made[length])
        case Reduce(head=head, body=body, symbol=symbol, length=length):
            return Reduce(head, made[body], symbol, made[length])
        case _:
            return term
