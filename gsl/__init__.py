"""GSL: a graph substitution language for rewrite rules of deep-learning compilers.

    from gsl import attr, op, pat, rule, Subst, Workload

Nothing here imports TVM; `gsl.tvm` is its only door. Names are loaded when they are first used,
so that errors and spans can be had without NumPy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gsl import assume, attr, op, pat, presets
    from gsl.engine.fixpoint import apply
    from gsl.engine.record import Record
    from gsl.expr import Call, Const, Expr, Proj, Tuple, Var
    from gsl.fold import FoldRecord
    from gsl.rule_sets import rules
    from gsl.subst import Rule, Subst, rule
    from gsl.workload import Workload

__all__ = [
    "Call",
    "Const",
    "Expr",
    "FoldRecord",
    "Proj",
    "Record",
    "Rule",
    "Subst",
    "Tuple",
    "Var",
    "Workload",
    "apply",
    "assume",
    "attr",
    "op",
    "pat",
    "presets",
    "rule",
    "rules",
]

_MODULES = {
    "Record": "gsl.engine.record",
    "apply": "gsl.engine.fixpoint",
    **dict.fromkeys(("Call", "Const", "Expr", "Proj", "Tuple", "Var"), "gsl.expr"),
    "FoldRecord": "gsl.fold",
    **dict.fromkeys(("Rule", "Subst", "rule"), "gsl.subst"),
    "Workload": "gsl.workload",
    "rules": "gsl.rule_sets",
}


def __getattr__(name: str) -> Any:
    if name in ("assume", "attr", "op", "pat", "presets"):
        return import_module(f"gsl.{name}")
    if name not in _MODULES:
        raise AttributeError(f"module `gsl` has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
