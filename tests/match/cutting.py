"""Random graphs, and patterns cut out of them and then damaged a little.

A pattern cut out of a graph matches there unless a mutation or its surroundings forbid it, so both
answers occur often.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from gsl import Call, Const, Expr, Proj, Subst, Tuple, Var, pat
from gsl.graph import Graph, Node
from gsl.operators import Operator
from tests.match import toys
from tests.match.reference import Demand, Map, Problem, instance

CONDITIONS: list[tuple[Callable[[Any, Any], Any], Callable[[int, int], bool]]] = [
    (lambda a, b: a == b, lambda a, b: a == b),
    (lambda a, b: a != b, lambda a, b: a != b),
    (lambda a, b: a + b == 1, lambda a, b: a + b == 1),
    (lambda a, b: (a == 0) | (a == b), lambda a, b: a == 0 or a == b),
    (lambda a, b: (a <= b) & (b == 1), lambda a, b: b == 1),
    (lambda a, b: ~(a > b), lambda a, b: a <= b),
]
"""Conditions as terms, and what they say about numbers."""

UNARY = (toys.RELU, toys.EXP, toys.Tag, toys.Mark)
BINARY = (toys.ADD, toys.MULTIPLY)


def random_outputs(rng: Random, calls: int) -> list[Expr]:
    """Return the outputs of a random graph of about `calls` operators."""
    tensors: list[Expr] = [toys.var(f"x{i}") for i in range(rng.randint(1, 3))]
    if rng.random() < 0.4:
        tensors.append(toys.const(rng.randint(1, 2)))
    used: set[Expr] = set()
    while calls > 0:
        new = _random_call(rng, tensors)
        calls -= 2 if isinstance(new, Proj) or isinstance(new.operands[0], Tuple) else 1
        used.update(new.operands, *(operand.operands for operand in new.operands))
        tensors.append(new)
    sinks = [t for t in tensors if t not in used and isinstance(t, Call | Proj)]
    extra = [t for t in tensors if isinstance(t, Call) and rng.random() < 0.1]
    return list(dict.fromkeys([*sinks, *extra]))


def _random_call(rng: Random, tensors: list[Expr]) -> Expr:
    def operand() -> Expr:
        recent = rng.random() < 0.5
        return rng.choice(tensors[-3:] if recent else tensors)

    kind = rng.random()
    if kind < 0.45:
        operator = rng.choice(UNARY)
        attributes = {"k": rng.randint(0, 1)} if "k" in operator.attributes else {}
        return Call(operator, [operand()], attributes)
    if kind < 0.8:
        left = operand()
        return Call(rng.choice(BINARY), [left, left if rng.random() < 0.2 else operand()])
    if kind < 0.9:
        return toys.pack(*(operand() for _ in range(rng.randint(1, 3))))
    split = Call(toys.Halves, [operand()])
    halves = [t.operands[0] for t in tensors if isinstance(t, Proj)]
    return Proj(rng.choice([split, *halves]), rng.randint(0, 1))


class Cutter:
    """Turns nodes of a graph into patterns that match them, with mutations at some rate."""

    def __init__(self, rng: Random, mutations: float) -> None:
        self.rng = rng
        self.mutations = mutations
        self.demands: dict[pat.Pattern, list[Demand]] = {}
        self._made: dict[Node, pat.Pattern] = {}
        self._tagged: list[pat.Call] = []
        self._calls: list[pat.Call] = []
        self._inside_arm = 0

    def problem(self, graph: Graph, outputs: int, conditions: bool = True) -> Problem:
        """Cut a rule with about `outputs` outputs out of `graph`."""
        calls = [n for n in graph if isinstance(n.expr, Call | Proj)]
        roots = [self.rng.choice(calls)]
        while len(roots) < outputs:
            near = _neighbours(roots) if self.rng.random() < 0.8 else calls
            roots.append(self.rng.choice(near or calls))
        source = [self.cut(n, self.rng.randint(1, 3)) for n in dict.fromkeys(roots)]
        source = list(dict.fromkeys(source))
        if not conditions:
            return Problem(Subst(source, source), graph, self.demands)
        where, meaning = self._condition()
        return Problem(Subst(source, source, where=where), graph, self.demands, meaning)

    def _condition(self) -> tuple[list[Any], Callable[[Map, int], bool]]:
        """Return a condition between two attributes, with its meaning; often none."""
        if not self._tagged or self.rng.random() < 0.3:
            return [], lambda found, length: True
        one, other = self.rng.choices(self._tagged, k=2)
        term, meaning = self.rng.choice(CONDITIONS)
        ks = ((one, ()), (other, ()))
        return [term(one.k, other.k)], lambda f, n: meaning(*(k_of(f[place]) for place in ks))

    def mutate(self) -> bool:
        return self.rng.random() < self.mutations

    def cut(self, node: Node, depth: int) -> pat.Pattern:
        """Return a pattern for `node`; the same one for the same node, unless mutated."""
        if node in self._made and not self.mutate():
            return self._made[node]
        cut = self._alternative if self.rng.random() < 0.12 and depth > 0 else self._cut_new
        self._made[node] = cut(node, depth)
        return self._made[node]

    def _alternative(self, node: Node, depth: int) -> pat.Alt:
        # What only one arm matches may be missing, so no constraint refers to it.
        self._inside_arm += 1
        decoy = self._cut_new(self.rng.choice([node, *node.operands]), depth - 1)
        arms = [self._cut_new(node, depth), decoy]
        self._inside_arm -= 1
        self.rng.shuffle(arms)
        return pat.Alt(*arms)

    def _cut_new(self, node: Node, depth: int) -> pat.Pattern:
        match node.expr:
            case Var() if self.rng.random() < 0.5:
                return pat.Variable()
            case Const() if self.rng.random() < 0.7:
                return self._const(node)
            case Call() if depth > 0:
                return self._call(node, depth)
            case Tuple() if depth > 0:
                return self._tuple(node, depth)
            case Proj(index=index) if depth > 0:
                return self._projection(node, index, depth)
            case _:
                return pat.Wildcard()

    def _const(self, node: Node) -> pat.Const:
        if self.rng.random() < 0.5:
            return pat.Const()
        value = float(self.rng.randint(1, 2))
        pattern = pat.Const((value, value))
        self.demands[pattern] = [lambda f, path, n: bool((n.expr.value == value).all())]
        return pattern

    def _projection(self, node: Node, index: int, depth: int) -> pat.GetItem:
        if self.mutate():
            index = 1 - index
        below = self.cut(node.operands[0], depth - 1)
        if self.rng.random() < 0.3:
            return pat.GetItem(below)
        pattern = below[index]
        self.demands[pattern] = [lambda f, path, n: n.expr.index == index]
        return pattern

    def _tuple(self, node: Node, depth: int) -> pat.Pattern:
        if self.rng.random() < 0.5:
            return self._variadic_tuple(node, depth)
        return pat.Tuple(*(self.cut(n, depth - 1) for n in node.operands))

    def _variadic_tuple(self, node: Node, depth: int) -> pat.Variadic:
        head = self.cut(node.operands[0], depth - 1) if self.rng.random() < 0.3 else None
        inner = Cutter(self.rng, self.mutations)
        inner._made = dict(self._made)
        inner._tagged = list(self._tagged)
        known = set(self._made.values())
        field = inner.cut(self.rng.choice(node.operands), depth - 1)
        if field in known:
            field = pat.Wildcard()
        templates = [field] if head is not None else self._templates(field, known)
        self.demands.update(inner.demands)
        return pat.Variadic(
            field,
            templates=templates,
            first=[head] if head is not None else None,
            min_len=self.rng.randint(1, 2),
        )

    def _templates(self, field: pat.Pattern, known: set[pat.Pattern]) -> list[pat.Pattern]:
        templates, stack = [], [field]
        while stack:
            pattern = stack.pop()
            wanted = pattern is field or self.rng.random() < 0.7
            if wanted and pattern not in known and pattern not in templates:
                templates.append(pattern)
                if not isinstance(pattern, pat.Variadic):
                    stack.extend(pattern.operands)
        return templates

    def _call(self, node: Node, depth: int) -> pat.Call:
        operands = [self.cut(n, depth - 1) for n in node.operands]
        if len(operands) == 2 and self.mutate():
            operands.reverse()
        callee = self._callee(node)
        attributes, demands = {}, []
        expr: Any = node.expr
        if isinstance(callee, Operator) and "k" in callee.attributes and self.rng.random() < 0.6:
            attributes["k"], demand = self._constraint(expr.attributes.get("k", 0))
            demands.append(demand)
        if isinstance(callee, pat.SameOperator) and self.rng.random() < 0.5:
            attributes["attributes_of"] = callee.call
        pattern = pat.call(callee, operands, attributes)
        self.demands[pattern] = demands
        if not self._inside_arm:
            self._calls.append(pattern)
            self._tagged += [pattern] if "k" in pattern.attribute_names() else []
        return pattern

    def _callee(self, node: Node) -> pat.Callee:
        expr: Any = node.expr
        choice = self.rng.random()
        if self.mutate():
            return self.rng.choice(UNARY if len(node.operands) == 1 else BINARY)
        same = [c for c in self._calls if len(c.operands) == len(node.operands)]
        if same and choice < 0.15:
            return pat.SameOperator(self.rng.choice(same))
        if "unary" in expr.operator.traits and choice > 0.9:
            return pat.Trait("unary")
        return expr.operator

    def _constraint(self, k: int) -> tuple[Any, Demand]:
        wanted = 1 - k if self.mutate() else k
        if self._tagged and self.rng.random() < 0.6:
            other = self.rng.choice(self._tagged)
            shift = self.rng.choice((0, 0, 1, -1))
            term = other.k + shift if shift else other.k
            return term, lambda f, path, n: k_of(n) == k_of(f[instance(other, path)]) + shift
        return wanted, lambda f, path, n: k_of(n) == wanted


def k_of(node: Node) -> int:
    expr: Any = node.expr
    return int(expr.attributes["k"])


def _neighbours(roots: list[Node]) -> list[Node]:
    """Return calls that share an operand with, use, or feed one of `roots`."""
    below = dict.fromkeys(node for root in roots for node in (root, *root.operands))
    near = [user for node in below for user in node.users]
    near += [user for node in near for user in node.users]
    return [n for n in near if n not in roots and isinstance(n.expr, Call | Proj)]
