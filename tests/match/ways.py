"""The ways of matching that have to agree: interpreted, compiled, compiled with groups at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from unittest.mock import patch

from gsl import Subst
from gsl.attr.writer import UNDECIDED
from gsl.graph import Graph, Node
from gsl.match import Bindings
from gsl.match.compiled import loops
from gsl.match.find import Matcher, matcher_of, matches_at, search_of
from tests.match.reference import Problem

Way = Callable[[Node], list[Bindings] | None]
"""Gives the matches at a root, or None where it leaves the answer to another way."""


def compiled(subst: Subst, few: int) -> Matcher | None:
    """Return a matcher that groups more than `few` candidates."""
    with patch.object(loops, "FEW", few):
        return matcher_of(subst)


def ways(problem: Problem) -> Mapping[str, Way]:
    """Return the ways to match the rule of `problem` in its graph."""
    subst, graph = problem.subst, problem.graph

    def engine(root: Node) -> list[Bindings]:
        return kept(matches_at(subst, graph, root))

    def interpreted(root: Node) -> list[Bindings]:
        return kept(search_of(subst, graph).matches(root))

    grouped = by_matcher(compiled(subst, few=0), graph)
    return {"engine": engine, "interpreted": interpreted, "grouped": grouped}


def kept(found: Iterable[Bindings]) -> list[Bindings]:
    """Return copies, because what a search gives is only valid until it is asked again."""
    return [bindings.copy() for bindings in found]


def by_matcher(matcher: Matcher | None, graph: Graph) -> Way:
    def match(root: Node) -> list[Bindings] | None:
        if matcher is None:
            return None
        try:
            return kept(map(matcher.bindings, matcher.every(root, graph)))
        except UNDECIDED:
            return None

    return match
