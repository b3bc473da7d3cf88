"""Tests of `gslverify bench`: figures, and no verdict."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gslverify.cli import main
from tests.gslverify.rule_files import HEAD, rule_text, write_rules

LIGHT = ("--stages", "static,satisfiable", "-j", "0")


def bench(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["bench", *arguments])


@pytest.mark.smt
def test_second_run_hits_the_cache_unless_told_otherwise(folder: Path) -> None:
    two = rule_text("two", result="Subst(op.Abs(op.Abs(x)), op.Abs(x))")
    (folder / "rules.py").write_text(HEAD + rule_text("one") + two)

    runs = [
        json.loads(bench("rules.py", *LIGHT, "--json", *more).stdout)
        for more in ([], [], ["--no-cache"])
    ]

    assert [run["cache_hits"] for run in runs] == [0, 2, 0]
    assert [run["stages"]["satisfiable"]["cached"] for run in runs] == [0, 2, 0]
    for run in runs:
        assert (run["rules"], run["stage_results"], run["jobs"]) == (2, 4, 0)
        assert list(run["rule_seconds"]) == ["rules.py::one", "rules.py::two"]
        # Seconds are rounded to thousandths.
        assert 2 / run["rules_per_second"] == pytest.approx(run["seconds"], abs=0.001)


def test_text_has_times_and_no_verdict(folder: Path) -> None:
    (folder / "rules.py").write_text(HEAD + rule_text("wrong", result="None"))
    result = bench("rules.py", "--stages", "static", "-j", "0")
    lines = result.stdout.splitlines()

    assert result.exit_code == 0
    assert lines[0].startswith("1 rule in 0.")
    assert "with no workers" in lines[0]
    assert lines[1] == "0 of 1 results of stages from the cache"
    assert lines[-1].endswith("rules.py::wrong")
    assert "ERROR" not in result.stdout


@pytest.mark.parametrize(("limit", "code"), [("1ms", 1), ("10m", 0)])
def test_only_a_limit_that_is_named_fails(limit: str, code: int, folder: Path) -> None:
    write_rules(folder, ["one"])
    result = bench("rules.py", "--stages", "satisfiable", "--no-cache", "--fail-over", limit)

    assert result.exit_code == code
    assert ("are more than 0.001s" in result.stderr) == bool(code)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["nowhere.py"], 2, "there is no file or folder `nowhere.py`"),
        (["."], 5, "there are no rules in `.`"),
        ([], 2, "name files or folders"),
        ([".", "--fail-over", "soon"], 2, "is not a duration"),
        ([".", "-k", "("], 2, "a word is missing"),
    ],
)
def test_mistakes(arguments: list[str], code: int, message: str, folder: Path) -> None:
    result = bench(*arguments)

    assert result.exit_code == code
    assert message in result.stderr
