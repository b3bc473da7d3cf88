"""Inputs that are only broadcast: of fewer axes than needed they say nothing that more do not say.

An operator that works element by element takes an operand of fewer axes as one with further axes of
size 1 in front. Where an input goes into such operators only, in source and target, and nothing
reads its shape or rank, a structure in which it has fewer axes than the results it goes into is an
instance of one in which it has as many. So only the latter is examined.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from gsl.attr.term import Access, Operation, Term, operation, subterms
from gsl.graph import Node
from gsl.match.bindings import Key
from gsl.operators import Operator
from gsl.pat import (
    INPUTS,
    Call,
    Const,
    GetItem,
    Pattern,
    SameOperator,
    Trait,
    Tuple,
    Variadic,
    Wildcard,
)
from gsl.subst import Subst
from gsl.types import TensorType

ABOUT_AXES = frozenset({"shape", "ndim"})
"""Attributes of a tensor that its rank decides about."""

NEUTRAL = frozenset({"dtype", "operator"})
"""What may be read of an input that is only broadcast: it does not change with further axes."""


@dataclass(frozen=True, slots=True)
class Broadcast:
    """Inputs that get further axes together; `results` has the operands of each result of theirs.

    A result has at least as many axes as each of the operands that are known.
    """

    inputs: tuple[Pattern, ...]
    results: tuple[tuple[Pattern, ...], ...]


class Broadcasts:
    """The inputs of a rule that are only broadcast, found by what they go into."""

    def __init__(self, found: Iterable[Broadcast]) -> None:
        self._by_pattern: dict[Pattern, list[Broadcast]] = defaultdict(list)
        for one in found:
            for pattern in dict.fromkeys((*one.inputs, *(p for r in one.results for p in r))):
                self._by_pattern[pattern].append(one)

    def covering(self, key: Key, nodes: Mapping[Key, Node], most: int) -> list[Key] | None:
        """Return the keys because of which some input may have more axes, up to `most`, if any.

        Only what has changed by the binding of `key` is looked at.
        """
        if key[1]:
            return None
        for one in self._by_pattern.get(key[0], ()):
            ranks = {p: rank for p in one.inputs if (rank := _rank(p, nodes)) is not None}
            if not ranks:
                continue
            rank = min(ranks.values())
            least = min(max(_ranks(result, nodes), default=0) for result in one.results)
            may_grow = rank > 0 or not any(isinstance(p, Const) for p in one.inputs)
            if may_grow and rank < min(least, most):
                every = (*one.inputs, *(p for result in one.results for p in result))
                keys = dict.fromkeys((pattern, ()) for pattern in every)
                return [bound for bound in keys if bound in nodes]
        return None


def _ranks(patterns: Iterable[Pattern], nodes: Mapping[Key, Node]) -> Iterator[int]:
    for pattern in patterns:
        rank = _rank(pattern, nodes)
        if rank is not None:
            yield rank


def _rank(pattern: Pattern, nodes: Mapping[Key, Node]) -> int | None:
    node = nodes.get((pattern, ()))
    declared = None if node is None else node.expr.type
    return declared.ndim if isinstance(declared, TensorType) else None


def broadcasts_of(subst: Subst) -> Broadcasts:
    """Return the inputs of a rule that are only broadcast."""
    return Broadcasts(_Uses(subst).found())


class _Uses:
    """Where the patterns of a rule go, and what is read of them."""

    def __init__(self, subst: Subst) -> None:
        self.source = frozenset(subst.source_patterns)
        every = dict.fromkeys((*subst.source_patterns, *subst.target_patterns))
        self.users: dict[Pattern, list[Pattern]] = defaultdict(list)
        for pattern in every:
            for operand in pattern.operands:
                self.users[operand].append(pattern)
        self.outputs = {*subst.source, *subst.target}
        self.linked: dict[Pattern, set[Pattern]] = defaultdict(set)
        self.read: set[Pattern] = set()
        self.looked_at: set[Pattern] = set()
        for term in subst.where:
            self._note(term)
        for pattern in every:
            for term in pattern.terms():
                self._note_read(term)
            if isinstance(pattern, Variadic):
                self.read.update(pattern.templates, pattern.first)
            if isinstance(pattern, INPUTS):
                for name, term in pattern.constraints.items():
                    self._note(operation("==", Access(pattern, name, pattern.origin), term))

    def _note(self, condition: Term) -> None:
        match condition:
            case Operation(head="and", operands=parts):
                for part in parts:
                    self._note(part)
            case Operation(head="==", operands=(Access() as left, Access() as right)) if (
                left.name == right.name and left.name in ("shape", "ndim")
            ):
                self.linked[left.pattern].add(right.pattern)
                self.linked[right.pattern].add(left.pattern)
            case _:
                self._note_read(condition)

    def _note_read(self, term: Term) -> None:
        for part in subterms(term):
            if isinstance(part, Access) and part.name not in NEUTRAL:
                self.read.add(part.pattern.original())
                if part.name in ABOUT_AXES:
                    self.looked_at.add(part.pattern.original())

    def found(self) -> Iterator[Broadcast]:
        """Yield the inputs that are only broadcast, those together whose ranks must be equal."""
        seen: set[Pattern] = set()
        for pattern in self.source:
            if pattern in seen or not isinstance(pattern, INPUTS):
                continue
            together = self._together(pattern)
            seen |= together
            if all(map(self._is_only_broadcast, together)):
                inputs = tuple(p for p in self.source if p in together)
                ends = dict.fromkeys(end for one in inputs for end in self._ends(one))
                yield Broadcast(inputs, tuple(tuple(self._operands(end)) for end in ends))

    def _together(self, pattern: Pattern) -> set[Pattern]:
        return {*_reached([pattern], lambda one: self.linked.get(one, ()))}

    def _is_only_broadcast(self, pattern: Pattern) -> bool:
        is_input = isinstance(pattern, INPUTS) and pattern in self.source
        return is_input and not self._is_end(pattern)

    def _is_end(self, pattern: Pattern) -> bool:
        """Tell whether the rank of a pattern matters elsewhere than in a broadcast."""
        return (
            pattern in self.outputs
            or pattern in self.read
            or (pattern in self.linked and not isinstance(pattern, INPUTS))
            or not all(map(is_broadcasting, self.users[pattern]))
        )

    def _ends(self, start: Pattern) -> Iterator[Pattern]:
        """Yield the results that an input goes into and whose rank matters."""
        found = _reached(self.users[start], lambda p: () if self._is_end(p) else self.users[p])
        return filter(self._is_end, found)

    def _operands(self, end: Pattern) -> Iterator[Pattern]:
        """Yield what is bound in the source and broadcast to a result."""
        for pattern in _reached([end], lambda p: p.operands if is_broadcasting(p) else ()):
            if pattern in self.source and not (is_broadcasting(pattern) and pattern is end):
                yield pattern


def _reached(
    start: Iterable[Pattern], following: Callable[[Pattern], Iterable[Pattern]]
) -> list[Pattern]:
    """Return patterns and all that follow them, what follows these, and so on."""
    found = dict.fromkeys(start)
    stack = [*found]
    while stack:
        new = [one for one in following(stack.pop()) if one not in found]
        found.update(dict.fromkeys(new))
        stack += new
    return [*found]


def passed_on(subst: Subst) -> frozenset[Pattern]:
    """Return the inputs that only lie in tuples and go out again, whatever they are."""
    uses = _Uses(subst)
    users: dict[Pattern, list[Pattern]] = defaultdict(list)
    for operand, found in uses.users.items():
        users[operand.original()] += found
    wildcards = [one for one in subst.source_patterns if isinstance(one, Wildcard)]

    def lies_in(pattern: Pattern) -> list[Pattern]:
        return [user.original() for user in users.get(pattern, ())]

    def is_passed_on(start: Pattern) -> bool:
        """Tell whether a pattern and all that it lies in is neither looked at nor computed with."""
        found = _reached([start], lies_in)
        above = (user for one in found for user in users.get(one, ()))
        is_read = any(one in uses.looked_at for one in found)
        return not is_read and all(isinstance(user, Tuple | Variadic | GetItem) for user in above)

    return frozenset(filter(is_passed_on, wildcards))


def is_broadcasting(pattern: Pattern) -> bool:
    """Tell whether a pattern is the call of an operator that works element by element."""
    if not isinstance(pattern, Call):
        return False
    callee = pattern.callee
    while isinstance(callee, SameOperator):
        callee = callee.call.callee
    if isinstance(callee, Trait):
        return all(map(_is_elementwise, callee.operators()))
    return isinstance(callee, Operator) and _is_elementwise(callee)


def _is_elementwise(operator: Operator) -> bool:
    return "elementwise" in operator.traits
