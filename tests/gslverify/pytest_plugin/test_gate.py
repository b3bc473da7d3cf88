"""A session of pytest that is compared with a baseline."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from gslverify.finding import Level
from gslverify.gate.baseline import Baseline, read
from gslverify.gate.entry import Entry
from tests.gslverify.pytest_plugin.projects import WRONG
from tests.gslverify.rule_files import HEAD, rule_text

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.smt

FAST = ("--gsl", "--gsl-no-tvm", "--gsl-max-examples=5", "--gsl-baseline=known.json", "-rx")
STATIC = "--gsl-stages=static"
ALL = "--gsl-stages=static,examples,satisfiable,shape,prove,numeric"
RULE = "rules.py::one"

KNOWN = Entry("fail", ("GSL131",), reason="issue 12")
GOOD = Entry("pass")


def session(
    project: pytest.Pytester, entry: Entry | None, body: str, *more: str
) -> pytest.RunResult:
    text = HEAD + (rule_text("one", result=body) if body else rule_text("one"))
    (project.path / "rules.py").write_text(text, "utf-8")
    rules = {} if entry is None else {RULE: entry}
    Baseline(rules=rules).write(project.path / "known.json")
    return project.runpytest_inprocess(*FAST, *more)


@pytest.mark.parametrize(
    ("entry", "body", "outcomes", "line"),
    [
        (KNOWN, WRONG, {"xfailed": 1}, "baseline known.json: 1 known"),
        (GOOD, WRONG, {"failed": 1}, "*REGRESSION*rules.py::one*pass -> fail*"),
        (None, WRONG, {"failed": 1}, "*NEW FAILURE*rules.py::one*absent -> fail*"),
        (GOOD, "", {"passed": 1}, "baseline known.json: 1 *"),
        (KNOWN, "", {"passed": 1}, "*fixed*rules.py::one*fail -> pass*"),
        (
            Entry("fail", ("GSL131",), reason="soon", expires=date(2020, 1, 1)),
            WRONG,
            {"failed": 1},
            "*EXPIRED*accepted until 2020-01-01: soon*",
        ),
        (
            Entry("fail", ("GSL301",)),
            WRONG,
            {"failed": 1},
            "*REGRESSION*another failure: GSL131*",
        ),
    ],
    ids=["known", "worse", "new", "same", "fixed", "expired", "another"],
)
def test_what_a_baseline_makes_of_a_rule(
    entry: Entry | None,
    body: str,
    outcomes: dict[str, int],
    line: str,
    project: pytest.Pytester,
) -> None:
    result = session(project, entry, body, STATIC)

    result.assert_outcomes(**outcomes)
    result.stdout.fnmatch_lines([line])
    assert result.ret == (1 if "failed" in outcomes else 0)


def test_known_failure_tells_its_reason(project: pytest.Pytester) -> None:
    result = session(project, KNOWN, WRONG, STATIC)

    result.stdout.fnmatch_lines(["XFAIL rules.py::one::static - known: issue 12"])


def test_strict_gate_fails_a_session_in_which_nothing_else_did(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GSLVERIFY_STRICT_BASELINE", "1")
    result = session(project, KNOWN, "", STATIC)

    result.assert_outcomes(passed=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*which fails a strict gate"])


def test_rules_that_were_not_run_to_the_end_are_not_judged(project: pytest.Pytester) -> None:
    result = session(project, KNOWN, "", "-m", "gsl_static")

    result.stdout.fnmatch_lines(["baseline known.json: no rules"])
    assert result.ret == 0


UNDECIDED = """
import gslverify.stages.static as static
from gslverify.codes.shape import UNDECIDED_SHAPE
from gslverify.finding import Finding
from gslverify.stage import Stage
static.STATIC = Stage('static', lambda question: [Finding(UNDECIDED_SHAPE, 'too hard')])
"""


@pytest.mark.parametrize(("entry", "outcome"), [(None, "skipped"), (GOOD, "failed")])
def test_undecided_is_worse_than_passed(
    entry: Entry | None, outcome: str, project: pytest.Pytester
) -> None:
    (project.path / "conftest.py").write_text(UNDECIDED, "utf-8")
    (project.path / "rules.py").write_text(HEAD + rule_text("one"), "utf-8")
    Baseline(rules={} if entry is None else {RULE: entry}).write(project.path / "known.json")

    project.runpytest_subprocess(*FAST, STATIC).assert_outcomes(**{outcome: 1})


def test_update_tightens_and_never_accepts(project: pytest.Pytester) -> None:
    update = "--gsl-update-baseline"
    fixed = session(project, KNOWN, "", update, ALL)
    found = read(project.path / "known.json").rules[RULE]
    assert (fixed.ret, found.verdict, found.assurance["shape"]) == (0, "pass", Level.PROVED)

    worse = session(project, GOOD, WRONG, update, ALL)
    assert (worse.ret, read(project.path / "known.json").rules[RULE]) == (1, GOOD)
    worse.stdout.fnmatch_lines(["*REGRESSION*it stays as it was"])


def test_part_of_the_stages_updates_nothing(project: pytest.Pytester) -> None:
    result = session(project, KNOWN, "", "--gsl-update-baseline", "--gsl-stages=static,shape")

    result.stdout.fnmatch_lines(["known.json is not updated: the stages * were not run"])
    assert read(project.path / "known.json").rules[RULE] == KNOWN


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        ("[]", ["--gsl-baseline=known.json"], "*known.json:1: it is not a baseline*"),
        (None, ["--gsl-baseline=known.json"], "*there is no such baseline*"),
        (None, ["--gsl-update-baseline"], "*name the file by --gsl-baseline FILE*"),
    ],
)
def test_baselines_that_cannot_be_used(
    text: str | None, arguments: list[str], message: str, project: pytest.Pytester
) -> None:
    (project.path / "rules.py").write_text(HEAD + rule_text("one"), "utf-8")
    if text is not None:
        Path("known.json").write_text(text)
    result = project.runpytest_inprocess("--gsl", *arguments, "-m", "gsl_static")

    assert result.ret == pytest.ExitCode.USAGE_ERROR or result.ret == pytest.ExitCode.INTERRUPTED
    (result.stderr if result.errlines else result.stdout).fnmatch_lines([message])
