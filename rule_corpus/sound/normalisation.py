"""Normalisations written out in arithmetic, so that other rules can go on from there."""

from gsl import Subst, attr, op, pat, rule
from gsl.attr import Term
from gsl.pat import Pattern

TAGS = {"normalisation", "lowering"}


def _is_among(axis: Term, axes: Term, rank: Term) -> Term:
    """Tell whether `axis`, counted from the front, is one of `axes`, counted anyhow."""
    return attr.Exists(lambda k: axes[k] % rank == axis, length=attr.Length(axes))


@rule(
    tags=TAGS | {"exact-real"},
    origin="GSL: lower_batch_norm",
    twin="lower_batch_norm_published",
    flags={"nnan", "ninf", "nsz", "reassoc"},
)
def lower_batch_norm() -> Subst:
    """batch_norm[a](x, g, b, m, v).0  =>  bias_add[a](x * k, b - m * k), k = g / sqrt(v + eps)

    (x - m) / s * g + b is linear in x. The factor k gets one axis of size 1 for each axis of x
    behind `a`, which may be counted from the end. Without `scale` g is 1, without `center` b is
    0. Only the first result may be used: the others are the statistics themselves.
    """
    x = pat.Wildcard()
    gamma, beta = pat.Variable(shape=(None,)), pat.Variable(shape=(None,))
    mean, var = pat.Variable(shape=(None,)), pat.Variable(shape=(None,))
    norm = op.BatchNorm(x, gamma, beta, mean, var)
    spread = op.Sqrt(var + norm.epsilon)
    factor = pat.Cond(norm.scale, gamma, pat.Const(1.0, dtype=x.dtype)) / spread
    behind = x.ndim - norm.axis % x.ndim
    upright = attr.Variadic(lambda i: attr.Cond(i == 0, var.shape[0], 1), length=behind)
    offset = pat.Cond(norm.center, beta - mean * factor, -(mean * factor))
    scaled = x * op.Reshape(factor, shape=upright)
    return Subst(norm[0], op.BiasAdd(scaled, offset, axis=norm.axis))


@rule(
    tags=TAGS | {"norm-fusion", "fusion", "exact-real"},
    origin="ONNX Runtime: LayerNormFusion; torch's older exporter of ONNX",
    flags=(),
)
def layer_norm_from_parts() -> Subst:
    """d / sqrt(mean[-1](d ** 2) + e) * g + b  =>  layer_norm[-1, e](x, g, b), d = x - mean[-1](x)

    The definition, for vectors g and b. The epsilon is a constant of rank 0 and not so small that
    it vanishes.
    """
    x, e, two = pat.Wildcard(), pat.Const(shape=()), pat.Const(shape=())
    g, b = pat.Variable(shape=(None,)), pat.Variable(shape=(None,))
    deviation = x - op.Mean(x, axis=(-1,), keepdims=True)
    variance = op.Mean(op.Power(deviation, two), axis=(-1,), keepdims=True)
    result = deviation / op.Sqrt(variance + e) * g + b
    target = op.LayerNorm(x, g, b, axes=(-1,), epsilon=e.value)
    fits = [g.shape[0] == x.shape[-1], b.shape[0] == x.shape[-1], e.value >= 9e-13]
    return Subst(result, target, where=[*fits, two.value == 2.0])


@rule(
    tags=TAGS | {"exact-real"},
    origin="GSL: lower_layer_norm",
    twin="lower_layer_norm_unaligned",
    flags=(),
)
def lower_layer_norm() -> Subst:
    """layer_norm[A](x, g, b)  =>  d / sqrt(mean[A](d * d) + eps) * g + b, d = x - mean[A](x)

    This is the definition. The published rule is for the last axis with g and b; here A is any
    set of axes, so g and b, which have their sizes in increasing order, get size 1 on all other
    axes; and each of them may be switched off.
    """
    x, gamma = pat.Wildcard(), pat.Variable()
    beta = pat.Variable(shape=gamma.shape)
    norm = op.LayerNorm(x, gamma, beta)
    deviation = x - op.Mean(x, axis=norm.axes, keepdims=True)
    variance = op.Mean(deviation * deviation, axis=norm.axes, keepdims=True)
    result = deviation / op.Sqrt(variance + norm.epsilon)
    spread_out = attr.Variadic(
        lambda i: attr.Cond(_is_among(i, norm.axes, x.ndim), x.shape[i], 1), length=x.ndim
    )

    def aligned(parameter: Pattern) -> Pattern:
        return op.Reshape(parameter, shape=spread_out)

    scaled = pat.Cond(norm.scale, result * aligned(gamma), result)
    return Subst(norm, pat.Cond(norm.center, scaled + aligned(beta), scaled))


@rule(
    tags={"normalisation", "cast", "mixed-precision", "fusion", "bit-exact"},
    origin="ONNX Runtime: SkipLayerNormFusion, conversions around it",
    twin="skip_layer_norm_in_half_precision",
    flags=(),
)
def skip_layer_norm() -> Subst:
    """cast[t](layer_norm[-1](x' + y', g', b'))  =>  layer_norm[-1](x + y, g, b), x' = cast[t](x)

    The fused operator adds in the dtype t of its operands. So conversions around it, which remain
    when a network is converted, may be left out only if they are to that dtype.
    """
    x, y, gamma = pat.Wildcard(), pat.Wildcard(), pat.Variable(shape=(None,))
    beta = pat.Variable(shape=gamma.shape)
    same = [op.Cast(operand, dtype=x.dtype) for operand in (x, y, gamma, beta)]
    norm = op.LayerNorm(same[0] + same[1], same[2], same[3], axes=(-1,))
    target = op.LayerNorm(x + y, gamma, beta, **pat.same_attr(norm))
    alike = [operand.dtype == x.dtype for operand in (y, gamma, beta)]
    return Subst(op.Cast(norm, dtype=x.dtype), target, where=[x.shape == y.shape, *alike])


@rule(
    tags=TAGS | {"exact-real"},
    origin="TVM Relax: DecomposeOpsForTraining, batch norm",
    twin="batch_norm_by_batch_statistics",
    flags={"ninf", "nsz"},
)
def batch_norm_of_own_statistics() -> Subst:
    """batch_norm[1](x, g, b, mean(x), variance(x)).0  =>  (x - mean(x)) / s * g + b

    With s = sqrt(variance(x) + eps), for images NCHW and statistics over all axes but 1. This is
    what normalisation does in training; in inference it does so if it is given these statistics.
    """
    x = pat.Wildcard()
    gamma, beta = pat.Variable(shape=(None,)), pat.Variable(shape=(None,))
    others = (0, 2, 3)
    known = [stat(x, axis=others, keepdims=False) for stat in (op.Mean, op.Variance)]
    norm = op.BatchNorm(x, gamma, beta, *known, axis=1, scale=True, center=True)
    mean, var = (stat(x, axis=others, keepdims=True) for stat in (op.Mean, op.Variance))
    result = (x - mean) / op.Sqrt(var + norm.epsilon)
    scaled = result * op.Reshape(gamma, shape=(1, gamma.shape[0], 1, 1))
    return Subst(norm[0], op.BiasAdd(scaled, beta, axis=1), where=[x.ndim == 4])


@rule(
    tags=TAGS | {"exact-real"},
    origin="TVM Relay: SimplifyInference, l2_normalize",
    twin="l2_norm_by_root_in_float32",
    flags={"arcp"},
)
def l2_norm_by_root() -> Subst:
    """x * rsqrt(maximum(sum[a](square(x)), e))  =>  x / sqrt(maximum(sum[a](x * x), e)), e > 0

    The same quotient. The number e is made anew, in the dtype of what it is compared with.
    """
    x, e = pat.Wildcard(), pat.Const(shape=())
    total = op.Sum(op.Square(x), axis=(None,), keepdims=True)
    norm = x * op.Rsqrt(op.Maximum(total, e))
    squares = op.Sum(x * x, **pat.same_attr(total))
    least = pat.Const(e.value, dtype=x.dtype)
    return Subst(norm, x / op.Sqrt(op.Maximum(squares, least)), where=[e.value > 0])
