"""Graphs of FX that patterns of PyTorch's pattern matcher describe."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch._inductor import pattern_matcher
from torch.fx import Graph, GraphModule, Node
from torch.fx.node import map_arg

from gslverify.adapters.torch_leaves import Leaves, Place, computes, schemas
from gslverify.networks.choices import Choices, NothingDrawnError, one_of

MOST_TRIES = 80
"""How often the operands of a call are drawn until the call accepts them."""
MOST_ITEMS = 3
"""Fields of a list whose length a pattern leaves open."""


@dataclass(frozen=True, slots=True)
class Open:
    """What a pattern says nothing about; what has a name is the same wherever that is."""

    name: str = ""


def drawn(pattern: Any, choices: Choices) -> tuple[GraphModule, list[Any]]:
    """Return a graph that a pattern describes, and its inputs.

    Raises NothingDrawnError where choices lead to none.
    """
    drawing = _Drawing(Leaves(choices))
    outputs = [drawing.built(one) for one in getattr(pattern, "outputs", [pattern]) if one]
    inner = [one for one in drawing.values if one.op != "placeholder" and one not in outputs]
    if inner and choices.number(3) == 3:
        outputs.append(one_of(choices, inner))
    drawing.graph.output(tuple(out for one in outputs for out in drawing.tensors(one)))
    return GraphModule(torch.nn.Module(), drawing.graph), drawing.inputs


@dataclass(slots=True)
class _Drawing:
    """A graph while it is drawn; a call is run at once, so its operands are some it accepts."""

    leaves: Leaves
    graph: Graph = field(default_factory=Graph)
    inputs: list[Any] = field(default_factory=list)
    values: dict[Node, Any] = field(default_factory=dict)
    named: dict[str, Any] = field(default_factory=dict)
    shared: dict[int, Node] = field(default_factory=dict)
    item: int = 0

    @property
    def placeholders(self) -> list[Node]:
        return [node for node in self.values if node.op == "placeholder"]

    def tensors(self, node: Node) -> Iterator[Node]:
        """Yield a node, or the fields of one that computes several."""
        if isinstance(self.values[node], torch.Tensor):
            yield node
        else:
            for place in range(len(self.values[node])):
                yield self.graph.call_function(operator.getitem, (node, place))

    def built(self, pattern: Any) -> Any:
        """Return a pattern as an argument: nodes for calls, and what it leaves open."""
        match pattern:
            case pattern_matcher.ListOf():
                return self._items(pattern.pattern)
            case pattern_matcher.RepeatedExpr():
                return self._call(pattern.inner_pattern)
            case pattern_matcher._TargetExpr():
                known = self.shared.get(id(pattern)) if pattern.has_multiple_users() else None
                return known or self._call(pattern)
            case pattern_matcher.KeywordArg() | pattern_matcher.ExclusiveKeywordArg():
                return self.named.get(pattern.name, Open(pattern.name))
            case pattern_matcher.PatternExpr():
                return Open()
            case list() | tuple():
                return [self.built(one) for one in pattern]
        return pattern

    def _items(self, pattern: Any) -> list[Any]:
        """Return fields of a list, which take different fields of what they share."""
        found = []
        for item in range(1 + self.leaves.choices.number(MOST_ITEMS - 1)):
            self.item = item
            is_call = isinstance(pattern, pattern_matcher._TargetExpr)
            found.append(self._call(pattern) if is_call else self.built(pattern))
        return found

    def _call(self, pattern: Any) -> Node:
        if pattern.op == "call_module":
            raise NothingDrawnError("modules, which have weights of their own, are not drawn")
        function = one_of(self.leaves.choices, _functions(pattern.fns))
        operands = self._operands(pattern, function)
        run = _method(function) if isinstance(function, str) else function
        for _ in range(MOST_TRIES):
            fresh: dict[str, Any] = {}
            arguments = self._filled(operands, fresh)
            positional = [one for place, one in arguments if not place.by_name]
            named = {place.name: one for place, one in arguments if place.by_name}
            try:
                with torch.no_grad():
                    result = run(*self._values(positional), **self._values(named))
            except Exception:  # operators refuse operands with whatever they like
                continue
            inputs: dict[int, Node] = {}
            self.named.update(self._given(fresh, inputs))
            given = self._given(tuple(positional), inputs), self._given(named, inputs)
            node = self.graph.create_node(pattern.op, function, *given)
            self.values[node] = result
            self.shared[id(pattern)] = node
            return node
        raise NothingDrawnError(f"no operands were found for {function}")

    def _operands(self, pattern: Any, function: Any) -> list[tuple[Place, Any]]:
        """Return what a pattern says of the operands of a call, each with its place."""
        choices, known = self.leaves.choices, schemas(function)
        if not isinstance(pattern, pattern_matcher._TargetArgsExpr):
            if not known:
                raise NothingDrawnError(f"the operands of {function} are not known")
            places = one_of(choices, known)
            return [(one, Open()) for one in places if one.is_required or choices.number(1)]
        given = [self.built(one) for one in pattern.args]
        named = {name: self.built(one) for name, one in pattern.kwargs.items()}
        fitting = [one for one in known if _takes(one, len(given), list(named))]
        places = one_of(choices, fitting) if fitting else _unknown(function, len(given))
        found = list(zip(places, given, strict=False))
        kinds = {one.name: one.kind for one in places}
        return found + [(Place(n, kinds.get(n, ""), True, True), one) for n, one in named.items()]

    def _filled(
        self, operands: Sequence[tuple[Place, Any]], fresh: dict[str, Any]
    ) -> list[tuple[Place, Any]]:
        """Return operands with something drawn for each open part."""
        found: list[tuple[Place, Any]] = []
        for place, structure in operands:
            beside = [self._values(one) for _, one in found]
            found.append((place, self._fill(structure, place.kind, beside, fresh)))
        return found

    def _fill(self, structure: Any, kind: str, beside: Sequence[Any], fresh: dict[str, Any]) -> Any:
        if isinstance(structure, list):
            inner = kind.removeprefix("List[").removesuffix("]")
            return [self._fill(one, inner, beside, fresh) for one in structure]
        if not isinstance(structure, Open):
            return structure
        if structure.name in fresh:
            return fresh[structure.name]
        value = self._leaf(kind, beside)
        if structure.name:
            fresh[structure.name] = value
        return value

    def _leaf(self, kind: str, beside: Sequence[Any]) -> Any:
        if kind == FIELD:
            return self.item % max(1, len(beside[0]))
        if kind == "Tensor" and self.placeholders and self.leaves.choices.number(2) == 2:
            return one_of(self.leaves.choices, self.placeholders)
        return self.leaves.drawn(kind, beside)

    def _values(self, argument: Any) -> Any:
        """Return what an argument is worth, with tensors in the place of nodes."""
        return map_arg(argument, lambda node: self.values[node])

    def _given(self, argument: Any, inputs: dict[int, Node]) -> Any:
        """Return an argument with inputs of the graph in the place of tensors."""
        if isinstance(argument, torch.Tensor):
            if id(argument) not in inputs:
                inputs[id(argument)] = self._input(argument)
            return inputs[id(argument)]
        if isinstance(argument, list | tuple):
            return type(argument)(self._given(one, inputs) for one in argument)
        if isinstance(argument, dict):
            return {name: self._given(one, inputs) for name, one in argument.items()}
        return argument

    def _input(self, tensor: Any) -> Node:
        """Return a new input, behind the others and before all calls."""
        last = self.placeholders[-1:]
        with self.graph.inserting_after(last[0]) if last else self.graph.inserting_before():
            node = self.graph.placeholder(f"x{len(self.inputs)}")
        self.inputs.append(tensor)
        self.values[node] = tensor
        return node


FIELD = "which field"
"""The kind of what selects one of several results."""


def _functions(given: Sequence[Any]) -> list[Any]:
    """Return the functions that a pattern stands for: operators, unless there are none."""
    operators = [one for one in given if isinstance(one, torch._ops.OpOverload) and computes(one)]
    return operators or list(given)


def _method(name: str) -> Callable[..., Any]:
    return lambda owner, *others, **named: getattr(owner, name)(*others, **named)


def _takes(places: Sequence[Place], count: int, names: Sequence[str]) -> bool:
    """Tell whether a function has so many operands, and those with names."""
    behind = {one.name: one for one in places[count:]}
    needed = [one.name for one in places[count:] if one.is_required]
    return len(places) >= count and set(names) <= set(behind) and set(needed) <= set(names)


def _unknown(function: Any, count: int) -> list[Place]:
    """Return the operands of a function without a schema; `getitem` selects a field."""
    kind = FIELD if function is operator.getitem else ""
    return [Place(str(place), kind) for place in range(count)]
