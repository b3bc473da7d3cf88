"""Rules are read by a child process, which may do what it likes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from gsl.errors import GslError
from gsl.lift import CannotLiftError, Instance
from gslverify.adapters import LIBRARIES, reading
from gslverify.adapters.foreign import ForeignRule, Lifted, Options, identifier, lifted
from gslverify.engine.cache.readings import readings_of
from gslverify.settings import Settings

MODULE = """
import os, time
from pathlib import Path
from gslverify.adapters.foreign import ForeignRule, PassFinding, PassResult

def fails():
    raise ValueError("no such size\\nand more")

def reports(targets, options):
    for name in ("first", "second"):
        if name in options.known_passes:
            continue
        with Path(__file__).with_name("tried.txt").open("a") as log:
            log.write(name + " ")
        if "parts" in targets:
            yield PassResult(name, "", 1, 1, [PassFinding("other values", "1", "x", 1)], left=2)
            if name == "second" and not Path(__file__).with_name("on").exists():
                os._exit(7)
        yield PassResult(name, "", 3, 3, [PassFinding("other values", "1 became 2", "x", 1)])
        if name == "first" and "stop" in targets and not Path(__file__).with_name("on").exists():
            os._exit(7)

def rules(targets):
    print("chatter")
    yield ForeignRule("one::rule", "a.py:1", fails)
    if "crash" in targets:
        os._exit(7)
    if "hang" in targets:
        time.sleep(60)
    if "rules" in targets:
        yield ForeignRule("ends", "a.py:2", lambda: os._exit(7))
        yield ForeignRule("hangs", "a.py:3", lambda: time.sleep(60))
        yield ForeignRule("last", "a.py:4", fails)
    if "raise" in targets:
        raise ImportError("there is no module named nowhere")
"""


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A library whose rules are read by a module that is not ours."""
    (tmp_path / "strange_library.py").write_text(MODULE)
    (tmp_path / "sitecustomize.py").write_text(
        "from gslverify import adapters\nadapters.LIBRARIES['strange'] = 'strange_library'\n"
    )
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{Path(__file__).parents[3]}")
    monkeypatch.setitem(LIBRARIES, "strange", "strange_library")
    return "strange"


NOT_LIFTED = Lifted("one_rule", "a.py:1", reason="ValueError: no such size")


@pytest.mark.parametrize(
    ("target", "failure"),
    [
        ("fine", ""),
        ("crash", "the process ended with 7: chatter"),
        ("hang", "not read to the end within 8 seconds"),
        ("raise", "there is no module named nowhere"),
    ],
)
def test_what_was_read_counts_whatever_ends_the_process(
    library: str, target: str, failure: str
) -> None:
    found = reading.read_rules(library, [target], 8)

    assert [one.name for one in found.passes] == ["first", "second"]
    assert found.rules == (() if failure else (NOT_LIFTED,))
    assert found.failure.endswith(failure)
    assert bool(found.failure) == bool(failure)


def test_rules_that_crash_or_hang_do_not_end_the_others(library: str) -> None:
    found = reading.read_rules(library, ["rules"], 60, Options(seconds=0.5))

    assert not found.failure
    assert {one.name: one.reason for one in found.rules} == {
        "one_rule": "ValueError: no such size",
        "ends": "the process ended: it ended itself with 7",
        "hangs": "no result within 3 seconds",
        "last": "ValueError: no such size",
    }


def test_targets_that_cannot_be_read_do_not_end_the_others() -> None:
    pytest.importorskip("onnxoptimizer")
    targets = ["no_optimiser", "onnxoptimizer:eliminate_nop_transpose"]
    found = reading.read_rules("onnx", targets, 60, Options(graphs=2))

    assert found.passes[0].name == "no_optimiser"
    assert found.passes[0].failure.startswith("ValueError: `no_optimiser` is no optimiser")
    assert len(found.passes) == 2


def test_a_rule_that_fails_does_not_end_the_others() -> None:
    def refuses() -> list[Instance]:
        raise CannotLiftError("no instance fits")

    def crashes() -> list[Instance]:
        raise RuntimeError("first line\nsecond line")

    def is_ill_typed() -> list[Instance]:
        raise GslError("an operand is missing")

    makers = (refuses, crashes, is_ill_typed)
    found = list(lifted(ForeignRule("same name", "a.py:1", make) for make in makers))

    assert [one.name for one in found] == ["same_name", "same_name_2", "same_name_3"]
    assert [one.reason for one in found] == [
        "no instance fits",
        "RuntimeError: first line",
        "an operand is missing",
    ]


@pytest.mark.parametrize(
    ("name", "wanted"), [("_a b::c_", "a_b_c"), ("3x3", "rule_3x3"), ("::", "rule")]
)
def test_names_become_identifiers(name: str, wanted: str) -> None:
    assert identifier(name) == wanted


def read(tmp_path: Path, target: str, seen: Any = None, **options: Any) -> reading.Reading:
    """Read a target with a cache."""
    how, settings = Options(**options), Settings(cache_folder=str(tmp_path / "cache"))
    memory = readings_of(settings, "strange", [target], how)
    notice = reading.ignore if seen is None else seen.append
    return reading.read_rules("strange", [target], 30, how, notice, memory)


def tried(tmp_path: Path) -> str:
    log = tmp_path / "tried.txt"
    return log.read_text() if log.exists() else ""


def test_what_is_known_is_not_read_again(library: str, tmp_path: Path) -> None:
    seen: list[Any] = []

    first = read(tmp_path, "fine")
    again = read(tmp_path, "fine", seen)
    other = read(tmp_path, "fine", graphs=7)

    assert tried(tmp_path) == "first second " * 2
    assert [one.cached for one in (*first.passes, *again.passes)] == [False, False, True, True]
    assert [one.findings for one in again.passes] == [one.findings for one in first.passes]
    assert again.rules == first.rules == other.rules == (NOT_LIFTED,)
    assert sum("pass" in one for one in seen) == 2


def test_what_has_changed_is_read_again(library: str, tmp_path: Path) -> None:
    read(tmp_path, "fine")
    module = tmp_path / "strange_library.py"
    module.write_text(module.read_text().replace("a.py:1", "another.py:2"))

    again = read(tmp_path, "fine")

    assert [one.cached for one in again.passes] == [False, False]
    assert again.rules[0].place == "another.py:2"


def test_a_run_goes_on_where_another_one_has_ended(library: str, tmp_path: Path) -> None:

    ended = read(tmp_path, "stop")
    (tmp_path / "on").touch()
    whole = read(tmp_path, "stop")

    assert ended.failure == "the process ended with 7"
    assert not whole.failure
    assert [(one.name, one.cached) for one in whole.passes] == [("first", True), ("second", False)]
    assert tried(tmp_path) == "first second "


def test_a_pass_that_ends_the_process_keeps_what_was_found_until_then(
    library: str, tmp_path: Path
) -> None:
    ended = read(tmp_path, "parts")
    (tmp_path / "on").touch()
    whole = read(tmp_path, "parts")

    assert [(one.tried, one.left, len(one.findings)) for one in ended.passes] == [
        (3, 0, 1),
        (1, 2, 1),
    ]
    assert [(one.tried, one.left, one.cached) for one in whole.passes] == [
        (3, 0, True),
        (3, 0, False),
    ]
    assert tried(tmp_path) == "first second second "


def test_what_was_only_listed_is_tried_when_that_is_asked_for(library: str, tmp_path: Path) -> None:

    listed = [read(tmp_path, "fine", only_list=True) for _ in range(2)]
    whole = read(tmp_path, "fine")

    assert [one.passes for one in listed] == [(), ()]
    assert [one.rules for one in (*listed, whole)] == [(NOT_LIFTED,)] * 3
    assert [one.name for one in whole.passes] == ["first", "second"]


def test_what_a_command_does_is_not_known() -> None:
    def kept(target: str, **settings: Any) -> bool:
        return readings_of(Settings(**settings), "onnx", [target], Options()) is not None

    assert kept("onnxruntime")
    assert not kept("tool {in} {out}")
    assert not kept("onnxruntime", cache=False)


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_what_is_interrupted_ends_at_once_with_what_was_found(
    library: str, tmp_path: Path, name: str
) -> None:
    report = tmp_path / "report.json"
    command = [sys.executable, "-m", "gslverify", "adapt", library, "hang"]
    process = subprocess.Popen(
        [*command, "--report", f"json={report}"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    until = time.monotonic() + 60
    while tried(tmp_path) != "first second " and time.monotonic() < until:
        time.sleep(0.1)
    time.sleep(1)  # until both are written down and seen
    started = time.monotonic()
    process.send_signal(getattr(signal, name))
    text, _ = process.communicate(timeout=60)

    assert time.monotonic() - started < 15
    assert process.returncode == 128 + getattr(signal, name)
    assert "reading ended early: interrupted" in text
    found = {one["id"]: one["verdict"] for one in json.loads(report.read_text())["rules"]}
    assert found["first"] == found["second"] == "fail"


def test_without_a_target_those_of_the_settings_file_are_read(library: str, tmp_path: Path) -> None:
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "gslverify", "adapt", library, *words]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    nothing = run()
    (tmp_path / "pyproject.toml").write_text('[tool.gslverify.adapt]\nstrange = ["fine"]\n')
    listed = run("--list")

    assert nothing.returncode == 2
    assert "there is nothing to adapt; name a MODULE" in nothing.stderr
    assert listed.returncode == 0
    assert "0 of 1 rules are lifted" in listed.stdout


def test_a_library_of_another_version_is_one_line(tmp_path: Path) -> None:
    """A release that lacks what is read of it."""
    (tmp_path / "onnxscript").mkdir()
    (tmp_path / "onnxscript" / "__init__.py").write_text("")
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}:{Path(__file__).parents[3]}"}
    done = subprocess.run(
        [sys.executable, "-m", "gslverify", "adapt", "onnxscript", "json", "--no-cache"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 2
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("onnxscript: the process ended with 1: ModuleNotFoundError")
    assert "onnxscript.rewriter" in last
