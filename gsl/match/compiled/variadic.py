"""Sources with a variadic output, compiled, for the usual case that candidates do not compete.

Field 0 is matched at the root. Every candidate that matches beside it becomes a field, unless it
wants a node that an earlier one has. When no input depends on an output and all conditions hold,
that is the largest set of outputs that the search (`match/search/variadic.py`) finds first;
otherwise the search has to choose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeGuard

from gsl.attr.code import NotCompiledError
from gsl.attr.conjuncts import conjuncts, rebuilt
from gsl.attr.term import Access, Reduce, Term, free_symbols
from gsl.errors import UndecidedError
from gsl.graph import Graph, Node, reverse_post_order
from gsl.match.bindings import Bindings, Key, Scope
from gsl.match.compiled.branch import Shape, listed, may_coincide
from gsl.match.compiled.loops import LoopWriter
from gsl.match.conditions import violated
from gsl.match.whole import output_below
from gsl.pat import INPUTS, GetInst, Pattern, Variable, Variadic, Wildcard
from gsl.pat.equations import patterns_of
from gsl.subst import Subst

Nodes = tuple[Node, ...]

Choose = Callable[[list[Nodes]], list[Nodes]]
"""Chooses among fields that compete for nodes."""


@dataclass(slots=True, eq=False)
class Fan:
    """A match: the nodes of field 0 and of what all fields share, and those of further fields."""

    head: Nodes
    fields: Sequence[Nodes]


class FanMatcher:
    """Matches a variadic source at a node.

    `head` are the patterns bound with field 0, `templates` those bound in every other field. A
    function raises UNDECIDED where only the search can tell.
    """

    def __init__(self, subst: Subst, variadic: Variadic) -> None:
        if not subst.aliased.isdisjoint(variadic.templates):
            raise NotCompiledError("inputs of several fields may be one")
        parts = _Parts(variadic, subst.aliased)
        conditions = _Conditions(subst, variadic)
        self.variadic = variadic
        self._match_head, self.head = _head_function(parts, conditions.head)
        self._match_fields, self.templates = _field_function(parts, conditions.field, self.head)
        self._whole = conditions.whole
        self._share_nothing = not parts.shared
        self._minimum = variadic.minimum
        zero = () if variadic.first else variadic.templates
        self._head_keys: list[Key] = [
            (pattern, ((variadic, 0),) if pattern in zero else ()) for pattern in self.head
        ]
        self._head_inputs = _places(self.head, parts.may_depend)
        self._inputs = _places(self.templates, parts.may_depend)
        self._interior = [(self.head.index(p), *parts.users(p)) for p in parts.shared_interior]
        self._contested = _contested(self.templates)
        self._meets_head = not parts.templates.isdisjoint(self.head)

    def first(self, root: Node, graph: Graph) -> Fan | None:
        """Return the match at `root` that the search finds first."""
        head = self._match_head(root)
        return None if head is None else self._found(head, graph, self._apart)

    def _found(self, head: Nodes, graph: Graph, choose: Choose) -> Fan | None:
        fields = self._match_fields(head, graph)
        if len(fields) + 1 < self._minimum:
            return None
        if self._meets_head:
            own = frozenset(head)
            fields = [one for one in fields if own.isdisjoint(one)]
            if len(fields) + 1 < self._minimum:
                return None
        if self._interior and self._escapes(head, len(fields) + 1):
            return None
        if self._contested is None:
            if len(set().union(*fields)) < len(fields) * len(self.templates):
                fields = choose(fields)
        else:
            for place in self._contested:
                if len({one[place] for one in fields}) < len(fields):
                    fields = choose(fields)
                    break
        found = Fan(head, fields)
        if not self._share_nothing and (self._head_inputs or self._inputs):
            self._demand_no_cycle(found, graph)
        if self._whole and violated(self._whole, Scope(self.bindings(found))) is not None:
            raise UndecidedError("a condition may hold for fewer fields")
        return found

    def every(self, root: Node, graph: Graph) -> Iterator[Fan]:
        """Yield the match at `root`, if there is one; raise UndecidedError for several."""
        if self._share_nothing:
            raise UndecidedError("one field may stand in the way of another")
        head = self._match_head(root)
        found = None if head is None else self._found(head, graph, _undecided)
        if found is not None:
            yield found

    def _apart(self, fields: list[Nodes]) -> list[Nodes]:
        """Return, of candidates that compete for nodes, those that the search takes.

        It takes them in order and never gives one up, unless there are too few or something that
        they share escapes.
        """
        taken: set[Node] = set()
        chosen: list[Nodes] = []
        for one in fields:
            if taken.isdisjoint(one):
                taken.update(one)
                chosen.append(one)
        if self._interior or len(chosen) + 1 < self._minimum:
            raise UndecidedError("candidates compete for a node")
        return chosen

    def _escapes(self, head: Nodes, count: int) -> bool:
        """Tell whether something that the fields share is used by more than they."""
        for place, once, each in self._interior:
            node = head[place]
            if node.output_count or len(node.users) != once + each * (count - 1):
                return True
        return False

    def _demand_no_cycle(self, found: Fan, graph: Graph) -> None:
        if found.fields:
            head, fields = found.head, found.fields
            outputs = [head[0], *[one[0] for one in fields]]
            inputs = [head[place] for place in self._head_inputs]
            for place in self._inputs:
                inputs += [one[place] for one in fields]
            lowest = min([node.level for node in outputs])
            above = [node for node in inputs if node.level >= lowest]
            if above and output_below(graph, above, dict.fromkeys(outputs)) is not None:
                raise UndecidedError("a field depends on another one")

    @property
    def field_zero(self) -> list[int | None]:
        """Where in `head` the nodes of the templates in field 0 are, None for those without one."""
        firsts = [self.variadic.first_of(template) for template in self.templates]
        return [self.head.index(first) if first in self.head else None for first in firsts]

    def bindings(self, found: Fan) -> Bindings:
        """Return a match as the search would have given it."""
        nodes = dict(zip(self._head_keys, found.head, strict=True))
        for index, field in enumerate(found.fields, 1):
            nodes.update(zip(self._field_keys(index), field, strict=True))
        return Bindings(nodes, {(self.variadic, ()): len(found.fields) + 1}, {})

    def found(self, bindings: Bindings) -> Fan:
        """Return a match of the search as this matcher would have given it."""
        count = bindings.lengths[self.variadic, ()]
        head = tuple([bindings.nodes[key] for key in self._head_keys])
        fields = [
            tuple([bindings.nodes[key] for key in self._field_keys(index)])
            for index in range(1, count)
        ]
        return Fan(head, fields)

    def _field_keys(self, index: int) -> list[Key]:
        return [(template, ((self.variadic, index),)) for template in self.templates]


def _places(patterns: Sequence[Pattern], chosen: Callable[[Pattern], bool]) -> list[int]:
    return [place for place, pattern in enumerate(patterns) if chosen(pattern)]


def _contested(templates: Sequence[Pattern]) -> list[int] | None:
    """Return where the inputs among templates are, or None if different ones may be one node.

    An interior node leads up to one output, and candidates have different outputs, so that they
    compete for inputs only.
    """
    if any(may_coincide(one, other) for one, other in combinations(templates, 2)):
        return None
    return _places(templates, lambda pattern: isinstance(pattern, INPUTS))


def _undecided(fields: list[Nodes]) -> list[Nodes]:
    raise UndecidedError("candidates compete for a node")


class _Parts:
    """What belongs to field 0, to every other field, and to all of them."""

    def __init__(self, variadic: Variadic, aliased: frozenset[Pattern]) -> None:
        self.variadic = variadic
        self.root = variadic.first_of(variadic.field)
        self.head = reverse_post_order([self.root])
        templates = frozenset(variadic.templates)
        inside = reverse_post_order([variadic.field])
        self.shared = variadic.shared
        if not self.shared <= frozenset(self.head):
            raise NotCompiledError("field 0 does not have all that the fields share")
        if any(variadic.symbol in free_symbols(t) for p in inside for t in p.terms()):
            raise NotCompiledError("the order of the fields matters")
        self.templates = frozenset(p for p in inside if p in templates)
        outputs = (self.root, variadic.field, *self.shared)
        self.shape = Shape(reverse_post_order(variadic.operands), outputs, aliased)

    @property
    def shared_interior(self) -> list[Pattern]:
        """The shared patterns that nothing outside of a match may use."""
        return [p for p in self.shape.patterns if p in self.shared and not isinstance(p, INPUTS)]

    def may_depend(self, pattern: Pattern) -> bool:
        """Tell whether what `pattern` stands for may be computed from an output, or is one.

        What all fields share lies below all outputs.
        """
        if pattern in (self.root, self.variadic.field):
            return isinstance(pattern, INPUTS)
        return isinstance(pattern, Wildcard) and pattern not in self.shared

    @property
    def anchors(self) -> frozenset[Pattern]:
        """The shared patterns that every field uses."""
        return self.shared.intersection(self.variadic.field.operands)

    def variables(self, names: Mapping[Pattern, str]) -> dict[Pattern, str]:
        """Return the variables among the templates, with the names of those in field 0."""
        firsts = {template: self.variadic.first_of(template) for template in self.templates}
        return {
            template: names[first]
            for template, first in firsts.items()
            if first in names and isinstance(template, Variable) and isinstance(first, Variable)
        }

    def users(self, shared: Pattern) -> tuple[int, int]:
        """Return how many nodes of field 0, and of each further field, use a shared one."""
        users = self.shape.users[shared]
        each = sum(user in self.templates for user in users)
        in_head = frozenset(self.head)
        return sum(user in in_head for user in users), each


class _Conditions:
    """The conditions of a rule: of field 0, of every further field, and of the whole."""

    def __init__(self, subst: Subst, variadic: Variadic) -> None:
        self._variadic = variadic
        self.head: list[Term] = []
        self.field: list[Term] = []
        self.whole: list[Term] = []
        for term in (part for condition in subst.where for part in conjuncts(condition)):
            self._sort(term)

    def _sort(self, term: Term) -> None:
        patterns = patterns_of(term)
        if not patterns.isdisjoint(self._variadic.templates):
            raise NotCompiledError("a condition on a template of no field")
        if not any(isinstance(pattern, GetInst | Variadic) for pattern in patterns):
            self.head.append(term)
        elif isinstance(term, Reduce) and term.head == "and" and self._is_length(term.length):
            self._sort_by_field(term)
        else:
            self.whole.append(term)

    def _sort_by_field(self, term: Reduce) -> None:
        field = self._of_field(term, lambda template: template)
        if free_symbols(field) or any(map(self._is_instance, patterns_of(field))):
            self.whole.append(term)
            return
        self.head += conjuncts(self._of_field(term, self._variadic.first_of))
        self.field += conjuncts(field)

    def _of_field(self, term: Reduce, place: Callable[[Pattern], Pattern]) -> Term:
        """Return what `term` demands of the field whose templates are at `place`."""

        def inside(part: Term) -> Term | None:
            if not isinstance(part, Access) or not self._is_instance(part.pattern):
                return None
            if part.pattern.index_term is not term.symbol:
                return None
            return Access(place(part.pattern.template), part.name)

        return rebuilt(term.body, inside)

    def _is_instance(self, pattern: Pattern) -> TypeGuard[GetInst]:
        return isinstance(pattern, GetInst) and pattern.variadic is self._variadic

    def _is_length(self, term: Term) -> bool:
        return isinstance(term, Access) and term.pattern is self._variadic


def _head_function(
    parts: _Parts, conditions: list[Term]
) -> tuple[Callable[[Node], Nodes | None], tuple[Pattern, ...]]:
    """Return a function that matches field 0 at a node, and the patterns it gives nodes for."""
    writer = LoopWriter(parts.shape, conditions, (parts.root,))
    writer.branch.least_users = dict.fromkeys(parts.anchors, parts.variadic.minimum)
    writer.branch.match(parts.root, "root")
    writer.demand_conditions()
    writer.code.line(f"return {listed(writer.branch.names.values())}")
    return writer.function("(root)"), tuple(writer.branch.names)


def _field_function(
    parts: _Parts, conditions: list[Term], head: tuple[Pattern, ...]
) -> tuple[Callable[[Nodes, Graph], list[Nodes]], tuple[Pattern, ...]]:
    """Return a function that matches all candidates beside field 0, and the patterns of each."""
    writer = LoopWriter(parts.shape, conditions, (parts.root,), found="found")
    names = [writer.code.fresh("h") for _ in head]
    writer.code.line(f"{listed(names)} = head")
    writer.code.line("found, taken = [], set()")
    for pattern, name in zip(head, names, strict=True):
        if pattern not in parts.templates:
            writer.branch.bind(pattern, name)
    before = len(writer.branch.names)
    candidate = writer.loop(parts.variadic.field)
    if parts.root not in writer.branch.names:
        writer.branch.fail_if(f"{candidate} is {names[0]}")
    writer.branch.match(parts.variadic.field, candidate)
    # What holds for field 0 holds for types that are the same.
    known = parts.variables(dict(zip(head, names, strict=True)))
    writer.demand_of_other_types(known, parts.templates)
    writer.demand_conditions()
    matched = list(writer.branch.names.items())[before:]
    nodes = listed(name for _, name in matched)
    if not parts.shared:  # what would be given up later must not keep others from being a field
        writer.branch.fail_if(f"not taken.isdisjoint({nodes})")
        writer.code.line(f"taken.update({nodes})")
    writer.code.line(f"found.append({nodes})")
    writer.close()
    writer.code.line("return found")
    return writer.function("(head, graph)"), tuple(pattern for pattern, _ in matched)
