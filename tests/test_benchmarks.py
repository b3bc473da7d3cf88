"""Every benchmark starts: what it takes from the packages is there."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.documents import ROOT

FILES = sorted((ROOT / "benchmarks").glob("*.py"))
STARTED = """
import importlib, sys
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name.partition(".")[0] in ("gsl", "gslverify", *sys.argv[1:]):
            raise
        print(f"{name} is passed over: {error}")
"""


def run(*arguments: str) -> str:
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "benchmarks")))
    }
    command = [sys.executable, *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_everything_that_is_imported_is_there() -> None:
    run("-c", STARTED, *(file.stem for file in FILES))


@pytest.mark.parametrize("name", ["structures", "inputs", "flags", "found", "declare_flags"])
def test_help_is_given(name: str) -> None:
    assert "usage" in run(str(ROOT / "benchmarks" / f"{name}.py"), "--help")
