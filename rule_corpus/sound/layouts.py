"""The same windows over data whose axes lie otherwise."""

from gsl import Subst, attr, op, pat, rule

LAYOUT = {"layout", "transpose"}
LAST, FIRST = (0, 2, 3, 1), (0, 3, 1, 2)


@rule(
    tags=LAYOUT | {"convolution", "same-terms"},
    origin="TVM Relax: ConvertLayout",
    twin="conv2d_channels_last_transposed_once",
    flags=(),
)
def conv2d_channels_last() -> Subst:
    """conv2d{A, NCHW}(x, w)  =>  T[0,3,1,2](conv2d{A, NHWC}(T[0,2,3,1](x), w))

    A layout says which axis is which; the windows and the kernel stay.
    """
    x, w = pat.Wildcard(), pat.Variable()
    source = op.Conv2D(x, w, data_layout="NCHW")
    kept = ("strides", "padding", "dilation", "groups", "kernel_layout", "out_dtype")
    moved = op.Transpose(x, axes=LAST)
    last = op.Conv2D(moved, w, data_layout="NHWC", **pat.same_attr(source, kept))
    return Subst(source, op.Transpose(last, axes=FIRST))


@rule(
    tags=LAYOUT | {"pooling", "bit-exact"},
    origin="TVM Relax: ConvertLayout",
    nan="same",
    twin="max_pool2d_channels_last_wrong_way",
)
def max_pool2d_channels_last() -> Subst:
    """max_pool2d{A, NCHW}(x)  =>  T[0,3,1,2](max_pool2d{A, NHWC}(T[0,2,3,1](x)))

    A layout says which axis is which; the windows stay.
    """
    x = pat.Wildcard()
    source = op.MaxPool2D(x, layout="NCHW")
    kept = ("pool_size", "strides", "dilation", "padding", "ceil_mode")
    moved = op.Transpose(x, axes=LAST)
    last = op.MaxPool2D(moved, layout="NHWC", **pat.same_attr(source, kept))
    return Subst(source, op.Transpose(last, axes=FIRST))


@rule(
    tags=LAYOUT | {"convolution", "same-terms"},
    origin="TVM Relax: ConvertLayout",
    twin="conv2d_kernel_layout_unmoved",
    flags=(),
)
def conv2d_kernel_layout() -> Subst:
    """conv2d{A, OIHW}(x, w)  =>  conv2d{A, HWIO}(x, T[2,3,1,0](w))

    The kernel is transposed before the network runs, if it is a parameter.
    """
    x, w = pat.Wildcard(), pat.Variable()
    source = op.Conv2D(x, w, kernel_layout="OIHW")
    kept = ("strides", "padding", "dilation", "groups", "data_layout", "out_dtype")
    moved = op.Transpose(w, axes=(2, 3, 1, 0))
    target = op.Conv2D(x, moved, kernel_layout="HWIO", **pat.same_attr(source, kept))
    return Subst(source, target)


@rule(
    tags=LAYOUT | {"select", "bit-exact"},
    origin="Grappler: GenericLayoutOptimizer",
    nan="same",
    twin="channels_first_of_choice_with_scalar",
)
def channels_first_of_choice() -> Subst:
    """T[0,3,1,2](where(m, x, c))  =>  where(T[0,3,1,2](m), T[0,3,1,2](x), T[0,3,1,2](c)) of rank 4

    Axes that broadcast go where the others go. Of a lower rank, an operand would be aligned with
    the last axes of the others, and these are others in each layout.
    """
    mask, x, c = pat.Wildcard(), pat.Wildcard(), pat.Const()
    moved = op.Transpose(op.Where(mask, x, c), axes=FIRST)
    target = op.Where(*(op.Transpose(operand, axes=FIRST) for operand in (mask, x, c)))
    return Subst(moved, target, where=[mask.ndim == 4, x.ndim == 4, c.ndim == 4])


@rule(
    tags=LAYOUT | {"convolution", "same-terms"},
    origin="TVM Relax: ConvertLayout",
    twin="conv2d_plus_channels_last_any_rank",
    flags=(),
)
def conv2d_plus_channels_last() -> Subst:
    """conv2d{A, NCHW}(x, w) + s  =>  T[0,3,1,2](conv2d{A, NHWC}(T[0,2,3,1](x), w) + s')

    With s' = T[0,2,3,1](s) for s of rank 4. A number of rank 0 has no axes that could lie
    otherwise: s' is s.
    """
    x, w, s = pat.Wildcard(), pat.Variable(), pat.Wildcard()
    conv = op.Conv2D(x, w, data_layout="NCHW")
    kept = ("strides", "padding", "dilation", "groups", "kernel_layout", "out_dtype")
    moved = op.Transpose(x, axes=LAST)
    last = op.Conv2D(moved, w, data_layout="NHWC", **pat.same_attr(conv, kept))
    summand = pat.Cond(s.ndim == 0, s, op.Transpose(s, axes=LAST))
    target = op.Transpose(last + summand, axes=FIRST)
    return Subst(conv + s, target, where=[attr.In(s.ndim, (0, 4))])


@rule(
    tags={"layout", "padding", "reshape", "bit-exact"},
    origin="TVM Relax: OptimizeLayoutTransform, with remove_pad",
    flags=(),
    twin="blocks_of_padded_not_all_cut",
)
def blocks_of_padded_undone() -> Subst:
    """reshape[(m,)](reshape[s](pad{(0, p), v}(x)))[0:n]  =>  x for x of n elements

    A layout of blocks, such as s = (m / 4, 4), and back again: what was put behind x to fill the
    last block is cut away, and nothing else.
    """
    x = pat.Wildcard()
    blocks = op.Reshape(op.Pad(x, pad_width=(0, None)))
    part = op.StridedSlice(op.Reshape(blocks), begin=(0,), strides=(1,))
    return Subst(part, x, where=[part.end[0] == x.shape[0]])


@rule(
    tags={"layout", "reduction", "bit-exact"},
    origin="TVM Relay: ConvertLayout, argmin over channels",
    twin="argmin_over_blocked_channels_keeping_block",
    flags=(),
)
def argmin_over_blocked_channels() -> Subst:
    """argmin[1](x)  =>  argmin[3](reshape[(n, h, w, c)](T[0,2,3,1,4](y))), y in NCHW4c

    With y = T[0,1,3,4,2](reshape[(n, c / 4, 4, h, w)](x)): channel i is element i % 4 of block
    i / 4. Before channels can be compared and counted, block and element have to be one axis.
    """
    x = pat.Wildcard()
    n, c, h, w = (x.shape[i] for i in range(4))
    least = op.Argmin(x, axis=1, keepdims=False)
    split = op.Reshape(x, shape=(n, c // 4, 4, h, w))
    blocked = op.Transpose(split, axes=(0, 1, 3, 4, 2))
    channels = op.Reshape(op.Transpose(blocked, axes=(0, 2, 3, 1, 4)), shape=(n, h, w, c))
    target = op.Argmin(channels, axis=3, keepdims=False)
    return Subst(least, target, where=[x.ndim == 4, c % 4 == 0])
