from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator, ValidationError

from gslverify.cli import main
from gslverify.report.json import json_text
from gslverify.report.schema import REPORT
from tests.gslverify.report.making import report_of, report_of_everything
from tests.gslverify.results import failing
from tests.gslverify.rule_files import HEAD, rule_text

VALIDATOR = Draft202012Validator(REPORT)


def test_schema_is_one() -> None:
    Draft202012Validator.check_schema(REPORT)


def test_reports_of_all_verdicts_follow_the_schema(folder: Path) -> None:
    VALIDATOR.validate(json.loads(json_text(report_of_everything(folder))))
    VALIDATOR.validate(json.loads(json_text(report_of())))


@pytest.mark.smt
def test_real_report_follows_the_schema(folder: Path) -> None:
    wrong = rule_text("wrong", result="Subst(op.Relu(op.Relu(x)), op.Abs(x))")
    (folder / "rules.py").write_text(HEAD + rule_text("sound") + wrong + "\n1/0", "utf-8")
    (folder / "good.py").write_text(HEAD + rule_text("sound") + wrong, "utf-8")
    command = ["check", ".", "-j", "0", "--no-tvm", "-n", "6", "--output-format", "json"]

    result = CliRunner().invoke(main, command)

    report = json.loads(result.stdout)
    VALIDATOR.validate(report)
    assert [rule["verdict"] for rule in report["rules"]] == ["pass", "fail", "error"]
    assert [rule["flags"] and rule["flags"]["needed"] for rule in report["rules"]] == [
        [],
        None,
        None,
    ]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("schema_version",), 2),
        (("run", "seed"), -1),
        (("rules", 0, "verdict"), "fine"),
        (("rules", 0, "findings", 0, "code"), "E1"),
        (("rules", 0, "stages", 0, "status"), None),
    ],
)
def test_schema_would_notice(path: tuple[Any, ...], value: Any, folder: Path) -> None:
    report = json.loads(json_text(report_of(failing(folder))))
    place = report
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value

    with pytest.raises(ValidationError):
        VALIDATOR.validate(report)


def test_command_prints_the_schema() -> None:
    result = CliRunner().invoke(main, ["schema", "json"])

    assert json.loads(result.stdout) == REPORT
    assert CliRunner().invoke(main, ["schema", "nothing"]).exit_code == 2
