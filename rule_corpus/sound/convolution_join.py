"""Convolutions side by side become one: by outputs, by batches, by groups, with what follows them.

Images are stored by channels first here (NCHW and OIHW).
"""

from gsl import Subst, attr, op, pat, rule

PINNED = {"data_layout": "NCHW", "kernel_layout": "OIHW"}
JOIN = {"convolution", "concat", "combine-parallel", "same-terms"}
PAIR = JOIN | {"multiple-outputs", "parallel"}


def same_kernel(v: pat.Pattern, w: pat.Pattern) -> list[attr.Term]:
    """Return the conditions that kernels differ in the number of outputs at most."""
    return [v.shape[i] == w.shape[i] for i in (1, 2, 3)]


@rule(
    tags=JOIN,
    origin="TASO: graph_subst.pb, rules 125-129",
    twin="concat_of_convs_grouped",
    flags=(),
)
def concat_of_convs_by_outputs() -> Subst:
    """cat[1](conv{A}(x, v), conv{A}(x, w))  =>  conv{A}(x, cat[0](v, w)), groups = 1

    Every output channel has a kernel of its own.
    """
    x, v, w = pat.Wildcard(), pat.Variable(), pat.Variable()
    one = op.Conv2D(x, v, **PINNED, groups=1)
    two = op.Conv2D(x, w, **pat.same_attr(one))
    target = op.Conv2D(x, op.Concatenate((v, w), axis=0), **pat.same_attr(one))
    return Subst(op.Concatenate((one, two), axis=1), target, where=same_kernel(v, w))


@rule(tags=JOIN, origin="TASO: graph_subst.pb, rules 114-118", flags=())
def concat_of_convs_by_batch() -> Subst:
    """cat[0](conv{A}(x, w), conv{A}(y, w))  =>  conv{A}(cat[0](x, y), w)

    Images of a batch do not meet, whatever the attributes. They need one size to be one batch.
    """
    x, y, w = pat.Wildcard(), pat.Wildcard(), pat.Variable()
    one = op.Conv2D(x, w, **PINNED)
    two = op.Conv2D(y, w, **pat.same_attr(one))
    target = op.Conv2D(op.Concatenate((x, y), axis=0), w, **pat.same_attr(one))
    alike = [x.shape[i] == y.shape[i] for i in (2, 3)]
    return Subst(op.Concatenate((one, two), axis=0), target, where=alike)


@rule(tags=PAIR, origin="TASO: graph_subst.pb, rules 114-118, two outputs", flags=())
def merge_convs_by_batch() -> Subst:
    """conv{A}(x, w), conv{A}(y, w)  =>  split[0](conv{A}(cat[0](x, y), w)) cut behind x

    As for the concatenation; the batches are taken apart again.
    """
    x, y, w = pat.Wildcard(), pat.Wildcard(), pat.Variable()
    one = op.Conv2D(x, w, **PINNED)
    two = op.Conv2D(y, w, **pat.same_attr(one))
    both = op.Conv2D(op.Concatenate((x, y), axis=0), w, **pat.same_attr(one))
    pieces = op.Split(both, indices_or_sections=(x.shape[0],), axis=0)
    alike = [x.shape[i] == y.shape[i] for i in (2, 3)]
    return Subst([one, two], [pieces[0], pieces[1]], where=alike)


@rule(
    tags=JOIN | {"groups"},
    origin="TASO: graph_subst.pb, rules 99, 100, 130, 131; OpenVINO: ConvolutionToGroupConvolution",
    twin="concat_of_convs_as_groups_unequal",
    flags=(),
)
def concat_of_convs_as_groups() -> Subst:
    """cat[1](conv(x, v), conv(y, w))  =>  conv{groups=2}(cat[1](x, y), cat[0](v, w))

    Each of two groups sees its own half of the channels. So the halves must be halves: both
    kernels have one shape, and the data too.
    """
    x, y, v, w = pat.Wildcard(), pat.Wildcard(), pat.Variable(), pat.Variable()
    one = op.Conv2D(x, v, **PINNED, groups=1)
    two = op.Conv2D(y, w, **pat.same_attr(one))
    data, kernels = op.Concatenate((x, y), axis=1), op.Concatenate((v, w), axis=0)
    target = op.Conv2D(data, kernels, **{**pat.same_attr(one), "groups": 2})
    alike = [x.shape == y.shape, v.shape == w.shape, x.dtype == y.dtype]
    return Subst(op.Concatenate((one, two), axis=1), target, where=alike)


@rule(tags=PAIR | {"bias"}, origin="GSL: exp_alg.py, two operators for each branch", flags=())
def parallel_two_conv_bias() -> Subst:
    """b_i = bias_add[1](conv{A}(x, w_i), c_i), i < 2  =>  split[1](bias_add(conv(x, cat w), cat c))

    The biases lie along the output channels and are put side by side like the kernels.
    """
    x, v, w = pat.Wildcard(), pat.Variable(), pat.Variable()
    b, c = pat.Variable(shape=(None,)), pat.Variable(shape=(None,))
    one = op.Conv2D(x, v, **PINNED, groups=1)
    two = op.Conv2D(x, w, **pat.same_attr(one))
    both = op.Conv2D(x, op.Concatenate((v, w), axis=0), **pat.same_attr(one))
    biased = op.BiasAdd(both, op.Concatenate((b, c), axis=0), axis=1)
    pieces = op.Split(biased, indices_or_sections=(v.shape[0],), axis=1)
    source = [op.BiasAdd(one, b, axis=1), op.BiasAdd(two, c, axis=1)]
    return Subst(source, [pieces[0], pieces[1]], where=same_kernel(v, w))


@rule(
    tags=PAIR | {"bias", "relu"},
    origin="GSL: exp_alg.py, three operators for each branch",
    flags=(),
)
def parallel_two_conv_bias_relu() -> Subst:
    """relu(bias_add[1](conv{A}(x, w_i), c_i)), i < 2  =>  split[1](relu(bias_add(conv(x, cat w))))

    An operator on each element does not care where it stands.
    """
    x, v, w = pat.Wildcard(), pat.Variable(), pat.Variable()
    b, c = pat.Variable(shape=(None,)), pat.Variable(shape=(None,))
    one = op.Conv2D(x, v, **PINNED, groups=1)
    two = op.Conv2D(x, w, **pat.same_attr(one))
    both = op.Conv2D(x, op.Concatenate((v, w), axis=0), **pat.same_attr(one))
    biased = op.BiasAdd(both, op.Concatenate((b, c), axis=0), axis=1)
    pieces = op.Split(op.Relu(biased), indices_or_sections=(v.shape[0],), axis=1)
    source = [op.Relu(op.BiasAdd(one, b, axis=1)), op.Relu(op.BiasAdd(two, c, axis=1))]
    return Subst(source, [pieces[0], pieces[1]], where=same_kernel(v, w))


@rule(tags=PAIR, origin="GSL: exp_alg.py, three branches", flags=())
def parallel_three_conv() -> Subst:
    """conv{A}(x, w_i), i < 3  =>  split[1; O_0, O_0 + O_1](conv{A}(x, cat[0](w_0, w_1, w_2)))

    As for two; cuts are positions, not sizes.
    """
    x, u, v, w = pat.Wildcard(), pat.Variable(), pat.Variable(), pat.Variable()
    one = op.Conv2D(x, u, **PINNED, groups=1)
    two, three = (op.Conv2D(x, weight, **pat.same_attr(one)) for weight in (v, w))
    every = op.Conv2D(x, op.Concatenate((u, v, w), axis=0), **pat.same_attr(one))
    cuts = (u.shape[0], u.shape[0] + v.shape[0])
    pieces = op.Split(every, indices_or_sections=cuts, axis=1)
    alike = [*same_kernel(u, v), *same_kernel(u, w)]
    return Subst([one, two, three], [pieces[i] for i in range(3)], where=alike)


@rule(
    tags={"dense", "parallel", "bias", "combine-parallel", "multiple-outputs", "same-terms"},
    origin="PyTorch Inductor: freezing_patterns, addmm_fuse_pattern_second",
    twin="parallel_dense_bias_broadcast",
    flags=(),
)
def parallel_three_dense_bias() -> Subst:
    """bias_add[1](dense(x, w_i), b_i), i < 3  =>  split[1](bias_add(dense(x, cat w), cat b))

    The biases are put side by side like the rows of the weights. For data with two axes.
    """
    x, u, v, w = pat.Wildcard(), pat.Variable(), pat.Variable(), pat.Variable()
    a, b = pat.Variable(shape=(None,)), pat.Variable(shape=(None,))
    c = pat.Variable(shape=(None,))
    one = op.Dense(x, u)
    two, three = (op.Dense(x, weight, **pat.same_attr(one)) for weight in (v, w))
    every = op.Dense(x, op.Concatenate((u, v, w), axis=0), **pat.same_attr(one))
    biased = op.BiasAdd(every, op.Concatenate((a, b, c), axis=0), axis=1)
    cuts = (u.shape[0], u.shape[0] + v.shape[0])
    pieces = op.Split(biased, indices_or_sections=cuts, axis=1)
    source = [op.BiasAdd(y, d, axis=1) for y, d in ((one, a), (two, b), (three, c))]
    return Subst(source, [pieces[i] for i in range(3)], where=[x.ndim == 2])


@rule(
    tags={"dense", "parallel", "batch", "combine-parallel", "multiple-outputs", "same-terms"},
    origin="TVM Relay: CombineParallelDense, to batch_matmul",
    flags=(),
)
def parallel_dense_as_batch() -> Subst:
    """dense(x, v), dense(x, w)  =>  y[0], y[1] of y = x @ T(stack[0](v, w)), T = [0, 2, 1]

    A product of a batch of weights of one shape; x is broadcast to all of them.
    """
    x, v = pat.Wildcard(), pat.Variable()
    w = pat.Variable(shape=v.shape)
    one = op.Dense(x, v)
    two = op.Dense(x, w, **pat.same_attr(one))
    weights = op.Transpose(op.Stack((v, w), axis=0), axes=(0, 2, 1))
    batch = op.Matmul(x, weights, out_dtype=one.out_dtype)
    pieces = op.Split(batch, indices_or_sections=2, axis=0)
    target = [op.Squeeze(pieces[i], axis=(0,)) for i in range(2)]
    return Subst([one, two], target, where=[x.ndim == 2])
