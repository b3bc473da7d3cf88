"""The mutation operators: what each breaks, and how it makes broken rules from a sound one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from gsl.check.finding import target_only
from gsl.pat import Call, Pattern
from gsl.subst import Subst
from gsl.text.naming import pattern_names
from gslverify.mutation.draft import Draft


@dataclass(frozen=True, slots=True)
class Change:
    """One change of a rule: where, in words, and the rule that results.

    `performance` says that only the cost of what is computed changes, `elsewhere` that the rule
    may match what it did not match before, although its operator does not always do that.
    """

    place: Pattern | None
    description: str
    draft: Draft
    performance: bool = False
    elsewhere: bool = False


Changes = Iterator[Change]
Changer = Callable[[Subst], Changes]


@dataclass(frozen=True, slots=True)
class MutationOperator:
    """A way to break rules.

    `weakens` says that the source matches more than before, so that a rule which still holds was
    stricter than it had to be.
    """

    id: str
    meaning: str
    changes: Changer
    weakens: bool = False


OPERATORS: dict[str, MutationOperator] = {}


def mutation(
    identifier: str, meaning: str, *, weakens: bool = False
) -> Callable[[Changer], Changer]:
    """Register a mutation operator under its id, such as "M01"."""

    def register(changes: Changer) -> Changer:
        if identifier in OPERATORS:
            raise ValueError(f"{identifier} is registered twice")
        OPERATORS[identifier] = MutationOperator(identifier, meaning, changes, weakens)
        return changes

    return register


def source_calls(subst: Subst) -> list[Call]:
    """Return the calls of the source, operands first."""
    return [pattern for pattern in subst.source_patterns if isinstance(pattern, Call)]


def target_calls(subst: Subst) -> list[Call]:
    """Return the calls that only the target has, operands first."""
    return [pattern for pattern in target_only(subst) if isinstance(pattern, Call)]


def name_of(subst: Subst, pattern: Pattern) -> str:
    """Return what the author calls a pattern."""
    return pattern_names(subst).get(pattern, repr(pattern))
