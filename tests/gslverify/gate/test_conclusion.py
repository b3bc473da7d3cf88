"""What a run means at the gate, and what a baseline takes over from it."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from gslverify.events import RunDone
from gslverify.exits import Exit
from gslverify.finding import Level, StageResult, Verdict
from gslverify.gate.baseline import Baseline, BaselineError
from gslverify.gate.conclusion import (
    accepted,
    at_the_gate,
    covered,
    known_results,
    new_baseline,
    require_clean,
    tightened,
)
from gslverify.gate.judge import Kind
from gslverify.report.known import Known
from gslverify.report.record import Report
from gslverify.settings import Settings
from tests.gslverify import results
from tests.gslverify.gate.reports import failing, hash_of, passing, report, rule

GOOD, BAD = "conv.py::diamond", "conv.py::two_conv_add"


def run(folder: Path, code: Exit = Exit.FINDINGS, **settings: Any) -> Report:
    found = (results.passing(folder), results.failing(folder))
    return Report(RunDone(found, 1.0), Settings(**settings), ("conv.py",), code)


def gated(
    folder: Path, rules: dict[str, Any], code: Exit = Exit.FINDINGS, **settings: Any
) -> Report:
    return at_the_gate(run(folder, code, **settings), Baseline(rules=rules), whole=True)


@pytest.mark.parametrize(
    ("rules", "code", "after"),
    [
        ({GOOD: passing(), BAD: failing()}, Exit.FINDINGS, Exit.CLEAN),
        ({GOOD: passing()}, Exit.FINDINGS, Exit.FINDINGS),
        ({GOOD: passing(), BAD: passing()}, Exit.FINDINGS, Exit.FINDINGS),
        ({GOOD: failing(), BAD: failing()}, Exit.FINDINGS, Exit.CLEAN),
        ({GOOD: passing(), BAD: failing()}, Exit.INTERNAL, Exit.INTERNAL),
        ({GOOD: passing(), BAD: passing()}, Exit.INTERRUPTED, Exit.INTERRUPTED),
        ({GOOD: passing(), BAD: passing()}, Exit.USAGE, Exit.USAGE),
    ],
)
def test_the_exit_code(rules: dict[str, Any], code: Exit, after: Exit, folder: Path) -> None:
    assert gated(folder, rules, code).exit_code == after


def test_a_strict_gate_wants_a_baseline_that_is_up_to_date(folder: Path) -> None:
    rules = {GOOD: failing(), BAD: failing()}

    done = gated(folder, rules, strict_baseline=True)

    assert done.exit_code == Exit.FINDINGS
    assert any("baseline update" in line for line in done.remarks)


def test_every_rule_that_differs_has_a_line(folder: Path) -> None:
    rules = {GOOD: failing(), BAD: passing(), "conv.py::gone": passing(rule_hash="x")}

    lines = gated(folder, rules, baseline="b.json").remarks

    assert lines[0] == "baseline b.json: 1 REGRESSION, 1 fixed, 1 removed"
    assert [line.split()[:2] for line in lines[1:4]] == [
        ["REGRESSION", BAD],
        ["fixed", GOOD],
        ["removed", "conv.py::gone"],
    ]


@pytest.mark.parametrize(
    ("selectors", "whole", "met"),
    [
        (("rules",), True, True),
        (("rules/a.py",), True, True),
        ((".",), True, True),
        (("rule",), True, False),
        (("rules/b.py",), True, False),
        (("rules/a.py::other",), True, False),
        (("rules",), False, False),
    ],
)
def test_what_a_run_covers(
    selectors: tuple[str, ...], whole: bool, met: bool, folder: Path
) -> None:
    assert covered(selectors, whole=whole)("rules/a.py::one") is met


def test_a_run_that_stopped_early_misses_nothing(folder: Path) -> None:
    done = run(folder)
    early = replace(done, done=RunDone(done.done.results, 1.0, "stopped after 1 failure"))
    known = Baseline(rules={GOOD: passing(), BAD: failing(), "conv.py::gone": passing()})

    assert "removed" not in at_the_gate(early, known, whole=True).remarks[0]
    assert "removed" not in at_the_gate(done, known, whole=False).remarks[0]
    assert at_the_gate(done, None, whole=True) is done
    assert at_the_gate(done, known, whole=True).known == Known({(BAD, "GSL401"): ""})


def test_a_baseline_is_looked_at_before_anything_is_verified(folder: Path) -> None:
    assert known_results(Settings()) is None
    with pytest.raises(BaselineError, match="no such baseline"):
        known_results(Settings(baseline="no.json"))
    Baseline("ci").write(folder / "b.json")
    with pytest.raises(BaselineError, match="profile"):
        known_results(Settings(baseline="b.json"))
    assert known_results(Settings(baseline="b.json", profile="ci")) == Baseline("ci")


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({"stop_reason": "interrupted"}, "not complete: interrupted"),
        ({"shard": "1/2"}, "shard 1/2 only; merge all"),
        ({"argv": ["check", "rules.py", "-k", "conv"]}, "-k left rules out"),
        ({"argv": ["check", "-qk", "conv"], "expression": "conv"}, "-k left rules out"),
        ({"argv": ["check", "--tag=conv"]}, "--tag left rules out"),
        ({"tags": ["conv"]}, "--tag left rules out"),
        ({"changed_since": "main"}, "--changed-since left rules out"),
        ({"paths": ["rules.py::one"]}, "names single rules"),
        ({"stages": ["static", "numeric"]}, "the stages examples, satisfiable, shape, prove were"),
        ({"exit_code": 2}, "usage error"),
    ],
)
def test_a_run_that_left_something_out_is_refused(facts: dict[str, Any], why: str) -> None:
    with pytest.raises(BaselineError, match="cannot become a baseline") as caught:
        require_clean(report(rule("a"), **facts))
    assert why in str(caught.value)
    require_clean(report(rule("a"), exit_code=1))


def test_a_new_baseline_knows_all() -> None:
    made = new_baseline(report(rule("a"), rule("b", "fail", "GSL401"), seed=3, profile="ci"))

    assert (made.profile, made.seed, made.version) == ("ci", 3, "0.1.0")
    assert {r: e.verdict for r, e in made.rules.items()} == {
        "rules.py::a": "pass",
        "rules.py::b": "fail",
    }


@pytest.mark.parametrize(
    ("before", "now", "after", "left"),
    [
        (failing(), rule("a"), "pass", None),
        (None, rule("a"), "pass", None),
        (None, rule("a", "fail", "GSL401"), None, Kind.NEW_FAILURE),
        (None, rule("a", "inconclusive", "GSL490"), None, None),
        (passing(), rule("a", "fail", "GSL401"), "pass", Kind.REGRESSION),
        (failing(), rule("a", "fail", "GSL301"), "fail", Kind.REGRESSION),
        (failing(), rule("a", "fail", "GSL401"), "fail", None),
        (passing(), rule("a", shape=1), "pass", Kind.WEAKER),
        (failing(expires=date(2020, 1, 1)), rule("a", "fail", "GSL401"), "fail", Kind.EXPIRED),
    ],
)
def test_an_update_only_tightens(
    before: Any, now: Any, after: Any, left: Any, folder: Path
) -> None:
    old = Baseline(rules={} if before is None else {"rules.py::a": before})

    made, worse = tightened(old, report(now))

    entry = made.rules.get("rules.py::a")
    assert (None if entry is None else entry.verdict) == after
    assert [change.kind for change in worse] == ([] if left is None else [left])
    if left is not None and before is not None:
        assert entry == before


def test_an_update_never_lowers_what_is_recorded(folder: Path) -> None:
    known = {"shape": Level.TESTED, "values": Level.IDENTITY}
    old = Baseline(rules={"rules.py::a": passing(assurance=known, examples=100)})

    made, worse = tightened(old, report(rule("a", run=60)))

    assert [change.kind for change in worse] == [Kind.WEAKER]
    assert made.rules["rules.py::a"].assurance == known
    renamed, _ = tightened(
        Baseline(rules={"rules.py::b": passing(assurance=known, rule_hash=hash_of("a"))}),
        report(rule("a")),
    )
    assert renamed.rules["rules.py::a"].assurance == {
        "shape": Level.PROVED,
        "values": Level.IDENTITY,
    }


def test_an_update_drops_what_is_gone_and_keeps_what_was_not_looked_at(folder: Path) -> None:
    old = Baseline(rules={"rules.py::gone": passing(), "other.py::a": failing()})

    made, _ = tightened(old, report(rule("a")))

    assert set(made.rules) == {"rules.py::a", "other.py::a"}


def test_one_failure_is_accepted_with_its_reason() -> None:
    old = Baseline(rules={"rules.py::b": passing()})
    found = report(rule("a", "fail", "GSL401"))

    made, entry = accepted(old, found, "rules.py::a", "issue 12", date(2027, 1, 1))

    assert set(made.rules) == {"rules.py::a", "rules.py::b"}
    assert (entry.codes, entry.reason, entry.expires) == (
        ("GSL401",),
        "issue 12",
        date(2027, 1, 1),
    )
    with pytest.raises(BaselineError, match="knows no rule"):
        accepted(old, found, "rules.py::c", "why", None)


@pytest.mark.parametrize("code", ["GSL105", "GSL106", "GSL107"])
def test_a_rule_that_does_not_exist_is_not_accepted(code: str) -> None:
    found = report(rule("typo", "error", code))

    with pytest.raises(BaselineError, match="knows no rule"):
        accepted(Baseline(), found, "rules.py::typo", "why", None)


def test_stages_that_run_no_graphs_have_no_examples(folder: Path) -> None:
    bare = results.passing(folder)
    plain = replace(bare, stages=(StageResult("static", Verdict.PASS),))
    done = Report(RunDone((plain,), 1.0), Settings(), ("conv.py",), 0)

    assert at_the_gate(done, Baseline(rules={GOOD: passing()}), whole=True).exit_code == 0
