"""Kernels that take strides, padding and the like as numbers, against the NumPy references."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf, nan
from random import Random
from typing import Any

import numpy as np
import pytest

from gsl.errors import GslError
from gsl.evaluate import evaluate
from gsl.expr import Call, Expr, Var
from gsl.operators import lookup
from gsl.tvm.kernels import Kernels
from gsl.tvm.numbered import NUMBERS

pytestmark = pytest.mark.tvm

CALLS = 120
"""Calls of every operator; about half of them share kernels."""
FILLERS = (0.0, -0.0, 1.0, 1.5, -2.0, 0.1, 1e-5, 1e-7, 100.0, inf, -inf, nan)
DTYPES = ("float64", "float32", "float16", "int64", "int32", "int8", "uint8")


def numbers(random: Random, least: int, most: int, many: int) -> tuple[int, ...]:
    return tuple(random.randint(least, most) for _ in range(many))


def sides(random: Random, axes: int) -> tuple[int, ...]:
    """Return padding before and behind some axes: some, behind only, or none."""
    before = (0,) * axes
    behind = (*before, *numbers(random, 0, 1, axes))
    return random.choice([numbers(random, 0, 2, 2 * axes), behind, 2 * before])


def convolution(name: str) -> Callable[[Random, str], Expr]:
    layouts, axes = LAYOUTS[name], int(name[-2])

    def convolve(random: Random, dtype: str) -> Expr:
        groups, (data, kernel) = random.choice((1, 1, 2, 3)), random.choice(layouts)
        channels, features = groups * random.randint(1, 2), groups * random.randint(1, 2)
        sizes = {"N": random.randint(1, 2), "C": channels, "H": random.randint(1, 7), "W": 4}
        window = {"O": features, "I": channels // groups, "H": random.randint(1, 3), "W": 2}
        operands = [
            Var("x", tuple(sizes[axis] for axis in data), dtype),
            Var("w", tuple(window[axis] for axis in kernel), dtype),
        ]
        attributes = {
            "strides": numbers(random, 1, 3, axes),
            "padding": numbers(random, 0, 2, 2 * axes),
            "dilation": numbers(random, 1, 3, axes),
            "groups": groups,
            "data_layout": data,
            "kernel_layout": kernel,
            "out_dtype": dtype,
        }
        return Call(lookup(name), operands, attributes)

    return convolve


LAYOUTS = {
    "Conv1D": [(data, kernel) for data in ("NCW", "NWC") for kernel in ("OIW", "WIO")],
    "Conv2D": [(data, kernel) for data in ("NCHW", "NHWC") for kernel in ("OIHW", "HWIO")],
}


def pooling(name: str) -> Callable[[Random, str], Expr]:
    axes = int(name[-2])
    layouts = [data for data, _ in LAYOUTS[f"Conv{axes}D"]]

    def pool(random: Random, dtype: str) -> Expr:
        attributes = {
            "pool_size": numbers(random, 1, 3, axes),
            "strides": numbers(random, 1, 3, axes),
            "dilation": numbers(random, 1, 2, axes),
            "padding": sides(random, axes),
            "ceil_mode": random.random() < 0.5,
            "layout": random.choice(layouts),
        }
        if name.startswith("Avg"):
            attributes["count_include_pad"] = random.random() < 0.5
        return Call(lookup(name), [Var("x", numbers(random, 1, 6, 2 + axes), dtype)], attributes)

    return pool


def padding(random: Random, dtype: str) -> Expr:
    rank = random.randint(1, 4)
    widths = numbers(random, 0, 2, 2 * rank)
    attributes = {"pad_width": widths, "pad_value": random.choice(FILLERS)}
    return Call(lookup("Pad"), [Var("x", numbers(random, 1, 4, rank), dtype)], attributes)


def cutting(random: Random, dtype: str) -> Expr:
    rank = random.randint(1, 4)
    places = tuple(sorted(numbers(random, 0, 5, random.randint(1, 3))))
    attributes = {"indices_or_sections": places, "axis": random.randrange(rank)}
    return Call(lookup("Split"), [Var("x", numbers(random, 1, 7, rank), dtype)], attributes)


MAKERS: Mapping[str, Callable[[Random, str], Expr]] = {
    "AvgPool1D": pooling("AvgPool1D"),
    "AvgPool2D": pooling("AvgPool2D"),
    "Conv1D": convolution("Conv1D"),
    "Conv2D": convolution("Conv2D"),
    "MaxPool1D": pooling("MaxPool1D"),
    "MaxPool2D": pooling("MaxPool2D"),
    "Pad": padding,
    "Split": cutting,
}


def calls_of(name: str, many: int = CALLS) -> list[Expr]:
    """Return calls that the operator allows."""
    random, found = Random(name), []
    while len(found) < many:
        try:
            found.append(MAKERS[name](random, random.choice(DTYPES)))
        except GslError:
            continue
    return found


def values_of(call: Expr, seed: int) -> dict[str, Any]:
    generator = np.random.default_rng(seed)
    return {
        one.name: generator.integers(0, 4, one.type.shape).astype(one.type.dtype)
        for one in call.operands
        if isinstance(one, Var)
    }


def assert_same(actual: Any, expected: Any) -> None:
    if isinstance(expected, tuple):
        for one, other in zip(actual, expected, strict=True):
            assert_same(one, other)
        return
    assert actual.dtype == expected.dtype
    tolerance = 4 * np.finfo(actual.dtype).eps if actual.dtype.kind == "f" else 0
    np.testing.assert_allclose(
        actual.astype(np.float64), expected.astype(np.float64), rtol=tolerance
    )


@pytest.mark.parametrize("name", sorted(NUMBERS))
def test_one_kernel_computes_for_any_numbers(name: str):
    kernels, calls = Kernels(), calls_of(name)
    kernels.prepare([[call] for call in calls])
    for seed, call in enumerate(calls):
        inputs = values_of(call, seed)
        assert_same(kernels.run([call], inputs)[0], evaluate([call], inputs)[0])
    assert len(kernels.functions) < len(calls)


def key(padding: tuple[int, ...], strides: tuple[int, ...], ceil_mode: bool) -> Any:
    attributes = {"padding": padding, "strides": strides, "ceil_mode": ceil_mode}
    data = Var("x", (1, 2, 9, 9), "float32")
    call = Call(lookup("MaxPool2D"), [data], {"pool_size": (3, 3)} | attributes)
    return Kernels().key(call)


BEFORE, BEHIND, NOWHERE = (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 0)
SHORT, LONG = (1, 1), (2, 3)


@pytest.mark.parametrize(
    ("padding", "ceil_mode"), [(BEFORE, True), (BEFORE, False), (BEHIND, False), (NOWHERE, False)]
)
def test_pooling_shares_kernels_where_the_same_side_is_padded(
    padding: tuple[int, ...], ceil_mode: bool
):
    assert key(padding, SHORT, ceil_mode) == key(padding, LONG, ceil_mode)


def test_pooling_has_kernels_of_its_own_where_topi_decides_about_padding():
    assert key(NOWHERE, SHORT, False) != key(BEHIND, SHORT, False)
    for padding in (BEHIND, NOWHERE):
        assert key(padding, SHORT, True) != key(padding, LONG, True)
