"""A structure as one formula: its source, target and claims, written over axes that are atoms.

Structures of one rule have much in common. A fact about an expression, a term and a call of the
target that were written for an earlier structure are looked up if the atoms in them are the same.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gsl.attr.term import Symbol, Term
from gsl.expr import Call, Const, Expr, Proj, Tuple, Var
from gsl.graph import reverse_post_order
from gsl.kernel.expression import Apply, Expression, Number, Read, Reduction, Select
from gsl.kernel.meaning import Elements, named
from gsl.operators.declaration import Need
from gsl.rewrite.builder import output_pairs
from gsl.types import TensorType
from gslverify.structures.decisions import Decisions, every_way
from gslverify.structures.equivalence.renumbering import Formulas
from gslverify.structures.equivalence.sharing_builder import Made, SharingBuilder
from gslverify.structures.equivalence.written_terms import (
    EXCHANGEABLE,
    Known,
    Symbols,
    WrittenTerms,
)
from gslverify.structures.instance import Instance
from gslverify.structures.targets.arms import Outcome, has_choices, outcomes_of

Value = tuple[int, int]
"""An expression by its identity, and which field of it, -1 for a tensor."""


@dataclass(frozen=True, slots=True)
class Fact:
    """What an expression is, by a formula, and the formulas of the symbols in it."""

    expr: Expr
    formula: int
    symbols: Symbols


@dataclass(slots=True)
class Shared:
    """What the structures of one rule share: formulas, and what was written before."""

    formulas: Formulas = field(default_factory=Formulas)
    atoms: dict[Hashable, int] = field(default_factory=dict)
    facts: dict[tuple[int, ...], Fact] = field(default_factory=dict)
    terms: dict[int, Known] = field(default_factory=dict)
    calls: dict[Hashable, Made] = field(default_factory=dict)


class Structure:
    """Writes the source, the targets and the claims of a structure as formulas over axes."""

    def __init__(self, instance: Instance, shared: Shared) -> None:
        self.instance = instance
        self.shared = shared
        self.formulas = shared.formulas
        self.terms = WrittenTerms(shared.formulas, shared.atoms, shared.terms)
        self.outcomes: set[Outcome] = set()
        self.places: dict[Value, int] = {}
        self.met: dict[int, Expr] = {}
        self.place, self.bound = 0, 0

    def whole(self) -> int:
        """Return the formula of everything."""
        node, bag = self.formulas.node, self.formulas.bag
        sources = [node_.expr for node_ in self.instance.outputs]
        facts = self._facts(sources)
        facts += [self._target(*target) for target in self._targets()]
        claims = [
            part for one in self.instance.claims for part in self.terms.parts("and", one.term)
        ]
        return node("pair", (*facts, bag("claims", claims)))

    def _targets(self) -> Iterable[tuple[list[tuple[Expr, Expr]], Need, tuple[Term, ...]]]:
        for (pairs, need), path in every_way(self._built):
            yield pairs, need, path

    def _built(self, decisions: Decisions) -> tuple[list[tuple[Expr, Expr]], Need]:
        """Return the outputs of source and target in pairs, and what the target needs."""
        instance, need = self.instance, Need()
        builder = SharingBuilder(instance, need, decisions, self.shared.calls)
        try:
            pairs = [
                (instance.bindings.nodes[source].expr, builder.build(*target).expr)
                for source, target in output_pairs(instance.subst, instance.bindings)
            ]
            if has_choices(instance.subst):
                self.outcomes.update(outcomes_of(instance.subst, builder))
        finally:
            instance.take_out(builder.added)
        return pairs, need

    def _target(self, pairs: Sequence[tuple[Expr, Expr]], need: Need, path: Sequence[Term]) -> int:
        node, bag = self.formulas.node, self.formulas.bag
        facts = self._facts([target for _, target in pairs])
        facts += [self._output(*pair) for pair in pairs]
        legal = [part for term, _ in need.claims for part in self.terms.parts("and", term)]
        return node(
            "target", (*facts, bag("legal", legal), node("path", map(self.terms.term, path)))
        )

    def _output(self, source: Expr, target: Expr) -> int:
        """Say that the axes of an output are those of both sides."""
        node, bag = self.formulas.node, self.formulas.bag
        fields = self._tensors(source), self._tensors(target)
        outputs = []
        for (one, old), (other, new) in zip(*fields, strict=True):
            if old.ndim != new.ndim:
                raise TypeError("the ranks of an output differ")
            both = [
                node(
                    "axis", (self._axis(one, k), self._axis(other, k), *map(self.terms.term, sizes))
                )
                for k, sizes in enumerate(zip(old.shape, new.shape, strict=True))
            ]
            outputs.append(
                node("out", (bag("axes", both), *map(self.terms.term, (old.dtype, new.dtype))))
            )
        return node("outputs", outputs)

    def _facts(self, outputs: Sequence[Expr]) -> list[int]:
        """Say what every value is that was not met before."""
        facts = []
        for expr in reverse_post_order(outputs):
            if not isinstance(expr, Var | Const | Call) or id(expr) in self.met:
                continue
            self.met[id(expr)] = expr
            for value, declared in self._tensors(expr):
                self.places[value] = len(self.places)
                self._note_sizes(expr, value, declared)
            facts.append(self._known_fact(expr))
        return facts

    def _known_fact(self, expr: Expr) -> int:
        """Return what an expression is, as another structure has said it with the same atoms."""
        values = [
            *self._tensors(expr)[:1],
            *(v for one in expr.operands for v in self._tensors(one)),
        ]
        key = id(expr), *(self.places[value] for value, _ in values)
        known = self.shared.facts.get(key)
        if known is not None and self.terms.are(known.symbols):
            return known.formula
        with self.terms.noted() as symbols:
            formula = self._fact(expr)
        self.shared.facts[key] = Fact(expr, formula, symbols)
        return formula

    def _tensors(self, expr: Expr) -> list[tuple[Value, TensorType]]:
        if isinstance(expr, Proj):
            return [self._tensors(expr.operands[0])[expr.index]]
        if isinstance(expr, Tuple):
            return [self._tensors(one)[0] for one in expr.operands]
        if isinstance(expr.type, TensorType):
            return [((id(expr), -1), expr.type)]
        fields = []
        for number, declared in enumerate(expr.type.fields):
            if not isinstance(declared, TensorType):
                raise TypeError("a tuple holds a tuple")
            fields.append(((id(expr), number), declared))
        return fields

    def _axis(self, value: Value, axis: int) -> int:
        return self.terms.atom(f"axis of {self.places[value]}", axis)

    def _note_sizes(self, expr: Expr, value: Value, declared: TensorType) -> None:
        if isinstance(expr, Var):
            for axis, size in enumerate(declared.shape):
                if isinstance(size, Symbol):
                    self.terms.sizes.setdefault(size, self._axis(value, axis))

    def _fact(self, expr: Expr) -> int:
        node, bag = self.formulas.node, self.formulas.bag
        match expr:
            case Var():
                ((value, declared),) = self._tensors(expr)
                sizes = [
                    node("size", (self._axis(value, k), self.terms.term(size)))
                    for k, size in enumerate(declared.shape)
                ]
                return node("input", (bag("sizes", sizes), self.terms.term(declared.dtype)))
            case Const():
                if isinstance(expr.value, np.ndarray) and expr.value.ndim:
                    raise TypeError("the elements of a constant are in an order")
                dtype = self.terms.term(expr.tensor_type.dtype)
                return node("constant", (self.terms.number(expr.value), dtype))
            case Call():
                return self._call(expr)
            case _:
                raise TypeError(f"an expression of another kind: {expr!r}")

    def _call(self, call: Call) -> int:
        operands = [self._elements(operand) for operand in call.operands]
        fields = []
        for value, declared in self._tensors(call):
            index = tuple(Symbol(f"i{axis}", low=0) for axis in range(declared.ndim))
            for axis, symbol in enumerate(index):
                self.terms.name(symbol, self._axis(value, axis))
            field = None if value[1] < 0 else value[1]
            element = call.operator.element(index, operands, call.attributes, field)
            self.bound = 0
            self.place = self.places[value]
            parts = self._expression(element), self.terms.term(declared.dtype)
            fields.append(self.formulas.node("field", parts))
        return self.formulas.node(f"call {call.operator}", fields)

    def _elements(self, operand: Expr) -> Any:
        fields = [self._read_of(*one) for one in self._tensors(operand)]
        return fields[0] if isinstance(operand.type, TensorType) else tuple(fields)

    def _read_of(self, value: Value, declared: TensorType) -> Elements:
        return named(f"{value[0]} {value[1]}", declared)

    def _expression(self, value: Expression) -> int:
        node, bag = self.formulas.node, self.formulas.bag
        match value:
            case Number(value=known):
                return self.terms.number(known)
            case Read(tensor=name, indices=indices, guarded=guarded):
                of, field = map(int, name.split())
                places = [
                    node("at", (self._axis((of, field), axis), self.terms.term(index)))
                    for axis, index in enumerate(indices)
                ]
                place = self.places[of, field]
                return bag(f"read {place} {guarded}", places)
            case Apply(function=function, arguments=arguments):
                make = bag if function in EXCHANGEABLE else node
                return make(f"apply {function}", map(self._expression, arguments))
            case Select(condition=condition, then=then, otherwise=otherwise):
                sides = map(self._expression, (then, otherwise))
                return node("select", (self.terms.term(condition), *sides))
            case Reduction(function=function, variables=variables, body=inner):
                bound = []
                for symbol, extent in variables:
                    number = self.terms.atom("bound", self.place, self.bound)
                    self.terms.name(symbol, number)
                    self.bound += 1
                    bound.append(node("over", (number, self.terms.term(extent))))
                return node(f"reduce {function}", (bag("all", bound), self._expression(inner)))
            case _:
                raise TypeError(f"an expression of another kind: {value!r}")
