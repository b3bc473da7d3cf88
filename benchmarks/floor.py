"""The floor that times are multiples of: what N nodes of plain Python cost in the same run.

N slotted nodes are built, traversed in post-order and rebuilt, with the collector paused. No
rewriter in Python that makes a new graph can do less.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from statistics import median
from time import process_time


class Plain:
    """A node with nothing but a name and operands."""

    __slots__ = ("name", "operands")

    def __init__(self, name: str, operands: tuple[Plain, ...]) -> None:
        self.name = name
        self.operands = operands


def once(size: int) -> None:
    """Build, traverse and rebuild `size` nodes, every third with two operands."""
    below = top = Plain("input", ())
    for number in range(size):
        operands = (top,) if number % 3 else (top, below)
        below, top = top, Plain("call", operands)
    rebuilt: dict[Plain, Plain] = {}
    for node in post_order(top):
        rebuilt[node] = Plain(node.name, tuple([rebuilt[operand] for operand in node.operands]))


def post_order(output: Plain) -> list[Plain]:
    order: list[Plain] = []
    seen: set[Plain] = set()
    stack = [(output, False)]
    while stack:
        node, expanded = stack.pop()
        if expanded:
            order.append(node)
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack.extend([(operand, False) for operand in reversed(node.operands)])
    return order


def seconds(work: Callable[[], object]) -> float:
    """Return the processor time that `work` takes, with the collector paused."""
    gc.collect()
    gc.disable()
    try:
        start = process_time()
        work()
        return process_time() - start
    finally:
        gc.enable()


def compared(
    work: Callable[[], object], size: int, repeats: int | None = None
) -> tuple[float, float]:
    """Return the medians of `work` and of the floor for `size` nodes, in seconds, taken in turn.

    They are medians of 5 times unless `repeats` is given, of more where these are short: other
    programs on the machine disturb milliseconds most, and exponents are fitted through small sizes.
    """
    works, floors = [], []
    for _ in range(repeats or min(45, 5 + 2 * (10_000 // size))):
        floors.append(seconds(lambda: once(size)))
        works.append(seconds(work))
    return median(works), median(floors)
