"""The search is complete, refuses early, and finds what trying everything finds."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from gsl import Subst, attr, op, pat
from gslverify.structures import variants
from gslverify.structures.variants import Search, enumerate_variants


def shapes(subst: Subst) -> set[Any]:
    """Return for every structure the ranks of all that is bound."""
    found = enumerate_variants(subst)
    assert found.complete
    every = [variant.instance(subst) for variant in found.variants]
    return {
        tuple(getattr(n.expr.type, "ndim", 0) for n in one.bindings.nodes.values()) for one in every
    }


def projections(count: int, by_shape: bool) -> Subst:
    """`count` products with biases: 2 * count + 1 inputs."""
    x = pat.Wildcard()
    w_shape, b_shape = ((None, None), (None,)) if by_shape else (None, None)
    pairs = [(pat.Variable(shape=w_shape), pat.Variable(shape=b_shape)) for _ in range(count)]
    outputs = [op.Matmul(x, w) + b for w, b in pairs]
    where = [x.ndim == 3]
    if not by_shape:
        where += [condition for w, b in pairs for condition in (w.ndim == 2, b.ndim == 1)]
    return Subst(outputs, outputs, where=where)


@pytest.mark.parametrize("count", [2, 3, 5])
def test_ranks_by_conditions_and_by_shapes_are_the_same(count: int) -> None:
    assert shapes(projections(count, by_shape=False)) == shapes(projections(count, by_shape=True))


@pytest.mark.parametrize("count", [3, 6])
def test_conditions_refuse_when_the_last_that_they_read_is_decided(count: int) -> None:
    search = Search(projections(count, by_shape=False))
    builds = sum(1 for _ in search.variants(most_runs=100 * count))
    assert search.prefix is None
    assert builds == 1


def unrelated_choices(count: int) -> Subst:
    """The last condition only depends on the first input, whatever the others are."""
    first = pat.Wildcard()
    others = [op.Transpose(pat.Wildcard()) for _ in range(count)]
    last = pat.Wildcard()
    where = [first.ndim + last.ndim > 20]
    outputs = [op.Relu(first), *others, op.Relu(last)]
    return Subst(outputs, outputs, where=where)


def test_a_refusal_jumps_back_over_what_it_does_not_depend_on() -> None:
    search = Search(unrelated_choices(6))
    assert not list(search.variants(most_runs=200))
    assert search.prefix is None


def every_pair() -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    where = [(x.ndim == y.ndim) | (x.ndim == 0), attr.Cond(x.ndim > 2, y.ndim == 4, y.ndim < 4)]
    outputs = [op.Relu(x), op.Relu(y)]
    return Subst(outputs, outputs, where=where)


def lengths_and_ranks() -> Subst:
    x = pat.Wildcard()
    field = op.Relu(x)
    fields = pat.Variadic(field, templates=[field, x], min_len=2)

    def fits(i: Any) -> Any:
        return (fields(x, i).ndim == i + 1) & (fields(x, i).shape[i] == 1)

    where = [attr.All(fits, length=fields.length)]
    return Subst(fields, fields, where=where)


def test_conditions_over_fields_refuse_field_by_field() -> None:
    search = Search(lengths_and_ranks())
    found = [max(one.bindings.lengths.values()) for _, one in search.variants(most_runs=80)]
    assert search.prefix is None
    assert sorted(found) == [2, 3, 4]


def test_the_search_finds_what_trying_every_rank_finds() -> None:
    expected = {
        (x, y)
        for x, y in product(range(5), repeat=2)
        if (x == y or x == 0) and (y == 4 if x > 2 else y < 4)
    }
    assert {(a, b) for a, _, b, _ in shapes(every_pair())} == expected


def everything_related(count: int) -> Subst:
    inputs = [pat.Wildcard() for _ in range(count)]
    weights = [one.ndim * (3**place) for place, one in enumerate(inputs)]
    total = weights[0]
    for one in weights[1:]:
        total = total + one
    outputs = [op.Relu(one) for one in inputs]
    return Subst(outputs, outputs, where=[total % 1_000_003 == 999_983])


def test_a_search_without_end_is_given_up_and_names_what_is_open() -> None:
    search = Search(everything_related(40))
    list(search.variants(most_runs=300))
    assert search.prefix is not None
    assert {one.what for one in search.unsearched()} == {"rank"}


@pytest.mark.parametrize("write", [every_pair, lengths_and_ranks])
def test_structures_are_built_anew_from_their_choices(write: Callable[[], Subst]) -> None:
    subst = write()
    for variant, instance in Search(subst).variants():
        again = variant.instance(subst)
        assert list(again.names.values()) == list(instance.names.values())
        assert len(again.claims) == len(instance.claims)


def tried_in_drawing(most: int, condition: Callable[[Any], Any]) -> tuple[int, int]:
    """Return how many structures were drawn, and how many builds that took."""
    x = pat.Wildcard()
    search = Search(Subst(op.Relu(x), op.Relu(x), where=[condition(x)]))
    found = len([*search.drawn(most, seed=0)])
    begun = 0
    attempt = search._attempt

    def counted(replay: Any) -> Any:
        nonlocal begun
        begun += 1
        return attempt(replay)

    search._attempt = counted  # type: ignore[method-assign]
    assert len([*search.drawn(most, seed=0)]) == found
    return found, begun


def test_structures_are_drawn_to_the_end_only_where_there_are_some(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found, begun = tried_in_drawing(40, lambda x: x.ndim == 3)
    none, in_vain = tried_in_drawing(40, lambda x: x.ndim * x.ndim == 7)
    monkeypatch.setattr(variants, "HOPELESS", 1)
    assert (found, begun) == tried_in_drawing(40, lambda x: x.ndim == 3)
    to_the_end = tried_in_drawing(40, lambda x: x.ndim * x.ndim == 7)[1]
    assert (found, none) == (40, 0)
    assert 2 * in_vain < to_the_end
