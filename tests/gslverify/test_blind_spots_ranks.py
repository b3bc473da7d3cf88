"""Wrong rules of many inputs: ranks are in `where` or in the patterns, and nothing else differs."""

from __future__ import annotations

from typing import Any

import pytest

from gsl import Subst, attr, op, pat
from gslverify.finding import Verdict
from gslverify.stages.examination import scenarios_of
from gslverify.stages.numeric import NUMERIC
from gslverify.stages.prove import PROVE
from gslverify.stages.satisfiable import SATISFIABLE
from gslverify.stages.shape import SHAPE
from tests.gslverify.seeds import SEEDS
from tests.gslverify.stages.asking import ask, is_refuted, question

pytestmark = pytest.mark.smt


def projections(by_shape: bool, wrong: bool) -> Subst:
    """Three products with biases as one; wrong if the third gets the bias of the second."""
    x = pat.Wildcard()
    w_shape, b_shape = ((None, None), (None,)) if by_shape else (None, None)
    weights = [pat.Variable(shape=w_shape) for _ in range(3)]
    biases = [pat.Variable(shape=b_shape) for _ in range(3)]
    first = op.Matmul(x, weights[0])
    others = [op.Matmul(x, w, **pat.same_attr(first)) for w in weights[1:]]
    sums = [product + b for product, b in zip([first, *others], biases, strict=True)]
    last = biases[1] if wrong else biases[2]
    bias = op.Concatenate((*biases[:2], last), axis=0)
    both = op.Matmul(x, op.Concatenate(tuple(weights), axis=1), **pat.same_attr(first)) + bias
    sizes = [w.shape[1] for w in weights]
    pieces = op.Split(both, indices_or_sections=(sizes[0], sizes[0] + sizes[1]), axis=2)
    where = [x.ndim == 3]
    if not by_shape:
        where += [w.ndim == 2 for w in weights] + [b.ndim == 1 for b in biases]
    where += [b.shape[0] == size for b, size in zip(biases, sizes, strict=True)]
    where += [biases[1].shape[0] == biases[2].shape[0]] if wrong else []
    return Subst(sums, [pieces[0], pieces[1], pieces[2]], where=where)


@pytest.mark.parametrize("by_shape", [False, True])
def test_seven_inputs_are_proved_however_ranks_are_written(by_shape: bool) -> None:
    (assurance,) = ask(PROVE, lambda: projections(by_shape, wrong=False)).assurances
    assert assurance.text == "proved, ranks 1-3"


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("by_shape", [False, True])
def test_a_mistake_in_seven_inputs_is_found_however_ranks_are_written(
    by_shape: bool, seed: int
) -> None:
    assert is_refuted(lambda: projections(by_shape, wrong=True), NUMERIC, seed=seed)


def along_axis_one() -> Subst:
    """Three products as one, cut along axis 1: right for two axes of x only."""
    x = pat.Wildcard()
    weights = [pat.Variable() for _ in range(3)]
    first = op.Matmul(x, weights[0])
    others = [op.Matmul(x, w, **pat.same_attr(first)) for w in weights[1:]]
    both = op.Matmul(x, op.Concatenate(tuple(weights), axis=1), **pat.same_attr(first))
    sizes = [w.shape[1] for w in weights]
    pieces = op.Split(both, indices_or_sections=(sizes[0], sizes[0] + sizes[1]), axis=1)
    where = [x.ndim >= 2, *(w.ndim == 2 for w in weights)]
    return Subst([first, *others], [pieces[0], pieces[1], pieces[2]], where=where)


def test_a_mistake_from_rank_three_on_is_found() -> None:
    assert ask(SHAPE, along_axis_one).verdict is Verdict.FAIL


def third_branch(by_shape: bool) -> Subst:
    """Any number of products with biases as one; the third gets the bias of the second."""
    x = pat.Wildcard()
    w_shape, b_shape = ((None, None), (None,)) if by_shape else (None, None)
    first_w, w = pat.Variable(shape=w_shape), pat.Variable(shape=w_shape)
    first_b, b = pat.Variable(shape=b_shape), pat.Variable(shape=b_shape)
    first = op.Matmul(x, first_w)
    one = op.Matmul(x, w, **pat.same_attr(first))
    total, head = one + b, [first + first_b, first, first_w, first_b]
    sums = pat.Variadic(total, templates=[total, one, w, b], first=head, min_len=2)
    i, j, n = attr.Symbol("i"), attr.Symbol("j"), attr.Symbol("n")
    weight, bias = sums(w, i), sums(b, attr.Min(j, 1))
    weights = pat.Variadic(weight, templates=[weight], index=i, length=sums.length)
    biases = pat.Variadic(bias, templates=[bias], index=j, length=sums.length)
    both = op.Matmul(x, op.Concatenate(weights, axis=1), **pat.same_attr(first))
    result = both + op.Concatenate(biases, axis=0)
    size = first_w.shape[1]
    cuts = attr.Variadic(lambda k: (k + 1) * size, length=sums.length - 1)
    piece = op.Split(result, indices_or_sections=cuts, axis=-1)[n]

    def fits(k: Any) -> Any:
        sizes = (sums(w, k).shape[1] == size) & (sums(b, k).shape[0] == size)
        return (sums(w, k).ndim == 2) & (sums(b, k).ndim == 1) & sizes

    where = [x.ndim >= 2, attr.All(fits, length=sums.length)]
    return Subst(sums, pat.Variadic(piece, templates=[piece], index=n), where=where)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("by_shape", [False, True])
def test_a_mistake_in_the_third_branch_is_found(by_shape: bool, seed: int) -> None:
    assert is_refuted(lambda: third_branch(by_shape), NUMERIC, seed=seed)


def test_both_ways_to_write_ranks_have_the_same_structures() -> None:
    counts = []
    for by_shape in (False, True):
        asked = question(lambda by_shape=by_shape: third_branch(by_shape))
        assert SATISFIABLE.run(asked).verdict is Verdict.PASS
        found = scenarios_of(asked)
        assert found.complete
        counts.append((len(found.feasible), found.structures))
    assert counts[0] == counts[1]


def everything_related(count: int) -> Subst:
    inputs = [pat.Wildcard() for _ in range(count)]
    total = inputs[0].ndim
    for place, one in enumerate(inputs[1:], 1):
        total = total + one.ndim * 5**place
    outputs = [op.Relu(one) for one in inputs]
    return Subst(outputs, outputs, where=[total % 1_000_003 == 999_983])


def test_what_is_too_much_is_inconclusive_and_says_what_is_open() -> None:
    result = ask(SATISFIABLE, lambda: everything_related(12))
    assert result.verdict is Verdict.INCONCLUSIVE
    assert "the rank of" in result.findings[0].details[0]
