from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from gslverify.configuration.table import TABLE
from gslverify.pytest_plugin.options import SETTINGS, SWITCHES
from tests.gslverify.pytest_plugin.projects import INI, STATIC, ids_of, write_mixed
from tests.gslverify.rule_files import HEAD, rule_text, write_rules

pytest_plugins = ["pytester"]

SHOW = """
from gslverify.pytest_plugin.configure import session_settings


def pytest_collection_finish(session):
    settings = session_settings(session.config)
    print("SETTINGS", settings.max_examples, settings.seed, settings.use_tvm, settings.profile)
"""


ASKED_OF_PYTEST = {
    *("rules", "files", "tags", "changed-since", "shard", "executor", "jobs", "max-failures"),
    *("fail-on", "exit-zero", "output-format", "quiet", "verbose", "view", "color", "ascii"),
    "allow-no-rules",
}
"""Settings for which pytest has its own: paths, -k, -m, -n of xdist, -x, -q, and so on."""
OF_THE_FILE = {
    *("library", "stage-timeouts", "cache-folder", "failures-folder"),
    *("report-full", "docs-url", "show-stats", "flags"),
}
"""Settings that nobody changes for a session, or that it has no use for."""


def test_every_setting_is_an_option_or_has_a_reason_not_to_be() -> None:
    mirrored = SETTINGS.keys() | SWITCHES.keys()
    assert mirrored | ASKED_OF_PYTEST | OF_THE_FILE == TABLE.keys()
    assert not mirrored & (ASKED_OF_PYTEST | OF_THE_FILE)


def test_switches_are_heeded(project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    names = ("hints", "cache", "allow_inconclusive", "strict_baseline")
    text = SHOW.replace("settings.max_examples, ", ", ".join(f"settings.{n}" for n in names) + ", ")
    before = shown(project, text=text).split()[:4]
    flags = [SWITCHES[name.replace("_", "-")][0] for name in names]
    after = shown(project, *flags, text=text).split()[:4]

    assert (before, after) == (
        ["True", "True", "False", "False"],
        ["False", "False", "True", "True"],
    )


def shown(project: pytest.Pytester, *arguments: str, text: str = SHOW) -> str:
    (project.path / "conftest.py").write_text(text, "utf-8")
    result = project.runpytest_inprocess("--collect-only", *arguments)
    (line,) = [line for line in result.outlines if line.startswith("SETTINGS")]
    return line.removeprefix("SETTINGS ")


@pytest.mark.parametrize(
    ("arguments", "ini", "toml", "expected"),
    [
        ([], "", "", "60 0 True dev"),
        ([], "", "max-examples = 7", "7 0 True dev"),
        ([], "gsl_max_examples = 8\ngsl_tvm = false", "max-examples = 7", "8 0 False dev"),
        (["--gsl-max-examples=9"], "gsl_max_examples = 8", "", "9 0 True dev"),
        (["--gsl-profile=deep"], "gsl_max_examples = 8", "", "1000 0 True deep"),
        (["--gsl-no-tvm", "--gsl-seed=5"], "", "", "60 5 False dev"),
    ],
)
def test_option_outdoes_profile_outdoes_ini_outdoes_settings_file(
    arguments: list[str], ini: str, toml: str, expected: str, project: pytest.Pytester
) -> None:
    project.makeini(INI + ini + "\n")
    (project.path / "pyproject.toml").write_text(f"[tool.gslverify]\n{toml}\n", "utf-8")

    assert shown(project, *arguments) == expected


def test_environment_outdoes_ini(project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    project.makeini(INI + "gsl_seed = 3\n")
    monkeypatch.setenv("GSLVERIFY_SEED", "4")

    assert shown(project).split()[1] == "4"
    assert shown(project, "--gsl-seed=5").split()[1] == "5"


def test_seed_falls_back_to_that_of_hypothesis(project: pytest.Pytester) -> None:
    hypothesis = ("-p", "_hypothesis_pytestplugin", "--hypothesis-seed=77")

    assert shown(project, *hypothesis).split()[1] == "77"
    assert shown(project, *hypothesis, "--gsl-seed=5").split()[1] == "5"


PROPERTY = """
from hypothesis import given, settings
from hypothesis import strategies as st


@given(st.integers())
def test_property(number):
    assert settings().max_examples == 6
"""


def test_a_profile_of_hypothesis_is_that_of_rules_and_of_properties(
    project: pytest.Pytester,
) -> None:
    table = "[tool.gslverify.profiles.quick]\nmax-examples = 6\nmin-examples = 2\n"
    (project.path / "pyproject.toml").write_text(table, "utf-8")
    asked = ("-p", "_hypothesis_pytestplugin", "--hypothesis-profile=quick")

    assert shown(project, *asked) == "6 0 True quick"
    assert shown(project, *asked, "--gsl-profile=deep").split()[-1] == "deep"
    (project.path / "test_properties.py").write_text(PROPERTY, "utf-8")
    project.runpytest_subprocess(*asked, "test_properties.py").assert_outcomes(passed=1)
    unknown = project.runpytest_subprocess(*asked[:2], "--hypothesis-profile=quikc")
    assert unknown.ret != 0


def test_statistics_of_hypothesis_have_those_of_rules(project: pytest.Pytester) -> None:
    write_rules(project.path, ["one"])
    asked = ("-p", "_hypothesis_pytestplugin", "--hypothesis-show-statistics", "--gsl-no-tvm")
    result = project.runpytest_subprocess("--gsl", *asked, "--gsl-max-examples=6", "rules.py")

    text = result.stdout.str()
    assert "Hypothesis Statistics" in text
    statistics = text.partition("rules.py::one::numeric:")[2]
    assert "passing graphs, 0 failing graphs" in statistics
    assert "Stopped because settings.max_examples=6" in statistics
    assert "rules.py::one::static:" not in text


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("--gsl-max-examples=many", "gslverify: --gsl-max-examples: 'many' is not a valid integer"),
        ("--gsl-profile=depp", "did you mean `deep`?"),
        ("--gsl-stages=nmeric", "did you mean `numeric`?"),
        ("--gsl-report=pdf=x", "--gsl-report pdf=x: write FMT=PATH"),
        ("--gsl-report=json", "write FMT=PATH"),
    ],
)
def test_mistakes_are_usage_errors(argument: str, message: str, project: pytest.Pytester) -> None:
    write_rules(project.path, ["one"])

    result = project.runpytest_inprocess("--gsl", argument)

    assert result.ret == pytest.ExitCode.USAGE_ERROR or result.ret == pytest.ExitCode.INTERRUPTED
    assert message in "\n".join([*result.outlines, *result.errlines])
    assert not {"Traceback", "configure.py"} & set("\n".join(result.outlines).split())
    result.stdout.no_fnmatch_line("*raise *")


def test_mistake_in_the_settings_file_is_told(project: pytest.Pytester) -> None:
    write_rules(project.path, ["one"])
    (project.path / "pyproject.toml").write_text("[tool.gslverify]\nsead = 1\n", "utf-8")

    result = project.runpytest_inprocess("--gsl")

    text = "\n".join([*result.outlines, *result.errlines])
    assert "pyproject.toml:2: there is no setting `sead`; did you mean `seed`?" in text


def test_stages_that_are_not_asked_for_are_no_items(project: pytest.Pytester) -> None:
    write_rules(project.path, ["one"])

    result = project.runpytest_inprocess("--gsl", "--gsl-stages=shape", "--collect-only", "-q")

    assert ids_of(result) == ["rules.py::one::static", "rules.py::one::shape"]


def test_spent_budget_leaves_rules_undecided(project: pytest.Pytester) -> None:
    write_rules(project.path, ["one", "two"])

    result = project.runpytest_inprocess(*STATIC, "--gsl-budget=0.000001", "-rs")
    strict = project.runpytest_inprocess(*STATIC, "--gsl-budget=0.000001", "--gsl-strict")

    result.assert_outcomes(skipped=2, deselected=6)
    result.stdout.fnmatch_lines(["*the time for all rules (--gsl-budget) is used up*"])
    strict.assert_outcomes(failed=2, deselected=6)


UNDECIDED = """
import gslverify.stages.static as static
from gslverify.codes.shape import UNDECIDED_SHAPE
from gslverify.finding import Finding
from gslverify.stage import Stage
static.STATIC = Stage('static', lambda question: [Finding(UNDECIDED_SHAPE, 'too hard')])
"""


@pytest.mark.parametrize(
    ("argument", "ini", "outcome"),
    [("", "", "skipped"), ("--gsl-strict", "", "failed"), ("", "gsl_strict = true\n", "failed")],
)
def test_strict_sessions_fail_on_what_is_undecided(
    argument: str, ini: str, outcome: str, project: pytest.Pytester
) -> None:
    project.makeini(INI + ini)
    write_rules(project.path, ["one"])
    (project.path / "conftest.py").write_text(UNDECIDED, "utf-8")

    result = project.runpytest_subprocess(*STATIC, *filter(None, [argument]))

    result.assert_outcomes(**{outcome: 1, "deselected": 3})


def test_reports_are_written_and_a_section_ends_the_run(project: pytest.Pytester) -> None:
    write_mixed(project.path)

    result = project.runpytest_inprocess(
        *STATIC, "--gsl-report=json=r.json", "--gsl-report=junit=no/r.xml"
    )

    report = json.loads((project.path / "r.json").read_text("utf-8"))
    assert report["summary"] == {"pass": 2, "fail": 1}
    assert report["run"]["exit_code"] == 1
    result.stdout.fnmatch_lines(
        [
            "=* gslverify =*",
            "3 rules: 2 pass, 1 fail*",
            "the report junit could not be written to no/r.xml*",
            "report json: r.json",
        ]
    )
    result.stdout.no_fnmatch_line("report junit: *")


def test_a_report_that_cannot_be_written_fails_the_session(project: pytest.Pytester) -> None:
    write_rules(Path(project.path), ["one"])

    result = project.runpytest_inprocess(*STATIC, "--gsl-report=json=no/r.json")

    result.assert_outcomes(passed=1, deselected=3)
    assert result.ret == pytest.ExitCode.INTERNAL_ERROR


@pytest.mark.parametrize("workers", [(), ("-p", "xdist", "-n2", "--dist=load")])
def test_reports_say_what_is_odd_about_rules(
    workers: tuple[str, ...], project: pytest.Pytester
) -> None:
    """An expectation that is not met, and a comment that silences nothing."""
    text = HEAD + rule_text("mended", 'expect="GSL131"') + rule_text("stale")
    text = text.replace("def stale", "# gsl: ignore[GSL140] once\ndef stale")
    (project.path / "rules.py").write_text(text, "utf-8")

    result = project.runpytest_subprocess(*STATIC, *workers, "--gsl-report=json=r.json")

    rules = json.loads((project.path / "r.json").read_text("utf-8"))["rules"]
    assert [rule["verdict"] for rule in rules] == ["fail", "pass"]
    assert [one["code"] for rule in rules for one in rule["findings"]] == ["GSL601", "GSL610"]
    result.stdout.fnmatch_lines(["2 rules: 1 pass, 1 fail*", "codes: GSL601 x1 *"])


def test_nothing_is_said_without_rules(project: pytest.Pytester) -> None:
    (project.path / "test_it.py").write_text("def test_it():\n    pass\n", "utf-8")

    result = project.runpytest_inprocess("--gsl")

    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*gslverify =*")


def test_workers_of_xdist_share_reports(project: pytest.Pytester) -> None:
    write_mixed(project.path)
    write_mixed(project.path, "more.py")

    wanted = ("--gsl-report=json=r.json", "--gsl-report=html=r.html")
    result = project.runpytest_subprocess(*STATIC, "-p", "xdist", "-n2", *wanted)

    result.assert_outcomes(passed=4, failed=2)
    assert "<svg" in (project.path / "r.html").read_text("utf-8")
    report = json.loads((project.path / "r.json").read_text("utf-8"))
    assert [rule["id"] for rule in report["rules"]] == [
        f"{file}.py::{name}" for file in ("more", "rules") for name in ("one", "wrong", "two")
    ]
    assert [rule["drawing"] is not None for rule in report["rules"]] == [False, True, False] * 2
    result.stdout.fnmatch_lines(["6 rules: 4 pass, 2 fail*"])


def test_adopting_rules_takes_one_line(project: pytest.Pytester) -> None:
    folder = Path(project.path)
    write_rules(folder, ["one"], "rules/conv.py")
    (folder / "tox.ini").unlink()
    (folder / "pytest.ini").write_text("[pytest]\ngsl_rules = rules\n", "utf-8")

    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "gslverify.pytest_plugin", "-m", "gsl_static"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )

    assert "1 passed, " in done.stdout
