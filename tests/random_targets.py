"""Random targets for sources: calls, tuples, constants and copies, with computed attributes."""

from __future__ import annotations

from random import Random
from typing import Any

from gsl import attr, op, pat
from gsl.graph import reverse_post_order
from tests.match.toys import p_mark, p_pack, p_tag


class Targets:
    """Writes targets over the patterns of a source with a fixed number of outputs."""

    def __init__(self, rng: Random, source: tuple[pat.Pattern, ...]) -> None:
        self.rng = rng
        self._known = reverse_post_order(source)
        self._tensors = [p for p in self._known if isinstance(p, pat.Wildcard | pat.Variable)]
        self._calls = [p for p in self._known if isinstance(p, pat.Call)]

    def target(self, depth: int) -> pat.Pattern:
        """Return a tensor; sometimes one that was written before."""
        if not depth or self.rng.random() < 0.15:
            return self._tensor()
        write = self.rng.choice((
            self._unary, self._binary, self._copy, self._fields, self._instances, self._const,
        ))  # fmt: skip
        made: pat.Pattern = write(depth)
        self._tensors.append(made)
        return made

    def _tensor(self) -> pat.Pattern:
        return self.rng.choice(self._tensors) if self._tensors else pat.Const((1.0, 2.0))

    def number(self, depth: int = 2) -> Any:
        """Return an integer term over attributes of the source, some without a value."""
        if not depth or self.rng.random() < 0.3:
            known = [c.k for c in self._calls if "k" in c.attribute_names()]
            shapes = [t.shape[0] for t in self._tensors if isinstance(t, pat.Wildcard)]
            return self.rng.choice([*known, *known, *shapes, 0, 1, 3])
        one, other = attr.Cond(True, self.number(depth - 1), 0), self.number(depth - 1)
        return self.rng.choice([
            one + other, one - other, one * other, one // other, one % other, -one,
            attr.Min(one, other), attr.Cond(one < other, one, other),
            attr.Sum(lambda i: i + one, length=3), attr.Tuple(one, other)[one % 2],
        ])  # fmt: skip

    def _unary(self, depth: int) -> pat.Pattern:
        below = self.target(depth - 1)
        if self.rng.random() < 0.5:
            return self.rng.choice((op.Relu, op.Exp))(below)
        return self.rng.choice((p_tag, p_mark))(below, k=self.number())

    def _binary(self, depth: int) -> pat.Pattern:
        maker = self.rng.choice((op.Add, op.Multiply))
        return maker(self.target(depth - 1), self.target(depth - 1))  # type: ignore[no-any-return]

    def _copy(self, depth: int) -> pat.Pattern:
        unary = [c for c in self._calls if len(c.operands) == 1 and not _of_tuple(c)]
        if not unary:
            return self._unary(depth)
        call = self.rng.choice(unary)
        return op.same(call)(self.target(depth - 1), **pat.same_attr(call))

    def _fields(self, depth: int) -> pat.Pattern:
        fields = pat.Tuple(*(self.target(depth - 1) for _ in range(self.rng.randint(1, 3))))
        if self.rng.random() < 0.4:
            return fields[self.rng.randint(0, len(fields.operands))]
        return p_pack(fields)

    def _instances(self, depth: int) -> pat.Pattern:
        index = attr.Symbol("i")
        field = p_mark(self.target(depth - 1), k=self.number() + index)
        length = self.rng.choice((1, 3, self.number()))
        return p_pack(pat.Variadic(field, templates=[field], index=index, length=length))

    def _const(self, depth: int) -> pat.Pattern:
        number = attr.Cond(True, self.number(), 0)
        return pat.Const(attr.Tuple(number, number + 1), like=self._tensor())


def _of_tuple(call: pat.Call) -> bool:
    return isinstance(call.operands[0], pat.Tuple | pat.Variadic) or isinstance(
        call.callee, pat.Trait | pat.SameOperator
    )
