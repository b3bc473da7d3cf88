"""Sums, factors and normalisations that go through a convolution or into its weight.

Images are stored by channels first here (NCHW and OIHW); what is said of layouts elsewhere is not
repeated.
"""

from gsl import Subst, attr, op, pat, rule

PINNED = {"data_layout": "NCHW", "kernel_layout": "OIHW"}
SCALE = {"convolution", "scale", "exact-real-and-int"}
LINEAR = {"convolution", "distribution", "algebraic-distrib", "exact-real-and-int"}
NORM = {"convolution", "normalisation", "bn-fold", "exact-real"}


@rule(tags=LINEAR, origin="TASO: graph_subst.pb, rules 59-62", flags={"ninf", "reassoc"})
def conv_of_sum() -> Subst:
    """conv{A}(x, w) + conv{A}(y, w)  =>  conv{A}(x + y, w) when x and y have one shape

    A convolution is linear in the data, whatever its attributes. The sum of the data is computed
    in their own dtype, which must be that of the result.
    """
    x, w = pat.Wildcard(), pat.Variable()
    y = pat.Wildcard()
    one = op.Conv2D(x, w, **PINNED, out_dtype=x.dtype)
    two = op.Conv2D(y, w, **pat.same_attr(one))
    target = op.Conv2D(x + y, w, **pat.same_attr(one))
    return Subst(one + two, target, where=[x.shape == y.shape])


@rule(
    tags=SCALE | {"algebraic-distrib"},
    origin="TASO: verify.py, scalar factors of convolutions",
    flags={"nnan", "ninf", "nsz", "reassoc"},
)
def conv_of_scaled() -> Subst:
    """conv{A}(x * s, w)  =>  conv{A}(x, w) * s for a constant s of rank 0

    A factor of every product is a factor of their sum; padded zeros stay zeros.
    """
    x, w, s = pat.Wildcard(), pat.Variable(), pat.Const(shape=())
    conv = op.Conv2D(x * s, w, **PINNED, out_dtype=x.dtype)
    return Subst(conv, op.Conv2D(x, w, **pat.same_attr(conv)) * s)


@rule(
    tags=SCALE | {"algebraic-distrib"},
    origin="TVM Relay: FoldScaleAxis, forward; OpenVINO: MultiplyConvolutionFusion",
    flags={"nnan", "ninf", "reassoc"},
)
def conv_of_scaled_channels() -> Subst:
    """conv{A}(x * s, w)  =>  conv{A}(x, w * s), s of shape (C, 1, 1) and groups = 1

    Channel c of the data only meets input channel c of the kernels, whose axes are behind it as
    they are in the data. With groups, the kernels number their input channels anew. Where a kernel
    lies in the padding alone, a NaN in s only reaches the target.
    """
    x, w, s = pat.Wildcard(), pat.Variable(), pat.Variable(shape=(None, 1, 1))
    conv = op.Conv2D(x * s, w, **PINNED, groups=1, out_dtype=x.dtype)
    target = op.Conv2D(x, w * s, **pat.same_attr(conv))
    return Subst(conv, target, where=[x.ndim == 4, x.shape[1] == s.shape[0]])


@rule(
    tags={"convolution", "distribution", "exact-real-and-int", "algebraic-distrib"},
    origin="ONNX Script: _fuse_conv_affine, shift of the data",
    twin="conv_of_shifted_padded",
    flags={"ninf", "reassoc"},
)
def conv_of_shifted() -> Subst:
    """conv{A}(x + t, w)  =>  conv{A}(x, w) + t * sum[1, 2, 3](w)[:, None, None] without padding

    Every window adds t times the sum of the kernel. Windows that reach into the padding would add
    less, as zeros are not shifted.
    """
    x, w, t = pat.Wildcard(), pat.Variable(), pat.Const(shape=())
    conv = op.Conv2D(x + t, w, **PINNED, padding=(0, 0, 0, 0), out_dtype=x.dtype)
    total = op.Sum(w, axis=(1, 2, 3), keepdims=False)
    offset = op.Reshape(total, shape=(w.shape[0], 1, 1)) * t
    return Subst(conv, op.Conv2D(x, w, **pat.same_attr(conv)) + offset)


@rule(
    tags=NORM | {"fusion"},
    origin="TVM Relax: FoldBatchnormToConv2D; ONNX Runtime: ConvBNFusion",
    twin="fold_batch_norm_into_conv_any_axis",
    flags={"nnan", "ninf", "nsz", "reassoc"},
)
def fold_batch_norm_into_conv() -> Subst:
    """batch_norm[1](conv{A}(x, w), g, b, m, v).0  =>  bias_add[1](conv{A}(x, w * k'), b - m * k)

    k = g / sqrt(v + eps) is a factor of each output channel, so of its kernel; k' is k with three
    more axes. The normalisation takes the channel axis of the layout and both parameters.
    """
    x, w, gamma = pat.Wildcard(), pat.Variable(), pat.Variable(shape=(None,))
    beta, mean = pat.Variable(shape=gamma.shape), pat.Variable(shape=gamma.shape)
    var = pat.Variable(shape=gamma.shape)
    conv = op.Conv2D(x, w, **PINNED, out_dtype=w.dtype)
    norm = op.BatchNorm(conv, gamma, beta, mean, var, axis=1, center=True, scale=True)
    factor = gamma / op.Sqrt(var + norm.epsilon)
    kernels = w * op.Reshape(factor, shape=(gamma.shape[0], 1, 1, 1))
    target = op.Conv2D(x, kernels, **pat.same_attr(conv))
    return Subst(norm[0], op.BiasAdd(target, beta - mean * factor, axis=1))


@rule(
    tags={"dense", "normalisation", "bn-fold", "exact-real", "fusion"},
    origin="ONNX Script: _fuse_batchnorm, Gemm",
    flags={"nnan", "ninf", "nsz", "reassoc"},
)
def fold_batch_norm_into_dense() -> Subst:
    """batch_norm[1](dense(x, w), g, b, m, v).0  =>  bias_add[1](dense(x, w * k'), b - m * k)

    k = g / sqrt(v + eps) is a factor of each output, so of each row of the weight; k' is k as a
    column. For data with two axes.
    """
    x, w, gamma = pat.Wildcard(), pat.Variable(), pat.Variable(shape=(None,))
    beta, mean = pat.Variable(shape=gamma.shape), pat.Variable(shape=gamma.shape)
    var = pat.Variable(shape=gamma.shape)
    dense = op.Dense(x, w, out_dtype=w.dtype)
    norm = op.BatchNorm(dense, gamma, beta, mean, var, axis=1, center=True, scale=True)
    factor = gamma / op.Sqrt(var + norm.epsilon)
    target = op.Dense(x, w * op.ExpandDims(factor, axis=(1,)), **pat.same_attr(dense))
    biased = op.BiasAdd(target, beta - mean * factor, axis=1)
    return Subst(norm[0], biased, where=[x.ndim == 2])


@rule(
    tags=SCALE | {"bias", "algebraic-distrib"},
    origin="ONNX Script: _fuse_conv_affine, after the convolution",
    twin="affine_of_conv_single_element",
    flags={"ninf", "nsz", "reassoc"},
)
def affine_of_conv() -> Subst:
    """bias_add[1](conv{A}(x, w), b) * s  =>  bias_add[1](conv{A}(x, w * s), b * s), s of rank 0

    A product distributes over the sum and over the products of the convolution.
    """
    x, w, b = pat.Wildcard(), pat.Variable(), pat.Variable(shape=(None,))
    s = pat.Const(shape=())
    conv = op.Conv2D(x, w, **PINNED, out_dtype=w.dtype)
    target = op.Conv2D(x, w * s, **pat.same_attr(conv))
    return Subst(op.BiasAdd(conv, b, axis=1) * s, op.BiasAdd(target, b * s, axis=1))


@rule(
    tags={"convolution", "padding", "enlarge", "exact-real-and-int"},
    origin="TASO: verify.py, enlarged kernels; XLA: FoldConvFilterPad",
    twin="conv_of_kernel_enlarged_behind",
    flags={"nnan"},
)
def conv_of_enlarged_kernel() -> Subst:
    """conv{p, d}(x, pad{q}(w))  =>  conv{p - q * d}(x, w) for zeros around H and W of the kernels

    Taps that are zero read nothing. Each of them in front moves the first pixel that counts by
    the dilation, so the padding shrinks by as much, and must be at least that.
    """
    x, w = pat.Wildcard(), pat.Variable()
    larger = op.Pad(w, pad_value=0.0)
    conv = op.Conv2D(x, larger, **PINNED)
    order = (4, 6, 5, 7)
    padding = [
        conv.padding[i] - larger.pad_width[side] * conv.dilation[i % 2]
        for i, side in enumerate(order)
    ]
    target = op.Conv2D(x, w, **{**pat.same_attr(conv), "padding": attr.Tuple(*padding)})
    only_spatial = [larger.pad_width[i] == 0 for i in range(4)]
    kernel = [w.shape[2] >= 1, w.shape[3] >= 1]
    return Subst(conv, target, where=[*only_spatial, *kernel, *(side >= 0 for side in padding)])


@rule(
    tags={"convolution", "slice", "data-movement", "same-terms"},
    origin="AMD MIGraphX: convolutions of single taps with strides",
    twin="conv_of_single_taps_rounded_down",
    flags=(),
)
def conv_of_single_taps_strided() -> Subst:
    """conv{strides=s}(x, w)  =>  conv(x[:, :, ::s_0, ::s_1], w) for 1 x 1 kernels, no padding

    Pixels in between are never read. The slice takes the first of every s pixels, one more than
    the quotient if the size is no multiple.
    """
    x, w = pat.Wildcard(), pat.Variable(shape=(None, None, 1, 1))
    conv = op.Conv2D(x, w, **PINNED, padding=(0, 0, 0, 0), dilation=(1, 1), groups=1)
    steps = (1, 1, conv.strides[0], conv.strides[1])
    ends = tuple(x.shape[i] for i in range(4))
    picked = op.StridedSlice(x, begin=(0, 0, 0, 0), end=ends, strides=steps)
    target = op.Conv2D(picked, w, **{**pat.same_attr(conv), "strides": (1, 1)})
    strided = (conv.strides[0] > 1) | (conv.strides[1] > 1)
    return Subst(conv, target, where=[strided])


@rule(
    tags=SCALE | {"transposed", "algebraic-distrib"},
    origin="ONNX Script: _fuse_batchnorm, ConvTranspose; OpenVINO: ConvolutionMultiplyFusion",
    twin="scale_of_transposed_conv_grouped",
    flags={"ninf", "nsz", "reassoc"},
)
def scale_of_transposed_conv() -> Subst:
    """conv_transpose{A}(x, w) * s  =>  conv_transpose{A}(x, w * s) without groups, s (O, 1, 1)

    The kernels have their outputs on the second axis (IOHW), where s lies already.
    """
    x, w, s = pat.Wildcard(), pat.Variable(), pat.Variable(shape=(None, 1, 1))
    conv = op.Conv2DTranspose(
        x, w, data_layout="NCHW", kernel_layout="IOHW", groups=1, out_dtype=w.dtype
    )
    target = op.Conv2DTranspose(x, w * s, **pat.same_attr(conv))
    return Subst(conv * s, target, where=[s.shape[0] == w.shape[1]])
