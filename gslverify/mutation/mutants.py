"""The mutants of a rule: rules of their own, with names that lead back to it."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, replace
from functools import partial

from gsl.canonical import rule_hash
from gsl.check import check
from gsl.check.finding import place_of
from gsl.errors import GslError
from gsl.span import Span
from gsl.subst import Rule, Subst
from gslverify.mutation.registry import OPERATORS, Change, MutationOperator

MARK = "~"
"""Stands between the name of a rule and the id of a mutant: "two_conv_add~M01.2"."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A rule that one change has made.

    `stillborn` is the reason why the language refuses it; empty for one that has to be verified.
    The substitution is None for one of these, and where the rule is not at hand.
    """

    name: str
    operator_id: str
    description: str
    span: Span | None
    subst: Subst | None
    performance: bool = False
    elsewhere: bool = False
    stillborn: str = ""

    @property
    def operator(self) -> MutationOperator:
        """The mutation operator that has made it."""
        return operators()[self.operator_id]

    @property
    def number(self) -> str:
        """The id within the rule, such as "M01.2"."""
        return self.name.rpartition(MARK)[2]


def operators() -> dict[str, MutationOperator]:
    """Return all mutation operators by id."""
    for module in ("sources", "attributes", "structure"):
        importlib.import_module(f"gslverify.mutation.{module}")
    return dict(sorted(OPERATORS.items()))


def mutants_of(rule: Rule) -> list[Mutant]:
    """Return the mutants of a rule, each meaning once, in the order of the mutation operators.

    The rule is written down once. Raises whatever it raises then.
    """
    subst = rule()
    seen = {rule_hash(subst)}
    found: list[Mutant] = []
    for operator in operators().values():
        for number, change in enumerate(operator.changes(subst), 1):
            mutant = _mutant(f"{rule.name}{MARK}{operator.id}.{number}", operator, change, subst)
            if mutant.subst is not None:
                meaning = mutant.subst.derived(rule_hash)
                if meaning in seen:
                    continue
                seen.add(meaning)
            found.append(mutant)
    return found


def mutant_with(rule: Rule, number: str) -> Mutant | None:
    """Return the mutant of a rule with a number, such as "M01.2", made without all others.

    None if there is none. Whether another one has its meaning is not asked.
    """
    operator_id, _, place = number.partition(".")
    operator = operators().get(operator_id)
    if operator is None or not place.isdecimal():
        return None
    subst = rule()
    for found, change in enumerate(operator.changes(subst), 1):
        if found == int(place):
            return _mutant(f"{rule.name}{MARK}{number}", operator, change, subst)
    return None


def _mutant(name: str, operator: MutationOperator, change: Change, subst: Subst) -> Mutant:
    span = place_of(change.place) if change.place is not None else None
    known = (name, operator.id, change.description, span or subst.span)
    try:
        made = change.draft.build()
        stillborn = _refusal(made)
    except GslError as error:
        return Mutant(*known, None, stillborn=str(error))
    if stillborn:
        return Mutant(*known, None, change.performance, change.elsewhere, stillborn)
    return Mutant(*known, made, change.performance, change.elsewhere)


def _refusal(made: Subst) -> str:
    """Return why the language refuses a rule, empty if it does not."""
    try:
        refused = next((error for error in made.derived(check) if not error.warning), None)
    except GslError:
        raise
    except Exception:  # a declaration of somebody else's; the static stage says where it failed
        return ""
    return f"{refused.code} {refused.message}" if refused is not None else ""


def as_rule(rule: Rule, mutant: Mutant) -> Rule:
    """Return a mutant as a rule that can be verified; it expects nothing."""
    assert mutant.subst is not None
    return replace(
        rule,
        name=mutant.name,
        write=partial(_written, mutant.subst),
        expect="",
        twin="",
        flags=rule.declared,
        assumptions=(),
    )


def _written(subst: Subst) -> Subst:
    return subst
