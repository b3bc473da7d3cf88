from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gslverify.cli import main
from tests.gslverify.rule_files import HEAD, rule_text

NETWORKS = """
from gsl import Call, Var
from gsl.operators import REGISTRY


def call(name, *operands):
    return Call(REGISTRY[name], operands, {})


def relu_of_exp():
    return call("Relu", call("Exp", Var("x", (2,))))


def two_relus():
    return call("Relu", call("Relu", Var("x", (2,))))
"""


@pytest.fixture(autouse=True)
def files(folder: Path) -> None:
    (folder / "networks.py").write_text(NETWORKS, encoding="utf-8")
    wrong = rule_text("disconnected", result="Subst([op.Relu(x), op.Relu(pat.Wildcard())], [x, x])")
    (folder / "rules.py").write_text(HEAD + rule_text("double") + wrong, encoding="utf-8")


def called(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["why", *arguments])


def test_a_rule_that_does_not_match() -> None:
    result = called("rules.py::double", "--graph", "networks.py:relu_of_exp")

    assert result.exit_code == 0
    assert result.output.startswith("rules.py::double does not match in this graph")
    assert "expected the call of Relu, found Exp" in result.output


def test_a_rule_that_matches() -> None:
    result = called("rules.py::double", "--graph", "networks.py:two_relus")

    assert result.exit_code == 0
    assert "rules.py::double matches in this graph" in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rules.py::double"], "Missing option '--graph'"),
        (["rules.py::double", "--graph", "model.onnx"], "there is no model `model.onnx`"),
        (["rules.py::dubble", "--graph", "networks.py:two_relus"], "there is no rule `dubble`"),
        (["nothing.py::double", "--graph", "networks.py:two_relus"], "no file or folder"),
        (["rules.py::disconnected", "--graph", "networks.py:two_relus"], "GSL130"),
        (
            ["rules.py::double", "--graph", "m.onnx", "--shape", "x=1,a"],
            "`x=1,a` is not like x=1,3,224,224",
        ),
        (["rules.py::double", "--graph", "m.onnx", "--shape", "x"], "`x` is not like"),
        (["rules.py::double", "--graph", "m.onnx", "--shape", "=1"], "`=1` is not like"),
        (["rules.py::double", "--graph", "x:y", "--load-timeout", "0"], "--load-timeout"),
    ],
)
def test_mistakes_are_told_with_exit_code_2(arguments: list[str], message: str) -> None:
    result = called(*arguments)

    assert result.exit_code == 2
    assert message in result.output


def test_all_rules_of_a_file_are_explained() -> None:
    (Path("rules.py")).write_text(HEAD + rule_text("one") + rule_text("two"), encoding="utf-8")
    result = called("rules.py", "--graph", "networks.py:two_relus")

    assert "rules.py::one matches" in result.output
    assert "rules.py::two matches" in result.output
