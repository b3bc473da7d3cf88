"""Explicit padding that windows can do themselves, and padding that other operators undo.

`pad_width` lists (before, after) for every axis, `padding` of windows all that is before and then
all that is after.
"""

from functools import reduce

from gsl import Subst, attr, op, pat, rule

PAD = {"padding"}


def first_spatial(layout: attr.Term) -> attr.Term:
    """Return the number of the first spatial axis in a layout that begins with N."""
    return attr.Cond(attr.In(layout, ("NCW", "NCHW")), 2, 1)


def only_spatial(pad: pat.Call, layout: attr.Term, spatial: int) -> attr.Term:
    """Return the condition that neither batch nor channels are padded."""
    channels = attr.Cond(attr.In(layout, ("NCW", "NCHW")), 1, 1 + spatial)
    sides = [0, 1, 2 * channels, 2 * channels + 1]
    return reduce(attr.And, [pad.pad_width[side] == 0 for side in sides])


def summed(pad: pat.Call, window: pat.Call, layout: attr.Term, spatial: int) -> attr.Term:
    """Return the padding of a window operator with that of `pad` added, in its own order."""
    first = first_spatial(layout)
    sides = [
        window.padding[side * spatial + axis] + pad.pad_width[2 * (first + axis) + side]
        for side in (0, 1)
        for axis in range(spatial)
    ]
    return attr.Tuple(*sides)


def windows_meet_data(
    x: pat.Pattern, pool: pat.Call, padding: attr.Term, spatial: int
) -> attr.Term:
    """Return the condition that every window covers an element of `x`, as pooling demands."""
    first, holds = first_spatial(pool.layout), []
    for axis in range(spatial):
        before, size, extent = padding[axis], x.shape[first + axis], pool.pool_size[axis]
        last = (pool.shape[first + axis] - 1) * pool.strides[axis]
        holds += [before < extent, padding[spatial + axis] < extent, last < before + size]
        holds.append((before == 0) | (pool.dilation[axis] <= size))
    return reduce(attr.And, holds)


@rule(
    tags=PAD | {"conv", "same-terms"},
    origin="TVM Relay: FoldExplicitPadding; "
    "TensorRight: xla/conv, rule 00, for padding around the image",
    twin="fold_pad_into_conv2d_published",
    flags=(),
)
def fold_pad_into_conv2d() -> Subst:
    """conv2d{A, p}(pad{q}(x), w)  =>  conv2d{A, p + q}(x, w) for zeros around H and W only

    Windows see zeros beyond the edge on both sides. Which entries of q belong to H and W depends
    on the layout of the data.
    """
    x, w = pat.Wildcard(), pat.Wildcard()
    padded = op.Pad(x, pad_value=0.0)
    conv = op.Conv2D(padded, w)
    padding = summed(padded, conv, conv.data_layout, 2)
    target = op.Conv2D(x, w, **{**pat.same_attr(conv), "padding": padding})
    return Subst(conv, target, where=[only_spatial(padded, conv.data_layout, 2)])


@rule(
    tags=PAD | {"conv", "same-terms"},
    origin="ONNX Script: _fuse_pad_into_conv",
    twin="fold_pad_into_conv1d_any_value",
    flags=(),
)
def fold_pad_into_conv1d() -> Subst:
    """conv1d{A, p}(pad{q}(x), w)  =>  conv1d{A, p + q}(x, w) for zeros around W only

    As for images. The operator knows no other padding than zeros.
    """
    x, w = pat.Wildcard(), pat.Wildcard()
    padded = op.Pad(x, pad_value=0.0)
    conv = op.Conv1D(padded, w)
    padding = summed(padded, conv, conv.data_layout, 1)
    target = op.Conv1D(x, w, **{**pat.same_attr(conv), "padding": padding})
    return Subst(conv, target, where=[only_spatial(padded, conv.data_layout, 1)])


@rule(
    tags=PAD | {"pool", "bit-exact"},
    origin="TVM Relay: FoldExplicitPadding",
    twin="fold_pad_into_max_pool_zeros",
    flags={"ninf"},
)
def fold_pad_into_max_pool() -> Subst:
    """max_pool1d{A, p}(pad{q, -inf}(x))  =>  max_pool1d{A, p + q}(x) around W only

    Like the padding of the pool, minus infinity is never the largest. A window that sees nothing
    else is legal in the source only, so there must be none.
    """
    x = pat.Wildcard()
    padded = op.Pad(x, pad_value=float("-inf"))
    pool = op.MaxPool1D(padded, ceil_mode=False)
    padding = summed(padded, pool, pool.layout, 1)
    target = op.MaxPool1D(x, **{**pat.same_attr(pool), "padding": padding})
    conditions = [only_spatial(padded, pool.layout, 1), windows_meet_data(x, pool, padding, 1)]
    return Subst(pool, target, where=conditions)


@rule(
    tags=PAD | {"pool", "same-terms"},
    origin="TVM Relay: FoldExplicitPadding",
    twin="fold_pad_into_avg_pool_uncounted",
    flags=(),
)
def fold_pad_into_avg_pool() -> Subst:
    """avg_pool2d{A, p}(pad{q}(x))  =>  avg_pool2d{A, p + q}(x) for zeros that the pool counts

    Explicit zeros are elements and count. The pool must count its own padding as well, and must
    not round up, as it never counts what lies behind its padding.
    """
    x = pat.Wildcard()
    padded = op.Pad(x, pad_value=0.0)
    pool = op.AvgPool2D(padded, ceil_mode=False, count_include_pad=True)
    padding = summed(padded, pool, pool.layout, 2)
    target = op.AvgPool2D(x, **{**pat.same_attr(pool), "padding": padding})
    conditions = [only_spatial(padded, pool.layout, 2), windows_meet_data(x, pool, padding, 2)]
    return Subst(pool, target, where=conditions)


@rule(tags=PAD | {"bit-exact"}, origin="Enzyme-JAX: PadPad", twin="pad_pad_any_value", flags=())
def pad_pad() -> Subst:
    """pad{q, v}(pad{p, v}(x))  =>  pad{p + q, v}(x)

    One frame around another; it looks like one only if both hold the same value.
    """
    x = pat.Wildcard()
    inner = op.Pad(x)
    outer = op.Pad(inner, pad_value=inner.pad_value)
    widths = attr.Variadic(lambda i: inner.pad_width[i] + outer.pad_width[i], length=2 * x.ndim)
    return Subst(outer, op.Pad(x, pad_width=widths, pad_value=outer.pad_value))


@rule(
    tags=PAD | {"relu", "bit-exact"},
    origin="tinygrad: movement clean-up, padding",
    twin="exponential_of_pad",
    flags=(),
)
def relu_of_pad() -> Subst:
    """relu(pad{p, v}(x))  =>  pad{p, max(v, 0)}(relu(x))

    The padding goes through the function, too: zeros remain zeros, as for any f with f(0) = 0.
    """
    x = pat.Wildcard()
    padded = op.Pad(x)
    value = attr.Max(padded.pad_value, 0.0)
    target = op.Pad(op.Relu(x), pad_width=padded.pad_width, pad_value=value)
    return Subst(op.Relu(padded), target)


@rule(tags=PAD | {"slice", "bit-exact"}, origin="TensorRight: xla/slice, rule 06", flags=())
def slice_of_pad() -> Subst:
    """pad{p}(x)[b:e:s]  =>  x[b - p:e - p:s] if the slice stays inside x

    What the slice never reads need not be added. p are the widths before each axis.
    """
    x = pat.Wildcard()
    padded = op.Pad(x)
    part = op.StridedSlice(padded)

    def inside(i: attr.Term) -> attr.Term:
        before = padded.pad_width[2 * i]
        return (part.begin[i] >= before) & (part.end[i] <= before + x.shape[i])

    def back(values: attr.Term) -> attr.Term:
        return attr.Variadic(lambda i: values[i] - padded.pad_width[2 * i], length=x.ndim)

    target = op.StridedSlice(x, begin=back(part.begin), end=back(part.end), strides=part.strides)
    return Subst(part, target, where=[attr.All(inside, length=x.ndim)])


@rule(
    tags=PAD | {"reduction", "same-terms"},
    origin="Enzyme-JAX: ReducePad",
    twin="max_of_pad",
    flags=(),
)
def sum_of_pad() -> Subst:
    """sum(pad{0}(x))  =>  sum(x) over all axes

    Zeros add nothing. Axes that are padded but not summed would have to be padded afterwards.
    """
    x = pat.Wildcard()
    total = op.Sum(op.Pad(x, pad_value=0.0))
    target = op.Sum(x, **pat.same_attr(total))
    return Subst(total, target, where=[attr.Length(total.axis) == x.ndim])
