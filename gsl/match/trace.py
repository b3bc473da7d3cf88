"""Why a rule did not match at a node: how far the search came, and what stopped it there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gsl.graph import Graph, Node
from gsl.match.bindings import Bindings, Mismatch
from gsl.match.find import require_node, search_of
from gsl.subst import Subst


@dataclass(frozen=True, slots=True)
class Trace:
    """The best partial match: what was bound when the search had come closest to a match.

    `mismatch` is what stopped it there, or None if the rule matches; then `bindings` is the match.
    As text, one line for every pattern that stands for something, and the reason.
    """

    bindings: Bindings
    mismatch: Mismatch | None

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        for (pattern, path), node in self.bindings.nodes.items():
            field = "".join(f" of field {index}" for _, index in path)
            yield f"{pattern!r}{field} is {node.expr!r}"
        yield "the rule matches" if self.mismatch is None else f"but {self.mismatch}"


def trace(subst: Subst, graph: Graph, root: Node) -> Trace:
    """Return how far the source of `subst` matches with its first output at `root`.

    Slower than `match_at`, because it notes what is bound whenever it comes further than before.
    """
    require_node(root)
    search = search_of(subst, graph)
    search.traced = True
    for bindings in search.matches(root):
        return Trace(bindings.copy(), None)
    return Trace(search.furthest, search.mismatch)
