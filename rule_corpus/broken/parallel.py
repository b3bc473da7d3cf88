"""Operators that become one and then compute something else.

The published forms copy only the four attributes of a convolution that change the windows, and
none of a dense layer.
"""

from gsl import Subst, attr, op, pat, rule
from gsl.attr import Term
from gsl.pat import Pattern

CONV = {"convolution", "parallel"}
DENSE = {"dense", "parallel"}
PAIR = {"multiple-outputs"}
VARIADIC = {"variadic-outputs"}
WINDOW = ("strides", "padding", "dilation", "groups")
PLAIN = {"data_layout": "NCHW", "kernel_layout": "OIHW"}


def _kernel_of(w: Pattern) -> Pattern:
    return pat.Variable(shape=(None, None, w.shape[2], w.shape[3]))


@rule(
    tags=CONV | PAIR | {"combine-parallel"},
    origin="GSL: parallel_two_conv",
    expect="GSL302",
    twin="parallel_two_conv",
)
def parallel_two_conv_published() -> Subst:
    """conv{A}(x, w1), conv{A}(x, w2)  =>  split[1; (O1)](conv{A}(x, cat[0](w1, w2))), groups = 1

    Layouts and dtype of the result are neither compared nor copied: the target takes their
    defaults, so that the results have another dtype or the weights do not fit.
    """
    x, w1 = pat.Wildcard(), pat.Variable()
    w2 = _kernel_of(w1)
    one = op.Conv2D(x, w1, groups=1)
    two = op.Conv2D(x, w2, **pat.same_attr(one, WINDOW))
    both = op.Conv2D(x, op.Concatenate((w1, w2), axis=0), **pat.same_attr(one, WINDOW))
    pieces = op.Split(both, indices_or_sections=(w1.shape[0],), axis=1)
    return Subst([one, two], [pieces[0], pieces[1]])


@rule(
    tags=CONV | PAIR | {"combine-parallel"},
    origin="GSL: parallel_two_conv",
    expect="GSL303",
    twin="parallel_two_conv",
)
def parallel_two_conv_fixed_axes() -> Subst:
    """conv{A}(x, w1), conv{A}(x, w2)  =>  split[1; (O1)](conv{A}(x, cat[0](w1, w2))), groups = 1

    All attributes are copied, but the axes are those of NCHW and OIHW. Axes 2 and 3 of an HWIO
    weight are channels and axis 0 is its height: kernels are put on top of each other.
    """
    x, w1 = pat.Wildcard(), pat.Variable()
    w2 = _kernel_of(w1)
    one = op.Conv2D(x, w1, groups=1)
    two = op.Conv2D(x, w2, **pat.same_attr(one))
    both = op.Conv2D(x, op.Concatenate((w1, w2), axis=0), **pat.same_attr(one))
    pieces = op.Split(both, indices_or_sections=(w1.shape[0],), axis=1)
    return Subst([one, two], [pieces[0], pieces[1]])


@rule(
    tags=CONV | PAIR | {"combine-parallel"},
    origin="GSL: parallel_two_conv",
    expect="GSL401",
    twin="parallel_two_conv",
)
def parallel_two_conv_grouped() -> Subst:
    """conv{A}(x, w1), conv{A}(x, w2)  =>  split[1; (O1)](conv{A}(x, cat[0](w1, w2))), any groups

    With two groups, the first half of all outputs sees the first half of the inputs; put side by
    side, that is no longer the first half of each.
    """
    x, w1 = pat.Wildcard(), pat.Variable()
    w2 = _kernel_of(w1)
    one = op.Conv2D(x, w1, **PLAIN)
    two = op.Conv2D(x, w2, **pat.same_attr(one))
    both = op.Conv2D(x, op.Concatenate((w1, w2), axis=0), **pat.same_attr(one))
    pieces = op.Split(both, indices_or_sections=(w1.shape[0],), axis=1)
    even = (w1.shape[0] + w2.shape[0]) % one.groups == 0
    return Subst([one, two], [pieces[0], pieces[1]], where=[even])


@rule(
    tags=CONV | PAIR | {"combine-parallel"},
    origin="GSL README: equal_conv",
    expect="GSL303",
    twin="parallel_two_conv",
)
def parallel_two_conv_halves() -> Subst:
    """conv{A}(x, w1), conv{A}(x, w2)  =>  split[1; 2](conv{A}(x, cat[0](w1, w2))), groups = 1

    Two equal sections are right only for equally many outputs.
    """
    x, w1 = pat.Wildcard(), pat.Variable()
    w2 = _kernel_of(w1)
    one = op.Conv2D(x, w1, groups=1, **PLAIN)
    two = op.Conv2D(x, w2, **pat.same_attr(one))
    both = op.Conv2D(x, op.Concatenate((w1, w2), axis=0), **pat.same_attr(one))
    pieces = op.Split(both, indices_or_sections=2, axis=1)
    return Subst([one, two], [pieces[0], pieces[1]])


@rule(
    tags=CONV | VARIADIC | {"combine-parallel"},
    origin="GSL: parallel_conv_variadic",
    expect="GSL302",
    twin="parallel_conv_variadic",
)
def parallel_conv_variadic_published() -> Subst:
    """conv{A}(x, w_i) for i < n  =>  split[1; O_0, O_0+O_1, ...](conv{A}(x, cat[0](w_i))), groups=1

    The example program of the thesis. As for two, layouts and dtype of the result are neither
    compared nor copied.
    """
    x, w1 = pat.Wildcard(), pat.Variable()
    w = _kernel_of(w1)
    conv1 = op.Conv2D(x, w1, groups=1)
    conv = op.Conv2D(x, w, **pat.same_attr(conv1, WINDOW))
    src = pat.Variadic(conv, templates=[conv, w], first=[conv1, w1], min_len=2)
    i, j = attr.Symbol("i"), attr.Symbol("j")
    weight = src(w, i)
    weights = pat.Variadic(weight, templates=[weight], index=i, length=src.length)
    every = op.Conv2D(x, op.Concatenate(weights, axis=0), **pat.same_attr(conv1, WINDOW))
    cuts = attr.Variadic(
        lambda n: attr.Sum(lambda k: src(w, k).shape[0], length=n + 1), length=src.length - 1
    )
    piece = op.Split(every, indices_or_sections=cuts, axis=1)[j]
    return Subst(src, pat.Variadic(piece, templates=[piece], index=j))


def _same_size(k: Term) -> tuple[Term, ...]:
    """Return the padding for which the published rule expects sizes to stay."""
    half = [(size - 1) // 2 for size in (k[2], k[3])]
    return (*half, *half)


@rule(
    tags=CONV | PAIR | {"combine-parallel"},
    origin="GSL: parallel_conv_expand_kernels",
    expect="GSL301",
    twin="parallel_conv_expand_kernels",
)
def parallel_conv_expand_kernels_published() -> Subst:
    """conv{(k1-1)/2}(x, w1), conv{(k2-1)/2}(x, w2)  =>  split[1; 2](conv{(K-1)/2}(x, ...))

    Half of k - 1 is rounded down for an even kernel: the result is smaller by one, and the larger
    kernel pads it again.
    """
    x, w1 = pat.Wildcard(), pat.Variable()
    w2 = pat.Variable(shape=(w1.shape[0], w1.shape[1], None, None))
    steps = {"strides": 1, "dilation": 1, "groups": 1, **PLAIN}
    one = op.Conv2D(x, w1, padding=_same_size(w1.shape), **steps)
    two = op.Conv2D(
        x, w2, padding=_same_size(w2.shape), **pat.same_attr(one, [*steps, "out_dtype"])
    )
    size = [attr.Max(w1.shape[i], w2.shape[i]) for i in range(4)]

    def enlarged(w: Pattern) -> Pattern:
        more = [(size[i] - w.shape[i]) // 2 for i in (2, 3)]
        rest = [size[i + 2] - w.shape[i + 2] - more[i] for i in (0, 1)]
        return op.Pad(w, pad_width=(0, 0, 0, 0, more[0], rest[0], more[1], rest[1]))

    weight = op.Concatenate((enlarged(w1), enlarged(w2)), axis=0)
    both = op.Conv2D(x, weight, padding=_same_size(size), out_dtype=one.out_dtype, **steps)
    pieces = op.Split(both, indices_or_sections=2, axis=1)
    return Subst([one, two], [pieces[0], pieces[1]])


def _by_group(first: Pattern, w: Pattern) -> Pattern:
    """Give an OIHW weight an axis of groups in front."""
    shape = (first.groups, w.shape[0] // first.groups, w.shape[1], w.shape[2], w.shape[3])
    return op.Reshape(w, shape=shape)


@rule(
    tags=CONV | VARIADIC | {"combine-parallel"},
    origin="GSL: parallel_group_conv_variadic",
    expect="GSL302",
    twin="parallel_group_conv_variadic",
)
def parallel_group_conv_variadic_published() -> Subst:
    """conv{A}(x, w_i) for i < n  =>  the parts of conv{A}(x, w), where w interleaves w_i by groups

    The arithmetic of groups is right for NCHW and OIHW. As for two, layouts and dtype of the
    result are neither compared nor copied.
    """
    x, first_w = pat.Wildcard(), pat.Variable()
    w = pat.Variable(shape=first_w.shape)
    first = op.Conv2D(x, first_w)
    conv = op.Conv2D(x, w, **pat.same_attr(first, WINDOW))
    convs = pat.Variadic(conv, templates=[conv, w], first=[first, first_w], min_len=2)
    i, j = attr.Symbol("i"), attr.Symbol("j")
    own = convs(w, i)
    part = _by_group(first, own)
    parts = pat.Variadic(part, templates=[part, own], index=i, length=convs.length)
    size, count = first_w.shape, convs.length
    weight = op.Reshape(
        op.Concatenate(parts, axis=1), shape=(count * size[0], size[1], size[2], size[3])
    )
    both = op.Conv2D(x, weight, **pat.same_attr(first, WINDOW))
    n, _, height, width = (both.shape[axis] for axis in range(4))
    in_blocks = op.Reshape(
        both, shape=(n, first.groups, count, size[0] // first.groups, height, width)
    )
    ordered = op.Transpose(in_blocks, axes=(0, 2, 1, 3, 4, 5))
    result = op.Reshape(ordered, shape=(n, count * size[0], height, width))
    piece = op.Split(result, indices_or_sections=count, axis=1)[j]
    return Subst(convs, pat.Variadic(piece, templates=[piece], index=j))


@rule(
    tags=CONV | VARIADIC | {"combine-parallel"},
    origin="GSL: parallel_group_conv_variadic without its permutation",
    expect="GSL401",
    twin="parallel_group_conv_variadic",
)
def parallel_group_conv_variadic_side_by_side() -> Subst:
    """conv{A}(x, w_i) for i < n  =>  split[1; n](conv{A}(x, cat[0](w_i))), any groups

    All sizes are right. Half of the outputs see the wrong half of the inputs, though.
    """
    x, first_w = pat.Wildcard(), pat.Variable()
    w = pat.Variable(shape=first_w.shape)
    first = op.Conv2D(x, first_w, **PLAIN)
    conv = op.Conv2D(x, w, **pat.same_attr(first))
    convs = pat.Variadic(conv, templates=[conv, w], first=[first, first_w], min_len=2)
    i, j = attr.Symbol("i"), attr.Symbol("j")
    own = convs(w, i)
    weights = pat.Variadic(own, templates=[own], index=i, length=convs.length)
    every = op.Conv2D(x, op.Concatenate(weights, axis=0), **pat.same_attr(first))
    piece = op.Split(every, indices_or_sections=convs.length, axis=1)[j]
    total = attr.Sum(lambda k: convs(w, k).shape[0], length=convs.length)
    target = pat.Variadic(piece, templates=[piece], index=j)
    return Subst(convs, target, where=[total % first.groups == 0])


@rule(
    tags=DENSE | PAIR | {"combine-parallel"},
    origin="GSL: parallel_dense",
    expect="GSL302",
    twin="parallel_dense",
)
def parallel_dense_published() -> Subst:
    """dense(x, w1), dense(x, w2)  =>  split[-1; (O1)](dense(x, cat[0](w1, w2)))

    `out_dtype` is neither compared nor copied.
    """
    x, w1, w2 = pat.Wildcard(), pat.Variable(), pat.Variable()
    one, two = op.Dense(x, w1), op.Dense(x, w2)
    both = op.Dense(x, op.Concatenate((w1, w2), axis=0))
    pieces = op.Split(both, indices_or_sections=(w1.shape[0],), axis=-1)
    return Subst([one, two], [pieces[0], pieces[1]])


@rule(
    tags=DENSE | PAIR | {"combine-parallel"},
    origin="GSL: parallel_dense",
    expect="GSL401",
    twin="parallel_dense",
)
def parallel_dense_exchanged() -> Subst:
    """dense{A}(x, w1), dense{A}(x, w2)  =>  split[-1; 2](dense{A}(x, cat[0](w2, w1)))

    The weights change places and the outputs do not; equal numbers of outputs hide it.
    """
    x, w1 = pat.Wildcard(), pat.Variable()
    w2 = pat.Variable(shape=w1.shape)
    one = op.Dense(x, w1)
    two = op.Dense(x, w2, **pat.same_attr(one))
    both = op.Dense(x, op.Concatenate((w2, w1), axis=0), **pat.same_attr(one))
    pieces = op.Split(both, indices_or_sections=2, axis=-1)
    return Subst([one, two], [pieces[0], pieces[1]])


@rule(
    tags=DENSE | PAIR | {"combine-parallel"},
    origin="GSL: exp_alg.py, parallel_three_dense",
    expect="GSL301",
    twin="parallel_three_dense",
)
def parallel_three_dense_sizes_as_cuts() -> Subst:
    """dense{A}(x, w_i) for i < 3  =>  split[-1; (O0, O1)](dense{A}(x, cat[0](w_0, w_1, w_2)))

    Positions to cut at are sums of sizes; the second one is mistaken for a size.
    """
    x, w0, w2 = pat.Wildcard(), pat.Variable(), pat.Variable()
    first = op.Dense(x, w0)
    w1 = pat.Variable()
    second, third = (op.Dense(x, w, **pat.same_attr(first)) for w in (w1, w2))
    every = op.Dense(x, op.Concatenate((w0, w1, w2), axis=0), **pat.same_attr(first))
    pieces = op.Split(every, indices_or_sections=(w0.shape[0], w1.shape[0]), axis=-1)
    ascending = w0.shape[0] <= w1.shape[0]
    return Subst([first, second, third], [pieces[i] for i in range(3)], where=[ascending])


@rule(
    tags=DENSE | VARIADIC | {"combine-parallel"},
    origin="GSL: parallel_dense_variadic",
    expect="GSL302",
    twin="parallel_dense_variadic",
)
def parallel_dense_variadic_published() -> Subst:
    """dense(x, w_i) for i < n  =>  split[-1; O_0, O_0+O_1, ...](dense(x, cat[0](w_i)))

    As for two: `out_dtype` is neither compared nor copied.
    """
    x, first_w, w = pat.Wildcard(), pat.Variable(), pat.Variable()
    dense, first = op.Dense(x, w), op.Dense(x, first_w)
    products = pat.Variadic(dense, templates=[dense, w], first=[first, first_w], min_len=2)
    i, j = attr.Symbol("i"), attr.Symbol("j")
    weight = products(w, i)
    weights = pat.Variadic(weight, templates=[weight], index=i, length=products.length)
    every = op.Dense(x, op.Concatenate(weights, axis=0))
    cuts = attr.Variadic(
        lambda n: attr.Sum(lambda k: products(w, k).shape[0], length=n + 1),
        length=products.length - 1,
    )
    piece = op.Split(every, indices_or_sections=cuts, axis=-1)[j]
    return Subst(products, pat.Variadic(piece, templates=[piece], index=j))


@rule(
    tags=DENSE | VARIADIC | {"combine-parallel"},
    origin="GSL: parallel_dense_variadic, one cut too late",
    expect="GSL301",
    twin="parallel_dense_variadic",
)
def parallel_dense_variadic_all_sums() -> Subst:
    """dense{A}(x, w_i) for i < n  =>  split[-1; O_1, O_1+O_2, ...](dense{A}(x, cat[0](w_i)))

    The sums begin with the second weight, so they are right for equal sizes only.
    """
    x, first_w, w = pat.Wildcard(), pat.Variable(), pat.Variable()
    first = op.Dense(x, first_w)
    dense = op.Dense(x, w, **pat.same_attr(first))
    products = pat.Variadic(dense, templates=[dense, w], first=[first, first_w], min_len=2)
    i, j = attr.Symbol("i"), attr.Symbol("j")
    weight = products(w, i)
    weights = pat.Variadic(weight, templates=[weight], index=i, length=products.length)
    every = op.Dense(x, op.Concatenate(weights, axis=0), **pat.same_attr(first))
    cuts = attr.Variadic(
        lambda n: attr.Sum(lambda k: products(w, k + 1).shape[0], length=n + 1),
        length=products.length - 1,
    )
    piece = op.Split(every, indices_or_sections=cuts, axis=-1)[j]
    return Subst(products, pat.Variadic(piece, templates=[piece], index=j))
