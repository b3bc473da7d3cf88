"""What was found about a library as results of a run: findings, refutations that do not replay."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from gslverify.adapters.adapted import Adapted
from gslverify.adapters.foreign import Lifted, PassFinding, PassResult, Replayed
from gslverify.adapters.results import CODES, identity, summary, tried
from gslverify.case import Case
from gslverify.codes.foreign import (
    DOES_NOT_REPLAY,
    NOT_LIFTED,
    NOT_TRIED,
    NOTHING_COMPARED,
    NOTHING_REWRITTEN,
)
from gslverify.codes.numeric import OUTPUTS_DIFFER
from gslverify.events import Event, RuleDone, RunDone, RunStarted, StageDone
from gslverify.finding import Counterexample, Finding, RuleResult, StageResult, Verdict
from gslverify.passes import Ending
from gslverify.passes.verdicts import SOUND
from gslverify.report.strength import strength_of
from gslverify.settings import Settings

PLACE = "lib/rules.py:7"
CASE = Case((), (), ())
REFUTATION = Finding(
    OUTPUTS_DIFFER, "1 of 1 elements differ", counterexample=Counterexample({}, (), (), case=CASE)
)
REFUTED = StageResult("numeric", Verdict.FAIL, (REFUTATION,))
PASSED = StageResult("numeric", Verdict.PASS)


def run(
    stages: tuple[StageResult, ...],
    rules: list[Lifted],
    passes: list[PassResult],
    answer: Replayed = Replayed(True, "other values", "print()"),  # noqa: B008
    stop: str = "",
) -> list[Event]:
    """Return the events about a library whose rule `one` has come to `stages`."""
    result = RuleResult("rules.py::one", None, stages)
    asked: list[str] = []

    def engine() -> Generator[Event, None, None]:
        yield RunStarted(("rules.py::one",), ("numeric",), Settings())
        for stage in stages:
            yield StageDone("rules.py::one", stage)
        if stages:
            yield RuleDone(result)
        yield RunDone((result,) if stages else (), 1.0, stop)

    def replay(name: str, case: Case) -> Replayed:
        asked.append(name)
        assert case is CASE
        return answer

    adapted = Adapted("torch", ["lib.rules"], passes, rules, replay, lambda name, text: "a.py")
    return list(adapted.events(engine()))


def results(events: list[Event]) -> tuple[RuleResult, ...]:
    (done,) = [event for event in events if isinstance(event, RunDone)]
    assert [event.result for event in events if isinstance(event, RuleDone)] == list(done.results)
    return done.results


def test_every_ending_that_is_no_success_has_a_code() -> None:
    assert set(CODES) == {ending.value for ending in set(Ending) - SOUND}


@pytest.mark.parametrize("ending", sorted(CODES))
def test_findings_of_passes_have_the_code_of_their_ending(ending: str) -> None:
    finding = PassFinding(ending, "it is so", "a_source", 3, ("%0 = x",), ("%0 = y",))
    stage = tried(PassResult("P", "m:P", 10, 4, [finding]), ["shows.py"])

    (found,) = stage.findings
    assert found.code is CODES[ending]
    assert stage.verdict is Verdict.FAIL
    assert found.details == ("script: shows.py",)
    assert "3 graphs of a_source" in found.message


def test_a_pass_without_findings_is_tested_and_no_more() -> None:
    stage = tried(PassResult("P", "m:P", 10, 4, untold={"not finite": 1}))

    assert strength_of(stage.assurances).word == "tested"
    text = "black-box tested, 3 of 10 graphs rewritten and compared"
    assert stage.verdict is Verdict.PASS
    assert [str(one) for one in stage.assurances] == [text]


def test_a_pass_that_rewrites_nothing_is_undecided_and_one_that_fails_is_an_error() -> None:
    nothing, failed = PassResult("P", "m:P", 10), PassResult("P", "m:P", failure="OSError: no")

    assert tried(nothing).findings[0].code is NOTHING_REWRITTEN
    assert tried(nothing).verdict is Verdict.INCONCLUSIVE
    assert tried(failed).verdict is Verdict.ERROR


def test_a_pass_that_was_not_tried_on_all_kinds_of_graphs_is_not_tested() -> None:
    finding = PassFinding("other values", "1 became 2", "x", 1)
    without = tried(PassResult("fold", PLACE, 10, 10, left=2))
    wrong = tried(PassResult("fold", PLACE, 10, 10, [finding], left=2))

    assert [one.code for one in without.findings] == [NOT_TRIED]
    assert without.findings[0].message == "10 graphs were tried, none of 2 further kinds"
    assert not without.assurances
    assert wrong.verdict is Verdict.FAIL
    assert wrong.notes == ("not tried: 2 further kinds of graphs",)


def test_what_keeps_graphs_from_being_drawn_is_said() -> None:
    result = PassResult("P", "m:P", 2, refused={"no such dtype": 3, "operands that are text": 9})

    (finding,) = tried(result).findings

    assert finding.message == (
        "2 graphs were tried; 9 more could not be drawn: operands that are text"
    )


def test_a_pass_is_not_tested_by_graphs_that_could_not_be_compared() -> None:
    stage = tried(PassResult("P", "m:P", 10, 4, untold={"not finite": 3, "not run": 1}))

    assert stage.verdict is Verdict.INCONCLUSIVE
    assert stage.findings[0].code is NOTHING_COMPARED


@pytest.mark.parametrize(
    ("name", "place", "wanted"),
    [
        ("one", PLACE, "lib/rules.py::one"),
        ("P", "tvm.relax.transform:P", "tvm.relax.transform::P"),
        ("tool {in} {out}", "tool {in} {out}", "tool {in} {out}"),
        ("one", "", "one"),
    ],
)
def test_ids_are_made_of_places_and_names(name: str, place: str, wanted: str) -> None:
    assert identity(name, place) == wanted


def test_a_refutation_that_the_library_shows_stays_with_a_script() -> None:
    (result,) = results(run((REFUTED,), [Lifted("one", PLACE, "text")], []))

    assert result.rule_id == "lib/rules.py::one"
    assert result.verdict is Verdict.FAIL
    assert result.findings[0].details == ("script: a.py",)
    assert result.again == "gslverify adapt torch lib.rules"
    assert list(summary([result])) == [
        "1 rule: 1 lifted, 1 with a verdict; 1 refutation replayed by the library, 0 not"
    ]


def test_a_refutation_that_does_not_replay_is_no_finding_about_the_library() -> None:
    answer = Replayed(False, "it leaves the graph as it is")
    (result,) = results(run((REFUTED,), [Lifted("one", PLACE, "text")], [], answer))

    assert result.verdict is Verdict.INCONCLUSIVE
    assert [finding.code for finding in result.findings] == [DOES_NOT_REPLAY]
    assert result.findings[0].message == "does not replay: it leaves the graph as it is"
    assert result.findings[0].counterexample is REFUTATION.counterexample


def test_a_rule_that_passes_is_not_asked_about() -> None:
    (result,) = results(run((PASSED,), [Lifted("one", PLACE, "text")], []))

    assert result.verdict is Verdict.PASS
    assert [stage.stage for stage in result.stages] == ["numeric"]


def test_what_is_found_of_a_rule_as_a_black_box_counts_beside_its_proof() -> None:
    finding = PassFinding("an exception", "IndexError", "pattern_0", 1, ("%0 = x",))
    passed = PassResult("one", PLACE, 5, 2, [finding])
    (result,) = results(run((PASSED,), [Lifted("one", PLACE, "text")], [passed]))

    assert result.verdict is Verdict.FAIL
    assert [stage.stage for stage in result.stages] == ["black-box", "numeric"]


def test_a_lifted_rule_is_not_undecided_because_no_other_graph_was_rewritten() -> None:
    passed = PassResult("one", PLACE, 5)
    (result,) = results(run((PASSED,), [Lifted("one", PLACE, "text")], [passed]))

    assert result.verdict is Verdict.PASS


def test_rules_that_are_not_lifted_and_passes_are_told_in_the_order_of_the_library() -> None:
    rules = [Lifted("zero", PLACE, reason="no operator"), Lifted("one", PLACE, "text")]
    passes = [PassResult("P", "m:P", 1, 1)]
    events = run((PASSED,), rules, passes)

    assert [one.rule_id for one in results(events)] == [
        "m::P",
        "lib/rules.py::zero",
        "lib/rules.py::one",
    ]
    (started,) = [event for event in events if isinstance(event, RunStarted)]
    assert started.rule_ids == tuple(one.rule_id for one in results(events))
    assert results(events)[1].findings[0].code is NOT_LIFTED


def test_the_time_of_a_run_is_that_of_trying_passes_too() -> None:
    passes = [
        PassResult("P", "m:P", 1, 1, seconds=40.0),
        PassResult("Q", "m:Q", 1, 1, seconds=9.0, cached=True),
    ]
    events = run((PASSED,), [Lifted("one", PLACE, "text")], passes)

    assert [one.seconds for one in events if isinstance(one, RunDone)] == [41.0]


def test_lifted_rules_that_were_not_verified_in_time_are_not_told() -> None:
    passes = [PassResult("P", "m:P", 1, 1)]
    told = results(run((), [Lifted("one", PLACE, "text")], passes, stop="interrupted"))

    assert [one.rule_id for one in told] == ["m::P"]
