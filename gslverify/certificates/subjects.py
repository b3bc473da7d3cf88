"""What steps speak about: the terms, symbols and inputs in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from gsl.attr.term import Operation, Symbol, Term, children
from gsl.kernel.expression import Apply, Expression, Number, Read, Reduction, Select


@dataclass(frozen=True, slots=True, eq=False)
class Within(Expression):
    """An expression where indices have values in terms of others."""

    places: tuple[tuple[Symbol, Any], ...]
    body: Expression


def parts_of(subject: Any) -> Sequence[Any]:
    """Return the terms and expressions that an expression is made of."""
    match subject:
        case Number(value=value):
            return (value,)
        case Read(indices=indices):
            return indices
        case Select(condition=condition, then=then, otherwise=otherwise):
            return condition, then, otherwise
        case Apply(arguments=arguments):
            return arguments
        case Reduction(variables=variables, body=body):
            return body, *(extent for _, extent in variables)
        case Within(places=places, body=body):
            return body, *(term for _, term in places)
    return ()


def reads_in(subjects: Iterable[Any]) -> set[str]:
    """Return the inputs that expressions read."""
    found, stack = set[str](), [*subjects]
    while stack:
        subject = stack.pop()
        stack += subject if isinstance(subject, tuple) else parts_of(subject)
        if isinstance(subject, Read):
            found.add(subject.tensor)
    return found


def symbols_in(*subjects: Any) -> list[Symbol]:
    """Return the symbols in terms and expressions, in an order that depends on nothing else."""
    found, stack, seen = dict[Symbol, None](), [*subjects], set[int]()
    while stack:
        subject = stack.pop()
        if isinstance(subject, Symbol):
            found[subject] = None
        elif id(subject) not in seen:
            seen.add(id(subject))
            if isinstance(subject, Operation):
                stack += subject.operands
            else:
                stack += children(subject) if isinstance(subject, Term) else parts_of(subject)
    return list(found)


def flat(subjects: Iterable[Any]) -> Iterator[Any]:
    """Yield what subjects are about, those of tuples as well."""
    for one in subjects:
        if isinstance(one, tuple):
            yield from flat(one)
        else:
            yield one
