"""Sources with a fixed number of outputs, compiled: nested loops over candidates.

The first output is matched straight down from the root. Every further output is a loop over the
users of something bound, as in `match/search/candidates.py`; inside it the output is matched
straight down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from gsl.attr.code import NotCompiledError
from gsl.attr.conjuncts import conjuncts
from gsl.graph import Graph, Node, reverse_post_order
from gsl.match.bindings import Bindings, Key
from gsl.match.compiled.branch import Shape, listed
from gsl.match.compiled.loops import LoopWriter
from gsl.match.whole import output_below
from gsl.pat import INPUTS, Pattern, Wildcard
from gsl.subst import Subst

MOST_OUTPUTS = 8

Nodes = tuple[Node, ...]


class FixedMatcher:
    """Matches a source at a node; a match is a tuple of the nodes of `patterns`.

    Functions raise UNDECIDED where only the search can tell.
    """

    def __init__(self, subst: Subst) -> None:
        writer = _Writer(subst)
        self.first: Callable[[Node, Graph], Nodes | None] = writer.matching("return")
        self.patterns: tuple[Pattern, ...] = tuple(writer.branch.names)
        self._keys: list[Key] = [(pattern, ()) for pattern in self.patterns]
        self._subst = subst
        self._every: Callable[[Node, Graph], Iterator[Nodes]] | None = None

    def every(self, root: Node, graph: Graph) -> Iterator[Nodes]:
        """Yield every match at `root`."""
        if self._every is None:
            self._every = _Writer(self._subst).matching("yield")
        return self._every(root, graph)

    def bindings(self, found: Nodes) -> Bindings:
        """Return a match as the search would have given it."""
        return Bindings(dict(zip(self._keys, found, strict=True)), {}, {})

    def found(self, bindings: Bindings) -> Nodes:
        """Return a match of the search as this matcher would have given it."""
        return tuple([bindings.nodes[key] for key in self._keys])


class _Writer(LoopWriter):
    """Writes the function of one source."""

    def __init__(self, subst: Subst) -> None:
        if len(subst.source) > MOST_OUTPUTS:
            raise NotCompiledError("many outputs")
        super().__init__(
            Shape(subst.source_patterns, subst.source, subst.aliased, whole=True),
            (part for condition in subst.where for part in conjuncts(condition)),
            subst.source,
        )
        self._patterns = subst.source_patterns

    def matching(self, giving: str) -> Callable[..., Any]:
        """Return a function of a root and its graph; it returns or yields tuples of nodes."""
        first, *others = self._outputs
        self.branch.match(first, "root")
        self.demand_conditions()
        for output in others:
            if output not in self.branch.names:
                self.branch.match(output, self.loop(output))
            self.demand_conditions()
        self._demand_no_cycle()
        self.code.line(f"{giving} {listed(self.branch.names.values())}")
        return self.function("(root, graph)")

    def _demand_no_cycle(self) -> None:
        """Write that no input depends on an output; most lie lower than all of them."""
        names = self.branch.names
        outputs = [names[output] for output in self._outputs]
        inputs = [names[pattern] for pattern in self._may_depend() if pattern in names]
        if len(outputs) > 1 and inputs:
            lowest = self.code.fresh("l")
            self.code.line(f"{lowest} = min({', '.join(f'{name}.level' for name in outputs)})")
            above = " or ".join(f"{name}.level >= {lowest}" for name in inputs)
            below = self.code.constant(output_below)
            found = f"{below}(graph, {listed(inputs)}, {listed(outputs)})"
            self.branch.fail_if(f"({above}) and {found}")

    def _may_depend(self) -> list[Pattern]:
        """Return the inputs that may be computed from an output, or are one.

        Variables and constants are not computed, and what all outputs are made of lies below them.
        Where no outputs share anything, only `independent` ones have been tried.
        """
        inputs = [pattern for pattern in self._patterns if isinstance(pattern, INPUTS)]
        below = [frozenset(reverse_post_order([output])) for output in self._outputs]
        if sum(map(len, below)) == len(self._patterns):
            return [pattern for pattern in inputs if pattern in self._outputs]
        return [
            pattern
            for pattern in inputs
            if pattern in self._outputs
            or (isinstance(pattern, Wildcard) and not all(pattern in one for one in below))
        ]
