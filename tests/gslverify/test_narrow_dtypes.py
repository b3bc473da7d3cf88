"""Rules about dtypes that NumPy has from elsewhere: what holds, and what fails in these alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gsl import Subst, op, pat
from gslverify.codes.numeric import OUTPUTS_DIFFER
from gslverify.finding import Verdict
from gslverify.stages.numeric import NUMERIC
from gslverify.stages.prove import PROVE
from tests.gslverify.stages.asking import ask, only

pytestmark = pytest.mark.smt

Write = Callable[[], Subst]


def there_and_back(dtype: str, through: str) -> Subst:
    x = pat.Variable(dtype=dtype)
    return Subst(op.Cast(op.Cast(x, dtype=through), dtype=dtype), x)


def by_way_of(dtype: str, through: str, to: str) -> Subst:
    x = pat.Variable(dtype=dtype)
    return Subst(op.Cast(op.Cast(x, dtype=through), dtype=to), op.Cast(x, dtype=to))


def distributed() -> Subst:
    x, y, z = (pat.Variable(dtype="bfloat16") for _ in range(3))
    return Subst(x * y + x * z, x * (y + z))


def held_constant(number: float) -> Subst:
    """A constant of bfloat16 that is converted => the number as it is written."""
    x = pat.Variable(dtype="bfloat16")
    wide = op.Cast(x, dtype="float32")
    narrow = pat.Const(number, dtype="bfloat16")
    return Subst(wide + op.Cast(narrow, dtype="float32"), wide + pat.Const(number, dtype="float32"))


def reinterpreted() -> Subst:
    """int4 by way of uint4, where negative numbers are others."""
    x = pat.Variable(dtype="int4")
    through = op.Cast(op.Cast(x, dtype="uint4"), dtype="int8")
    return Subst(through, op.Cast(x, dtype="int8"))


def turned_twice() -> Subst:
    x = pat.Variable(shape=(None, None), dtype="int4")
    return Subst(op.Transpose(op.Transpose(x, axes=(1, 0)), axes=(1, 0)), x)


RIGHT: dict[str, Write] = {
    "bfloat16 distributes": distributed,
    "float32 holds bfloat16": lambda: there_and_back("bfloat16", "float32"),
    "int8 holds int4": lambda: there_and_back("int4", "int8"),
    "bfloat16 holds float8": lambda: there_and_back("float8_e4m3fn", "bfloat16"),
    "a constant that bfloat16 holds": lambda: held_constant(256.0),
    "float64 holds int32": lambda: by_way_of("int32", "float64", "bfloat16"),
    "int4 is moved": turned_twice,
}
WRONG: dict[str, Write] = {
    "bfloat16 rounds float32": lambda: there_and_back("float32", "bfloat16"),
    "float16 has not the range of bfloat16": lambda: there_and_back("bfloat16", "float16"),
    "int4 wraps int8": lambda: there_and_back("int8", "int4"),
    "float8 kinds": lambda: there_and_back("float8_e4m3fn", "float8_e5m2"),
    "a constant that bfloat16 does not hold": lambda: held_constant(257.0),
    "int64 is rounded twice": lambda: by_way_of("int64", "float32", "bfloat16"),
    "int32 is rounded twice": lambda: by_way_of("int32", "float32", "bfloat16"),
    "int64 is rounded at float64": lambda: by_way_of("int64", "float64", "bfloat16"),
    "signs of int4": reinterpreted,
}


def is_proved(write: Write) -> bool:
    return any("proved" in one.text for one in ask(PROVE, write).assurances)


@pytest.mark.parametrize("name", RIGHT)
def test_what_holds_is_proved_and_passes(name: str) -> None:
    assert is_proved(RIGHT[name])
    result = ask(NUMERIC, RIGHT[name])
    assert (result.findings, result.verdict) == ((), Verdict.PASS)


@pytest.mark.parametrize("name", WRONG)
def test_what_fails_in_these_dtypes_alone_is_refuted(name: str) -> None:
    assert only(ask(NUMERIC, WRONG[name], explained=False)).code is OUTPUTS_DIFFER
    assert not is_proved(WRONG[name])
