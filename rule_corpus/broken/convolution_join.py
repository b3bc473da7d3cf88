"""Convolutions that are scaled, joined or pooled with one condition forgotten (NCHW and OIHW)."""

from gsl import Subst, op, pat, rule

PINNED = {"data_layout": "NCHW", "kernel_layout": "OIHW"}
CONV = {"convolution"}
POOL = {"pooling"}


@rule(
    tags=CONV | {"concat", "combine-parallel"},
    origin="TASO: taso-gen-groupconv",
    expect="GSL401",
    twin="concat_of_convs_by_outputs",
)
def concat_of_convs_grouped() -> Subst:
    """cat[1](conv{A}(x, v), conv{A}(x, w))  =>  conv{A}(x, cat[0](v, w)) with 2 groups

    The generator knew convolutions without groups only, the rules match any. With groups, the
    outputs of both belong to the first group and to the second one in turn.
    """
    x, v, w = pat.Wildcard(), pat.Variable(), pat.Variable()
    one = op.Conv2D(x, v, **PINNED, groups=2)
    two = op.Conv2D(x, w, **pat.same_attr(one))
    target = op.Conv2D(x, op.Concatenate((v, w), axis=0), **pat.same_attr(one))
    alike = [v.shape[i] == w.shape[i] for i in (1, 2, 3)]
    return Subst(op.Concatenate((one, two), axis=1), target, where=alike)


@rule(
    tags=CONV | {"concat", "groups", "combine-parallel"},
    origin="TASO: taso-gen-cat-conv-groups",
    expect="GSL303",
    twin="concat_of_convs_as_groups",
)
def concat_of_convs_as_groups_unequal() -> Subst:
    """cat[1](conv(x, v), conv(y, w))  =>  conv{groups=2}(cat[1](x, y), cat[0](v, w)), any outputs

    The border between the groups is in the middle of the outputs, which is that of the kernels
    only if there are as many of each.
    """
    x, y, v, w = pat.Wildcard(), pat.Wildcard(), pat.Variable(), pat.Variable()
    one = op.Conv2D(x, v, **PINNED, groups=1)
    two = op.Conv2D(y, w, **pat.same_attr(one))
    data, kernels = op.Concatenate((x, y), axis=1), op.Concatenate((v, w), axis=0)
    target = op.Conv2D(data, kernels, **{**pat.same_attr(one), "groups": 2})
    kernel = [v.shape[i] == w.shape[i] for i in (1, 2, 3)]
    alike = [x.shape == y.shape, x.dtype == y.dtype, *kernel]
    return Subst(op.Concatenate((one, two), axis=1), target, where=alike)


@rule(
    tags=CONV | {"normalisation", "fusion"},
    origin="TVM Relax: tvm-relax-foldbn-axis",
    expect="GSL303",
    twin="fold_batch_norm_into_conv",
)
def fold_batch_norm_into_conv_any_axis() -> Subst:
    """batch_norm[a](conv{A}(x, w), g, b, m, v).0  =>  bias_add[1](conv{A}(x, w * k'), b - m * k)

    The pass of the last release scales output channels, whichever axis is normalised.
    """
    x, w, gamma = pat.Wildcard(), pat.Variable(), pat.Variable(shape=(None,))
    beta, mean = pat.Variable(shape=gamma.shape), pat.Variable(shape=gamma.shape)
    var = pat.Variable(shape=gamma.shape)
    conv = op.Conv2D(x, w, **PINNED, out_dtype=w.dtype)
    norm = op.BatchNorm(conv, gamma, beta, mean, var, center=True, scale=True)
    factor = gamma / op.Sqrt(var + norm.epsilon)
    kernels = w * op.Reshape(factor, shape=(gamma.shape[0], 1, 1, 1))
    target = op.Conv2D(x, kernels, **pat.same_attr(conv))
    return Subst(norm[0], op.BiasAdd(target, beta - mean * factor, axis=1))


@rule(
    tags=CONV | {"normalisation", "fusion"},
    origin="PyTorch Inductor: inductor-convbn-kwargs",
    expect="GSL303",
    twin="fold_batch_norm_into_conv",
)
def fold_batch_norm_into_conv_default_strides() -> Subst:
    """batch_norm[1](conv{s, p}(x, w), g, b, m, v).0  =>  bias_add[1](conv(x, w * k'), b - m * k)

    pytorch/pytorch#196165: strides and padding given by keyword are not read, and the new
    convolution has the defaults.
    """
    x, w, gamma = pat.Wildcard(), pat.Variable(), pat.Variable(shape=(None,))
    beta, mean = pat.Variable(shape=gamma.shape), pat.Variable(shape=gamma.shape)
    var = pat.Variable(shape=gamma.shape)
    conv = op.Conv2D(x, w, **PINNED, dilation=(1, 1), groups=1, out_dtype=w.dtype)
    norm = op.BatchNorm(conv, gamma, beta, mean, var, axis=1, center=True, scale=True)
    factor = gamma / op.Sqrt(var + norm.epsilon)
    kernels = w * op.Reshape(factor, shape=(gamma.shape[0], 1, 1, 1))
    target = op.Conv2D(x, kernels, out_dtype=w.dtype)
    return Subst(norm[0], op.BiasAdd(target, beta - mean * factor, axis=1))


@rule(
    tags=CONV | {"normalisation", "fusion"},
    origin="TVM Relax: tvm-relax-foldbn-fp16",
    expect="GSL303",
    twin="fold_batch_norm_into_conv",
)
def fold_batch_norm_into_conv_wide_epsilon() -> Subst:
    """batch_norm[1](conv{A}(x, w), g, b, m, v).0  =>  ... with the epsilon as float32

    The pass of the last release writes its constants in float32: beside weights of float16 the
    sum of the variance and epsilon cannot be built.
    """
    x, w, gamma = pat.Wildcard(), pat.Variable(), pat.Variable(shape=(None,))
    beta, mean = pat.Variable(shape=gamma.shape), pat.Variable(shape=gamma.shape)
    var = pat.Variable(shape=gamma.shape)
    conv = op.Conv2D(x, w, **PINNED, out_dtype=w.dtype)
    norm = op.BatchNorm(conv, gamma, beta, mean, var, axis=1, center=True, scale=True)
    factor = gamma / op.Sqrt(var + pat.Const(norm.epsilon, dtype="float32"))
    kernels = w * op.Reshape(factor, shape=(gamma.shape[0], 1, 1, 1))
    target = op.Conv2D(x, kernels, **pat.same_attr(conv))
    return Subst(norm[0], op.BiasAdd(target, beta - mean * factor, axis=1))


@rule(
    tags=CONV | {"bias", "scale", "algebraic-distrib"},
    origin="ONNX Script: onnxscript-convaffine-rank",
    expect="GSL303",
    twin="affine_of_conv",
)
def affine_of_conv_single_element() -> Subst:
    """bias_add[1](conv{A}(x, w), b) * s  =>  bias_add[1](conv{A}(x, w * s), b * s), s (1, 1, 1, 1)

    Live in 0.7.2: a factor with one element but four axes makes the bias a tensor of four axes.
    """
    x, w, b = pat.Wildcard(), pat.Variable(), pat.Variable(shape=(None,))
    s = pat.Const(shape=(1, 1, 1, 1))
    conv = op.Conv2D(x, w, **PINNED, out_dtype=w.dtype)
    target = op.Conv2D(x, w * s, **pat.same_attr(conv))
    return Subst(op.BiasAdd(conv, b, axis=1) * s, op.BiasAdd(target, b * s, axis=1))


@rule(
    tags=CONV | {"scale", "transposed", "algebraic-distrib"},
    origin="PyTorch Inductor: inductor-binfold-transposed",
    expect="GSL401",
    twin="scale_of_transposed_conv",
)
def scale_of_transposed_conv_first_axis() -> Subst:
    """conv_transpose{A}(x, w) * s  =>  conv_transpose{A}(x, w * s'), s' along the first axis

    The kernels of a transposed convolution have their inputs first (IOHW). With as many inputs
    as outputs nothing but the values tells.
    """
    x, w, s = pat.Wildcard(), pat.Variable(), pat.Variable(shape=(None, 1, 1))
    conv = op.Conv2DTranspose(
        x, w, data_layout="NCHW", kernel_layout="IOHW", groups=1, out_dtype=w.dtype
    )
    factor = op.Reshape(s, shape=(s.shape[0], 1, 1, 1))
    target = op.Conv2DTranspose(x, w * factor, **pat.same_attr(conv))
    square = [w.shape[0] == s.shape[0], w.shape[1] == s.shape[0]]
    return Subst(conv * s, target, where=square)


@rule(
    tags=CONV | {"scale", "transposed", "algebraic-distrib"},
    origin="ONNX Script: onnxscript-convtbn-group",
    expect="GSL303",
    twin="scale_of_transposed_conv",
)
def scale_of_transposed_conv_grouped() -> Subst:
    """conv_transpose{groups=2}(x, w) * s  =>  conv_transpose{groups=2}(x, w * s[None, :, :, None])

    microsoft/onnxscript#2879: the second axis of the kernels has the outputs of one group only,
    the result has those of all groups.
    """
    x, w, s = pat.Wildcard(), pat.Variable(), pat.Variable(shape=(None, 1, 1))
    conv = op.Conv2DTranspose(
        x, w, data_layout="NCHW", kernel_layout="IOHW", groups=2, out_dtype=w.dtype
    )
    target = op.Conv2DTranspose(x, w * s, **pat.same_attr(conv))
    return Subst(conv * s, target, where=[s.shape[0] == 2 * w.shape[1]])


@rule(
    tags=CONV | {"enlarge", "padding"},
    origin="TENSAT: tensat-merge-enlarge",
    expect="GSL401",
    twin="conv_of_enlarged_kernel",
)
def conv_of_kernel_enlarged_behind() -> Subst:
    """conv{p, d=1}(x, pad{0, 2}(w))  =>  conv{p - 1, d=1}(x, w), all zeros behind the kernel

    An even kernel has no centre, so that zeros come to stand on one side only; the padding shrinks
    on both.
    """
    x, w = pat.Wildcard(), pat.Variable()
    larger = op.Pad(w, pad_value=0.0, pad_width=(0, 0, 0, 0, 0, 2, 0, 2))
    conv = op.Conv2D(x, larger, **PINNED, padding=(1, 1, 1, 1), dilation=(1, 1))
    target = op.Conv2D(x, w, **{**pat.same_attr(conv), "padding": (0, 0, 0, 0)})
    return Subst(conv, target, where=[w.shape[2] >= 1, w.shape[3] >= 1])


@rule(
    tags=CONV | {"slice", "data-movement"},
    origin="AMD MIGraphX: migraphx-odd-stride",
    expect="GSL301",
    twin="conv_of_single_taps_strided",
)
def conv_of_single_taps_rounded_down() -> Subst:
    """conv{strides=2}(x, w)  =>  conv(x[:, :, :H // 2 * 2:2, :W // 2 * 2:2], w) for 1 x 1 kernels

    ROCm/AMDMIGraphX#486: of an odd number of pixels every second one is more than half.
    """
    x, w = pat.Wildcard(), pat.Variable(shape=(None, None, 1, 1))
    conv = op.Conv2D(
        x, w, **PINNED, strides=(2, 2), padding=(0, 0, 0, 0), dilation=(1, 1), groups=1
    )
    n, c, h, width = (x.shape[i] for i in range(4))
    ends = (n, c, h // 2 * 2, width // 2 * 2)
    picked = op.StridedSlice(x, begin=(0, 0, 0, 0), end=ends, strides=(1, 1, 2, 2))
    target = op.Conv2D(picked, w, **{**pat.same_attr(conv), "strides": (1, 1)})
    return Subst(conv, target, where=[x.ndim == 4, h >= 2, width >= 2])


@rule(
    tags=POOL | {"lowering"},
    origin="TASO: taso-avgpool-pad",
    expect="GSL401",
    twin="avg_pool_as_conv",
)
def avg_pool_as_conv_uncounted() -> Subst:
    """avg_pool2d{k, padding not counted}(x)  =>  conv2d{groups=C}(x, ones) / size of k

    The axiom counts the padding, the kernels that TASO runs do not.
    """
    x = pat.Wildcard()
    pool = op.AvgPool2D(x, layout="NCHW", ceil_mode=False, count_include_pad=False)
    height, width = pool.pool_size[0], pool.pool_size[1]
    channels = x.shape[1]
    kernel = op.Ones(shape=(channels, 1, height, width), dtype=x.dtype)
    same = pat.same_attr(pool, ["strides", "padding", "dilation"])
    target = op.Conv2D(x, kernel, **same, groups=channels) / (height * width)
    return Subst(pool, target, where=[channels >= 1])


@rule(
    tags=POOL | {"padding"},
    origin="onnxoptimizer: onnxopt-pad-pool-ceil",
    expect="GSL303",
    twin="fold_pad_into_max_pool",
)
def fold_pad_into_max_pool_rounding_up() -> Subst:
    """max_pool1d{p}(pad{q, -inf}(x))  =>  max_pool1d{p + q}(x) around W, rounding up

    A window may begin in padding that is data, but not behind the data: with its last pixels
    gone the last window is gone, or cannot be.
    """
    x = pat.Wildcard()
    padded = op.Pad(x, pad_value=float("-inf"))
    pool = op.MaxPool1D(padded, ceil_mode=True, layout="NCW")
    before = pool.padding[0] + padded.pad_width[4]
    after = pool.padding[1] + padded.pad_width[5]
    target = op.MaxPool1D(x, **{**pat.same_attr(pool), "padding": (before, after)})
    only_spatial = [padded.pad_width[i] == 0 for i in range(4)]
    small = [before < pool.pool_size[0], after < pool.pool_size[0]]
    return Subst(pool, target, where=[*only_spatial, *small, pool.dilation[0] == 1])


@rule(
    tags={"constant", "broadcast", "const-fold"},
    origin="TVM Relay: tvm-relay-fullew-dtype",
    expect="GSL301",
    twin="add_full",
)
def add_full_any_shape() -> Subst:
    """x + full[s](v)  =>  x + v for a constant of rank 0

    FullElementwise in the last release: a tensor that is wider than x gives the sum its shape, a
    number does not.
    """
    x = pat.Wildcard()
    full = op.Full(dtype=x.dtype)
    number = pat.Const(full.fill_value, dtype=x.dtype)
    return Subst(x + full, x + number, where=[x.dtype == "float32"])
