import numpy as np
import pytest

from gsl.attr.term import Symbol, Term
from gsl.operators.ranges import in_range, is_integer, rounded, stored
from gsl.types import ALL_DTYPES, INTEGER


@pytest.mark.parametrize(
    ("value", "dtype", "expected"),
    [
        (127, "int8", True),
        (128, "int8", False),
        (-128, "int8", True),
        (-1, "uint8", False),
        (2**31 - 1, "int32", True),
        (2.0**31, "int32", False),
        (2**63 - 1, "int64", True),
        (2.0**63, "int64", False),
        (1e30, "float16", True),
        (1e30, "bool", True),
    ],
)
def test_known_values(value, dtype, expected):
    assert in_range(value, dtype) is expected


def test_an_unknown_value_or_dtype_gives_a_condition():
    assert isinstance(in_range(Symbol("value"), "int8"), Term)
    assert isinstance(in_range(300, Symbol("dtype", sort="text")), Term)


def test_what_every_dtype_holds_needs_no_condition():
    assert in_range(Symbol("value"), "float32") is True
    assert in_range(7, Symbol("dtype", sort="text")) is True


@pytest.mark.parametrize(
    ("value", "dtype", "expected"),
    [
        (0.1, "float32", float(np.float32(0.1))),
        (0.1, "float16", float(np.float16(0.1))),
        (0.1, "float64", 0.1),
        (2**24 + 1, "float32", 2.0**24),
        (0, "float16", 0.0),
        (1e-12, "float16", None),
        (1e300, "float32", None),
        (-70000, "float16", None),
        (10**400, "float64", None),
        (float("-inf"), "float16", float("-inf")),
    ],
)
def test_numbers_rounded_to_a_float_type(value, dtype, expected):
    assert rounded(value, dtype) == expected
    assert stored(value, dtype) == (value if expected is None else expected)


def test_what_is_not_rounded_when_it_is_stored():
    unknown = Symbol("value", sort="real")
    for value, dtype in [(2**24 + 1, "int32"), (True, "float16"), (unknown, "float16")]:
        assert stored(value, dtype) is value
    assert stored(0.1, Symbol("dtype", sort="text")) == 0.1
    assert stored((unknown, (0.1, 2)), "float16") == (unknown, (float(np.float16(0.1)), 2.0))


def test_integer_dtypes():
    assert [dtype for dtype in ALL_DTYPES if is_integer(dtype)] == [*INTEGER, "int4", "uint4"]
