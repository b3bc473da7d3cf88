"""Pooling: windows over what is joined, scaled or already limited; and means that are pooling."""

from gsl import Subst, attr, op, pat, rule

POOL = {"pooling"}
MONOTONE = POOL | {"lattice", "bit-exact"}


@rule(
    tags=MONOTONE | {"relu", "data-movement"},
    origin="Glow: SinkCode, relu below max pooling",
    flags=(),
)
def max_pool_of_relu() -> Subst:
    """max_pool2d{A}(relu(x))  =>  relu(max_pool2d{A}(x))

    Relu keeps the order, so the largest element remains the largest. Every window holds at least
    one element of x. Fewer elements are limited afterwards.
    """
    x = pat.Wildcard()
    pool = op.MaxPool2D(op.Relu(x), layout="NCHW")
    return Subst(pool, op.Relu(op.MaxPool2D(x, **pat.same_attr(pool))))


@rule(
    tags=MONOTONE | {"scale", "algebraic-distrib"},
    origin="Enzyme-JAX: ReduceMaxMinMulPositiveScalar, for windows",
    twin="max_pool_of_scaled_any_sign",
    flags={"ninf", "nsz"},
)
def max_pool_of_scaled() -> Subst:
    """max_pool1d{A}(x * c)  =>  max_pool1d{A}(x) * c for floats and a constant c > 0 of rank 0

    A positive factor keeps the order; a product of integers may wrap.
    """
    x, c = pat.Wildcard(), pat.Const(shape=())
    pool = op.MaxPool1D(x * c, layout="NCW")
    floats = attr.In(x.dtype, ("float16", "float32", "float64"))
    return Subst(pool, op.MaxPool1D(x, **pat.same_attr(pool)) * c, where=[c.value > 0, floats])


@rule(
    tags=POOL | {"scale", "exact-real", "algebraic-distrib"},
    origin="TASO: substitution.cc, create_two_pools",
    flags={"ninf", "reassoc"},
)
def sum_of_avg_pools() -> Subst:
    """avg_pool2d{A}(x) + avg_pool2d{A}(y)  =>  avg_pool2d{A}(x + y) for one shape of x and y

    An average is linear, with the padding counted or not, as both count the same.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    one = op.AvgPool2D(x, layout="NCHW")
    two = op.AvgPool2D(y, **pat.same_attr(one))
    target = op.AvgPool2D(x + y, **pat.same_attr(one))
    return Subst(one + two, target, where=[x.shape == y.shape])


@rule(
    tags=POOL | {"scale", "exact-real", "algebraic-distrib"},
    origin="TASO: verify.py, pooling is linear",
    flags={"ninf", "nsz", "reassoc"},
)
def avg_pool_of_scaled() -> Subst:
    """avg_pool1d{A}(x * c)  =>  avg_pool1d{A}(x) * c for a constant c of rank 0

    A common factor of all elements of a window; the factor may then go further down.
    """
    x, c = pat.Wildcard(), pat.Const(shape=())
    pool = op.AvgPool1D(x * c, layout="NCW")
    return Subst(pool, op.AvgPool1D(x, **pat.same_attr(pool)) * c)


@rule(
    tags=MONOTONE | {"concat", "data-movement"},
    origin="TASO: verify.py, concatenation and max pooling",
    flags=(),
)
def concat_of_max_pools() -> Subst:
    """cat[1](max_pool2d{A}(x), max_pool2d{A}(y))  =>  max_pool2d{A}(cat[1](x, y)) by channels

    Windows never reach from one channel to another. The sizes of the images have to agree: those
    of the results may do so by rounding.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    one = op.MaxPool2D(x, layout="NCHW")
    two = op.MaxPool2D(y, **pat.same_attr(one))
    target = op.MaxPool2D(op.Concatenate((x, y), axis=1), **pat.same_attr(one))
    alike = [x.shape[i] == y.shape[i] for i in (2, 3)]
    return Subst(op.Concatenate((one, two), axis=1), target, where=alike)


@rule(
    tags=POOL | {"concat", "bit-exact", "data-movement"},
    origin="TASO: verify.py, concatenation and avg pooling",
    flags=(),
)
def concat_of_avg_pools() -> Subst:
    """cat[0](avg_pool2d{A}(x), avg_pool2d{A}(y))  =>  avg_pool2d{A}(cat[0](x, y)) by images

    Images of a batch do not meet.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    one = op.AvgPool2D(x, layout="NCHW")
    two = op.AvgPool2D(y, **pat.same_attr(one))
    target = op.AvgPool2D(op.Concatenate((x, y), axis=0), **pat.same_attr(one))
    alike = [x.shape[i] == y.shape[i] for i in (2, 3)]
    return Subst(op.Concatenate((one, two), axis=0), target, where=alike)


@rule(
    tags=POOL | {"lowering", "convolution", "exact-real"},
    origin="TASO: verify.py, average pooling as convolution",
    twin="avg_pool_as_conv_uncounted",
    flags=(),
)
def avg_pool_as_conv() -> Subst:
    """avg_pool2d{k, padding counted}(x)  =>  conv2d{groups=C}(x, ones[(C, 1, *k)]) / size of k

    An average is a sum divided by their number, each channel for itself. The padding counts
    as zeros, and no window may reach behind it.
    """
    x = pat.Wildcard()
    pool = op.AvgPool2D(x, layout="NCHW", ceil_mode=False, count_include_pad=True)
    height, width = pool.pool_size[0], pool.pool_size[1]
    channels = x.shape[1]
    kernel = op.Ones(shape=(channels, 1, height, width), dtype=x.dtype)
    same = pat.same_attr(pool, ["strides", "padding", "dilation"])
    target = op.Conv2D(x, kernel, **same, groups=channels) / (height * width)
    return Subst(pool, target, where=[channels >= 1])


@rule(
    tags=POOL | {"reduction", "same-terms", "lowering"}, origin="Glow: OptimizeReduceMean", flags=()
)
def mean_as_global_avg_pool() -> Subst:
    """mean[(2, 3)](x), keeping the axes  =>  global_avg_pool2d(x) for images by channels first

    The average over all pixels of a channel.
    """
    x = pat.Wildcard()
    mean = op.Mean(x, axis=(2, 3), keepdims=True)
    return Subst(mean, op.GlobalAvgPool2D(x, layout="NCHW"), where=[x.ndim == 4])


@rule(
    tags=POOL | {"canonicalise", "same-terms"},
    origin="Glow: OptimizeReduceMean, the window",
    flags={"ninf"},
)
def full_avg_pool_as_global() -> Subst:
    """avg_pool2d{k}(x)  =>  global_avg_pool2d(x) for a window of the size of the images

    The only window covers every pixel, without padding and dilation.
    """
    x = pat.Wildcard()
    pool = op.AvgPool2D(x, padding=(0, 0, 0, 0), dilation=(1, 1), layout="NCHW")
    whole = [pool.pool_size[i] == x.shape[2 + i] for i in (0, 1)]
    return Subst(pool, op.GlobalAvgPool2D(x, layout="NCHW"), where=whole)
