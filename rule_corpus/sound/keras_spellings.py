"""Layers of Keras and Paddle as tf2onnx and paddle2onnx write them, and numbers put behind.

A number in front of a sum or a product comes behind first, so that one rule serves both orders.
"""

from typing import Any

from gsl import Subst, attr, op, pat, rule

COMMUTED = {"elementwise", "canonicalise", "bit-exact"}
SCALED = {"scale", "bn-fold", "exact-real", "algebraic-distrib"}
NORM = {"normalisation", "norm-fusion", "fusion", "exact-real"}
SOFTMAX = {"softmax", "attention", "matmul", "scale", "canonicalise", "exact-real"}
SCALING_FLAGS = {"ninf", "nsz", "reassoc"}


def scalar() -> pat.Const:
    """Return a pattern of a constant without axes."""
    return pat.Const(shape=())


def along_channels(vector: pat.Pattern, x: pat.Pattern) -> list[Any]:
    """Return the conditions that only the axis of the channels (1) of x is longer than 1."""
    behind = x.ndim - 1
    alike = attr.All(
        lambda i: vector.shape[i] == attr.Cond(i == vector.ndim - behind, x.shape[1], 1),
        length=vector.ndim,
    )
    return [x.ndim >= 3, vector.ndim >= behind, vector.ndim <= x.ndim, alike]


@rule(tags=COMMUTED, origin="tf2onnx: factors of Keras", flags=())
def number_behind_product() -> Subst:
    """c * x  =>  x * c for a constant c of rank 0, x with an axis

    Multiplication is commutative; rules look for numbers behind.
    """
    x, c = pat.Wildcard(), scalar()
    return Subst(c * x, x * c, where=[x.ndim >= 1])


@rule(tags=COMMUTED, origin="tf2onnx: summands of Keras", flags=())
def number_behind_sum() -> Subst:
    """c + x  =>  x + c for a constant c of rank 0, x with an axis

    Addition is commutative.
    """
    x, c = pat.Wildcard(), scalar()
    return Subst(c + x, x + c, where=[x.ndim >= 1])


@rule(
    tags={"bias", "canonicalise", "bit-exact"},
    origin="tf2onnx: BatchNormalization of Keras, the sum",
    flags=(),
)
def sum_of_channels_as_bias() -> Subst:
    """x + t  =>  bias_add[1](x, t') for a parameter t of shape (1, C, 1, ...), t' without the 1s

    So the shift of a batch norm is a bias like that of a convolution.
    """
    x, t = pat.Wildcard(), pat.Variable()
    vector = op.Reshape(t, shape=(x.shape[1],))
    return Subst(x + t, op.BiasAdd(x, vector, axis=1), where=along_channels(t, x))


@rule(
    tags=SCALED | {"bias"},
    origin="tf2onnx: BatchNormalization of Keras behind a bias",
    flags={"ninf", "nsz", "reassoc"},
)
def factor_of_biased_channels() -> Subst:
    """bias_add[1](x, b) * s  =>  bias_add[1](x * s, b * s'), s a parameter of shape (1, C, 1, ...)

    A product distributes over a sum. Gates, which are no parameters, stay behind.
    """
    x, b, s = pat.Wildcard(), pat.Variable(shape=(None,)), pat.Variable()
    vector = op.Reshape(s, shape=(x.shape[1],))
    target = op.BiasAdd(x * s, b * vector, axis=1)
    return Subst(op.BiasAdd(x, b, axis=1) * s, target, where=along_channels(s, x))


@rule(
    tags=SCALED | {"convolution"},
    origin="tf2onnx: BatchNormalization of Keras behind a convolution",
    flags=SCALING_FLAGS,
)
def factor_of_conv() -> Subst:
    """conv{A}(x, w) * s  =>  conv{A}(x, w * s'), s a parameter of shape (1, O, 1, 1)

    An output channel times a number is its kernel times this number, in groups, too.
    """
    x, w, s = pat.Wildcard(), pat.Variable(), pat.Variable()
    conv = op.Conv2D(x, w, data_layout="NCHW", kernel_layout="OIHW", out_dtype=w.dtype)
    factor = op.Reshape(s, shape=(w.shape[0], 1, 1, 1))
    target = op.Conv2D(x, w * factor, **pat.same_attr(conv))
    return Subst(conv * s, target, where=along_channels(s, conv))


@rule(
    tags=SCALED | {"convolution", "transposed"},
    origin="tf2onnx: BatchNormalization of Keras behind a transposed convolution",
    flags=SCALING_FLAGS,
)
def factor_of_transposed_conv() -> Subst:
    """conv_transpose{A}(x, w) * s  =>  conv_transpose{A}(x, w * s'), s of shape (1, O, 1, 1)

    Without groups the kernels (IOHW) have the outputs on their second axis.
    """
    x, w, s = pat.Wildcard(), pat.Variable(), pat.Variable()
    how = {"data_layout": "NCHW", "kernel_layout": "IOHW", "groups": 1}
    conv = op.Conv2DTranspose(x, w, **how, out_dtype=w.dtype)
    factor = op.Reshape(s, shape=(1, w.shape[1], 1, 1))
    target = op.Conv2DTranspose(x, w * factor, **pat.same_attr(conv))
    return Subst(conv * s, target, where=along_channels(s, conv))


@rule(
    tags=SCALED | {"matmul", "bias"},
    origin="tf2onnx: BatchNormalization of Keras behind Dense",
    flags={"ninf", "nsz", "reassoc"},
)
def factor_of_linear() -> Subst:
    """(x @ w + c) * s  =>  x @ (w * s) + c * s for parameters c and s that are vectors

    A column of the weight times a number.
    """
    x, w, c = pat.Wildcard(), pat.Variable(shape=(None, None)), pat.Variable(shape=(None,))
    s = pat.Variable(shape=c.shape)
    product = op.Matmul(x, w, out_dtype=x.dtype)
    target = op.Matmul(x, w * s, **pat.same_attr(product)) + c * s
    fits = [x.ndim >= 1, c.shape[0] == w.shape[1]]
    return Subst((product + c) * s, target, where=fits)


@rule(
    tags=NORM,
    origin="tf2onnx: LayerNormalization of Keras",
    flags={"ninf", "nsz", "reassoc", "afn", "contract"},
)
def layer_norm_by_factor() -> Subst:
    """x * k + (-m * k + b)  =>  layer_norm[-1, e](x, g', b'), k = rsqrt(mean(d * d) + e) * g

    With m = mean(x) and d = x - m, along the last axis; g' and b' are g and b as vectors. The
    epsilon is a constant of rank 0 and not so small that it vanishes.
    """
    x, e, g, b = pat.Wildcard(), scalar(), pat.Variable(), pat.Variable()
    average = op.Mean(x, axis=(None,), keepdims=True)
    deviation = x - average
    variance = op.Mean(deviation * deviation, axis=(None,), keepdims=True)
    factor = op.Rsqrt(variance + e) * g
    source = x * factor + (-average * factor + b)
    n = x.shape[-1]
    vectors = (op.Reshape(one, shape=(n,)) for one in (g, b))
    target = op.LayerNorm(x, *vectors, axes=(-1,), epsilon=e.value)
    last = [one.axis[0] % x.ndim == x.ndim - 1 for one in (average, variance)]
    fits = [condition for one in (g, b) for condition in along_last(one, x)]
    return Subst(source, target, where=[x.ndim >= 1, *last, *fits, e.value >= 9e-13])


def along_last(vector: pat.Pattern, x: pat.Pattern) -> list[Any]:
    """Return the conditions that only the last axis is longer than 1, as that of x."""
    ones = attr.All(lambda i: vector.shape[i] == 1, length=vector.ndim - 1)
    fits = [vector.ndim >= 1, vector.ndim <= x.ndim]
    return [*fits, vector.shape[vector.ndim - 1] == x.shape[x.ndim - 1], ones]


@rule(tags=NORM, origin="tf2onnx: RMSNormalization of Keras", flags={"ninf", "reassoc", "afn"})
def rms_norm_by_factor() -> Subst:
    """x * (rsqrt(mean[-1](x * x) + e) * g)  =>  rms_norm[-1, e](x, g) for a vector g

    The weight belongs to the factor of each row. The epsilon does not vanish.
    """
    x, g, e = pat.Wildcard(), pat.Variable(shape=(None,)), scalar()
    square = op.Mean(x * x, axis=(None,), keepdims=True)
    target = op.RmsNorm(x, g, axes=(-1,), epsilon=e.value)
    last = square.axis[0] % x.ndim == x.ndim - 1
    fits = [x.ndim >= 1, last, g.shape[0] == x.shape[x.ndim - 1], e.value >= 9e-7]
    return Subst(x * (op.Rsqrt(square + e) * g), target, where=fits)


@rule(
    tags={"activation", "activation-fusion", "fusion", "exact-real"},
    origin="tf2onnx: hard_silu of Keras; OpenVINO: HSwishFusion",
    flags={"reassoc"},
)
def hard_swish_from_clip() -> Subst:
    """x * (clip[0, 6](x + 3) * (1 / 6))  =>  hard_swish(x) for constants of rank 0

    The definition, its limits six times as far apart.
    """
    x = pat.Wildcard()
    limited = op.Clip(x + 3.0, min=0.0, max=6.0)
    return Subst(x * (limited * (1 / 6)), op.HardSwish(x))


@rule(
    tags={"activation", "activation-fusion", "fusion", "exact-real"},
    origin="tf2onnx: gelu of Keras",
    flags={"arcp"},
)
def gelu_from_halved_and_erf() -> Subst:
    """x * 0.5 * (erf(x * sqrt(0.5)) + 1)  =>  gelu(x) for constants of rank 0

    As by division; sqrt(0.5) is 1 / sqrt(2).
    """
    x = pat.Wildcard()
    return Subst((x * 0.5) * (op.Erf(x * 0.5**0.5) + 1), op.Gelu(x))


@rule(
    tags={"matmul", "reshape", "same-terms", "data-movement", "canonicalise", "multiple-outputs"},
    origin="tf2onnx: Dense of Keras, whose rows several layers share",
    flags=(),
)
def matmul_of_shared_rows() -> Subst:
    """r, reshape[(b, m, n)](r @ w)  =>  r, x @ w, where r = reshape[(b * m, k)](x)

    For x of shape (b, m, k). Rows stay rows, whoever else uses them.
    """
    x, w = pat.Wildcard(), pat.Variable(shape=(None, None))
    rows = op.Reshape(x, shape=(x.shape[0] * x.shape[1], x.shape[2]))
    product = op.Matmul(rows, w)
    batch = op.Reshape(product, shape=(x.shape[0], x.shape[1], w.shape[1]))
    targets = [op.Reshape(x, shape=rows.shape), op.Matmul(x, w, out_dtype=product.out_dtype)]
    return Subst([rows, batch], targets, where=[x.ndim == 3])


@rule(
    tags=SOFTMAX,
    origin="Paddle: queries scaled before the product",
    flags={"nnan", "ninf", "reassoc"},
)
def softmax_of_scaled_queries() -> Subst:
    """softmax((q * s) @ k)  =>  softmax((q @ k) * s) for a constant s of rank 0

    A factor of all summands; rules of attention look for it behind the product.
    """
    q, k, s = pat.Wildcard(), pat.Wildcard(), scalar()
    weights = op.Softmax(op.Matmul(q * s, k, out_dtype=q.dtype))
    target = op.Matmul(q, k, out_dtype=q.dtype) * s
    return Subst(weights, op.Softmax(target, **pat.same_attr(weights)))


@rule(
    tags=SOFTMAX,
    origin="Paddle: queries scaled before the product, masked",
    flags={"nnan", "ninf", "reassoc"},
)
def softmax_of_scaled_queries_masked() -> Subst:
    """softmax((q * s) @ k + m)  =>  softmax((q @ k) * s + m) for a constant s of rank 0

    As without a mask.
    """
    q, k, m, s = pat.Wildcard(), pat.Wildcard(), pat.Wildcard(), scalar()
    weights = op.Softmax(op.Matmul(q * s, k, out_dtype=q.dtype) + m)
    target = op.Matmul(q, k, out_dtype=q.dtype) * s + m
    return Subst(weights, op.Softmax(target, **pat.same_attr(weights)))


@rule(
    tags={"attention", "transpose", "matmul", "data-movement", "canonicalise", "bit-exact"},
    origin="tf2onnx: keys of attention, transposed at once",
    flags=(),
)
def keys_transposed_twice() -> Subst:
    """q @ transpose[0, 2, 3, 1](k)  =>  q @ transpose[0, 1, 3, 2](transpose[0, 2, 1, 3](k))

    Heads in front of positions, as those of the values are; then the matrices are transposed. Comes
    before rules of attention, and before those that put transposes together.
    """
    q, k = pat.Wildcard(), pat.Wildcard()
    product = op.Matmul(q, op.Transpose(k, axes=(0, 2, 3, 1)))
    keys = op.Transpose(op.Transpose(k, axes=(0, 2, 1, 3)), axes=(0, 1, 3, 2))
    return Subst(product, op.Matmul(q, keys, **pat.same_attr(product)))
