"""Operators that share their data become one, whose result is cut into theirs.

One larger operator keeps a machine busier than several small ones. Layouts are looked at, not
assumed: axes are written as functions of the layout attributes.
"""

from gsl import Subst, attr, op, pat, rule
from gsl.attr import Term
from gsl.attr.term import Value
from gsl.pat import Pattern

CONV = {"convolution", "parallel"}
DENSE = {"dense", "parallel"}
PAIR = {"multiple-outputs"}
VARIADIC = {"variadic-outputs"}


def _channels(conv: Pattern) -> Term:
    """Return the axis of the data and of the result along which the channels lie."""
    return attr.Cond(conv.data_layout == "NCHW", 1, 3)


def _by_kernel_layout(conv: Pattern, oihw: object, hwio: object) -> Term:
    return attr.Cond(conv.kernel_layout == "OIHW", oihw, hwio)


def _outputs(conv: Pattern) -> Term:
    """Return the axis of the weight along which the output channels lie."""
    return _by_kernel_layout(conv, 0, 3)


def _differ_only_on(axis: Term, one: Pattern, two: Pattern) -> Term:
    """Tell whether two tensors of rank 4 have equal sizes on every other axis."""
    return attr.All(lambda i: (i == axis) | (one.shape[i] == two.shape[i]), length=4)


def _replaced(shape: Term, early: Term, at: int, *sizes: Value) -> Term:
    """Return a shape of rank 4 with `sizes` for axis `at` or, unless `early`, for the last one."""
    whole = [shape[axis] for axis in range(4)]
    return attr.Cond(early, (*whole[:at], *sizes, *whole[at + 1 :]), (*whole[:3], *sizes))


@rule(
    tags=CONV | PAIR | {"same-terms", "combine-parallel"},
    origin="GSL: parallel_two_conv",
    twin="parallel_two_conv_published",
    flags=(),
)
def parallel_two_conv() -> Subst:
    """conv{A}(x, w1), conv{A}(x, w2)  =>  split[C; (O1)](conv{A}(x, cat[O](w1, w2))), groups = 1

    Every output channel has a kernel of its own, so kernels may be put side by side and the
    channels taken apart again. The kernels need one size; the numbers of outputs may differ. With
    groups, the channels of both would have to be interleaved.
    """
    x, w1, w2 = pat.Wildcard(), pat.Variable(), pat.Variable()
    one = op.Conv2D(x, w1, groups=1)
    two = op.Conv2D(x, w2, **pat.same_attr(one))
    both = op.Conv2D(x, op.Concatenate((w1, w2), axis=_outputs(one)), **pat.same_attr(one))
    cut = w1.shape[_outputs(one)]
    pieces = op.Split(both, indices_or_sections=(cut,), axis=_channels(one))
    return Subst([one, two], [pieces[0], pieces[1]], where=[_differ_only_on(_outputs(one), w1, w2)])


@rule(
    tags=CONV | VARIADIC | {"same-terms", "combine-parallel"},
    origin="GSL: parallel_conv_variadic",
    twin="parallel_conv_variadic_published",
    flags=(),
)
def parallel_conv_variadic() -> Subst:
    """conv{A}(x, w_i) for i < n  =>  split[C; O_0, O_0+O_1, ...](conv{A}(x, cat[O](w_i))), groups=1

    As for two; the cuts are the n - 1 proper sums of the first numbers of outputs.
    """
    x, first_w, w = pat.Wildcard(), pat.Variable(), pat.Variable()
    first = op.Conv2D(x, first_w, groups=1)
    conv = op.Conv2D(x, w, **pat.same_attr(first))
    convs = pat.Variadic(conv, templates=[conv, w], first=[first, first_w], min_len=2)

    i = attr.Symbol("i")
    weight = convs(w, i)
    weights = pat.Variadic(weight, templates=[weight], index=i, length=convs.length)
    all_of_them = op.Conv2D(
        x, op.Concatenate(weights, axis=_outputs(first)), **pat.same_attr(first)
    )
    cuts = attr.Variadic(
        lambda j: attr.Sum(lambda k: convs(w, k).shape[_outputs(first)], length=j + 1),
        length=convs.length - 1,
    )
    pieces = op.Split(all_of_them, indices_or_sections=cuts, axis=_channels(first))
    k = attr.Symbol("k")
    piece = pieces[k]
    alike = attr.All(
        lambda j: _differ_only_on(_outputs(first), first_w, convs(w, j)), length=convs.length
    )
    return Subst(convs, pat.Variadic(piece, templates=[piece], index=k), where=[alike])


@rule(
    tags=CONV | PAIR | {"same-terms", "combine-parallel"},
    origin="GSL: parallel_conv_expand_kernels",
    twin="parallel_conv_expand_kernels_published",
    flags={"nnan"},
)
def parallel_conv_expand_kernels() -> Subst:
    """conv{p1}(x, w1), conv{p2}(x, w2)  =>  split[C; (O1)](conv{p}(x, cat[O](pad w1, pad w2)))

    A kernel with more zeros in front of it computes the same when, for each, `dilation` more is
    padded in front of the data; so behind. Both kernels grow until their paddings are the larger
    ones of both, which is possible by a whole number of zeros, and then need one size. The
    published rule is for odd kernels that keep the size. Zeros times infinities are not zero.
    """
    x, w1, w2 = pat.Wildcard(), pat.Variable(), pat.Variable()
    one = op.Conv2D(x, w1, groups=1)
    same = ["strides", "dilation", "groups", "data_layout", "kernel_layout", "out_dtype"]
    two = op.Conv2D(x, w2, **pat.same_attr(one, same))
    padding = tuple(attr.Max(one.padding[i], two.padding[i]) for i in range(4))
    missing = {conv: [padding[i] - conv.padding[i] for i in range(4)] for conv in (one, two)}
    zeros = {c: [missing[c][i] // one.dilation[i % 2] for i in range(4)] for c in (one, two)}

    def enlarged(conv: Pattern, weight: Pattern) -> Pattern:
        top, left, bottom, right = zeros[conv]
        around = (top, bottom, left, right)
        widths = _by_kernel_layout(one, (0, 0, 0, 0, *around), (*around, 0, 0, 0, 0))
        return op.Pad(weight, pad_width=widths)

    big1, big2 = enlarged(one, w1), enlarged(two, w2)
    weight = op.Concatenate((big1, big2), axis=_outputs(one))
    both = op.Conv2D(x, weight, padding=padding, **pat.same_attr(one, same))
    cut = w1.shape[_outputs(one)]
    pieces = op.Split(both, indices_or_sections=(cut,), axis=_channels(one))

    def size(conv: Pattern, weight: Pattern, i: int) -> Term:
        kernel = weight.shape[_by_kernel_layout(one, 2 + i, i)]
        return kernel + zeros[conv][i] + zeros[conv][i + 2]

    whole = [missing[c][i] % one.dilation[i % 2] == 0 for c in (one, two) for i in range(4)]
    one_size = [size(one, w1, i) == size(two, w2, i) for i in (0, 1)]
    return Subst([one, two], [pieces[0], pieces[1]], where=[*whole, *one_size])


@rule(
    tags=CONV | VARIADIC | {"same-terms", "combine-parallel"},
    origin="GSL: parallel_group_conv_variadic",
    twin="parallel_group_conv_variadic_published",
    flags=(),
)
def parallel_group_conv_variadic() -> Subst:
    """conv{A}(x, w_i) for i < n  =>  the parts of conv{A}(x, w), where w interleaves w_i by groups

    Outputs have to be ordered by group first and by convolution second. So weights get an axis of
    groups, are put together behind it, and lose it again; so do the channels of the result when
    they are taken apart. In the published rule the weights have one shape; in truth only
    the kernels have to agree in size.
    """
    x, first_w, w = pat.Wildcard(), pat.Variable(), pat.Variable()
    first = op.Conv2D(x, first_w)
    conv = op.Conv2D(x, w, **pat.same_attr(first))
    convs = pat.Variadic(conv, templates=[conv, w], first=[first, first_w], min_len=2)
    groups, outputs = first.groups, _outputs(first)
    oihw, nchw = first.kernel_layout == "OIHW", first.data_layout == "NCHW"

    def in_group(count: Value) -> Term:
        """Return how many outputs the first `count` convolutions have in every group."""
        return attr.Sum(lambda k: convs(w, k).shape[outputs] // groups, length=count)

    i, k = attr.Symbol("i"), attr.Symbol("k")
    own = convs(w, i)
    split_up = _replaced(own.shape, oihw, 0, groups, own.shape[outputs] // groups)
    by_group = op.Reshape(own, shape=split_up)
    weights = pat.Variadic(by_group, templates=[by_group, own], index=i, length=convs.length)
    joined = op.Concatenate(weights, axis=attr.Cond(oihw, 1, 4))
    total = attr.Sum(lambda k: convs(w, k).shape[outputs], length=convs.length)
    weight = op.Reshape(joined, shape=_replaced(first_w.shape, oihw, 0, total))
    result = op.Conv2D(x, weight, **pat.same_attr(first))

    by_group = op.Reshape(
        result, shape=_replaced(result.shape, nchw, 1, groups, in_group(convs.length))
    )
    cuts = attr.Variadic(lambda j: in_group(j + 1), length=convs.length - 1)
    pieces = op.Split(by_group, indices_or_sections=cuts, axis=attr.Cond(nchw, 2, 4))
    piece = pieces[k]
    channels = convs(w, k).shape[outputs]
    output = op.Reshape(piece, shape=_replaced(result.shape, nchw, 1, channels))
    target = pat.Variadic(output, templates=[output, piece], index=k)
    alike = attr.All(lambda j: _differ_only_on(outputs, first_w, convs(w, j)), length=convs.length)
    # Groups divide the sum because they divide every summand, but the solver needs to be told.
    return Subst(convs, target, where=[alike, total % groups == 0])


@rule(
    tags=DENSE | PAIR | {"same-terms", "combine-parallel"},
    origin="GSL: parallel_dense",
    twin="parallel_dense_published",
    flags=(),
)
def parallel_dense() -> Subst:
    """dense{A}(x, w1), dense{A}(x, w2)  =>  split[-1; (O1)](dense{A}(x, cat[0](w1, w2)))

    Row i of the weight gives element i of the result, so rows may be put below each other. Both
    must convert to one `out_dtype`; that they sum over equally many elements follows from x.
    """
    x, w1, w2 = pat.Wildcard(), pat.Variable(), pat.Variable()
    one = op.Dense(x, w1)
    two = op.Dense(x, w2, **pat.same_attr(one))
    both = op.Dense(x, op.Concatenate((w1, w2), axis=0), **pat.same_attr(one))
    pieces = op.Split(both, indices_or_sections=(w1.shape[0],), axis=-1)
    return Subst([one, two], [pieces[0], pieces[1]])


@rule(
    tags=DENSE | PAIR | {"same-terms", "combine-parallel"},
    origin="GSL: exp_alg.py, parallel_three_dense",
    twin="parallel_three_dense_sizes_as_cuts",
    flags=(),
)
def parallel_three_dense() -> Subst:
    """dense{A}(x, w_i) for i < 3  =>  split[-1; (O0, O0+O1)](dense{A}(x, cat[0](w_0, w_1, w_2)))

    As for two, such as query, key and value of an attention: the cuts are positions, not sizes.
    """
    x = pat.Wildcard()
    w = [pat.Variable() for _ in range(3)]
    first = op.Dense(x, w[0])
    others = [op.Dense(x, weight, **pat.same_attr(first)) for weight in w[1:]]
    every = op.Dense(x, op.Concatenate(tuple(w), axis=0), **pat.same_attr(first))
    cuts = (w[0].shape[0], w[0].shape[0] + w[1].shape[0])
    pieces = op.Split(every, indices_or_sections=cuts, axis=-1)
    return Subst([first, *others], [pieces[i] for i in range(3)])


@rule(
    tags=DENSE | VARIADIC | {"same-terms", "combine-parallel"},
    origin="GSL: parallel_dense_variadic",
    twin="parallel_dense_variadic_published",
    flags=(),
)
def parallel_dense_variadic() -> Subst:
    """dense{A}(x, w_i) for i < n  =>  split[-1; O_0, O_0+O_1, ...](dense{A}(x, cat[0](w_i)))

    As for two, with as many products as there are; the cuts are the n - 1 proper sums.
    """
    x, first_w, w = pat.Wildcard(), pat.Variable(), pat.Variable()
    first = op.Dense(x, first_w)
    dense = op.Dense(x, w, **pat.same_attr(first))
    products = pat.Variadic(dense, templates=[dense, w], first=[first, first_w], min_len=2)
    i = attr.Symbol("i")
    weight = products(w, i)
    weights = pat.Variadic(weight, templates=[weight], index=i, length=products.length)
    every = op.Dense(x, op.Concatenate(weights, axis=0), **pat.same_attr(first))
    cuts = attr.Variadic(
        lambda j: attr.Sum(lambda k: products(w, k).shape[0], length=j + 1),
        length=products.length - 1,
    )
    pieces = op.Split(every, indices_or_sections=cuts, axis=-1)
    k = attr.Symbol("k")
    piece = pieces[k]
    return Subst(products, pat.Variadic(piece, templates=[piece], index=k))
