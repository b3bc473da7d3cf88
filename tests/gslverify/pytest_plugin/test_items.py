from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.gslverify.rule_files import HEAD, rule_text, write_rule, write_rules

pytest_plugins = ["pytester"]

RELU = "Subst(op.Relu(op.Relu(x)), op.{})"


QUICKLY = ("--gsl", "--gsl-no-tvm", "--gsl-max-examples=5", "-v")


def rules(project: pytest.Pytester) -> pytest.RunResult:
    return project.runpytest_inprocess(*QUICKLY)


def test_nothing_is_collected_unless_asked_for(project: pytest.Pytester) -> None:
    write_rules(project.path, ["one"])

    assert project.runpytest_inprocess().ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_one_item_for_each_rule_and_stage(project: pytest.Pytester) -> None:
    write_rules(project.path, ["two", "one"], "lib/conv.py")

    result = project.runpytest_inprocess("--gsl", "--collect-only", "-q", "lib")

    assert [line for line in result.outlines if "::" in line] == [
        f"lib/conv.py::{name}::{stage}"
        for name in ("two", "one")
        for stage in ("static", "satisfiable", "shape", "numeric")
    ]


def test_files_without_rules_are_left_alone(project: pytest.Pytester) -> None:
    write_rules(project.path, ["one"])
    (project.path / "explodes.py").write_text("raise SystemExit\n", "utf-8")

    result = project.runpytest_inprocess("--gsl", "--collect-only", "-q")

    assert result.ret == 0


def test_ini_names_files_that_are_always_collected(project: pytest.Pytester) -> None:
    project.makeini("[pytest]\naddopts = -p gslverify.pytest_plugin\ngsl_rules = lib\n")
    write_rules(project.path, ["one"], "lib/conv.py")
    write_rules(project.path, ["other"], "other.py")

    result = project.runpytest_inprocess("--collect-only", "-q")

    assert {line.split("::")[1] for line in result.outlines if "::" in line} == {"one"}


@pytest.mark.parametrize(
    ("selection", "count"),
    [
        (["rules.py"], 8),
        (["rules.py::one"], 4),
        (["rules.py::one::shape"], 1),
        (["rules.py", "-k", "one and shape"], 1),
        (["rules.py", "-m", "gsl"], 8),
        (["rules.py", "-m", "gsl and not gsl_numeric"], 6),
        (["rules.py", "-m", "gsl_static"], 2),
    ],
)
def test_selection(selection: list[str], count: int, project: pytest.Pytester) -> None:
    write_rules(project.path, ["one", "two"])

    result = project.runpytest_inprocess(
        "--gsl", "--collect-only", "-q", "--strict-markers", *selection
    )

    assert len([line for line in result.outlines if "::" in line]) == count


def test_rule_file_named_like_a_test_file_is_both(project: pytest.Pytester) -> None:
    path = write_rules(project.path, ["one"], "test_rules.py")
    path.write_text(path.read_text("utf-8") + "\n\ndef test_it():\n    pass\n", "utf-8")

    result = project.runpytest_inprocess("--gsl", "--collect-only", "-q", "test_rules.py")

    assert "test_rules.py::test_it" in result.outlines
    assert "test_rules.py::one::static" in result.outlines


def test_two_rule_files_of_one_name(project: pytest.Pytester) -> None:
    write_rules(project.path, ["one"], "sound/conv.py")
    write_rules(project.path, ["one"], "broken/conv.py")

    result = project.runpytest_inprocess(
        "--gsl", "sound/conv.py", "broken/conv.py", "-m", "gsl_static"
    )

    result.assert_outcomes(passed=2, deselected=6)


def test_sound_rule_passes_all_stages(project: pytest.Pytester) -> None:
    write_rules(project.path, ["one"])

    rules(project).assert_outcomes(passed=4)


def test_wrong_rule_fails_with_the_block_and_no_traceback(project: pytest.Pytester) -> None:
    write_rule(project.path, f"x = pat.Wildcard()\nreturn {RELU.format('Relu(pat.Wildcard())')}")

    result = rules(project)

    result.assert_outcomes(failed=1, skipped=3)
    result.stdout.fnmatch_lines(
        [
            "rules.py::example::static FAILED*",
            "rules.py::example::satisfiable SKIPPED (static refuted the rule)*",
            "FAIL rules.py::example*GSL131*",
            "  --> rules.py:7:47",
            "  repro * gslverify check rules.py::example -n 5 *",
            "FAILED rules.py::example::static - rules.py:7: GSL131*",
        ]
    )
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line("*runtest*")


def test_wrong_values_fail_the_numeric_stage(project: pytest.Pytester) -> None:
    write_rule(project.path, f"x = pat.Wildcard()\nreturn {RELU.format('Abs(x)')}")

    result = rules(project)

    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["FAIL rules.py::example*GSL401*", "  outputs *"])


def test_a_later_stage_alone_runs_the_earlier_ones(project: pytest.Pytester) -> None:
    write_rule(project.path, "return None")

    result = project.runpytest_inprocess("--gsl", "rules.py::example::shape")

    result.assert_outcomes(skipped=1)


def test_expected_code_is_an_expected_failure(project: pytest.Pytester) -> None:
    body = f"x = pat.Wildcard()\nreturn {RELU.format('Abs(x)')}"
    write_rule(project.path, body, options='expect="GSL401", reason="issue 12"')

    result = project.runpytest_inprocess(*QUICKLY, "-rx")

    result.assert_outcomes(passed=3, xfailed=1)
    result.stdout.fnmatch_lines(["XFAIL *refuted by GSL401 as expected: issue 12"])


def test_unmet_expectation_is_a_failure(project: pytest.Pytester) -> None:
    text = HEAD + rule_text("mended", 'expect="GSL401"')
    (project.path / "rules.py").write_text(text, "utf-8")

    result = rules(project)

    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["FAIL rules.py::mended*GSL601*"])


def test_file_that_does_not_import_is_a_failing_item(project: pytest.Pytester) -> None:
    path = write_rules(project.path, ["one"])
    path.write_text("import nowhere\n" + path.read_text("utf-8"), "utf-8")
    write_rules(project.path, ["sound"], "sound.py")

    result = project.runpytest_inprocess("--gsl", "--gsl-no-tvm")

    result.assert_outcomes(failed=1, passed=4)
    result.stdout.fnmatch_lines(["FAILED rules.py::import::collection - rules.py:1: GSL101*"])


def test_name_used_twice_fails_once(project: pytest.Pytester) -> None:
    text = HEAD + rule_text("twice") + rule_text("twice")
    (project.path / "rules.py").write_text(text, "utf-8")

    result = rules(project)

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["rules.py::twice::collection FAILED*", "*GSL103*"])


def test_crash_of_a_stage_is_a_failure(project: pytest.Pytester) -> None:
    write_rules(project.path, ["one"])
    (project.path / "conftest.py").write_text(
        "import gslverify.stages.static as static\nstatic.check = lambda subst: 1 / 0\n", "utf-8"
    )

    result = project.runpytest_subprocess(*QUICKLY)

    result.assert_outcomes(failed=1, skipped=3)
    result.stdout.fnmatch_lines(["*GSL901*", "*ZeroDivisionError*"])


def test_numbers_are_properties_of_the_item(project: pytest.Pytester) -> None:
    write_rules(project.path, ["one"])

    project.runpytest_inprocess("--gsl", "rules.py::one::shape", "--junitxml=report.xml")

    assert 'name="assurance"' in (project.path / "report.xml").read_text("utf-8")


@pytest.mark.parametrize(
    "arguments", [["--gsl", "--collect-only"], ["--gsl", "-m", "gsl_static"], []]
)
def test_nothing_heavy_is_imported_unless_needed(
    arguments: list[str], project: pytest.Pytester
) -> None:
    write_rules(project.path, ["one"])
    (project.path / "conftest.py").write_text(
        "import sys\n\n\n"
        "def pytest_unconfigure():\n"
        "    heavy = {'tvm', 'z3', 'hypothesis', 'rich'}\n"
        "    print('HEAVY', sorted(heavy & sys.modules.keys()))\n",
        "utf-8",
    )

    result = project.runpytest_subprocess(*arguments)

    result.stdout.fnmatch_lines(["HEAVY []"])


def test_the_language_is_not_imported_either_without_rules(tmp_path: Path) -> None:
    script = "import sys, gslverify.pytest_plugin\nprint('numpy' in sys.modules)"

    printed = subprocess.check_output([sys.executable, "-c", script], text=True, cwd=tmp_path)

    assert printed == "False\n"


def test_file_and_rule_that_would_end_the_session_are_failing_items(
    project: pytest.Pytester,
) -> None:
    (project.path / "exits.py").write_text(f"{HEAD}import os\nos._exit(0)\n", "utf-8")
    write_rule(project.path, "import os\nos._exit(0)")
    write_rules(project.path, ["sound"], "sound.py")

    result = rules(project)

    result.stdout.fnmatch_lines(
        [
            "exits.py::import::collection FAILED*",
            "rules.py::example::collection FAILED*",
            "sound.py::sound::static PASSED*",
        ]
    )
    result.assert_outcomes(passed=4, failed=2)
