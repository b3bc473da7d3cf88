"""What a rule file does to the process is undone: its folder, its streams, its copies, its end."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest

from gslverify.corpus.collect import collect
from gslverify.corpus.containment import Lent, contained
from tests.gslverify.rule_files import HEAD, rule_text, write_rule, write_rules

COMMAND = [sys.executable, "-m", "gslverify"]
STATIC = ("--stages", "static", "--load-timeout", "2")


def check(*paths: str) -> tuple[int, str]:
    """Check files by the command, whose input stays open and has nothing; return code and text."""
    process = subprocess.Popen(
        [*COMMAND, *paths, *STATIC],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    text = process.stdout.read()
    return process.wait(), text


def write_with(folder: Path, line: str, file: str = "rules.py") -> None:
    """Write a file with one sound rule, after a line that is run at import."""
    (folder / file).write_text(f"{HEAD}{line}\n{rule_text('sound')}", "utf-8")


def test_a_file_that_asks_for_input_finds_none(folder: Path) -> None:
    write_with(folder, "input()")

    code, text = check("rules.py")

    assert code == 1
    assert "cannot be imported: EOFError" in text


def test_a_rule_that_asks_for_input_finds_none(folder: Path) -> None:
    write_rule(folder, "input()")

    code, text = check("rules.py")

    assert code == 1
    assert "the rule raises EOFError" in text


def test_a_thread_that_goes_on_does_not_keep_the_run_from_ending(folder: Path) -> None:
    write_with(folder, "import threading\nthreading.Thread(target=threading.Event().wait).start()")

    code, text = check("rules.py")

    assert code == 0
    assert text.count("1 rule: 1 pass") == 1


@pytest.mark.parametrize(
    "line",
    [
        "import os; os.close(1); os.close(2)",
        "import sys; sys.stdout.close(); sys.stderr.close()",
        "import os; os.fork()",
    ],
    ids=["descriptors", "streams", "fork"],
)
def test_the_report_is_written_once(folder: Path, line: str) -> None:
    write_with(folder, line)

    code, text = check("rules.py")

    assert code == 0
    assert text.count("1 rule: 1 pass") == 1


def test_a_file_that_goes_elsewhere_leaves_the_other_paths_alone(folder: Path) -> None:
    write_with(folder, "import os; os.chdir('/')", "first.py")
    write_rules(folder, ["other"], "second.py")

    found = [item.rule_id for item in collect(["first.py", "second.py"])]

    assert found == ["first.py::sound", "second.py::other"]
    assert Path.cwd() == folder


def test_a_rule_that_goes_elsewhere_leaves_the_other_paths_alone(folder: Path) -> None:
    write_rule(folder, "import os\nos.chdir('/')\nx = pat.Wildcard()\nreturn Subst(op.Relu(x), x)")
    write_rules(folder, ["other"], "second.py")

    _, text = check("rules.py", "second.py")

    assert "\nrules.py\n" in f"\n{text}"
    assert "\nsecond.py\n" in text


def test_a_copy_that_forks_off_ends_where_the_foreign_code_ends() -> None:
    with contained():
        copy = os.fork()

    assert os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1]) == 0


@contained()
def close_and_raise() -> NoReturn:
    sys.stdout.close()
    raise ZeroDivisionError


def test_errors_pass_and_the_streams_are_those_from_before() -> None:
    streams = sys.stdout, sys.stderr

    with pytest.raises(ZeroDivisionError):
        close_and_raise()

    assert (sys.stdout, sys.stderr) == streams
    assert not sys.stdout.closed


def test_a_lent_stream_is_written_to_and_stays_open(tmp_path: Path) -> None:
    with (tmp_path / "text").open("w", encoding="utf-8") as stream:
        lent = Lent(stream)
        print("line", file=lent)
        lent.close()

        assert not stream.closed
        assert lent.encoding == "utf-8"

    assert (tmp_path / "text").read_text("utf-8") == "line\n"


def test_output_of_a_rule_file_goes_to_standard_error(capfd: pytest.CaptureFixture[str]) -> None:
    with contained():
        os.write(1, b"written")
    os.write(1, b"report")

    assert capfd.readouterr() == ("report", "written")
