"""Rules are read by a child process, which may do what it likes."""

from __future__ import annotations

from pathlib import Path

import pytest

from gsl.errors import GslError
from gsl.lift import CannotLiftError, Instance
from gslverify.adapters import LIBRARIES, reading
from gslverify.adapters.foreign import ForeignRule, Lifted, identifier, lifted

MODULE = """
import os, time
from gslverify.adapters.foreign import ForeignRule

def fails():
    raise ValueError("no such size\\nand more")

def rules(targets):
    print("chatter")
    yield ForeignRule("one::rule", "a.py:1", fails)
    if "crash" in targets:
        os._exit(7)
    if "hang" in targets:
        time.sleep(60)
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

    assert found.rules == (NOT_LIFTED,)
    assert found.failure.endswith(failure)
    assert bool(found.failure) == bool(failure)


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
