"""The graphs and rules that `engine.py` measures."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

from gsl import Call, Const, Expr, Proj, Subst, Tuple, Var, Workload, op, pat
from gsl.operators import REGISTRY
from gsl.rule_collector import collecting

CORPUS = Path(__file__).parent.parent / "rule_corpus" / "sound"
IMAGE = (1, 8, 8, 8)
MATRIX = (4, 4)


def call(name: str, *operands: Expr, **attributes: object) -> Call:
    return Call(REGISTRY[name], operands, attributes)


def corpus(*files: str) -> dict[str, Subst]:
    """Return the rules of some files of the corpus, by default of all, by name."""
    found: dict[str, Subst] = {}
    for path in sorted(CORPUS.glob("*.py")):
        if files and path.stem not in files:
            continue
        spec = importlib.util.spec_from_file_location(f"corpus_{path.stem}", path)
        assert spec is not None
        assert spec.loader is not None
        with collecting() as rules:
            spec.loader.exec_module(importlib.util.module_from_spec(spec))
        found.update((rule.name, rule()) for rule in rules)
    return found


def double_relu() -> list[Subst]:
    """W1: relu(relu(x)) => relu(x)."""
    x = pat.Wildcard()
    return [Subst(op.Relu(op.Relu(x)), op.Relu(x))]


UNARY = ("Exp", "Tanh", "Negative", "Sigmoid")


def unary_chain(start: Expr, calls: int) -> Expr:
    """Return a chain with two adjacent relus in every ten operators."""
    expr = start
    for number in range(calls):
        name = "Relu" if number % 10 in (4, 5) else UNARY[number % len(UNARY)]
        expr = call(name, expr)
    return expr


def deep_chain(calls: int) -> Workload:
    """W1, deep: one chain."""
    return Workload(unary_chain(Var("x", MATRIX), calls))


def wide_chains(calls: int) -> Workload:
    """W1, wide: chains of 50 operators over one input, all of them outputs."""
    x = Var("x", MATRIX)
    return Workload([unary_chain(x, 50) for _ in range(max(1, calls // 50))])


def two_convolutions() -> list[Subst]:
    """W2: two parallel convolutions => concat + conv + split, for every layout."""
    return [corpus("parallel")["parallel_two_conv"]]


def convolution_pairs(calls: int) -> Workload:
    """W2: blocks of two convolutions of one tensor, their sum and a relu."""
    expr: Expr = Var("x", IMAGE)
    for number in range(calls // 4):
        left, right = (Var(f"{side}{number}", (8, 8, 3, 3)) for side in ("l", "r"))
        one, two = (call("Conv2D", expr, w, padding=1) for w in (left, right))
        expr = call("Relu", call("Add", one, two))
    return Workload(expr)


def independent_relus() -> list[Subst]:
    """W5: two relus of tensors of equal shape => cat + relu + split, wherever they are."""
    return [corpus("side_by_side")["independent_relus"]]


def branches(calls: int) -> Workload:
    """W5: chains of ten operators, four of a shape, with relus at two depths."""
    chains: list[Expr] = []
    for number in range(max(1, calls // 10)):
        expr: Expr = Var(f"x{number}", (4, number // 4 + 1))
        for place in range(10):
            expr = call("Relu" if place == 4 + number % 2 else "Exp", expr)
        chains.append(expr)
    return Workload(chains)


def dependent_relus(calls: int) -> Workload:
    """W5: a chain with a relu in every second place: all of them agree, and none may be merged."""
    expr: Expr = Var("x", MATRIX)
    for place in range(calls):
        expr = call("Exp" if place % 2 else "Relu", expr)
    return Workload(expr)


def many_convolutions() -> list[Subst]:
    """W3: any number of parallel convolutions => concat + conv + split."""
    return [corpus("parallel")["parallel_conv_variadic"]]


def convolution_blocks(calls: int) -> Workload:
    """W3: blocks of 2 to 8 convolutions of one tensor, put together and reduced again."""
    expr: Expr = Var("x", IMAGE)
    done = number = 0
    while done < calls:
        branches = 2 + number % 7
        weights = [Var(f"w{number}_{i}", (4 + 4 * (i % 2), 8, 3, 3)) for i in range(branches)]
        joined = call(
            "Concatenate", Tuple([call("Conv2D", expr, w, padding=1) for w in weights]), axis=1
        )
        expr = call("Conv2D", joined, Var(f"p{number}", (8, joined.shape[1], 1, 1)))
        done, number = done + branches + 2, number + 1
    return Workload(expr)


FIRST_FILES = (
    "algebra", "bias", "concat_split", "convolution", "elementwise", "indexing", "matmul",
    "movement", "normalisation", "padding", "parallel", "predicates", "reductions", "transpose",
    "values",
)  # fmt: skip


def whole_corpus() -> list[Subst]:
    """W4: the files of the corpus that came first; later ones have rules that undo others."""
    return list(corpus(*FIRST_FILES).values())


def mixed_network(calls: int) -> Workload:
    """W4: what networks are made of, in random order, with something to rewrite here and there."""
    rng = Random(1)
    expr: Expr = Var("x", MATRIX)
    done = 0
    while done < calls:
        block, size = rng.choice(BLOCKS)
        expr, done = block(expr, done), done + size
    return Workload(expr)


def _dense(expr: Expr, number: int) -> Expr:
    product = call("Matmul", expr, Var(f"w{number}", MATRIX))
    biased = call("Add", product, Var(f"b{number}", MATRIX[1:]))
    return call("Tanh", call("Multiply", biased, Var(f"s{number}", MATRIX)))


def _gate(expr: Expr, number: int) -> Expr:
    gate = call("Sigmoid", call("Matmul", expr, Var(f"g{number}", MATRIX)))
    return call("Add", call("Multiply", gate, expr), call("Tanh", call("Exp", expr)))


def _softmax(expr: Expr, number: int) -> Expr:
    scaled = call("Divide", call("Exp", expr), Var(f"t{number}", MATRIX))
    return call("Maximum", call("Softmax", scaled, axis=1), Var(f"m{number}", MATRIX))


def _norm(expr: Expr, number: int) -> Expr:
    mean = call("Mean", expr, axis=(1,), keepdims=True)
    centred = call("Subtract", expr, mean)
    return call("Divide", centred, call("Sqrt", call("Exp", mean)))


def _relus(expr: Expr, number: int) -> Expr:
    return call("Tanh", call("Relu", call("Relu", expr)))


def _transposes(expr: Expr, number: int) -> Expr:
    return call("Transpose", call("Transpose", call("Sigmoid", expr)))


def _negations(expr: Expr, number: int) -> Expr:
    return call("Exp", call("Negative", call("Negative", expr)))


def _pieces(expr: Expr, number: int) -> Expr:
    pieces = call("Split", expr, indices_or_sections=2)
    fields = Tuple([Proj(pieces, 0), Proj(pieces, 1)])
    return call("Tanh", call("Concatenate", fields))


def _scale(expr: Expr, number: int) -> Expr:
    return call("Add", call("Multiply", expr, Const(2.0)), Const(1.0))


BLOCKS: Sequence[tuple[Callable[[Expr, int], Expr], int]] = (
    (_dense, 4), (_dense, 4), (_gate, 6), (_gate, 6), (_softmax, 4), (_norm, 5), (_scale, 2),
    (_relus, 3), (_transposes, 3), (_negations, 3), (_pieces, 3),
)  # fmt: skip


def unlike_convolutions(users: int) -> Workload:
    """Fan-out: convolutions of one tensor, no two with one padding, so that no pair matches."""
    x = Var("x", IMAGE)
    weights = (Var(f"w{i}", (8, 8, 3, 3)) for i in range(users))
    return Workload([call("Conv2D", x, w, padding=i + 1) for i, w in enumerate(weights)])


def unlike_kernels(users: int) -> Workload:
    """Fan-out: the same, but told apart by the sizes of their kernels, in a condition."""
    x = Var("x", (1, 8, users + 3, 8))
    weights = [Var(f"w{i}", (8, 8, i + 1, 3)) for i in range(users)]
    return Workload([call("Conv2D", x, w) for w in weights])


def one_weight(users: int) -> Workload:
    """Fan-out: the same convolution again and again; two wildcards stand for two weights."""
    x, w = Var("x", IMAGE), Var("w", (8, 8, 3, 3))
    return Workload([call("Conv2D", x, w) for _ in range(users)])


def like_convolutions(users: int) -> Workload:
    """One tensor with convolutions that all match as one variadic source."""
    x = Var("x", IMAGE)
    return Workload([call("Conv2D", x, Var(f"w{i}", (8, 8, 3, 3))) for i in range(users)])
