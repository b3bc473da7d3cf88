"""Proofs of the corpus leave certificates that are accepted; those that do not are listed."""

from __future__ import annotations

import pytest

from gslverify.finding import Verdict
from gslverify.settings import Settings
from gslverify.stage import Question
from gslverify.stages.certified import certificate_of
from gslverify.stages.satisfiable import SATISFIABLE
from gslverify.stages.shape import SHAPE
from tests.gslverify.prove.proving import corpus

pytestmark = [pytest.mark.smt, pytest.mark.slow]

EVERY = 11

WITHOUT = frozenset(
    {
    }
)
"""Rules of the sample whose proofs leave none yet."""


def test_all_but_a_few_proofs_leave_a_certificate_that_is_accepted() -> None:
    refused = set()
    for rule in corpus("sound")[::EVERY]:
        question = Question(rule.name, rule, Settings())
        typed = all(stage.run(question).verdict is Verdict.PASS for stage in (SATISFIABLE, SHAPE))
        reason = certificate_of(question).refused if typed else ""
        if reason and not reason.startswith("not proved") and "could not be shown" not in reason:
            refused.add(rule.name)
    assert refused == WITHOUT
