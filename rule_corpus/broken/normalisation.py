"""Normalisations written out wrongly: axes, flags and epsilon."""

from gsl import Subst, attr, op, pat, rule
from gsl.attr import Term
from gsl.pat import Call, Pattern

TAGS = {"normalisation", "lowering"}


def _batch_norm(**flags: object) -> tuple[Pattern, tuple[Pattern, ...], Call]:
    """Return the data, its parameters gamma, beta, mean, variance, and the normalisation."""
    x = pat.Wildcard()
    gamma, beta = pat.Variable(shape=(None,)), pat.Variable(shape=(None,))
    mean, var = pat.Variable(shape=(None,)), pat.Variable(shape=(None,))
    return x, (gamma, beta, mean, var), op.BatchNorm(x, gamma, beta, mean, var, **flags)


def _upright(vector: Pattern, rank: Term) -> Pattern:
    """Give a vector axes of size 1 behind its own, `rank` in all."""
    size = vector.shape[0]
    shape = attr.Variadic(lambda i: attr.Cond(i == 0, size, 1), length=rank)
    return op.Reshape(vector, shape=shape)


@rule(tags=TAGS, origin="GSL: lower_batch_norm", expect="GSL301", twin="lower_batch_norm")
def lower_batch_norm_published() -> Subst:
    """batch_norm[a](x, g, b, m, v).0  =>  bias_add[a](x * k, b - m * k), k = g / sqrt(v + eps)

    The factor gets as many axes as x has from axis `a` on, which is counted as if `a` were never
    negative: for the last axis, written -1, it gets more axes than x.
    """
    x, (gamma, beta, mean, var), norm = _batch_norm()
    spread = op.Sqrt(var + norm.epsilon)
    factor = pat.Cond(norm.scale, gamma, pat.Const(1.0, dtype=x.dtype)) / spread
    offset = pat.Cond(norm.center, beta - mean * factor, -(mean * factor))
    scaled = x * _upright(factor, x.ndim - norm.axis)
    return Subst(norm[0], op.BiasAdd(scaled, offset, axis=norm.axis))


@rule(
    tags=TAGS,
    origin="GSL: lower_batch_norm without its conditional parts",
    expect="GSL401",
    twin="lower_batch_norm",
)
def lower_batch_norm_any_flags() -> Subst:
    """batch_norm[a](x, g, b, m, v).0  =>  bias_add[a](x * k, b - m * k), k = g / sqrt(v + eps)

    `scale` and `center` may be off, and then gamma and beta are there without being used.
    """
    x, (gamma, beta, mean, var), norm = _batch_norm()
    factor = gamma / op.Sqrt(var + norm.epsilon)
    scaled = x * _upright(factor, x.ndim - norm.axis % x.ndim)
    return Subst(norm[0], op.BiasAdd(scaled, beta - mean * factor, axis=norm.axis))


@rule(
    tags=TAGS,
    origin="GSL: lower_batch_norm with epsilon outside of the root",
    expect="GSL401",
    twin="lower_batch_norm",
)
def lower_batch_norm_epsilon_outside() -> Subst:
    """batch_norm[a](x, g, b, m, v).0  =>  bias_add[a](x * k, b - m * k), k = g / (sqrt(v) + eps)

    A usual epsilon is too small for the difference to be seen with a usual tolerance.
    """
    x, (gamma, beta, mean, var), norm = _batch_norm(scale=True, center=True)
    factor = gamma / (op.Sqrt(var) + norm.epsilon)
    scaled = x * _upright(factor, x.ndim - norm.axis % x.ndim)
    return Subst(norm[0], op.BiasAdd(scaled, beta - mean * factor, axis=norm.axis))


def _layer_norm(**attributes: object) -> tuple[Pattern, Pattern, Pattern, Call, Pattern]:
    """Return a layer normalisation, its operands, and its value without gamma and beta."""
    x, gamma = pat.Wildcard(), pat.Variable()
    beta = pat.Variable(shape=gamma.shape)
    norm = op.LayerNorm(x, gamma, beta, **attributes)
    deviation = x - op.Mean(x, axis=norm.axes, keepdims=True)
    variance = op.Mean(deviation * deviation, axis=norm.axes, keepdims=True)
    return x, gamma, beta, norm, deviation / op.Sqrt(variance + norm.epsilon)


@rule(
    tags=TAGS,
    origin="GSL: lower_layer_norm, for all axes",
    expect="GSL303",
    twin="lower_layer_norm",
)
def lower_layer_norm_unaligned() -> Subst:
    """layer_norm[A](x, g, b)  =>  d / sqrt(mean[A](d * d) + eps) * g + b, d = x - mean[A](x)

    Broadcasting aligns g and b with the last axes, which A need not be.
    """
    _, gamma, beta, norm, result = _layer_norm(scale=True, center=True)
    return Subst(norm, result * gamma + beta)


@rule(
    tags=TAGS,
    origin="TVM: relax.nn.layer_norm, which ignores both flags",
    expect="GSL401",
    twin="lower_layer_norm",
)
def lower_layer_norm_any_flags() -> Subst:
    """layer_norm[-1](x, g, b)  =>  d / sqrt(mean[-1](d * d) + eps) * g + b, d = x - mean[-1](x)

    `scale` and `center` may be off, and then gamma and beta are there without being used.
    """
    _, gamma, beta, norm, result = _layer_norm(axes=(-1,))
    return Subst(norm, result * gamma + beta)


@rule(
    tags={"normalisation", "cast", "mixed-precision", "fusion"},
    origin="ONNX Runtime: ort-skipln-fp16",
    expect="GSL401",
    twin="skip_layer_norm",
)
def skip_layer_norm_in_half_precision() -> Subst:
    """cast[float16](layer_norm[-1](x' + y', g', b'))  =>  layer_norm[-1](s, g, b)

    x', y', g' and b' are float32, s is x' + y' in float16. microsoft/onnxruntime#17689: the network
    adds in float32, the fused operator in float16, where sums lose digits or overflow.
    """
    x, y, gamma = pat.Wildcard(), pat.Wildcard(), pat.Variable(shape=(None,))
    beta = pat.Variable(shape=gamma.shape)
    wide = [op.Cast(operand, dtype="float32") for operand in (x, y, gamma, beta)]
    norm = op.LayerNorm(wide[0] + wide[1], wide[2], wide[3], axes=(-1,))
    again = [op.Cast(operand, dtype="float32") for operand in (x, y)]
    total = op.Cast(again[0] + again[1], dtype="float16")
    target = op.LayerNorm(total, gamma, beta, **pat.same_attr(norm))
    half = [operand.dtype == "float16" for operand in (x, y, gamma, beta)]
    alike = [x.shape == y.shape, norm.epsilon >= 1e-5]
    return Subst(op.Cast(norm, dtype="float16"), target, where=[*half, *alike])


@rule(
    tags=TAGS,
    origin="TVM Relax: tvm-relax-decbn-train; tvm-relax-bn-eval",
    expect="GSL401",
    twin="batch_norm_of_own_statistics",
)
def batch_norm_by_batch_statistics() -> Subst:
    """batch_norm[1](x, g, b, m, v).0  =>  (x - mean(x)) / sqrt(variance(x) + eps) * g + b, NCHW

    DecomposeOpsForTraining does not look at `training`, live in 0.27.0; and an importer left it
    out, where the default is training (apache/tvm#17752). In inference m and v are known before,
    and need not be mean and variance of x.
    """
    x, (gamma, beta, *_), norm = _batch_norm(axis=1, scale=True, center=True)
    others = (0, 2, 3)
    mean, var = (stat(x, axis=others, keepdims=True) for stat in (op.Mean, op.Variance))
    result = (x - mean) / op.Sqrt(var + norm.epsilon)
    scaled = result * op.Reshape(gamma, shape=(1, gamma.shape[0], 1, 1))
    return Subst(norm[0], op.BiasAdd(scaled, beta, axis=1), where=[x.ndim == 4])


@rule(
    tags=TAGS,
    origin="TVM Relay: tvm-relay-l2norm-dtype",
    expect="GSL303",
    twin="l2_norm_by_root",
)
def l2_norm_by_root_in_float32() -> Subst:
    """x * rsqrt(maximum(sum[a](square(x)), e))  =>  x / sqrt(maximum(sum[a](x * x), e)), e > 0

    SimplifyInference makes e anew as a number of float32, in the last release, whatever the dtype
    of x is: no other dtype can be compared with it.
    """
    x, e = pat.Wildcard(), pat.Const(shape=())
    total = op.Sum(op.Square(x), axis=(None,), keepdims=True)
    norm = x * op.Rsqrt(op.Maximum(total, e))
    squares = op.Sum(x * x, **pat.same_attr(total))
    least = pat.Const(e.value, dtype="float32")
    return Subst(norm, x / op.Sqrt(op.Maximum(squares, least)), where=[e.value > 0])
