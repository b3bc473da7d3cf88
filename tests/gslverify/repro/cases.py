"""A wrong rule, a case that refutes it, and the file in which it is stored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from gsl import Var
from gsl.expr import Call, Const, Expr
from gsl.operators import lookup
from gslverify.case import Case, case_of
from gslverify.repro.form import Stored

WRONG = '''
from gsl import Subst, op, pat, rule


@rule
def swapped() -> Subst:
    """x - y  =>  y - x"""
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(op.Subtract(x, y), op.Subtract(y, x))
'''

MENDED = WRONG.replace("op.Subtract(y, x)", "op.Negative(op.Subtract(y, x))")
ELSEWHERE = WRONG.replace("op.Subtract(x, y), op.Subtract(y, x)", "op.Add(x, y), op.Add(y, x)")
OTHERWISE = WRONG.replace("op.Subtract(y, x)", "op.Flip(op.Subtract(y, x), axis=3)")


def call(name: str, *operands: Expr, **attributes: Any) -> Call:
    return Call(lookup(name), list(operands), attributes)


def swapped_case(size: int = 2, dtype: str = "float32") -> Case:
    """Return `x - y` and `y - x` on two vectors."""
    x, y = Var("x", (size,), dtype), Var("y", (size,), dtype)
    one, other = call("Subtract", x, y), call("Subtract", y, x)
    inputs = {"x": np.arange(size).astype(dtype), "y": np.zeros(size, dtype)}
    return case_of([one], [one], [other], inputs)


def constant_case() -> Case:
    """Return a case with constants of both kinds, an attribute, and values that are no numbers."""
    x = Var("x", (1, 2), "float64")
    whole = call("Sum", call("Multiply", x, Const(0.1, "float64")), axis=(1,), keepdims=True)
    table = call("Add", whole, Const(np.array([[1.5], [-2.0]])))
    inputs = {"x": np.array([[np.nan, -np.inf]])}
    return case_of([table], [table], [whole], inputs, "outputs used", True)


def stored(case: Case | None = None, code_id: str = "GSL401", rule: str = "swapped") -> Stored:
    return Stored(
        f"rules.py::{rule}",
        "sha256:ab",
        code_id,
        "output 0: 1 of 2 elements differ",
        swapped_case() if case is None else case,
        {"gslverify": "0.1.0", "tvm": "0.27.0"},
        3,
        [("inputs", ["x float32[2] = [0 1]"])],
    )


def write_rule(folder: Path, text: str = WRONG) -> Path:
    path = folder / "rules.py"
    path.write_text(text, "utf-8")
    return path
