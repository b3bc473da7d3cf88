"""Rules that the tests of mutation break."""

from __future__ import annotations

from gsl import Subst, attr, op, pat
from gsl.subst import Rule, rule


@rule
def two_dense() -> Subst:
    """dense(x, w1) + dense(x, w2)  =>  dense(x, w1 + w2)"""
    x, w1 = pat.Wildcard(), pat.Variable()
    w2 = pat.Variable(shape=w1.shape)
    one = op.Dense(x, w1, out_dtype=w1.dtype)
    two = op.Dense(x, w2, **pat.same_attr(one))
    return Subst(one + two, op.Dense(x, w1 + w2, **pat.same_attr(one)))


@rule
def pad_twice() -> Subst:
    """pad(pad(x))  =>  pad(x), rank 1"""
    x = pat.Wildcard()
    inner = op.Pad(x, pad_value=0.0)
    outer = op.Pad(inner, pad_value=0.0)
    first, second = inner.pad_width, outer.pad_width
    width = (first[0] + second[0], first[1] + second[1])
    target = op.Pad(x, pad_width=width, pad_value=0.0)
    return Subst(outer, target, where=[x.ndim == 1])


@rule
def split_in_two() -> Subst:
    """x, split in two at c  =>  two slices"""
    x = pat.Variable(shape=(None, None))
    whole = op.Split(x, axis=1)
    where = [attr.Length(whole.indices_or_sections) == 1, whole.indices_or_sections[0] > 0]
    cut = whole.indices_or_sections[0]
    first = op.StridedSlice(x, begin=(0, 0), end=(x.shape[0], cut))
    second = op.StridedSlice(x, begin=(0, cut), end=(x.shape[0], x.shape[1]))
    return Subst([whole[0], whole[1]], [first, second], where=where)


@rule
def variadic_relu() -> Subst:
    """relu(x_i) for all i, concatenated  =>  relu of all concatenated"""
    x = pat.Wildcard()
    relu = op.Relu(x)
    relus = pat.Variadic(relu, templates=[relu, x], min_len=2)
    whole = op.Concatenate(relus, axis=0)
    i = attr.Symbol("i")
    part = relus(x, i)
    parts = pat.Variadic(part, templates=[part], index=i, length=relus.length)
    return Subst(whole, op.Relu(op.Concatenate(parts, axis=0)))


@rule
def minus_itself() -> Subst:
    """x - x + 1.0  =>  1.0 of the shape of x"""
    x = pat.Wildcard()
    return Subst((x - x) + 1.0, op.OnesLike(x) * 1.0)


ALL: tuple[Rule, ...] = (two_dense, pad_twice, split_in_two, variadic_relu, minus_itself)
