"""Random rules with a variadic output, and graphs with several branches that they may merge.

A branch is made from a skeleton; the pattern of one field is the same skeleton. Branches share
leaves where they should not, feed one another, are damaged, or are used from outside.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from gsl import Call, Expr, Subst, attr, pat
from gsl.graph import Graph
from gsl.operators import Operator
from tests.match import toys
from tests.match.cutting import k_of
from tests.match.reference import Demand, Map, Problem, instance

UNARY = (toys.Tag, toys.Tag, toys.EXP)
OPERATORS = (*UNARY, toys.ADD, toys.MULTIPLY)


@dataclass(frozen=True, eq=False)
class Leaf:
    """An operand that all branches share, or that every branch has for itself."""

    shared: bool


@dataclass(frozen=True, eq=False)
class Branch:
    """An operator over leaves and smaller branches."""

    operator: Operator
    parts: tuple[Skeleton, ...]


Skeleton = Leaf | Branch


def random_branch(rng: Random, shared: list[Leaf], depth: int) -> Branch:
    operator = rng.choice(OPERATORS)
    parts: list[Skeleton] = []
    for _ in operator.operands:
        deeper = depth > 1 and rng.random() < 0.6
        leaf = rng.choice([*shared, Leaf(shared=False)])
        parts.append(random_branch(rng, shared, depth - 1) if deeper else leaf)
    return Branch(operator, tuple(parts))


def fan_problem(rng: Random) -> Problem:
    """Return a random rule with a variadic output and a graph for it."""
    shared = [Leaf(shared=True), Leaf(shared=True)]
    skeleton = random_branch(rng, shared, rng.randint(1, 2))
    interior = rng.random() < 0.5
    rule = FanRule(rng, skeleton, shared, interior)
    crowd = Crowd(rng, skeleton, shared, interior, rule.positional)
    where, meaning = condition(rng, rule.variadic)
    return Problem(
        subst=Subst(rule.variadic, rule.variadic, where=where),
        graph=Graph(crowd.outputs(rng.randint(1, 4 if rule.positional else 5))),
        demands=rule.demands,
        where=meaning,
        positional=rule.positional,
    )


Made = tuple[pat.Pattern, list[pat.Pattern]]
"""A pattern and the templates in it."""


class FanRule:
    """The variadic pattern for a skeleton; `interior` makes the second shared leaf a call."""

    def __init__(self, rng: Random, skeleton: Branch, shared: list[Leaf], interior: bool) -> None:
        self.rng = rng
        self.skeleton = skeleton
        self.positional = False
        self.demands: dict[pat.Pattern, list[Demand]] = {}
        self._symbol = attr.Symbol("i")
        x = pat.Wildcard()
        second = pat.call(toys.RELU, (x,)) if interior else pat.Wildcard()
        self._shared: dict[Skeleton, pat.Pattern] = {shared[0]: x, shared[1]: second}
        field, templates = self._field(skeleton, first=False)
        head = self._field(skeleton, first=True)[1] if rng.random() < 0.25 else []
        self.variadic = pat.Variadic(
            field,
            templates=templates,
            first=head if len(head) == len(templates) else None,
            index=self._symbol,
            min_len=rng.choice((1, 1, 2, 3)),
        )

    def _field(self, part: Skeleton, first: bool) -> Made:
        if isinstance(part, Leaf):
            if part.shared:
                return self._shared[part], []
            leaf = self.rng.choice((pat.Wildcard, pat.Wildcard, pat.Variable))()
            return leaf, [leaf]
        below = [self._field(p, first) for p in part.parts]
        templates = [template for _, inside in below for template in inside]
        pattern = self._call(part.operator, [operand for operand, _ in below], first)
        if not first and self.rng.random() < 0.15:
            return self._alternative(part, pattern, templates)
        return pattern, [pattern, *templates]

    def _alternative(self, part: Branch, call: pat.Call, templates: list[pat.Pattern]) -> Made:
        below = call.operands[0]
        other: pat.Pattern = pat.call(toys.RELU, (below,))
        if part is not self.skeleton:
            other = self.rng.choice([below, pat.Wildcard(), other])
        arms = [call, other]
        self.rng.shuffle(arms)
        alternative = pat.Alt(*arms)
        new = [] if other is below else [other]
        return alternative, [alternative, call, *new, *templates]

    def _call(self, operator: Operator, operands: list[pat.Pattern], first: bool) -> pat.Call:
        choice = self.rng.random()
        if operator is not toys.Tag or choice < 0.4:
            return pat.call(operator, operands)
        if choice < 0.6 or first:
            k = self.rng.randint(0, 1)
            pattern = toys.p_tag(*operands, k=k)
            self.demands[pattern] = [lambda f, path, n: k_of(n) == k]
            return pattern
        self.positional = True
        shift = self.rng.choice((0, 0, -1))
        pattern = toys.p_tag(*operands, k=self._symbol + shift)
        self.demands[pattern] = [lambda f, path, n: k_of(n) == path[-1][1] + shift]
        return pattern


Condition = tuple[list[Any], Callable[[Map, int], bool]]


def condition(rng: Random, variadic: pat.Variadic) -> Condition:
    """Return a condition on the length or the fields, with its meaning; often none."""
    length, bound, k = variadic.length, rng.randint(1, 3), rng.randint(0, 1)
    choices: list[Condition] = [
        ([], lambda f, n: True),
        ([], lambda f, n: True),
        ([], lambda f, n: True),
        ([length <= bound], lambda f, n: n <= bound),
        ([length == bound], lambda f, n: n == bound),
        ([bound >= length - 1], lambda f, n: bound >= n - 1),
        ([length >= bound], lambda f, n: n >= bound),
        ([length % 2 == 1], lambda f, n: n % 2 == 1),
        ([(length < 3) | (length >= 4)], lambda f, n: n != 3),
    ]
    field = variadic.field
    if isinstance(field, pat.Call) and field.callee is toys.Tag:

        def all_tagged(f: Map, n: int) -> bool:
            return all(k_of(f[instance(field, ((variadic, i),))]) == k for i in range(n))

        every = attr.All(lambda i: variadic(field, i).k == k, length=length)
        choices += [([every], all_tagged)] * 3
        choices += [([every & (length <= 2)], lambda f, n: all_tagged(f, n) and n <= 2)]
    return rng.choice(choices)


class Crowd:
    """A graph of several branches over common operands."""

    def __init__(
        self, rng: Random, skeleton: Branch, shared: list[Leaf], interior: bool, positional: bool
    ) -> None:
        self.rng = rng
        self.skeleton = skeleton
        self.tags = (0, 1, 1, 2) if positional else (0, 0, 1)
        x = toys.var("x")
        second = toys.relu(x) if interior or rng.random() < 0.3 else toys.var("y")
        first = toys.var("z") if rng.random() < 0.1 else x
        self._shared: dict[Skeleton, Expr] = {shared[0]: first, shared[1]: second}
        self._made: list[Expr] = [second]
        self._own: list[Expr] = [toys.var("w0")]
        self._branches: list[Expr] = []

    def outputs(self, count: int) -> list[Expr]:
        """Return the outputs of a graph of `count` branches, in any order."""
        for _ in range(count):
            self._branches.append(self._grow(self.skeleton))
        used = {operand for expr in self._made for operand in expr.operands}
        calls = [expr for expr in dict.fromkeys(self._made) if isinstance(expr, Call)]
        sinks = [expr for expr in calls if expr not in used]
        self.rng.shuffle(sinks)
        return list(dict.fromkeys([*sinks, *(c for c in calls if self.rng.random() < 0.06)]))

    def _grow(self, part: Skeleton) -> Expr:
        if isinstance(part, Leaf):
            return self._leaf(part)
        operands = [self._grow(p) for p in part.parts]
        operator = part.operator
        if self.rng.random() < 0.07:
            same = [o for o in OPERATORS if len(o.operands) == len(operands)]
            operator = self.rng.choice([*same, toys.RELU] if len(operands) == 1 else same)
        attributes = {"k": self.rng.choice(self.tags)} if "k" in operator.attributes else {}
        self._made.append(Call(operator, operands, attributes))
        return self._made[-1]

    def _leaf(self, leaf: Leaf) -> Expr:
        if leaf.shared and self.rng.random() < 0.95:
            return self._shared[leaf]
        choice = self.rng.random()
        if choice < 0.12 and self._branches:
            return self.rng.choice(self._branches)
        if choice < 0.2 and self._branches:
            self._made.append(toys.exp(self.rng.choice(self._branches)))
            return self._made[-1]
        if choice > 0.35:
            self._own.append(toys.var(f"w{len(self._own)}"))
            return self._own[-1]
        return self.rng.choice(self._own)
