"""Masks as attention has them: every proof ends, whatever number stands for minus infinity."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import pytest

from gsl import Subst, op, pat
from gslverify.finding import StageResult, Verdict
from gslverify.prove.claim import is_proved
from gslverify.prove.effort import Effort, LimitReachedError
from gslverify.stages.prove import PROVE
from tests.gslverify.stages.asking import ask

FILLS = (-1e9, -1e4, -65504.0, -3.4028234663852886e38, -10000.5, 1e-9, -1e300, 7.25, -inf, 0.0)
SOFTMAXES = (op.Softmax, op.LogSoftmax)

Write = Callable[[], Subst]


def chosen(fill: float, softmax: Any, *, is_right: bool) -> Write:
    """where(m, softmax(where(m, s, fill)), 0), times m or not"""

    def write() -> Subst:
        m, s = pat.Wildcard(), pat.Wildcard()
        soft = softmax(op.Where(m, s, fill))
        whole = op.Where(m, soft, 0.0)
        inner = op.Where(m, s, pat.Const(fill, like=s))
        other = softmax(inner, axis=soft.axis)
        target = op.Where(m, other, pat.Const(0.0, like=s)) if is_right else other
        return Subst(whole, target, where=[whole.shape == s.shape, soft.shape == s.shape])

    return write


def added(fill: float, softmax: Any, *, is_right: bool) -> Write:
    """softmax(s + (1 - m) fill) with the sum in either order, or with m in place of 1 - m"""

    def write() -> Subst:
        m, s = pat.Wildcard(), pat.Wildcard()
        soft = softmax(s + (1.0 - m) * fill)
        kept = pat.Const(1.0, like=s) - m if is_right else m
        target = softmax(kept * pat.Const(fill, like=s) + s, axis=soft.axis)
        return Subst(soft, target, where=[m.dtype == s.dtype, m.shape == s.shape])

    return write


def outcome(write: Write, **settings: Any) -> StageResult:
    found = ask(PROVE, write, **{"max_variants": 4, **settings})
    assert (found.verdict, found.findings) == (Verdict.PASS, ())
    return found


@pytest.mark.parametrize("is_right", [True, False])
@pytest.mark.parametrize("softmax", SOFTMAXES, ids=["softmax", "log_softmax"])
@pytest.mark.parametrize("place", [chosen, added])
@pytest.mark.parametrize("fill", FILLS)
def test_proofs_about_masks_end(fill: float, place: Any, softmax: Any, is_right: bool) -> None:
    found = outcome(place(fill, softmax, is_right=is_right))
    is_open = found.status == "open"
    assert is_open != bool(found.assurances)
    if not is_right and fill != 0.0:
        assert is_open
    if is_right and fill != -inf:
        assert not is_open, found.open


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("exponent", [1e9, -1e9, 10**18, 0.5, 1e-9, 3, -7.5])
def test_exponents_may_be_huge_or_fractional(exponent: float, dtype: str) -> None:
    def write() -> Subst:
        x, y = pat.Wildcard(), pat.Wildcard()
        source = op.Exp(x * float(exponent)) * op.Exp(y)
        target = op.Exp(x * pat.Const(float(exponent), like=x) + y)
        return Subst(source, target, where=[x.dtype == dtype, y.dtype == dtype])

    assert outcome(write).status in ("pass", "open")


def of_a_size() -> Subst:
    """exp(-1e9 n) exp(x) for a size n"""
    x = pat.Wildcard()
    total = op.Sum(op.Exp(x * -1e9), axis=[-1])
    return Subst(total, op.Sum(op.Exp(pat.Const(-1e9, like=x) * x), axis=[-1]))


def of_a_constant() -> Subst:
    """exp(c x) exp(x) for a constant c that the network has"""
    x, c = pat.Wildcard(), pat.Const()
    return Subst(op.Exp(x * c) * op.Exp(x), op.Exp(x * c + x), where=[x.dtype == c.dtype])


def powers_of_powers() -> Subst:
    """((x ** 1e9) ** 8) ** 8"""
    x = pat.Wildcard()
    source = op.Power(op.Power(op.Power(x, 1e9), 8.0), 8.0)
    return Subst(source, op.Power(x, pat.Const(6.4e10, like=x)))


def squared_often() -> Subst:
    """((x + 1) ** 8) ** 8"""
    x = pat.Wildcard()
    source = op.Power(op.Power(op.Power(x + 1.0, 8.0), 8.0), 8.0)
    one, exponent = pat.Const(1.0, like=x), pat.Const(512.0, like=x)
    return Subst(source, op.Power(x + one, exponent))


@pytest.mark.parametrize("write", [of_a_size, of_a_constant, powers_of_powers, squared_often])
def test_powers_of_powers_end(write: Write) -> None:
    assert outcome(write).status in ("pass", "open")


def test_a_limit_is_told_with_how_to_raise_it() -> None:
    found = outcome(chosen(-1e9, op.Softmax, is_right=True), proof_steps=600)
    assert found.status == "open"
    assert "--proof-steps above 600 allows more" in found.open


def test_efforts_count_each_kind_of_work() -> None:
    effort = Effort(1000)
    effort.terms(900)
    effort.questions(1)
    with pytest.raises(LimitReachedError, match="more than 1,000 terms"):
        effort.terms(101)
    effort.start_anew()
    effort.terms(1000)
    for _ in range(6):
        effort.pairing()
    with pytest.raises(LimitReachedError, match="more than 6 ways to pair off indices"):
        effort.pairing()


def guarded(side: float, compare: Any, make: Any, *, is_met: bool) -> Write:
    """where(compare(make(x), inf), c, x) is the branch that is taken"""

    def write() -> Subst:
        x, c = pat.Wildcard(dtype="float32", shape=(None,)), pat.Const(shape=())
        source = op.Where(compare(make(x), side), c, op.Negative(x))
        target = op.BroadcastTo(c, shape=x.shape) if is_met else op.Negative(x)
        return Subst(source, target)

    return write


NEVER = [(op.Equal, inf), (op.Equal, -inf), (op.Less, -inf), (op.GreaterEqual, inf)]
ALWAYS = [(op.NotEqual, inf), (op.LessEqual, inf), (op.Greater, -inf)]
FINITE = (lambda x: x, lambda x: x * x + 1.0, lambda x: op.Max(x, axis=(0,), keepdims=True))
MAYBE_INFINITE = (lambda x: 1.0 / x, op.Log, op.Exp)


def is_shown(write: Write) -> bool:
    return is_proved(ask(PROVE, write).assurances)


@pytest.mark.parametrize("make", FINITE)
def test_a_real_number_is_less_than_infinity(make: Any) -> None:
    for compare, side in NEVER[1:3]:
        assert is_shown(guarded(side, compare, make, is_met=False))
        assert not is_shown(guarded(side, compare, make, is_met=True))


@pytest.mark.parametrize(
    ("compare", "side", "is_met"),
    [*((*one, False) for one in NEVER), *((*one, True) for one in ALWAYS)],
)
def test_each_comparison_with_infinity(compare: Any, side: float, is_met: bool) -> None:
    assert is_shown(guarded(side, compare, lambda x: x, is_met=is_met))
    assert not is_shown(guarded(side, compare, lambda x: x, is_met=not is_met))


@pytest.mark.parametrize("make", MAYBE_INFINITE)
def test_what_has_poles_or_overflows_may_be_infinite(make: Any) -> None:
    assert not is_shown(guarded(inf, op.Equal, make, is_met=False))
