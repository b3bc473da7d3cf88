"""Wrong rules about powers whose bases and exponents are both unknown, and sound ones."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gsl import Subst, op, pat
from gslverify.codes.numeric import OUTPUTS_DIFFER
from gslverify.finding import Verdict
from gslverify.stages.numeric import NUMERIC
from tests.gslverify.seeds import SEEDS
from tests.gslverify.stages.asking import ask, only

pytestmark = pytest.mark.smt

Write = Callable[[], Subst]


def power_of_power(base: Callable[[pat.Pattern], pat.Pattern], scalar: bool = False) -> Subst:
    """base(x)^y^z => base(x)^(y * z)"""
    x = pat.Wildcard(dtype="float32")
    kind = pat.Const if scalar else pat.Wildcard
    y, z = (kind(shape=() if scalar else x.shape, dtype="float32") for _ in range(2))
    b = base(x)
    return Subst(op.Power(op.Power(b, y), z), op.Power(b, y * z))


def root_of_square() -> Subst:
    """Wrong for -1, 2 and 1/2."""
    return power_of_power(lambda x: x)


def root_of_square_by_constants() -> Subst:
    return power_of_power(lambda x: x, scalar=True)


def powers_of_positive_numbers() -> Subst:
    return power_of_power(op.Exp)


def powers_of_positive_numbers_by_constants() -> Subst:
    return power_of_power(op.Exp, scalar=True)


WRONG = [root_of_square, root_of_square_by_constants]
SOUND = [powers_of_positive_numbers, powers_of_positive_numbers_by_constants]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("write", WRONG, ids=lambda write: write.__name__)
def test_powers_of_negative_numbers_are_tried(write: Write, seed: int) -> None:
    assert only(ask(NUMERIC, write, seed=seed, explained=False)).code is OUTPUTS_DIFFER


@pytest.mark.parametrize("write", SOUND, ids=lambda write: write.__name__)
def test_powers_of_positive_numbers_multiply(write: Write) -> None:
    assert ask(NUMERIC, write).verdict is Verdict.PASS
