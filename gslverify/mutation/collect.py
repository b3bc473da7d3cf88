"""Mutants among the rules that selectors name: ``rules.py::two_conv_add~M01.2``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from gsl.errors import did_you_mean
from gslverify.codes.corpus import RULE_MISSING
from gslverify.corpus.collect import ANY_FILE, Collected, CollectedRule, Unusable, collect
from gslverify.finding import Finding
from gslverify.mutation.mutants import MARK, Mutant, as_rule, mutants_of
from gslverify.settings import Settings


def is_mutant(rule_id: str) -> bool:
    """Tell whether an id or a selector names a mutant."""
    return MARK in rule_id.rpartition("::")[2]


def mutants_in(item: CollectedRule) -> list[tuple[Mutant, CollectedRule | None]]:
    """Return the mutants of a collected rule; stillborn ones cannot be verified.

    Raises whatever the rule raises when it is written down.
    """
    file = item.rule_id.rpartition("::")[0]
    return [
        (
            mutant,
            CollectedRule(f"{file}::{mutant.name}", item.path, as_rule(item.rule, mutant))
            if mutant.subst is not None
            else None,
        )
        for mutant in mutants_of(item.rule)
    ]


def mutant_item(item: CollectedRule, rule_id: str) -> CollectedRule | None:
    """Return the mutant of a rule that has this id, or None."""
    return _by_id(item).get(rule_id)


@lru_cache(maxsize=4)
def _by_id(item: CollectedRule) -> dict[str, CollectedRule]:
    return {found.rule_id: found for _, found in mutants_in(item) if found is not None}


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


def collect_with_mutants(
    selectors: Sequence[str],
    seconds: float = Settings().load_timeout,
    patterns: Sequence[str] = ANY_FILE,
) -> list[Collected]:
    """Return what `gslverify.corpus.collect.collect` does; a selector may also name a mutant."""
    plain = [s for s in selectors if not is_mutant(s)]
    found = collect(plain, seconds, patterns) if plain else []
    known = {item.rule_id for item in found}
    for selector in selectors:
        if is_mutant(selector):
            items = _selected(selector, seconds)
            found += [item for item in items if item.rule_id not in known]
    return found


def _selected(selector: str, seconds: float) -> Iterator[Collected]:
    number = selector.rpartition(MARK)[2]
    for item in collect([rule_id_of(selector)], seconds):
        if isinstance(item, Unusable):
            yield item
            continue
        mutants = _by_id(item)
        wanted = f"{item.rule_id}{MARK}{number}"
        yield mutants.get(wanted) or _missing(item, wanted, list(mutants))


def _missing(item: CollectedRule, wanted: str, known: list[str]) -> Unusable:
    message = f"rule `{item.rule.name}` has no mutant {wanted.rpartition(MARK)[2]}"
    numbers = [name.rpartition(MARK)[2] for name in known]
    cure = (
        did_you_mean(wanted.rpartition(MARK)[2], numbers) or f"see `gslverify mutate {item.path}`"
    )
    return Unusable(wanted, item.path, Finding(RULE_MISSING, message, item.rule.span, cure))


def find_item(loaded: Sequence[Collected], rule_id: str) -> Collected | None:
    """Return the rule or mutant of that id among what a file holds, or None.

    The file may be called otherwise here, where another folder is the working directory.
    """
    wanted = rule_id_of(rule_id) if is_mutant(rule_id) else rule_id
    name = f"::{wanted.rpartition('::')[2]}"
    item = next((one for one in loaded if one.rule_id.endswith(name)), None)
    if item is None or not is_mutant(rule_id) or not isinstance(item, CollectedRule):
        return item
    return mutant_item(item, rule_id)
