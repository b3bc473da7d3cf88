"""Values with several readers: what one reader takes in stays as it was for the others."""

from gsl import Subst, op, pat, rule
from gsl.attr import Term
from gsl.pat import Call, Pattern

CONV = {"multiple-outputs", "fusion", "convolution"}
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
    tags=CONV | {"relu", "bit-exact"},
    origin="TensorRT: convolution and activation, both of them outputs",
    twin="conv_and_relu_as_one",
    flags=(),
)
def conv_and_relu() -> Subst:
    """y, relu(y) of y = conv{A}(x, w)  =>  z, maximum(z, 0) of z = conv{A}(x, w)

    A convolution that is read besides its activation remains an output of its own.
    """
    x, w = pat.Wildcard(), pat.Variable()
    conv = op.Conv2D(x, w)
    kept = op.Conv2D(x, w, **pat.same_attr(conv))
    return Subst([conv, op.Relu(conv)], [kept, op.Maximum(kept, 0)])


@rule(
    tags=CONV | {"normalisation", "bn-fold", "pooling", "exact-real"},
    origin="TNN: batch normalisation in convolutions, where something else reads these",
    twin="fold_batch_norm_before_pool",
    flags={"nnan", "ninf", "nsz", "reassoc"},
)
def fold_batch_norm_beside_pool() -> Subst:
    """batch_norm[1](y).0, max_pool1d{B}(y) of y = conv1d{A}(x, w)  =>  z, max_pool1d{B}(y)

    z is the convolution with the factor of each channel in its kernels and the rest in a bias. The
    pool still reads y, which is computed as before.
    """
    x, w = pat.Wildcard(), pat.Variable()
    conv = op.Conv1D(x, w, **PINNED, out_dtype=w.dtype)
    norm, factor, offset = batch_norm(conv)
    pool = op.MaxPool1D(conv, layout="NCW")
    kernels = w * upright(factor, w.shape[0])
    folded = op.BiasAdd(op.Conv1D(x, kernels, **pat.same_attr(conv)), offset, axis=1)
    kept = op.Conv1D(x, w, **pat.same_attr(conv))
    return Subst([norm[0], pool], [folded, op.MaxPool1D(kept, **pat.same_attr(pool))])


@rule(
    tags=CONV | {"normalisation", "bn-fold", "bias", "exact-real"},
    origin="TNN: batch normalisation in convolutions, one weight for several",
    twin="fold_batch_norms_in_place",
    flags={"nnan", "ninf", "nsz", "reassoc"},
)
def fold_batch_norms_into_copies() -> Subst:
    """batch_norm[1](conv1d{A}(x_i, w)).0, i < 2  =>  bias_add[1](conv1d{A}(x_i, w*k_i), b_i)

    Both normalisations have factors of their own, so that the weight they share becomes two.
    """
    x, y, w = pat.Wildcard(), pat.Wildcard(), pat.Variable()
    one = op.Conv1D(x, w, **PINNED, out_dtype=w.dtype)
    two = op.Conv1D(y, w, **pat.same_attr(one))
    first, factor, offset = batch_norm(one)
    second, other_factor, other_offset = batch_norm(two)
    u, v = w * upright(factor, w.shape[0]), w * upright(other_factor, w.shape[0])
    target = [
        op.BiasAdd(op.Conv1D(data, kernels, **pat.same_attr(one)), added, axis=1)
        for data, kernels, added in ((x, u, offset), (y, v, other_offset))
    ]
    return Subst([first[0], second[0]], target)
