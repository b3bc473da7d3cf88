"""Targets compiled to Python: what `rewrite.Builder` does, for the matches of one rule.

A function makes the nodes of the target in a graph, from the nodes of a match, and returns which
node replaces which. Conditional targets and some of the rarer variadic ones are left to the
builder; so is every target that fails, because the builder says why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from gsl.attr.code import Code, NotCompiledError
from gsl.attr.evaluate import field_count
from gsl.attr.term import ANYTHING, Access, Term
from gsl.attr.writer import Kind, TermWriter, Written
from gsl.expr import Call as CallExpr
from gsl.expr import Proj as ProjExpr
from gsl.expr import Tuple as TupleExpr
from gsl.graph import Node, reverse_post_order
from gsl.match.compiled.branch import listed
from gsl.match.compiled.fixed import FixedMatcher
from gsl.match.compiled.variadic import FanMatcher
from gsl.match.find import matcher_of
from gsl.match.reads import EXACT, Reads, block
from gsl.operators import Operator
from gsl.pat import Call, Const, GetInst, GetItem, Pattern, SameOperator, Tuple, Variadic
from gsl.rewrite.made import Maker, instance, require_type
from gsl.subst import Subst

Replacements = list[tuple[Node, Node]]
Construct = Callable[[Any, Maker], Replacements]
"""Makes the target of a match, as its matcher has found it."""

COUNT = "len(fields)"
"""The source of the number of fields of a variadic source."""


def construct_of(subst: Subst) -> Construct | None:
    """Compile the target of a rule, if its form and that of the source allow it."""
    try:
        return write(subst, TargetWriter(subst))
    except (NotCompiledError, RecursionError):
        return None


def write(subst: Subst, writer: TargetWriter) -> Construct:
    """Compile the target of a rule; raises NotCompiledError where its form does not allow it."""
    matcher = subst.derived(matcher_of)
    if isinstance(matcher, FixedMatcher):
        return _fixed(subst, matcher, writer)
    if isinstance(matcher, FanMatcher):
        return _fan(subst, matcher, writer)
    raise NotCompiledError("a source that is not compiled")


def _fixed(subst: Subst, matcher: FixedMatcher, writer: TargetWriter) -> Construct:
    names = {pattern: writer.code.fresh("n") for pattern in matcher.patterns}
    writer.code.line(f"{listed(names.values())} = found")
    writer.names.update(names)
    writer.begin()
    pairs = zip(subst.source, subst.target, strict=True)
    made = [(names[source], writer.node(target)) for source, target in pairs]
    for old, new in made:
        writer.demand_type(old, new)
    writer.end()
    writer.code.line(f"return [{', '.join(map(listed, made))}]")
    return writer.function()


def _fan(subst: Subst, matcher: FanMatcher, writer: TargetWriter) -> Construct:
    target, source = subst.target[0], matcher.variadic
    if not isinstance(target, Variadic):
        raise NotCompiledError("a target that is not variadic")
    writer.source = source
    writer.templates = matcher.templates
    code = writer.code
    names = {pattern: code.fresh("n") for pattern in matcher.head}
    code.line(f"{listed(names.values())} = found.head")
    of_head = list(names.values())
    zero = ["None" if place is None else of_head[place] for place in matcher.field_zero]
    code.line(f"fields = [{listed(zero)}, *found.fields]")
    shared = matcher.head if source.first else set(matcher.head) - set(matcher.templates)
    writer.names.update((pattern, name) for pattern, name in names.items() if pattern in shared)
    writer.begin()
    code.line("pairs = []")
    with writer.loop(target, COUNT) as index:
        new = writer.node(target.field)
        code.line(f"old = {writer.rows[index]}[0]")
        writer.demand_type("old", new)
        code.line(f"pairs.append((old, {new}))")
    writer.end()
    code.line("return pairs")
    return writer.function()


class TargetWriter:
    """Writes how nodes of target patterns are made; `names` has those that there are.

    `rows` has, for the index of a loop over all fields of the source, the nodes of the field.
    """

    def __init__(self, subst: Subst) -> None:
        self.code = Code()
        self.names: dict[Pattern, str] = {}
        self.rows: dict[str, str] = {}
        self.source: Variadic | None = None
        self.templates: tuple[Pattern, ...] = ()
        self._reads = Reads(self.code)
        terms = [term for pattern in subst.target_patterns for term in pattern.terms()]
        self._terms = TermWriter(self.code, self._attribute, terms)

    def begin(self) -> None:
        """Write what functions need under short names."""
        new = self.code.constant(object.__new__)
        self.code.line(f"new, made, known = {new}, make.made.append, make.known.get")

    def function(self) -> Construct:
        """Compile what is written."""
        return self.code.function("(found, make)", "target")

    def demand_type(self, old: str, new: str) -> None:
        """Write that a replacement has the type of what it replaces; equal types are mostly one."""
        unlike = f"{old}.expr.type is not {new}.expr.type"
        demand = self.code.constant(require_type)
        self.code.line(f"if {unlike}: {demand}({old}.expr.type, {new}.expr.type)")

    @contextmanager
    def loop(self, variadic: Variadic, count: str) -> Iterator[str]:
        """Open a loop over the fields of a variadic pattern; what they share is made before."""
        if variadic.first:
            raise NotCompiledError("first patterns in a target")
        self._make_shared(variadic)
        index = self.code.fresh("i")
        names = dict(self.names)
        self.opening(count)
        with block(self.code, self._reads, self._terms):
            if count == COUNT:
                row = self.rows[index] = self.code.fresh("o")
                self.code.open(f"for {index}, {row} in enumerate(fields):")
            else:
                self.code.open(f"for {index} in range({count}):")
            self._terms.symbols[variadic.symbol] = index
            yield index
        del self._terms.symbols[variadic.symbol]
        self.names = names

    def opening(self, count: str) -> None:
        """Take notice that a loop over so many fields is opened."""

    def _make_shared(self, variadic: Variadic) -> None:
        inside = reverse_post_order([variadic.field])
        tuples = [variadic, *[pattern for pattern in inside if isinstance(pattern, Variadic)]]
        repeated = {template for one in tuples for template in one.templates}
        for pattern in inside:
            if pattern in repeated or isinstance(pattern, GetInst):
                continue
            if not frozenset(variadic.templates).isdisjoint(pattern.operands):
                raise NotCompiledError("a template below what is shared")
            self.node(pattern)

    def node(self, pattern: Pattern) -> str:
        """Write how the node of `pattern` is made, unless there is one; return its name."""
        if pattern not in self.names:
            text = self._text(pattern)
            if not text.isidentifier():
                name = self.code.fresh("n")
                self.code.line(f"{name} = {text}")
                text = name
            self.names[pattern] = text
        return self.names[pattern]

    def _text(self, pattern: Pattern) -> str:
        match pattern:
            case GetInst():
                return self._instance(pattern)
            case Call():
                return self.called(pattern)
            case Tuple(operands=fields):
                return self.packed([self.node(field) for field in fields])
            case Variadic():
                return self.unrolled(self._fields(pattern))
            case GetItem(constraints={"index": index}):
                return self._projection(
                    self.node(pattern.operands[0]), self._terms.write(index).text
                )
            case Const(constraints={"value": value}):
                return self.constant(value, pattern)
            case _:
                raise NotCompiledError(f"{pattern!r} is not compiled")

    def _projection(self, whole: str, index: str) -> str:
        if not self._is_simple(index):
            return f"make.projection({whole}, {index})"
        kind = self.code.constant(ProjExpr)
        fields = self.before(whole, f"{whole}.expr.type.fields")
        return self.made(kind, kind, [whole], f"e.index = {index}; e.type = {fields}[{index}]")

    def before(self, node: str, text: str) -> str:
        """Return the source of what only depends on one node."""
        return text

    def _is_simple(self, index: str) -> bool:
        return index.isdecimal() or index in self._terms.symbols.values()

    def constant(self, value: Term, pattern: Const) -> str:
        """Return the source of how a constant is made."""
        dtype = self._dtype(pattern)
        return f"make.constant({self._terms.write(value).text}, {dtype})"

    def unrolled(self, fields: str) -> str:
        """Return the source of how the tuple of a list is made."""
        return f"make.several({fields})"

    def packed(self, fields: list[str]) -> str:
        """Write how a tuple is made; return the name of its node."""
        if not fields:
            return "make.tuple(())"
        kind = self.code.constant(TupleExpr)
        key, known = self.code.fresh("p"), self.code.fresh("t")
        self.code.line(f"{key} = {listed([kind, *(f'id({name}.expr.type)' for name in fields)])}")
        self.code.line(f"{known} = known({key})")
        self.code.line(f"if {known} is None: {known} = make.tuple_type({key}, {listed(fields)})")
        return self.made(kind, kind, fields, f"e.type = {known}")

    def _instance(self, pattern: GetInst) -> str:
        """Return the source of the node that a template of the source has in some field."""
        if pattern.variadic is not self.source or pattern.template not in self.templates:
            raise NotCompiledError("an instance of something else")
        place = self.templates.index(pattern.template)
        index = self._terms.write(pattern.index_term).text
        if index in self.rows:
            return f"{self.rows[index]}[{place}]"
        if index in self._terms.symbols.values():
            return f"fields[{index}][{place}]"
        return f"{self.code.constant(instance)}(fields, {index})[{place}]"

    def _fields(self, pattern: Variadic) -> str:
        """Write how the fields of a tuple are made; return the name of their list."""
        count = self._terms.write(pattern.size).text
        if count != COUNT:
            length, count = count, self.code.fresh("c")
            self.code.line(f"{count} = {self.code.constant(field_count)}({length})")
        template = self._template_of(pattern)
        if template is not None and count == COUNT:
            return self.column(template)
        fields = self.code.fresh("f")
        self.code.line(f"{fields} = []")
        with self.loop(pattern, count):
            self.code.line(f"{fields}.append({self.node(pattern.field)})")
        return fields

    def column(self, template: Pattern) -> str:
        """Write the list of what a template stands for in all fields; return its name."""
        fields = self.code.fresh("f")
        self.code.line(f"{fields} = [o[{self.templates.index(template)}] for o in fields]")
        return fields

    def _template_of(self, pattern: Variadic) -> Pattern | None:
        """Return the template whose node in the same field of the source is wanted."""
        field = pattern.field
        if not isinstance(field, GetInst) or field.variadic is not self.source:
            return None
        same = field.index_term is pattern.symbol and field.template in self.templates
        return field.template if same else None

    def _dtype(self, pattern: Const) -> str:
        if "dtype" in pattern.constraints:
            return self._terms.write(pattern.constraints["dtype"]).text
        if pattern.like is None:
            return repr("float32")
        return self._reads.attribute(pattern.like, self._there(pattern.like), "dtype").text

    def called(self, pattern: Call) -> str:
        """Write how a call is made; its attributes and type are inferred once for equal keys."""
        names = [self.node(operand) for operand in pattern.operands]
        operands = listed(names)
        operator = self.operator(pattern)
        given, values, kept = self._attributes(pattern)
        if values is None:
            return f"make.call({operator}, {operands}, {given})"
        key, known = self.code.fresh("p"), self.code.fresh("t")
        fixed = () if isinstance(pattern.callee, Operator) else (operator,)
        types = [f"id({name}.expr.type)" for name in names]
        parts = (self.code.constant(pattern), *fixed, *types, *values)
        self.code.line(f"{key} = {listed(parts)}")
        self.code.line(f"{known} = known({key})")
        infer = f"make.infer({key}, {operator}, {operands}, {given}, {listed(kept)})"
        self.code.line(f"if {known} is None: {known} = {infer}")
        return self.made(
            f"{self.code.constant(CallExpr)}",
            operator,
            names,
            f"e.operator = {operator}; e.attributes, e.type, _ = {known}",
        )

    def made(self, kind: str, head: str, operands: list[str], rest: str) -> str:
        """Write the constructors of an expression and its node; return the name of the node."""
        node = self.code.fresh("n")
        self.code.line(f"e = new({kind}); e.operands = {self.operands(operands)}; {rest}")
        self.code.line(f"{node} = {self.code.constant(Node)}(); {node}.expr = e")
        below = listed(operands)
        if len(operands) == 1:
            below = self.before(operands[0], below)
        self.code.line(f"{node}.head = {head}; {node}.operands = {below}")
        self.code.line(f"{node}.users = (); {node}.output_count = 0")
        self.code.line(f"{node}.waiting = False")
        self.note(node)
        return node

    def note(self, node: str) -> None:
        """Write that a node is made."""
        self.code.line(f"made({node})")

    def end(self) -> None:
        """Write what comes when all nodes are made."""

    def operands(self, nodes: list[str]) -> str:
        """Return the source of the operands of an expression; here it gets them later."""
        return "()"

    def operator(self, pattern: Call) -> str:
        """Return the source of the operator of a call."""
        if isinstance(pattern.callee, Operator):
            return self.code.constant(pattern.callee)
        if isinstance(pattern.callee, SameOperator):
            return f"{self._there(pattern.callee.call)}.head"
        raise NotCompiledError("an operator that is not known")

    def _attributes(self, pattern: Call) -> tuple[str, list[str] | None, list[str]]:
        """Return the source of the attributes, of parts of a key, and of what these identify.

        There are no such parts if equal values may not be interchangeable.
        """
        values = {
            name: self._kept(self._terms.write(term))
            for name, term in pattern.constraints.items()
            if term is not ANYTHING
        }
        items = [f"{name!r}: {value.text}" for name, value in values.items()]
        known = all(value.kind in EXACT for value in values.values())
        parts = self._reads.together([value.text for value in values.values()])
        wholes = [part[1:].removesuffix(".values()") for part in parts if part[0] == "*"]
        parts = [part for part in parts if part[0] != "*"]
        like = pattern.attributes_of
        if like is not None:
            wholes.append(self._reads.keep(self._there(like), "expr.attributes"))
            items.insert(0, f"**{wholes[-1]}")
        return (
            f"{{{', '.join(items)}}}",
            parts + [f"id({a})" for a in wholes] if known else None,
            wholes,
        )

    def _kept(self, value: Written) -> Written:
        return value if self._reads.is_read(value.text) else self._terms.keep(value)

    def _there(self, pattern: Pattern) -> str:
        if pattern not in self.names:
            raise NotCompiledError(f"{pattern!r} is not there yet")
        return self.names[pattern]

    def _attribute(self, term: Access, writer: TermWriter) -> Written:
        pattern = term.pattern
        if isinstance(pattern, GetInst):
            original = pattern.original()
            return self._reads.attribute(original, self._instance(pattern), term.name)
        if pattern is self.source and term.name == "length":
            return Written(COUNT, Kind.INTEGER)
        return self._reads.attribute(pattern, self._there(pattern), term.name)
