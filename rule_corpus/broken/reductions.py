"""Reductions gone wrong: axes that were renumbered, and what does not move past an extremum."""

from gsl import Subst, attr, op, pat, rule


def is_cube(x: pat.Pattern) -> attr.Term:
    """Return the condition that all sizes are equal, so that no shape tells axes apart."""
    return attr.All(lambda i: x.shape[i] == x.shape[0], length=x.ndim)


@rule(
    tags={"reduction", "fusion"},
    origin="onnxoptimizer: onnxopt-squeeze-neg, for reductions",
    expect="GSL401",
    twin="sum_of_sum",
)
def sum_of_sum_unshifted() -> Subst:
    """sum[b](sum[a](x))  =>  sum[(a, b)](x), a other than b, all sizes equal

    After axis a has gone, b means another axis of x. Equal sizes leave only the values to tell.
    """
    x = pat.Wildcard()
    inner = op.Sum(x, axis=(None,), keepdims=False)
    outer = op.Sum(inner, axis=(None,), keepdims=False)
    a, b = inner.axis[0], outer.axis[0]
    target = op.Sum(x, axis=(a, b))
    return Subst(outer, target, where=[is_cube(x), a % x.ndim != b % x.ndim])


@rule(
    tags={"reduction", "transpose", "data-movement"},
    origin="mutation of sum_of_transpose: the axes as they were",
    expect="GSL401",
    twin="sum_of_transpose",
)
def sum_of_transpose_same_axes() -> Subst:
    """sum[a](T[p](x))  =>  sum[a](x) for square matrices

    The rows of a transposed matrix are columns of the matrix itself. In a square one they are as
    long.
    """
    x = pat.Wildcard()
    total = op.Sum(op.Transpose(x), axis=(None,), keepdims=False)
    target = op.Sum(x, **pat.same_attr(total))
    return Subst(total, target, where=[x.ndim == 2, is_cube(x)])


@rule(
    tags={"reduction", "concatenate", "algebraic-distrib"},
    origin="Enzyme-JAX: enzyme-reduce-concat",
    expect="GSL301",
    twin="sum_of_concat",
)
def sum_of_concat_other_axis() -> Subst:
    """sum[b](cat[a](x, y))  =>  sum[b](x) + sum[b](y) for x and y of one shape

    Partial results are combined without asking along which axis (commit a2c0eb333 mends their
    type). If b is not a, they lie side by side.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    total = op.Sum(op.Concatenate((x, y)), axis=(None,))
    parts = [op.Sum(part, **pat.same_attr(total)) for part in (x, y)]
    return Subst(total, parts[0] + parts[1], where=[x.shape == y.shape])


@rule(
    tags={"reduction", "reshape", "fusion"},
    origin="OpenVINO: openvino-reducereshape",
    expect="GSL301",
    twin="expand_dims_of_mean",
)
def reshape_of_mean_any_shape() -> Subst:
    """reshape[s](mean[a](x))  =>  mean[a, keep](x)

    Any reshape was taken for one that restores the reduced axes (openvino#16712).
    """
    x = pat.Wildcard()
    average = op.Mean(x, keepdims=False)
    target = op.Mean(x, axis=average.axis, keepdims=True)
    return Subst(op.Reshape(average), target)


@rule(
    tags={"reduction", "lowering"},
    origin="mutation of mean_as_sum: one axis counted",
    expect="GSL401",
    twin="mean_as_sum",
)
def mean_as_sum_by_first_axis() -> Subst:
    """mean[a](x)  =>  sum[a](x) / n with n the size of the first of the axes a

    Right for a single axis, and wherever the others have size 1.
    """
    x = pat.Wildcard()
    average = op.Mean(x)
    count = x.shape[average.axis[0]]
    return Subst(average, op.Sum(x, **pat.same_attr(average)) / count, where=[x.ndim >= 1])


@rule(
    tags={"reduction", "scale", "algebraic-distrib"},
    origin="tinygrad: tinygrad-reduce-max-add, for products",
    expect="GSL401",
    twin="sum_of_scaled",
)
def product_of_scaled() -> Subst:
    """prod(x * c)  =>  prod(x) * c for a constant c of rank 0

    A rule for sums applied to another reduction (tinygrad#13406): the factor comes out once for
    every element.
    """
    x, c = pat.Wildcard(), pat.Const(shape=())
    total = op.Prod(x * c)
    return Subst(total, op.Prod(x, **pat.same_attr(total)) * c)


@rule(
    tags={"reduction", "scale", "algebraic-distrib"},
    origin="TVM Relay: tvm-relay-dqargfunc",
    expect="GSL401",
    twin="max_of_scaled",
)
def argmax_of_scaled_any_sign() -> Subst:
    """argmax(x * c)  =>  argmax(x) for floats and a constant c of rank 0

    SimplifyDQArgFunc drops the scale of a dequantised tensor, in the last release. A negative one
    turns the order around and 0 removes it.
    """
    x, c = pat.Wildcard(), pat.Const(shape=())
    place = op.Argmax(x * c)
    floating = attr.In(x.dtype, ("float16", "float32", "float64"))
    return Subst(place, op.Argmax(x, **pat.same_attr(place)), where=[floating])


@rule(
    tags={"reduction", "negation", "integers", "algebraic-distrib"},
    origin="mutation of argmax_of_negative: the dtype is not asked for",
    expect="GSL401",
    twin="argmax_of_negative",
)
def argmax_of_negative_any_dtype() -> Subst:
    """argmax(-x)  =>  argmin(x)

    -(-128) is -128 in int8: the smallest integer is the smallest on both sides.
    """
    x = pat.Wildcard()
    place = op.Argmax(-x)
    return Subst(place, op.Argmin(x, **pat.same_attr(place)))


@rule(
    tags={"softmax", "exponential", "fusion"},
    origin="onnxoptimizer: onnxopt-logsoftmax-default",
    expect="GSL401",
    twin="log_softmax_from_softmax",
)
def log_softmax_default_axis() -> Subst:
    """log(softmax[a](x))  =>  log_softmax[-1](x)

    The axis of the source is not read; the default is right for most networks.
    """
    x = pat.Wildcard()
    return Subst(op.Log(op.Softmax(x)), op.LogSoftmax(x))


@rule(
    tags={"softmax", "identity-elim"},
    origin="mutation of softmax_of_shifted: constants of any shape",
    expect="GSL401",
    twin="softmax_of_shifted",
)
def softmax_of_shifted_any_shape() -> Subst:
    """softmax[a](x + c)  =>  softmax[a](x) for a constant c that does not broadcast x

    A shift cancels only if it is the same for all elements along the axis.
    """
    x, c = pat.Wildcard(), pat.Const()
    shifted = x + c
    powers = op.Softmax(shifted)
    target = op.Softmax(x, axis=powers.axis)
    return Subst(powers, target, where=[shifted.shape == x.shape])


@rule(
    tags={"reduction", "concatenate", "algebraic-distrib"},
    origin="TensorRight: xla/reduce, rule 02, without its condition on the axes",
    expect="GSL301",
    twin="sum_of_concat_of_sums",
)
def sum_of_concat_of_sums_other_axis() -> Subst:
    """sum[a](cat[a](sum[b, keep](x), sum[b, keep](y)))  =>  sum[a](cat[a](x, y)), x and y alike

    Sums along another axis stay undone in the target.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    first = op.Sum(x, axis=(None,), keepdims=True)
    second = op.Sum(y, axis=first.axis, keepdims=True)
    whole = op.Concatenate((first, second))
    total = op.Sum(whole, axis=(whole.axis,), keepdims=False)
    target = op.Sum(op.Concatenate((x, y), axis=whole.axis), axis=(whole.axis,))
    return Subst(total, target, where=[x.shape == y.shape])


@rule(
    tags={"reduction", "concatenate", "algebraic-distrib"},
    origin="Enzyme-JAX: enzyme-reduce-concat",
    expect="GSL301",
    twin="sum_of_concat",
)
def sum_of_concat_without_keepdims() -> Subst:
    """sum[a, keep](cat[a](x, y))  =>  sum[a](x) + sum[a](y)

    Partial results were combined as they come, and not in the type of the result (Enzyme-JAX,
    commit a2c0eb333): here the reduced axis is not kept.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    whole = op.Concatenate((x, y))
    total = op.Sum(whole, axis=(None,), keepdims=True)
    parts = [op.Sum(part, axis=total.axis, keepdims=False) for part in (x, y)]
    same = total.axis[0] % whole.ndim == whole.axis % whole.ndim
    return Subst(total, parts[0] + parts[1], where=[same])


@rule(
    tags={"reduction", "concatenate", "slice", "lattice", "algebraic-distrib"},
    origin="Enzyme-JAX: enzyme-reduce-slice-empty",
    expect="GSL303",
    twin="max_of_concat",
)
def max_of_slices_any_length() -> Subst:
    """max(cat(x[b:m], x[m:e]))  =>  maximum(max(x[b:m]), max(x[m:e])) for vectors

    ReduceSliceFusion forgot that a slice may be empty (EnzymeAD/Enzyme-JAX#2706), the other way
    round: of two adjacent slices one may have nothing to take the maximum of.
    """
    x = pat.Wildcard()
    one = op.StridedSlice(x, strides=(1,))
    two = op.StridedSlice(x, begin=one.end, strides=(1,))
    largest = op.Max(op.Concatenate((one, two), axis=0), axis=(0,))
    parts = [op.Max(part, **pat.same_attr(largest)) for part in (one, two)]
    return Subst(largest, op.Maximum(*parts), where=[x.ndim == 1])
