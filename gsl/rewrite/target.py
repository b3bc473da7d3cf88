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
from gsl.attr.term import ANYTHING, Access
from gsl.attr.writer import Kind, TermWriter, Written
from gsl.graph import Node, reverse_post_order
from gsl.match.branch import listed
from gsl.match.fan import FanMatcher
from gsl.match.find import matcher_of
from gsl.match.fixed import FixedMatcher
from gsl.match.reads import EXACT, Reads, block
from gsl.operators import Operator
from gsl.pat import Call, Const, GetInst, GetItem, Pattern, SameOperator, Tuple, Variadic
from gsl.rewrite.made import Maker, instance
from gsl.subst import Subst

Replacements = list[tuple[Node, Node]]
Construct = Callable[[Any, Maker], Replacements]
"""Makes the target of a match, as its matcher has found it."""


def construct_of(subst: Subst) -> Construct | None:
    """Compile the target of a rule, if its form and that of the source allow it."""
    matcher = subst.derived(matcher_of)
    try:
        if isinstance(matcher, FixedMatcher):
            return _fixed(subst, matcher)
        if isinstance(matcher, FanMatcher):
            return _fan(subst, matcher)
    except (NotCompiledError, RecursionError):
        pass
    return None


def _fixed(subst: Subst, matcher: FixedMatcher) -> Construct:
    writer = _Writer(subst)
    names = {pattern: writer.code.fresh("n") for pattern in matcher.patterns}
    writer.code.line(f"{listed(names.values())} = found")
    writer.names.update(names)
    pairs = zip(subst.source, subst.target, strict=True)
    made = [(names[source], writer.node(target)) for source, target in pairs]
    writer.code.line(f"return [{', '.join(map(listed, made))}]")
    return writer.code.function("(found, make)", "target")


def _fan(subst: Subst, matcher: FanMatcher) -> Construct:
    target, source = subst.target[0], matcher.variadic
    if not isinstance(target, Variadic):
        raise NotCompiledError("a target that is not variadic")
    writer = _Writer(subst)
    writer.source = source
    writer.templates = matcher.templates
    code = writer.code
    names = {pattern: code.fresh("n") for pattern in matcher.head}
    code.line(f"{listed(names.values())} = found.head")
    zero = code.constant(matcher.field_zero)
    code.line(f"fields = [{zero}(found.head), *found.fields]")
    shared = matcher.head if source.first else set(matcher.head) - set(matcher.templates)
    writer.names.update((pattern, name) for pattern, name in names.items() if pattern in shared)
    code.line("pairs = []")
    with writer.loop(target, "len(fields)") as index:
        new = writer.node(target.field)
        code.line(f"pairs.append((fields[{index}][0], {new}))")
    code.line("return pairs")
    return code.function("(found, make)", "target")


class _Writer:
    """Writes how nodes of target patterns are made; `names` has those that there are."""

    def __init__(self, subst: Subst) -> None:
        self.code = Code()
        self.names: dict[Pattern, str] = {}
        self.source: Variadic | None = None
        self.templates: tuple[Pattern, ...] = ()
        self._lists: dict[Pattern, str] = {}
        self._reads = Reads(self.code)
        terms = [term for pattern in subst.target_patterns for term in pattern.terms()]
        self._terms = TermWriter(self.code, self._attribute, terms)

    @contextmanager
    def loop(self, variadic: Variadic, count: str) -> Iterator[str]:
        """Open a loop over the fields of a variadic pattern; what they share is made before."""
        if variadic.first:
            raise NotCompiledError("first patterns in a target")
        self._make_shared(variadic)
        index = self.code.fresh("i")
        names = dict(self.names)
        with block(self.code, self._reads, self._terms):
            self.code.open(f"for {index} in range({count}):")
            self._terms.symbols[variadic.symbol] = index
            yield index
        del self._terms.symbols[variadic.symbol]
        self.names = names

    def _make_shared(self, variadic: Variadic) -> None:
        for pattern in reverse_post_order([variadic.field]):
            if pattern in variadic.templates or isinstance(pattern, GetInst):
                continue
            if not frozenset(variadic.templates).isdisjoint(pattern.operands):
                raise NotCompiledError("a template below what is shared")
            self.node(pattern)

    def node(self, pattern: Pattern) -> str:
        """Write how the node of `pattern` is made, unless there is one; return its name."""
        if pattern not in self.names:
            text = self._text(pattern)
            name = self.names[pattern] = self.code.fresh("n")
            self.code.line(f"{name} = {text}")
        return self.names[pattern]

    def _text(self, pattern: Pattern) -> str:
        match pattern:
            case GetInst():
                return self._instance(pattern)
            case Call():
                return self._call(pattern)
            case Tuple(operands=fields):
                return f"make.tuple({listed([self.node(field) for field in fields])})"
            case Variadic():
                return f"make.tuple(tuple({self._fields(pattern)}))"
            case GetItem(constraints={"index": index}):
                whole = self.node(pattern.operands[0])
                return f"make.projection({whole}, {self._terms.write(index).text})"
            case Const(constraints={"value": value}):
                dtype = self._dtype(pattern)
                return f"make.constant({self._terms.write(value).text}, {dtype})"
            case _:
                raise NotCompiledError(f"{pattern!r} is not compiled")

    def _instance(self, pattern: GetInst) -> str:
        """Return the source of the node that a template of the source has in some field."""
        if pattern.variadic is not self.source or pattern.template not in self.templates:
            raise NotCompiledError("an instance of something else")
        place = self.templates.index(pattern.template)
        index = self._terms.write(pattern.index_term).text
        if index in self._terms.symbols.values():
            return f"fields[{index}][{place}]"
        return f"{self.code.constant(instance)}(fields, {index})[{place}]"

    def _fields(self, pattern: Variadic) -> str:
        """Write how the fields of a tuple are made; return the name of their list."""
        count = self.code.fresh("c")
        length = self._terms.write(pattern.size).text
        self.code.line(f"{count} = {self.code.constant(field_count)}({length})")
        fields = self._lists[pattern] = self.code.fresh("f")
        self.code.line(f"{fields} = []")
        with self.loop(pattern, count):
            self.code.line(f"{fields}.append({self.node(pattern.field)})")
        return fields

    def _dtype(self, pattern: Const) -> str:
        if "dtype" in pattern.constraints:
            return self._terms.write(pattern.constraints["dtype"]).text
        if pattern.like is None:
            return repr("float32")
        return self._reads.attribute(pattern.like, self.node(pattern.like), "dtype").text

    def _call(self, pattern: Call) -> str:
        operands = [self.node(operand) for operand in pattern.operands]
        operator = self._operator(pattern)
        given, values = self._attributes(pattern)
        if values is None:
            return f"make.call({operator}, {listed(operands)}, {given})"
        key, known = self.code.fresh("p"), self.code.fresh("t")
        fixed = () if isinstance(pattern.callee, Operator) else (operator,)
        parts = (self.code.constant(pattern), *fixed, *self._types(pattern), *values)
        self.code.line(f"{key} = {listed(parts)}")
        self.code.line(f"{known} = make.known.get({key})")
        infer = f"make.infer({key}, {operator}, {listed(operands)}, {given})"
        self.code.line(f"if {known} is None: {known} = {infer}")
        return f"make.typed({operator}, {listed(operands)}, {known})"

    def _operator(self, pattern: Call) -> str:
        if isinstance(pattern.callee, Operator):
            return self.code.constant(pattern.callee)
        if isinstance(pattern.callee, SameOperator):
            return f"{self._there(pattern.callee.call)}.head"
        raise NotCompiledError("an operator that is not known")

    def _attributes(self, pattern: Call) -> tuple[str, list[str] | None]:
        """Return the source of the attributes, and of their values as parts of a key.

        There are no such parts if equal values may not be interchangeable.
        """
        values = {
            name: self._kept(self._terms.write(term))
            for name, term in pattern.constraints.items()
            if term is not ANYTHING
        }
        items = [f"{name!r}: {value.text}" for name, value in values.items()]
        known = all(value.kind in EXACT for value in values.values())
        parts = [value.text for value in values.values()]
        like = pattern.attributes_of
        if like is not None:
            copied = self._reads.keep(self._there(like), "expr.attributes")
            items.insert(0, f"**{copied}")
            parts.insert(0, f"*{copied}.values()")
            callee = pattern.callee
            known = known and isinstance(callee, SameOperator) and callee.call is like
        return f"{{{', '.join(items)}}}", self._reads.together(parts) if known else None

    def _kept(self, value: Written) -> Written:
        return value if self._reads.is_read(value.text) else self._terms.keep(value)

    def _types(self, pattern: Call) -> list[str]:
        """Return the source of what the type of a call depends on, besides its attributes."""
        callee = pattern.callee
        parts: list[str] = []
        for place, operand in enumerate(pattern.operands):
            declared = callee.operands[place : place + 1] if isinstance(callee, Operator) else ()
            if operand in self._lists:
                fields = self._lists[operand]
                parts += [f"tuple([n.expr.type.{t} for n in {fields}])" for t in ("shape", "dtype")]
            elif isinstance(operand, Tuple) and self.names.keys() >= set(operand.operands):
                parts += [part for field in operand.operands for part in self._type(field)]
            elif declared and not declared[0].is_tuple:
                parts += self._type(operand)
            else:
                parts.append(f"{self.names[operand]}.expr.type")
        return parts

    def _type(self, tensor: Pattern) -> tuple[str, str]:
        kept = self._reads.keep(self.names[tensor], "expr.type")
        return f"{kept}.shape", f"{kept}.dtype"

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
            return Written("len(fields)", Kind.INTEGER)
        return self._reads.attribute(pattern, self._there(pattern), term.name)
