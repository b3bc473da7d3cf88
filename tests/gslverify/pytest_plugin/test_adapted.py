"""Rules and passes of other libraries as items of pytest."""

from __future__ import annotations

from pathlib import Path

import pytest

from gslverify.adapters import LIBRARIES

pytest_plugins = ["pytester"]

MODULE = """
from gslverify.adapters.foreign import PassFinding, PassResult

def reports(targets, options):
    for target in targets:
        wrong = [PassFinding("other values", "1 became 2", "x", 1)] if target == "wrong" else []
        yield PassResult(target, "", 3, 0 if target == "idle" else 3, wrong)
"""
TABLE = '[tool.gslverify.adapt]\nstrange = ["fine", "wrong", "idle"]\n'


@pytest.fixture
def library(project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project, and a library whose passes are read by a module that is not ours."""
    folder = project.path / "installed"
    folder.mkdir()
    (folder / "strange_library.py").write_text(MODULE)
    (folder / "sitecustomize.py").write_text(
        "from gslverify import adapters\nadapters.LIBRARIES['strange'] = 'strange_library'\n"
    )
    monkeypatch.setenv("PYTHONPATH", f"{folder}:{Path(__file__).parents[3]}")
    monkeypatch.setitem(LIBRARIES, "strange", "strange_library")
    return project.path


def test_each_target_is_an_item(project: pytest.Pytester, library: Path) -> None:
    (library / "pyproject.toml").write_text(TABLE)
    (library / "test_own.py").write_text("def test_own():\n    pass\n")

    result = project.runpytest("--gsl-adapt", "-v")

    result.assert_outcomes(passed=3, failed=1)
    text = result.stdout.str()
    assert "adapt strange wrong FAILED" in text
    assert "GSL801 a pass makes a graph that computes something else" in text
    assert "Traceback" not in text
    project.runpytest().assert_outcomes(passed=1)


def test_what_is_undecided_fails_a_strict_session(project: pytest.Pytester, library: Path) -> None:
    (library / "pyproject.toml").write_text(TABLE)

    result = project.runpytest("--gsl-adapt", "--gsl-strict")

    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(["*GSL811*"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "*--gsl-adapt: there is nothing to adapt; list some, such as relax*"),
        (
            '[tool.gslverify.adapt]\nrelaxed = ["a"]\n',
            "*pyproject.toml:2: no library `relaxed` can be adapted; did you mean `relax`?*",
        ),
    ],
)
def test_a_table_that_says_nothing_is_a_mistake(
    project: pytest.Pytester, text: str, message: str
) -> None:
    (project.path / "pyproject.toml").write_text(text)

    result = project.runpytest("--gsl-adapt")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([message])
