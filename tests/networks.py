"""Random networks that share, repeat operands and have several outputs, for property tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from hypothesis import strategies as st

from gsl import Expr, Proj, Tuple
from gsl.graph import reverse_post_order
from tests.match.toys import add, const, exp, half, multiply, negative, pack, relu, var

Step = tuple[str, int, int]

STEPS: dict[str, Callable[[Expr, Expr], Expr]] = {
    "relu": lambda left, right: relu(left),
    "negative": lambda left, right: negative(left),
    "add": add,
    "multiply": multiply,
    "pack": pack,
    "halves": lambda left, right: half(left, 1),
    "pair": lambda left, right: Proj(Tuple([left, right]), 0),
    "const": lambda left, right: const(2.0),
}

VALUES = {
    "x": np.array([1.5, -2.0], "float32"),
    "y": np.array([0.5, 3.0], "float32"),
}


def build(steps: Sequence[Step], outputs: Sequence[int]) -> tuple[Expr, ...]:
    """Each step adds an expression over two of those made before it, counted from the end."""
    made: list[Expr] = [var("x"), var("y")]
    for kind, left, right in steps:
        made.append(STEPS[kind](made[-1 - left % len(made)], made[-1 - right % len(made)]))
    return tuple(made[-1 - output % len(made)] for output in outputs)


positions = st.integers(0, 6)
networks = st.builds(
    build,
    st.lists(st.tuples(st.sampled_from(sorted(STEPS)), positions, positions), max_size=15),
    st.lists(positions, min_size=1, max_size=3),
)


def chain(length: int) -> Expr:
    """Return `length` unary calls on top of each other, without inferring the type of each."""
    expr: Expr = var("x")
    kinds = exp(expr), relu(expr)
    for number in range(length):
        expr = kinds[number % 2].with_operands((expr,))
    return expr


def structure(outputs: Sequence[Expr]) -> list[tuple[str, str, tuple[int, ...]]]:
    """Return everything but the identities of the expressions below `outputs`, and the outputs."""
    order = reverse_post_order(outputs)
    position = {expr: number for number, expr in enumerate(order)}
    below = [
        (repr(expr), str(expr.type), tuple(position[operand] for operand in expr.operands))
        for expr in order
    ]
    return [*below, ("outputs", "", tuple(position[output] for output in outputs))]
