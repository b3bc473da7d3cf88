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
    if usual.has_more_after(MOST_RUNS):
        return usual.selection(STRUCTURES_DRAWN, structures_asked_for(subst, usual.steps))
    every_form = None if usual.exhaustive else _few_in_every_form(subst)
    if every_form is not None:
        every = _classes(every_form, most)
        if len(every.variants) <= most:
            return every
    if len(usual.found) <= FEW_STRUCTURES:
        return usual.enumeration(usual.found)
    return _classes(usual, most)


def _few_in_every_form(subst: Subst) -> Search | None:
    """Return the search for structures with every form of attributes, if it found them all."""
    search = Search(subst, RARE)
    has_more = search.has_more_after(MOST_RUNS_IN_EVERY_FORM)
    found_all = not has_more and search.exhaustive and not search.undecided
    return search if found_all else None


def _classes(search: Search, most: int) -> Enumeration:
    """Return one structure of each class; those that are met when there are `most`, all are."""
    forms = Forms()
    classes: dict[Hashable, Variant] = {}
    for variant, instance in search.again():
        form = forms.of(instance) if len(classes) <= most else None
        classes.setdefault(variant if form is None else form, variant)
    return search.enumeration(list(classes.values()), len(search.found))
