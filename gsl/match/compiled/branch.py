"""Source that matches patterns downwards: what `match/search/single.py` does, for one rule.

Every pattern becomes a local variable that holds its node. What is not written here (alternatives,
tuples of any length, instances) is left to the search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property

from gsl.attr.code import Code, NotCompiledError
from gsl.attr.term import (
    ANYTHING,
    Access,
    Constant,
    Operation,
    Term,
    TupleOf,
    VariadicTuple,
    children,
)
from gsl.attr.writer import Kind, TermWriter, Written
from gsl.expr import Const as ConstExpr
from gsl.expr import Proj as ProjExpr
from gsl.expr import Tuple as TupleExpr
from gsl.expr import Var as VarExpr
from gsl.match.reads import (
    EXACT,
    Reads,
    equal_stored,
    has_value,
    kind_of_domain,
    share_attributes,
)
from gsl.operators import Operator
from gsl.operators.declaration import OpaqueOperator
from gsl.pat import (
    INPUTS,
    Call,
    Const,
    GetItem,
    Pattern,
    SameOperator,
    Trait,
    Tuple,
    Variable,
    Wildcard,
)

Same = Callable[[Written, Written], str]
"""Gives the source of a comparison of a value that is asked for with one that is found."""

CERTAIN = frozenset(("==", "!=", "<", "<=", ">", ">=", "and", "or", "not", "cond"))
"""Operations that give a value for all operands of the right kind."""

MOST_COMPARISONS = 20_000
"""In a source with more pairs of patterns that could stand for one node, nothing is compiled."""

_HEADS: Mapping[type[Pattern], type] = {
    Variable: VarExpr,
    Const: ConstExpr,
    Tuple: TupleExpr,
    GetItem: ProjExpr,
}


class Shape:
    """What is known of a source before it is matched: who uses, and what lies below, whom.

    Patterns in `aliased` may stand for one node. A source is `whole` when every match has nodes
    for all `patterns`.
    """

    def __init__(
        self,
        patterns: Iterable[Pattern],
        outputs: Iterable[Pattern],
        aliased: frozenset[Pattern] = frozenset(),
        whole: bool = False,
    ) -> None:
        self.aliased = aliased
        self.whole = whole
        self.patterns = tuple(patterns)
        self.outputs = frozenset(outputs)

    @cached_property
    def users(self) -> dict[Pattern, list[Pattern]]:
        """The patterns that use each pattern."""
        found: dict[Pattern, list[Pattern]] = {pattern: [] for pattern in self.patterns}
        for pattern in self.patterns:
            for operand in dict.fromkeys(pattern.operands):
                found[operand].append(pattern)
        return found

    @cached_property
    def bits(self) -> dict[Pattern, int]:
        """A bit for every pattern; sets of patterns are numbers, since deep sources have many."""
        return {pattern: 1 << place for place, pattern in enumerate(self.patterns)}

    @cached_property
    def _connected(self) -> dict[Pattern, int]:
        """The bits of each pattern and of all below and above it."""
        below, above = dict(self.bits), dict(self.bits)
        for pattern in self.patterns:
            for operand in pattern.operands:
                below[pattern] |= below[operand]
        for pattern in reversed(self.patterns):
            for operand in pattern.operands:
                above[operand] |= above[pattern]
        return {pattern: below[pattern] | above[pattern] for pattern in self.patterns}

    @cached_property
    def _aliased_bits(self) -> int:
        return sum(self.bits[pattern] for pattern in self.aliased & self.bits.keys())

    def rivals(self, pattern: Pattern, others: int) -> Iterator[Pattern]:
        """Yield those of `others` that could stand for the node of `pattern` but must not."""
        others &= ~self._connected[pattern]
        if pattern in self.aliased:
            others &= ~self._aliased_bits
        while others:
            place = others.bit_length() - 1
            others ^= 1 << place
            if may_coincide(pattern, self.patterns[place]):
                yield self.patterns[place]

    def is_interior(self, pattern: Pattern) -> bool:
        """Tell whether nothing outside of a match may use what `pattern` stands for."""
        return not isinstance(pattern, INPUTS) and pattern not in self.outputs


def may_coincide(one: Pattern, other: Pattern) -> bool:
    """Tell whether one node may fit both of two patterns."""
    first, second = head_of(one), head_of(other)
    if isinstance(first, type) and isinstance(other, Call):
        return False
    if isinstance(second, type) and isinstance(one, Call):
        return False
    return first is None or second is None or first is second


def head_of(pattern: Pattern) -> Operator | type | None:
    """Return the only head that nodes of `pattern` may have, or None if there are several."""
    if isinstance(pattern, Call):
        return pattern.callee if isinstance(pattern.callee, Operator) else None
    return _HEADS.get(type(pattern))


class BranchWriter:
    """Writes the match of patterns below given nodes into one function.

    `failing` is the statement for a mismatch; it changes when a loop is entered. `names` has the
    variables of the patterns matched so far, `bound` their bits. `least_users` says of some
    patterns how many users their nodes have in every match.
    """

    def __init__(self, code: Code, shape: Shape, terms: Iterable[Term]) -> None:
        self.code = code
        self.shape = shape
        self.failing = "return None"
        self.names: dict[Pattern, str] = {}
        self.reads = Reads(code)
        self.terms = TermWriter(code, self._attribute, terms)
        self.bound = 0
        self.least_users: Mapping[Pattern, int] = {}
        self._visible: frozenset[Pattern] = frozenset()
        self._comparisons = 0

    def _name(self, pattern: Pattern, name: str) -> None:
        self.names[pattern] = name
        self.bound |= self.shape.bits[pattern]

    def bind(self, pattern: Pattern, name: str) -> None:
        """Let `name` be the node of `pattern` without a test."""
        self._name(pattern, name)
        self._visible = frozenset(self.names)

    def fail_if(self, condition: str) -> None:
        """Write that `condition` is a mismatch."""
        self.code.line(f"if {condition}: {self.failing}")

    def outline(self, root: Pattern, node: str) -> None:
        """Write what can be told of `node` and its operands without looking further."""
        self._outlined(root, node)
        for position, operand in enumerate(root.operands):
            if operand not in self.names:
                name = self.code.fresh("n")
                self.code.line(f"{name} = {node}.operands[{position}]")
                self._outlined(operand, name)
        self._visible = frozenset(self.names)

    def _outlined(self, pattern: Pattern, name: str) -> None:
        refusals = self._refusals(pattern, name)
        if refusals:
            self.fail_if(" or ".join(refusals))
        self._name(pattern, name)

    def match(self, root: Pattern, node: str) -> None:
        """Write the match of `root` and everything below it with `node`."""
        checks: list[tuple[Pattern, frozenset[Pattern]]] = []
        agenda = [(root, node, False)]
        while agenda:
            pattern, place, done = agenda.pop()
            if done and _has_demands(pattern):
                checks.append((pattern, frozenset(self.names)))
            elif done:
                continue
            elif pattern in self.names:
                self.fail_if(f"{place} is not {self.names[pattern]}")
            else:
                name = self._claim(pattern, place)
                below = [
                    (p, f"{name}.operands[{i}]", False) for i, p in enumerate(pattern.operands)
                ]
                agenda += [(pattern, name, True), *reversed(below)]
        for pattern, visible in checks:
            self._visible = visible
            self._constraints(pattern)
        self._visible = frozenset(self.names)

    def _claim(self, pattern: Pattern, place: str) -> str:
        name = place
        if not place.isidentifier():
            name = self.code.fresh("n")
            self.code.line(f"{name} = {place}")
        refusals = self._refusals(pattern, name)
        rivals = [self.names[rival] for rival in self.shape.rivals(pattern, self.bound)]
        self._comparisons += len(rivals)
        if self._comparisons > MOST_COMPARISONS:
            raise NotCompiledError("too many patterns that must stand for different nodes")
        refusals += [f"{name} is {rival}" for rival in rivals]
        count = len(self.shape.users[pattern])
        if self.shape.is_interior(pattern):
            refusals += [f"{name}.output_count", f"len({name}.users) != {count}"]
        elif self.shape.whole and count > 1:
            refusals.append(f"len({name}.users) < {count}")
        elif self.least_users.get(pattern, 1) > 1:
            refusals.append(f"len({name}.users) < {self.least_users[pattern]}")
        if refusals:
            self.fail_if(" or ".join(refusals))
        self._name(pattern, name)
        return name

    def _refusals(self, pattern: Pattern, name: str) -> list[str]:
        if isinstance(pattern, Call):
            return self._call_refusals(pattern, name)
        if isinstance(pattern, Wildcard):
            return []
        if type(pattern) not in _HEADS:
            raise NotCompiledError(f"{pattern!r} is not compiled")
        refusals = [f"{name}.head is not {self.code.constant(_HEADS[type(pattern)])}"]
        if isinstance(pattern, Tuple):
            refusals.append(f"len({name}.operands) != {len(pattern.operands)}")
        return refusals

    def _call_refusals(self, pattern: Call, name: str) -> list[str]:
        if isinstance(pattern.callee, Operator):
            refusals = [f"{name}.head is not {self.code.constant(pattern.callee)}"]
            return (
                refusals if self.arity_known(pattern) else [*refusals, self._arity(pattern, name)]
            )
        operator = self.code.constant(Operator)
        refusals = [f"not isinstance({name}.head, {operator})", self._arity(pattern, name)]
        if isinstance(pattern.callee, Trait):
            refusals.insert(1, f"{pattern.callee.name!r} not in {name}.head.traits")
        return refusals

    def arity_known(self, pattern: Pattern) -> bool:
        """Tell whether all nodes with the head of `pattern` have as many operands as it has."""
        callee = pattern.callee if isinstance(pattern, Call) else None
        if not isinstance(callee, Operator) or isinstance(callee, OpaqueOperator):
            return isinstance(pattern, GetItem)
        return len(callee.operands) == len(pattern.operands)

    def _arity(self, pattern: Call, name: str) -> str:
        return f"len({name}.operands) != {len(pattern.operands)}"

    def _constraints(self, pattern: Pattern) -> None:
        name = self.names[pattern]
        twin = attributes_like(pattern)
        if twin is not None:
            own, other = (self.reads.keep(n, "expr.attributes") for n in (name, self._node(twin)))
            self.fail_if(f"{own} is not {other} and {own} != {other}")
            return
        for attribute, term in pattern.constraints.items():
            if term is ANYTHING:
                continue
            is_value = attribute == "value" and isinstance(pattern, Const)
            if is_value and isinstance(term, Constant):
                wanted = self.code.constant(term.value)
                self.demand(self.terms.call(has_value, f"{name}.expr", wanted))
            else:
                same = self._same_stored(pattern) if is_value else self.terms.same
                self._fits(term, self.reads.attribute(pattern, name, attribute), same)
        if isinstance(pattern, Call) and isinstance(pattern.callee, SameOperator):
            self.fail_if(f"{name}.head is not {self._node(pattern.callee.call)}.head")
        if isinstance(pattern, Call) and pattern.attributes_of is not None:
            like = self._node(pattern.attributes_of)
            self.demand(self.terms.call(share_attributes, f"{name}.expr", f"{like}.expr"))

    def _same_stored(self, pattern: Pattern) -> Same:
        dtype = self.reads.attribute(pattern, self.names[pattern], "dtype")

        def same(asked: Written, value: Written) -> str:
            return self.terms.call(equal_stored, asked.text, value.text, dtype.text).text

        return same

    def _fits(self, term: Term, value: Written, same: Same) -> None:
        """Write the rules AM-* of the thesis for one attribute; see `satisfies`."""
        if term is ANYTHING:
            return
        if isinstance(term, VariadicTuple):
            raise NotCompiledError("a tuple of any length as constraint")
        if not isinstance(term, TupleOf):
            self.demand(Written(same(self.terms.write(term), value), Kind.FLAG))
            return
        whole = self.terms.keep(value)
        if whole.kind is not Kind.INTEGERS:
            self.fail_if(f"not isinstance({whole.text}, tuple)")
        self.fail_if(f"len({whole.text}) != {len(term.fields)}")
        kind = Kind.INTEGER if whole.kind is Kind.INTEGERS else Kind.ANY
        for position, field in enumerate(term.fields):
            self._fits(field, Written(f"{whole.text}[{position}]", kind), same)

    def hoist(self, term: Term) -> None:
        """Write those parts of a term now that are known now and always have a value."""
        stack = [term]
        while stack:
            part = stack.pop()
            if self._is_certain(part):
                self.terms.hoist(part)
            elif not isinstance(part, Access):
                stack.extend(children(part))

    def hoist_constraints(self, pattern: Pattern) -> None:
        """Write now what the attributes of a pattern are going to be compared with."""
        twin = attributes_like(pattern)
        if twin in self.names:
            self.reads.keep(self.names[twin], "expr.attributes")
        elif twin is None:
            for term in pattern.constraints.values():
                if term is not ANYTHING:
                    self.hoist(term)

    def _is_certain(self, term: Term) -> bool:
        if isinstance(term, Operation):
            return term.head in CERTAIN and all(map(self._is_certain, term.operands))
        if not isinstance(term, Access):
            return isinstance(term, Constant)
        pattern = term.pattern
        if pattern not in self.names:
            return False
        if isinstance(pattern, Call) and isinstance(pattern.callee, Operator):
            return term.name in pattern.callee.attributes
        return isinstance(pattern, Variable) and term.name in ("shape", "dtype", "ndim")

    def demand(self, condition: Written) -> None:
        """Write that anything but a true `condition` is a mismatch."""
        flag = condition.kind is Kind.FLAG
        self.fail_if(f"not {condition.text}" if flag else f"{condition.text} is not True")

    def _node(self, pattern: Pattern) -> str:
        if pattern not in self._visible:
            raise NotCompiledError(f"{pattern!r} is used before it is matched")
        return self.names[pattern]

    def _attribute(self, term: Access, writer: TermWriter) -> Written:
        return self.reads.attribute(term.pattern, self._node(term.pattern), term.name)


def _has_demands(pattern: Pattern) -> bool:
    is_same = isinstance(pattern, Call) and isinstance(pattern.callee, SameOperator)
    return (
        bool(pattern.constraints) or is_same or getattr(pattern, "attributes_of", None) is not None
    )


def attributes_like(pattern: Pattern) -> Call | None:
    """Return the call of the same operator with which a call must share all attributes, if any.

    Their values must be of kinds that compare by ==.
    """
    if not isinstance(pattern, Call) or not isinstance(pattern.callee, Operator):
        return None
    declared = pattern.callee.attributes
    terms = list(pattern.constraints.values())
    others = {term.pattern for term in terms if isinstance(term, Access)}
    like = others.pop() if len(others) == 1 else None
    if not isinstance(like, Call) or like.callee is not pattern.callee:
        return None
    same = all(isinstance(t, Access) and t.name == n for n, t in pattern.constraints.items())
    exact = all(kind_of_domain(one.domain) in EXACT for one in declared.values())
    return like if same and exact and pattern.constraints.keys() == declared.keys() else None


def listed(texts: Iterable[str]) -> str:
    """Return the source of a tuple of expressions."""
    return f"({''.join(f'{text}, ' for text in texts)})"
