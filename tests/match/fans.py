"""Random rules with a variadic output, and graphs with several branches that they may merge.

A branch is made from a skeleton; the pattern of one field is the same skeleton. Branches share
leaves where they should not, feed one another, are damaged, or are used from outside.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

from gsl import Call, Expr, Subst, attr, pat
from gsl.graph import Graph, Node
from gsl.operators import Operator
from tests.match import toys
from tests.match.cutting import k_of
from tests.match.reference import Demand, Problem, instance


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


class Fan:
    """One random problem."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.leaves = [Leaf(True), Leaf(True)]
        self.skeleton = self._branch(rng.randint(1, 2))
        self.demands: dict[pat.Pattern, list[Demand]] = {}
        self.symbol = attr.Symbol("i")
        self.shared_patterns = {self.leaves[0]: pat.Wildcard()}
        shared = self.shared_patterns[self.leaves[0]]
        self.interior = rng.random() < 0.5
        second = pat.call(toys.RELU, (shared,)) if self.interior else pat.Wildcard()
        self.shared_patterns[self.leaves[1]] = second

    def _branch(self, depth: int) -> Branch:
        operator = self.rng.choice((toys.Tag, toys.Tag, toys.EXP, toys.ADD, toys.MULTIPLY))
        parts = tuple(self._part(depth - 1) for _ in operator.operands)
        return Branch(operator, parts)

    def _part(self, depth: int) -> Skeleton:
        if depth > 0 and self.rng.random() < 0.6:
            return self._branch(depth)
        return self.rng.choice([*self.leaves, Leaf(False)])

    def problem(self) -> Problem:
        """Return the rule and a graph for it."""
        field, templates = self._pattern(self.skeleton, {})
        first = None
        if self.rng.random() < 0.25:
            first = self._pattern(self.skeleton, {}, templates)[1]
            first = first if len(first) == len(templates) else None
        minimum = self.rng.choice((1, 1, 2, 3))
        variadic = pat.Variadic(
            field, templates=templates, first=first, index=self.symbol, min_len=minimum
        )
        where, meaning = self._where(variadic)
        return Problem(
            subst=Subst(variadic, variadic, where=where),
            graph=Graph(self._outputs()),
            demands=self.demands,
            where=meaning,
            positional=self._positional,
        )

    _positional = False

    def _pattern(
        self,
        part: Skeleton,
        made: dict[Skeleton, pat.Pattern],
        like: list[pat.Pattern] | None = None,
    ) -> tuple[pat.Pattern, list[pat.Pattern]]:
        """Return the pattern of a branch and its templates, `like` those of another field."""
        if isinstance(part, Leaf):
            if part.shared:
                return self.shared_patterns[part], []
            leaf = self.rng.choice((pat.Wildcard, pat.Wildcard, pat.Variable))()
            return leaf, [leaf]
        below = [self._pattern(p, made, like) for p in part.parts]
        templates = [template for _, inside in below for template in inside]
        pattern = self._call(part, [operand for operand, _ in below], first=like is not None)
        if like is None and self.rng.random() < 0.15:
            return self._alternative(part, pattern, below[0], templates)
        return pattern, [pattern, *templates]

    def _alternative(
        self, part: Branch, pattern: pat.Pattern, below: Any, templates: list[pat.Pattern]
    ) -> tuple[pat.Pattern, list[pat.Pattern]]:
        other: pat.Pattern = pat.call(toys.RELU, (below[0],))
        if part is not self.skeleton:
            other = self.rng.choice([below[0], pat.Wildcard(), other])
        arms = [pattern, other]
        self.rng.shuffle(arms)
        alternative = pat.Alt(*arms)
        extra = [] if other is below[0] else [other]
        return alternative, [alternative, pattern, *extra, *templates]

    def _call(self, part: Branch, operands: list[pat.Pattern], first: bool) -> pat.Call:
        choice = self.rng.random()
        if part.operator is not toys.Tag or choice < 0.4:
            return pat.call(part.operator, operands)
        symbol, demands = self.symbol, []
        if choice < 0.6 or first:
            k = self.rng.randint(0, 1)
            pattern = toys.p_tag(*operands, k=k)
            demands = [lambda f, path, n: k_of(n) == k]
        else:
            self._positional = True
            shift = self.rng.choice((0, 0, -1))
            pattern = toys.p_tag(*operands, k=symbol + shift if shift else symbol)
            demands = [lambda f, path, n: k_of(n) == path[-1][1] + shift]
        self.demands[pattern] = demands
        return pattern

    def _where(self, variadic: pat.Variadic) -> tuple[list[Any], Any]:
        length, bound = variadic.length, self.rng.randint(1, 3)
        sure = variadic.field if isinstance(variadic.field, pat.Call) else None
        tagged = sure is not None and sure.callee is toys.Tag
        k = self.rng.randint(0, 1)

        def every(f: Any, count: int) -> bool:
            places = [instance(variadic.field, ((variadic, i),)) for i in range(count)]
            return all(k_of(f[place]) == k for place in places)

        def each(i: attr.Symbol) -> Any:
            return variadic(variadic.field, i).k == k

        choices: list[tuple[list[Any], Any]] = [
            ([], lambda f, count: True),
            ([], lambda f, count: True),
            ([], lambda f, count: True),
            ([length <= bound], lambda f, count: count <= bound),
            ([length == bound], lambda f, count: count == bound),
            ([bound >= length - 1], lambda f, count: bound >= count - 1),
            ([length >= bound], lambda f, count: count >= bound),
            ([length % 2 == 1], lambda f, count: count % 2 == 1),
            ([(length < 3) | (length >= 4)], lambda f, count: count != 3),
        ]
        if tagged:
            choices += [([attr.All(each, length=length)], every)] * 3
            choices += [([attr.All(each, length=length) & (length <= 2)], lambda f, n: every(f, n) and n <= 2)]
        return self.rng.choice(choices)

    def _outputs(self) -> list[Expr]:
        x = toys.var("x")
        shared = [x, toys.relu(x) if self.interior or self.rng.random() < 0.3 else toys.var("y")]
        if self.rng.random() < 0.1:
            shared[0] = toys.var("z")
        made: list[Expr] = [*shared]
        own = [toys.var("w0")]
        branches: list[Expr] = []
        for _ in range(self.rng.randint(1, 5 if not self._positional else 4)):
            new = self._expr(self.skeleton, shared, own, branches, made)
            branches.append(new)
        used = {operand for e in made for operand in e.operands}
        sinks = [e for e in dict.fromkeys(made) if e not in used and isinstance(e, Call)]
        extra = [e for e in made if isinstance(e, Call) and self.rng.random() < 0.06]
        self.rng.shuffle(sinks)
        return list(dict.fromkeys([*sinks, *extra]))

    def _expr(
        self,
        part: Skeleton,
        shared: list[Expr],
        own: list[Expr],
        branches: list[Expr],
        made: list[Expr],
    ) -> Expr:
        if isinstance(part, Leaf):
            if part.shared and self.rng.random() < 0.95:
                return shared[self.leaves.index(part)]
            choice = self.rng.random()
            if choice < 0.12 and branches:
                return self.rng.choice(branches)
            if choice < 0.2 and branches:
                made.append(toys.exp(self.rng.choice(branches)))
                return made[-1]
            if choice < 0.35:
                return self.rng.choice(own)
            own.append(toys.var(f"w{len(own)}"))
            return own[-1]
        operands = [self._expr(p, shared, own, branches, made) for p in part.parts]
        operator = part.operator
        if self.rng.random() < 0.07:
            operator = self.rng.choice([o for o in (toys.EXP, toys.RELU, toys.ADD, toys.MULTIPLY) if len(o.operands) == len(operands)])
        attributes = {"k": self.rng.choice((0, 1, 1, 2) if self._positional else (0, 0, 1))} if "k" in operator.attributes else {}
        made.append(Call(operator, operands, attributes))
        return made[-1]
