"""Convolutions that take in the sum or product around them; convolution is linear in both operands.

Layouts are looked at, not assumed: axes are written as functions of the layout attributes.
"""

from gsl import Subst, attr, op, pat, rule
from gsl.attr import Term
from gsl.pat import Pattern

TAGS = {"convolution", "distribution"}


def _channels(conv: Pattern) -> Term:
    """Return the axis of the data and of the result along which the channels lie."""
    return attr.Cond(conv.data_layout == "NCHW", 1, 3)


def _inputs(conv: Pattern) -> Term:
    """Return the axis of the weight along which the input channels lie."""
    return attr.Cond(conv.kernel_layout == "OIHW", 1, 2)


def _by_kernel_layout(conv: Pattern, oihw: object, hwio: object) -> Term:
    return attr.Cond(conv.kernel_layout == "OIHW", oihw, hwio)


def _differ_only_on(axis: Term, one: Pattern, two: Pattern) -> Term:
    """Tell whether two tensors of rank 4 have equal sizes on every other axis."""
    return attr.All(lambda i: (i == axis) | (one.shape[i] == two.shape[i]), length=4)


@rule(
    tags=TAGS | {"exact-real-and-int", "algebraic-distrib"},
    origin="GSL: diamond_conv_add",
    twin="diamond_conv_add_published",
    flags={"ninf", "reassoc"},
)
def diamond_conv_add() -> Subst:
    """conv{A}(x, w1) + conv{A}(x, w2)  =>  conv{A}(x, w1 + w2)

    Convolution is linear in the weight, whatever the strides, paddings, groups and layouts. The
    sum of the weights is computed in their own dtype: were `out_dtype` wider, it would wrap where
    the sum of the results does not.
    """
    x, w1 = pat.Wildcard(), pat.Variable()
    w2 = pat.Variable(shape=w1.shape)
    one = op.Conv2D(x, w1, out_dtype=w1.dtype)
    two = op.Conv2D(x, w2, **pat.same_attr(one))
    return Subst(one + two, op.Conv2D(x, w1 + w2, **pat.same_attr(one)))


@rule(
    tags=TAGS | {"same-terms", "algebraic-distrib"},
    origin="GSL: two_conv_add",
    twin="two_conv_add_published",
    flags={"reassoc"},
)
def two_conv_add() -> Subst:
    """conv{A}(x1, w1) + conv{A}(x2, w2)  =>  conv{A}(cat[C](x1, x2), cat[I](w1, w2)), groups = 1

    A convolution without groups sums over all input channels; two such sums are one over the
    channels of both. Numbers of input channels may differ, no other size may. Both convolve in
    one `out_dtype`, but their operands could still differ in dtype.
    """
    x1, w1 = pat.Wildcard(), pat.Variable()
    x2, w2 = pat.Wildcard(), pat.Variable(dtype=w1.dtype)
    one = op.Conv2D(x1, w1, groups=1)
    two = op.Conv2D(x2, w2, **pat.same_attr(one))
    data = op.Concatenate((x1, x2), axis=_channels(one))
    weight = op.Concatenate((w1, w2), axis=_inputs(one))
    return Subst(
        one + two,
        op.Conv2D(data, weight, **pat.same_attr(one)),
        where=[_differ_only_on(_channels(one), x1, x2), _differ_only_on(_inputs(one), w1, w2)],
    )


@rule(
    tags=TAGS | {"exact-real-and-int", "algebraic-distrib"},
    origin="GSL: conv_shortcut_add",
    twin="conv_shortcut_add_published",
    flags={"ninf", "reassoc"},
)
def conv_shortcut_add() -> Subst:
    """conv{A}(x, w) + x  =>  conv{A}(x, w + identity), where the shape of conv{A}(x, w) is x's

    The identity is a convolution, too: its kernel is 1 where output and input channel are one and
    the tap falls on the pixel itself. That is tap padding / dilation, which exists with strides
    of 1 when the dilation divides the padding in front, in even kernels as well. Every group
    numbers its input channels anew, so each has a unit matrix.
    """
    x, w = pat.Wildcard(), pat.Variable()
    conv = op.Conv2D(x, w, strides=(1, 1))
    inputs = w.shape[_inputs(conv)]
    height, width = (w.shape[_by_kernel_layout(conv, 2 + i, i)] for i in (0, 1))
    top, left = (conv.padding[i] // conv.dilation[i] for i in (0, 1))
    around = (top, height - 1 - top, left, width - 1 - left)
    unit = op.Tile(
        op.Eye(n=inputs, m=inputs, dtype=w.dtype),
        repeats=_by_kernel_layout(conv, (conv.groups, 1), (1, conv.groups)),
    )
    identity = op.Pad(
        op.ExpandDims(unit, axis=_by_kernel_layout(conv, (2, 3), (0, 1))),
        pad_width=_by_kernel_layout(conv, (0, 0, 0, 0, *around), (*around, 0, 0, 0, 0)),
    )
    on_pixel = [conv.padding[i] % conv.dilation[i] == 0 for i in (0, 1)]
    return Subst(
        conv + x,
        op.Conv2D(x, w + identity, **pat.same_attr(conv)),
        where=[conv.shape == x.shape, *on_pixel],
    )


@rule(
    tags=TAGS | {"exact-real-and-int", "algebraic-distrib"},
    origin="GSL: conv_mul",
    twin="conv_mul_published",
    flags={"ninf", "nsz", "reassoc"},
)
def conv_mul() -> Subst:
    """conv{A}(x, w) * k  =>  conv{A}(x, w * k'), where only the channel axis of k is longer than 1

    Multiplying an output channel multiplies its kernel, so k' is k along the output axis of the
    weight. When w has a single output channel, k may even broadcast it to several. The product
    with the weight is computed in its own dtype, so this has to be `out_dtype`.
    """
    x, w, k = pat.Wildcard(), pat.Variable(), pat.Wildcard()
    conv = op.Conv2D(x, w, out_dtype=w.dtype)
    channels = _channels(conv) - 4
    flat = attr.All(lambda i: (i - k.ndim == channels) | (k.shape[i] == 1), length=k.ndim)
    count = attr.Cond(k.ndim + channels >= 0, k.shape[channels], 1)
    factor = op.Reshape(k, shape=_by_kernel_layout(conv, (count, 1, 1, 1), (1, 1, 1, count)))
    return Subst(
        conv * k,
        op.Conv2D(x, w * factor, **pat.same_attr(conv)),
        where=[k.ndim <= 4, flat],
    )
