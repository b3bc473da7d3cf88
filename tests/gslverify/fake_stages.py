"""Stages that do what the name of a rule says, so that the engine can be tested on its own.

Workers import this module by name.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gslverify.codes.numeric import OUTPUTS_DIFFER, TOO_FEW_EXAMPLES
from gslverify.finding import Assurance, Finding, Level
from gslverify.stage import Count, Outcome, Question, Stage

HERE = "tests.gslverify.fake_stages"

DIARY = "GSL_TEST_DIARY"
"""Environment variable with a file to which stages add what they did."""


def note(text: str) -> None:
    if DIARY in os.environ:
        with Path(os.environ[DIARY]).open("a", encoding="utf-8") as diary:
            print(text, file=diary)


def examine_cheaply(question: Question) -> Iterator[Outcome]:
    note(f"cheap {question.rule.name}")
    if question.rule.name.startswith("early"):
        yield Finding(OUTPUTS_DIFFER, "found early", question.rule.span, "mend it")


def examine_expensively(question: Question) -> Iterator[Outcome]:
    name = question.rule.name
    note(f"expensive {name} {os.getpid()}")
    question.progress("half way")
    yield Count("graphs", 7)
    if name.startswith("wrong"):
        yield Finding(OUTPUTS_DIFFER, "the outputs differ", question.rule.span, "mend it")
    elif name.startswith("unclear"):
        yield Finding(TOO_FEW_EXAMPLES, "only 3 of 20 graphs", question.rule.span)
    elif name.startswith("raises"):
        raise ZeroDivisionError("no such luck")
    elif name.startswith("finds"):
        yield Finding(OUTPUTS_DIFFER, "found before the end", question.rule.span)
        time.sleep(600)
    elif name.startswith("sleeps"):
        time.sleep(600)
    elif name.startswith("slow"):
        time.sleep(0.3)
    elif name.startswith("dies"):
        os.kill(os.getpid(), signal.SIGSEGV)
    elif name.startswith("once") and _first_time(name):
        os._exit(7)
    elif name.startswith("hangs"):
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        note(f"child {child.pid}")
        child.wait()
    elif name.startswith("endless"):
        raise RecursionError("no end in sight")
    elif name.startswith("unpicklable"):
        odd: Any = (lambda: 0,)
        yield Finding(OUTPUTS_DIFFER, "odd", details=odd)
    yield Assurance("", Level.EXACT, "exact, 7 graphs")


def _first_time(name: str) -> bool:
    marker = Path(os.environ[DIARY]).with_suffix(f".{name}")
    if marker.exists():
        return False
    marker.touch()
    return True


CHEAP = Stage("satisfiable", examine_cheaply)
EXPENSIVE = Stage("numeric", examine_expensively)

WAVES = (
    {"static": "gslverify.stages.static:STATIC"},
    {"satisfiable": f"{HERE}:CHEAP"},
    {"numeric": f"{HERE}:EXPENSIVE"},
)
