"""Mistakes in moving batch norms into weights."""

from gsl import Subst, op, pat, rule


def parameters() -> list[pat.Variable]:
    """Return gamma, beta, mean and variance: vectors of one length."""
    gamma = pat.Variable(shape=(None,))
    return [gamma, *(pat.Variable(shape=gamma.shape) for _ in range(3))]


NORM = {"normalisation", "bn-fold", "fusion"}


@rule(
    tags=NORM | {"bias"},
    origin="PyTorch: fuse_conv_bn_weights, the sign of the bias",
    expect="GSL401",
    twin="batch_norm_of_biased",
)
def batch_norm_of_biased_added() -> Subst:
    """batch_norm[a](bias_add[a](x, c), g, b, m, v).0  =>  batch_norm[a](x, g, b, m + c, v).0

    What is added to the data is subtracted from the mean.
    """
    x, c, (gamma, beta, mean, var) = pat.Wildcard(), pat.Variable(shape=(None,)), parameters()
    biased = op.BiasAdd(x, c)
    norm = op.BatchNorm(biased, gamma, beta, mean, var, axis=biased.axis)
    target = op.BatchNorm(x, gamma, beta, mean + c, var, **pat.same_attr(norm))
    return Subst(norm[0], target[0])


@rule(
    tags=NORM | {"bias"},
    origin="ONNX Script: _fuse_batchnorm, vectors along another axis",
    expect="GSL401",
    twin="batch_norm_of_sum",
)
def batch_norm_of_sum_any_axis() -> Subst:
    """batch_norm[a](x + c, g, b, m, v).0  =>  batch_norm[a](x, g, b, m - c, v).0 for any a

    A vector lies along the last axis, which need not be that of the channels.
    """
    x, c, (gamma, beta, mean, var) = pat.Wildcard(), pat.Variable(shape=(None,)), parameters()
    norm = op.BatchNorm(x + c, gamma, beta, mean, var)
    target = op.BatchNorm(x, gamma, beta, mean - c, var, **pat.same_attr(norm))
    fits = [x.ndim >= 1, x.shape[-1] == c.shape[0], c.shape[0] == gamma.shape[0]]
    return Subst(norm[0], target[0], where=fits)


@rule(
    tags=NORM | {"convolution", "transposed"},
    origin="PyTorch: fuse_conv_bn_weights, transposed convolutions before 1.10",
    expect="GSL303",
    twin="fold_batch_norm_into_transposed_conv",
)
def fold_batch_norm_into_transposed_conv_by_rows() -> Subst:
    """batch_norm[1](conv_transpose{A}(x, w), g, b, m, v).0  =>  ... w * k' ... along the first axis

    The first axis of the kernels has the inputs here.
    """
    x, w, (gamma, beta, mean, var) = pat.Wildcard(), pat.Variable(), parameters()
    conv = op.Conv2DTranspose(
        x, w, data_layout="NCHW", kernel_layout="IOHW", groups=1, out_dtype=w.dtype
    )
    norm = op.BatchNorm(conv, gamma, beta, mean, var, axis=1, center=True, scale=True)
    factor = gamma / op.Sqrt(var + norm.epsilon)
    kernels = w * op.Reshape(factor, shape=(gamma.shape[0], 1, 1, 1))
    target = op.Conv2DTranspose(x, kernels, **pat.same_attr(conv))
    return Subst(norm[0], op.BiasAdd(target, beta - mean * factor, axis=1))


@rule(
    tags=NORM | {"convolution"},
    origin="TVM Relax: tvm-relax-foldbn-axis, of three axes",
    expect="GSL303",
    twin="fold_batch_norm_into_conv3d",
)
def fold_batch_norm_into_conv3d_any_axis() -> Subst:
    """batch_norm[a](conv3d{A}(x, w), g, b, m, v).0  =>  bias_add[1](conv3d{A}(x, w * k'), t)

    Output channels are scaled, whichever axis is normalised.
    """
    x, w, (gamma, beta, mean, var) = pat.Wildcard(), pat.Variable(), parameters()
    conv = op.Conv3D(x, w, data_layout="NCDHW", kernel_layout="OIDHW", out_dtype=w.dtype)
    norm = op.BatchNorm(conv, gamma, beta, mean, var, center=True, scale=True)
    factor = gamma / op.Sqrt(var + norm.epsilon)
    kernels = w * op.Reshape(factor, shape=(gamma.shape[0], 1, 1, 1, 1))
    target = op.Conv3D(x, kernels, **pat.same_attr(conv))
    return Subst(norm[0], op.BiasAdd(target, beta - mean * factor, axis=1))


@rule(
    tags=NORM | {"convolution", "transposed"},
    origin="PyTorch: fuse_conv_bn_weights, transposed convolutions of one axis before 1.10",
    expect="GSL303",
    twin="fold_batch_norm_into_conv1d_transpose",
)
def fold_batch_norm_into_conv1d_transpose_by_rows() -> Subst:
    """batch_norm[1](conv1d_transpose{A}(x, w), g, b, m, v).0  =>  ... w * k' ... on the first axis

    The first axis of the kernels has the inputs here.
    """
    x, w, (gamma, beta, mean, var) = pat.Wildcard(), pat.Variable(), parameters()
    conv = op.Conv1DTranspose(
        x, w, data_layout="NCW", kernel_layout="IOW", groups=1, out_dtype=w.dtype
    )
    norm = op.BatchNorm(conv, gamma, beta, mean, var, axis=1, center=True, scale=True)
    factor = gamma / op.Sqrt(var + norm.epsilon)
    kernels = w * op.Reshape(factor, shape=(gamma.shape[0], 1, 1))
    target = op.Conv1DTranspose(x, kernels, **pat.same_attr(conv))
    return Subst(norm[0], op.BiasAdd(target, beta - mean * factor, axis=1))


@rule(
    tags=NORM | {"matmul"},
    origin="ONNX Runtime: MatMulBNFusion, rows for columns",
    expect="GSL401",
    twin="fold_batch_norm_into_matmul",
)
def fold_batch_norm_into_matmul_by_rows() -> Subst:
    """batch_norm[1](x @ w, g, b, m, v).0  =>  x @ (k' * w) + (b - m * k) for a square w

    The columns of the weight are the outputs; k' is k as a column, which scales rows.
    """
    x, w, (gamma, beta, mean, var) = pat.Wildcard(), pat.Variable(shape=(None, None)), parameters()
    product = op.Matmul(x, w, out_dtype=w.dtype)
    norm = op.BatchNorm(product, gamma, beta, mean, var, axis=1, center=True, scale=True)
    factor = gamma / op.Sqrt(var + norm.epsilon)
    target = op.Matmul(x, op.ExpandDims(factor, axis=(1,)) * w, **pat.same_attr(product))
    fits = [x.ndim == 2, w.shape[0] == w.shape[1]]
    return Subst(norm[0], target + (beta - mean * factor), where=fits)


@rule(
    tags=NORM | {"convolution"},
    origin="PyTorch: fuse_bn_conv, with padding",
    expect="GSL401",
    twin="conv_of_batch_norm",
)
def conv_of_batch_norm_padded() -> Subst:
    """conv{A}(batch_norm[1](x, g, b, m, v).0, w)  =>  bias_add[1](conv{A}(x, w * k'), t), any A

    What is padded is 0 behind the norm, so that windows at the border add less of the shift.
    """
    x, w, (gamma, beta, mean, var) = pat.Wildcard(), pat.Variable(), parameters()
    norm = op.BatchNorm(x, gamma, beta, mean, var, axis=1, center=True, scale=True)
    pinned = {"data_layout": "NCHW", "kernel_layout": "OIHW"}
    conv = op.Conv2D(norm[0], w, **pinned, groups=1, out_dtype=w.dtype)
    factor = gamma / op.Sqrt(var + norm.epsilon)
    channels = (gamma.shape[0], 1, 1)
    target = op.Conv2D(x, w * op.Reshape(factor, shape=channels), **pat.same_attr(conv))
    shift = op.Reshape(beta - mean * factor, shape=channels)
    moved = op.Sum(w * shift, axis=(1, 2, 3), keepdims=False)
    return Subst(conv, op.BiasAdd(target, moved, axis=1), where=[x.ndim == 4])


@rule(
    tags=NORM | {"matmul"},
    origin="ONNX Runtime: MatMulBNFusion, stacks of matrices",
    expect="GSL303",
    twin="matmul_of_batch_norm",
)
def matmul_of_batch_norm_of_stack() -> Subst:
    """batch_norm[1](x, g, b, m, v).0 @ w  =>  x @ (k' * w) + (b - m * k) @ w for any x

    In a stack of matrices axis 1 has the rows.
    """
    x, w, (gamma, beta, mean, var) = pat.Wildcard(), pat.Variable(shape=(None, None)), parameters()
    norm = op.BatchNorm(x, gamma, beta, mean, var, axis=1, center=True, scale=True)
    product = op.Matmul(norm[0], w, out_dtype=w.dtype)
    factor = gamma / op.Sqrt(var + norm.epsilon)
    target = op.Matmul(x, op.ExpandDims(factor, axis=(1,)) * w, **pat.same_attr(product))
    return Subst(product, target + op.Matmul(beta - mean * factor, w))
