"""The same windows over data whose axes lie otherwise."""

from gsl import Subst, op, pat, rule

LAYOUT = {"layout", "transpose"}
LAST, FIRST = (0, 2, 3, 1), (0, 3, 1, 2)


@rule(
    tags=LAYOUT | {"convolution", "same-terms"},
    origin="TVM Relax: ConvertLayout",
    twin="conv2d_channels_last_transposed_once",
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
