"""Visit the expressions of a network with the methods of a functor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from gsl.errors import GraphError
from gsl.expr import Expr
from gsl.visit.functor import ExprFunctor
from gsl.visit.traverse import Network, expand_dataflow, outputs_of


class ExprVisitor(ExprFunctor[None]):
    """Visits every expression once, or up to `visit_limit` times, after its operands.

    An expression is visited each time it is reached, along an edge from a visited user or as an
    output, until the limit; from then on it is only counted. So `visit_counter` tells for limit 1
    how often an expression is used, and the work is at most the limit times the edges. Both
    remain from one `visit` to the next.

    Raises GraphError for a limit below 1.
    """

    def __init__(self, visit_limit: int = 1) -> None:
        if visit_limit < 1:
            raise GraphError(f"expressions are visited at least once, not {visit_limit} times")
        self.visit_limit = visit_limit
        self.visit_counter: Counter[Expr] = Counter()

    def visit(self, network: Network) -> None:
        """Visit what lies in `network` and has not been visited often enough before."""
        expand_dataflow(outputs_of(network), self._is_visited, self, self.expand)

    def expand(self, expr: Expr) -> Sequence[Expr]:
        """Return what is visited before `expr`: its operands, unless overridden."""
        return expr.operands

    def visit_default(self, expr: Expr) -> None:
        """Do nothing."""

    def _is_visited(self, expr: Expr) -> bool:
        self.visit_counter[expr] += 1
        return self.visit_counter[expr] > self.visit_limit
