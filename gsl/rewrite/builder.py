"""Build the target of a match and put it in the place of the source (thesis, figure "PE-*").

The match is fixed by then, so attribute expressions are evaluated once (see `gsl.rewrite.memory`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gsl.attr.cases import Cases, decided
from gsl.attr.evaluate import equal, evaluate_in_cases, is_symbolic
from gsl.attr.term import ANYTHING, Term, as_term
from gsl.attr.values import LENGTH_UNKNOWN
from gsl.attr.writer import MISSING, UNDECIDED
from gsl.errors import EvaluationError, GslError, RewriteError, UndecidedError
from gsl.expr import Call as CallExpr
from gsl.expr import Const as ConstExpr
from gsl.expr import Expr
from gsl.expr import Proj as ProjExpr
from gsl.expr import Tuple as TupleExpr
from gsl.graph import Graph, Node
from gsl.match.bindings import Bindings, Frame, Key, Scope, frame_of, instance_of
from gsl.match.find import Found, Matcher, matcher_of
from gsl.operators import Operator
from gsl.operators.declaration import Need
from gsl.operators.domain import Choice
from gsl.operators.ranges import representable
from gsl.pat import Call, Cond, Const, GetItem, Pattern, SameOperator, Tuple, Variadic
from gsl.rewrite.made import constant, maker_of, require_type
from gsl.rewrite.memory import MatchMemory
from gsl.rewrite.replay import target_of
from gsl.subst import Subst
from gsl.text.terms import term_text
from gsl.types import TupleType

Built = tuple[Pattern, Frame | None]


Decide = Callable[[Any], bool]
"""Decides the condition of a `pat.Cond`; it is a term when the match is symbolic."""


def known(condition: Any) -> bool:
    """Return a condition that is decided; raise UndecidedError for a term."""
    if isinstance(condition, Term):
        raise UndecidedError("a conditional target depends on an unknown value")
    if not isinstance(condition, bool):
        raise EvaluationError(f"a condition is true or false, not {condition!r}")
    return condition


class Builder:
    """Builds the target patterns of one match as nodes of a work graph.

    `need` collects preconditions of target operators that a symbolic match leaves open, `decide`
    settles conditional targets, of which `arms` has the chosen ones, and `current` is the pattern
    that is being built.
    """

    def __init__(
        self,
        bindings: Bindings,
        graph: Graph,
        need: Need | None = None,
        decide: Decide = known,
    ) -> None:
        self.bindings = Bindings(dict(bindings.nodes), dict(bindings.lengths), bindings.arms)
        self.matched = bindings
        self.graph = graph
        self.need = Need() if need is None else need
        self.added: dict[Node, None] = {}
        self.decide = decide
        self.current: Pattern | None = None
        self.arms: dict[Key, Pattern] = {}
        self.memory = MatchMemory()

    def build(self, pattern: Pattern, frame: Frame | None) -> Node:
        """Return the node that `pattern` stands for in `frame`, building what is missing."""
        stack: list[Built] = [(pattern, frame)]
        while stack:
            key = self._key(*stack[-1])
            if key in self.bindings.nodes:
                stack.pop()
                continue
            inside = frame_of(key[1])
            missing = [part for part in self._needed(key[0], inside) if not self._is_built(part)]
            if missing:
                stack.extend(reversed(missing))
                continue
            self.bindings.nodes[key] = self._make(key[0], inside)
            stack.pop()
        return self.bindings.nodes[self._key(pattern, frame)]

    def _key(self, pattern: Pattern, frame: Frame | None) -> Key:
        return self.bindings.locate(pattern, Scope(self.bindings, frame))

    def _is_built(self, part: Built) -> bool:
        try:
            return self._key(*part) in self.bindings.nodes
        except EvaluationError:
            # An instance cannot be located before the tuple beside it is built.
            return False

    def _needed(self, pattern: Pattern, frame: Frame | None) -> list[Built]:
        parts = self._parts(pattern, frame)
        if isinstance(pattern, Const) and pattern.like is not None:
            parts.append((pattern.like, frame))
        return parts

    def _parts(self, pattern: Pattern, frame: Frame | None) -> list[Built]:
        match pattern:
            case Variadic(field=field):
                count = self._length(pattern, frame)
                return [(field, Frame(pattern, index, frame)) for index in range(count)]
            case Cond():
                return [(self.arm(pattern, frame), frame)]
            case _:
                return [(operand, frame) for operand in pattern.operands]

    def arm(self, pattern: Cond, frame: Frame | None) -> Pattern:
        """Return the arm of a conditional target that is built, which is decided on once."""
        key = instance_of(pattern, frame)
        if key not in self.arms:
            then, otherwise = pattern.operands
            condition = self.value(pattern.condition, frame)
            self.arms[key] = then if self.decide(condition) else otherwise
        return self.arms[key]

    def _length(self, variadic: Variadic, frame: Frame | None) -> int:
        count = decided(self.value(variadic.size, frame), self._pick, LENGTH_UNKNOWN)
        if not isinstance(count, int) or count < 1:
            raise RewriteError(f"a tuple cannot have {count!r} fields")
        self.bindings.lengths[instance_of(variadic, frame)] = count
        return count

    def _make(self, pattern: Pattern, frame: Frame | None) -> Node:
        nodes = tuple(self.bindings.nodes[self._key(*part)] for part in self._parts(pattern, frame))
        if isinstance(pattern, Cond):
            return nodes[0]
        self.current = pattern
        expr = self._expr(pattern, frame, [node.expr for node in nodes])
        node = self.graph.add(expr, nodes)
        self.added[node] = None
        return node

    def _expr(self, pattern: Pattern, frame: Frame | None, operands: list[Expr]) -> Expr:
        match pattern:
            case Call():
                operator = self._operator(pattern, frame)
                attributes = self._attributes(pattern, operator, frame)
                attributes |= self._defaults(operator, attributes, operands)
                return self._call(instance_of(pattern, frame), operator, operands, attributes)
            case Tuple() | Variadic():
                return TupleExpr(operands)
            case GetItem(constraints=constraints):
                index = self.value(constraints["index"], frame)
                return ProjExpr(operands[0], self._field(operands[0], index))
            case Const():
                return self._constant(pattern, frame)
            case _:
                raise RewriteError(f"{pattern!r} has not matched anything, so it cannot be built")

    def _call(
        self, key: Key, operator: Operator, operands: Sequence[Expr], attributes: dict[str, Any]
    ) -> Expr:
        """Make the call that a pattern stands for."""
        return CallExpr(operator, operands, attributes, self.need)

    def _field(self, whole: Expr, index: Any) -> int:
        """Return which field an index means; where sizes decide, by asking for one at a time."""
        if not isinstance(index, Term) or not isinstance(whole.type, TupleType):
            return index  # type: ignore[no-any-return]
        for number in range(len(whole.type.fields)):
            if self.decide(equal(index, number)):
                return number
        raise RewriteError(f"a tuple of {len(whole.type.fields)} fields has no such field")

    def _constant(self, pattern: Const, frame: Frame | None) -> Expr:
        value = self.value(pattern.constraints["value"], frame)
        name = self._dtype(pattern, frame)
        if is_symbolic((value, name)):
            self.need(representable(value, name), _constant_text(value))
            return ConstExpr(value, name)
        return constant(value, name)

    def _dtype(self, pattern: Const, frame: Frame | None) -> Any:
        if "dtype" in pattern.constraints:
            return self.value(pattern.constraints["dtype"], frame)
        if pattern.like is None:
            return "float32"
        return self.bindings.attribute(pattern.like, "dtype", Scope(self.bindings, frame))

    def _operator(self, pattern: Call, frame: Frame | None) -> Operator:
        match pattern.callee:
            case Operator() as known:
                return known
            case SameOperator(call=other):
                return self.bindings.operator(other, Scope(self.bindings, frame))
            case _:
                raise RewriteError(f"{pattern!r} does not say which operator to build")

    def _attributes(self, pattern: Call, operator: Operator, frame: Frame | None) -> dict[str, Any]:
        given: dict[str, Any] = {}
        if pattern.attributes_of is not None:
            key = self._key(pattern.attributes_of, frame)
            copied = self.bindings.nodes[key].expr
            assert isinstance(copied, CallExpr)
            given.update(copied.attributes)
        for name, term in pattern.constraints.items():
            if term is not ANYTHING:
                given[name] = self._chosen(operator, name, self.value(term, frame))
        return given

    def _defaults(
        self, operator: Operator, given: dict[str, Any], operands: list[Expr]
    ) -> dict[str, Any]:
        """Return the modes that are not given and that sizes of operands decide about."""
        missing = [name for name in operator.attributes if name not in given]
        if not any(isinstance(operator.attribute(name).domain, Choice) for name in missing):
            return {}
        whole = operator.normalise(given, tuple(operand.type for operand in operands))
        unknown = [name for name in missing if isinstance(whole[name], Term)]
        return {name: self._chosen(operator, name, whole[name]) for name in unknown}

    def _chosen(self, operator: Operator, name: str, value: Any) -> Any:
        """Return flags, modes, layouts and axes as what they are; sizes may decide about a term."""
        domain = operator.attribute(name).domain
        if domain.names_axes and is_symbolic(value):
            return decided(value, self._pick, "axes depend on an unknown size")
        if not isinstance(value, Term) or not isinstance(domain, Choice):
            return value
        for option in domain.options:
            if self.decide(equal(value, option)):
                return option
        raise RewriteError(f"`{name}` of {operator} would be none of {domain.options}")

    def value(self, term: Term, frame: Frame | None) -> Any:
        """Return the value of an attribute expression, computed only once where that is enough."""
        scope = Scope(self.bindings, frame)
        return evaluate_in_cases(term, scope, self.memory.at(frame), self._pick)

    def _pick(self, cases: Cases) -> Any:
        """Return one of some cases, which are asked for one at a time; the last is left."""
        *others, last = cases
        return next((one for one in others if self.decide(cases[one])), last)


def _constant_text(value: Any) -> str:
    return f"the constant {term_text(as_term(value), {})} must be a value of its dtype"


def rewrite(subst: Subst, found: Bindings | Found, graph: Graph) -> list[Node]:
    """Replace a match, as `match_at` or a matcher gave it, by the target; return the new nodes.

    Raises RewriteError, with the graph unchanged, when the target cannot be built or when an
    output would change its type.
    """
    target = subst.derived(target_of)
    if target is not None:
        maker = maker_of(graph)
        try:
            raw = _matcher(subst).found(found) if isinstance(found, Bindings) else found
            pairs = target.make(raw, maker)
        except (GslError, *MISSING, *UNDECIDED):
            pass  # the builder will do better or say why not
        else:
            return graph.splice(pairs, maker.made, maker.incomplete, target.apart)
    if not isinstance(found, Bindings):
        found = _matcher(subst).bindings(found)
    return build_and_replace(subst, found, graph)


def _matcher(subst: Subst) -> Matcher:
    matcher = subst.derived(matcher_of)
    assert matcher is not None
    return matcher


def build_and_replace(subst: Subst, bindings: Bindings, graph: Graph) -> list[Node]:
    """Rewrite as `rewrite` does, with the builder: it can do everything and knows what is wrong."""
    builder = Builder(bindings, graph)
    try:
        pairs = [
            (bindings.nodes[source], builder.build(*target))
            for source, target in output_pairs(subst, bindings)
        ]
        for old, new in pairs:
            require_type(old.expr.type, new.expr.type)
    except GslError as error:
        graph.drop_unused(reversed(builder.added))
        raise RewriteError(f"the target cannot be built: {error}") from error
    graph.replace(pairs, builder.added)
    graph.drop_unused([n for n in reversed(builder.added) if not n.users and not n.output_count])
    return [node for node in builder.added if node in graph]


def output_pairs(subst: Subst, bindings: Bindings) -> list[tuple[Key, Built]]:
    """Return for every output of a match the key of its source and the target to build for it."""
    variadic = subst.variadic
    if variadic is None:
        sources = [bindings.locate(pattern, Scope(bindings)) for pattern in subst.source]
        return list(zip(sources, ((t, None) for t in subst.target), strict=True))
    target = subst.target[0]
    assert isinstance(target, Variadic)
    count = bindings.lengths[(variadic, ())]
    return [
        (
            instance_of(variadic.field, Frame(variadic, index)),
            (target.field, Frame(target, index)),
        )
        for index in range(count)
    ]
