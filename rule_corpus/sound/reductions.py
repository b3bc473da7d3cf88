"""Sums, means and extrema along axes, and what may be moved past them."""

from gsl import Subst, attr, op, pat, rule

FLOATS = ("float16", "float32", "float64")


@rule(
    tags={"reduction", "same-terms", "fusion"},
    origin="XLA: HandleReduce, reduce of reduce; TensorRight: xla/reduce, rule 05",
    twin="sum_of_sum_unshifted",
    flags={"reassoc"},
)
def sum_of_sum() -> Subst:
    """sum[b](sum[a](x))  =>  sum[(a, b')](x) with b' = b, or b + 1 from a onwards

    A sum over two axes in one go. When axis a has disappeared, the axes behind it are one place
    further to the front, so that b has to be numbered as in x again.
    """
    x = pat.Wildcard()
    inner = op.Sum(x, axis=(None,), keepdims=False)
    outer = op.Sum(inner, axis=(None,), keepdims=False)
    left = attr.axes_left(inner.axis, x.ndim)
    return Subst(outer, op.Sum(x, axis=inner.axis + attr.renumbered(outer.axis, left)))


@rule(
    tags={"reduction", "transpose", "same-terms", "data-movement"},
    origin="OpenVINO: TransposeSinking past reductions; TensorRight: xla/reduce, rule 04",
    twin="sum_of_transpose_same_axes",
    flags=(),
)
def sum_of_transpose() -> Subst:
    """sum[a, keep](T[p](x))  =>  T[p](sum[p[a], keep](x))

    Axis i of the transposed tensor is axis p[i] of x. Kept axes of size 1 are transposed with the
    others. Of the lists of axes some orders and signs are tried: with every transposition of four
    axes all of them would be 15,000 structures.
    """
    x = pat.Wildcard()
    moved = op.Transpose(x)
    total = op.Sum(moved, keepdims=True)
    axes = attr.Variadic(lambda i: moved.axes[total.axis[i]], length=attr.Length(total.axis))
    inside = op.Sum(x, axis=axes, keepdims=True)
    return Subst(total, op.Transpose(inside, axes=moved.axes))


@rule(
    tags={"reduction", "concatenate", "same-terms", "algebraic-distrib"},
    origin="Enzyme-JAX: ReduceConcat",
    twin="sum_of_concat_other_axis",
    flags={"reassoc"},
)
def sum_of_concat() -> Subst:
    """sum[a](cat[a](x, y))  =>  sum[a](x) + sum[a](y)

    A sum in two parts. If the sum runs along another axis, the parts are not added up but put
    side by side.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    whole = op.Concatenate((x, y))
    total = op.Sum(whole, axis=(None,))
    parts = [op.Sum(part, **pat.same_attr(total)) for part in (x, y)]
    same = total.axis[0] % whole.ndim == whole.axis % whole.ndim
    return Subst(total, parts[0] + parts[1], where=[same])


@rule(
    tags={"reduction", "concatenate", "same-terms", "algebraic-distrib"},
    origin="TensorRight: xla/reduce, rule 02",
    twin="sum_of_concat_of_sums_other_axis",
    flags={"reassoc"},
)
def sum_of_concat_of_sums() -> Subst:
    """sum[a](cat[a](sum[a, keep](x), sum[a, keep](y)))  =>  sum[a](cat[a](x, y))

    Sums of parts need not be formed apart when all is added up in the end.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    parts = [op.Sum(part, axis=(None,), keepdims=True) for part in (x, y)]
    whole = op.Concatenate(tuple(parts))
    total = op.Sum(whole, axis=(None,), keepdims=False)
    axis = whole.axis % whole.ndim
    same = [one.axis[0] % whole.ndim == axis for one in (*parts, total)]
    return Subst(total, op.Sum(op.Concatenate((x, y), axis=axis), axis=(axis,)), where=same)


@rule(
    tags={"reduction", "products", "exact-real-and-int", "algebraic-distrib"},
    origin="TensorRight: xla/reduce, rule 01",
    flags={"ninf", "nsz", "reassoc"},
)
def product_of_sums() -> Subst:
    """sum(x) * sum(y)  =>  sum(expand_dims[1](x) * y) for vectors

    Every element of one with every element of the other.
    """
    x, y = pat.Variable(shape=(None,)), pat.Variable(shape=(None,))
    sums = [op.Sum(vector, axis=(0,), keepdims=False) for vector in (x, y)]
    pairs = op.ExpandDims(x, axis=(1,)) * y
    return Subst(sums[0] * sums[1], op.Sum(pairs, axis=(0, 1)))


@rule(
    tags={"reduction", "transpose", "bit-exact", "identity-elim"},
    origin="TensorRight: xla/reduce, rule 08",
    flags={"nsz"},
)
def sum_of_transposed_unit_axis() -> Subst:
    """sum[a](T[p](x))  =>  squeeze[p[a]](x) for matrices x of size 1 along p[a]

    A sum of one element on an axis that was moved: removing it where it came from needs no
    transposition.
    """
    x = pat.Variable(shape=(None, None))
    moved = op.Transpose(x)
    total = op.Sum(moved, axis=(None,), keepdims=False)
    origin = moved.axes[total.axis[0]]
    return Subst(total, op.Squeeze(x, axis=(origin,)), where=[x.shape[origin] == 1])


@rule(
    tags={"reduction", "expand-dims", "bit-exact", "fusion"},
    origin="onnxoptimizer: fuse_consecutive_reduce_unsqueeze.h",
    twin="reshape_of_mean_any_shape",
    flags=(),
)
def expand_dims_of_mean() -> Subst:
    """expand_dims[a](mean[a](x))  =>  mean[a, keep](x)

    The axes that disappear are counted in x, those that appear in the result, which has the rank
    of x again: equal attributes mean equal axes.
    """
    x = pat.Wildcard()
    average = op.Mean(x, keepdims=False)
    expanded = op.ExpandDims(average, axis=average.axis)
    return Subst(expanded, op.Mean(x, axis=average.axis, keepdims=True))


@rule(
    tags={"reduction", "lowering", "exact-real"},
    origin="TVM Relay: SimplifyInference",
    twin="mean_as_sum_by_first_axis",
    flags={"ninf"},
)
def mean_as_sum() -> Subst:
    """mean[a](x)  =>  sum[a](x) / n with n the product of the sizes of the axes a

    The definition. The sizes are known when the rule is applied, so that n is a constant.
    """
    x = pat.Wildcard()
    average = op.Mean(x)
    count = attr.Product(lambda i: x.shape[average.axis[i]], length=attr.Length(average.axis))
    return Subst(average, op.Sum(x, **pat.same_attr(average)) / count)


@rule(
    tags={"reduction", "scale", "exact-real-and-int", "algebraic-distrib"},
    origin="TensorRight: xla/reduce, rule 03",
    twin="product_of_scaled",
    flags={"ninf", "nsz", "reassoc"},
)
def sum_of_scaled() -> Subst:
    """sum(x * c)  =>  sum(x) * c for a constant c of rank 0

    A common factor of all summands, also of integers that wrap.
    """
    x, c = pat.Wildcard(), pat.Const(shape=())
    total = op.Sum(x * c)
    return Subst(total, op.Sum(x, **pat.same_attr(total)) * c)


@rule(
    tags={"reduction", "scale", "bit-exact", "algebraic-distrib"},
    origin="Enzyme-JAX: ReduceMaxMinMulPositiveScalar",
    twin="argmax_of_scaled_any_sign",
    flags={"ninf", "nsz"},
)
def max_of_scaled() -> Subst:
    """max(x * c)  =>  max(x) * c for floats and a constant c > 0 of rank 0

    A positive factor keeps the order. A negative one turns it around, and a product of integers
    may wrap.
    """
    x, c = pat.Wildcard(), pat.Const(shape=())
    largest = op.Max(x * c)
    target = op.Max(x, **pat.same_attr(largest)) * c
    return Subst(largest, target, where=[c.value > 0, attr.In(x.dtype, FLOATS)])


@rule(
    tags={"reduction", "negation", "bit-exact", "algebraic-distrib"},
    origin="textbook: duality of argmax and argmin",
    twin="argmax_of_negative_any_dtype",
    flags=(),
)
def argmax_of_negative() -> Subst:
    """argmax(-x)  =>  argmin(x) for floats

    Negation turns the order around and keeps equal elements equal, of which the first counts on
    both sides. The smallest integer would stay the smallest.
    """
    x = pat.Wildcard()
    place = op.Argmax(-x)
    target = op.Argmin(x, **pat.same_attr(place))
    return Subst(place, target, where=[attr.In(x.dtype, FLOATS)])


@rule(
    tags={"softmax", "exponential", "exact-real", "fusion"},
    origin="onnxoptimizer: fuse_consecutive_log_softmax.h",
    twin="log_softmax_default_axis",
    flags={"ninf", "afn"},
)
def log_softmax_from_softmax() -> Subst:
    """log(softmax[a](x))  =>  log_softmax[a](x)

    The definition, along the same axis.
    """
    x = pat.Wildcard()
    powers = op.Softmax(x)
    return Subst(op.Log(powers), op.LogSoftmax(x, axis=powers.axis))


@rule(
    tags={"softmax", "exact-real", "identity-elim"},
    origin="PyTorch Inductor: mul_softmax_pattern, the stabilising shift",
    twin="softmax_of_shifted_any_shape",
    flags={"nnan", "reassoc"},
)
def softmax_of_shifted() -> Subst:
    """softmax[a](x + c)  =>  softmax[a](x) for a constant c of rank 0

    Every exponential and their sum get the factor exp(c), which cancels. A shift that differs
    along the axis does not.
    """
    x, c = pat.Wildcard(), pat.Const(shape=())
    powers = op.Softmax(x + c)
    return Subst(powers, op.Softmax(x, axis=powers.axis))


@rule(
    tags={"softmax", "reduction", "scale", "exact-real", "algebraic-distrib"},
    origin="PyTorch Inductor: mul_softmax_pattern",
    twin="shift_of_scaled_any_factor",
    flags={"ninf", "nsz", "reassoc"},
)
def shift_of_scaled() -> Subst:
    """x * c - max[a, keep](x * c)  =>  (x - max[a, keep](x)) * c for floats and a constant c >= 0

    The shift of a softmax before its factor, which keeps the order. Products that overflow give NaN
    in the source only, so that nothing is promised about it.
    """
    x, c = pat.Wildcard(), pat.Const(shape=())
    scaled = x * c
    largest = op.Max(scaled, axis=(None,), keepdims=True)
    target = (x - op.Max(x, **pat.same_attr(largest))) * c
    return Subst(scaled - largest, target, where=[c.value >= 0, attr.In(x.dtype, FLOATS)])
