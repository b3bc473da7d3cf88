"""References of others that are no functions, or do what error bounds do not follow."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from gsl.expr import Call, Var
from gsl.operators import lookup
from gsl.operators.declaration import REGISTRY
from gslverify.codes.numeric import REFERENCE_CHANGES, TOO_FEW_EXAMPLES
from gslverify.comparison.compare import evaluate_bounded
from gslverify.comparison.references import ReferenceFailureError
from gslverify.comparison.repeated import changing_reference
from gslverify.stages.numeric import NUMERIC
from tests.gslverify.comparison import own_references as own
from tests.gslverify.stages.asking import ask, only

pytestmark = pytest.mark.smt

UNFOLLOWED = ", which is not followed with error bounds (own_references.py:"


@pytest.fixture(autouse=True)
def _registry() -> Iterator[None]:
    before = dict(REGISTRY)
    yield
    REGISTRY.clear()
    REGISTRY.update(before)


def test_a_reference_that_changes_refutes_nothing() -> None:
    rule = own.twice_limited(own.operator_of("Noise", own.noise))

    finding = only(ask(NUMERIC, rule))

    assert finding.code is REFERENCE_CHANGES
    assert finding.message == "the reference of Noise computes other values when called again"


@pytest.mark.parametrize(
    ("reference", "why"),
    [
        (own.median_apart, f"uses numpy.median{UNFOLLOWED}"),
        (own.shifted_in_place, f"uses numpy.add with options{UNFOLLOWED}"),
        (own.half_of_sum, f"uses the attribute `cumsum` of an array{UNFOLLOWED}"),
        (own.as_array, f"uses a conversion to an array{UNFOLLOWED}"),
        (own.failing, "raises ValueError: nothing fits (own_references.py:"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_a_reference_does_that_is_not_followed_is_said(
    reference: Callable[..., Any], why: str
) -> None:
    rule = own.twice_limited(own.operator_of("Strange", reference))

    finding = only(ask(NUMERIC, rule, max_examples=5))

    assert finding.code is TOO_FEW_EXAMPLES
    assert any(f"rejected: the reference of Strange {why}" in line for line in finding.details)


def test_references_that_are_functions_of_numpy_are_those_of_the_package() -> None:
    log = Call(lookup("Log"), [Var("x", (2,))])

    assert log.operator.reference is np.log
    assert log.operator.is_built_in


def test_calling_a_reference_again_warns_of_nothing() -> None:
    logarithm = Call(own.operator_of("Logarithm", np.log), [Var("x", (2,))])
    inputs = {"x": np.array([-1, 0], np.float32)}

    with warnings.catch_warnings(action="error"):
        assert changing_reference([logarithm], inputs) == ""


def test_what_needs_more_memory_than_there_is_is_a_failure_of_the_reference() -> None:
    x = Var("x", (2,), "float32")
    wide = Call(lookup("Pad"), [x], {"pad_width": (2**61, 0)})
    with pytest.raises(ReferenceFailureError, match="more memory"):
        evaluate_bounded([wide], {"x": np.ones(2, np.float32)})
