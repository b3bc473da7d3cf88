from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from gslverify.report.delivery import deliver, write_report
from tests.gslverify.report.making import report_of
from tests.gslverify.results import passing


def test_reports_are_written(folder: Path) -> None:
    failures = list(deliver(report_of(passing(folder)), [("json", Path("run.json"))], {}))

    assert failures == []
    assert json.loads((folder / "run.json").read_text("utf-8"))["summary"] == {"pass": 1}


def test_failure_names_format_file_and_reason(folder: Path) -> None:
    wanted = [("json", Path("/dev/full")), ("jsonl", Path("no/run.jsonl")), ("full", Path("ok"))]

    failures = list(deliver(report_of(passing(folder)), wanted, {}))

    assert failures == [
        "the report json could not be written to /dev/full: No space left on device; "
        "name another file",
        "the report jsonl could not be written to no/run.jsonl: No such file or directory; "
        "name another file",
    ]
    assert (folder / "ok").exists()


def test_older_file_survives_a_failure(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    path = folder / "report"
    path.write_text("older", "utf-8")

    with pytest.raises(OSError, match="No space left"):
        write_report(path, "newer")

    assert path.read_text("utf-8") == "older"
    assert os.listdir(folder) == ["report"]


def test_what_no_encoding_has_is_escaped(folder: Path) -> None:
    write_report(folder / "report", "\udcff.py")

    assert (folder / "report").read_text("utf-8") == "\\udcff.py"


def test_file_keeps_its_permissions_and_a_link_stays_one(folder: Path) -> None:
    real, link = folder / "real", folder / "link"
    real.write_text("older", "utf-8")
    real.chmod(0o600)
    link.symlink_to(real)

    write_report(link, "newer")

    assert link.is_symlink()
    assert real.read_text("utf-8") == "newer"
    assert stat.S_IMODE(real.stat().st_mode) == 0o600
