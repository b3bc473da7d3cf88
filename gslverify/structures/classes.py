"""Structures that say the same: source, target and claims are equal but for the numbering of axes.

Axes of inputs, of results in between and of outputs may be numbered anew, those of an output in
source and target alike. What elements are, by the kernels of operators, and what has to hold for
the target to be legal and of the same type is compared as it was built, so terms of a rule need not
treat axes alike. Of structures of one class one is examined.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from gsl.attr.term import Constant, Operation, Symbol, Term
from gsl.errors import GslError
from gsl.expr import Call, Const, Expr, Proj, Tuple, Var
from gsl.graph import reverse_post_order
from gsl.kernel.expression import Apply, Expression, Number, Read, Reduction, Select
from gsl.kernel.meaning import Elements, named
from gsl.operators.declaration import Need
from gsl.rewrite.builder import Builder, output_pairs
from gsl.subst import Subst
from gsl.types import TensorType
from gslverify.structures.arms import Outcome, has_choices, outcomes_of
from gslverify.structures.decisions import Decisions, every_way
from gslverify.structures.directed import structures_asked_for
from gslverify.structures.instance import RARE, Instance
from gslverify.structures.renumbering import Formulas
from gslverify.structures.variants import (
    MOST_RUNS,
    STRUCTURES_DRAWN,
    Enumeration,
    Search,
    Variant,
)

EXCHANGEABLE = frozenset({"and", "or", "+", "*", "min", "max", "==", "!="})
NESTED = frozenset({"and", "or", "+", "*"})

FEW_STRUCTURES = 40
"""So many are examined one by one, as that takes no longer than to compare them."""

MOST_RUNS_IN_EVERY_FORM = 5000
"""Builds of a source to see that there are few structures with every form of attributes."""

Value = tuple[int, int]
"""An expression by its identity, and which field of it, -1 for a tensor."""


class Forms:
    """The forms of the structures of one rule."""

    def __init__(self) -> None:
        self._formulas = Formulas()
        self._atoms: dict[Hashable, int] = {}

    def of(self, instance: Instance) -> Hashable | None:
        """Return what structures of one class have in common; None if that is not known."""
        pair = _Pair(instance, self._formulas, self._atoms)
        try:
            root = pair.whole()
        except (GslError, TypeError):
            return None
        return self._formulas.form(root), frozenset(pair.outcomes)


def enumerate_classes(subst: Subst, most: int, search: Search | None = None) -> Enumeration:
    """Return an enumeration with one structure of each class, the first.

    All are returned where they are few, those that are met when there are `most` classes, and some
    that are drawn where not all can be tried. Rare forms of attributes are among them where these
    can all be tried. A `search` that was begun is gone on with.
    """
    usual = search or Search(subst)
    if usual.has_more_after(MOST_RUNS):
        return usual.selection(STRUCTURES_DRAWN, structures_asked_for(subst, usual.steps))
    if not usual.exhaustive and _has_few_in_every_form(subst):
        every = _classes(Search(subst, RARE), most)
        if len(every.variants) <= most:
            return every
    if len(usual.found) <= FEW_STRUCTURES:
        return usual.enumeration(usual.found)
    return _classes(Search(subst, steps=usual.steps), most)


def _has_few_in_every_form(subst: Subst) -> bool:
    """Tell whether all structures can be tried with every form of attributes."""
    search = Search(subst, RARE)
    has_more = search.has_more_after(MOST_RUNS_IN_EVERY_FORM)
    return not has_more and search.exhaustive and not search.undecided


def _classes(search: Search, most: int) -> Enumeration:
    """Return one structure of each class; those that are met when there are `most`, all are."""
    forms = Forms()
    classes: dict[Hashable, Variant] = {}
    for variant, instance in search.variants():
        form = forms.of(instance) if len(classes) <= most else None
        classes.setdefault(variant if form is None else form, variant)
    return search.enumeration(list(classes.values()), len(search.found))


class _Pair:
    """Writes a source, its targets and its claims as formulas over axes.

    Most `atoms` are those of earlier structures, so what is written anew is often known already.
    """

    def __init__(self, instance: Instance, formulas: Formulas, atoms: dict[Hashable, int]) -> None:
        self.instance = instance
        self.formulas = formulas
        self.atoms = atoms
        self.outcomes: set[Outcome] = set()
        self.places: dict[Value, int] = {}
        self.sizes: dict[Symbol, int] = {}
        self.symbols: dict[Symbol, int] = {}
        self.named: Counter[str] = Counter()
        self.written: dict[int, tuple[Any, int]] = {}
        self.met: dict[int, Expr] = {}
        self.place, self.bound = 0, 0

    def whole(self) -> int:
        """Return the formula of everything."""
        node, bag = self.formulas.node, self.formulas.bag
        sources = [node_.expr for node_ in self.instance.outputs]
        facts = self._facts(sources)
        facts += [self._target(*target) for target in self._targets()]
        claims = [part for one in self.instance.claims for part in self._parts("and", one.term)]
        return node("pair", (*facts, bag("claims", claims)))

    def _targets(self) -> Iterable[tuple[list[tuple[Expr, Expr]], Need, tuple[Term, ...]]]:
        for (pairs, need), path in every_way(self._built):
            yield pairs, need, path

    def _built(self, decisions: Decisions) -> tuple[list[tuple[Expr, Expr]], Need]:
        """Return the outputs of source and target in pairs, and what the target needs."""
        instance, need = self.instance, Need()
        builder = Builder(instance.bindings, instance.graph, need, decisions)
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

    def _atom(self, kind: str, *which: Hashable) -> int:
        """Return the atom of a kind that is told from others of it in one structure."""
        key = kind, *which
        if key not in self.atoms:
            self.atoms[key] = self.formulas.atom(kind)
        return self.atoms[key]

    def _target(self, pairs: Sequence[tuple[Expr, Expr]], need: Need, path: Sequence[Term]) -> int:
        node, bag = self.formulas.node, self.formulas.bag
        facts = self._facts([target for _, target in pairs])
        facts += [self._output(*pair) for pair in pairs]
        legal = [part for term, _ in need.claims for part in self._parts("and", term)]
        return node("target", (*facts, bag("legal", legal), node("path", map(self._term, path))))

    def _output(self, source: Expr, target: Expr) -> int:
        """Say that the axes of an output are those of both sides."""
        node, bag = self.formulas.node, self.formulas.bag
        fields = self._tensors(source), self._tensors(target)
        outputs = []
        for (one, old), (other, new) in zip(*fields, strict=True):
            if old.ndim != new.ndim:
                raise TypeError("the ranks of an output differ")
            both = [
                node("axis", (self._axis(one, k), self._axis(other, k), *map(self._term, sizes)))
                for k, sizes in enumerate(zip(old.shape, new.shape, strict=True))
            ]
            outputs.append(
                node("out", (bag("axes", both), *map(self._term, (old.dtype, new.dtype))))
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
            facts.append(self._fact(expr))
        return facts

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
        return self._atom(f"axis of {self.places[value]}", axis)

    def _note_sizes(self, expr: Expr, value: Value, declared: TensorType) -> None:
        if isinstance(expr, Var):
            for axis, size in enumerate(declared.shape):
                if isinstance(size, Symbol):
                    self.sizes.setdefault(size, self._axis(value, axis))

    def _fact(self, expr: Expr) -> int:
        node, bag = self.formulas.node, self.formulas.bag
        match expr:
            case Var():
                ((value, declared),) = self._tensors(expr)
                sizes = [
                    node("size", (self._axis(value, k), self._term(size)))
                    for k, size in enumerate(declared.shape)
                ]
                return node("input", (bag("sizes", sizes), self._term(declared.dtype)))
            case Const():
                if isinstance(expr.value, np.ndarray) and expr.value.ndim:
                    raise TypeError("the elements of a constant are in an order")
                dtype = self._term(expr.tensor_type.dtype)
                return node("constant", (self._number(expr.value), dtype))
            case Call():
                return self._call(expr)
            case _:
                raise TypeError(f"an expression of another kind: {expr!r}")

    def _call(self, call: Call) -> int:
        operands = [self._elements(operand) for operand in call.operands]
        fields = []
        for value, declared in self._tensors(call):
            index = tuple(Symbol(f"i{axis}", low=0) for axis in range(declared.ndim))
            self.symbols.update((s, self._axis(value, k)) for k, s in enumerate(index))
            field = None if value[1] < 0 else value[1]
            element = call.operator.element(index, operands, call.attributes, field)
            self.bound = 0
            self.place = self.places[value]
            parts = self._expression(element), self._term(declared.dtype)
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
                return self._number(known)
            case Read(tensor=name, indices=indices, guarded=guarded):
                of, field = map(int, name.split())
                places = [
                    node("at", (self._axis((of, field), axis), self._term(index)))
                    for axis, index in enumerate(indices)
                ]
                place = self.places[of, field]
                return bag(f"read {place} {guarded}", places)
            case Apply(function=function, arguments=arguments):
                make = bag if function in EXCHANGEABLE else node
                return make(f"apply {function}", map(self._expression, arguments))
            case Select(condition=condition, then=then, otherwise=otherwise):
                sides = map(self._expression, (then, otherwise))
                return node("select", (self._term(condition), *sides))
            case Reduction(function=function, variables=variables, body=inner):
                bound = []
                for symbol, extent in variables:
                    self.symbols[symbol] = self._atom("bound", self.place, self.bound)
                    self.bound += 1
                    bound.append(node("over", (self.symbols[symbol], self._term(extent))))
                return node(f"reduce {function}", (bag("all", bound), self._expression(inner)))
            case _:
                raise TypeError(f"an expression of another kind: {value!r}")

    def _number(self, value: Any) -> int:
        return self.formulas.node("number", (self._term(value),))

    def _term(self, term: Any) -> int:
        """Return the formula of a value of an attribute."""
        known = self.written.get(id(term))
        if known is None:
            known = self.written[id(term)] = term, self._written(term)
        return known[1]

    def _written(self, term: Any) -> int:
        node = self.formulas.node
        match term:
            case Symbol():
                if term in self.sizes:
                    return node("size of", (self.sizes[term],))
                if term not in self.symbols:
                    kind = f"symbol {term.sort} {term.low} {term.high}"
                    self.named[term.name] += 1
                    self.symbols[term] = self._atom(kind, term.name, self.named[term.name])
                return self.symbols[term]
            case Constant(value=value):
                return self._term(value)
            case Operation(head=head, operands=operands):
                if head in NESTED:
                    return self.formulas.bag(head, self._parts(head, term))
                make = self.formulas.bag if head in EXCHANGEABLE else node
                return make(head, map(self._term, operands))
            case Term():
                raise TypeError(f"a term of another kind: {term!r}")
            case tuple():
                return node("tuple", map(self._term, term))
            case _:
                return node(f"{type(term).__name__} {term!r}")

    def _parts(self, head: str, term: Any) -> list[int]:
        """Return what an operation that may be nested in any way combines."""
        found, stack = [], [term]
        while stack:
            part = stack.pop()
            if isinstance(part, Operation) and part.head == head:
                stack += part.operands
            else:
                found.append(self._term(part))
        return found
