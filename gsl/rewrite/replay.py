"""Targets made again: what was inferred for one match holds for all that look alike.

The types and attributes of everything in a target follow from the types, attributes and operators
of what was matched. So these are looked up as a whole by identities, as `gsl.types.share` allows,
and what is left to do is to make nodes and to link them. Targets that look at anything else, such
as values of constants, are made by `rewrite/target.py` every time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from gsl.attr.code import NotCompiledError
from gsl.attr.term import Term
from gsl.expr import Call as CallExpr
from gsl.expr import Const as ConstExpr
from gsl.expr import Proj as ProjExpr
from gsl.expr import Tuple as TupleExpr
from gsl.graph import Node, link
from gsl.match.compiled.branch import listed
from gsl.match.compiled.variadic import Fan
from gsl.node import FEW_USERS, crowd, used, users_of
from gsl.pat import Call, Const, GetInst, Pattern, Variable, Variadic
from gsl.rewrite.facts import Facts
from gsl.rewrite.made import Maker
from gsl.rewrite.target import COUNT, Construct, Replacements, TargetWriter, construct_of, write
from gsl.subst import Subst

MOST_PLANS = 1 << 12
"""So many different matches of a rule are remembered at once."""

Plan = tuple[Any, ...]
"""What is not in the rule of what a target consists of, in the order in which it is made."""


@dataclass(frozen=True, slots=True)
class Target:
    """The compiled target of a rule; `make` links what it makes.

    `apart` says that neither what is made nor what is matched uses an output of the source.
    """

    make: Construct
    apart: bool


def target_of(subst: Subst) -> Target | None:
    """Compile the target of a rule, if its form and that of the source allow it."""
    construct = subst.derived(construct_of)
    if construct is None:
        return None
    plans = _Plans(construct)
    for writer in (_ReplayWriter(subst, plans), _TakingWriter(subst, plans)):
        try:
            return Target(write(subst, writer), _is_apart(subst))
        except NotCompiledError:
            continue
    return Target(plans.make, _is_apart(subst))


def _is_apart(subst: Subst) -> bool:
    variadic = subst.variadic
    outputs = set(subst.source)
    if variadic is not None:
        outputs = {variadic.field, variadic.first_of(variadic.field)}
    users = [p for p in subst.source_patterns if p is not variadic] + list(subst.target_patterns)
    used = {operand for pattern in users for operand in pattern.operands}
    instances = {p.template for p in used if isinstance(p, GetInst)}
    return outputs.isdisjoint(used | instances)


class _Plans:
    """The plans of one target; each is made the first time that a match of its kind comes."""

    def __init__(self, construct: Construct) -> None:
        self.known: dict[Any, Plan] = {}
        self._construct = construct

    def make(self, found: Any, make: Maker) -> Replacements:
        """Make and link a target without a plan."""
        pairs = self._construct(found, make)
        link(make.made)
        make.incomplete = make.made
        return pairs

    def learn(self, found: Any, make: Maker, key: Any) -> Replacements:
        """Make and link a target, and have its plan known under a key of identities."""
        pairs = self.make(found, make)
        if len(self.known) >= MOST_PLANS:
            self.known.clear()
        self.known[key] = (*_planned(make.made), [_identified(node) for node in _nodes(found)])
        return pairs


def _nodes(found: Any) -> Iterable[Node]:
    if isinstance(found, Fan):
        return [*found.head, *[node for field in found.fields for node in field]]
    nodes: tuple[Node, ...] = found
    return nodes


def _identified(node: Node) -> Any:
    """Return what keys have identities of, so that it lives as long as they."""
    return node.head, node.expr.type, getattr(node.expr, "attributes", None)


def _planned(made: Iterable[Node]) -> Iterator[Any]:
    for node in made:
        expr = node.expr
        if isinstance(expr, CallExpr):
            yield expr.attributes
        elif isinstance(expr, ConstExpr):
            yield expr.value
            yield expr.asked
        if not isinstance(expr, ProjExpr):
            yield expr.type


class _ReplayWriter(TargetWriter):
    """Writes how a target is made of a plan.

    `_made` are the nodes that it makes, `_unused` those of the present block that nothing uses yet,
    and `_gathered` has the lists of the users that nodes made before a loop get in it. `_straight`
    are the nodes made outside of loops since the last one, `_incomplete` those of all that get
    operands later.
    """

    def __init__(self, subst: Subst, plans: _Plans) -> None:
        super().__init__(subst)
        self._subst = subst
        self._plans = plans
        self._parts: list[str] = []
        self._place = 0
        self._loop = 0
        self._outside: frozenset[str] = frozenset()
        self._hoisted: dict[str, str] = {}
        self._made: set[str] = set()
        self._unused: set[str] = set()
        self._gathered: dict[str, str] = {}
        self._straight: list[str] = []
        self._incomplete: list[str] = []
        self._leaves: set[str] = set()
        self._has_loop = False

    def begin(self) -> None:
        """Write the look-up of the plan."""
        code = self.code
        code.line(f"key = {listed(self._key())}")
        code.line(f"plan = {code.constant(self._plans.known.get)}(key)")
        code.line(f"if plan is None: return {code.constant(self._plans.learn)}(found, make, key)")
        code.line(f"new = {code.constant(object.__new__)}")
        self._place = code.mark()

    def function(self) -> Construct:
        """Write how the plan is taken apart, which is known at the end, and compile."""
        self.code.insert(self._place, f"{listed([*self._parts, '_'])} = plan")
        return super().function()

    def part(self) -> str:
        """Return the source of the next part of the plan."""
        if self.code.depth > 1:
            raise NotCompiledError("as many parts as there are fields")
        self._parts.append(self.code.fresh("p"))
        return self._parts[-1]

    def demand_type(self, old: str, new: str) -> None:
        """Write nothing: the types of outputs belong to the key."""

    def called(self, pattern: Call) -> str:
        """Write how a call is made; return the name of its node."""
        names = [self.node(operand) for operand in pattern.operands]
        operator = self.operator(pattern)
        rest = f"e.operator = {operator}; e.attributes = {self.part()}; e.type = {self.part()}"
        return self.made(self.code.constant(CallExpr), operator, names, rest)

    def packed(self, fields: list[str]) -> str:
        """Write how a tuple is made; return the name of its node."""
        kind = self.code.constant(TupleExpr)
        return self.made(kind, kind, fields, f"e.type = {self.part()}")

    def unrolled(self, fields: str) -> str:
        """Write how the tuple of a list is made; return the name of its node."""
        if self.code.depth > 1:
            raise NotCompiledError("users that are not gathered")
        node = self.packed([])
        if fields in self._leaves:
            self.code.line(f"{node}.expr.operands = tuple([o.expr for o in {fields}])")
        else:
            self._note_incomplete(node)
        self.code.line(f"{node}.operands = tuple({fields})")
        self.code.line(f"{node}.level = {self.code.constant(used)}({fields}, {node}) + 1")
        return node

    def column(self, template: Pattern) -> str:
        """Write the list of what a template stands for; note whether it will have operands."""
        fields = super().column(template)
        first = template if self.source is None else self.source.first_of(template)
        if isinstance(template, Variable | Const) and isinstance(first, Variable | Const):
            self._leaves.add(fields)
        return fields

    def constant(self, value: Term, pattern: Const) -> str:
        """Write how a constant is made; return the name of its node."""
        kind = self.code.constant(ConstExpr)
        rest = f"e.value = {self.part()}; e.asked = {self.part()}; e.type = {self.part()}"
        return self.made(kind, kind, [], rest)

    def made(self, kind: str, head: str, operands: list[str], rest: str) -> str:
        """Write the constructors of an expression and its node, linked; return its name."""
        node = super().made(kind, head, operands, rest)
        if not self._made.issuperset(operands):
            self._note_incomplete(node)
        for number, operand in enumerate(dict.fromkeys(operands)):
            self._use(operand, node, first=number == 0)
        self._made.add(node)
        self._unused.add(node)
        if len(operands) == 1:
            level = self.before(operands[0], f"{operands[0]}.level + 1")
        else:
            level = _level(operands)
        self.code.line(f"{node}.level = {level}")
        return node

    def note(self, node: str) -> None:
        """Have a node be among those that are made."""
        if self.code.depth == 1:
            self._straight.append(node)
        else:
            self.code.line(f"made.append({node})")

    def _note_incomplete(self, node: str) -> None:
        if self.code.depth == 1:
            self._incomplete.append(node)
        else:
            self.code.line(f"incomplete.append({node})")

    def _list_straight(self) -> None:
        """Write the list of the nodes that are made so far."""
        sign = "+=" if self._has_loop else "="
        self.code.line(f"made {sign} [{', '.join(self._straight)}]")
        self._straight = []

    def end(self) -> None:
        """Write which nodes are made."""
        incomplete = ", ".join(self._incomplete)
        if self._has_loop:
            self._list_straight()
            self.code.line(f"make.made = made; make.incomplete = [*incomplete, {incomplete}]")
            self.code.insert(self._place, "incomplete = []")
        else:
            self.code.line(f"make.made = [{', '.join(self._straight)}]")
            self.code.line(f"make.incomplete = [{incomplete}]")

    def operands(self, nodes: list[str]) -> str:
        """Return the source of the operands of an expression, if all of them are made here.

        Others may become other expressions before the graph is asked for its own.
        """
        if not self._made.issuperset(nodes):
            return "()"
        below = listed(f"{node}.expr" for node in nodes)
        return self.before(nodes[0], below) if len(nodes) == 1 else below

    def _use(self, operand: str, node: str, first: bool) -> None:
        """Write that a node has a new user; what is not its `first` operand may be that node."""
        if operand in self._unused:
            self._unused.remove(operand)
            self.code.line(f"{operand}.users = ({node},)")
        elif self.code.depth > 1 and operand in self._made & self._outside:
            users = self._gathered[operand] = self.before(operand, f"[*{operand}.users]")
            self.code.line(f"{users}.append({node})")
        else:
            fits = f"len(u) < {FEW_USERS}" + ("" if first else f" and {node} not in u")
            more = f"u + ({node},) if {fits}"
            many = f"{self.code.constant(crowd)}(u, {node})"
            self.code.line(f"u = {operand}.users; {operand}.users = {more} else {many}")

    @contextmanager
    def loop(self, variadic: Variadic, count: str) -> Iterator[str]:
        """Open a loop; behind it, nodes made before it know the users that they got in it."""
        with super().loop(variadic, count) as index:
            unused, self._unused = self._unused, set()
            yield index
        self._unused = unused - self._gathered.keys()
        if self.code.depth == 1:
            for operand, users in self._gathered.items():
                self.code.line(f"{operand}.users = {self.code.constant(users_of)}({users})")
                del self._hoisted[f"[*{operand}.users]"]
            self._gathered = {}

    def opening(self, count: str) -> None:
        """Remember the place before a loop and which nodes there are by then."""
        if count != COUNT:
            raise NotCompiledError("a number of fields that is computed")
        if self.code.depth == 1:
            self._list_straight()
            self._has_loop = True
            self._loop = self.code.mark()
            self._outside = frozenset(self.names.values())

    def before(self, node: str, text: str) -> str:
        """Return the source of what depends on one node only, before a loop if it can be."""
        if self.code.depth == 1 or node not in self._outside:
            return text
        if text not in self._hoisted:
            name = self._hoisted[text] = self.code.fresh("b")
            self.code.insert(self._loop, f"{name} = {text}")
            self._loop += 1
        return self._hoisted[text]

    def _projection(self, whole: str, index: str) -> str:
        if not self._is_simple(index):
            raise NotCompiledError("a projection that is computed")
        return super()._projection(whole, index)

    def _instance(self, pattern: GetInst) -> str:
        if self._terms.write(pattern.index_term).text not in self._terms.symbols.values():
            raise NotCompiledError("an instance that is computed")
        return super()._instance(pattern)

    def _key(self) -> Iterator[str]:
        of_field = []
        facts = Facts(self._subst, self.source, self.names.keys(), self.templates)
        for pattern, path in facts.independent():
            if pattern in self.names:
                yield f"id({path.format(self.names[pattern])})"
            elif pattern in self.templates:
                of_field.append(path.format(f"o[{self.templates.index(pattern)}]"))
            else:
                raise NotCompiledError(f"{pattern!r} is not there")
        if self.source is not None and not of_field:
            yield "len(fields)"
        yield from (f"*[id({part}) for o in fields]" for part in of_field)


def _level(operands: list[str]) -> str:
    """Return the source of the level above those of some nodes; a choice is quicker than `max`."""
    levels = [f"{operand}.level" for operand in operands]
    match levels:
        case []:
            return "0"
        case [one, two]:
            return f"({one} if {one} > {two} else {two}) + 1"
        case _:
            return f"max({', '.join(levels)}) + 1"


class _TakingWriter(_ReplayWriter):
    """The same, where loops make what has parts in the plan: these are taken one by one."""

    def function(self) -> Construct:
        """Write how parts of the plan are taken, and compile."""
        self.code.insert(self._place, "take = iter(plan).__next__")
        return TargetWriter.function(self)

    def part(self) -> str:
        """Return the source of the next part of the plan."""
        return "take()"
