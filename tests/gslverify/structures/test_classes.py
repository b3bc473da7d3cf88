"""Structures are of one class if they differ in the numbering of axes only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import islice, pairwise, permutations
from typing import Any

import pytest

from gsl import Subst, attr, op, pat
from gslverify.structures.equivalence.classes import Forms, enumerate_classes
from gslverify.structures.equivalence.formula import Shared, Structure
from gslverify.structures.equivalence.renumbering import Formulas
from gslverify.structures.variants import Search, enumerate_variants


def classes(subst: Subst) -> Counter[Any]:
    """Return how many structures each class has; no form may be unknown."""
    found = enumerate_variants(subst)
    assert found.complete
    forms = Forms()
    every = [forms.of(variant.instance(subst)) for variant in found.variants]
    assert None not in every
    return Counter(every)


def transposed() -> Subst:
    x = pat.Wildcard()
    moved = op.Transpose(x)
    return Subst(op.Relu(moved), op.Transpose(op.Relu(x), axes=moved.axes))


def summed() -> Subst:
    x = pat.Wildcard()
    total = op.Sum(op.Negative(x), keepdims=False)
    return Subst(total, op.Negative(op.Sum(x, axis=total.axis, keepdims=False)))


def test_all_permutations_of_one_rank_are_one_class() -> None:
    assert sorted(classes(transposed()).values()) == [1, 1, 2, 6, 24]


def test_sets_of_axes_count_by_their_size_whatever_their_signs_and_orders() -> None:
    assert len(classes(summed())) == 1 + 1 + 2 + 3 + 4


def test_what_earlier_structures_have_written_makes_no_other_formula() -> None:
    x, y = pat.Wildcard(), pat.Wildcard()
    total = op.Sum(x + y, keepdims=False)
    apart = op.Sum(x, axis=total.axis, keepdims=False) + op.Sum(y, axis=total.axis, keepdims=False)
    subst = Subst(total, apart, where=[x.ndim == y.ndim, x.shape == y.shape])
    shared = Shared()
    for _, instance in islice(Search(subst).variants(), 40):
        alone = Shared(shared.formulas, shared.atoms)
        assert Structure(instance, shared).whole() == Structure(instance, alone).whole()
    assert len(shared.facts) < 40 * 6


def test_a_search_that_has_ended_gives_its_structures_again() -> None:
    search = Search(summed())
    first = [(variant, str(one.claims)) for variant, one in search.variants()]
    runs = search.runs
    assert [(variant, str(one.claims)) for variant, one in search.again()] == first
    assert search.runs == runs


def test_neighbouring_axes_that_are_reshaped_are_no_others() -> None:
    x = pat.Wildcard()
    flat = op.Reshape(x, shape=(attr.Product(lambda i: x.shape[i], length=x.ndim),))
    twice = op.Flip(op.Flip(flat, axis=0), axis=0)
    assert len(classes(Subst(twice, flat))) == 5


def only_for(order: tuple[int, ...]) -> Subst:
    """The target is another one for a single permutation."""
    x = pat.Wildcard()
    moved = op.Transpose(x)
    axes = attr.Variadic(lambda i: attr.Cond(moved.axes == order, i, moved.axes[i]), length=x.ndim)
    alike = attr.All(lambda i: x.shape[i] == x.shape[0], length=x.ndim)
    where = [x.ndim == len(order), alike]
    return Subst(op.Relu(moved), op.Transpose(op.Relu(x), axes=axes), where=where)


@pytest.mark.parametrize("order", [*permutations(range(3))][1:])
def test_a_structure_with_a_target_of_its_own_is_a_class_of_its_own(order: Any) -> None:
    assert sorted(classes(only_for(order)).values()) == [1, 5]


def divided(is_other: Callable[[Any], Any]) -> Subst:
    """The target reads the axes of a sum, and is another one for some of their forms."""
    x = pat.Wildcard()
    total = op.Sum(x, keepdims=True)
    size = attr.Product(lambda i: x.shape[total.axis[i]], length=attr.Length(total.axis))
    shape = attr.Variadic(lambda i: total.shape[i], length=x.ndim)
    target = op.Reshape(op.Sum(x, axis=total.axis, keepdims=True), shape=shape)
    whole = pat.Cond(is_other(total.axis), op.Negative(target), target)
    return Subst(total, whole, where=[size >= 1])


@pytest.mark.parametrize("axes", [(), (0, -3, 2), (2, -4, -3, 3)])
def test_forms_of_axes_that_are_looked_into_are_all_tried(axes: tuple[int, ...]) -> None:
    usual = enumerate_classes(divided(lambda found: attr.Length(found) > 4), 512)
    assert usual.complete
    assert usual.exhaustive
    other = enumerate_classes(divided(lambda found: found == axes), 512)
    assert other.exhaustive
    assert len(other.variants) == len(usual.variants) + (axes != ())
    assert other.structures == usual.structures > 700


def test_forms_that_are_too_many_are_said_to_be_left_out() -> None:
    x = pat.Wildcard()
    one = op.Sum(x, keepdims=True)
    two = op.Sum(one, keepdims=True)
    first = attr.Variadic(lambda i: one.axis[i], length=attr.Length(one.axis))
    second = attr.Variadic(lambda i: two.axis[i], length=attr.Length(two.axis))
    target = op.Sum(op.Sum(x, axis=second, keepdims=True), axis=first, keepdims=True)
    found = enumerate_classes(Subst(two, target), 512)
    assert found.complete
    assert not found.exhaustive


def first_axis_is_short() -> Subst:
    x = pat.Wildcard()
    total = op.Sum(x, keepdims=True)
    where = [x.ndim == 3, attr.Length(total.axis) == 1, x.shape[0] == 1]
    return Subst(total, op.Sum(x, axis=total.axis, keepdims=True), where=where)


def test_a_condition_about_an_axis_tells_it_from_others() -> None:
    assert len(classes(first_axis_is_short())) == 2


def two_inputs() -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    pair = op.Concatenate((x, y))
    whole = op.Flip(pair)
    return Subst(whole, op.Flip(op.Concatenate((x, y), axis=pair.axis), axis=whole.axis))


def test_axes_of_several_operators_are_numbered_together() -> None:
    # Along one axis or along two, of one to four: 1 + 3 * 2.
    assert len(classes(two_inputs())) == 7


FORMULAS = Formulas()


def exchanged(write: Callable[[Formulas, list[int]], int], order: list[int]) -> int:
    atoms = [FORMULAS.atom("axis") for _ in order]
    return FORMULAS.form(write(FORMULAS, [atoms[i] for i in order]))


def cycle(formulas: Formulas, atoms: list[int]) -> int:
    edges = [formulas.bag("edge", pair) for pair in zip(atoms, [*atoms[1:], atoms[0]], strict=True)]
    return formulas.bag("cycle", edges)


def path(formulas: Formulas, atoms: list[int]) -> int:
    return formulas.bag("cycle", [formulas.bag("edge", pair) for pair in pairwise(atoms)])


def ordered(formulas: Formulas, atoms: list[int]) -> int:
    return formulas.node("list", atoms)


@pytest.mark.parametrize("write", [path, ordered])
def test_a_form_does_not_depend_on_the_numbers(write: Any) -> None:
    assert len({exchanged(write, list(order)) for order in permutations(range(5))}) == 1


def test_forms_of_different_formulas_differ() -> None:
    written = {exchanged(write, list(range(5))) for write in (cycle, path, ordered)}
    assert len(written) == 3
    assert exchanged(cycle, list(range(4))) not in written
