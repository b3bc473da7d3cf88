"""Rules that lack a condition, have one too many, or have just the right ones."""

from __future__ import annotations

from gsl import Subst, attr, op, pat


def merged_convolutions() -> Subst:
    x1, w1 = pat.Wildcard(), pat.Variable()
    x2, w2 = pat.Wildcard(), pat.Variable(shape=(w1.shape[0], None, w1.shape[2], w1.shape[3]))
    conv = op.Conv2D(x1, w1, data_layout="NCHW", kernel_layout="OIHW")
    other = op.Conv2D(x2, w2, **pat.same_attr(conv))
    x, w = op.Concatenate((x1, x2), axis=1), op.Concatenate((w1, w2), axis=1)
    where = [x1.dtype == x2.dtype, x1.shape[0] == x2.shape[0], x1.shape[2:] == x2.shape[2:]]
    return Subst(conv + other, op.Conv2D(x, w, **pat.same_attr(conv)), where=where)


def clipped_relu() -> Subst:
    x = pat.Wildcard()
    clip = op.Clip(op.Relu(x))
    return Subst(clip, op.Clip(x, min=attr.Max(clip.min, 0.0), max=clip.max))


def sum_of_flip() -> Subst:
    x = pat.Wildcard()
    flip = op.Flip(x)
    total = op.Sum(flip, axis=(None,))
    return Subst(total, op.Sum(x, axis=total.axis, keepdims=total.keepdims))


def chosen_by_truth() -> Subst:
    condition, x, y = pat.Const(value=True), pat.Wildcard(), pat.Wildcard()
    chosen = op.Where(condition, x, y)
    return Subst(chosen, x)


def square_without_sign() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Abs(op.Square(x)), op.Square(x))


def negative_summand() -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(x - y, x + -y)


def always_wrong() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Relu(x), op.Add(op.Relu(x), 1))


def right() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Relu(op.Relu(x)), op.Relu(x))


def right_for_matrices() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Relu(op.Relu(x)), op.Relu(x), where=[x.ndim == 2])


def chosen_with_shape() -> Subst:
    condition, x, y = pat.Const(value=True), pat.Wildcard(), pat.Wildcard()
    chosen = op.Where(condition, x, y)
    return Subst(chosen, x, where=[chosen.shape == x.shape, x.dtype == y.dtype])


def sum_of_ones() -> Subst:
    x = pat.Wildcard()
    ones = op.OnesLike(x, dtype="int32")
    count = op.Sum(ones, axis=(0,), keepdims=False)
    again = op.Sum(op.ZerosLike(x, dtype="int32") + 1, axis=(0,), keepdims=False)
    return Subst(count, op.Maximum(again, 1), where=[x.ndim == 1, x.shape[0] >= 1])


def two_transposes() -> Subst:
    x = pat.Wildcard()
    inner = op.Transpose(x)
    outer = op.Transpose(inner)
    return Subst(outer, x, where=[x.ndim == 3])


def divided_by_constant() -> Subst:
    x, c = pat.Wildcard(), pat.Const(shape=())
    return Subst(x / c, x / c)


def chosen_without_name() -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(op.Where(pat.Const(value=True), x, y), x)
