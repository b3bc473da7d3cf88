"""Order, signs and axes: rules in another order that look as if nothing had changed."""

from gsl import Subst, attr, op, pat, rule

FLOATS = ("float16", "float32", "float64")


@rule(
    tags={"lattice", "relu", "fusion"},
    origin="mutation of leaky_relu_from_maximum: the slope is not asked for",
    expect="GSL401",
    twin="leaky_relu_from_maximum",
)
def leaky_relu_from_maximum_any_slope() -> Subst:
    """maximum(x, x * a)  =>  leaky_relu[a](x) for floats

    With a slope of 2 the product of positive x is the larger one.
    """
    x, a = pat.Wildcard(), pat.Const(shape=())
    target = op.LeakyRelu(x, alpha=a.value)
    return Subst(op.Maximum(x, x * a), target, where=[attr.In(x.dtype, FLOATS)])


@rule(
    tags={"logic", "predicate"},
    origin="mutation of both_not: the conjunction stays",
    expect="GSL401",
    twin="both_not",
)
def both_not_as_not_both() -> Subst:
    """(not x) and (not y)  =>  not (x and y)

    If only one of them holds, it is not so that both do.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    both = op.LogicalNot(op.LogicalAnd(x, y))
    return Subst(op.LogicalAnd(op.LogicalNot(x), op.LogicalNot(y)), both)


@rule(
    tags={"bias", "lowering"},
    origin="mutation of lower_bias_add: every bias broadcasts along the last axis",
    expect="GSL303",
    twin="lower_bias_add",
)
def lower_bias_add_last_axis() -> Subst:
    """bias_add[a](x, b)  =>  x + b

    A vector broadcasts along the last axis, a bias lies along `a`.
    """
    x, b = pat.Wildcard(), pat.Wildcard()
    return Subst(op.BiasAdd(x, b), x + b)


@rule(
    tags={"convolution", "distribution", "algebraic-distrib"},
    origin="ONNX Script: _fuse_conv_affine with padding, which its condition excludes",
    expect="GSL401",
    twin="conv_of_shifted",
)
def conv_of_shifted_padded() -> Subst:
    """conv{A}(x + t, w)  =>  conv{A}(x, w) + t * sum[1, 2, 3](w)[:, None, None]

    Padded zeros are not shifted, so that the kernel does not add t as a whole at the edges.
    """
    x, w, t = pat.Wildcard(), pat.Variable(), pat.Const(shape=())
    conv = op.Conv2D(x + t, w, data_layout="NCHW", kernel_layout="OIHW", out_dtype=x.dtype)
    total = op.Sum(w, axis=(1, 2, 3), keepdims=False)
    offset = op.Reshape(total, shape=(w.shape[0], 1, 1)) * t
    return Subst(conv, op.Conv2D(x, w, **pat.same_attr(conv)) + offset)


@rule(
    tags={"pooling", "scale", "algebraic-distrib"},
    origin="mutation of max_pool_of_scaled: the sign is not asked for",
    expect="GSL401",
    twin="max_pool_of_scaled",
)
def max_pool_of_scaled_any_sign() -> Subst:
    """max_pool1d{A}(x * c)  =>  max_pool1d{A}(x) * c for floats and a constant c of rank 0

    A negative factor turns the order around: the smallest element becomes the largest.
    """
    x, c = pat.Wildcard(), pat.Const(shape=())
    pool = op.MaxPool1D(x * c, layout="NCW")
    target = op.MaxPool1D(x, **pat.same_attr(pool)) * c
    return Subst(pool, target, where=[attr.In(x.dtype, FLOATS)])
