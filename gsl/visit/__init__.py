"""Traversals of networks: dispatch on the kind of an expression, visit, rewrite, normal form.

Nothing here recurses, so depth is no limit. `docs/explanation/traversal.md` compares the names
with those of TVM.
"""

from __future__ import annotations

from gsl.visit.functor import ExprFunctor, handles
from gsl.visit.mutator import ExprMutator, ExprRewriter, post_order_rewrite
from gsl.visit.normal_form import (
    Binding,
    BoundVar,
    NormalForm,
    from_a_normal_form,
    to_a_normal_form,
)
from gsl.visit.rebuild import rebuild
from gsl.visit.traverse import expand_dataflow, post_order_fold, post_order_visit
from gsl.visit.visitor import ExprVisitor

__all__ = [
    "Binding",
    "BoundVar",
    "ExprFunctor",
    "ExprMutator",
    "ExprRewriter",
    "ExprVisitor",
    "NormalForm",
    "expand_dataflow",
    "from_a_normal_form",
    "handles",
    "post_order_fold",
    "post_order_rewrite",
    "post_order_visit",
    "rebuild",
    "to_a_normal_form",
]
