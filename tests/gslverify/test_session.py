from __future__ import annotations

import json
import os
import signal
import threading
from pathlib import Path

import pytest

from gslverify.choice import chosen_rules
from gslverify.corpus.selection import SelectionError
from gslverify.exits import Exit
from gslverify.report.text import TextReport
from gslverify.session import Output, run_check
from gslverify.settings import Settings, automatic_jobs, enough_examples
from tests.gslverify.fake_stages import WAVES
from tests.gslverify.rule_files import write_rules


def test_interrupt_while_a_report_is_written_ends_the_run_in_order(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ctrl-C may strike in a report, outside of the engine."""
    write_rules(folder, ["one", "two"])
    write = TextReport._rule

    def interrupted(self: TextReport, result: object) -> None:
        if str(result).find("::two") >= 0:
            raise KeyboardInterrupt
        write(self, result)  # type: ignore[arg-type]

    monkeypatch.setattr(TextReport, "_rule", interrupted)

    code = run_check(["rules.py"], Settings(), Output(), waves=WAVES)

    assert code is Exit.INTERRUPTED
    printed = capsys.readouterr().out
    assert "PASS          one" in printed
    assert "interrupted" in printed


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, Exit.TERMINATED), (signal.SIGHUP, Exit.HUNG_UP)]
)
def test_a_run_that_is_ended_while_files_are_imported_is_reported(
    number: int, code: Exit, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "hangs.py").write_text("import time\ntime.sleep(600)\n", "utf-8")
    threading.Timer(1.0, os.kill, (os.getpid(), number)).start()

    ended = run_check(
        ["."], Settings(), Output(reports=(("json", folder / "r.json"),)), waves=WAVES
    )

    assert ended is code
    assert json.loads((folder / "r.json").read_text("utf-8"))["rules"] == []
    assert "interrupted" in capsys.readouterr().out


def test_unreadable_expression_stops_before_anything_runs(folder: Path, diary: Path) -> None:
    write_rules(folder, ["one"])

    with pytest.raises(SelectionError):
        run_check(["rules.py"], Settings(), Output(), "one and", WAVES)
    assert diary.read_text("utf-8") == ""


def test_expression_does_not_hide_what_cannot_be_used(folder: Path) -> None:
    write_rules(folder, ["one", "two"])
    (folder / "broken.py").write_text("import nowhere\n", "utf-8")

    ids = [item.rule_id for item in chosen_rules(["."], "two")]

    assert ids == ["broken.py", "rules.py::two"]


@pytest.mark.parametrize(
    ("output", "shown", "files"),
    [
        (Output("json"), "json", []),
        (Output("json", Path("a")), "full", [("json", Path("a"))]),
        (Output(reports=(("sarif", Path("b")),)), "full", [("sarif", Path("b"))]),
    ],
)
def test_file_leaves_standard_output_to_the_text(
    output: Output, shown: str, files: list[tuple[str, Path]]
) -> None:
    assert (output.shown, output.files) == (shown, files)


def test_report_that_cannot_be_written_loses_no_other(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_rules(folder, ["one"])
    reports = (("json", Path("/dev/full")), ("jsonl", Path("run.jsonl")))

    code = run_check(["rules.py"], Settings(), Output(reports=reports), waves=WAVES)

    printed = capsys.readouterr()
    assert code is Exit.INTERNAL
    assert "json could not be written to /dev/full: No space left on device" in printed.err
    assert "PASS          one" in printed.out
    assert "run_done" in (folder / "run.jsonl").read_text("utf-8")


@pytest.mark.parametrize(("most", "enough"), [(1, 1), (9, 3), (60, 20), (600, 20)])
def test_fewer_examples_need_fewer_to_decide(most: int, enough: int) -> None:
    assert enough_examples(most) == enough


def test_there_is_a_processor() -> None:
    assert automatic_jobs() >= 1
