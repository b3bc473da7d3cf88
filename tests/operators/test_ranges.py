import pytest

from gsl.attr.term import Symbol, Term
from gsl.operators.ranges import in_range, is_integer
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
    assert in_range(100, Symbol("dtype", sort="text")) is True


def test_integer_dtypes():
    assert [dtype for dtype in ALL_DTYPES if is_integer(dtype)] == list(INTEGER)
