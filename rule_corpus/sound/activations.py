"""Activations and normalisations put together from arithmetic, or taken apart into it."""

from math import sqrt

from gsl import Subst, attr, op, pat, rule

FUSION = {"activation", "activation-fusion", "exact-real"}
NORM = {"normalisation", "exact-real"}
LOWER = NORM | {"lowering", "norm-lowering"}
SOFTMAX = {"softmax", "exponential", "exact-real"}


def scalar() -> pat.Const:
    """Return a pattern of a constant without axes, which gives no other tensor any."""
    return pat.Const(shape=())


@rule(tags=FUSION | {"fusion"}, origin="OpenVINO: SwishFusion", flags=())
def silu_from_sigmoid() -> Subst:
    """x * sigmoid(x)  =>  silu(x)

    The definition.
    """
    x = pat.Wildcard()
    return Subst(x * op.Sigmoid(x), op.Silu(x))


@rule(tags=FUSION | {"fusion"}, origin="OpenVINO: SwishFusion, written out", flags={"arcp"})
def silu_from_exponential() -> Subst:
    """x / (exp(-x) + 1)  =>  silu(x) for the constant 1 of rank 0

    The sigmoid written out. Where exp(-x) overflows the quotient is 0, as is silu.
    """
    x = pat.Wildcard()
    return Subst(x / (op.Exp(-x) + 1), op.Silu(x))


@rule(
    tags=FUSION | {"fusion"}, origin="OpenVINO: HSigmoidFusion family, logistic function", flags=()
)
def sigmoid_from_exponential() -> Subst:
    """1 / (1 + exp(-x))  =>  sigmoid(x) for the constants 1 of rank 0

    The definition.
    """
    x = pat.Wildcard()
    return Subst(1 / (1 + op.Exp(-x)), op.Sigmoid(x))


@rule(
    tags=FUSION | {"fusion"},
    origin="ONNX Runtime: GeluFusion",
    twin="gelu_from_erf_unscaled",
    flags=(),
)
def gelu_from_erf() -> Subst:
    """x * 0.5 * (1 + erf(x / sqrt(2)))  =>  gelu(x) for constants of rank 0

    The definition by the error function. The constant is the root of 2 as the dtype has it.
    """
    x = pat.Wildcard()
    return Subst(x * 0.5 * (op.Erf(x / sqrt(2)) + 1), op.Gelu(x))


@rule(tags=FUSION | {"fusion"}, origin="ONNX Script: ort_fusions, erfgelu", flags={"ninf", "arcp"})
def gelu_from_erf_of_product() -> Subst:
    """(x * (erf(x * sqrt(0.5)) + 1)) * 0.5  =>  gelu(x) for constants of rank 0

    As by division; sqrt(0.5) is 1 / sqrt(2).
    """
    x = pat.Wildcard()
    return Subst(x * (op.Erf(x * sqrt(0.5)) + 1) * 0.5, op.Gelu(x))


@rule(tags=FUSION | {"fusion"}, origin="ONNX Runtime: GeluFusion, the half last", flags={"ninf"})
def gelu_from_erf_halved_behind() -> Subst:
    """(x * (erf(x / sqrt(2)) + 1)) * 0.5  =>  gelu(x) for constants of rank 0

    As torch's older exporter of ONNX writes it.
    """
    x = pat.Wildcard()
    return Subst(x * (op.Erf(x / sqrt(2)) + 1) * 0.5, op.Gelu(x))


@rule(tags=SOFTMAX | {"fusion"}, origin="OpenVINO: SoftmaxFusion, stabilised", flags=())
def softmax_from_shifted_exponentials() -> Subst:
    """exp(d) / sum[a](exp(d))  =>  softmax[a](x) for d = x - max[a](x), keeping the axis

    The shift cancels, as it is one number for every line along the axis. So both axes must be one.
    Comes before the rule that does not know the shift.
    """
    x = pat.Wildcard()
    largest = op.Max(x, keepdims=True)
    powers = op.Exp(x - largest)
    total = op.Sum(powers, axis=largest.axis, keepdims=True)
    target = op.Softmax(x, axis=total.axis[0])
    return Subst(powers / total, target, where=[attr.Length(total.axis) == 1])


@rule(
    tags=SOFTMAX | {"fusion"},
    origin="OpenVINO: SoftmaxFusion",
    flags={"nnan", "ninf", "reassoc", "afn"},
)
def softmax_from_exponentials() -> Subst:
    """exp(x) / sum[a](exp(x))  =>  softmax[a](x), the sum keeping the axis

    The definition; the operator subtracts the largest element first, so that nothing overflows,
    and therefore has none of an empty axis.
    """
    x = pat.Wildcard()
    powers = op.Exp(x)
    total = op.Sum(powers, keepdims=True)
    target = op.Softmax(x, axis=total.axis[0])
    single = [attr.Length(total.axis) == 1, x.shape[total.axis[0]] >= 1]
    return Subst(powers / total, target, where=single)


@rule(tags=SOFTMAX | {"lowering"}, origin="PyTorch: decompositions, log_softmax", flags=())
def lower_log_softmax() -> Subst:
    """log_softmax[a](x)  =>  d - log(sum[a](exp(d))), d = x - max[a](x), keeping the axis

    The logarithm of a quotient. The shift cancels; with it no exponential overflows.
    """
    x = pat.Wildcard()
    result = op.LogSoftmax(x)
    axes = (result.axis,)
    shifted = x - op.Max(x, axis=axes, keepdims=True)
    total = op.Sum(op.Exp(shifted), axis=axes, keepdims=True)
    return Subst(result, shifted - op.Log(total))


@rule(tags=NORM | {"fusion"}, origin="OpenVINO: MVNFusion, the variance", flags=())
def variance_from_mean() -> Subst:
    """mean[A](d * d)  =>  variance[A](x) for d = x - mean[A](x), keeping the axes

    The definition, over the same axes.
    """
    x = pat.Wildcard()
    average = op.Mean(x, keepdims=True)
    deviation = x - average
    spread = op.Mean(deviation * deviation, axis=average.axis)
    target = op.Variance(x, axis=average.axis, keepdims=spread.keepdims)
    return Subst(spread, target)


@rule(
    tags=NORM | {"norm-fusion", "fusion"},
    origin="ONNX Script: fusion, _rms_normalization; OpenVINO: RMSFusion",
    twin="rms_norm_from_mean_any_weight",
    flags=(),
)
def rms_norm_from_mean() -> Subst:
    """x / sqrt(mean[-1](x * x) + e) * g  =>  rms_norm[-1, e](x, g) for a vector g

    The definition. The epsilon is a constant of rank 0 and not so small that it vanishes.
    """
    x, g, e = pat.Wildcard(), pat.Variable(shape=(None,)), scalar()
    square = op.Mean(x * x, axis=(-1,), keepdims=True)
    scaled = x / op.Sqrt(square + e) * g
    target = op.RmsNorm(x, g, axes=(-1,), epsilon=e.value)
    return Subst(scaled, target, where=[g.shape[0] == x.shape[-1], e.value >= 1e-6])


@rule(tags=LOWER, origin="GSL: exp_lang.py, LowerInstanceNorm", flags={"nsz"})
def lower_instance_norm() -> Subst:
    """instance_norm[c, A](x, g, b)  =>  d / sqrt(mean[A](d * d) + eps) * g + b, d = x - mean[A](x)

    The definition. Parameters lie along the channel axis c, so they get an axis of size 1 for
    each axis of x behind it. Each of them may be switched off.
    """
    x, gamma, beta = pat.Wildcard(), pat.Variable(), pat.Variable()
    norm = op.InstanceNorm(x, gamma, beta)
    deviation = x - op.Mean(x, axis=norm.axes, keepdims=True)
    variance = op.Mean(deviation * deviation, axis=norm.axes, keepdims=True)
    result = deviation / op.Sqrt(variance + norm.epsilon)
    behind = x.ndim - norm.channel_axis % x.ndim

    def upright(vector: pat.Pattern) -> pat.Pattern:
        shape = attr.Variadic(lambda i: attr.Cond(i == 0, vector.shape[0], 1), length=behind)
        return op.Reshape(vector, shape=shape)

    scaled = pat.Cond(norm.scale, result * upright(gamma), result)
    return Subst(norm, pat.Cond(norm.center, scaled + upright(beta), scaled))


@rule(tags=LOWER, origin="GSL: exp_lang.py, LowerGroupNorm", flags=())
def lower_group_norm() -> Subst:
    """group_norm[G](x, g, b)  =>  reshape(standardised(reshape[(n, G, c, h, w)](x))) * g + b

    For images by channels first. Channels of a group are neighbours, so that a group is an axis
    of its own after reshaping; mean and variance are taken over all that is behind it.
    """
    x, gamma, beta = pat.Wildcard(), pat.Variable(), pat.Variable()
    norm = op.GroupNorm(x, gamma, beta, channel_axis=1, axes=(2, 3), center=True, scale=True)
    n, c, h, w = (x.shape[i] for i in range(4))
    grouped = op.Reshape(x, shape=(n, norm.num_groups, c // norm.num_groups, h, w))
    deviation = grouped - op.Mean(grouped, axis=(2, 3, 4), keepdims=True)
    variance = op.Mean(deviation * deviation, axis=(2, 3, 4), keepdims=True)
    result = op.Reshape(deviation / op.Sqrt(variance + norm.epsilon), shape=x.shape)
    upright = (c, 1, 1)
    scaled = result * op.Reshape(gamma, shape=upright)
    return Subst(norm, scaled + op.Reshape(beta, shape=upright), where=[x.ndim == 4])


@rule(
    tags=NORM | {"canonicalise"},
    origin="ONNX Script: instance_to_group_normalization, groups of one",
    flags=(),
)
def group_norm_as_instance_norm() -> Subst:
    """group_norm[C](x, g, b)  =>  instance_norm(x, g, b) for as many groups as channels

    A group of one channel has the mean and the variance of the channel.
    """
    x, gamma, beta = pat.Wildcard(), pat.Variable(), pat.Variable()
    norm = op.GroupNorm(x, gamma, beta, channel_axis=1, axes=(2, 3))
    same = pat.same_attr(norm, ["channel_axis", "axes", "epsilon", "center", "scale"])
    single = norm.num_groups == gamma.shape[0]
    return Subst(norm, op.InstanceNorm(x, gamma, beta, **same), where=[single, x.ndim == 4])


@rule(
    tags={"attention", "attention-fusion", "softmax", "exact-real", "fusion"},
    origin="PyTorch Inductor: fuse_attention",
    twin="attention_from_parts_any_order",
    flags=("nsz",),
)
def attention_from_parts() -> Subst:
    """T(softmax[-1]((T(q) @ T'(k)) * s) @ T(v))  =>  attention[s](q, k, v)

    T = [0, 2, 1, 3] puts the heads in front of the positions and back, T' = [0, 2, 3, 1] also
    exchanges positions and features of the keys. The factor s is a constant of rank 0.
    """
    q, k, v, s = pat.Wildcard(), pat.Wildcard(), pat.Wildcard(), scalar()
    heads = (0, 2, 1, 3)
    keys = op.Transpose(k, axes=(0, 2, 3, 1))
    scores = op.Matmul(op.Transpose(q, axes=heads), keys, out_dtype=q.dtype) * s
    weights = op.Softmax(scores, axis=-1)
    mixed = op.Matmul(weights, op.Transpose(v, axes=heads), out_dtype=q.dtype)
    sizes = [q.shape[i] == other.shape[i] for other in (k, v) for i in (0, 2)]
    target = op.Attention(q, k, v, scale=s.value)
    return Subst(op.Transpose(mixed, axes=heads), target, where=[*sizes, k.shape[1] >= 1])
