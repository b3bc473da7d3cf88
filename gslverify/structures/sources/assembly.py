"""Builds the symbolic instances of a source, asking for every structural decision.

A decision is refused as early as possible: conditions are evaluated when the last of what they
read is bound, and every refusal says on which decisions it depends.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from gsl.attr.evaluate import evaluate
from gsl.attr.term import Term
from gsl.errors import EvaluationError, OperatorError, UndecidedError
from gsl.expr import Expr
from gsl.graph import Node
from gsl.match.bindings import Frame, Key, Scope, frame_of, instance_of
from gsl.pat import Alt, GetInst, Pattern, Variadic
from gsl.span import Origin
from gsl.subst import Subst
from gsl.text.naming import pattern_names
from gsl.types import TupleType
from gslverify.structures.choices import ALL_POSITIONS, Positions, Replay, Steps
from gslverify.structures.instance import (
    USUAL,
    Claim,
    CoveredError,
    Extent,
    InfeasibleError,
    Instance,
)
from gslverify.structures.sources.broadcasts import broadcasts_of
from gslverify.structures.sources.conditions import (
    Condition,
    Place,
    Waiting,
    conditions_of,
    looked_for,
)
from gslverify.structures.sources.constants import DTYPE, KIND
from gslverify.structures.sources.dtype_domains import DtypeDomains
from gslverify.structures.sources.early_refusal import Joins, refuse_anyway
from gslverify.structures.sources.source_builder import SourceExpressions
from gslverify.structures.sources.trail import Trail


def build_instance(
    subst: Subst, choose: Replay, extent: Extent = USUAL, steps: Steps | None = None
) -> Instance:
    """Build the source of `subst` with structural choices made by `choose` within `extent`.

    What earlier builds within this extent have left in `steps` is not made again. Raises
    InfeasibleError when the choices contradict the rule, UndecidedError when a structural choice
    would depend on an unknown size.
    """
    return SourceBuilder(subst, extent, Steps() if steps is None else steps).build(choose)


class SourceBuilder(SourceExpressions):
    """Turns source patterns into nodes, operands first, asking a chooser where they are open.

    Each build takes up the one before it where their choices part, and changes its instance. It
    refuses structures in which not all that is `wanted` can be true.
    """

    def __init__(
        self, subst: Subst, extent: Extent, steps: Steps, wanted: Sequence[Term] = ()
    ) -> None:
        super().__init__(subst, extent)
        self.steps = steps
        self.pattern_names = pattern_names(subst)
        self.trail = Trail(self.instance, self.record)
        self.current: Origin | None = subst.origin
        conditions = [*conditions_of(subst, self.pattern_names), *looked_for(wanted)]
        self.waiting = Waiting(conditions, self.bindings, self._hold, self.trail.on_undo)
        self.dtypes = DtypeDomains(self.trail.on_undo)
        self.broadcasts = broadcasts_of(subst)
        self.joins = Joins(subst)

    def build(self, choose: Replay) -> Instance:
        """Return the instance that `choose` leads to, until the next build; raises as above."""
        self.current = self.trail.rewind(self.choose, choose) or self.subst.origin
        self.choose = choose
        try:
            self.waiting.start()
            self.trail.settle()
            self._build_all()
            self._hold_the_rest()
        except (InfeasibleError, EvaluationError, OperatorError) as error:
            raise self._refusal(error) from error
        self.instance.exhaustive = self.record.exhaustive
        return self.instance

    def _refusal(self, error: Exception) -> InfeasibleError:
        # A new one: what is known of a pattern may fail in several structures.
        known = isinstance(error, InfeasibleError)
        origin = error.origin if isinstance(error, InfeasibleError) else self.current
        positions = error.positions if isinstance(error, InfeasibleError) and known else -1
        kind = CoveredError if isinstance(error, CoveredError) else InfeasibleError
        refusal = kind(str(error), origin, positions)
        refusal.progress = len(self.bindings.nodes)
        if isinstance(error, InfeasibleError):
            refusal.progress = error.progress or refusal.progress
        return refusal

    def _bind(
        self,
        table: dict[Key, Any],
        key: Key,
        value: Any,
        positions: Positions,
        made: Sequence[Claim] = (),
    ) -> None:
        """Bind a key in a table, which depends on some decisions; claims were `made` with it."""
        self.trail.bind(table, key, value, len(self.choose.made), self.current)
        self.trail.causes[id(table), key] = positions
        try:
            if table is self.bindings.nodes:
                for claim in made:
                    self._refuse_dtypes(claim, positions)
                self._refuse_shorter(key)
                self._refuse_fields(key)
            self.waiting.wake(table, key)
        except InfeasibleError as error:
            refusal = self._refusal(error)
            self.trail.take_back()
            raise refusal from error
        self.trail.settle()

    def _refuse_dtypes(self, claim: Claim, positions: Positions) -> None:
        """Refuse kinds and dtypes of constants that leave no dtype.

        What else leaves none is refused by the solver, which knows the fewest claims that clash.
        """
        clash = self.dtypes.clash(claim.term, positions)
        if clash is not None and clash & self.choose.positions_of(KIND, DTYPE):
            raise InfeasibleError(claim.reason, claim.origin, clash)

    def _refuse_shorter(self, key: Key) -> None:
        """Refuse an input of fewer axes than what it is broadcast to: more axes cover it."""
        covering = self.broadcasts.covering(key, self.bindings.nodes, max(self.extent.ranks))
        if covering is not None:
            nodes = id(self.bindings.nodes)
            positions = self._together((nodes, other) for other in covering)
            reason = "a structure with further axes of size 1 covers it"
            raise CoveredError(reason, key[0].origin, positions)

    def _refuse_fields(self, key: Key) -> None:
        """Refuse the first fields of a tuple that an operator refuses whatever comes after them."""
        nodes = self.bindings.nodes
        for operator, fields in self.joins.fields_up_to(key):
            types = tuple(nodes[one].expr.type for one in fields if one in nodes)
            if len(types) == len(fields):
                try:
                    refuse_anyway(operator, (TupleType(types),), {})
                except OperatorError as error:
                    positions = self._path() | self._together((id(nodes), one) for one in fields)
                    raise InfeasibleError(str(error), key[0].origin, positions) from error

    def _together(self, places: Iterable[Place]) -> Positions:
        positions = 0
        for place in places:
            positions |= self.trail.causes.get(place, ALL_POSITIONS)
        return positions

    def _build_all(self) -> None:
        """Build every output of the source."""
        variadic = self.subst.variadic
        if variadic is None:
            for pattern in self.subst.source:
                self._build(pattern, None)
            return
        key = instance_of(variadic, None)
        for index in range(self._length(variadic, key)):
            self._build(variadic.field, Frame(variadic, index))

    def _length(self, variadic: Variadic, key: Key) -> int:
        if key not in self.bindings.lengths:
            longest = max(self.extent.most_fields, variadic.minimum)
            lengths = self.extent.fields or range(variadic.minimum, longest + 1)
            options = lengths[::-1] if self.extent.longest_first else lengths
            chosen = self.decide(key, "number of fields", options)
            self._bind(self.bindings.lengths, key, chosen, self._last_position())
        return self.bindings.lengths[key]

    def _arm(self, key: Key) -> int:
        if key not in self.bindings.arms:
            chosen = self.decide(key, "arm", range(len(key[0].operands)))
            self._bind(self.bindings.arms, key, chosen, self._last_position())
        return self.bindings.arms[key]

    def _last_position(self) -> Positions:
        return self._path() | 1 << len(self.choose.made) - 1

    def _path(self) -> Positions:
        """Return the decisions on which it depends which patterns are built at all."""
        bound = self.bindings
        tables: tuple[dict[Key, Any], ...] = (bound.lengths, bound.arms)
        return self._together((id(table), key) for table in tables for key in table)

    def _hold(self, value: Any, condition: Condition, read: Iterable[Place]) -> None:
        """Claim what a condition of the rule is worth, and refuse what is not looked for."""
        if isinstance(value, Term):
            if not condition.of_the_rule:
                return
            claim = Claim(value, condition.reason, condition.origin, written=True)
            self.instance.claims.append(claim)
            self._refuse_dtypes(claim, self._together(read))
        elif value is not True:
            raise InfeasibleError(condition.reason, condition.origin, self._together(read))

    def _hold_the_rest(self) -> None:
        """Claim the conditions about what this structure does not have, and say what is open."""
        for condition in self.waiting.left():
            scope = Scope(self.bindings, None, condition.symbols)
            self._hold(evaluate(condition.term, scope), condition, ())
        for reason, _ in self.waiting.undecided[:1]:
            raise UndecidedError(reason)

    def _build(self, pattern: Pattern, frame: Frame | None) -> None:
        stack = [(pattern, frame)]
        while stack:
            key = self._locate(*stack[-1])
            if key in self.bindings.nodes:
                stack.pop()
                continue
            parts = self._parts(key)
            missing = [part for part in parts if self._locate(*part) not in self.bindings.nodes]
            if missing:
                stack.extend(reversed(missing))
                continue
            self._finish(key, [self._locate(*part) for part in parts])
            stack.pop()

    def _locate(self, pattern: Pattern, frame: Frame | None) -> Key:
        if isinstance(pattern, GetInst):
            return self.bindings.locate(pattern, Scope(self.bindings, frame))
        return instance_of(pattern, frame)

    def _parts(self, key: Key) -> list[tuple[Pattern, Frame | None]]:
        pattern, frame = key[0], frame_of(key[1])
        match pattern:
            case Variadic():
                fields = range(self._length(pattern, key))
                return [(pattern.field, Frame(pattern, index, frame)) for index in fields]
            case Alt(operands=alternatives):
                return [(alternatives[self._arm(key)], frame)]
            case _:
                return [(operand, frame) for operand in pattern.operands]

    def _finish(self, key: Key, parts: list[Key]) -> None:
        nodes = self.bindings.nodes
        operands = [nodes[part] for part in parts]
        positions = self._path() | self._together((id(nodes), part) for part in parts)
        if isinstance(key[0], Alt):
            self._bind(nodes, key, operands[0], positions)
            return
        self.instance.names[key] = self._name(key)
        self.current = key[0].origin
        below = [node.expr for node in operands]
        read = self._read(key)
        cause = self._cause(key, below, read)
        start, claims = len(self.choose.made), len(self.record.claims)
        try:
            expr = self.steps.expr(cause, self.choose, lambda: self._expr(key, below), self.record)
        except (InfeasibleError, EvaluationError, OperatorError) as error:
            refusal = self._refusal(error)
            refusal.positions = positions | self._positions_of(read, start)
            raise refusal from error
        positions |= self._positions_of(read, start)
        made = self.record.claims[claims:]
        self._bind(nodes, key, self.graph.add(expr, tuple(operands)), positions, made)

    def _positions_of(self, read: list[Key] | None, start: int) -> Positions:
        """Return the decisions since a start, and those behind some keys; None is any keys."""
        if read is None:
            return ALL_POSITIONS
        own = (1 << len(self.choose.made)) - (1 << start)
        nodes = id(self.bindings.nodes)
        return own | self._together((nodes, key) for key in read)

    def _read(self, key: Key) -> list[Key] | None:
        """Return of which patterns the attributes depend on, None where it may be any."""
        read = self.steps.read_by(key[0])
        frame = frame_of(key[1])
        return None if read is None else [instance_of(other, frame) for other in read]

    def _cause(self, key: Key, operands: list[Expr], read: list[Key] | None) -> Hashable:
        """Return all that an expression depends on but for choices that are still to be made."""
        if read is None:
            return key, tuple(self.choose.made)
        nodes: dict[Key, Node] = self.bindings.nodes
        found = [nodes.get(other) for other in read]
        return key, *operands, *[node and node.expr for node in found]

    def _name(self, key: Key) -> str:
        return self.pattern_names[key[0]] + "".join(f"[{index}]" for _, index in key[1])
