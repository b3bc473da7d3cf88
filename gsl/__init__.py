"""GSL: a graph substitution language for rewrite rules of deep-learning compilers.

    from gsl import attr, op, pat, rule, Subst, Workload

Nothing here imports TVM; `gsl.tvm` is its only door.
"""

from __future__ import annotations

from gsl import attr, op, pat
from gsl.engine import apply
from gsl.expr import Call, Const, Expr, Proj, Tuple, Var
from gsl.subst import Rule, Subst, rule
from gsl.workload import Workload

__all__ = [
    "Call",
    "Const",
    "Expr",
    "Proj",
    "Rule",
    "Subst",
    "Tuple",
    "Var",
    "Workload",
    "apply",
    "attr",
    "op",
    "pat",
    "rule",
]
