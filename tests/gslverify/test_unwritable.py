"""Disks and files that cannot be written: a clear message, an exit code, nothing else lost."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from gslverify.cli import main
from tests.gslverify.rule_files import write_rules


@pytest.mark.parametrize("output_format", ["full", "json", "jsonl", "sarif"])
def test_full_disk_is_told_and_has_an_exit_code(output_format: str, folder: Path) -> None:
    write_rules(folder, ["one"])
    command = ["check", "rules.py", "--stages", "static", "-j", "0"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "gslverify", *command, "--output-format", output_format],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )

    assert done.returncode == 3
    assert done.stderr == "the output cannot be written: No space left on device\n"


def test_report_file_without_permission_is_a_mistake(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_rules(folder, ["one"])
    monkeypatch.setattr("os.access", lambda path, mode: False)

    for option in (["-o", "r.json"], ["--report", "json=r.json"]):
        result = CliRunner().invoke(main, ["check", "rules.py", *option])
        assert result.exit_code == 2
        assert "`r.json` cannot be written; check its permissions" in result.stderr
