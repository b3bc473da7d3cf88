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


def multiple(work: Callable[[], object], size: int, repeats: int | None = None) -> float:
    """Return the time of `work` as a multiple of the floor for `size` nodes.

    It is the median of 9 unless `repeats` is given, of more where the work is short, because other
    programs on the machine disturb milliseconds most. Each time is compared with those of the floor
    just before and just after it, because the speed of a machine that is shared changes meanwhile.
    What there is beforehand is kept from the collector, which walked through all of it otherwise
    and left nothing in the caches of the processor between two measurements.
    """
    multiples = []
    gc.collect()
    gc.freeze()
    try:
        before = seconds(lambda: once(size))
        for _ in range(repeats or min(45, 9 + 6 * (10_000 // size))):
            took = seconds(work)
            after = seconds(lambda: once(size))
            multiples.append(2 * took / (before + after))
            before = after
    finally:
        gc.unfreeze()
    return median(multiples)
