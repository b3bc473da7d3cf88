"""Code of rule files is tried in a child process first; nothing that it does ends the run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gslverify.corpus.collect import collect
from gslverify.corpus.declaration import CollectedRule, Unusable
from gslverify.engine.writing import write_down
from tests.gslverify.rule_files import HEAD, rule_text, write_rule, write_rules

SOON = 1.0


@pytest.mark.parametrize(
    ("text", "says", "cure", "line"),
    [
        ("import os\nos._exit(0)\n", "it ends the process with exit code 0", "at import", 1),
        ("\nraise KeyboardInterrupt\n", "it raises KeyboardInterrupt", "at import", 2),
        ("\n\nwhile True: pass\n", "it does not come to an end", "--load-timeout", 3),
    ],
)
def test_file_that_would_end_the_run(
    text: str, says: str, cure: str, line: int, folder: Path
) -> None:
    (folder / "broken.py").write_text(text, "utf-8")
    write_rules(folder, ["sound"], "sound.py")

    broken, sound = collect(["."], SOON)

    assert isinstance(broken, Unusable)
    assert broken.finding.code.id == "GSL101"
    assert says in broken.finding.message
    assert cure in broken.finding.cure
    assert broken.finding.span is not None
    assert broken.finding.span.line == line
    assert isinstance(sound, CollectedRule)


def test_files_are_imported_side_by_side_and_reported_in_order(folder: Path) -> None:
    for name in ("a_hangs", "c_hangs", "e_hangs"):
        (folder / f"{name}.py").write_text("import time\ntime.sleep(60)\n", "utf-8")
    for name in ("b_sound", "d_sound"):
        write_rules(folder, [name], f"{name}.py")

    started = time.monotonic()
    items = collect(["."], 2 * SOON, at_once=3)
    seconds = time.monotonic() - started

    names = ["a_hangs.py", "b_sound.py::b_sound", "c_hangs.py", "d_sound.py::d_sound", "e_hangs.py"]
    assert [item.rule_id for item in items] == names
    assert [isinstance(item, Unusable) for item in items] == [True, False, True, False, True]
    assert seconds < 3 * 2 * SOON


READS = """
import os, threading
def read(number):
    try:
        os.read(number, 1 << 20)
    except OSError:
        pass
for number in range(3, 64):
    threading.Thread(target=read, args=(number,), daemon=True).start()
"""


def test_no_file_reads_what_another_one_says(folder: Path) -> None:
    names = [f"said_{number}" for number in range(6)]
    for number, name in enumerate(names):
        write_rules(folder, [name], f"{name}.py")
        (folder / f"reads_{number}.py").write_text(
            READS + "import time\ntime.sleep(0.3)\n", "utf-8"
        )

    items = collect(["."], 5 * SOON, write=write_down, at_once=4)

    said = [item for item in items if isinstance(item, CollectedRule)]
    assert [item.rule.name for item in said] == names
    assert all(item.written is not None for item in said)


BEGINS_A_MESSAGE = """
import os, signal
signal.signal(signal.SIGALRM, signal.SIG_IGN)
for number in range(3, 64):
    try:
        os.write(number, b"\\0\\0")
    except OSError:
        pass
while True:
    pass
"""


def test_a_message_that_never_ends_costs_its_file_alone(folder: Path) -> None:
    (folder / "begins.py").write_text(BEGINS_A_MESSAGE.replace("\\\\", "\\"), "utf-8")
    write_rules(folder, ["sound"], "sound.py")

    begins, sound = collect(["."], SOON)

    assert isinstance(begins, Unusable)
    assert isinstance(sound, CollectedRule)


@pytest.mark.parametrize(
    ("body", "says", "line"),
    [
        ("import os\nos._exit(0)", "the rule ends the process with exit code 0", 4),
        ("raise KeyboardInterrupt", "the rule raises KeyboardInterrupt", 6),
        ("while True:\n    pass", "the rule does not come to an end within 1 seconds", None),
    ],
)
def test_rule_that_would_end_the_run(body: str, says: str, line: int | None, folder: Path) -> None:
    path = write_rule(folder, body)
    path.write_text(path.read_text("utf-8") + rule_text("sound"), "utf-8")

    wrong, sound = collect(["rules.py"], SOON, write=write_down)

    assert isinstance(wrong, Unusable)
    assert (wrong.rule_id, wrong.finding.code.id) == ("rules.py::example", "GSL102")
    assert says in wrong.finding.message
    assert wrong.finding.span is not None
    assert wrong.finding.span.line == line or line is None
    assert isinstance(sound, CollectedRule)


def test_rules_are_not_run_where_they_are_only_listed(folder: Path) -> None:
    write_rule(folder, "open('ran', 'w').close()")

    collect(["rules.py"])

    assert not (folder / "ran").exists()


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "gslverify", *arguments]
    return subprocess.run(line, capture_output=True, text=True, check=False)


STATIC = ("--stages", "static")


@pytest.mark.parametrize("jobs", ["0", "1"])
def test_command_reports_what_would_have_ended_it(jobs: str, folder: Path) -> None:
    (folder / "exits.py").write_text("import os\nos._exit(0)\n", "utf-8")
    write_rule(folder, "import os\nos._exit(0)")
    write_rules(folder, ["sound"], "sound.py")

    done = command(".", *STATIC, "-j", jobs)

    assert done.returncode == 1
    assert "PASS          sound" in done.stdout
    assert "codes: GSL101 x1  GSL102 x1" in done.stdout
    assert done.stderr == ""


def test_show_and_list_survive_as_well(folder: Path) -> None:
    write_rule(folder, "import os\nos._exit(0)")

    shown, listed = command("show", "rules.py::example"), command("list", "rules.py")

    assert shown.returncode == 2
    assert "GSL102 the rule ends the process with exit code 0" in shown.stderr
    assert listed.returncode == 0
    assert "example" in listed.stdout


def test_what_a_file_writes_at_the_end_is_not_in_the_report(folder: Path) -> None:
    path = write_rules(folder, ["sound"], "sound.py")
    late = "\nimport atexit\n\natexit.register(print, 'goodbye', flush=True)\n"
    path.write_text(path.read_text("utf-8") + late, "utf-8")

    done = command("sound.py", *STATIC, "--output-format", "json")

    assert json.loads(done.stdout)["rules"]
    assert "goodbye" not in done.stdout


SLEEP = "import time\nprint('sleeping', flush=True)\ntime.sleep(60)\n"


@pytest.mark.parametrize(
    "text", [SLEEP, HEAD + "\n@rule\ndef slow():\n    import time\n    time.sleep(60)\n"]
)
def test_interrupt_while_rules_are_loaded(text: str, folder: Path) -> None:
    (folder / "rules.py").write_text(text, "utf-8")
    process = subprocess.Popen(
        [sys.executable, "-m", "gslverify", "rules.py", *STATIC],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    wait_for_a_child(process.pid)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=20)

    assert process.returncode == 130
    assert "Traceback" not in err
    assert "interrupted; rules that were not finished are not listed" in out


def wait_for_a_child(process_id: int) -> None:
    children = Path(f"/proc/{process_id}/task/{process_id}/children")
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and not children.read_text("utf-8"):
        time.sleep(0.05)


def test_interrupt_at_start_up_has_no_traceback(folder: Path) -> None:
    script = (
        "import sys\n"
        "def stop(name): exec('raise KeyboardInterrupt')\n"
        "import gslverify.__main__ as main\n"
        "main.import_module = stop\n"
        "main.run()\n"
    )

    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (130, "interrupted\n")
