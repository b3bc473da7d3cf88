from __future__ import annotations

import pytest

pytest_plugins = ["pytester"]

HEAD = """
from gsl import Call, Subst, Var, Workload, op, pat, rule
from gsl.operators import lookup


@rule()
def idempotent() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Relu(op.Relu(x)), op.Relu(x))


@rule(expect="GSL131")
def wrong() -> Subst:
    return Subst(op.Relu(pat.Wildcard()), op.Relu(pat.Wildcard()))


@rule(expect="GSL131")
def mended() -> Subst:
    return idempotent()


def unmarked() -> Subst:
    return Subst(op.Abs(pat.Wildcard()), op.Relu(pat.Wildcard()))


x = Var("x", (2, 3))
once = Call(lookup("Relu"), [x])
twice = Call(lookup("Relu"), [once])
"""


def run(project: pytest.Pytester, body: str, *arguments: str) -> pytest.RunResult:
    lines = "".join(f"    {line}\n" for line in body.strip().splitlines())
    (project.path / "test_it.py").write_text(f"{HEAD}\n\ndef test_it(gsl):\n{lines}", "utf-8")
    return project.runpytest_inprocess("test_it.py", *arguments)


@pytest.mark.parametrize(
    "body",
    [
        "assert gsl.check(idempotent, stages=['static']).verdict == 'PASS'",
        "assert gsl.check(wrong, stages=['static']).verdict == 'XFAIL'",
        "gsl.check(idempotent(), stages=['static'])",
        "gsl.assert_matches(idempotent, twice)",
        "gsl.assert_matches(idempotent, Workload(twice))",
        "gsl.assert_matches(idempotent(), [twice, x])",
        "gsl.assert_no_match(idempotent, once)",
        "assert gsl.rewrite(idempotent, twice) == '%0 = Relu(x)\\nreturn %0'",
        "assert gsl.rewrite(idempotent, once) == '%0 = Relu(x)\\nreturn %0'",
    ],
)
def test_what_holds_passes(body: str, project: pytest.Pytester) -> None:
    run(project, body).assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ("gsl.check(unmarked, stages=['static'])", ["*FAIL *::unmarked*GSL131*"]),
        (
            "gsl.assert_matches(idempotent, once)",
            ["*idempotent does not match; it comes furthest with*", "*but *", "*%0 = Relu(x)*"],
        ),
        ("gsl.assert_no_match(idempotent, twice)", ["*idempotent matches:*", "*the rule matches*"]),
        ("gsl.assert_matches(idempotent, 3)", ["*3 is no graph; write a Workload*"]),
        ("gsl.assert_matches(3, once)", ["*3 is no rule; write a function under @rule*"]),
        ("gsl.check(mended, stages=['static'])", ["*FAIL *::mended*GSL601*"]),
    ],
)
def test_what_does_not_hold_fails_and_says_why(
    body: str, lines: list[str], project: pytest.Pytester
) -> None:
    result = run(project, body)

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(lines)
    result.stdout.no_fnmatch_line("*raise StageFailedError*")


def test_unknown_stage_is_a_mistake_of_the_test(project: pytest.Pytester) -> None:
    result = run(project, "gsl.check(idempotent, stages=['nmeric'])")

    assert result.ret != 0
    assert "there is no stage `nmeric`" in "\n".join([*result.outlines, *result.errlines])


UNDECIDED = """
import gslverify.stages.static as static
from gslverify.codes.shape import UNDECIDED_SHAPE
from gslverify.finding import Finding
from gslverify.stage import Stage
static.STATIC = Stage('static', lambda question: [Finding(UNDECIDED_SHAPE, 'too hard')])
"""


@pytest.mark.parametrize(("arguments", "outcome"), [([], "skipped"), (["--gsl-strict"], "failed")])
def test_undecided_is_not_passed(
    arguments: list[str], outcome: str, project: pytest.Pytester
) -> None:
    (project.path / "conftest.py").write_text(UNDECIDED, "utf-8")
    lines = "    gsl.check(idempotent, stages=['static'])\n"
    (project.path / "test_it.py").write_text(f"{HEAD}\n\ndef test_it(gsl):\n{lines}", "utf-8")

    result = project.runpytest_subprocess("test_it.py", *arguments)

    result.assert_outcomes(**{outcome: 1})
