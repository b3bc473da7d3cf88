"""Dense layers, products of matrices and what follows them, with one condition forgotten."""

from gsl import Subst, attr, op, pat, rule

MATMUL = {"matmul"}
DENSE = {"dense"}


def matrix() -> pat.Variable:
    """Return a pattern of a weight with two axes."""
    return pat.Variable(shape=(None, None))


@rule(
    tags=DENSE | {"distribution", "algebraic-distrib"},
    origin="GSL: gsl-conv-layouts, for dense layers",
    expect="GSL302",
    twin="dense_add",
)
def dense_add_default_dtype() -> Subst:
    """dense(x, w1) + dense(x, w2)  =>  dense(x, w1 + w2)

    An attribute left out takes its default: the result then has the dtype of the operands.
    """
    x, w1 = pat.Wildcard(), pat.Variable()
    w2 = pat.Variable(shape=w1.shape)
    one = op.Dense(x, w1)
    two = op.Dense(x, w2, **pat.same_attr(one))
    return Subst(one + two, op.Dense(x, w1 + w2))


@rule(
    tags=DENSE | {"distribution", "algebraic-distrib"},
    origin="TVM Relax: tvm-relax-expandmm-outdtype, the sum of int8 weights wraps",
    expect="GSL401",
    twin="dense_add",
)
def dense_add_wide() -> Subst:
    """dense(x, w1) + dense(x, w2)  =>  dense(x, w1 + w2) for out_dtype int32 of int8

    The results do not wrap where the sum of the weights does.
    """
    x, w1 = pat.Wildcard(), pat.Variable(dtype="int8")
    w2 = pat.Variable(shape=w1.shape)
    one = op.Dense(x, w1, out_dtype="int32")
    two = op.Dense(x, w2, **pat.same_attr(one))
    return Subst(one + two, op.Dense(x, w1 + w2, **pat.same_attr(one)))


@rule(
    tags=MATMUL | {"bias", "fusion"},
    origin="ONNX Runtime: ort-mmadd-gemm",
    expect="GSL303",
    twin="matmul_as_dense",
)
def matmul_plus_anything_as_bias() -> Subst:
    """x @ w + c  =>  bias_add[1](x @ w, c) for matrices

    microsoft/onnxruntime#3764: only a vector with an element for each column is a bias. Anything
    else that broadcasts matched, too.
    """
    x, w, c = pat.Wildcard(), matrix(), pat.Variable()
    product = op.Matmul(x, w)
    return Subst(product + c, op.BiasAdd(product, c, axis=1), where=[x.ndim == 2])


@rule(
    tags=MATMUL | {"scale", "division", "algebraic-distrib"},
    origin="ONNX Script: onnxscript-fusedmm-div-rank",
    expect="GSL301",
    twin="matmul_of_divided",
)
def matmul_divided_by_any_single() -> Subst:
    """(x @ y) / [[[2]]]  =>  (x @ y) * 0.5 for float32

    The factor of the fused operator is a number. A single element in three axes gives a product
    of two axes a third one.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    product = op.Matmul(x, y, out_dtype="float32")
    return Subst(product / pat.Const((((2.0,),),)), product * 0.5)


@rule(
    tags=MATMUL | {"transpose", "fusion"},
    origin="TVM Relax: tvm-relax-fusetmm-axes-none",
    expect="GSL303",
    twin="matmul_as_dense",
)
def matmul_of_reversed_as_transposed() -> Subst:
    """x @ T[(2, 1, 0)](w)  =>  x @ T[(0, 2, 1)](w)

    A transposition without axes reverses all of them, in the last release; only of a matrix is
    this the exchange of the last two.
    """
    x, w = pat.Wildcard(), pat.Variable(shape=(None, None, None))
    product = op.Matmul(x, op.Transpose(w, axes=(2, 1, 0)))
    target = op.Matmul(x, op.Transpose(w, axes=(0, 2, 1)), out_dtype=product.out_dtype)
    return Subst(product, target)


@rule(
    tags=DENSE | {"scale", "algebraic-reassoc"},
    origin="mutation of scale_of_dense: the factor along the inputs",
    expect="GSL303",
    twin="scale_of_dense",
)
def scale_of_dense_rows() -> Subst:
    """dense(x, w) * s  =>  dense(x, w * s) for a vector s with an element for each output

    The outputs are the first axis of the weight, and a vector broadcasts along the last.
    """
    x, w = pat.Wildcard(), matrix()
    s = pat.Variable(shape=(w.shape[0],))
    dense = op.Dense(x, w, out_dtype=w.dtype)
    return Subst(dense * s, op.Dense(x, w * s, **pat.same_attr(dense)))


@rule(
    tags=DENSE | {"bias", "parallel", "multiple-outputs", "combine-parallel"},
    origin="TVM Relax: tvm-relax-cpmm-bias-bcast; PyTorch Inductor: inductor-addmm-fuse-second",
    expect="GSL303",
    twin="parallel_three_dense_bias",
)
def parallel_dense_bias_broadcast() -> Subst:
    """dense(x, v) + b, dense(x, w) + c  =>  split[1](dense(x, cat[0](v, w)) + cat[0](b, c))

    A sum broadcasts: a bias may be one number for all outputs. Side by side with another it is
    a single element.
    """
    x, v, w = pat.Wildcard(), matrix(), matrix()
    b, c = pat.Variable(shape=(None,)), pat.Variable(shape=(None,))
    one = op.Dense(x, v)
    two = op.Dense(x, w, **pat.same_attr(one))
    both = op.Dense(x, op.Concatenate((v, w), axis=0), **pat.same_attr(one))
    biased = both + op.Concatenate((b, c), axis=0)
    pieces = op.Split(biased, indices_or_sections=(v.shape[0],), axis=1)
    return Subst([one + b, two + c], [pieces[0], pieces[1]], where=[x.ndim == 2])


@rule(
    tags=DENSE | {"parallel", "multiple-outputs", "combine-parallel"},
    origin="TVM Relay: tvm-relay-cpdense-axis",
    expect="GSL303",
    twin="parallel_dense",
)
def parallel_dense_with_tails() -> Subst:
    """expand_dims[2](dense(x, v)), expand_dims[2](dense(x, w))  =>  split[-1](expand_dims[2](...))

    apache/tvm#13597: the results were cut along the last axis, which is that of the outputs only
    until other operators follow.
    """
    x, v, w = pat.Wildcard(), matrix(), matrix()
    one = op.Dense(x, v)
    two = op.Dense(x, w, **pat.same_attr(one))
    both = op.Dense(x, op.Concatenate((v, w), axis=0), **pat.same_attr(one))
    tail = op.ExpandDims(both, axis=(2,))
    pieces = op.Split(tail, indices_or_sections=(v.shape[0],), axis=-1)
    source = [op.ExpandDims(y, axis=(2,)) for y in (one, two)]
    conditions = [x.ndim == 2, v.shape[0] >= 2]
    return Subst(source, [pieces[0], pieces[1]], where=conditions)


@rule(
    tags={"activation", "bias", "fusion"},
    origin="ONNX Script: onnxscript-biasgelu-rank",
    expect="GSL303",
    twin="gelu_of_sum_with_vector_as_bias",
)
def gelu_of_sum_as_bias() -> Subst:
    """gelu(x + y)  =>  gelu(bias_add[-1](x, y))

    microsoft/onnxscript#2393: a bias has one axis; y may have as many as x.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    biased = op.BiasAdd(x, y, axis=-1)
    return Subst(op.Gelu(x + y), op.Gelu(biased), where=[x.ndim >= 1])


@rule(
    tags={"activation", "scale", "fusion"},
    origin="ONNX Runtime: ort-gemm-act-alpha",
    expect="GSL401",
    twin="leaky_relu_from_maximum",
)
def leaky_relu_takes_factor() -> Subst:
    """leaky_relu[a](x * c)  =>  leaky_relu[c](x * c) for a constant c of rank 0

    microsoft/onnxruntime#2776: the fused operator has one attribute alpha, and both the factor of
    the product and the slope of the activation are called so.
    """
    x, c = pat.Wildcard(), pat.Const(shape=())
    scaled = x * c
    return Subst(op.LeakyRelu(scaled), op.LeakyRelu(scaled, alpha=c.value))


@rule(
    tags={"activation", "approximate", "fusion"},
    origin="TVM Relax: tvm-relax-gelu-tanh",
    expect="GSL401",
    twin="gelu_from_erf",
)
def gelu_by_tanh() -> Subst:
    """gelu(x)  =>  x * 0.5 * (1 + tanh(x * 0.8 * (1 + 0.04 * x * x)))

    An approximation is no equality, and apache/tvm#16188 had wrong constants in it: sqrt(2 / pi)
    and 0.044715 are meant.
    """
    x = pat.Wildcard()
    inner = x * 0.8 * (x * x * 0.04 + 1)
    return Subst(op.Gelu(x), x * 0.5 * (op.Tanh(inner) + 1))


@rule(
    tags={"activation", "fusion"},
    origin="mutation of gelu_from_erf: the argument is not scaled",
    expect="GSL401",
    twin="gelu_from_erf",
)
def gelu_from_erf_unscaled() -> Subst:
    """x * 0.5 * (1 + erf(x))  =>  gelu(x)

    Without the root of 2 this is the distribution of a variance of one half.
    """
    x = pat.Wildcard()
    return Subst(x * 0.5 * (op.Erf(x) + 1), op.Gelu(x))


@rule(
    tags={"normalisation", "fusion"},
    origin="ONNX Script: onnxscript-layernorm-bias",
    expect="GSL303",
    twin="rms_norm_from_mean",
)
def rms_norm_from_mean_any_weight() -> Subst:
    """x / sqrt(mean[-1](x * x) + e) * g  =>  rms_norm[-1, e](x, g)

    A weight of shape (B, 1, D) broadcasts in the product, but a normalisation over the last axis
    takes one along this axis.
    """
    x, g, e = pat.Wildcard(), pat.Variable(shape=(None, 1, None)), pat.Const(shape=())
    square = op.Mean(x * x, axis=(-1,), keepdims=True)
    scaled = x / op.Sqrt(square + e) * g
    target = op.RmsNorm(x, g, axes=(-1,), epsilon=e.value)
    return Subst(scaled, target, where=[x.ndim == 3, e.value >= 1e-6])


@rule(
    tags={"attention", "softmax", "fusion"},
    origin="PyTorch Inductor: inductor-sdpa-wildcards",
    expect="GSL401",
    twin="attention_from_parts",
)
def attention_from_parts_any_order() -> Subst:
    """T(softmax[-1]((T(q) @ T'(k)) * s) @ T(v))  =>  attention[s](q, k, v) for square sizes

    pytorch/pytorch#195320: the stored pattern takes any permutation of the keys. Where all sizes
    are equal nothing but the values tells.
    """
    q, k, v, s = pat.Wildcard(), pat.Wildcard(), pat.Wildcard(), pat.Const(shape=())
    heads = (0, 2, 1, 3)
    keys = op.Transpose(k)
    scores = op.Matmul(op.Transpose(q, axes=heads), keys, out_dtype=q.dtype) * s
    weights = op.Softmax(scores, axis=-1)
    mixed = op.Matmul(weights, op.Transpose(v, axes=heads), out_dtype=q.dtype)
    cube = [x.shape[i] == 2 for x in (q, k, v) for i in range(4)]
    target = op.Attention(q, k, v, scale=s.value)
    ranks = [x.ndim == 4 for x in (q, k, v)]
    return Subst(op.Transpose(mixed, axes=heads), target, where=[*ranks, *cube])


@rule(
    tags=MATMUL | {"transpose", "fusion"},
    origin="TVM Relax: tvm-relax-fusetmm-1d",
    expect="GSL303",
    twin="matmul_as_dense",
)
def matmul_with_turned_vector_as_dense() -> Subst:
    """x @ T(w)  =>  dense(x, w) for T that reverses the axes of w, of which there are at most two

    FuseTransposeMatmul exchanges the last two axes without asking whether there are two, live in
    0.27.0: of a vector, T is the identity, and a vector is no weight.
    """
    x, w = pat.Wildcard(), pat.Variable()
    turned = op.Transpose(w, axes=attr.Variadic(lambda i: w.ndim - 1 - i, length=w.ndim))
    product = op.Matmul(x, turned)
    target = op.Dense(x, w, out_dtype=product.out_dtype)
    return Subst(product, target, where=[w.ndim <= 2])
