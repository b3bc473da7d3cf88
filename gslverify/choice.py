"""The rules of a run: what selectors name, without what settings leave out.

Files that take long to import come later, so that no others wait for them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from math import inf
from typing import Self

from gslverify.codes.corpus import NO_RULES
from gslverify.corpus.changes import only_changed
from gslverify.corpus.collect import Collection
from gslverify.corpus.declaration import Collected, CollectedRule, Unusable
from gslverify.corpus.selection import rule_selector
from gslverify.engine.writing import write_down
from gslverify.events import RunDone
from gslverify.mutation.collect import is_mutant, mutants_among
from gslverify.settings import Settings

PATIENCE = 3.0
"""Seconds for which all wait in which no file comes to an end."""


class Choice:
    """What `selectors` name, without rules that settings or the expression leave out.

    The rules are written down. What cannot be used is always included. Raises SelectionError for an
    unreadable expression. A context manager that ends the processes that import files.
    """

    def __init__(self, selectors: Sequence[str], expression: str, settings: Settings) -> None:
        self._selectors, self._expression, self._settings = selectors, expression, settings
        self._meant = rule_selector(expression) if expression else lambda rule: True
        plain = [one for one in selectors if not is_mutant(one)]
        seconds, at_once = settings.load_timeout, max(settings.jobs, 1)
        self._files = Collection(
            plain, seconds, settings.files, write_down, self._is_wanted, at_once
        )
        self._first: list[Collected] = []
        self._all: list[Collected] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._files.__exit__(*error)

    @property
    def late(self) -> bool:
        """Whether there are files that are not through."""
        return self._all is None

    def first(self) -> list[Collected]:
        """Return what can be verified at once: all, where only all of it tells what is meant."""
        settings = self._settings
        whole = settings.library or settings.changed_since or settings.shard != Settings().shard
        soon = self._files.soon(inf if whole else PATIENCE)
        if soon is None:
            return self.all()
        self._first = [item for item in soon if self._is_kept(item)]
        return self._first

    def rest(self) -> list[Collected]:
        """Return what was not there at first, and wait for it."""
        known = {item.rule_id for item in self._first}
        return [item for item in self.all() if item.rule_id not in known]

    def all(self) -> list[Collected]:
        """Return all rules, when all files are through; standard error is told of a lack."""
        settings = self._settings
        collected = self._files.all()
        collected += mutants_among(self._selectors, collected, settings.load_timeout, write_down)
        kept = [item for item in collected if self._is_kept(item)]
        if settings.changed_since:
            kept = only_changed(kept, settings.changed_since)
        rules, left = (sum(isinstance(i, CollectedRule) for i in x) for x in (collected, kept))
        if rules and not left:
            print(f"{' and '.join(self._asked())} selects none of {rules} rules", file=sys.stderr)
        self._all = kept
        return kept

    def _is_wanted(self, item: CollectedRule) -> bool:
        tags = frozenset(self._settings.tags)
        return self._meant(item.rule) and (not tags or not tags.isdisjoint(item.rule.tags))

    def _is_kept(self, item: Collected) -> bool:
        if isinstance(item, Unusable):
            return not (self._settings.allow_no_rules and item.finding.code is NO_RULES)
        return self._is_wanted(item)

    def _asked(self) -> list[str]:
        settings = self._settings
        asked = [f"-k {self._expression!r}"] if self._expression else []
        asked += [f"--tag {','.join(settings.tags)}"] if settings.tags else []
        asked += [f"--changed-since {settings.changed_since}"] if settings.changed_since else []
        return asked

    def in_source_order(self, items: Sequence[Collected]) -> list[Collected]:
        """Return the rules of a run, those that came later in their places."""
        return list(items) if self._all is None or not self._first else self._all

    def in_order(self, done: RunDone) -> RunDone:
        """Return the end of a run with results in the order of the source."""
        if self._all is None or not self._first:
            return done
        places = {item.rule_id: place for place, item in enumerate(self._all)}
        ordered = sorted(done.results, key=lambda one: places.get(one.rule_id, len(places)))
        return replace(done, results=tuple(ordered))


def chosen_rules(
    selectors: Sequence[str], expression: str = "", settings: Settings | None = None
) -> list[Collected]:
    """Return all rules of a `Choice`."""
    with Choice(selectors, expression, settings or Settings()) as choice:
        return choice.all()
