"""What a proof claims is exactly what its contradictions deny."""

from __future__ import annotations

import pytest

from gsl import Subst, op, pat
from gslverify.codes.levels import EMPTY_DIFFERS
from gslverify.codes.numeric import OUTPUTS_DIFFER
from gslverify.finding import CODES, Assurance, Finding, Level
from gslverify.prove.claim import CONTRADICTING, contradictions, is_proved
from gslverify.stages.numeric import NUMERIC
from gslverify.stages.prove import PROVE
from tests.gslverify.stages.asking import question

PROOF = Assurance("prove", Level.PROVED, "proved, ranks 1-4")
TYPES = Assurance("shape", Level.PROVED, "proved, ranks 1-4")
EXACT = Assurance("", Level.EXACT, "exact, 60 graphs")


def test_only_elements_count_as_proved() -> None:
    assert is_proved([EXACT, PROOF])
    assert not is_proved([EXACT, TYPES])


@pytest.mark.parametrize("code", CODES.values(), ids=str)
def test_findings_contradict_by_their_code(code: object) -> None:
    finding = Finding(code, "")  # type: ignore[arg-type]
    assert contradictions([TYPES], [finding]) == []
    assert contradictions([PROOF], [finding]) == ([finding] if code in CONTRADICTING else [])


def test_warnings_contradict_nothing() -> None:
    assert not [code for code in CONTRADICTING if code.is_warning]
    assert OUTPUTS_DIFFER in CONTRADICTING


def counts_from_one() -> Subst:
    x = pat.Wildcard()
    both = [op.OnesLike(x, dtype="float32") for _ in range(2)]
    count, again = (op.Sum(ones, axis=(0,), keepdims=False) for ones in both)
    return Subst(count, op.Maximum(again, 1.0), where=[x.ndim == 1, x.dtype == "float32"])


@pytest.mark.smt
def test_a_rule_that_only_empty_tensors_refute_may_be_proved() -> None:
    asked = question(counts_from_one, max_variants=4, max_examples=10)
    proof, tried = PROVE.run(asked), NUMERIC.run(asked)
    assert is_proved(proof.assurances)
    assert EMPTY_DIFFERS in {finding.code for finding in tried.findings}
    assert contradictions(proof.assurances, tried.findings) == []
