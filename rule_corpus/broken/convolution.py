"""Convolution rules that forget layouts, groups, paddings, strides or dtypes.

The published forms copy only the four attributes that change the windows.
"""

from gsl import Subst, op, pat, rule
from gsl.pat import Pattern

TAGS = {"convolution", "distribution"}
WINDOW = ("strides", "padding", "dilation", "groups")
PLAIN = {"data_layout": "NCHW", "kernel_layout": "OIHW"}


@rule(
    tags=TAGS | {"algebraic-distrib"},
    origin="GSL: diamond_conv_add",
    expect="GSL302",
    twin="diamond_conv_add",
)
def diamond_conv_add_published() -> Subst:
    """conv{A}(x, w1) + conv{A}(x, w2)  =>  conv{A}(x, w1 + w2), default layouts and out_dtype

    Layouts and dtype of the result are neither compared nor copied: the target takes their
    defaults, so that it has another dtype or does not fit to the data.
    """
    x, w1 = pat.Wildcard(), pat.Variable()
    w2 = pat.Variable(shape=w1.shape)
    one = op.Conv2D(x, w1)
    two = op.Conv2D(x, w2, **pat.same_attr(one, WINDOW))
    return Subst(one + two, op.Conv2D(x, w1 + w2, **pat.same_attr(one, WINDOW)))


@rule(
    tags=TAGS | {"algebraic-distrib"},
    origin="GSL: diamond_conv_add",
    expect="GSL303",
    twin="diamond_conv_add",
)
def diamond_conv_add_default_layouts() -> Subst:
    """conv{A}(x, w1) + conv{A}(x, w2)  =>  conv{A}(x, w1 + w2), default layouts

    Data in NHWC is read as NCHW. Where the sizes forbid it the target cannot be built, where
    they do not it convolves along the wrong axes.
    """
    x, w1 = pat.Wildcard(), pat.Variable()
    w2 = pat.Variable(shape=w1.shape)
    one = op.Conv2D(x, w1, out_dtype=w1.dtype)
    two = op.Conv2D(x, w2, **pat.same_attr(one))
    return Subst(one + two, op.Conv2D(x, w1 + w2, **pat.same_attr(one, WINDOW)))


@rule(
    tags=TAGS | {"algebraic-distrib"},
    origin="GSL: diamond_conv_add",
    expect="GSL401",
    twin="diamond_conv_add",
)
def diamond_conv_add_wide_result() -> Subst:
    """conv{A}(x, w1) + conv{A}(x, w2)  =>  conv{A}(x, w1 + w2) for int8 convolved in int32

    In int8, 100 + 100 is -56; the source adds after the conversion to the wider `out_dtype`.
    """
    x, w1 = pat.Wildcard(), pat.Variable(dtype="int8")
    w2 = pat.Variable(shape=w1.shape)
    one = op.Conv2D(x, w1, out_dtype="int32")
    two = op.Conv2D(x, w2, **pat.same_attr(one))
    return Subst(one + two, op.Conv2D(x, w1 + w2, **pat.same_attr(one)))


def _two_convolutions(dtype: object = None, **pinned: object) -> tuple[Pattern, ...]:
    x1, w1 = pat.Wildcard(), pat.Variable()
    x2, w2 = pat.Wildcard(), pat.Variable(shape=w1.shape, dtype=w1.dtype if dtype else None)
    one = op.Conv2D(x1, w1, **pinned)
    return x1, w1, x2, w2, one


@rule(
    tags=TAGS | {"algebraic-distrib"},
    origin="GSL: two_conv_add",
    expect="GSL303",
    twin="two_conv_add",
)
def two_conv_add_published() -> Subst:
    """conv{A}(x1, w1) + conv{A}(x2, w2)  =>  conv{A}(cat[1](x1, x2), cat[1](w1, w2))

    Besides groups and layouts, nothing says that x1 and x2 fit to each other. Their dtypes may
    differ under one `out_dtype`, and their sizes may give results that broadcast.
    """
    x1, w1, x2, w2, one = _two_convolutions()
    two = op.Conv2D(x2, w2, **pat.same_attr(one, WINDOW))
    data, weight = op.Concatenate((x1, x2), axis=1), op.Concatenate((w1, w2), axis=1)
    return Subst(one + two, op.Conv2D(data, weight, **pat.same_attr(one, WINDOW)))


@rule(
    tags=TAGS | {"algebraic-distrib"},
    origin="GSL: two_conv_add",
    expect="GSL401",
    twin="two_conv_add",
)
def two_conv_add_grouped() -> Subst:
    """conv{A}(x1, w1) + conv{A}(x2, w2)  =>  conv{A}(cat[1](x1, x2), cat[1](w1, w2)), any groups

    With two groups the first half of the outputs sees all of x1 and nothing of x2.
    """
    x1, w1, x2, w2, one = _two_convolutions(dtype="same", **PLAIN)
    two = op.Conv2D(x2, w2, **pat.same_attr(one))
    data, weight = op.Concatenate((x1, x2), axis=1), op.Concatenate((w1, w2), axis=1)
    target = op.Conv2D(data, weight, **pat.same_attr(one))
    return Subst(one + two, target, where=[x1.shape == x2.shape])


@rule(
    tags=TAGS | {"algebraic-distrib"},
    origin="GSL: two_conv_add",
    expect="GSL303",
    twin="two_conv_add",
)
def two_conv_add_mixed_dtypes() -> Subst:
    """conv{A}(x1, w1) + conv{A}(x2, w2)  =>  conv{A}(cat[1](x1, x2), cat[1](w1, w2)), any dtypes

    One `out_dtype` does not mean one dtype of the data: int8 and int32 may both give int32.
    """
    x1, w1, x2, w2, one = _two_convolutions(groups=1, **PLAIN)
    two = op.Conv2D(x2, w2, **pat.same_attr(one))
    data, weight = op.Concatenate((x1, x2), axis=1), op.Concatenate((w1, w2), axis=1)
    target = op.Conv2D(data, weight, **pat.same_attr(one))
    return Subst(one + two, target, where=[x1.shape == x2.shape])


def _with_centre(conv: Pattern, x: Pattern, w: Pattern, **attributes: object) -> Pattern:
    """Build the convolution whose kernel has 1 more in the middle, for NCHW, OIHW and no groups."""
    height, width = w.shape[2], w.shape[3]
    top, left = (height - 1) // 2, (width - 1) // 2
    centre = op.Pad(
        op.ExpandDims(op.Eye(n=w.shape[0], m=w.shape[0], dtype=w.dtype), axis=(2, 3)),
        pad_width=(0, 0, 0, 0, top, height - 1 - top, left, width - 1 - left),
    )
    return op.Conv2D(x, w + centre, **attributes)


@rule(
    tags=TAGS | {"algebraic-distrib"},
    origin="GSL: conv_shortcut_add",
    expect="GSL303",
    twin="conv_shortcut_add",
)
def conv_shortcut_add_published() -> Subst:
    """conv{A}(x, w) + x  =>  conv{A}(x, w + centre)

    Next to nothing is demanded: with groups, in another layout, or when x is broadcast to more
    channels, the unit matrix does not fit to the weight.
    """
    x, w = pat.Wildcard(), pat.Variable()
    conv = op.Conv2D(x, w)
    return Subst(conv + x, _with_centre(conv, x, w, **pat.same_attr(conv, WINDOW)))


@rule(
    tags=TAGS | {"algebraic-distrib"},
    origin="GSL: conv_shortcut_add",
    expect="GSL301",
    twin="conv_shortcut_add",
)
def conv_shortcut_add_any_stride() -> Subst:
    """conv{A}(x, w) + x  =>  conv{A}(x, w + centre), for NCHW, OIHW, no groups, square weights

    A stride or a small padding can leave a single pixel, to which x is added by broadcasting.
    """
    x, w = pat.Wildcard(), pat.Variable()
    conv = op.Conv2D(x, w, groups=1, **PLAIN)
    target = _with_centre(conv, x, w, **pat.same_attr(conv))
    return Subst(conv + x, target, where=[w.shape[0] == w.shape[1]])


@rule(
    tags=TAGS | {"algebraic-distrib"},
    origin="GSL: conv_shortcut_add",
    expect="GSL401",
    twin="conv_shortcut_add",
)
def conv_shortcut_add_off_centre() -> Subst:
    """conv{A}(x, w) + x  =>  conv{A}(x, w + centre), where the shape of conv{A}(x, w) is x's

    The shape says how much is padded, not on which side: with an even kernel, or when all padding
    comes first, the tap in the middle is a neighbour of the pixel.
    """
    x, w = pat.Wildcard(), pat.Variable()
    conv = op.Conv2D(x, w, strides=(1, 1), groups=1, **PLAIN)
    target = _with_centre(conv, x, w, **pat.same_attr(conv))
    return Subst(conv + x, target, where=[conv.shape == x.shape])


@rule(tags=TAGS | {"algebraic-distrib"}, origin="GSL: conv_mul", expect="GSL303", twin="conv_mul")
def conv_mul_published() -> Subst:
    """conv{A}(x, w) * k  =>  conv{A}(x, w * expand(k)) with k of shape (C, 1, 1)

    The weight need not have the dtype of the result, which is that of k. Nor are layouts looked
    at: axis 0 of an HWIO weight is its height, and in NHWC k multiplies rows.
    """
    x, w, k = pat.Wildcard(), pat.Variable(), pat.Variable(shape=(None, 1, 1))
    conv = op.Conv2D(x, w)
    factor = op.ExpandDims(k, axis=1)
    return Subst(conv * k, op.Conv2D(x, w * factor, **pat.same_attr(conv, WINDOW)))


@rule(tags=TAGS | {"algebraic-distrib"}, origin="GSL: conv_mul", expect="GSL401", twin="conv_mul")
def conv_mul_last_axis() -> Subst:
    """conv{A}(x, w) * k  =>  conv{A}(x, w * expand(k)) with k of shape (C,)

    A vector broadcasts along the last axis, the width; images as wide as they have channels hide
    the mistake from a check of shapes.
    """
    x, w = pat.Wildcard(), pat.Variable()
    conv = op.Conv2D(x, w, out_dtype=w.dtype, **PLAIN)
    k = pat.Variable(shape=(w.shape[0],))
    factor = op.Reshape(k, shape=(w.shape[0], 1, 1, 1))
    product = conv * k
    target = op.Conv2D(x, w * factor, **pat.same_attr(conv))
    return Subst(product, target, where=[product.shape == conv.shape])
