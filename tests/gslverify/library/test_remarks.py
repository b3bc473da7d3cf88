from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gslverify.cli import main
from tests.gslverify.rule_files import HEAD, rule_text, write_rules

pytestmark = pytest.mark.smt

LOOP = (
    HEAD
    + rule_text("double", result="Subst(x * 2.0, x + x)")
    + rule_text("halve", result="Subst(op.Relu(x + x), op.Relu(x * 2.0))")
)


def check(*arguments: str) -> Result:
    options = ("--stages", "static", "-j", "0")
    return CliRunner().invoke(main, ["check", *arguments, *options], prog_name="gslverify")


def test_loop_is_a_warning_with_a_graph(folder: Path) -> None:
    (folder / "rules.py").write_text(LOOP, "utf-8")
    done = check("rules.py", "--library")

    assert done.exit_code == 0
    assert "GSL701" in done.stdout
    assert "halve -> double -> halve" in done.stdout
    assert "= Relu(" in done.stdout


def test_rules_are_not_watched_together_unless_asked_for(folder: Path) -> None:
    (folder / "rules.py").write_text(LOOP, "utf-8")

    assert "GSL701" not in check("rules.py").stdout
    assert "GSL701" in check("rules.py", "--profile", "ci").stdout


def test_second_run_says_the_same_and_a_changed_library_is_looked_at_again(folder: Path) -> None:
    path = folder / "rules.py"
    path.write_text(LOOP, "utf-8")
    first = check("rules.py", "--library").stdout
    second = check("rules.py", "--library").stdout
    path.write_text(LOOP.replace("x * 2.0))", "x * 3.0))"), "utf-8")

    assert "GSL701" in second
    assert [line for line in first.splitlines() if "GSL7" in line] == [
        line for line in second.splitlines() if "GSL7" in line
    ]
    assert "GSL701" not in check("rules.py", "--library").stdout


def test_rule_that_cannot_be_written_down_does_not_stop_the_others(folder: Path) -> None:
    (folder / "rules.py").write_text(LOOP + rule_text("broken", result="1 / 0"), "utf-8")
    done = check("rules.py", "--library")

    assert done.exit_code == 1
    assert "GSL102" in done.stdout
    assert "GSL701" in done.stdout


def test_rules_that_do_nothing_to_each_other_are_not_mentioned(folder: Path) -> None:
    write_rules(folder, ["one"])

    assert "GSL7" not in check("rules.py", "--library").stdout
