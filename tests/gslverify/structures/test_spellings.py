"""Ranks are conditions, keywords or tuples of sizes: the same structures, proofs and verdicts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gsl import Subst, op, pat
from gsl.pat import Pattern
from gslverify.finding import Verdict
from gslverify.stages.examination import scenarios_of
from gslverify.stages.numeric import NUMERIC
from gslverify.stages.prove import PROVE
from gslverify.stages.shape import SHAPE
from gslverify.structures.instance import Instance
from tests.gslverify.stages.asking import ask, question

pytestmark = pytest.mark.smt

Ranked = Callable[[int], Pattern]
"""Makes an input of so many axes."""

Write = Callable[[Ranked], tuple[Any, Any]]


def with_conditions(write: Write) -> Subst:
    where = []

    def ranked(rank: int) -> Pattern:
        x = pat.Wildcard()
        where.append(x.ndim == rank)
        return x

    source, target = write(ranked)
    return Subst(source, target, where=where)


def with_keywords(write: Write) -> Subst:
    return Subst(*write(lambda rank: pat.Wildcard(ndim=rank)))


def with_shapes(write: Write) -> Subst:
    return Subst(*write(lambda rank: pat.Wildcard(shape=(None,) * rank)))


def with_variables(write: Write) -> Subst:
    return Subst(*write(lambda rank: pat.Variable(ndim=rank)))


def with_variable_shapes(write: Write) -> Subst:
    return Subst(*write(lambda rank: pat.Variable(shape=(None,) * rank)))


OTHERS = [with_keywords, with_shapes, with_variables, with_variable_shapes]


def _transposes(ranked: Ranked) -> tuple[Any, Any]:
    first = op.Transpose(ranked(3))
    return op.Transpose(first, axes=(0, 2, 1)), op.Relu(first)


def _matmul_bias(ranked: Ranked) -> tuple[Any, Any]:
    x, w, b = ranked(3), ranked(2), ranked(1)
    product = op.Matmul(x, w)
    both = op.Matmul(x, w, **pat.same_attr(product))
    return product + b, b + both


def _distributed(ranked: Ranked) -> tuple[Any, Any]:
    x, y, w = ranked(2), ranked(2), ranked(2)
    first, second = op.Matmul(x, w), op.Matmul(y, w, out_dtype=None)
    return first + second, op.Matmul(x + y, w)


def _softmax(ranked: Ranked) -> tuple[Any, Any]:
    x = ranked(4)
    source = op.Softmax(x)
    return source, op.Softmax(x + 1, **pat.same_attr(source))


def _concatenated(ranked: Ranked) -> tuple[Any, Any]:
    x, y = ranked(2), ranked(2)
    joined = op.Concatenate((x, y))
    relus = op.Concatenate((op.Relu(x), op.Relu(y)), axis=joined.axis)
    return op.Relu(joined), relus


def _reduced(ranked: Ranked) -> tuple[Any, Any]:
    x = ranked(3)
    total = op.Sum(x)
    return op.Negative(total), op.Sum(op.Negative(x), **pat.same_attr(total))


def _expanded(ranked: Ranked) -> tuple[Any, Any]:
    x = ranked(2)
    expanded = op.ExpandDims(x)
    return op.Abs(expanded), op.ExpandDims(op.Abs(x), **pat.same_attr(expanded))


def _broadcast(ranked: Ranked) -> tuple[Any, Any]:
    x, y, z = ranked(3), ranked(1), ranked(0)
    return x * z + y * z, (x + y) * z


RIGHT: dict[str, Write] = {
    "double relu": lambda ranked: (op.Relu(op.Relu(x := ranked(3))), op.Relu(x)),
    "sum of two": lambda ranked: ((x := ranked(2)) + (y := ranked(2)), y + x),
    "a bias": _matmul_bias,
    "a matrix and a vector": lambda ranked: ((x := ranked(2)) * (y := ranked(1)), y * x),
    "three ranks": _broadcast,
    "a scalar": lambda ranked: (op.Abs(-(x := ranked(0))), op.Abs(x)),
    "concatenation": _concatenated,
    "a reduction": _reduced,
    "a new axis": _expanded,
    "five axes": lambda ranked: (op.Relu(op.Relu(x := ranked(5))), op.Relu(x)),
    "four axes": lambda ranked: (op.Relu((x := ranked(4)) * (y := ranked(4))), op.Relu(y * x)),
}
WRONG: dict[str, Write] = {
    "a transpose is a relu": _transposes,
    "a softmax": _softmax,
    "difference": lambda ranked: ((x := ranked(2)) - (y := ranked(2)), y - x),
    "difference of ranks": lambda ranked: ((x := ranked(3)) - (y := ranked(1)), y - x),
    "sign of a scalar": lambda ranked: (op.Abs(x := ranked(0)), x),
    "product of matrices": lambda ranked: (
        op.Matmul(x := ranked(2), y := ranked(2)), op.Matmul(y, x),
    ),
    "a factor": lambda ranked: ((x := ranked(3)) * (y := ranked(2)) * 2, x * y * 3),
    "a vector is squared": lambda ranked: ((x := ranked(1)) * x, x + x),
}  # fmt: skip
VACUOUS: dict[str, Write] = {
    "a product of four and a scalar": lambda ranked: (
        op.Matmul(x := ranked(4), y := ranked(0)), op.Matmul(x, y),
    ),
}  # fmt: skip
PAIRS = {**RIGHT, **WRONG, **VACUOUS}


def _structure(instance: Instance) -> tuple[Any, ...]:
    calls = [node.expr for node in instance.graph]
    ranks = tuple(str(getattr(expr.type, "ndim", None)) for expr in calls)
    return ranks, *(str(getattr(expr, "attributes", "")) for expr in calls)


def _examined(subst: Subst) -> list[tuple[Any, ...]]:
    found = scenarios_of(question(lambda: subst))
    return sorted(_structure(one.instance) for one in (*found.feasible, *found.large))


def _concluded(write: Callable[[], Subst]) -> list[Any]:
    shape, prove = ask(SHAPE, write), ask(PROVE, write)
    return [
        (result.verdict, result.status, [f.code for f in result.findings],
         [a.text for a in result.assurances])
        for result in (shape, prove)
    ]  # fmt: skip


def test_there_are_twenty_pairs() -> None:
    assert len(PAIRS) == 20


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("other", OTHERS)
def test_the_same_structures_however_ranks_are_written(
    name: str, other: Callable[[Write], Subst]
) -> None:
    found = _examined(with_conditions(PAIRS[name]))
    assert _examined(other(PAIRS[name])) == found
    assert bool(found) == (name not in VACUOUS)


@pytest.mark.parametrize("name", RIGHT)
@pytest.mark.parametrize("other", OTHERS)
def test_the_same_proof_however_ranks_are_written(
    name: str, other: Callable[[Write], Subst]
) -> None:
    concluded = _concluded(lambda: with_conditions(PAIRS[name]))
    assert _concluded(lambda: other(PAIRS[name])) == concluded
    assert all(verdict is Verdict.PASS for verdict, *_ in concluded)


@pytest.mark.parametrize("name", ["difference of ranks", "a transpose is a relu"])
@pytest.mark.parametrize("other", [with_conditions, with_keywords, with_shapes])
def test_the_same_mistake_however_ranks_are_written(
    name: str, other: Callable[[Write], Subst]
) -> None:
    stage = SHAPE if name == "a transpose is a relu" else NUMERIC
    assert ask(stage, lambda: other(PAIRS[name])).verdict is Verdict.FAIL


@pytest.mark.parametrize("write", [
    lambda x: (op.Relu(a := op.Transpose(x)), op.Transpose(op.Relu(x), axes=a.axes)),
    lambda x: (op.Negative(a := op.Sum(x)), op.Sum(-x, **pat.same_attr(a))),
])  # fmt: skip
def test_orders_and_sets_of_many_axes_are_sampled_and_not_called_all(write: Any) -> None:
    result = ask(PROVE, lambda: Subst(*write(pat.Wildcard(ndim=12))), max_variants=6)
    (assurance,) = result.assurances
    assert "tried" in assurance.text or " of " in assurance.text
