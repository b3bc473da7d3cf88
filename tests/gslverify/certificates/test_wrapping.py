"""Rules that are wrong as integers wrap: whatever steps are tried, no certificate is accepted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gsl import Subst, op, pat, rule
from gslverify.settings import Settings
from gslverify.stage import Question
from gslverify.stages.certified import Certificate
from gslverify.stages.examination import scenarios_of
from tests.gslverify.prove.test_wrapping_reductions import WRONG

pytestmark = pytest.mark.smt

Make = Callable[[], Subst]


def refusals(make: Make) -> list[str]:
    """Return why the structures of a rule get no certificate, proved or not; empty for accepted."""
    scenarios = scenarios_of(Question("planted", rule()(make), Settings(max_variants=2)))
    certificate = Certificate("planted")
    return [certificate.add(one, {}) for one in (*scenarios.feasible, *scenarios.large)]


def const(value: int, dtype: str) -> Any:
    return pat.Const(value, dtype=dtype)


def vector(dtype: str) -> Any:
    return pat.Wildcard(shape=(None,), dtype=dtype)


def wider(narrow: str, wide: str, compute: Callable[..., Any], inputs: int = 1) -> Make:
    """Return the rule that computes the same in a dtype in which nothing wraps."""

    def make() -> Subst:
        own = [vector(narrow) for _ in range(inputs)]
        others = (op.Cast(one, dtype=wide) for one in own)
        return Subst(compute(*own, narrow), compute(*others, wide))

    return make


def sign_of_opposite() -> Subst:
    x = vector("int8")
    return Subst(op.Sign(op.Negative(x)), op.Negative(op.Sign(x)))


def compared_constants() -> Subst:
    def compare(dtype: str) -> Any:
        twice = op.Add(const(100, dtype), const(100, dtype))
        return op.Equal(twice, const(-56, dtype))

    return Subst(compare("int8"), compare("int16"))


PLANTED: dict[str, Make] = {
    "a product that is compared": wider("int8", "int32", lambda x, y, _: op.Equal(x * y, x), 2),
    "a difference that decides": wider(
        "int8", "int32", lambda x, y, d: op.Cast(op.Less(x - y, const(0, d)), dtype="int8"), 2
    ),
    "an opposite that is compared": wider(
        "int8", "int32", lambda x, d: op.Less(op.Negative(x), const(0, d))
    ),
    "the largest of sums": wider(
        "uint8", "int32", lambda x, y, d: op.Less(op.Maximum(x + y, y), const(7, d)), 2
    ),
    "a quotient of a product": wider(
        "uint8",
        "int32",
        lambda x, d: op.Equal(op.FloorDivide(x * const(3, d), const(5, d)), const(1, d)),
    ),
    "a remainder of a sum": wider(
        "uint8", "int32", lambda x, d: op.Equal(op.Mod(x + x, const(5, d)), const(1, d))
    ),
    "bits of a sum": wider(
        "uint8", "int32", lambda x, d: op.Equal(op.BitwiseAnd(x + x, const(100, d)), const(0, d))
    ),
    "a sign of a product": wider(
        "int8", "int32", lambda x, y, _: op.Equal(op.Sign(x * y), op.Sign(y)), 2
    ),
    "a sum of ones": wider(
        "uint8",
        "int32",
        lambda x, d: op.Less(
            op.Sum(op.Cast(op.Equal(x, x), dtype=d), axis=(0,), keepdims=False), const(9, d)
        ),
    ),
    "a place of a sum": wider(
        "int8", "int16", lambda x, _: op.Argmax(x + x, axis=0, keepdims=False)
    ),
    "the sign of the least number": sign_of_opposite,
    "constants": compared_constants,
    **WRONG,
}


@pytest.mark.parametrize("name", PLANTED)
def test_what_wraps_has_no_certificate(name: str) -> None:
    found = refusals(PLANTED[name])
    assert found
    assert all(found)


def halves(x: Any, dtype: str) -> Any:
    return op.FloorDivide(x, const(2, dtype)) + const(3, dtype)


def computed_twice() -> Subst:
    x, y = vector("int8"), vector("int8")
    return Subst(op.Less(x + y, x * y), op.Less(y + x, y * x))


FITTING: dict[str, Make] = {
    "a sum of remainders": wider(
        "uint8",
        "int32",
        lambda x, y, d: op.Less(op.Mod(x, const(10, d)) + op.Mod(y, const(10, d)), const(5, d)),
        2,
    ),
    "a sum of a quotient": wider(
        "uint8", "int32", lambda x, d: op.Less(halves(x, d), const(50, d))
    ),
    "the same computed twice": computed_twice,
}


@pytest.mark.parametrize("name", FITTING)
def test_what_fits_or_wraps_alike_has_one(name: str) -> None:
    found = refusals(FITTING[name])
    assert found
    assert not any(found)
