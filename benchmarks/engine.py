"""How fast the engine rewrites: `python benchmarks/engine.py [--quick] [--json] [--only W1]`.

Times are those of the whole call `gsl.apply(workload, rules)` for rules applied before. They are
multiples of a floor measured in the same run (see `floor.py`), per operator or per user; where the
floor is 1 us a node, read them as us. Exponents are fitted over multiples, so that the caches of
the machine, which slow down the floor as well, do not count.
"""

from __future__ import annotations

import argparse
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import log
from statistics import median

import others
import workloads
from figures import Figure, report
from floor import multiple, once, seconds

from gsl import Call, Subst, Workload, apply
from gsl.graph import reverse_post_order

QUICK, FULL = (100, 1_000, 10_000), (100, 1_000, 10_000, 100_000)
FEW_USERS, MANY_USERS = (250, 500, 1_000), (250, 500, 1_000, 2_000, 4_000)
LARGE = 900
"""From here on a graph counts for the figure; in smaller ones the call itself is noticeable."""


@dataclass(frozen=True)
class Sample:
    """One size, in operators or users, and the multiple of the floor for each of them."""

    size: int
    multiple: float


Make = Callable[[int], Workload]


def figure(name: str, value: float, unit: str, target: float | None = None) -> Figure:
    met = None if target is None else value <= target
    return Figure(name, round(value, 3), unit, target, met)


def operators(workload: Workload) -> int:
    return sum(isinstance(expr, Call) for expr in reverse_post_order(workload.outputs))


def sample(workload: Workload, rules: Sequence[Subst]) -> Sample:
    size = operators(workload)
    return Sample(size, multiple(lambda: apply(workload, rules), size))


def exponent(samples: Sequence[Sample]) -> float:
    """Fit multiple * size ~ size ** exponent by least squares."""
    points = [(log(s.size), log(s.multiple * s.size)) for s in samples]
    mean_x, mean_y = (sum(values) / len(points) for values in zip(*points, strict=True))
    above = sum((x - mean_x) * (y - mean_y) for x, y in points)
    return above / sum((x - mean_x) ** 2 for x, _ in points)


def by_size(
    name: str, make: Make, rules: list[Subst], sizes: Sequence[int], target: float | None
) -> Iterator[Figure]:
    """Measure a workload at all sizes; the figure is the median from 1,000 operators on."""
    small = make(sizes[0])
    first = seconds(lambda: apply(small, rules))
    yield figure(f"{name}, first call ({len(rules)} rules compiled)", first * 1e3, "ms")
    samples = [sample(make(size), rules) for size in sizes]
    for one in samples:
        yield figure(f"{name}, {one.size} operators", one.multiple, "floors/operator")
    large = [one for one in samples if one.size >= LARGE]
    yield figure(name, median(one.multiple for one in large), "floors/operator", target)
    yield figure(f"{name}, exponent", exponent(large), "", 1.05)


def by_users(name: str, make: Make, rules: list[Subst], sizes: Sequence[int]) -> Iterator[Figure]:
    """Measure one tensor with many users; the figure is that at 1,000."""
    apply(make(10), rules)
    samples = [sample(make(size), rules) for size in sizes]
    for one in samples:
        yield figure(f"{name}, {one.size} users", one.multiple, "floors/user")
    yield figure(name, next(s.multiple for s in samples if s.size == 1_000), "floors/user", 10)
    yield figure(f"{name}, exponent", exponent(samples), "", 1.15)


def deepest(size: int) -> Iterator[Figure]:
    """Rewrite one deep chain, and see what memory it takes at its peak."""
    rules = workloads.double_relu()
    chain = workloads.deep_chain(size)
    taken = seconds(lambda: apply(chain, rules))
    yield Figure("deepest chain", size, "operators", 1_000_000, size >= 1_000_000)
    yield figure(
        "deepest chain, whole call", taken / seconds(lambda: once(size)), "floors/operator"
    )
    for part in (size // 100, size // 10):
        chain = workloads.deep_chain(part)
        tracemalloc.start()
        apply(chain, rules)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        yield figure(f"memory, {part} operators", peak / part, "bytes/operator")


def beside_others(
    workload: str, make: Make, rules: list[Subst], sizes: Sequence[int]
) -> Iterator[Figure]:
    """Measure a workload on other rewriters and here; ratios are those at the largest size."""
    ours = [sample(make(size), rules) for size in sizes]
    yield figure(f"{workload} here, {sizes[-1]} operators", ours[-1].multiple, "floors/operator")
    for name, measured in others.compare(workload, sizes):
        theirs = [Sample(size, multiple) for size, multiple in measured]
        multiple = theirs[-1].multiple
        yield figure(f"{workload} by {name}, {sizes[-1]} operators", multiple, "floors/operator")
        yield figure(f"{workload} by {name}, exponent", exponent(theirs), "")
        yield figure(f"{workload} by {name}, ratio to here", multiple / ours[-1].multiple, "times")


def figures(quick: bool) -> dict[str, Callable[[], Iterator[Figure]]]:
    sizes, users = (QUICK, FEW_USERS) if quick else (FULL, MANY_USERS)
    pairs = (120, 240, 480) if quick else (240, 480, 1_000)  # they take the square of it
    w = workloads
    relus, pair, many = w.double_relu(), w.two_convolutions(), w.many_convolutions()
    apart = w.independent_relus()
    return {
        "W1": lambda: by_size("W1 deep", w.deep_chain, relus, sizes, 2),
        "W1w": lambda: by_size("W1 wide", w.wide_chains, relus, sizes, 2),
        "W2": lambda: by_size("W2", w.convolution_pairs, pair, sizes, 4),
        "W3": lambda: by_size("W3", w.convolution_blocks, many, sizes, 4),
        "W4": lambda: by_size("W4", w.mixed_network, w.whole_corpus(), sizes, 4),
        "W5": lambda: by_size("W5 independent", w.branches, apart, sizes, None),
        "W5d": lambda: by_size("W5 dependent", w.dependent_relus, apart, sizes, None),
        "fan": lambda: by_users("fan-out", w.unlike_convolutions, pair, users),
        "fan-where": lambda: by_users("fan-out, by condition", w.unlike_kernels, pair, users),
        "fan-weight": lambda: by_users("fan-out, one weight", w.one_weight, pair, users),
        "fan-variadic": lambda: by_users("fan-out, variadic", w.unlike_kernels, many, users),
        "variadic": lambda: by_users("variadic", w.like_convolutions, many, users),
        "deep": lambda: deepest(100_000 if quick else 1_000_000),
        "others": lambda: beside_others("W1", w.deep_chain, relus, (250, 500, 1_000)),
        "others-W2": lambda: beside_others("W2", w.convolution_pairs, pair, pairs),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="graphs of up to 10,000 operators")
    parser.add_argument("--json", action="store_true", help="print a list of objects")
    parser.add_argument("--only", action="append", metavar="NAME", help="W1, W2, fan, deep, ...")
    chosen = parser.parse_args()
    report(
        (
            line
            for name, measure in figures(chosen.quick).items()
            if not chosen.only or name in chosen.only
            for line in measure()
        ),
        chosen.json,
    )


if __name__ == "__main__":
    main()
