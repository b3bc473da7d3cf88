"""Batch norms that go into the weights before and behind them, whatever bias stands between.

A bias in front of a batch norm is a shift of its mean, so that one rule for each product serves
products with and without bias.
"""

from gsl import Subst, op, pat, rule

NORM = {"normalisation", "bn-fold", "exact-real", "fusion"}
PINNED = {"data_layout": "NCHW", "kernel_layout": "OIHW"}


def parameters() -> list[pat.Variable]:
    """Return gamma, beta, mean and variance: vectors of one length."""
    gamma = pat.Variable(shape=(None,))
    return [gamma, *(pat.Variable(shape=gamma.shape) for _ in range(3))]


def factor_and_shift(norm: pat.Call, vectors: list[pat.Variable]) -> tuple[pat.Call, pat.Call]:
    """Return what each channel is multiplied by, and what is added behind that."""
    gamma, beta, mean, var = vectors
    factor = gamma / op.Sqrt(var + norm.epsilon)
    return factor, beta - mean * factor


@rule(
    tags=NORM | {"bias"},
    origin="ONNX Script: _fuse_batchnorm, bias of the convolution; PyTorch: fuse_conv_bn_weights",
    twin="batch_norm_of_biased_added",
    flags={"ninf", "nsz", "reassoc"},
)
def batch_norm_of_biased() -> Subst:
    """batch_norm[a](bias_add[a](x, c), g, b, m, v).0  =>  batch_norm[a](x, g, b, m - c, v).0

    Whatever the bias was added to, it only moves the mean.
    """
    x, c, (gamma, beta, mean, var) = pat.Wildcard(), pat.Variable(shape=(None,)), parameters()
    biased = op.BiasAdd(x, c)
    norm = op.BatchNorm(biased, gamma, beta, mean, var, axis=biased.axis)
    target = op.BatchNorm(x, gamma, beta, mean - c, var, **pat.same_attr(norm))
    return Subst(norm[0], target[0])


@rule(
    tags=NORM | {"bias"},
    origin="ONNX Script: _fuse_batchnorm, Gemm with bias",
    twin="batch_norm_of_sum_any_axis",
    flags={"ninf", "nsz", "reassoc"},
)
def batch_norm_of_sum() -> Subst:
    """batch_norm[-1](x + c, g, b, m, v).0  =>  batch_norm[-1](x, g, b, m - c, v).0, c a vector

    A vector is added along the last axis, which must be that of the channels.
    """
    x, c, (gamma, beta, mean, var) = pat.Wildcard(), pat.Variable(shape=(None,)), parameters()
    norm = op.BatchNorm(x + c, gamma, beta, mean, var)
    target = op.BatchNorm(x, gamma, beta, mean - c, var, **pat.same_attr(norm))
    last = [norm.axis % x.ndim == x.ndim - 1, x.shape[-1] == gamma.shape[0]]
    return Subst(norm[0], target[0], where=[x.ndim >= 1, *last, c.shape[0] == gamma.shape[0]])


@rule(
    tags=NORM | {"convolution"},
    origin="ONNX Script: _fuse_batchnorm, Conv of one axis",
    flags={"nnan", "ninf", "nsz", "reassoc"},
)
def fold_batch_norm_into_conv1d() -> Subst:
    """batch_norm[1](conv1d{A}(x, w), g, b, m, v).0  =>  bias_add[1](conv1d{A}(x, w * k'), t)

    k = g / sqrt(v + eps) is a factor of each output channel, k' is k with two more axes, and t is
    b - m * k.
    """
    x, w, vectors = pat.Wildcard(), pat.Variable(), parameters()
    conv = op.Conv1D(x, w, data_layout="NCW", kernel_layout="OIW", out_dtype=w.dtype)
    norm = op.BatchNorm(conv, *vectors, axis=1, center=True, scale=True)
    factor, shift = factor_and_shift(norm, vectors)
    kernels = w * op.Reshape(factor, shape=(vectors[0].shape[0], 1, 1))
    target = op.Conv1D(x, kernels, **pat.same_attr(conv))
    return Subst(norm[0], op.BiasAdd(target, shift, axis=1))


@rule(
    tags=NORM | {"convolution"},
    origin="ONNX Script: _fuse_batchnorm, Conv of three axes",
    twin="fold_batch_norm_into_conv3d_any_axis",
    flags={"nnan", "ninf", "nsz", "reassoc"},
)
def fold_batch_norm_into_conv3d() -> Subst:
    """batch_norm[1](conv3d{A}(x, w), g, b, m, v).0  =>  bias_add[1](conv3d{A}(x, w * k'), t)

    k = g / sqrt(v + eps) is a factor of each output channel, k' is k with four more axes, and t is
    b - m * k. Tensors of five axes are more than all structures are tried of, so one of them is.
    """
    x, w, vectors = pat.Wildcard(), pat.Variable(), parameters()
    conv = op.Conv3D(x, w, data_layout="NCDHW", kernel_layout="OIDHW", out_dtype=w.dtype)
    norm = op.BatchNorm(conv, *vectors, axis=1, center=True, scale=True)
    factor, shift = factor_and_shift(norm, vectors)
    kernels = w * op.Reshape(factor, shape=(vectors[0].shape[0], 1, 1, 1, 1))
    target = op.Conv3D(x, kernels, **pat.same_attr(conv))
    return Subst(norm[0], op.BiasAdd(target, shift, axis=1))


@rule(
    tags=NORM | {"convolution", "transposed"},
    origin="ONNX Script: _fuse_batchnorm, ConvTranspose of one axis",
    twin="fold_batch_norm_into_conv1d_transpose_by_rows",
    flags={"nnan", "ninf", "nsz", "reassoc"},
)
def fold_batch_norm_into_conv1d_transpose() -> Subst:
    """batch_norm[1](conv1d_transpose{A}(x, w), g, b, m, v).0  =>  bias_add[1](y, b - m * k)

    y = conv1d_transpose{A}(x, w * k'), k = g / sqrt(v + eps), and k' is k with one more axis. The
    kernels have their outputs on the second axis (IOW); without groups these are all.
    """
    x, w, vectors = pat.Wildcard(), pat.Variable(), parameters()
    conv = op.Conv1DTranspose(
        x, w, data_layout="NCW", kernel_layout="IOW", groups=1, out_dtype=w.dtype
    )
    norm = op.BatchNorm(conv, *vectors, axis=1, center=True, scale=True)
    factor, shift = factor_and_shift(norm, vectors)
    kernels = w * op.Reshape(factor, shape=(vectors[0].shape[0], 1))
    target = op.Conv1DTranspose(x, kernels, **pat.same_attr(conv))
    return Subst(norm[0], op.BiasAdd(target, shift, axis=1))


@rule(
    tags=NORM | {"convolution", "transposed"},
    origin="ONNX Script: _fuse_batchnorm, ConvTranspose",
    twin="fold_batch_norm_into_transposed_conv_by_rows",
    flags={"nnan", "ninf", "nsz", "reassoc"},
)
def fold_batch_norm_into_transposed_conv() -> Subst:
    """batch_norm[1](conv_transpose{A}(x, w), g, b, m, v).0  =>  bias_add[1](y, b - m * k)

    y = conv_transpose{A}(x, w * k'), k = g / sqrt(v + eps), and k' is k with two more axes. The
    kernels have their outputs on the second axis (IOHW); without groups these are all.
    """
    x, w, vectors = pat.Wildcard(), pat.Variable(), parameters()
    conv = op.Conv2DTranspose(
        x, w, data_layout="NCHW", kernel_layout="IOHW", groups=1, out_dtype=w.dtype
    )
    norm = op.BatchNorm(conv, *vectors, axis=1, center=True, scale=True)
    factor, shift = factor_and_shift(norm, vectors)
    kernels = w * op.Reshape(factor, shape=(vectors[0].shape[0], 1, 1))
    target = op.Conv2DTranspose(x, kernels, **pat.same_attr(conv))
    return Subst(norm[0], op.BiasAdd(target, shift, axis=1))


@rule(
    tags=NORM | {"matmul"},
    origin="ONNX Script: _fuse_batchnorm, Gemm; OpenVINO: MatMulMultiplyFusion",
    twin="fold_batch_norm_into_matmul_by_rows",
    flags={"nnan", "ninf", "nsz", "reassoc"},
)
def fold_batch_norm_into_matmul() -> Subst:
    """batch_norm[1](x @ w, g, b, m, v).0  =>  x @ (w * k) + (b - m * k) for matrices

    k = g / sqrt(v + eps) is a factor of each column of the weight.
    """
    x, w, vectors = pat.Wildcard(), pat.Variable(shape=(None, None)), parameters()
    product = op.Matmul(x, w, out_dtype=w.dtype)
    norm = op.BatchNorm(product, *vectors, axis=1, center=True, scale=True)
    factor, shift = factor_and_shift(norm, vectors)
    target = op.Matmul(x, w * factor, **pat.same_attr(product))
    return Subst(norm[0], target + shift, where=[x.ndim == 2])


@rule(
    tags=NORM | {"convolution"},
    origin="PyTorch: fuse_bn_conv; NNCF: batch norms in front of convolutions",
    twin="conv_of_batch_norm_padded",
    flags={"nnan", "ninf", "reassoc"},
)
def conv_of_batch_norm() -> Subst:
    """conv{A}(batch_norm[1](x, g, b, m, v).0, w)  =>  bias_add[1](conv{A}(x, w * k'), t) unpadded

    k = g / sqrt(v + eps) multiplies each input channel; t sums w times the shifts b - m * k, which
    every window adds as long as it does not reach into a padding. Without groups.
    """
    x, w, vectors = pat.Wildcard(), pat.Variable(), parameters()
    norm = op.BatchNorm(x, *vectors, axis=1, center=True, scale=True)
    conv = op.Conv2D(norm[0], w, **PINNED, padding=(0, 0, 0, 0), groups=1, out_dtype=w.dtype)
    channels = (vectors[0].shape[0], 1, 1)
    factor, shift = (op.Reshape(v, shape=channels) for v in factor_and_shift(norm, vectors))
    target = op.Conv2D(x, w * factor, **pat.same_attr(conv))
    moved = op.Sum(w * shift, axis=(1, 2, 3), keepdims=False)
    return Subst(conv, op.BiasAdd(target, moved, axis=1), where=[x.ndim == 4])


@rule(
    tags=NORM | {"matmul"},
    origin="ONNX Runtime: MatMulBNFusion, the norm first",
    twin="matmul_of_batch_norm_of_stack",
    flags={"nnan", "ninf", "reassoc"},
)
def matmul_of_batch_norm() -> Subst:
    """batch_norm[1](x, g, b, m, v).0 @ w  =>  x @ (k' * w) + (b - m * k) @ w for matrices

    k = g / sqrt(v + eps) multiplies each row of the weight; k' is k as a column.
    """
    x, w, vectors = pat.Wildcard(), pat.Variable(shape=(None, None)), parameters()
    norm = op.BatchNorm(x, *vectors, axis=1, center=True, scale=True)
    product = op.Matmul(norm[0], w, out_dtype=w.dtype)
    factor, shift = factor_and_shift(norm, vectors)
    rows = op.ExpandDims(factor, axis=(1,)) * w
    target = op.Matmul(x, rows, **pat.same_attr(product))
    return Subst(product, target + op.Matmul(shift, w), where=[x.ndim == 2])
