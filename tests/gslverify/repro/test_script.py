"""The emitted program: short, without gsl, and it shows the difference."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gsl import Var
from gsl.expr import Const, Proj, Tuple
from gslverify.case import Case, case_of
from gslverify.repro.script import MOST_LINES, python_text, relax_text
from tests.gslverify.repro.cases import call, constant_case, stored, swapped_case

pytestmark = pytest.mark.tvm

WITHOUT_GSL = """
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("gsl", "gslverify"):
            raise ImportError(name)
sys.meta_path.insert(0, Refuse())
sys.modules["torch"] = None  # TVM would import it, which takes three times as long as TVM
import runpy
runpy.run_path(sys.argv[1])
"""


def printed_by(text: str, folder: Path, status: int = 1) -> str:
    """Run a program in a process that cannot import gsl, and expect its exit status."""
    path = folder / "script.py"
    path.write_text(text, "utf-8")
    command = [sys.executable, "-I", "-c", WITHOUT_GSL, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode == status, done.stderr
    return done.stdout


def long_case() -> Case:
    x = Var("x", (2,))
    source = target = x
    for _ in range(30):
        source, target = call("Relu", source), call("Abs", target)
    return case_of([source], [source], [target], {"x": np.float32([-1, 2])})


def tuple_case() -> Case:
    x = Var("x", (2,), "int64")
    halves = call("Split", x, indices_or_sections=2, axis=0)
    swapped = Tuple([Proj(halves, 1), Proj(halves, 0)])
    return case_of([halves], [halves], [swapped], {"x": np.int64([3, 4])})


def layout_case() -> Case:
    """A convolution with an attribute called out_dtype, and a constant tensor."""
    x, w = Var("x", (1, 2, 3, 3)), Const(np.ones((2, 1, 1, 1), "f4"))
    one = call("Conv2D", x, w, groups=2, out_dtype="float32")
    other = call("Negative", one)
    return case_of([one], [one], [other], {"x": np.ones((1, 2, 3, 3), "f4")})


@pytest.mark.parametrize(
    ("case", "output"),
    [
        (swapped_case(), "output 0: different\n[0. 1.]\n[ 0. -1.]\n"),
        (long_case(), "output 0: different\n[0. 2.]\n[1. 2.]\n"),
        (tuple_case(), "output 0: different\n[3]\n[4]\noutput 1: different\n[4]\n[3]\n"),
    ],
)
def test_the_program_shows_the_difference(case: Case, output: str, folder: Path) -> None:
    text = python_text(stored(case))

    assert text.count("\n") <= MOST_LINES
    assert printed_by(text, folder) == output


def test_small_differences_can_be_read(folder: Path) -> None:
    x = Var("x", (1,), "float64")
    scaled = call("Multiply", x, Const(np.array(1.0000000001)))
    case = case_of([scaled], [scaled], [x], {"x": np.float64([1])})

    text = printed_by(python_text(stored(case)), folder)

    assert text == "output 0: different\n[1.0000000001]\n[1.]\n"


def test_the_status_says_that_both_sides_are_equal(folder: Path) -> None:
    x = Var("x", (2,))
    one, other = call("Abs", x), call("Abs", call("Abs", x))
    case = case_of([one], [one], [other], {"x": np.float32([-1, 2])})

    assert printed_by(python_text(stored(case)), folder, status=0).startswith("output 0: equal\n")


def test_a_program_that_fails_does_not_say_that_the_sides_differ(folder: Path) -> None:
    """Neither where TVM is not installed: 1 is the status of sides that differ."""
    hidden = 'import sys; sys.modules["tvm"] = None'
    text = python_text(stored(swapped_case())).replace("import os, sys", f"{hidden}; import os", 1)

    assert printed_by(text, folder, status=2) == ""


def limits_case() -> Case:
    """TVM prints numbers of this size as expressions of another module."""
    x = Var("x", (1,))
    largest = float(np.finfo("f4").max)
    clipped = call("Clip", x, min=-largest, max=largest)
    return case_of([clipped], [clipped], [x], {"x": np.float32([np.inf])})


@pytest.mark.parametrize("case", [constant_case(), layout_case(), limits_case()])
def test_constants_and_odd_numbers_are_written(case: Case, folder: Path) -> None:
    assert "output 0: different" in printed_by(python_text(stored(case)), folder)


def test_a_target_that_cannot_be_built_is_left_out(folder: Path) -> None:
    whole = swapped_case()
    case = case_of(*[[whole.exprs()[n] for n in whole.source]] * 2)

    text = printed_by(python_text(stored(case, "GSL303")), folder, status=0)

    assert text == "output 0 of the source; the target cannot be built:\n[0. 0.]\n"


def test_what_tvm_computes_is_compared_with_the_references(folder: Path) -> None:
    """Both sides of a finding about TVM are the same network, so they would always agree."""
    x = Var("x", (2,))
    case = case_of(*[[call("Relu", x)]] * 3, {"x": np.float32([np.nan, -1.0])})

    text = python_text(stored(case, "GSL480"))

    assert text.count("\n") <= MOST_LINES
    assert printed_by(text, folder) == (
        "output 0: different, first NumPy, then TVM\n[nan  0.]\n[0. 0.]\n"
    )


def test_hostile_text_stays_in_the_comment(folder: Path) -> None:
    case = swapped_case()
    hostile = stored(case, rule='"""\nimport os; os.abort()\n\\')

    assert "different" in printed_by(python_text(hostile), folder)


def test_a_relax_module_has_both_sides() -> None:
    text = relax_text(stored().case)

    assert "def source(" in text
    assert "def target(" in text
    assert "Metadata" not in text
