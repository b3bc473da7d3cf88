"""Find the matches of a rule at a node."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Protocol

from gsl.attr.code import NotCompiledError
from gsl.attr.writer import UNDECIDED
from gsl.errors import MisuseError
from gsl.graph import Graph, Node
from gsl.match.bindings import Bindings, Mismatch
from gsl.match.compiled.fixed import FixedMatcher, Nodes
from gsl.match.compiled.variadic import Fan, FanMatcher
from gsl.match.search.multi import RuleSearch
from gsl.match.search.variadic import VariadicSearch
from gsl.subst import Subst

Found = Nodes | Fan
"""A match as a matcher gives it."""

First = Callable[[Node, Graph], Found | Bindings | None]
"""Finds the first match of a rule at a node."""


class Matcher(Protocol):
    """The compiled source of a rule; `first` and `every` raise UNDECIDED where search must tell."""

    def first(self, root: Node, graph: Graph, /) -> Any:
        """Return the first match at `root`, or None."""

    def every(self, root: Node, graph: Graph, /) -> Iterator[Any]:
        """Yield every match at `root`."""

    def bindings(self, found: Any, /) -> Bindings:
        """Return a match as the search gives it."""

    def found(self, bindings: Bindings, /) -> Any:
        """Return a match of the search as this matcher gives it."""


def matches_at(subst: Subst, graph: Graph, root: Node) -> Iterator[Bindings]:
    """Yield every match of the source of `subst` whose first output is `root`.

    Of a variadic source these are matches with as many outputs as possible, one for each largest
    set of outputs. The bindings are only valid until the next one is asked for. Raises MisuseError
    for a root that is no node.
    """
    require_node(root)
    matcher = subst.derived(matcher_of)
    if matcher is None:
        return search_of(subst, graph).matches(root)
    try:
        return map(matcher.bindings, list(matcher.every(root, graph)))
    except UNDECIDED:
        return search_of(subst, graph).matches(root)


def find(subst: Subst, graph: Graph, root: Node) -> Found | Bindings | None:
    """Return the first match whose first output is `root`, or None, without a reason."""
    try:
        return subst.derived(first_of)(root, graph)
    except UNDECIDED:
        return searched(subst, root, graph)


def first_of(subst: Subst) -> First:
    """Return the fastest way to find a first match; it raises UNDECIDED where search must tell."""
    matcher = subst.derived(matcher_of)
    return partial(searched, subst) if matcher is None else matcher.first


def searched(subst: Subst, root: Node, graph: Graph) -> Bindings | None:
    """Return the first match at `root` that the search finds, or None."""
    return next(search_of(subst, graph).matches(root), None)


def require_node(root: object) -> None:
    """Raise MisuseError unless `root` is a node of a work graph."""
    if not isinstance(root, Node):
        cure = "take one of Graph(outputs), such as graph.outputs[0]"
        raise MisuseError(f"a rule is matched at a node of a graph, not at {root!r}; {cure}")


def nodes_of(found: Found | Bindings) -> Iterable[Node]:
    """Return nodes of a match, its root first; of variadic ones those of field 0."""
    if isinstance(found, Bindings):
        return found.nodes.values()
    return found.head if isinstance(found, Fan) else found


def match_at(subst: Subst, graph: Graph, root: Node) -> Bindings | Mismatch:
    """Return the first match whose first output is `root`, or why there is none."""
    for bindings in matches_at(subst, graph, root):
        return bindings
    search = search_of(subst, graph)
    for bindings in search.matches(root):
        return bindings
    return search.mismatch


def search_of(subst: Subst, graph: Graph) -> RuleSearch:
    """Return the search that interprets the source of a rule: complete, and it knows reasons."""
    variadic = subst.variadic
    if variadic is None:
        return RuleSearch(subst, graph)
    return VariadicSearch(subst, graph, variadic)


def matcher_of(subst: Subst) -> Matcher | None:
    """Compile the source of a rule, if its form allows that."""
    variadic = subst.variadic
    try:
        return FixedMatcher(subst) if variadic is None else FanMatcher(subst, variadic)
    except (NotCompiledError, RecursionError):
        return None
