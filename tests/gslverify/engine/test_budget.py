"""Time that is used up: nothing is lost that was found out, and nothing is called verified."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from gslverify.engine.budget import Budget, rule_is_over, run_is_over
from gslverify.exits import Exit, exit_code
from gslverify.finding import StageResult, Verdict
from gslverify.settings import Settings
from tests.gslverify.runs import codes, run, verdicts


def test_without_a_budget_there_is_no_end() -> None:
    budget = Budget(Settings())

    assert not budget.is_spent
    assert budget.left_for([StageResult("shape", Verdict.PASS, seconds=1e9)]) > 0


def test_rules_use_up_their_time_in_stages() -> None:
    budget = Budget(Settings(rule_budget=3.0))
    stages = [StageResult("static", Verdict.PASS, seconds=1.0)]

    assert budget.left_for(stages) == 2.0


def test_first_stage_says_why_and_the_others_are_skipped() -> None:
    settings = Settings(budget=1.5, rule_budget=2.5)

    for results, seconds in (
        (run_is_over(["shape", "numeric"], settings), "1.5"),
        (rule_is_over({"shape": "", "numeric": ""}, settings), "2.5"),
    ):
        first, second = results
        assert first.verdict is Verdict.INCONCLUSIVE
        assert f"the budget of {seconds} s" in first.findings[0].message
        assert second.skipped == "there was no time left"
    assert run_is_over([], settings) == ()


@pytest.mark.parametrize("jobs", [0, 2])
def test_spent_budget_makes_rules_inconclusive(jobs: int, folder: Path) -> None:
    names = [f"slow{n}" for n in range(40)]

    done = run(folder, names, budget=2.0, jobs=jobs)

    assert done.stop_reason == "budget"
    assert list(verdicts(done)) == names
    assert verdicts(done)["slow39"] == "INCONCLUSIVE"
    assert codes(done)["slow39"] == ["GSL612"]


def test_what_was_found_in_time_counts(folder: Path) -> None:
    names = ["early_wrong", *(f"slow{n}" for n in range(40))]

    done = run(folder, names, budget=3.0)

    assert verdicts(done)["early_wrong"] == "FAIL"
    assert exit_code(done) is Exit.FINDINGS


def test_budget_that_is_spent_at_once_leaves_nothing_out(folder: Path) -> None:
    done = run(folder, ["one", "two"], budget=1e-9)

    assert verdicts(done) == {"one": "INCONCLUSIVE", "two": "INCONCLUSIVE"}
    assert codes(done) == {"one": ["GSL612"], "two": ["GSL612"]}


def test_rule_that_uses_up_its_time_is_alone_in_that(folder: Path, diary: Path) -> None:
    started = time.monotonic()

    done = run(folder, ["hangs", "sound"], rule_budget=2.0, jobs=2)

    assert verdicts(done) == {"hangs": "INCONCLUSIVE", "sound": "PASS"}
    assert codes(done) == {"hangs": ["GSL613"]}
    assert time.monotonic() - started < 60


def test_time_of_a_rule_is_told_once(folder: Path) -> None:
    done = run(folder, ["one"], rule_budget=1e-9)

    assert codes(done) == {"one": ["GSL613"]}
    assert [stage.skipped for stage in done.results[0].stages] == [
        "",
        "",
        "there was no time left",
    ]


def test_stage_has_a_limit_of_its_own_and_is_not_tried_twice(folder: Path, diary: Path) -> None:
    limits = (("numeric", 1.0),)

    done = run(folder, ["hangs", "sound"], stage_timeout=600.0, stage_timeouts=limits, jobs=2)

    assert verdicts(done) == {"hangs": "ERROR", "sound": "PASS"}
    assert "did not come back within 1 seconds" in done.results[0].findings[0].message
    assert diary.read_text("utf-8").count("expensive hangs") == 1
