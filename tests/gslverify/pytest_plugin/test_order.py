"""Items keep their meaning under whatever pytest does with their order."""

from __future__ import annotations

import pytest

from tests.gslverify.pytest_plugin.projects import INI, STATIC, ids_of, write_mixed

pytest_plugins = ["pytester"]

BACKWARDS = """
def pytest_collection_modifyitems(items):
    items.reverse()
"""

OUTCOMES = {"passed": 2, "failed": 1, "deselected": 9}


def test_source_order(project: pytest.Pytester) -> None:
    write_mixed(project.path)

    result = project.runpytest_inprocess(*STATIC, "--collect-only", "-q")

    assert ids_of(result) == [f"rules.py::{name}::static" for name in ("one", "wrong", "two")]


def test_stages_in_any_order_have_the_same_outcomes(project: pytest.Pytester) -> None:
    write_mixed(project.path)
    arguments = ("--gsl", "--gsl-stages=static,satisfiable")
    forwards = project.runpytest_inprocess(*arguments)
    (project.path / "conftest.py").write_text(BACKWARDS, "utf-8")

    backwards = project.runpytest_inprocess(*arguments, "-v")

    assert ids_of(backwards)[0] == "rules.py::two::satisfiable"
    assert forwards.parseoutcomes() == backwards.parseoutcomes()
    backwards.assert_outcomes(passed=4, failed=1, skipped=1)


@pytest.mark.parametrize(
    ("arguments", "outcomes"),
    [
        ([], OUTCOMES),
        (["-k", "wrong"], {"failed": 1, "deselected": 11}),
        (["-k", "not wrong"], {"passed": 2, "deselected": 10}),
        (["-x"], {"passed": 1, "failed": 1, "deselected": 9}),
    ],
)
def test_selection(
    arguments: list[str], outcomes: dict[str, int], project: pytest.Pytester
) -> None:
    write_mixed(project.path)

    project.runpytest_inprocess(*STATIC, *arguments).assert_outcomes(**outcomes)


def test_last_failed(project: pytest.Pytester) -> None:
    project.makeini(INI.replace(" -p no:cacheprovider", ""))
    write_mixed(project.path)
    project.runpytest_inprocess(*STATIC)

    result = project.runpytest_inprocess(*STATIC, "--lf")

    result.assert_outcomes(failed=1, deselected=11)


@pytest.mark.parametrize("way", ["load", "loadscope"])
def test_two_workers(way: str, project: pytest.Pytester) -> None:
    write_mixed(project.path)

    result = project.runpytest_subprocess(*STATIC, "-p", "xdist", "-n2", "--dist", way)

    result.assert_outcomes(passed=2, failed=1)
