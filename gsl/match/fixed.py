"""Sources with a fixed number of outputs, compiled: nested loops over candidates.

The first output is matched straight down from the root. Every further output is a loop over the
users of something bound, as in `match/climb.py`; inside it the output is matched straight down.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from gsl.attr.code import Code, NotCompiledError
from gsl.attr.conjuncts import conjuncts
from gsl.attr.writer import MISSING
from gsl.graph import Graph, Node
from gsl.match.bindings import Bindings
from gsl.match.branch import BranchWriter, Shape, head_of, listed
from gsl.match.join import FEW, Equation, Site, equations, patterns_of, profile_of, write_left
from gsl.match.whole import output_below
from gsl.pat import INPUTS, Pattern
from gsl.subst import Subst

MOST_PATTERNS = 200
MOST_OUTPUTS = 8

Nodes = tuple[Node, ...]
Step = tuple[Pattern, int]
"""A pattern, and at which position it has the one below it on a climb as operand."""


class FixedMatcher:
    """Matches a source at a node; a match is a tuple of the nodes of `patterns`.

    Functions raise UNDECIDED where only the search can tell.
    """

    def __init__(self, subst: Subst) -> None:
        writer = _Writer(subst)
        self.first: Callable[[Node, Graph], Nodes | None] = writer.function("return")
        self.patterns: tuple[Pattern, ...] = tuple(writer.branch.names)
        self._subst = subst
        self._every: Callable[[Node, Graph], Iterator[Nodes]] | None = None

    def every(self, root: Node, graph: Graph) -> Iterator[Nodes]:
        """Yield every match at `root`."""
        if self._every is None:
            self._every = _Writer(self._subst).function("yield")
        return self._every(root, graph)

    def bindings(self, found: Nodes) -> Bindings:
        """Return a match as the search would have given it."""
        keys = [(pattern, ()) for pattern in self.patterns]
        return Bindings(dict(zip(keys, found, strict=True)), {}, {})


class _Writer:
    """Writes the function of one source."""

    def __init__(self, subst: Subst) -> None:
        patterns = subst.source_patterns
        if len(patterns) > MOST_PATTERNS or len(subst.source) > MOST_OUTPUTS:
            raise NotCompiledError("a large source")
        self.subst = subst
        self.code = Code()
        self.shape = Shape(patterns, subst.source)
        terms = [term for pattern in patterns for term in pattern.constraints.values()]
        self._conditions = [part for condition in subst.where for part in conjuncts(condition)]
        self.branch = BranchWriter(self.code, self.shape, (*terms, *self._conditions))
        self._blocks = [(1, "return None")]

    def function(self, giving: str) -> Callable[..., Any]:
        """Return a function of a root and its graph; it returns or yields tuples of nodes."""
        first, *others = self.subst.source
        self.code.open("try:")
        self.branch.match(first, "root")
        self._demand_conditions()
        for output in others:
            if output not in self.branch.names:
                self.branch.match(output, self._loop(output))
            self._demand_conditions()
        if self._conditions:
            raise NotCompiledError("a condition on what is not matched")
        self._demand_no_cycle()
        self.code.line(f"{giving} {listed(self.branch.names.values())}")
        for depth, failing in reversed(self._blocks):
            self.code.depth = depth
            self.code.line(f"except {self.code.constant(MISSING)}: {failing}")
        return self.code.function("(root, graph)", "source")

    def _demand_conditions(self) -> None:
        """Write the conditions of the rule that only speak about what is bound by now."""
        known = self.branch.names.keys()
        ready = [term for term in self._conditions if patterns_of(term) <= known]
        self._conditions = [term for term in self._conditions if not patterns_of(term) <= known]
        for term in ready:
            self.branch.demand(self.branch.terms.write(term))

    def _demand_no_cycle(self) -> None:
        if len(self.subst.source) > 1:
            names = self.branch.names
            outputs = listed(names[output] for output in self.subst.source)
            inputs = listed(name for pattern, name in names.items() if isinstance(pattern, INPUTS))
            below = self.code.constant(output_below)
            self.branch.fail_if(f"{below}(graph, {inputs}, {outputs})")

    def _loop(self, output: Pattern) -> str:
        """Open a loop over the candidates for an output that is not bound; return its variable."""
        bound, steps = self._climb(output)
        candidate = self.code.fresh("n")
        anchor = self._anchor(output) if len(steps) == 1 else self._open_below(bound, steps)
        users = self._agreeing(output, anchor) if len(steps) == 1 else f"{anchor}.users"
        self.code.open(f"for {candidate} in {users}:")
        self._blocks.append((self.code.depth, "continue"))
        self.code.open("try:")
        self.branch.failing = "continue"
        # Groups of candidates may still have some that are gone.
        self.branch.fail_if(f"{candidate} not in {anchor}.users")
        return candidate

    def _climb(self, output: Pattern) -> tuple[Pattern, list[Step]]:
        """Return a bound pattern below `output` and the shortest way up from it."""
        ways: deque[list[Step]] = deque([[(output, i)] for i in range(len(output.operands))])
        while ways:
            way = ways.popleft()
            pattern, position = way[0]
            below = pattern.operands[position]
            if below in self.branch.names:
                return below, way
            ways.extend([(below, i), *way] for i in range(len(below.operands)))
        raise NotCompiledError("an output that hangs on nothing bound")

    def _open_below(self, bound: Pattern, steps: list[Step]) -> str:
        """Open loops up to the operand of the output from which it is reached; return its name."""
        anchor = self.branch.names[bound]
        for pattern, position in steps[:-1]:
            user = self.code.fresh("n")
            self.code.open(f"for {user} in {anchor}.users:")
            other = f"{user}.operands[{position}] is not {anchor}"
            head = head_of(pattern)
            if head is None:
                other = f"len({user}.operands) <= {position} or {other}"
            else:
                other = f"{user}.head is not {self.code.constant(head)} or {other}"
            self.code.line(f"if {other}: continue")
            anchor = user
        return anchor

    def _anchor(self, output: Pattern) -> str:
        """Return the operand of `output` whose users are the candidates: that with the fewest."""
        names = self.branch.names
        anchors = [names[operand] for operand in dict.fromkeys(output.operands) if operand in names]
        if len(anchors) == 1:
            return anchors[0]
        anchor = self.code.fresh("n")
        fewest = "key=lambda node: len(node.users)"
        self.code.line(f"{anchor} = min({', '.join(anchors)}, {fewest})")
        return anchor

    def _agreeing(self, output: Pattern, anchor: str) -> str:
        """Write that of many users only those are tried that agree with what is bound."""
        before = self.branch.names.keys()
        patterns = [p for p in (*self.shape.below[output], output) if p not in before]
        found = equations(patterns, self._conditions, before)
        if not found:
            return f"{anchor}.users"
        site = self.code.constant(Site(profile_of(output, self.shape, found)))
        users = self.code.fresh("u")
        self.code.line(f"{users} = {anchor}.users")
        with self.branch.block():
            self.code.open(f"if len({users}) > {FEW}:")
            required, left = write_left(self.branch, found)
            self.code.line(f"{users} = {site}.agreeing(graph, {anchor}, {required}, {left})")
        return users
