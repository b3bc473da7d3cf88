"""Operators of users that are only declared in NumPy, and do something else for few numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from gsl import Subst, op, pat
from gsl.operators import REGISTRY
from gsl.operators.declaration import Need, Tensor, operator
from gsl.operators.kinds import Count, Number
from gsl.types import TensorType
from gslverify.finding import Verdict
from gslverify.stages.numeric import NUMERIC
from tests.gslverify.seeds import SEEDS
from tests.gslverify.stages.asking import ask, is_refuted

pytestmark = pytest.mark.smt

LIMIT = 54_321_009.0


def beyond(data: Any) -> Any:
    return data > LIMIT


def written(data: Any) -> Any:
    return np.where(data == 777.125, 0.0, data)


def behind(data: Any) -> Any:
    return np.where(beyond(data), 0.0, data)


def inner(data: Any) -> Any:
    return (lambda limit: np.where(data > limit, 0.0, data))(LIMIT)


def closed_over(limit: float) -> Callable[[Any], Any]:
    return lambda data: np.where(data == limit, 0.0, data)


REFERENCES = {
    "written": written,
    "behind": behind,
    "inner": inner,
    "closed over": closed_over(-31_250.5),
}


@pytest.fixture
def declare() -> Iterator[Callable[[Any], None]]:
    def declared(reference: Any) -> None:
        @operator(dtypes=("float64",))
        def Followed(need: Need, data: Tensor) -> TensorType:
            return data

        Followed.numpy(reference)

    yield declared
    REGISTRY.pop("Followed", None)


def from_source() -> Subst:
    """followed(x) => x + 0"""
    x = pat.Wildcard()
    return Subst(op.Followed(x), x + 0.0)


def from_target() -> Subst:
    """abs(x) => abs(followed(x))"""
    x = pat.Wildcard(dtype="float64")
    return Subst(op.Abs(x), op.Abs(op.Followed(x)))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("write", [from_source, from_target])
@pytest.mark.parametrize("name", REFERENCES)
def test_numbers_in_the_code_of_references_are_tried(
    name: str, write: Callable[[], Subst], seed: int, declare: Callable[[Any], None]
) -> None:
    declare(REFERENCES[name])
    assert is_refuted(write, NUMERIC, seed=seed)


@pytest.mark.parametrize("write", [from_source, from_target])
def test_references_that_do_the_same_for_all_numbers_pass(
    write: Callable[[], Subst], declare: Callable[[Any], None]
) -> None:
    declare(lambda data: np.where(data > LIMIT, data + 0.0, data))
    assert ask(NUMERIC, write).verdict is Verdict.PASS


def of_a_row(data: Any) -> Any:
    return data * (2.0 if data.shape[-1:] == (7,) else 1.0)


def of_many(data: Any) -> Any:
    return data * (2.0 if data.size == 230 else 1.0)


def of_a_long_axis(data: Any) -> Any:
    return data * (2.0 if any(size > 41 for size in data.shape) else 1.0)


def of_equal_axes(data: Any) -> Any:
    return data * (2.0 if data.shape == (5, 5) else 1.0)


def of_axes_together(data: Any) -> Any:
    return data * (2.0 if sum(data.shape) == 47 and data.ndim > 1 else 1.0)


def of_axes_apart(data: Any) -> Any:
    return data * (2.0 if data.ndim > 1 and data.shape[0] - data.shape[-1] == 13 else 1.0)


def of_a_square(data: Any) -> Any:
    return data * (2.0 if any(size**2 == 289 for size in data.shape) else 1.0)


def of_an_odd_number(data: Any) -> Any:
    return data * (2.0 if any(2 * size + 1 == 39 for size in np.abs(data).shape) else 1.0)


def of_both_axes(data: Any) -> Any:
    if data.ndim == 2 and data.shape[0] + 1 == 9 and data.shape[1] - 2 == 15:
        return data * 2.0
    return data


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("write", [from_source, from_target])
@pytest.mark.parametrize(
    "reference",
    [of_axes_together, of_axes_apart, of_a_square, of_an_odd_number, of_both_axes],
)
def test_what_references_compare_sizes_with_is_tried(
    reference: Callable[[Any], Any],
    write: Callable[[], Subst],
    seed: int,
    declare: Callable[[Any], None],
) -> None:
    declare(reference)
    assert is_refuted(write, NUMERIC, seed=seed)


def of_a_length(data: Any) -> Any:
    return data * (2.0 if data.ndim and len(data) * 3 == 51 else 1.0)


def of_converted_sizes(data: Any) -> Any:
    halves = [float(int(size)) / 2 for size in data.shape]
    return data * (2.0 if any(2 * half == 37 for half in halves) else 1.0)


def of_all_sizes_together(data: Any) -> Any:
    """Two sizes that are added and multiplied by NumPy."""
    sizes = data.shape[-2:]
    return data * (2.0 if len(sizes) == 2 and np.prod(sizes) + np.sum(sizes) == 67 else 1.0)


@pytest.mark.parametrize("reference", [of_a_length, of_converted_sizes, of_all_sizes_together])
def test_sizes_are_followed_through_conversions(
    reference: Callable[[Any], Any], declare: Callable[[Any], None]
) -> None:
    declare(reference)
    assert ask(NUMERIC, from_source).verdict is Verdict.FAIL


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("reference", [of_a_row, of_many, of_a_long_axis, of_equal_axes])
def test_numbers_in_the_code_of_references_are_tried_as_sizes(
    reference: Callable[[Any], Any], seed: int, declare: Callable[[Any], None]
) -> None:
    declare(reference)
    assert is_refuted(from_source, NUMERIC, seed=seed)


def test_numbers_in_the_code_of_references_are_tried_as_attributes() -> None:
    def reference(data: Any, steps: int) -> Any:
        return np.flip(data, 0) if steps == 11 else data

    @operator(dtypes=("float64",))
    def Followed(need: Need, data: Tensor, *, steps: Count = 1) -> TensorType:
        need(data.ndim == 1, "there must be one axis")
        return data

    Followed.numpy(reference)
    try:
        assert is_refuted(from_source, NUMERIC)
    finally:
        REGISTRY.pop("Followed", None)


def test_what_references_compare_attributes_with_is_tried() -> None:
    def reference(data: Any, steps: int, factor: float) -> Any:
        return -data if steps + len(data.shape) * 3 == 40 or factor == 0.375 else data

    @operator(dtypes=("float64",))
    def Followed(need: Need, data: Tensor, *, steps: Count = 1, factor: Number = 1.0) -> TensorType:
        return data

    def any_steps() -> Subst:
        x = pat.Wildcard()
        return Subst(op.Followed(x, factor=1.0), x + 0.0)

    def any_factor() -> Subst:
        x = pat.Wildcard()
        return Subst(op.Followed(x, steps=1), x + 0.0)

    Followed.numpy(reference)
    try:
        assert is_refuted(any_steps, NUMERIC)
        assert is_refuted(any_factor, NUMERIC)
    finally:
        REGISTRY.pop("Followed", None)


def test_references_that_do_the_same_for_all_sizes_pass(
    declare: Callable[[Any], None],
) -> None:
    declare(lambda data: data * (1.0 if data.shape[-1:] == (7,) else 2.0 / 2.0))
    assert ask(NUMERIC, from_source).verdict is Verdict.PASS


def ends(data: Any) -> tuple[Any, Any]:
    """Return the first and the last element."""
    flat = np.reshape(data, (-1,))
    return flat[0], flat[-1]


def of_a_sum(data: Any) -> Any:
    first, last = ends(data)
    return np.where(first + last == 12_345, 2 * data, data)


def of_a_difference(data: Any) -> Any:
    first, last = ends(data)
    return np.where(first - last == 7_777, 2 * data, data)


def of_a_product(data: Any) -> Any:
    first, last = ends(data)
    return np.where(first * last == 1_147, 2 * data, data)


def of_squares(data: Any) -> Any:
    return np.where(np.sum(data * data) == 1_234_321, 2 * data, data)


def of_an_interval(data: Any) -> Any:
    first, last = ends(data)
    total = first + 2 * last
    return np.where(total >= 40_000, np.where(total <= 40_000, 2 * data, data), data)


def of_all_elements(data: Any) -> Any:
    """What no change of a single element shows."""
    return data * np.where(np.all(data == 61.5), 2.0, 1.0) if data.size > 1 else data


def of_both_ends(data: Any) -> Any:
    """Two equations of the same two elements, the second asked where the first holds."""
    first, last = ends(data)
    if data.size > 1 and first + last == 300 and first - last == 72:
        return 2 * data
    return data


def of_two_sums(data: Any) -> Any:
    """The second comparison counts where the first holds."""
    first, last = ends(data)
    return np.where(first + last > 12_345, np.where(3 * first - last == 777, -data, data), data)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    "reference",
    [
        *(of_a_sum, of_a_difference, of_a_product, of_squares, of_an_interval, of_two_sums),
        *(of_all_elements, of_both_ends),
    ],
)
def test_what_references_compare_is_made_to_come_out_otherwise(
    reference: Callable[[Any], Any], seed: int, declare: Callable[[Any], None]
) -> None:
    declare(reference)
    assert is_refuted(from_source, NUMERIC, seed=seed)


def test_comparisons_that_change_nothing_pass(declare: Callable[[Any], None]) -> None:
    def compared(data: Any) -> Any:
        first, last = ends(data)
        return np.where(first + last == 12_345, data + 0.0, data)

    declare(compared)
    assert ask(NUMERIC, from_source).verdict is Verdict.PASS


class Counting:
    """A reference that is no function turns as well where a sum is a number of its code."""

    def __call__(self, data: Any) -> Any:
        return np.where(np.sum(data) == 12.5, data + 1, data)


@pytest.mark.parametrize(
    "reference", [Counting(), np.frompyfunc(lambda one: one + (one == 12.5), 1, 1)]
)
def test_references_that_are_no_functions_are_watched(
    reference: Any, declare: Callable[[Any], None]
) -> None:
    declare(reference)

    def rule() -> Subst:
        x = pat.Wildcard("x")
        return Subst(op.Relu(op.Followed(x)), op.Relu(x))

    assert ask(NUMERIC, rule).verdict is not Verdict.PASS
