"""Layouts gone wrong: axes that stay where they were, or are moved the wrong way."""

from gsl import Subst, op, pat, rule

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
