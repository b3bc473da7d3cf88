"""Linear rules are proved for all sizes, and what differs from them by little is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gsl import Subst, attr, op, pat
from gslverify.finding import Verdict
from gslverify.prove.claim import is_proved
from gslverify.stages.prove import PROVE
from tests.gslverify.prove.proving import corpus, is_proved_rule
from tests.gslverify.stages.asking import ask

pytestmark = pytest.mark.smt

LINEAR = (
    "avg_pool_as_conv",
    "avg_pool_of_one",
    "conv_of_shifted",
    "conv_shortcut_add",
    "full_avg_pool_as_global",
    "parallel_group_conv_variadic",
    "scale_of_transposed_conv",
    "sum_of_batch_matmul",
    "sum_of_concat_of_sums",
    "sum_of_reshape",
    "transpose_as_reshape",
)
"""Rules of the corpus that need more than the alignment of equal sums."""


@pytest.mark.parametrize("name", LINEAR)
def test_linear_rules_of_the_corpus_are_proved(name: str) -> None:
    (rule,) = [rule for rule in corpus("sound") if rule.name == name]
    assert is_proved_rule(rule)


def pooled(padding: int, number: float) -> Subst:
    x = pat.Variable(shape=(None, None, None, None), dtype="float32")
    pool = op.AvgPool2D(
        x,
        pool_size=(2, 2),
        strides=(1, 1),
        padding=(padding, 0, 0, 0),
        dilation=(1, 1),
        layout="NCHW",
        count_include_pad=False,
        ceil_mode=False,
    )
    kernel = op.Ones(shape=(x.shape[1], 1, 2, 2), dtype="float32")
    conv = op.Conv2D(
        x,
        kernel,
        strides=(1, 1),
        padding=(padding, 0, 0, 0),
        dilation=(1, 1),
        groups=x.shape[1],
        data_layout="NCHW",
        kernel_layout="OIHW",
        out_dtype="float32",
    )
    return Subst(pool, conv / number)


def flattened_sum(kept: int) -> Subst:
    x = pat.Variable(shape=(None, None, None))
    flat = op.Reshape(x, shape=(x.shape[0], x.shape[1] * x.shape[2]))
    total = op.Sum(flat, axis=(1,), keepdims=False)
    axes = tuple(axis for axis in range(3) if axis != kept)
    return Subst(total, op.Sum(x, axis=axes, keepdims=False), where=[x.shape[0] == x.shape[kept]])


def batches(order: tuple[int, ...]) -> Subst:
    x, y = pat.Variable(shape=(None, None, None)), pat.Variable(shape=(None, None, None))
    total = op.Sum(op.Matmul(x, y, out_dtype=x.dtype), axis=(0,), keepdims=False)
    inner = x.shape[0] * x.shape[2]
    rows = op.Reshape(op.Transpose(x, axes=order), shape=(x.shape[1], inner))
    columns = op.Reshape(y, shape=(inner, y.shape[2]))
    where = [x.shape[0] == y.shape[0], x.shape[0] == x.shape[1], x.shape[1] == x.shape[2]]
    return Subst(total, op.Matmul(rows, columns, out_dtype=x.dtype), where=where)


def moved(unit: int) -> Subst:
    x = pat.Variable(shape=(None, None, None))
    turned = op.Transpose(x, axes=(1, 0, 2))
    ones = (x.shape[0] == 1) | (x.shape[unit] == 1)
    same = [x.shape[0] == x.shape[1]] if unit == 2 else []
    return Subst(turned, op.Reshape(x, shape=turned.shape), where=[ones, *same])


def summed_parts(first: int) -> Subst:
    x, y = pat.Variable(shape=(None, None)), pat.Variable(shape=(None, None))
    parts = [op.Sum(one, axis=(0,), keepdims=True) for one in (x, y)]
    both = op.Concatenate(tuple(parts), axis=0)
    target = op.Concatenate((x, x if first else y), axis=0)
    total = op.Sum(both, axis=(0,), keepdims=False)
    where = [x.shape == y.shape, x.dtype == y.dtype]
    return Subst(total, op.Sum(target, axis=(0,), keepdims=False), where=where)


def joined_kernels(by_group: bool) -> Subst:
    """Put two kernels of a convolution with two groups together and take the results apart."""
    x, v = pat.Variable(shape=(None,) * 4), pat.Variable(shape=(None,) * 4)
    w = pat.Variable(shape=v.shape, dtype=v.dtype)
    same: dict[str, Any] = {"data_layout": "NCHW", "kernel_layout": "OIHW"}
    one = op.Conv2D(x, v, groups=2, **same)
    two = op.Conv2D(x, w, **pat.same_attr(one))
    _, channels, height, width = (v.shape[axis] for axis in range(4))
    count = v.shape[0] // 2
    if by_group:
        split = [op.Reshape(k, shape=(2, count, channels, height, width)) for k in (v, w)]
        whole = op.Concatenate(tuple(split), axis=1)
        kernels = op.Reshape(whole, shape=(4 * count, channels, height, width))
    else:
        kernels = op.Concatenate((v, w), axis=0)
    result = op.Conv2D(x, kernels, **pat.same_attr(one))
    size, rows, columns = result.shape[0], result.shape[2], result.shape[3]
    grouped = op.Reshape(result, shape=(size, 2, 2 * count, rows, columns))
    pieces = op.Split(grouped, indices_or_sections=(count,), axis=2)
    outputs = [op.Reshape(pieces[i], shape=(size, 2 * count, rows, columns)) for i in (0, 1)]
    return Subst([one, two], outputs, where=[attr.In(x.dtype, ("float32",))])


PAIRS: dict[str, tuple[Callable[[], Subst], Callable[[], Subst]]] = {
    "means": (lambda: pooled(0, 4.0), lambda: pooled(1, 4.0)),
    "means by another number": (lambda: pooled(0, 4.0), lambda: pooled(0, 2.0)),
    "sums of reshaped": (lambda: flattened_sum(0), lambda: flattened_sum(1)),
    "batches": (lambda: batches((1, 0, 2)), lambda: batches((0, 1, 2))),
    "moved axes": (lambda: moved(1), lambda: moved(2)),
    "sums of sums": (lambda: summed_parts(0), lambda: summed_parts(1)),
    "groups": (lambda: joined_kernels(True), lambda: joined_kernels(False)),
}


@pytest.mark.parametrize("name", PAIRS)
def test_a_linear_rule_is_proved_and_its_neighbour_is_not(name: str) -> None:
    for write, expected in zip(PAIRS[name], (True, False), strict=True):
        result = ask(PROVE, write, max_variants=6)
        assert (result.verdict, is_proved(result.assurances)) == (Verdict.PASS, expected)
        assert expected or result.open.startswith("not proved for all sizes: ")
