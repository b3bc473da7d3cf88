"""What is written follows the published schemas, and the schemas notice what does not."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from gslverify.cli import main
from gslverify.gate.baseline import Baseline
from gslverify.gate.schema import BASELINE
from gslverify.repro.document import REPRO
from gslverify.repro.store import save
from tests.gslverify.gate.reports import failing, passing
from tests.gslverify.repro.cases import constant_case, stored, swapped_case

KNOWN = Baseline(
    rules={"a::b": failing(reason="so", expires=date(2027, 1, 1)), "a::c": passing(examples=3)}
)


def follows(schema: dict[str, Any], document: Any) -> bool:
    return bool(Draft202012Validator(schema).is_valid(document))


@pytest.mark.parametrize(("name", "schema"), [("baseline", BASELINE), ("repro", REPRO)])
def test_schemas_are_such_and_printed(name: str, schema: dict[str, Any]) -> None:
    Draft202012Validator.check_schema(schema)

    done = CliRunner().invoke(main, ["schema", name])

    assert json.loads(done.output) == schema


def test_baselines_follow_theirs() -> None:
    document = json.loads(KNOWN.text())

    assert follows(BASELINE, document)
    document["rules"]["a::b"]["verdict"] = "good"
    assert not follows(BASELINE, document)


@pytest.mark.parametrize("key", ["format", "profile", "rules"])
def test_a_baseline_needs_its_parts(key: str) -> None:
    document = json.loads(KNOWN.text())
    del document[key]

    assert not follows(BASELINE, document)


@pytest.mark.parametrize("case", [swapped_case(), constant_case(), swapped_case(5000)])
def test_counterexamples_follow_theirs(case: Any, folder: Path) -> None:
    document = json.loads(save(stored(case), folder).read_text("utf-8"))

    assert follows(REPRO, document)
    for key in document:
        assert not follows(REPRO, {k: v for k, v in document.items() if k != key}), key
