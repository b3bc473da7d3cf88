"""Defects by which a rank, an axis, a start or an attribute was forgotten on the way."""

from gsl import Subst, attr, op, pat, rule


@rule(
    tags={"matmul", "take", "data-movement"},
    origin="TVM Relax: tvm-relax-taketmm-1d-x",
    expect="GSL303",
    twin="take_after_matmul",
)
def take_after_matmul_of_vector() -> Subst:
    """x @ take[1](w, i)  =>  take[1](x @ w, i) for a vector x

    The product of a vector has one axis, so that the pass of the last release stops.
    """
    x, w, i = pat.Wildcard(), pat.Variable(shape=(None, None)), pat.Wildcard()
    product = op.Matmul(x, op.Take(w, i, axis=1))
    target = op.Take(op.Matmul(x, w, out_dtype=product.out_dtype), i, axis=1)
    return Subst(product, target, where=[x.ndim == 1, i.ndim == 1])


@rule(
    tags={"matmul", "reshape", "shape-op"},
    origin="ONNX Script: onnxscript-reshape-mm-history",
    expect="GSL301",
    twin="matmul_of_flattened_batch",
)
def matmul_of_row_as_vector() -> Subst:
    """reshape[(1, k)](x) @ w  =>  x @ w for a vector x

    microsoft/onnxscript#1567: the product of a row is a row, that of a vector a vector.
    """
    x, w = pat.Wildcard(), pat.Wildcard()
    product = op.Matmul(op.Reshape(x, shape=(1, x.shape[0])), w)
    target = op.Matmul(x, w, out_dtype=product.out_dtype)
    return Subst(product, target, where=[x.ndim == 1, w.ndim == 2])


@rule(
    tags={"convolution", "scale", "algebraic-distrib"},
    origin="TensorFlow-ONNX: tf2onnx-conv-mul",
    expect="GSL303",
    twin="conv_mul",
)
def conv_mul_any_shape() -> Subst:
    """conv{A}(x, w) * c  =>  conv{A}(x, w * c) for c of shape (C, 1, 1)

    onnx/tensorflow-onnx#2088: the factor of output channels broadcasts along the input channels of
    the kernels, so a weight (512, 1, 3, 3) became (512, 2, 3, 3).
    """
    x, w, c = pat.Wildcard(), pat.Variable(), pat.Variable(shape=(None, 1, 1))
    conv = op.Conv2D(x, w, data_layout="NCHW", kernel_layout="OIHW", out_dtype=w.dtype)
    target = op.Conv2D(x, w * c, **pat.same_attr(conv))
    return Subst(conv * c, target, where=[c.shape[0] == w.shape[0]])


@rule(
    tags={"concat", "reshape", "data-movement"},
    origin="Glow: glow-concat-reshape",
    expect="GSL401",
    twin="concat_of_reshapes_behind_first_axis",
)
def concat_of_reshapes_same_axis() -> Subst:
    """cat[1](reshape[s](x), reshape[s](y))  =>  reshape(cat[1](x, y)) for matrices of one shape

    Axis 1 is another one after the reshaping unless what is in front of it has the same product.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    one = op.Reshape(x)
    two = op.Reshape(y, **pat.same_attr(one))
    joined = op.Concatenate((one, two), axis=1)
    target = op.Reshape(op.Concatenate((x, y), axis=1), shape=joined.shape)
    where = [x.shape == y.shape, x.ndim == 2, one.ndim == 2, one.shape[0] == x.shape[1]]
    return Subst(joined, target, where=where)


@rule(
    tags={"slice", "reshape", "data-movement"},
    origin="AMD MIGraphX: migraphx-split-reshape",
    expect="GSL401",
    twin="reshape_of_rows_flattened",
)
def reshape_of_slice_flattened() -> Subst:
    """reshape[(m * k,)](x[:, 0:k])  =>  reshape[(m * n,)](x)[0:m * k] for a matrix (m, n)

    ROCm/AMDMIGraphX#1496: what is cut off along the second axis lies between the rows.
    """
    x = pat.Wildcard()
    part = op.StridedSlice(x, begin=(0, 0), strides=(1, 1))
    count = part.shape[0] * part.shape[1]
    flat = op.Reshape(part, shape=(count,))
    whole = op.Reshape(x, shape=(x.shape[0] * x.shape[1],))
    target = op.StridedSlice(whole, begin=(0,), end=(count,), strides=(1,))
    return Subst(flat, target, where=[x.ndim == 2, part.end[0] == x.shape[0]])


@rule(
    tags={"slice", "elementwise", "data-movement"},
    origin="Enzyme-JAX: enzyme-slice-elementwise-stride",
    expect="GSL401",
    twin="slice_of_relu_on_stride",
)
def slice_of_relu_off_stride() -> Subst:
    """relu(x)[1:n:2]  =>  relu(x[0:n:2])[0:n // 2:1] for a vector x of even size n

    Enzyme-JAX#956: of every second element from 0 on no one is at 1. The start has to be a
    multiple of the stride.
    """
    x = pat.Wildcard()
    n = x.shape[0]
    part = op.StridedSlice(op.Relu(x), begin=(1,), end=(n,), strides=(2,))
    every = op.Relu(op.StridedSlice(x, begin=(0,), end=(n,), strides=(2,)))
    target = op.StridedSlice(every, begin=(0,), end=(n // 2,), strides=(1,))
    return Subst(part, target, where=[x.ndim == 1, n % 2 == 0, n >= 2])


@rule(
    tags={"clip", "fusion"},
    origin="Hidet: hidet-clip-args",
    expect="GSL401",
    twin="clip_of_sum_keeps_limits",
)
def clip_of_sum_without_limits() -> Subst:
    """clip[a, b](x + y)  =>  clip[0, 6](x + y)

    hidet-org/hidet#97: limits were lost when the operator was fused with its neighbour, and those
    of the fused one took their place.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    added = x + y
    return Subst(op.Clip(added), op.Clip(added, min=0.0, max=6.0))


@rule(
    tags={"dense", "parallel", "multiple-outputs", "combine-parallel"},
    origin="PyTorch Inductor: inductor-batch-linear",
    expect="GSL303",
    twin="parallel_dense_as_batch",
)
def parallel_dense_as_batch_any_shape() -> Subst:
    """dense(x, v), dense(x, w)  =>  y[0], y[1] of y = x @ T(stack[0](v, w)), T = [0, 2, 1]

    pytorch/pytorch#115061: weights with unlike numbers of outputs cannot be one batch.
    """
    x, v, w = pat.Wildcard(), pat.Variable(), pat.Variable()
    one = op.Dense(x, v)
    two = op.Dense(x, w, **pat.same_attr(one))
    weights = op.Transpose(op.Stack((v, w), axis=0), axes=(0, 2, 1))
    batch = op.Matmul(x, weights, out_dtype=one.out_dtype)
    pieces = op.Split(batch, indices_or_sections=2, axis=0)
    target = [op.Squeeze(pieces[i], axis=(0,)) for i in range(2)]
    return Subst([one, two], target, where=[x.ndim == 2, attr.In(x.dtype, ("float32",))])


@rule(
    tags={"create", "reshape", "const-fold"},
    origin="MLIR TOSA: tosa-reshape-fold",
    expect="GSL302",
    twin="reshape_of_full",
)
def reshape_of_full_default_dtype() -> Subst:
    """reshape[t](full[s](v))  =>  full[t](v) with elements of the default dtype

    llvm/llvm-project#119364: the splat constant was folded into one with another element type.
    """
    whole = op.Full()
    shaped = op.Reshape(whole)
    return Subst(shaped, op.Full(shape=shaped.shape, fill_value=whole.fill_value))
