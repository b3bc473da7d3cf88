"""Layouts gone wrong: axes that stay where they were, or are moved the wrong way."""

from gsl import Subst, attr, op, pat, rule

LAYOUT = {"layout", "transpose"}
LAST = (0, 2, 3, 1)


@rule(
    tags=LAYOUT | {"convolution"},
    origin="TVM Relax: ConvertLayout, one mistake away",
    expect="GSL301",
    twin="conv2d_channels_last",
)
def conv2d_channels_last_transposed_once() -> Subst:
    """conv2d{A, NCHW}(x, w)  =>  conv2d{A, NHWC}(T[0,2,3,1](x), w)

    The result has its channels last, too, and who reads it expects them second.
    """
    x, w = pat.Wildcard(), pat.Variable()
    source = op.Conv2D(x, w, data_layout="NCHW")
    kept = ("strides", "padding", "dilation", "groups", "kernel_layout", "out_dtype")
    moved = op.Transpose(x, axes=LAST)
    target = op.Conv2D(moved, w, data_layout="NHWC", **pat.same_attr(source, kept))
    return Subst(source, target)


@rule(
    tags=LAYOUT | {"pooling"},
    origin="TVM Relax: ConvertLayout, one mistake away",
    expect="GSL301",
    twin="max_pool2d_channels_last",
)
def max_pool2d_channels_last_wrong_way() -> Subst:
    """max_pool2d{A, NCHW}(x)  =>  T[0,2,3,1](max_pool2d{A, NHWC}(T[0,2,3,1](x)))

    The permutation of three axes is not its own inverse.
    """
    x = pat.Wildcard()
    source = op.MaxPool2D(x, layout="NCHW")
    kept = ("pool_size", "strides", "dilation", "padding", "ceil_mode")
    moved = op.Transpose(x, axes=LAST)
    last = op.MaxPool2D(moved, layout="NHWC", **pat.same_attr(source, kept))
    return Subst(source, op.Transpose(last, axes=LAST))


@rule(
    tags=LAYOUT | {"convolution"},
    origin="TVM Relax: ConvertLayout, one mistake away",
    expect="GSL401",
    twin="conv2d_kernel_layout",
)
def conv2d_kernel_layout_unmoved() -> Subst:
    """conv2d{A, OIHW}(x, w)  =>  conv2d{A, HWIO}(x, T[3,2,1,0](w)) for square kernels

    Height and width of the kernel are exchanged; square kernels hide it from the shapes.
    """
    x, w = pat.Wildcard(), pat.Variable()
    source = op.Conv2D(x, w, kernel_layout="OIHW", dilation=(1, 1))
    kept = ("strides", "padding", "dilation", "groups", "data_layout", "out_dtype")
    moved = op.Transpose(w, axes=(3, 2, 1, 0))
    target = op.Conv2D(x, moved, kernel_layout="HWIO", **pat.same_attr(source, kept))
    return Subst(source, target, where=[w.shape[2] == w.shape[3]])


@rule(
    tags=LAYOUT | {"select"},
    origin="Grappler: grappler-layout-scalar",
    expect="GSL303",
    twin="channels_first_of_choice",
)
def channels_first_of_choice_with_scalar() -> Subst:
    """T[0,3,1,2](where(m, x, c))  =>  where(T[0,3,1,2](m), T[0,3,1,2](x), T[0,3,1,2](c))

    The layout optimizer transposes all operands, and the constant 0 of a dropout has no axes to
    permute (tensorflow#68488). Here m and x have rank 4, and c is a constant of rank 4 or 0.
    """
    mask, x, c = pat.Wildcard(), pat.Wildcard(), pat.Const()
    moved = op.Transpose(op.Where(mask, x, c), axes=(0, 3, 1, 2))
    target = op.Where(*(op.Transpose(operand, axes=moved.axes) for operand in (mask, x, c)))
    ranks = [mask.ndim == 4, x.ndim == 4, (c.ndim == 0) | (c.ndim == 4)]
    return Subst(moved, target, where=ranks)


@rule(
    tags=LAYOUT | {"convolution"},
    origin="TVM Relax: tvm-relax-convertlayout-scalar",
    expect="GSL303",
    twin="conv2d_plus_channels_last",
)
def conv2d_plus_channels_last_any_rank() -> Subst:
    """conv2d{A, NCHW}(x, w) + s  =>  T[0,3,1,2](conv2d{A, NHWC}(T(x), w) + T(s)), T = [0,2,3,1]

    For s of rank 4 or 0. apache/tvm#14961: the pass gave every operand the new layout, and
    stopped at a constant of rank 0, which has none.
    """
    x, w, s = pat.Wildcard(), pat.Variable(), pat.Wildcard()
    conv = op.Conv2D(x, w, data_layout="NCHW")
    kept = ("strides", "padding", "dilation", "groups", "kernel_layout", "out_dtype")
    moved, summand = (op.Transpose(operand, axes=LAST) for operand in (x, s))
    last = op.Conv2D(moved, w, data_layout="NHWC", **pat.same_attr(conv, kept))
    target = op.Transpose(last + summand, axes=(0, 3, 1, 2))
    return Subst(conv + s, target, where=[attr.In(s.ndim, (0, 4))])


@rule(
    tags={"layout", "padding", "reshape"},
    origin="TVM Relax: tvm-relax-optlt-remove-pad",
    expect="GSL301",
    twin="blocks_of_padded_undone",
)
def blocks_of_padded_not_all_cut() -> Subst:
    """reshape[(m,)](reshape[s](pad{(0, p), v}(x)))[0:e]  =>  x for e not less than n

    A layout of blocks and back again. apache/tvm#15843: where n, the size of x, is no multiple of
    the block, elements are put behind x and cut away again. That all of them are cut away is told
    by the shape, and shapes were not compared.
    """
    x = pat.Wildcard()
    blocks = op.Reshape(op.Pad(x, pad_width=(0, None)))
    part = op.StridedSlice(op.Reshape(blocks), begin=(0,), strides=(1,))
    return Subst(part, x, where=[part.end[0] >= x.shape[0]])


@rule(
    tags={"layout", "reduction"},
    origin="TVM Relay: tvm-relay-reduce-layout",
    expect="GSL301",
    twin="argmin_over_blocked_channels",
)
def argmin_over_blocked_channels_keeping_block() -> Subst:
    """argmin[1](x)  =>  argmin[1](y), y = T[0,1,3,4,2](reshape[(n, c / 4, 4, h, w)](x)), NCHW4c

    apache/tvm#9813: axis 1 of the layout counts blocks of channels. The four channels in a block
    are another axis, which remains in the result.
    """
    x = pat.Wildcard()
    n, c, h, w = (x.shape[i] for i in range(4))
    least = op.Argmin(x, axis=1, keepdims=False)
    split = op.Reshape(x, shape=(n, c // 4, 4, h, w))
    blocked = op.Transpose(split, axes=(0, 1, 3, 4, 2))
    target = op.Argmin(blocked, axis=1, keepdims=False)
    return Subst(least, target, where=[x.ndim == 4, c % 4 == 0])


@rule(
    tags=LAYOUT | {"reshape", "data-movement"},
    origin="TVM Relay: tvm-relay-transpose-rank",
    expect="GSL303",
    twin="transpose_transpose",
)
def transpose_of_blocked_as_transpose() -> Subst:
    """T[q](T[0,1,3,4,2](reshape[(n, c / 4, 4, h, w)](x)))  =>  T[r](x) with r[i] = p[q[i]]

    With p = (0, 1, 2, 3, -1): the place of each letter of NCHW4c in NCHW, where `c` has none.
    apache/tvm#7807: letters were permuted as if they were axes, and x has one axis less.
    """
    x = pat.Wildcard()
    n, c, h, w = (x.shape[i] for i in range(4))
    split = op.Reshape(x, shape=(n, c // 4, 4, h, w))
    outer = op.Transpose(op.Transpose(split, axes=(0, 1, 3, 4, 2)))
    places = attr.Tuple(0, 1, 2, 3, -1)
    axes = attr.Variadic(lambda i: places[outer.axes[i]], length=5)
    return Subst(outer, op.Transpose(x, axes=axes), where=[x.ndim == 4])
