"""Wrong rules that few numbers of fields and axes refute, and decisions that fall in one way only.

The wrong way is behind a condition that other graphs meet as well, so that both of its ways have
been taken before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gsl import Subst, attr, op, pat
from gslverify.codes.numeric import TOO_FEW_EXAMPLES
from gslverify.finding import Verdict
from gslverify.stages.numeric import NUMERIC
from tests.gslverify.seeds import SEEDS
from tests.gslverify.stages.asking import ask, is_refuted, only

pytestmark = pytest.mark.smt

Write = Callable[[], Subst]


def joined(
    chosen: Callable[[Any, Any, Any], Any], where: Callable[[Any], Any] | None = None
) -> Subst:
    """cat(exp(x_0), ...) => exp(cat(x_chosen(0), ...)), chosen by i, the length and the rank."""
    x = pat.Wildcard(dtype="float32")
    raised = op.Exp(x)
    fields = pat.Variadic(raised, templates=[raised, x])
    i, n = attr.Symbol("i"), fields.length
    inner = fields(x, chosen(i, n, fields(x, 0).ndim))
    inputs = pat.Variadic(inner, templates=[inner], index=i, length=n)
    alike = attr.All(lambda k: fields(x, k).shape == fields(x, 0).shape, length=n)
    allowed = [] if where is None else [where(n)]
    target = op.Exp(op.Concatenate(inputs, axis=0))
    return Subst(op.Concatenate(fields, axis=0), target, where=[alike, *allowed])


def hidden(behind: Any, shown: Any, i: Any) -> Any:
    """The first field where something holds, which something else that is harmless hides."""
    return attr.Cond(shown | behind, attr.Cond(shown, i, 0), i)


def thirteen_by_a_remainder() -> Subst:
    """Wrong where 7 n leaves 22 of 23: for 13 and 36 fields."""
    return joined(lambda i, n, rank: hidden((n * 7) % 23 == 22, n == 2, i))


def seven_fields_of_three_axes() -> Subst:
    return joined(lambda i, n, rank: hidden((n == 7) & (rank == 3), n == 2, i))


def product_of_fields_and_axes() -> Subst:
    return joined(lambda i, n, rank: hidden(n * rank == 21, n == 2, i))


def eleven_fields() -> Subst:
    """No usual number of fields is allowed."""
    return joined(lambda i, n, rank: hidden(n % 9 == 2, n == 5, i), lambda n: n % 6 == 5)


def square_above_fifty() -> Subst:
    return joined(lambda i, n, rank: attr.Cond(i * i > 50, 0, i))


def two_tuples(wrong: Callable[[Any, Any], Any]) -> Subst:
    """cat(cat(exp(x), ...), cat(-y, ...)), where both numbers of fields say which x is taken."""
    x, y = pat.Wildcard(dtype="float32"), pat.Wildcard(dtype="float32")
    one, other = op.Exp(x), op.Negative(y)
    ones = pat.Variadic(one, templates=[one, x])
    others = pat.Variadic(other, templates=[other, y])
    i, j = attr.Symbol("i"), attr.Symbol("j")
    chosen = hidden(wrong(ones.length, others.length), ones.length == 3, i)
    inner, second = ones(x, chosen), others(y, j)
    inputs = pat.Variadic(inner, templates=[inner], index=i, length=ones.length)
    seconds = pat.Variadic(second, templates=[second], index=j, length=others.length)
    alike = attr.All(lambda k: ones(x, k).shape == ones(x, 0).shape, length=ones.length)
    source = [op.Concatenate(tensors, axis=0) for tensors in (ones, others)]
    target = (op.Exp(op.Concatenate(inputs, axis=0)), op.Negative(op.Concatenate(seconds, axis=0)))
    whole = op.Concatenate(tuple(source), axis=0)
    return Subst(whole, op.Concatenate(target, axis=0), where=[alike])


def two_and_nine_fields() -> Subst:
    return two_tuples(lambda n, m: (n == 2) & (m == 9))


def flipped(axis: Callable[[Any], Any], least: int = 1) -> Subst:
    """flip[-1](exp(x)) => exp(flip(x)) along an axis that the rank says."""
    x = pat.Wildcard(dtype="float32")
    target = op.Exp(op.Flip(x, axis=axis(x.ndim)))
    return Subst(op.Flip(op.Exp(x), axis=-1), target, where=[x.ndim >= least])


def nine_axes() -> Subst:
    return flipped(lambda rank: attr.Cond(rank % 5 == 4, attr.Cond(rank == 4, -1, 0), -1))


def ranks_of_two_inputs() -> Subst:
    """Wrong where the first has two axes and the second has seven."""
    x, y = pat.Wildcard(dtype="int32"), pat.Wildcard(dtype="int32")
    hit = (x.ndim == 2) & (y.ndim * 3 == 21)
    axis = attr.Cond((x.ndim == 3) | hit, attr.Cond(x.ndim == 3, -1, 0), -1)
    first, second = op.Flip(x, axis=-1), op.Flip(y, axis=0)
    target = op.Maximum(op.Flip(x, axis=axis), second)
    return Subst(op.Maximum(first, second), target, where=[x.ndim >= 1, y.ndim >= 1])


def summed(wrong: Callable[[Any, Any], Any], shown: Callable[[Any], Any]) -> Subst:
    """sum[a](-x) => -sum(x) over the axes a, or over all."""
    x = pat.Wildcard(dtype="int32")
    total = op.Sum(op.Negative(x), keepdims=True)
    a, every = total.axis, attr.Variadic(lambda i: i, length=x.ndim)
    chosen = attr.Cond(shown(a) | wrong(a, x.ndim), attr.Cond(shown(a), a, every), a)
    return Subst(total, op.Negative(op.Sum(x, axis=chosen, keepdims=True)), where=[x.ndim >= 1])


def five_axes() -> Subst:
    """Right where these are all."""
    return summed(lambda a, rank: attr.Length(a) == 5, lambda a: attr.Length(a) == 1)


def six_axes_of_eight() -> Subst:
    return summed(
        lambda a, rank: (attr.Length(a) == 6) & (rank == 8), lambda a: attr.Length(a) == 1
    )


def sixth_axis_of_seven() -> Subst:
    return summed(lambda a, rank: (a[0] == 5) & (rank == 7), lambda a: a[0] == 0)


def last_but_six() -> Subst:
    """Wrong where an axis of seven is written -6."""
    x = pat.Wildcard(dtype="float32")
    source = op.Flip(op.Exp(x))
    a = source.axis
    axis = hidden(a * x.ndim == -42, a == 1, a)
    return Subst(source, op.Exp(op.Flip(x, axis=axis)))


def mirrored(axis: Callable[[Any, Any], Any]) -> Subst:
    """flip[a](exp(x)) => exp(flip(x)) for axes that are counted from the front."""
    x = pat.Wildcard(dtype="float32")
    source = op.Flip(op.Exp(x))
    a = source.axis
    return Subst(source, op.Exp(op.Flip(x, axis=axis(a, x.ndim))), where=[a >= 0])


def least_of_axes() -> Subst:
    """Wrong from seven axes on."""
    return mirrored(lambda a, rank: attr.Min(a, 5))


def remainder_of_axes() -> Subst:
    """Wrong along the last of eight axes."""
    return mirrored(lambda a, rank: a % 7)


def quotient_of_axes() -> Subst:
    """Wrong for axes 6 and 7, which both are 4."""
    return mirrored(lambda a, rank: a - (a // 6) * 2)


WRONG = (
    least_of_axes,
    remainder_of_axes,
    quotient_of_axes,
    five_axes,
    six_axes_of_eight,
    sixth_axis_of_seven,
    last_but_six,
    thirteen_by_a_remainder,
    seven_fields_of_three_axes,
    product_of_fields_and_axes,
    eleven_fields,
    square_above_fifty,
    two_and_nine_fields,
    nine_axes,
    ranks_of_two_inputs,
)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("write", WRONG, ids=lambda write: write.__name__)
def test_mistakes_at_few_counts_are_found(write: Write, seed: int) -> None:
    assert is_refuted(write, NUMERIC, seed=seed)


NEVER: dict[str, Write] = {
    "index from n on": lambda: joined(lambda i, n, rank: attr.Cond(i >= n, 0, i)),
    "negative": lambda: joined(lambda i, n, rank: attr.Cond(i * n < 0, 0, i)),
    "one field": lambda: joined(lambda i, n, rank: attr.Cond(n == 1, i + 9, i), lambda n: n >= 2),
    "odd": lambda: joined(lambda i, n, rank: attr.Cond(n % 2 == 1, 9, i), lambda n: n % 4 == 2),
    "product of two": lambda: two_tuples(lambda n, m: n * m < 0),
    "scalar": lambda: flipped(lambda rank: attr.Cond(rank == 0, 0, -1)),
    "vector": lambda: flipped(lambda rank: attr.Cond(rank * rank < 4, 7, -1), 2),
    "chain": lambda: flipped(lambda rank: attr.Cond(rank > 2, attr.Cond(rank < 2, 7, -1), -1)),
}


@pytest.mark.parametrize("write", NEVER.values(), ids=NEVER.keys())
def test_what_no_counts_decide_needs_no_graph(write: Write) -> None:
    result = ask(NUMERIC, write)
    assert result.verdict is Verdict.PASS
    assert not result.findings


def test_what_counts_out_of_reach_decide_leaves_the_verdict_open() -> None:
    result = ask(NUMERIC, lambda: joined(lambda i, n, rank: attr.Cond(i * i * i > 70000, 0, i)))
    assert only(result).code is TOO_FEW_EXAMPLES
