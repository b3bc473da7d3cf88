"""Results survive being kept; what cannot be kept is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gslverify.engine.cache.form import MOST_BYTES, from_text, to_text
from gslverify.finding import StageResult, Tensor, Verdict
from tests.gslverify.repro.cases import constant_case, swapped_case
from tests.gslverify.results import failing, passing, undecided


@pytest.mark.parametrize("make", [passing, failing, lambda folder: undecided()])
def test_results_survive(make: Any, folder: Any) -> None:
    for stage in make(folder).stages:
        assert repr(from_text(to_text(stage))) == repr(stage)


def test_numbers_and_containers_keep_their_kinds() -> None:
    value = (1, 1.5, float("-inf"), True, None, "a", [1, (2,)], {"a": (1,), 2: []}, np.float32(0.5))

    assert from_text(to_text(value)) == (*value[:-1], 0.5)
    assert from_text(to_text(float("nan"))) != from_text(to_text(float("nan")))


@pytest.mark.parametrize("case", [swapped_case(), constant_case()])
def test_a_witness_survives(case: Any) -> None:
    result = StageResult("numeric", Verdict.PASS, witness=case)

    found = from_text(to_text(result)).witness

    assert found.inputs.keys() == case.inputs.keys()
    assert [record[0] for record in found.records] == [record[0] for record in case.records]


def test_large_cases_and_odd_values_are_refused() -> None:
    with pytest.raises(TypeError, match="too large"):
        to_text(swapped_case(MOST_BYTES))
    with pytest.raises(TypeError, match="function cannot be kept"):
        to_text(Tensor("x", "float32", (), test_a_witness_survives))


@pytest.mark.parametrize("text", ["", "{", '{"odd": 1}', '{"class": "open", "parts": {}}'])
def test_text_of_other_kinds_raises(text: str) -> None:
    with pytest.raises((ValueError, KeyError)):
        from_text(text)
