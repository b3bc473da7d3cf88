"""`--certificates DIR` writes what proofs leave, and takes no proof for one that is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gsl.errors import GslError
from gslverify.certificates.statement import Statement
from gslverify.prove.claim import is_proved
from gslverify.settings import Settings
from gslverify.stage import Question
from gslverify.stages.certified import Certificate, check
from gslverify.stages.prove import PROVE
from tests.gslverify.prove.proving import corpus

pytestmark = pytest.mark.smt


def question(folder: Path) -> Question:
    rule = next(rule for rule in corpus("sound") if rule.name == "where_false_or_true")
    return Question("rules/file.py::one", rule, Settings(certificates=str(folder)))


def test_a_proof_leaves_a_file_that_is_accepted(tmp_path: Path) -> None:
    asked = question(tmp_path / "new")
    assert is_proved(PROVE.run(asked).assurances)
    (file,) = (tmp_path / "new").iterdir()
    assert file.name == "rules_file.py_one.json"
    record = json.loads(file.read_text())
    assert record["rule"] == "rules/file.py::one"
    assert check(asked, record) == ""


def test_a_proof_whose_certificate_is_refused_is_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Certificate, "add", lambda *_: "no such law")
    result = PROVE.run(question(tmp_path / "new"))
    assert not is_proved(result.assurances)
    assert "its certificate is refused: no such law" in result.open
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("error", [RecursionError("too deep"), GslError("too large")])
def test_a_structure_that_is_too_large_to_be_written_down_is_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def form(_: Statement) -> None:
        raise error

    monkeypatch.setattr(Statement, "form", property(form))
    result = PROVE.run(question(tmp_path / "new"))
    assert "its certificate is refused: " in result.open
    assert "too " in result.open


def test_without_a_folder_nothing_is_written(tmp_path: Path) -> None:
    asked = question(tmp_path)
    asked.settings = Settings()
    assert is_proved(PROVE.run(asked).assurances)
    assert not list(tmp_path.iterdir())
