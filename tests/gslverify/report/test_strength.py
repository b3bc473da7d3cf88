"""What a PASS is worth, in one word."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gslverify.finding import Assurance, Level, Reach, RuleResult, StageResult, Verdict
from gslverify.report.strength import UNTESTED, counted_strengths, strength_of
from gslverify.report.style import Style
from gslverify.report.text import rule_lines

SHAPE = Assurance("shape", Level.PROVED, "proved, ranks 0-4", Reach.SIZES)
TESTED = Assurance("", Level.EXACT, "exact, 25 graphs")
EQUAL = Assurance("", Level.IDENTITY, "equal for all inputs, 12 small graphs", Reach.INPUTS)
NEEDS = Assurance("", Level.TESTED, "needs nnan nsz, 12 graphs", flags=("nnan", "nsz"))
PROVED = Assurance("prove", Level.PROVED, "proved, ranks 0-4", Reach.SIZES)
PART = Assurance("prove", Level.PROVED, "proved for 8 of 9 structures", Reach.SIZES_IN_PART)
GRADIENTS = Assurance("gradients", Level.TESTED, "tested, 8 graphs")


@pytest.mark.parametrize(
    ("assurances", "word", "text"),
    [
        ((), UNTESTED, UNTESTED),
        ((SHAPE, GRADIENTS), UNTESTED, UNTESTED),
        ((SHAPE, TESTED), "tested", "tested"),
        ((TESTED, EQUAL), "equal for all inputs", "equal for all inputs"),
        ((SHAPE, TESTED, EQUAL, PART), "proved in part", "proved for 8 of 9 structures"),
        ((TESTED, PROVED), "proved", "proved, ranks 0-4"),
        ((TESTED, NEEDS), "tested", "tested; needs nnan nsz"),
    ],
)
def test_the_strongest_counts(assurances: tuple[Assurance, ...], word: str, text: str) -> None:
    strength = strength_of(assurances)

    assert (strength.word, str(strength)) == (word, text)


def result_of(name: str, *assurances: Assurance, open_proof: str = "") -> RuleResult:
    stages = (
        StageResult("static", Verdict.PASS),
        StageResult("prove", Verdict.PASS, open=open_proof),
        StageResult("numeric", Verdict.PASS, assurances=assurances),
    )
    return RuleResult(f"a.py::{name}", None, stages)


def test_strengths_of_rules_that_pass_are_counted() -> None:
    results = [result_of("a", TESTED), result_of("b", PROVED, TESTED), result_of("c", PROVED)]
    failed = replace(results[0], stages=(StageResult("shape", Verdict.FAIL), *results[0].stages))

    assert counted_strengths([*results, failed]) == {"proved": 2, "tested": 1}


def test_the_line_of_a_rule_begins_with_what_it_is_worth() -> None:
    proved = rule_lines(result_of("a", PROVED, TESTED, NEEDS), "a", 4, Style())
    tested = rule_lines(result_of("a", TESTED, open_proof="no law"), "a", 4, Style())

    assert " ".join(proved[0].split()[:6]) == "PASS a proved, ranks 0-4; needs"
    assert " ".join(tested[0].split()[:6]) == "PASS a tested prove: open numeric:"


def test_only_what_is_proved_is_green() -> None:
    style = Style(colour=True)

    assert style.strength("proved, ranks 0-4", "proved").startswith("\x1b[32mproved\x1b")
    assert style.strength("tested", "tested") == "\x1b[33mtested\x1b[0m"
    assert "32" not in style.strength("equal for all inputs", "equal for all inputs")
    assert style.strength("GSL401", "tested") == "GSL401"
