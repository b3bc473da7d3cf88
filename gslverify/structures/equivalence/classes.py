"""Structures that say the same: source, target and claims are equal but for the numbering of axes.

Axes of inputs, of results in between and of outputs may be numbered anew, those of an output in
source and target alike. What elements are, by the kernels of operators, and what has to hold for
the target to be legal and of the same type is compared as it was built, so terms of a rule need not
treat axes alike. Of structures of one class one is examined.
"""

from __future__ import annotations

from collections.abc import Hashable

from gsl.errors import GslError
from gsl.subst import Subst
from gslverify.structures.directed import structures_asked_for
from gslverify.structures.equivalence.formula import Shared, Structure
from gslverify.structures.instance import RARE, Instance
from gslverify.structures.variants import (
    MOST_RUNS,
    STRUCTURES_DRAWN,
    Enumeration,
    Search,
    Variant,
)

FEW_STRUCTURES = 40
"""So many are examined one by one, as that takes no longer than to compare them."""

MOST_RUNS_IN_EVERY_FORM = 5000
"""Builds of a source to see that there are few structures with every form of attributes."""


class Forms:
    """The forms of the structures of one rule."""

    def __init__(self) -> None:
        self._shared = Shared()

    def of(self, instance: Instance) -> Hashable | None:
        """Return what structures of one class have in common; None if that is not known."""
        structure = Structure(instance, self._shared)
        try:
            root = structure.whole()
        except (GslError, TypeError):
            return None
        return self._shared.formulas.form(root), frozenset(structure.outcomes)


def enumerate_classes(subst: Subst, most: int, search: Search | None = None) -> Enumeration:
    """Return an enumeration with one structure of each class, the first.

    All are returned where they are few, those that are met when there are `most` classes, and some
    that are drawn where not all can be tried. Rare forms of attributes are among them where these
    can all be tried. A `search` that was begun is gone on with.
    """
    usual = search or Search(subst)
    classes = Classes(usual, most)
    if classes.has_more_after(MOST_RUNS):
        return usual.selection(STRUCTURES_DRAWN, structures_asked_for(subst, usual.steps))
    if not usual.exhaustive:
        every_form = Classes(Search(subst, RARE), most)
        if every_form.found_all_after(MOST_RUNS_IN_EVERY_FORM):
            every = every_form.enumeration()
            if len(every.variants) <= most:
                return every
    if len(usual.found) <= FEW_STRUCTURES:
        return usual.enumeration(usual.found)
    return classes.enumeration()


class Classes:
    """One structure of each class that a search finds; those that are met when there are `most`.

    Structures are compared when they are found, as they are there then, but for the first few.
    """

    def __init__(self, search: Search, most: int) -> None:
        self._search = search
        self._most = most
        self._forms = Forms()
        self._first: dict[Hashable, Variant] = {}
        self._compared = 0

    def has_more_after(self, most_runs: int) -> bool:
        """Go on with the search; tell whether more builds than these are needed for its end."""
        for variant, instance in self._search.variants(most_runs):
            if len(self._search.found) <= FEW_STRUCTURES:
                continue
            if self._compared + 1 == len(self._search.found):
                self._add(variant, instance)
            else:
                self._catch_up()
        return self._search.prefix is not None

    def found_all_after(self, most_runs: int) -> bool:
        """Tell whether so many builds find all structures, with every form of attributes.

        They are compared later, as there may be too many.
        """
        search = self._search
        in_vain = any(not search.is_sure for _ in search.variants(most_runs))
        return not in_vain and search.is_sure and search.prefix is None

    def enumeration(self) -> Enumeration:
        """Return one structure of each class, which stand for all."""
        self._catch_up()
        return self._search.enumeration(list(self._first.values()), len(self._search.found))

    def _catch_up(self) -> None:
        for variant, instance in self._search.again(self._compared):
            self._add(variant, instance)

    def _add(self, variant: Variant, instance: Instance) -> None:
        self._compared += 1
        form = self._forms.of(instance) if len(self._first) <= self._most else None
        self._first.setdefault(variant if form is None else form, variant)
