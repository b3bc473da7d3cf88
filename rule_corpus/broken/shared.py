"""Values with several readers, of which a rule looks at one: inner results, weights, uses."""

from gsl import Subst, op, pat, rule
from gsl.attr import Term
from gsl.pat import Call, Pattern

SHARED = {"multiple-outputs", "fusion"}
CONV = SHARED | {"convolution"}
PINNED = {"data_layout": "NCW", "kernel_layout": "OIW"}


def batch_norm(y: Pattern) -> tuple[Call, Pattern, Pattern]:
    """Return the normalisation of channels, the factor of each channel, and what is added."""
    gamma = pat.Variable(shape=(None,))
    beta, mean = pat.Variable(shape=gamma.shape), pat.Variable(shape=gamma.shape)
    var = pat.Variable(shape=gamma.shape)
    norm = op.BatchNorm(y, gamma, beta, mean, var, axis=1, center=True, scale=True)
    factor = gamma / op.Sqrt(var + norm.epsilon)
    return norm, factor, beta - mean * factor


def upright(factor: Pattern, channels: Term) -> Pattern:
    """Return factors of output channels as they are multiplied with OIW kernels."""
    return op.Reshape(factor, shape=(channels, 1, 1))


@rule(
    tags=CONV | {"relu"},
    origin="TensorRT: trt-conv-relu-outputs",
    expect="GSL401",
    twin="conv_and_relu",
)
def conv_and_relu_as_one() -> Subst:
    """y, relu(y) of y = conv{A}(x, w)  =>  z, z with z = maximum(conv{A}(x, w), 0)

    NVIDIA/TensorRT#305: both were outputs of the network. The activation is fused into the
    convolution, whose own result nobody asks for any more, and comes out twice.
    """
    x, w = pat.Wildcard(), pat.Variable()
    conv = op.Conv2D(x, w)
    fused = op.Maximum(op.Conv2D(x, w, **pat.same_attr(conv)), 0)
    return Subst([conv, op.Relu(conv)], [fused, fused])


@rule(
    tags=CONV | {"normalisation", "pooling"},
    origin="TNN: tnn-bn-escape",
    expect="GSL401",
    twin="fold_batch_norm_beside_pool",
)
def fold_batch_norm_before_pool() -> Subst:
    """batch_norm[1](y).0, max_pool1d{B}(y) of y = conv1d{A}(x, w)  =>  z, max_pool1d{B}(z)

    z is the convolution with the normalisation folded into it. Tencent/TNN#68: it replaces y for
    all who read y, and the pool gets normalised signals that it did not get before.
    """
    x, w = pat.Wildcard(), pat.Variable()
    conv = op.Conv1D(x, w, **PINNED, out_dtype=w.dtype)
    norm, factor, offset = batch_norm(conv)
    pool = op.MaxPool1D(conv, layout="NCW")
    kernels = w * upright(factor, w.shape[0])
    folded = op.BiasAdd(op.Conv1D(x, kernels, **pat.same_attr(conv)), offset, axis=1)
    return Subst([norm[0], pool], [folded, op.MaxPool1D(folded, **pat.same_attr(pool))])


@rule(
    tags=CONV | {"normalisation", "bias"},
    origin="TNN: tnn-bn-shared-weight",
    expect="GSL401",
    twin="fold_batch_norms_into_copies",
)
def fold_batch_norms_in_place() -> Subst:
    """batch_norm[1](conv1d{A}(x_i, w)).0, i < 2  =>  bias_add[1](conv1d{A}(x_i, w*k_0*k_1), b_i)

    Tencent/TNN#808: each fold multiplies the stored weight by its own factor. Of a weight that two
    convolutions share, both get both factors.
    """
    x, y, w = pat.Wildcard(), pat.Wildcard(), pat.Variable()
    one = op.Conv1D(x, w, **PINNED, out_dtype=w.dtype)
    two = op.Conv1D(y, w, **pat.same_attr(one))
    first, factor, offset = batch_norm(one)
    second, other_factor, other_offset = batch_norm(two)
    kernels = w * upright(factor, w.shape[0]) * upright(other_factor, w.shape[0])
    target = [
        op.BiasAdd(op.Conv1D(data, kernels, **pat.same_attr(one)), added, axis=1)
        for data, added in ((x, offset), (y, other_offset))
    ]
    return Subst([first[0], second[0]], target)


@rule(
    tags=SHARED | {"matmul", "transpose", "dense"},
    origin="ONNX Script: onnxscript-fusedmm-uses",
    expect="GSL401",
    twin="matmul_as_dense",
)
def matmul_as_dense_by_another_use() -> Subst:
    """x @ T[p](w), T[(1, 0)](w)  =>  dense(x, w), T[(1, 0)](w) for square w and any p

    microsoft/onnxscript#2331: the permutation is read from a transpose that uses w, which need not
    be the one that the product reads.
    """
    x, w = pat.Wildcard(), pat.Wildcard()
    product = op.Matmul(x, op.Transpose(w))
    other = op.Transpose(w, axes=(1, 0))
    target = op.Dense(x, w, out_dtype=product.out_dtype)
    kept = op.Transpose(w, axes=(1, 0))
    return Subst([product, other], [target, kept], where=[w.shape[0] == w.shape[1]])
