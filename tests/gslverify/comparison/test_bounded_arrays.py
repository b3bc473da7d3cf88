"""The array type: data movement moves errors, dtypes are those of NumPy, the rest is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gslverify.comparison.bounded import Bounded, rounding_like


@pytest.fixture(autouse=True)
def quiet():
    with np.errstate(all="ignore"):
        yield


# Data movement.

MOVES = [
    lambda a: np.reshape(a, (4, 3)),
    lambda a: np.transpose(a, (1, 0)),
    lambda a: np.concatenate([a, a[:, :1]], 1),
    lambda a: np.concatenate((a, np.zeros((1, 4))), 0),
    lambda a: np.stack([a, a], -1),
    lambda a: np.pad(a, [(1, 0), (0, 2)]),
    lambda a: np.pad(a, [(1, 0), (0, 2)], constant_values=-7.0),
    lambda a: np.pad(a, 1, "edge"),
    lambda a: np.take(a, np.array([2, 0]), 0),
    lambda a: np.take_along_axis(a, np.array([[3, 0], [1, 1], [0, 2]]), 1),
    lambda a: np.broadcast_to(a, (2, 3, 4)),
    lambda a: np.expand_dims(a, (0, 2)),
    lambda a: np.squeeze(a[:1], 0),
    lambda a: np.flip(a, 1),
    lambda a: np.repeat(a, 2, 0),
    lambda a: np.tile(a, (2, 1)),
    lambda a: np.split(a, [1], 1)[1],
    lambda a: np.tril(a, 1),
    lambda a: np.triu(a),
    lambda a: np.lib.stride_tricks.sliding_window_view(a, (2, 2), (0, 1)),
    lambda a: np.where(np.array([True, False, True, False]), a, -7.0),
    lambda a: np.where(np.eye(3, 4, dtype=bool), -7, a),
    lambda a: a[1:, ::-1],
    lambda a: a[..., None, 0],
]


@pytest.mark.parametrize("move", MOVES)
def test_movement_moves_errors_with_values(move: Any) -> None:
    values = np.arange(1.0, 13.0).reshape(3, 4)
    moved = move(Bounded(values, values / 128, "float32"))
    np.testing.assert_array_equal(moved.value, move(values))
    np.testing.assert_array_equal(moved.error, np.maximum(moved.value, 0.0) / 128)
    assert moved.dtype in ("float32", "float64")


def test_filled_arrays() -> None:
    data = Bounded(np.ones((2, 3), np.float16), np.full((2, 3), 0.5))
    assert np.zeros_like(data).is_exact
    assert np.zeros_like(data).dtype == np.float16
    assert np.ones_like(data, dtype="float32").value.sum() == 6
    assert np.full_like(data, 3, dtype="int8").dtype == np.int8
    assert np.full_like(data, 0.1).value[0, 0] == np.float16(0.1)


# The array type.


@pytest.mark.parametrize("left", ["float16", "float32", "float64"])
@pytest.mark.parametrize("right", ["float16", "float32", "float64", "int8", "int64", int, float])
@pytest.mark.parametrize("rank", [0, 1])
def test_dtypes_are_promoted_as_in_numpy(left: str, right: Any, rank: int) -> None:
    one = np.ones((2,) * rank, left)
    other = right(1) if isinstance(right, type) else np.ones((2,) * rank, right)
    for compute in (np.add, np.multiply, np.maximum, np.divide, np.power):
        assert compute(Bounded(one), other).dtype == compute(one, other).dtype
        assert compute(other, Bounded(one)).dtype == compute(other, one).dtype


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_python_numbers_stand_for_themselves(dtype: Any) -> None:
    one = Bounded(np.ones(1, dtype))
    assert (one * 0.1).value == 0.1
    assert 0 < (one * 0.1).error < 1e-16
    assert (one * 0.5).is_exact


def test_numbers_that_overflow_are_infinite_in_their_dtype() -> None:
    assert np.isfinite((Bounded(np.ones(1, np.float16)) * 1e6).value)
    assert np.isinf((Bounded(np.ones(1)) * np.inf).value)


@pytest.mark.parametrize("shape", [(0,), (2, 0), (0, 3)])
def test_empty_arrays(shape: tuple[int, ...]) -> None:
    empty = Bounded(np.zeros(shape, np.float32))
    for result in (empty + empty, np.exp(empty), empty / empty, np.square(empty)):
        assert result.shape == shape
        assert result.is_exact
    assert np.sum(empty).value == 0.0
    assert np.prod(empty).value == 1.0
    assert np.isnan(np.mean(empty).value)
    assert np.concatenate([empty, empty], 0).shape == (2 * shape[0], *shape[1:])
    assert (empty < 1.0).shape == shape
    assert empty.astype("int8").shape == shape
    assert np.max(np.reshape(empty, (0, 2)), axis=1).shape == (0,)


def test_shape_size_and_length() -> None:
    array = Bounded(np.ones((2, 3), np.float32))
    assert (array.shape, array.ndim, array.size, len(array)) == ((2, 3), 2, 6, 2)
    assert repr(array[0, 0]) == "Bounded(array(1.), error=array(0.), dtype=float32)"


@pytest.mark.parametrize(
    "attempt",
    [
        lambda a: np.add(a, a, dtype="float64"),
        lambda a: np.add(a, a, out=np.zeros(2)),
        lambda a: np.add(np.zeros(2), a, out=(np.zeros(2),)),
        lambda a: np.add.reduce(a),
        lambda a: np.remainder(a, 2.0),
        lambda a: np.floor_divide(a, 2.0),
        lambda a: np.partition(a, 1),
        lambda a: np.asarray(a),
        lambda a: np.array([a, a]),
        lambda a: np.zeros(2).__iadd__(a),
    ],
)
def test_what_has_no_rule_is_refused(attempt: Any) -> None:
    with pytest.raises(TypeError):
        attempt(Bounded([1.0, 2.0]))


def test_precision_is_restored_after_an_error() -> None:
    with pytest.raises(KeyError), rounding_like("float16"):
        raise KeyError
    assert (Bounded([2.0**12]) + Bounded([1.0])).is_exact
