"""Mutants among the rules that selectors name: ``rules.py::two_conv_add~M01.2``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from gsl.errors import did_you_mean
from gsl.rule_files.guard import Loss
from gslverify.codes.corpus import RULE_MISSING, RULE_RAISES
from gslverify.corpus.collect import collect
from gslverify.corpus.declaration import (
    Collected,
    CollectedRule,
    Loaded,
    LoadedRule,
    Unusable,
    loaded_rule,
)
from gslverify.corpus.guarded import Write, asked
from gslverify.finding import Finding
from gslverify.mutation.mutants import MARK, Mutant, as_rule, mutant_with, mutants_of
from gslverify.mutation.normal import normal_form


def is_mutant(rule_id: str) -> bool:
    """Tell whether an id or a selector names a mutant."""
    return MARK in rule_id.rpartition("::")[2]


@dataclass(frozen=True, slots=True)
class Drafted:
    """A mutant as data, and as a rule to be verified unless it is stillborn or says the same."""

    mutant: Mutant
    item: CollectedRule | None = None


def drafted(rule_id: str, write: Write, loaded: Sequence[Loaded]) -> list[Drafted]:
    """Return the mutants of a rule of a file, written down; for the process that has imported it.

    Raises whatever the rule raises when it is written down.
    """
    item = find_item(loaded, rule_id)
    if not isinstance(item, LoadedRule):
        raise LookupError(f"{rule_id} is there no more")
    form = normal_form(item.rule())
    return [_drafted(mutant, made, form, write) for mutant, made in mutants_in(item)]


def _drafted(mutant: Mutant, made: LoadedRule | None, form: object, write: Write) -> Drafted:
    plain = replace(mutant, subst=None)
    if made is None or mutant.subst is None or normal_form(mutant.subst) == form:
        return Drafted(plain)
    return Drafted(plain, replace(made.collected, written=write(made)))


def mutants_in(item: LoadedRule) -> list[tuple[Mutant, LoadedRule | None]]:
    """Return the mutants of a collected rule; stillborn ones cannot be verified.

    Raises whatever the rule raises when it is written down.
    """
    return [(mutant, _loaded(item, mutant)) for mutant in mutants_of(item.rule)]


def _loaded(item: LoadedRule, mutant: Mutant | None) -> LoadedRule | None:
    """Return a mutant as a rule of the file of its own rule, None if it cannot be verified."""
    if mutant is None or mutant.subst is None:
        return None
    file = item.rule_id.rpartition("::")[0]
    return loaded_rule(f"{file}::{mutant.name}", item.path, as_rule(item.rule, mutant))


def rule_id_of(mutant_id: str) -> str:
    """Return the id of the rule that a mutant was made from."""
    file, separator, name = mutant_id.rpartition("::")
    return f"{file}{separator}{name.partition(MARK)[0]}"


def mutant_selectors(selectors: Sequence[str], number: str) -> tuple[str, ...]:
    """Return selectors of the mutant with a number, such as "M01.2", of the rules that are named.

    Raises ValueError for a selector that names no single rule.
    """
    for selector in selectors:
        if "::" not in selector or is_mutant(selector):
            raise ValueError(f"`{selector}` is not a rule; write FILE::RULE to look at a mutant")
    return tuple(f"{selector}{MARK}{number.upper()}" for selector in selectors)


def mutants_among(
    selectors: Sequence[str], found: Sequence[Collected], seconds: float, write: Write | None
) -> list[Collected]:
    """Return the mutants that selectors name, but for those that were found."""
    known = {item.rule_id for item in found}
    named = (selector for selector in selectors if is_mutant(selector))
    items = [item for one in named for item in _selected(one, seconds, write)]
    return [item for item in items if item.rule_id not in known]


def _selected(selector: str, seconds: float, write: Write | None) -> Iterator[Collected]:
    number = selector.rpartition(MARK)[2]
    for item in collect([rule_id_of(selector)], seconds):
        if isinstance(item, Unusable):
            yield item
            continue
        wanted = f"{item.rule_id}{MARK}{number}"
        found = asked(item.path, partial(_mutant, item.rule_id, wanted, write), seconds)
        if isinstance(found, CollectedRule):
            yield found
        elif isinstance(found, Loss):
            finding = Finding(RULE_RAISES, f"the rule {found.how}", item.rule.span)
            yield Unusable(item.rule_id, item.path, finding)
        else:
            yield _missing(item, wanted, found)


def _mutant(
    rule_id: str, wanted: str, write: Write | None, loaded: Sequence[Loaded]
) -> CollectedRule | list[str]:
    """Return a mutant, or the ids of those that there are."""
    item = find_item(loaded, rule_id)
    found = mutants_in(item) if isinstance(item, LoadedRule) else []
    mutants = {made.rule_id: made for _, made in found if made is not None}
    made = mutants.get(wanted)
    if made is None:
        return list(mutants)
    return made.collected if write is None else replace(made.collected, written=write(made))


def _missing(item: CollectedRule, wanted: str, known: list[str]) -> Unusable:
    message = f"rule `{item.rule.name}` has no mutant {wanted.rpartition(MARK)[2]}"
    numbers = [name.rpartition(MARK)[2] for name in known]
    cure = (
        did_you_mean(wanted.rpartition(MARK)[2], numbers) or f"see `gslverify mutate {item.path}`"
    )
    return Unusable(wanted, item.path, Finding(RULE_MISSING, message, item.rule.span, cure))


def find_item(loaded: Sequence[Loaded], rule_id: str) -> Loaded | None:
    """Return the rule or mutant of that id among what a file holds, or None.

    The file may be called otherwise here, where another folder is the working directory.
    """
    wanted = rule_id_of(rule_id) if is_mutant(rule_id) else rule_id
    name = f"::{wanted.rpartition('::')[2]}"
    item = next((one for one in loaded if one.rule_id.endswith(name)), None)
    if item is None or not is_mutant(rule_id) or not isinstance(item, LoadedRule):
        return item
    return _loaded(item, mutant_with(item.rule, rule_id.rpartition(MARK)[2]))
