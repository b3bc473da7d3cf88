"""The twelve deviations of TVM that are known by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gsl.expr import Call, Tuple, Var
from gsl.operators import lookup
from gslverify.trials.deviations import KNOWN, deviation_of

NAN = np.array([np.nan, 1.0], np.float32)
PLAIN = np.array([2.0, 1.0], np.float32)
ZERO = np.array([-0.0, 1.0], np.float32)
LIMITS = np.array([0, 255], np.uint8)
INFINITE = np.array([-np.inf, 1.0], np.float32)
HALF = np.ones(2, np.float16)


def call(name: str, operands: tuple[Any, ...], **attributes: Any) -> Call:
    variables = [Var(f"x{n}", array.shape, array.dtype.name) for n, array in enumerate(operands)]
    return Call(lookup(name), variables, attributes)


FIRING = [
    ("Maximum", (NAN, PLAIN), {}, "extremum of NaN and a number"),
    ("Minimum", (PLAIN, NAN), {}, "extremum of NaN and a number"),
    ("Relu", (NAN,), {}, "relu of NaN"),
    ("Clip", (NAN,), {"min": 0.0, "max": 1.0}, "clip of NaN"),
    ("Sign", (NAN,), {}, "sign of NaN"),
    ("Max", (NAN,), {}, "extremum along an axis with NaN"),
    ("Argmax", (NAN,), {"axis": 0}, "place of NaN"),
    ("Argmax", (LIMITS,), {"axis": 0}, "place of a limit"),
    ("Argmin", (LIMITS,), {"axis": 0}, "place of a limit"),
    ("Argmax", (INFINITE,), {"axis": 0}, "place of a limit"),
    ("Max", (INFINITE,), {}, "extremum along an axis of infinities"),
    (
        "MaxPool1D",
        (np.full((1, 1, 2), -np.inf, np.float16),),
        {"pool_size": 2},
        "extremum along an axis of infinities",
    ),
    ("NotEqual", (NAN, PLAIN), {}, "inequality of NaN"),
    ("Tanh", (ZERO,), {}, "tanh of negative zero"),
    ("Cast", (PLAIN * 1e9,), {"dtype": "uint8"}, "conversion out of range"),
    ("Cast", (NAN,), {"dtype": "int32"}, "conversion out of range"),
    ("Sum", (HALF,), {}, "sums of halves"),
]


@pytest.mark.parametrize(("name", "operands", "attributes", "expected"), FIRING)
def test_known_deviations_are_recognised(
    name: str, operands: Any, attributes: Any, expected: str
) -> None:
    found = deviation_of(call(name, operands, **attributes), operands)
    assert found is not None
    assert found.name == expected


SILENT = [
    ("Maximum", (PLAIN, PLAIN), {}),
    ("Relu", (ZERO,), {}),
    ("Add", (NAN, PLAIN), {}),
    ("Argmax", (PLAIN,), {"axis": 0}),
    ("Argmin", (INFINITE,), {"axis": 0}),
    ("Max", (LIMITS,), {}),
    ("Tanh", (PLAIN,), {}),
    ("Cast", (PLAIN,), {"dtype": "uint8"}),
    ("Cast", (NAN,), {"dtype": "float64"}),
    ("Sum", (PLAIN,), {}),
    ("Sum", (np.ones(2, np.int8),), {}),
]


@pytest.mark.parametrize(("name", "operands", "attributes"), SILENT)
def test_other_calls_have_no_excuse(name: str, operands: Any, attributes: Any) -> None:
    assert deviation_of(call(name, operands, **attributes), operands) is None


def test_fields_of_tuples_count() -> None:
    joined = Call(lookup("Concatenate"), [Tuple([Var("x", (2,)), Var("y", (2,))])])
    assert deviation_of(joined, [(NAN, PLAIN)]) is None


def test_there_are_twelve_with_names_of_their_own() -> None:
    assert len({known.name for known in KNOWN}) == len(KNOWN) == 12
    for known in KNOWN:
        assert known.sentence
        assert {lookup(name).name for name in known.operators} == known.operators
