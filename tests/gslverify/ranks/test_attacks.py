"""No rule that is wrong from rank 5 on is said to be proved for all ranks."""

from __future__ import annotations

import pytest

from gslverify.ranks.bound import reason_against_all_ranks
from gslverify.stages.examination import scenarios_of
from tests.gslverify.ranks.attacks import ATTACKS
from tests.gslverify.ranks.attacks_along import ATTACKS_ALONG
from tests.gslverify.stages.asking import question

pytestmark = pytest.mark.smt


EVERY = {**ATTACKS, **ATTACKS_ALONG}


@pytest.mark.parametrize("name", EVERY)
def test_a_rule_that_is_wrong_beyond_is_never_right_for_all_ranks(name: str) -> None:
    asked = question(EVERY[name], max_variants=16)
    scenarios = scenarios_of(asked)
    usual, large = ([one.instance for one in of] for of in (scenarios.feasible, scenarios.large))

    assert usual
    assert reason_against_all_ranks(asked.subst, usual, large)
