"""Find the matches of a rule at a node."""

from __future__ import annotations

from collections.abc import Iterator

from gsl.graph import Graph, Node
from gsl.match.bindings import Bindings, Mismatch
from gsl.match.multi import RuleSearch
from gsl.match.variadic import VariadicSearch
from gsl.subst import Subst


def matches_at(subst: Subst, graph: Graph, root: Node) -> Iterator[Bindings]:
    """Yield every match of the source of `subst` whose first output is `root`.

    Of a variadic source these are matches with as many outputs as possible, one for each largest
    set of outputs. The bindings are only valid until the next one is asked for.
    """
    return _search(subst, graph).matches(root)


def match_at(subst: Subst, graph: Graph, root: Node) -> Bindings | Mismatch:
    """Return the first match whose first output is `root`, or why there is none."""
    search = _search(subst, graph)
    for bindings in search.matches(root):
        return bindings
    return search.mismatch


def _search(subst: Subst, graph: Graph) -> RuleSearch:
    variadic = subst.variadic
    if variadic is None:
        return RuleSearch(subst, graph)
    return VariadicSearch(subst, graph, variadic)
