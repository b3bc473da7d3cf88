"""Whole runs, from the command to the exit code, beside files that would end or forge them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gslverify.repro.script import _identifier
from tests.gslverify.rule_files import HEAD, rule_text

pytestmark = pytest.mark.slow

WRONG = rule_text("wrong", result="Subst(op.Relu(-x), op.Relu(x))")

FORGERS = {
    "timer": "import os, threading\n"
    "t = threading.Timer(0.2, os._exit, (0,)); t.daemon = True; t.start()",
    "interval": "import os, signal\n"
    "signal.signal(signal.SIGVTALRM, lambda *a: os._exit(0))\n"
    "signal.setitimer(signal.ITIMER_VIRTUAL, 0.05)",
    "at_exit": "import atexit, os; atexit.register(os._exit, 0)",
    "ignored_children": "import signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN)",
    "numpy": "import numpy; numpy.maximum = lambda a, b, *r, **k: a * 0",
    "builtins": "import builtins; builtins.abs = lambda x: x",
    "parent": "import os, signal, threading\n"
    "threading.Timer(0.2, lambda: os.kill(os.getppid(), signal.SIGINT)).start()",
    "descriptors": "import os; os.closerange(0, 64)",
    "output": "import os\nfor number in range(3, 64):\n"
    "    try: os.write(number, b'forged' * 100)\n"
    "    except OSError: pass",
    "limits": "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (1, 1))",
}


def verified(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "gslverify", ".", "--no-cache", "--no-tvm", "-n", "5"]
    return subprocess.run(
        [*command, "--no-hints", *options],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


@pytest.mark.parametrize("name", FORGERS)
def test_nobody_else_is_concerned(name: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(f"{FORGERS[name]}\n{HEAD}{rule_text('forger')}", "utf-8")
    (tmp_path / "b.py").write_text(f"{HEAD}{WRONG}{rule_text('right')}", "utf-8")

    done = verified(tmp_path, "-j", "1")

    assert done.returncode == (130 if name == "parent" and done.returncode == 130 else 1)
    if done.returncode == 1:
        assert "FAIL b.py::wrong" in done.stdout
        assert "GSL401" in done.stdout
        assert "PASS          right" in done.stdout


SCRIBBLER = """
import os, signal, sys


def is_hosted():
    frame, names = sys._getframe(), set()
    while frame is not None:
        names.add(os.path.basename(frame.f_code.co_filename))
        frame = frame.f_back
    return "host.py" in names


@rule
def scribbler():
    if is_hosted():
        for number in range(3, 64):
            try:
                os.write(number, bytes(2))
            except OSError:
                pass
        while True:
            signal.pause()
    x = pat.Wildcard()
    return Subst(op.Relu(op.Relu(x)), op.Relu(x))
"""


def test_a_process_that_examines_has_nothing_but_its_pipe_to_write_to(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(f"{HEAD}{SCRIBBLER}", "utf-8")
    (tmp_path / "b.py").write_text(f"{HEAD}{rule_text('right')}", "utf-8")

    done = verified(tmp_path, "--stages", "static,satisfiable", "--stage-timeout", "3")

    assert done.returncode == 3
    assert "did not come back within 3 seconds in stage satisfiable" in done.stdout
    assert "PASS          right" in done.stdout


HOARDER = """
import numpy

kept = []


@rule
def hoarder():
    if open("count", "a").write("x") and len(open("count").read()) > 1:
        kept.append(numpy.empty(SIZE, "uint8"))
    x = pat.Wildcard()
    return Subst(op.Relu(op.Relu(x)), op.Relu(x))


@rule
def beside():
    x = pat.Wildcard()
    return Subst(op.Relu(op.Relu(x)), op.Relu(x)) if not kept else None
"""


@pytest.mark.parametrize(("gibibytes", "verdict", "code"), [(8, "ERROR", 1), (3, "PASS", 0)])
def test_memory_is_bounded(gibibytes: int, verdict: str, code: int, tmp_path: Path) -> None:
    text = HOARDER.replace("SIZE", str(gibibytes << 30))
    (tmp_path / "a.py").write_text(f"{HEAD}{text}", "utf-8")

    done = verified(tmp_path, "-j", "1", "--stages", "static,satisfiable")

    assert done.returncode == code
    assert f"{verdict:<14}hoarder" in done.stdout
    assert ("GSL102" in done.stdout) is (verdict == "ERROR")
    assert ("Unable to allocate 8.00 GiB" in done.stdout) is (verdict == "ERROR")
    assert "PASS          beside" in done.stdout


ODD_NAMES = r"""
for name in ["a\n::error::b", "c\rd", "\x1b[31me", "f\u2028g", "nul\0byte", "h\x07", "\u202ei"]:
    def write():
        x = pat.Wildcard()
        return Subst(op.Relu(op.Relu(x)), op.Relu(x))
    write.__name__ = write.__qualname__ = name
    rule(write)
"""


@pytest.mark.parametrize("command", ["check", "list"])
def test_names_are_one_line_without_control(command: str, tmp_path: Path) -> None:
    (tmp_path / "odd.py").write_text(HEAD + ODD_NAMES, "utf-8")
    options = ["--stages", "static", "--no-cache", "-v"] if command == "check" else []
    line = [sys.executable, "-m", "gslverify", command, "odd.py", *options]

    done = subprocess.run(line, cwd=tmp_path, capture_output=True, check=False)

    text = done.stdout.decode()
    assert all(character.isprintable() or character == "\n" for character in text)
    assert not any(one.startswith("::error") for one in text.splitlines())


@pytest.mark.parametrize(
    "name",
    ["np", "print", "zip", "run", "class", "lambda", "a b", "nul\0", "\\", "", "\u00e9", "R"],
)
def test_names_that_mean_something_in_a_program(name: str) -> None:
    assert _identifier(name, 3, ()) == "input3"


def test_other_names_are_kept() -> None:
    assert _identifier("weights", 3, ()) == "weights"
    assert _identifier("weights", 3, ("weights",)) == "input3"
