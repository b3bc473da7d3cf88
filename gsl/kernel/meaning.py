"""What kernels of operators are written with: operands element by element, and reductions.

A kernel is a function from the index of an element and the operands to the value of that element.
It holds for ints and for terms alike, so that one kernel speaks about all sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from gsl.attr.evaluate import choose, conjunction, contains, equal
from gsl.attr.term import Symbol, Term, operation
from gsl.attr.values import certainly_equal
from gsl.kernel.expression import (
    Apply,
    Expression,
    Number,
    Operand,
    Read,
    Reduction,
    Select,
    as_expression,
)
from gsl.types import ANY_INTEGER, Bool, Int, TensorType

Index = tuple[Int, ...]
"""The place of an element: one int or term for each axis."""


@dataclass(frozen=True, slots=True)
class Elements:
    """An operand of a kernel: `data[n, c]` is the value of the element at that index.

    An index promises to lie inside of `shape`; `padded` makes no promise and is 0 elsewhere.
    """

    type: TensorType
    read: Callable[[Index, bool], Expression]

    @property
    def shape(self) -> tuple[Int, ...]:
        """The sizes: ints or terms."""
        return self.type.shape

    @property
    def dtype(self) -> Any:
        """The element type: a name, or a term that stands for one."""
        return self.type.dtype

    @property
    def ndim(self) -> int:
        """The rank."""
        return len(self.type.shape)

    def __getitem__(self, index: Index) -> Expression:
        return self.read(index, False)

    def padded(self, index: Index) -> Expression:
        """Return the value at an index that may lie outside, where it is 0."""
        return self.read(index, True)

    def __iter__(self) -> None:
        raise TypeError("the elements of an operand are read by their indices")


def named(name: str, declared: TensorType) -> Elements:
    """Return the elements of a tensor that expressions read by its name."""
    return Elements(declared, lambda index, guarded: Read(name, index, guarded))


def inside(index: Index, shape: Index) -> Bool:
    """Return the condition that an index lies inside of a shape."""
    sides = ((i >= 0, i < size) for i, size in zip(index, shape, strict=True))
    return conjunction(*(side for pair in sides for side in pair))


def apply(function: str, *arguments: Operand) -> Expression:
    """Return a function of values; numbers and terms are taken for constants."""
    return Apply(function, tuple(map(as_expression, arguments)))


def select(condition: Bool, then: Operand, otherwise: Operand) -> Expression:
    """Return `then` where a condition about indices holds, else `otherwise`."""
    if isinstance(condition, Term):
        return Select(condition, as_expression(then), as_expression(otherwise))
    return as_expression(then if condition else otherwise)


def over(function: str, extents: Sequence[Int], body: Callable[..., Operand]) -> Expression:
    """Combine `body` of one new index for each extent by "sum", "product", "max" or "min"."""
    variables = tuple((Symbol(f"r{number}", low=0), e) for number, e in enumerate(extents))
    value = as_expression(body(*(symbol for symbol, _ in variables)))
    return Reduction(function, variables, value) if variables else value


def total(extents: Sequence[Int], body: Callable[..., Operand]) -> Expression:
    """Return the sum of `body` of one new index for each extent."""
    return over("sum", extents, body)


def cast(value: Expression, source: Any, target: Any) -> Expression:
    """Return a value of dtype `source` as one of dtype `target`."""
    if certainly_equal(source, target):
        return value
    return Apply("cast", (value, Number(source), Number(target)))


def number(value: Any, dtype: Any) -> Number:
    """Return the constant that a tensor of `dtype` makes of `value`: integers drop fractions."""
    if not isinstance(value, Term) and (not isfinite(value) or (value in (0, 1))):
        return Number(value)
    nearer = choose(value >= 0, _rounded("floor", value), _rounded("ceil", value))
    whole = choose(contains(dtype, ANY_INTEGER), nearer, value)
    return Number(choose(equal(dtype, "bool"), choose(equal(value, 0), 0, 1), whole))


def _rounded(head: str, value: Any) -> Any:
    if isinstance(value, Term):
        return operation(head, value)
    return int(value // 1) if head == "floor" else -int(-value // 1)


def stretched(index: Index, shape: Index, others: Sequence[Index]) -> Index:
    """Return where an operand of `shape` is read for element `index` of what it broadcasts to.

    `others` are the shapes of all operands, or the shape of the result.
    """
    own = index[len(index) - len(shape) :]
    return tuple(
        _stretched(i, size, [o[axis] for o in others if len(o) >= -axis])
        for i, size, axis in zip(own, shape, range(-len(shape), 0), strict=True)
    )


def _stretched(index: Int, size: Int, others: Sequence[Int]) -> Int:
    if certainly_equal(size, 1):
        return 0
    if all(certainly_equal(size, one) or certainly_equal(one, 1) for one in others):
        return index
    return choose(equal(size, 1), 0, index)
