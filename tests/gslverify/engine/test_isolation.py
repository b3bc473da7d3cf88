"""What goes wrong inside z3, NumPy or TVM costs the rule that caused it, and no other."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gslverify.repro.form import rule_in

HEAD = """\
import os

from gsl import Subst, op, pat, rule
from gsl.operators.declaration import Need, Tensor, operator
from gsl.types import NUMERIC, TensorType


@operator(dtypes=NUMERIC)
def Odd(need: Need, data: Tensor) -> TensorType:
    \"\"\"Do what must not happen.\"\"\"
    return data


Odd.reference = lambda data: {reference}
Odd.lowering = lambda relax, data: {lowering}


@rule()
def odd() -> Subst:
    \"\"\"relu(relu(odd(x)))  =>  relu(odd(x))\"\"\"
    x = pat.Wildcard()
    return Subst(op.Relu(op.Relu(op.Odd(x))), op.Relu(op.Odd(x)))
"""

SOUND = """

@rule()
def sound() -> Subst:
    \"\"\"relu(relu(x))  =>  relu(x)\"\"\"
    x = pat.Wildcard()
    return Subst(op.Relu(op.Relu(x)), op.Relu(x))
"""

FERMAT = """\
from gsl import Subst, op, pat, rule


@rule()
def fermat() -> Subst:
    \"\"\"relu(relu(x))  =>  relu(x) where a ** 3 + b ** 3 == c ** 3, which cannot be\"\"\"
    x = pat.Wildcard()
    a, b, c = x.shape[0], x.shape[1], x.shape[2]
    return Subst(op.Relu(op.Relu(x)), op.Relu(x), where=[a * a * a + b * b * b == c * c * c])
"""


def report_of(folder: Path, text: str, *arguments: str) -> dict[str, Any]:
    """Verify a file in a process of its own and return the verdict and codes of each rule."""
    (folder / "rules.py").write_text(text + SOUND, "utf-8")
    command = ["check", "rules.py", "--output-format", "json", "--no-cache", "-j", "1", "-n", "6"]
    done = subprocess.run(
        [sys.executable, "-m", "gslverify", *command, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=500,
    )
    report = json.loads(done.stdout)
    found = {
        rule["id"].partition("::")[2]: (rule["verdict"], [f["code"] for f in rule["findings"]])
        for rule in report["rules"]
    }
    return {**found, "exit": done.returncode}


def test_reference_that_aborts_costs_its_rule(folder: Path) -> None:
    text = HEAD.format(reference="os.abort()", lowering="data")

    found = report_of(folder, text, "--no-tvm")

    assert found == {"odd": ("error", ["GSL902"]), "sound": ("pass", []), "exit": 3}
    (stored,) = (folder / ".gslverify" / "failures").glob("odd-GSL902-*.json")
    assert rule_in(stored) == "rules.py::odd"
    assert '"Odd"' in stored.read_text("utf-8")
    assert "REPRODUCED rules.py::odd: GSL902 running it ends the process with SIGABRT" in repro(
        stored
    )


def repro(stored: Path) -> str:
    """Return what `gslverify repro` says of a file."""
    command = [sys.executable, "-m", "gslverify", "repro", str(stored)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert not done.stderr
    return done.stdout


def test_what_was_run_last_can_be_run_again(folder: Path) -> None:
    """It needs the operator that the file of the rule declares."""
    text = HEAD.format(reference="ABORT() or data", lowering="data")
    report_of(folder, text.replace("import os\n", "import os\nABORT = os.abort\n"), "--no-tvm")
    (stored,) = (folder / ".gslverify" / "failures").glob("odd-GSL902-*.json")
    (folder / "rules.py").write_text(text.replace("import os\n", "ABORT = int\n"), "utf-8")

    assert "MENDED rules.py::odd: source and target agree on it" in repro(stored)


@pytest.mark.smt
def test_query_that_hangs_costs_its_rule(folder: Path) -> None:
    """Without a limit worth the name only the end of the process helps."""
    found = report_of(
        folder,
        FERMAT,
        *("--stages", "satisfiable", "--solver-timeout", "4000", "--stage-timeout", "10s"),
    )

    assert found == {"fermat": ("error", ["GSL902"]), "sound": ("pass", []), "exit": 3}


@pytest.mark.smt
def test_limit_of_the_solver_makes_it_inconclusive(folder: Path) -> None:
    found = report_of(folder, FERMAT, "--stages", "satisfiable", "--solver-timeout", "20ms")

    assert found == {"fermat": ("inconclusive", ["GSL290"]), "sound": ("pass", []), "exit": 0}


@pytest.mark.tvm
@pytest.mark.parametrize("lowering", ["os.abort()", "os._exit(0)"])
def test_operator_that_ends_tvm_costs_its_rule(lowering: str, folder: Path) -> None:
    text = HEAD.format(reference="data", lowering=lowering)

    found = report_of(folder, text)

    verdict, codes = found["odd"]
    assert verdict == "inconclusive"
    assert "GSL491" in codes
    assert found["sound"] == ("pass", [])
    (stored,) = (folder / ".gslverify" / "failures").glob("odd-GSL491-*.json")
    assert "REPRODUCED rules.py::odd: GSL491 TVM cannot run the source: crash" in repro(stored)
