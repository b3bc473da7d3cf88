"""Wrong rules that differ only where sizes or attributes that the target computes with are rare."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gsl import Subst, attr, op, pat
from gslverify.stages.numeric import NUMERIC
from tests.gslverify.stages.asking import is_refuted

pytestmark = pytest.mark.smt

Write = Callable[[], Subst]


def tensor(rank: int, dtype: str = "float32") -> Any:
    return pat.Wildcard(shape=(None,) * rank, dtype=dtype)


def number(value: Any, dtype: str = "float32") -> Any:
    return pat.Const(value, dtype=dtype)


def twice(x: Any) -> Any:
    return op.Relu(op.Relu(x))


def places(x: Any, axis: int) -> Any:
    size = x.shape[axis]
    shape = tuple(size if one == axis else 1 for one in range(2))
    return op.Reshape(op.Arange(start=0, end=size, step=1, dtype="int64"), shape=shape)


def more(value: Callable[[Any], Any]) -> Write:
    """Add a number that is made of the size."""

    def write() -> Subst:
        x = tensor(1)
        added = op.Full(shape=(), fill_value=value(x.shape[0]), dtype="float32")
        return Subst(twice(x), op.Relu(x) + added)

    return write


def negative(condition: Callable[[Any], Any], rank: int = 1) -> Write:
    """Turn the sign where a condition of the target holds that no input decides."""

    def write() -> Subst:
        x = tensor(rank)
        return Subst(twice(x), op.Where(condition(x), -op.Relu(x), op.Relu(x)))

    return write


def taken_from_a_table() -> Subst:
    x = tensor(1)
    table = number((0.0,) * 66 + (1.0,))
    taken = op.Take(table, number(x.shape[0] % 67, "int64"), axis=0)
    return Subst(twice(x), op.Relu(x) + taken)


def depth_of_one_hot() -> Subst:
    i = tensor(1, "int64")
    hot = op.OneHot(i, axis=-1, dtype="float32", on_value=1.0, off_value=0.0)
    value = attr.Floor(1.0 + hot.depth / 150.0) - attr.Floor(hot.depth / 300.0)
    total = op.Sum(hot + 0.0 * hot, axis=(1,), keepdims=False)
    return Subst(total, op.Full(shape=(i.shape[0],), fill_value=value, dtype="float32"))


def index_but_seven() -> Subst:
    i = tensor(1, "int64")
    hot = op.OneHot(i, axis=-1, dtype="float32", on_value=1.0, off_value=0.0)
    other = op.Where(op.Equal(i, number(7, "int64")), number(6, "int64"), i)
    target = op.OneHot(
        other, axis=-1, dtype="float32", on_value=1.0, off_value=0.0, depth=hot.depth
    )
    return Subst(op.Relu(op.Relu(hot)), target)


def count_of_a_table() -> Subst:
    x = tensor(2, "bool")
    few = [x.shape[0] <= 17, x.shape[1] <= 17]

    def is_none(dtype: str) -> Any:
        total = op.Sum(op.Cast(x, dtype=dtype), axis=(0, 1), keepdims=False)
        return op.Equal(total, number(0, dtype))

    return Subst(is_none("uint8"), is_none("int64"), where=few)


WRONG: dict[str, Write] = {
    "rounded down": more(lambda n: attr.Floor(1.0 / (1.0 + attr.Abs(n - 137)))),
    "rounded up": more(lambda n: 1.0 - attr.Ceil(attr.Abs(n - 137) / 100000.0)),
    "from a list": more(lambda n: attr.Tuple(*([0.0] * 52 + [1.0]))[n % 53]),
    "a size": negative(lambda x: op.Equal(number(x.shape[0], "int64"), number(111, "int64"))),
    "a number of elements": negative(lambda x: op.Equal(op.Size(x), number(143, "int64")), 2),
    "a sum of ones": negative(
        lambda x: op.Equal(op.Sum(op.OnesLike(x), axis=(0,), keepdims=False), number(97.0))
    ),
    "bits of a size": negative(
        lambda x: op.Equal(
            op.BitwiseAnd(number(x.shape[0], "int64"), number(42, "int64")), number(42, "int64")
        )
    ),
    "two places": negative(
        lambda x: op.LogicalAnd(op.Greater(places(x, 0), 20), op.Greater(places(x, 1), 20)), 2
    ),
    "a place in a table": taken_from_a_table,
    "a depth": depth_of_one_hot,
    "an index": index_but_seven,
    "a count of a table": count_of_a_table,
}


@pytest.mark.parametrize("name", WRONG)
def test_rare_sizes_are_found(name: str) -> None:
    assert is_refuted(WRONG[name], NUMERIC)


def filled(wide: str, narrow: str) -> Write:
    def write() -> Subst:
        x = op.Full(dtype=wide)
        same = op.Full(shape=x.shape, fill_value=x.fill_value, dtype=wide)
        return Subst(-x, -op.Cast(op.Cast(same, dtype=narrow), dtype=wide))

    return write


def counted(narrow: str) -> Write:
    def write() -> Subst:
        x = op.Arange(step=1, dtype="int64")
        same = op.Arange(start=x.start, end=x.end, step=1, dtype="int64")
        return Subst(-x, -op.Cast(op.Cast(same, dtype=narrow), dtype="int64"))

    return write


def size_in_half() -> Subst:
    x = pat.Wildcard(dtype="float32")
    narrow = op.Cast(op.Size(x), dtype="float16")
    return Subst(op.Size(x), op.Cast(narrow, dtype="int64"))


NARROW: dict[str, Write] = {
    "filled": filled("int32", "float32"),
    "int16": counted("int16"),
    "int32": counted("int32"),
    "float32": counted("float32"),
    "a size in float16": size_in_half,
}


@pytest.mark.parametrize("name", NARROW)
def test_numbers_that_a_narrow_dtype_does_not_have_are_drawn(name: str) -> None:
    assert is_refuted(NARROW[name], NUMERIC)
