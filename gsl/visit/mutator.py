"""Rewrite a network expression by expression; what does not change stays the very same object."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import is_
from typing import Any, TypeVar

from gsl.errors import GraphError, GslError, RewriteError
from gsl.expr import Expr
from gsl.graph import reverse_post_order
from gsl.visit.functor import ExprFunctor
from gsl.visit.rebuild import rebuild, same_type
from gsl.visit.traverse import Network, expand_dataflow, outputs_of
from gsl.workload import Workload

N = TypeVar("N", Expr, Workload, Sequence[Expr])


class ExprRewriter(ExprFunctor[Expr, Expr]):
    """A rewrite by cases, for `post_order_rewrite`.

    The methods get `pre`, an expression as it was, and `post`, the same over rewritten operands,
    which is `pre` itself where no operand changed. They return what takes its place, by default
    `post`, and visit nothing themselves.
    """

    def rewrite(self, pre: Expr, post: Expr) -> Expr:
        """Return what takes the place of `pre`: by default what the method for its kind says."""
        return self(pre, post)

    def visit_default(self, pre: Expr, post: Expr) -> Expr:
        """Return `post`."""
        return post


class ExprMutator(ExprRewriter):
    """A rewriter that remembers in `memo` what has taken the place of each expression.

    The memo remains from one `mutate` to the next, so that parts shared by several networks stay
    shared. What is put there beforehand is a substitution: it is neither rewritten nor entered.
    With `keep_types` false, types may change (see `post_order_rewrite`).
    """

    def __init__(self, *, keep_types: bool = True) -> None:
        self.memo: dict[Expr, Expr] = {}
        self.keep_types = keep_types

    def mutate(self, network: N) -> N:
        """Return `network` rewritten; see `post_order_rewrite`."""
        return post_order_rewrite(network, self, keep_types=self.keep_types, memo=self.memo)


def post_order_rewrite(
    network: N,
    rewriter: ExprRewriter | Callable[[Expr, Expr], Expr],
    *,
    keep_types: bool = True,
    memo: dict[Expr, Expr] | None = None,
) -> N:
    """Return a network in which every expression is rewritten once, operands before their users.

    Args:
        network: an expression, several (a tuple is returned) or a workload. What does not change
            stays the very same object, the workload included.
        rewriter: a rewriter, or a function, from `pre` and `post` to an expression (see
            `ExprRewriter`). What it returns is not rewritten again.
        keep_types: refuse a rewrite that changes the type of an expression. Otherwise the types
            of users are inferred anew, but only where the type of an operand has changed.
        memo: what is known to take the place of expressions; is extended.

    Raises RewriteError, naming the expression, when the rewriter returns no expression or one of
    another type, or when an expression cannot have its new operands.
    """
    known = {} if memo is None else memo
    rewrite = rewriter.rewrite if isinstance(rewriter, ExprRewriter) else rewriter
    outputs = outputs_of(network)

    def visit(pre: Expr) -> None:
        try:
            post = rebuild(pre, tuple([known[operand] for operand in pre.operands]))
            known[pre] = _checked(pre, rewrite(pre, post), keep_types)
        except GslError as error:
            raise RewriteError(f"at {_place(pre, outputs)}: {error}") from error

    expand_dataflow(outputs, known.__contains__, visit)
    rewritten: N = _with_outputs(network, tuple([known[output] for output in outputs]))
    return rewritten


def _checked(pre: Expr, result: Expr, keep_types: bool) -> Expr:
    if not isinstance(result, Expr):
        raise GraphError(f"the rewrite returned {result!r} instead of an expression")
    if keep_types and result is not pre and not same_type(result, pre):
        raise GraphError(
            f"the rewrite to {result!r} changes the type from {pre.type} to {result.type}; "
            "if that is meant, say keep_types=False"
        )
    return result


def _place(expr: Expr, outputs: Sequence[Expr]) -> str:
    return f"{expr!r}, number {reverse_post_order(outputs).index(expr)} in reverse post-order"


def _with_outputs(network: Network, outputs: tuple[Expr, ...]) -> Any:
    if isinstance(network, Expr):
        return outputs[0]
    if not isinstance(network, Workload):
        return outputs
    same = all(map(is_, outputs, network.outputs))
    return network if same else network.with_outputs(outputs)
