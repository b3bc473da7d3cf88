"""Kernels of others that say something else than their references, and such that do not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from gsl import Subst, op, pat
from gsl.expr import Call, Var
from gsl.kernel.meaning import apply, total
from gsl.operators import lookup
from gsl.operators.declaration import REGISTRY, Operator
from gslverify.codes.numeric import KERNEL_APART, OUTPUTS_DIFFER
from gslverify.comparison.kernels import kernel_apart
from gslverify.finding import Verdict
from gslverify.stages.numeric import NUMERIC
from tests.gslverify.comparison.own_references import operator_of, twice_limited
from tests.gslverify.stages.asking import ask, only

pytestmark = pytest.mark.smt

Kernel = Callable[..., Any]
ROW = {"x": np.array([1, -2, 3], np.float32)}


@pytest.fixture(autouse=True)
def _registry() -> Iterator[None]:
    before = dict(REGISTRY)
    yield
    REGISTRY.clear()
    REGISTRY.update(before)


def tripled(kernel: Kernel) -> Operator:
    declared = operator_of("Tripled", lambda data: data * 3.0)
    declared.kernel(kernel)
    return declared


def doubled_element(index: Any, data: Any) -> Any:
    return data[index] + data[index]


def tripled_element(index: Any, data: Any) -> Any:
    return data[index] * 3.0


def share_element(index: Any, data: Any) -> Any:
    return apply("/", data[index], total(data.shape, lambda *place: data[place]))


def test_a_rule_that_holds_for_both_is_inconclusive() -> None:
    finding = only(ask(NUMERIC, twice_limited(tripled(doubled_element))))

    assert finding.code is KERNEL_APART
    assert finding.message.startswith("the kernel of Tripled has ")


def test_a_kernel_like_its_reference_changes_nothing() -> None:
    assert ask(NUMERIC, twice_limited(tripled(tripled_element))).verdict is Verdict.PASS


def test_a_rule_that_the_reference_refutes_stays_refuted() -> None:
    tripled(doubled_element)

    def as_sum() -> Subst:
        x = pat.Wildcard()
        return Subst(op.Tripled(x), x + x)

    result = ask(NUMERIC, as_sum)

    assert result.verdict is Verdict.FAIL
    assert [one.code for one in result.findings] == [KERNEL_APART, OUTPUTS_DIFFER]


def test_the_element_that_differs_is_said() -> None:
    call = Call(tripled(lambda index, data: data[index] * 3.0 + index[0]), [Var("x", (3,))])

    found = kernel_apart([call], ROW)

    assert found == "the kernel of Tripled has -5, its reference -6 at [1]"


@pytest.mark.parametrize(
    "kernel",
    [
        tripled_element,
        lambda index, data: apply("/", data[index] * 21, 7),
        lambda index, data: apply("/", data[index], 1 / 3),
    ],
)
def test_rounding_is_no_difference(kernel: Kernel) -> None:
    assert kernel_apart([Call(tripled(kernel), [Var("x", (3,))])], ROW) == ""


def test_what_is_not_finite_is_no_difference() -> None:
    share = operator_of("Share", lambda data: data / np.sum(data))
    share.kernel(share_element)

    assert kernel_apart([Call(share, [Var("x", (3,))])], {"x": np.zeros(3, np.float32)}) == ""


def test_operators_of_the_package_are_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookup("Relu"), "meaning", doubled_element)

    assert kernel_apart([Call(lookup("Relu"), [Var("x", (3,))])], ROW) == ""
