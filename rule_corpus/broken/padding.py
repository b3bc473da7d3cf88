"""Padding gone wrong: orders of sides, values that are not neutral, zeros that count, crops."""

from gsl import Subst, attr, op, pat, rule
from gsl.types import NUMERIC

PAD = {"padding"}


@rule(
    tags=PAD | {"conv"},
    origin="GSL: gsl-padconv-order",
    expect="GSL303",
    twin="fold_pad_into_conv2d",
)
def fold_pad_into_conv2d_published() -> Subst:
    """conv2d{A, p}(pad{q}(x), w)  =>  conv2d{A, p + q}(x, w) with p and q added in their own orders

    SimplifyPadConv adds (top, left, bottom, right) to (top, bottom, left, right): right when the
    bottom and the left side are padded alike, as in its own test. Otherwise a kernel may not fit
    into the height any more that fitted before.
    """
    x, w = pat.Wildcard(), pat.Wildcard()
    padded = op.Pad(x, pad_width=(0, 0, 0, 0, None, None, None, None), pad_value=0.0)
    conv = op.Conv2D(padded, w, data_layout="NCHW")
    sides = [conv.padding[i] + padded.pad_width[4 + i] for i in range(4)]
    target = op.Conv2D(x, w, **{**pat.same_attr(conv), "padding": attr.Tuple(*sides)})
    return Subst(conv, target)


@rule(
    tags=PAD | {"conv"},
    origin="GSL: gsl-padconv-order, with before and after exchanged",
    expect="GSL401",
    twin="fold_pad_into_conv2d",
)
def fold_pad_into_conv2d_turned() -> Subst:
    """conv2d{A, p}(pad{q}(x), w)  =>  conv2d{A, p + q}(x, w) with the two sides of q exchanged

    The sums of both sides are right, so that every shape is; the image is shifted.
    """
    x, w = pat.Wildcard(), pat.Wildcard()
    padded = op.Pad(x, pad_width=(0, 0, 0, 0, None, None, None, None), pad_value=0.0)
    conv = op.Conv2D(padded, w, data_layout="NCHW")
    sides = [conv.padding[i] + padded.pad_width[side] for i, side in enumerate((5, 7, 4, 6))]
    target = op.Conv2D(x, w, **{**pat.same_attr(conv), "padding": attr.Tuple(*sides)})
    return Subst(conv, target)


@rule(
    tags=PAD | {"conv"},
    origin="ONNX Script: onnxscript-convint-pad-zp",
    expect="GSL401",
    twin="fold_pad_into_conv1d",
)
def fold_pad_into_conv1d_any_value() -> Subst:
    """conv1d{A, p}(pad{q, v}(x), w)  =>  conv1d{A, p + q}(x, w)

    The convolution pads with its own zero, whatever stood around x; live in 0.7.2 for quantised
    ones, whose zero is another number.
    """
    x, w = pat.Wildcard(), pat.Wildcard()
    padded = op.Pad(x, pad_width=(0, 0, 0, 0, None, None))
    conv = op.Conv1D(padded, w, data_layout="NCW")
    sides = [conv.padding[side] + padded.pad_width[4 + side] for side in (0, 1)]
    target = op.Conv1D(x, w, **{**pat.same_attr(conv), "padding": attr.Tuple(*sides)})
    return Subst(conv, target)


@rule(
    tags=PAD | {"pool"},
    origin="onnxoptimizer: onnxopt-pad-maxpool-zero; ONNX Runtime: ort-pad-maxpool",
    expect="GSL401",
    twin="fold_pad_into_max_pool",
)
def fold_pad_into_max_pool_zeros() -> Subst:
    """max_pool1d(pad{q, 0}(x))  =>  max_pool1d{q}(x), sides smaller than the window

    Live in both. A zero wins against negative neighbours, the padding of the pool never does.
    """
    x = pat.Wildcard()
    padded = op.Pad(x, pad_width=(0, 0, 0, 0, None, None), pad_value=0.0)
    pool = op.MaxPool1D(
        padded, strides=(1,), dilation=(1,), padding=(0, 0), ceil_mode=False, layout="NCW"
    )
    sides = attr.Tuple(padded.pad_width[4], padded.pad_width[5])
    target = op.MaxPool1D(x, **{**pat.same_attr(pool), "padding": sides})
    small = [side < pool.pool_size[0] for side in (sides[0], sides[1])]
    return Subst(pool, target, where=small)


@rule(
    tags=PAD | {"pool"},
    origin="onnxoptimizer: onnxopt-pad-avgpool-count",
    expect="GSL401",
    twin="fold_pad_into_avg_pool",
)
def fold_pad_into_avg_pool_uncounted() -> Subst:
    """avg_pool2d(pad{q, 0}(x))  =>  avg_pool2d{q}(x), padding not counted

    Explicit zeros are elements and count; padding that does not count leaves the average of the
    others.
    """
    x = pat.Wildcard()
    padded = op.Pad(x, pad_width=(0, 0, 0, 0, None, None, None, None), pad_value=0.0)
    plain = {"strides": (1, 1), "dilation": (1, 1), "padding": (0, 0, 0, 0), "layout": "NCHW"}
    pool = op.AvgPool2D(padded, **plain, ceil_mode=False, count_include_pad=False)
    sides = attr.Tuple(*(padded.pad_width[i] for i in (4, 6, 5, 7)))
    target = op.AvgPool2D(x, **{**pat.same_attr(pool), "padding": sides})
    small = [sides[i] < pool.pool_size[i % 2] for i in range(4)]
    return Subst(pool, target, where=small)


@rule(
    tags=PAD,
    origin="mutation of pad_pad: the values are not compared",
    expect="GSL401",
    twin="pad_pad",
)
def pad_pad_any_value() -> Subst:
    """pad{q, v}(pad{p, u}(x))  =>  pad{p + q, v}(x)

    The inner frame keeps its own value.
    """
    x = pat.Wildcard()
    inner = op.Pad(x)
    outer = op.Pad(inner)
    widths = attr.Variadic(lambda i: inner.pad_width[i] + outer.pad_width[i], length=2 * x.ndim)
    return Subst(outer, op.Pad(x, pad_width=widths, pad_value=outer.pad_value))


@rule(
    tags=PAD | {"exponential"},
    origin="tinygrad: tinygrad-unsafe-pad",
    expect="GSL401",
    twin="relu_of_pad",
)
def exponential_of_pad() -> Subst:
    """exp(pad{p, 0}(x))  =>  pad{p, 0}(exp(x))

    Padding passes functions that map 0 to 0 (tinygrad#9478); the exponential of 0 is 1.
    """
    x = pat.Wildcard()
    padded = op.Pad(x, pad_value=0.0)
    target = op.Pad(op.Exp(x), pad_width=padded.pad_width, pad_value=0.0)
    return Subst(op.Exp(padded), target)


@rule(
    tags=PAD | {"reduction", "slice"},
    origin="Enzyme-JAX: enzyme-negpad",
    expect="GSL401",
    twin="sum_of_pad",
)
def sum_of_crop_as_of_pad() -> Subst:
    """sum[a](x[c:n - d])  =>  sum[a](x) for a vector x

    Commit e64d2e413: what is true of padding with zeros was done with padding of negative widths,
    which takes elements away. Here these are slices.
    """
    x = pat.Wildcard()
    total = op.Sum(op.StridedSlice(x, begin=(None,), end=(None,), strides=(1,)))
    return Subst(total, op.Sum(x, **pat.same_attr(total)), where=[x.ndim == 1])


@rule(
    tags=PAD | {"reduction"},
    origin="tinygrad: tinygrad-reduce-max-add, for padding",
    expect="GSL401",
    twin="sum_of_pad",
)
def max_of_pad() -> Subst:
    """max(pad{0}(x))  =>  max(x) over all axes

    Zeros are neutral for sums only. Of negative numbers 0 is the largest.
    """
    x = pat.Wildcard()
    largest = op.Max(op.Pad(x, pad_value=0.0))
    target = op.Max(x, **pat.same_attr(largest))
    return Subst(largest, target, where=[attr.Length(largest.axis) == x.ndim])


@rule(
    tags=PAD | {"concatenate", "create"},
    origin="TensorRight: xla/concat, rule 06, one mistake away",
    expect="GSL401",
    twin="concat_before_full",
)
def concat_before_full_in_front() -> Subst:
    """cat[0](x, full[(m,)](v))  =>  pad{(m, 0), v}(x) for vectors

    The block stands behind, the padding in front. Sizes agree.
    """
    x = pat.Variable(shape=(None,))
    block = op.Full()
    target = op.Pad(x, pad_width=(block.shape[0], 0), pad_value=block.fill_value)
    held = [attr.Abs(block.fill_value) <= 60000.0, attr.In(x.dtype, NUMERIC)]
    return Subst(op.Concatenate((x, block)), target, where=held)


@rule(
    tags=PAD | {"conv", "slice"},
    origin="ONNX Script: onnxscript-padconv-negative",
    expect="GSL401",
    twin="fold_pad_into_conv1d",
)
def fold_crop_into_conv1d() -> Subst:
    """conv1d{A, p}(x[:, :, c:], w)  =>  conv1d{A, p - (c, 0)}(x, w) for c <= p_0

    microsoft/onnxscript#2841: a negative pad crops, and is added to the padding like any other.
    The pixels that were cut off come back where the windows saw zeros.
    """
    x, w = pat.Wildcard(), pat.Wildcard()
    cropped = op.StridedSlice(
        x, begin=(0, 0, None), end=(x.shape[0], x.shape[1], x.shape[2]), strides=(1, 1, 1)
    )
    conv = op.Conv1D(cropped, w, data_layout="NCW")
    padding = attr.Tuple(conv.padding[0] - cropped.begin[2], conv.padding[1])
    target = op.Conv1D(x, w, **{**pat.same_attr(conv), "padding": padding})
    return Subst(conv, target, where=[x.ndim == 3, padding[0] >= 0, cropped.shape[2] >= 1])


@rule(
    tags=PAD | {"conv", "slice"},
    origin="TensorRight: tensorright-nonneg-pad",
    expect="GSL401",
    twin="fold_pad_into_conv1d",
)
def fold_crop_of_both_sides_into_conv1d() -> Subst:
    """conv1d{A, p}(x[:, :, c:n - d], w)  =>  conv1d{A, p - (c, d)}(x, w) for c, d <= p

    The precondition that the proof of xla/conv, rule 00, notes and XLA did not ask for: pads that
    are added to the padding of the windows must not be negative, not even if the sums are not.
    """
    x, w = pat.Wildcard(), pat.Wildcard()
    cropped = op.StridedSlice(
        x, begin=(0, 0, None), end=(x.shape[0], x.shape[1], None), strides=(1, 1, 1)
    )
    conv = op.Conv1D(cropped, w, data_layout="NCW", kernel_layout="OIW")
    left = conv.padding[0] - cropped.begin[2]
    right = conv.padding[1] - (x.shape[2] - cropped.end[2])
    target = op.Conv1D(x, w, **{**pat.same_attr(conv), "padding": attr.Tuple(left, right)})
    legal = [left >= 0, right >= 0, cropped.shape[2] >= 1]
    return Subst(conv, target, where=[x.ndim == 3, *legal])


@rule(
    tags=PAD | {"conv"},
    origin="onnxoptimizer: onnxopt-pad-axes",
    expect="GSL401",
    twin="fold_pad_into_conv2d",
)
def fold_pad_into_conv2d_axes_exchanged() -> Subst:
    """conv2d{A, p}(pad{q}(x), w)  =>  conv2d{A, p + q'}(x, w), q' with height and width exchanged

    fuse_pad_into_conv.h does not read the axes that the widths belong to, so that those of axes
    (0, 1, 3, 2) go to the wrong sides. Here as much is added to the height as to the width, around
    1x1 kernels; the shapes show it unless image and strides hide it.
    """
    x, w = pat.Wildcard(), pat.Wildcard()
    padded = op.Pad(x, pad_width=(0, 0, 0, 0, None, None, None, None), pad_value=0.0)
    conv = op.Conv2D(padded, w, data_layout="NCHW")
    top, bottom, left, right = (padded.pad_width[4 + i] for i in range(4))
    sides = [conv.padding[i] + width for i, width in enumerate((left, top, right, bottom))]
    target = op.Conv2D(x, w, **{**pat.same_attr(conv), "padding": attr.Tuple(*sides)})
    return Subst(conv, target, where=[top + bottom == left + right])


@rule(
    tags=PAD,
    origin="MHLO: mhlo-pad-neg",
    expect="GSL401",
    twin="pad_of_pad",
)
def pad_of_crop_as_one() -> Subst:
    """pad{l', h'}(pad{l, h}(x))  =>  pad{l + l', h + h'}(x), the test of negative widths inverted

    Padding of a tensor that was cut would bring back what was cut off.
    """
    x = pat.Wildcard()
    nothing = attr.Variadic(lambda i: 0, length=x.ndim)
    first = op.DilatedPad(x, interior=nothing)
    second = op.DilatedPad(first, interior=nothing, pad_value=first.pad_value)
    low = attr.Variadic(lambda i: first.low[i] + second.low[i], length=x.ndim)
    high = attr.Variadic(lambda i: first.high[i] + second.high[i], length=x.ndim)
    target = op.DilatedPad(x, low=low, high=high, interior=nothing, pad_value=first.pad_value)
    tested = attr.All(lambda i: (first.low[i] <= 0) & (first.high[i] <= 0), length=x.ndim)
    return Subst(second, target, where=[tested])
