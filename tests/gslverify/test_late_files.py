"""Files that take long to import, or rules that do, hold up no others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gslverify import choice
from gslverify.choice import Choice
from gslverify.exits import Exit
from gslverify.session import Output, run_check
from gslverify.settings import Settings
from tests.gslverify.fake_stages import WAVES
from tests.gslverify.rule_files import write_rules

HANGS = "import time\ntime.sleep(600)\n"
SECONDS = 6.0
"""What hanging files are given, much more than other files and fake stages need."""


@pytest.fixture
def project(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of rules of which the first file hangs, with little patience for it."""
    monkeypatch.setattr(choice, "PATIENCE", 0.5)
    (folder / "a_hangs.py").write_text(HANGS, "utf-8")
    write_rules(folder, ["one", "two"])
    return folder


def settings(**changed: object) -> Settings:
    return Settings(**{"load_timeout": SECONDS, "jobs": 2, **changed})  # type: ignore[arg-type]


def events_of(capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_others_are_verified_meanwhile(
    project: Path, diary: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = run_check(["."], settings(), Output("jsonl"), waves=WAVES)

    events = events_of(capsys)
    kinds = [str(event["event"]) for event in events]
    assert events[0]["rules"] == ["rules.py::one", "rules.py::two"]
    joined = events[kinds.index("rules_joined")]
    assert joined["rules"] == ["a_hangs.py"]
    before = kinds[: kinds.index("rules_joined")]
    assert before.count("rule_done") == 2
    assert kinds.count("rule_done") == 3
    assert events[-1]["summary"]["pass"] == 2  # type: ignore[index]
    assert code is Exit.FINDINGS


def test_reports_have_all_rules_in_the_order_of_the_source(project: Path) -> None:
    run_check(["."], settings(), Output("json", project / "report.json"), waves=WAVES)

    report = json.loads((project / "report.json").read_text("utf-8"))
    assert [one["id"] for one in report["rules"]] == [
        "a_hangs.py",
        "rules.py::one",
        "rules.py::two",
    ]


def test_rules_of_a_file_that_was_only_slow_are_verified(
    project: Path, diary: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    slow = write_rules(project, ["three"], "a_hangs.py")
    slow.write_text(f"{slow.read_text('utf-8')}\nimport time\ntime.sleep(2)\n", "utf-8")

    code = run_check(["."], settings(), Output("jsonl"), waves=WAVES)

    events = events_of(capsys)
    done = [event["rule"] for event in events if event["event"] == "rule_done"]
    assert done == ["rules.py::one", "rules.py::two", "a_hangs.py::three"]
    assert code is Exit.CLEAN


def test_nothing_is_lost_where_the_budget_is_spent_before(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_check(["."], settings(budget=1e-3), Output("jsonl"), waves=WAVES)

    done = [event["rule"] for event in events_of(capsys) if event["event"] == "rule_done"]
    assert sorted(map(str, done)) == ["a_hangs.py", "rules.py::one", "rules.py::two"]


@pytest.mark.parametrize("changed", [{"shard": (1, 2)}, {"library": True}])
def test_all_are_waited_for_where_only_all_tell_what_is_meant(
    project: Path, changed: dict[str, object]
) -> None:
    with Choice(["."], "", settings(load_timeout=1.0, **changed)) as chosen:
        assert len(chosen.first()) == 3
        assert not chosen.late
