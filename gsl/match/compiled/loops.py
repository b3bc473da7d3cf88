"""Source of loops over the candidates for an output, as `match/search/candidates.py` finds them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from gsl.attr.code import Code, NotCompiledError
from gsl.attr.term import Access, Term, subterms
from gsl.attr.writer import MISSING
from gsl.graph import reverse_post_order
from gsl.match.compiled.branch import BranchWriter, Shape, head_of, listed
from gsl.match.compiled.everywhere import Everywhere
from gsl.match.compiled.join import FEW, Site, profile_of, write_left
from gsl.match.reads import OF_TYPES, block
from gsl.pat import Pattern
from gsl.pat.equations import Equation, compared, equations, patterns_of

MOST_PATTERNS = 10_000

Step = tuple[Pattern, int]
"""A pattern, and at which position it has the one below it on a climb as operand."""


@dataclass(frozen=True, slots=True)
class _Block:
    """Depth outside of a loop and of the `try` inside, and what a mismatch does in it."""

    outside: int
    inside: int
    failing: str


class LoopWriter:
    """Writes a function that matches outputs one after the other, with its `conditions`.

    A condition is demanded as soon as everything that it speaks about is bound. An attribute that
    has no value is a mismatch of the innermost candidate. Beside `outputs` there may be some that
    share nothing with what is bound before, nor with the nodes that the function has in `found`.
    """

    def __init__(
        self,
        shape: Shape,
        conditions: Iterable[Term],
        outputs: Iterable[Pattern],
        found: str = "()",
    ) -> None:
        if len(shape.patterns) > MOST_PATTERNS:
            raise NotCompiledError("a large source")
        self.code = Code()
        self.conditions = list(conditions)
        terms = [term for pattern in shape.patterns for term in pattern.constraints.values()]
        self.branch = BranchWriter(self.code, shape, (*terms, *self.conditions))
        self._shape = shape
        self._outputs = tuple(outputs)
        self._found = found
        self._blocks = [_Block(1, 1, "return None")]
        self.code.open("try:")

    def function(self, signature: str) -> Callable[..., Any]:
        """End all blocks and compile; raise NotCompiledError when a condition is left over."""
        if self.conditions:
            raise NotCompiledError("a condition on what is not matched")
        while self._blocks:
            self.close()
        return self.code.function(signature, "source")

    def close(self) -> None:
        """End the innermost block, with the loops around it."""
        block = self._blocks.pop()
        self.code.depth = block.inside
        self.code.line(f"except {self.code.constant(MISSING)}: {block.failing}")
        self.code.depth = block.outside

    def demand_conditions(self) -> None:
        """Write the conditions of the rule that only speak about what is bound by now."""
        known = self.branch.names.keys()
        ready = [term for term in self.conditions if patterns_of(term) <= known]
        self.conditions = [term for term in self.conditions if not patterns_of(term) <= known]
        for term in ready:
            self.branch.demand(self.branch.terms.write(term))

    def demand_of_other_types(self, known: Mapping[Pattern, str], own: Collection[Pattern]) -> None:
        """Write the conditions that hold anyway where a pattern has the type of a known node.

        These are conditions on the type of one key of `known` and on no other pattern of the
        candidate, which are `own`; they hold for the type of the node that the key is mapped to.
        """
        for pattern, node in known.items():
            of_type = [t for t in self.conditions if _is_of_type(t, pattern, own)]
            if of_type:
                self.conditions = [t for t in self.conditions if not _is_of_type(t, pattern, own)]
                with block(self.code, self.branch.reads, self.branch.terms):
                    keep, names = self.branch.reads.keep, self.branch.names
                    found, alike = keep(names[pattern], "expr.type"), keep(node, "expr.type")
                    self.code.open(f"if {found} is not {alike}:")
                    for term in of_type:
                        self.branch.demand(self.branch.terms.write(term))

    def loop(self, output: Pattern) -> str:
        """Open a loop over the candidates for an output that is not bound; return its variable."""
        self._hoist(output)
        outside = self.code.depth
        candidate = self.code.fresh("n")
        climb = self._climb(output)
        if climb is None:
            self.code.open(f"for {candidate} in {self._everywhere(output)}:")
        else:
            self._open_users(output, candidate, *climb)
        self._blocks.append(_Block(outside, self.code.depth, "continue"))
        self.code.open("try:")
        self.branch.failing = "continue"
        return candidate

    def _open_users(
        self, output: Pattern, candidate: str, bound: Pattern, steps: list[Step]
    ) -> None:
        anchor = self._anchor(output) if len(steps) == 1 else self._open_below(bound, steps)
        users = self._agreeing(output, anchor) if len(steps) == 1 else f"{anchor}.users"
        self.code.open(f"for {candidate} in {users}:")
        if len(steps) > 1:  # Or it would be met once for each of its operands that is like this.
            self._require_above(*steps[-1], candidate, anchor)

    def _hoist(self, output: Pattern) -> None:
        """Write before a loop what is the same for all candidates and always has a value."""
        for term in self.conditions:
            self.branch.hoist(term)
        for pattern in reverse_post_order([output]):
            if pattern not in self.branch.names:
                self.branch.hoist_constraints(pattern)

    def _climb(self, output: Pattern) -> tuple[Pattern, list[Step]] | None:
        """Return a bound pattern below `output` and the shortest way up, or None if all are new."""
        ways: deque[list[Step]] = deque([[(output, i)] for i in range(len(output.operands))])
        while ways:
            way = ways.popleft()
            pattern, position = way[0]
            below = pattern.operands[position]
            if below in self.branch.names:
                return below, way
            ways.extend([(below, i), *way] for i in range(len(below.operands)))
        return None

    def _open_below(self, bound: Pattern, steps: list[Step]) -> str:
        """Open loops up to the operand of the output from which it is reached; return its name."""
        anchor = self.branch.names[bound]
        for pattern, position in steps[:-1]:
            user = self.code.fresh("n")
            self.code.open(f"for {user} in {anchor}.users:")
            self._require_above(pattern, position, user, anchor)
            anchor = user
        return anchor

    def _require_above(self, pattern: Pattern, position: int, user: str, anchor: str) -> None:
        """Pass over a user that does not have `anchor` where its pattern has it."""
        other = f"{user}.operands[{position}] is not {anchor}"
        if not self.branch.arity_known(pattern):
            other = f"len({user}.operands) <= {position} or {other}"
        head = head_of(pattern)
        if head is not None:
            other = f"{user}.head is not {self.code.constant(head)} or {other}"
        self.code.line(f"if {other}: continue")

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
        found = self._equations(output)
        site = self.code.constant(Site(profile_of(output, self._shape, found)))
        users = self.code.fresh("u")
        self.code.line(f"{users} = {anchor}.users")
        with block(self.code, self.branch.reads, self.branch.terms):
            self.code.open(f"if len({users}) > {FEW}:")
            required, left = write_left(self.branch, found)
            given = f"graph, {anchor}, {required}, {left}, {self._clashes(output)}"
            # Groups of candidates may still have some that are gone.
            present = f"{anchor}.users.__contains__"
            self.code.line(f"{users} = filter({present}, {site}.agreeing({given}))")
        return users

    def _equations(self, output: Pattern) -> list[Equation]:
        known = self.branch.names.keys()
        return equations(compared(output, known), self.conditions, known)

    def _everywhere(self, output: Pattern) -> str:
        """Write which nodes agree with what is bound where an output shares nothing with it."""
        names = self.branch.names
        outputs = [names[other] for other in self._outputs if other in names]
        if not outputs:
            raise NotCompiledError("nothing that binds the fields")
        found = self._equations(output)
        site = self.code.constant(Everywhere(profile_of(output, self._shape, found)))
        nodes = self.code.fresh("u")
        with block(self.code, self.branch.reads, self.branch.terms):
            required, left = write_left(self.branch, found)
            given = f"graph, {listed(outputs)}, {required}, {left}, {self._found}"
            self.code.line(f"{nodes} = {site}.near({given})")
        return nodes

    def _clashes(self, output: Pattern) -> str:
        """Return the source of what nodes the open operands of an output must not be."""
        names = self.branch.names
        return listed(
            f"({position}, {name})"
            for position, operand in enumerate(output.operands)
            if operand not in names
            for name in map(names.__getitem__, self._shape.rivals(operand, self.branch.bound))
        )


def _is_of_type(term: Term, pattern: Pattern, own: Collection[Pattern]) -> bool:
    """Tell whether a term speaks of the type of `pattern` and of nothing else that is `own`."""
    accesses = [part for part in subterms(term) if isinstance(part, Access) and part.pattern in own]
    return bool(accesses) and all(a.pattern is pattern and a.name in OF_TYPES for a in accesses)
