"""The settings of a library say which flags its rules may need that declare none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from gsl import Subst, op, pat, rule
from gslverify.cli import main
from gslverify.engine.examination import with_flags
from gslverify.settings import Settings

RULES = """
from gsl import Subst, pat, rule


@rule(origin="here", {said})
def tenth() -> Subst:
    \"\"\"x / 10  =>  x * 0.1\"\"\"
    x = pat.Wildcard()
    return Subst(x / 10, x * 0.1, where=[x.dtype == "float32"])
"""


def relu_relu() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Relu(op.Relu(x)), op.Relu(x))


@pytest.mark.parametrize(
    ("declared", "usual", "expected"),
    [
        ({}, (), None),
        ({}, ("nsz", "reassoc"), {"nsz", "reassoc"}),
        ({}, ("none",), set()),
        ({"flags": {"arcp"}}, ("nsz",), {"arcp"}),
        ({"nan": "same"}, ("nsz",), None),
    ],
)
def test_a_rule_without_flags_has_those_of_its_library(
    declared: dict[str, Any], usual: tuple[str, ...], expected: set[str] | None
) -> None:
    found = with_flags(rule(**declared)(relu_relu), Settings(flags=usual))
    assert found.declared == expected


@pytest.mark.smt
def test_a_flag_that_is_missing_is_marked_where_flags_are_written(folder: Path) -> None:
    (folder / "rules.py").write_text(RULES.format(said='flags={"nsz"}'))
    command = ["check", "rules.py", "-j", "0", "--no-tvm", "-n", "6", "--stages", "static,numeric"]
    printed = CliRunner().invoke(main, [*command, "--no-cache"]).stdout
    assert "GSL409" in printed
    lines = printed.splitlines()
    (caret,) = [line for line in lines if line.strip("| ") == "^" * len('flags={"nsz"}')]
    marked = lines[lines.index(caret) - 1]
    assert marked[caret.index("^") : caret.rindex("^") + 1] == 'flags={"nsz"}'
    usual = CliRunner().invoke(main, [*command, "--no-cache", "--flags", "arcp"]).stdout
    assert "GSL409" in usual, "what a rule declares itself counts"


def test_an_unknown_flag_of_a_library_is_told(folder: Path) -> None:
    (folder / "rules.py").write_text(RULES.format(said=""))
    result = CliRunner().invoke(main, ["check", "rules.py", "--flags", "reasoc"])
    assert result.exit_code == 2
    assert "there is no flag `reasoc`; did you mean `reassoc`?" in result.output


def test_flags_are_listed(folder: Path) -> None:
    (folder / "rules.py").write_text(RULES.format(said="flags=()"))
    printed = CliRunner().invoke(main, ["list", "rules.py"]).stdout
    assert "flags: none" in printed
    told = CliRunner().invoke(main, ["list", "rules.py", "--json"]).stdout
    assert '"flags": []' in told
