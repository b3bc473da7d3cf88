"""Moves past padding, flips and reductions gone wrong: sides, orders, axes, kinds of elements."""

from gsl import Subst, op, pat, rule

MOVE = {"data-movement"}


@rule(
    tags=MOVE | {"padding", "flip"},
    origin="textbook: a reversed padding, one mistake away",
    expect="GSL401",
    twin="flip_of_pad",
)
def flip_of_pad_same_widths() -> Subst:
    """flip[a](pad{q, v}(x))  =>  pad{q, v}(flip[a](x))

    Front and back change places with the elements.
    """
    x = pat.Wildcard()
    padded = op.Pad(x)
    turned = op.Flip(padded)
    return Subst(turned, op.Pad(op.Flip(x, axis=turned.axis), **pat.same_attr(padded)))


@rule(
    tags=MOVE | {"padding", "transpose"},
    origin="Enzyme-JAX: TransposePad, one mistake away",
    expect="GSL301",
    twin="transpose_of_pad",
)
def transpose_of_pad_same_widths() -> Subst:
    """T[p](pad{q, v}(x))  =>  pad{q, v}(T[p](x))

    The widths are those of the axes of x, not of the permuted ones.
    """
    x = pat.Wildcard()
    padded = op.Pad(x)
    moved = op.Transpose(padded)
    inside = op.Transpose(x, axes=moved.axes)
    return Subst(moved, op.Pad(inside, **pat.same_attr(padded)))


@rule(
    tags={"padding", "negation"},
    origin="Enzyme-JAX: ElementwisePad, one mistake away",
    expect="GSL401",
    twin="negative_of_pad",
)
def negative_of_pad_same_value() -> Subst:
    """-pad{q, v}(x)  =>  pad{q, v}(-x)

    The padding is negated, too: it stays as it is only if it is zero.
    """
    x = pat.Wildcard()
    padded = op.Pad(x)
    return Subst(-padded, op.Pad(-x, **pat.same_attr(padded)))


@rule(
    tags={"padding", "algebra"},
    origin="Enzyme-JAX: MulZeroPad, for another operator",
    expect="GSL401",
    twin="multiply_zero_pad",
)
def add_to_zero_pad() -> Subst:
    """pad{0}(x) + y  =>  pad{0}(x + y[p:p + n]) for y of the padded shape

    Zero times anything is zero, but zero plus y is y.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    padded = op.Pad(x, pad_width=(1, 1), pad_value=0.0)
    met = op.StridedSlice(y, begin=(1,), end=(1 + x.shape[0],))
    target = op.Pad(x + met, pad_width=(1, 1), pad_value=0.0)
    return Subst(padded + y, target, where=[padded.shape == y.shape])


@rule(
    tags=MOVE | {"flip", "concatenate"},
    origin="XLA: HandleReverse, one mistake away",
    expect="GSL401",
    twin="flip_of_concat",
)
def flip_of_concat_same_order() -> Subst:
    """flip[a](cat[a](x, y))  =>  cat[a](flip[a](x), flip[a](y))

    Read from behind, y comes first.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    whole = op.Concatenate((x, y))
    turned = op.Flip(whole)
    fields = op.Flip(x, axis=turned.axis), op.Flip(y, axis=turned.axis)
    same = turned.axis % whole.ndim == whole.axis % whole.ndim
    return Subst(turned, op.Concatenate(fields, axis=whole.axis), where=[same])


@rule(
    tags=MOVE | {"flip"},
    origin="TensorRight: xla/reverse, rule 01, one mistake away",
    expect="GSL401",
    twin="flip_of_unit_axis",
)
def flip_of_pairs() -> Subst:
    """flip[a](x)  =>  x if x has at most two elements along a

    Two elements change places.
    """
    x = pat.Wildcard()
    turned = op.Flip(x)
    return Subst(turned, x, where=[x.shape[turned.axis] <= 2])


@rule(
    tags=MOVE | {"reshape", "transpose"},
    origin="XLA: TransposeIsBitcast, one mistake away",
    expect="GSL401",
    twin="transpose_as_reshape",
)
def transpose_with_unit_axis_as_reshape() -> Subst:
    """T[2, 1, 0](x)  =>  reshape[s](x), s the permuted shape, if the first axis has size 1

    The other two change places as well.
    """
    x = pat.Wildcard()
    moved = op.Transpose(x, axes=(2, 1, 0))
    return Subst(moved, op.Reshape(x, shape=moved.shape), where=[x.shape[0] == 1])


@rule(
    tags={"transpose", "softmax", "data-movement"},
    origin="Enzyme-JAX: transposes past operators, one mistake away",
    expect="GSL401",
    twin="softmax_of_transpose",
)
def softmax_of_transpose_same_axis() -> Subst:
    """softmax[a](T[p](x))  =>  T[p](softmax[a](x))

    Axis a of the transposed tensor is axis p[a] of x.
    """
    x = pat.Wildcard()
    moved = op.Transpose(x)
    powers = op.Softmax(moved)
    inside = op.Softmax(x, axis=powers.axis)
    return Subst(powers, op.Transpose(inside, axes=moved.axes))


@rule(
    tags={"reduction", "flip", "identity-elim"},
    origin="XLA: HandleReduce, one mistake away",
    expect="GSL401",
    twin="sum_of_flip",
)
def sum_of_flip_other_axis() -> Subst:
    """sum[a](flip[b](x))  =>  sum[a](x)

    The sums are reversed if a and b differ.
    """
    x = pat.Wildcard()
    total = op.Sum(op.Flip(x), axis=(None,))
    return Subst(total, op.Sum(x, **pat.same_attr(total)))


@rule(
    tags={"reduction", "flip", "lattice", "identity-elim"},
    origin="XLA: HandleReduce, reduce of reverse, claimed for every bit",
    expect="GSL406",
    nan="same",
    twin="max_of_flip",
)
def max_of_flip_keeps_zeros() -> Subst:
    """max[a](flip[a](x))  =>  max[a](x), claimed for every bit of the result

    Positive and negative zeros are equal. Which of them becomes the maximum depends on the order
    in which they are read.
    """
    x = pat.Wildcard()
    turned = op.Flip(x)
    largest = op.Max(turned, axis=(None,))
    same = largest.axis[0] % x.ndim == turned.axis % x.ndim
    return Subst(largest, op.Max(x, **pat.same_attr(largest)), where=[same])


@rule(
    tags={"reduction", "flip", "argument", "identity-elim"},
    origin="XLA: HandleReduce, one mistake away",
    expect="GSL401",
    twin="max_of_flip",
)
def argmax_of_flip() -> Subst:
    """argmax[a](flip[a](x))  =>  argmax[a](x)

    The largest element stays, its place does not.
    """
    x = pat.Wildcard()
    turned = op.Flip(x)
    place = op.Argmax(turned)
    same = place.axis % x.ndim == turned.axis % x.ndim
    return Subst(place, op.Argmax(x, **pat.same_attr(place)), where=[same])


@rule(
    tags={"reduction", "negation", "algebraic-distrib"},
    origin="textbook: duality of maximum and minimum, one mistake away",
    expect="GSL401",
    twin="max_of_negative",
)
def max_of_negative_any_dtype() -> Subst:
    """max(-x)  =>  -min(x)

    The smallest integer is its own negative: max(-(-128), 0) is 0, while -min(-128, 0) is -128.
    """
    x = pat.Wildcard()
    largest = op.Max(-x)
    return Subst(largest, -op.Min(x, **pat.same_attr(largest)))


@rule(
    tags={"reduction", "padding"},
    origin="Enzyme-JAX: enzyme-negpad, for the value of the padding",
    expect="GSL401",
    twin="max_of_lowest_pad",
)
def max_of_padded_zeros() -> Subst:
    """max(pad{0}(x))  =>  max(x) for x that is not empty

    Zero is the neutral element of sums. It is larger than any negative number.
    """
    x = pat.Wildcard()
    largest = op.Max(op.Pad(x, pad_value=0.0), axis=(0,))
    target = op.Max(x, **pat.same_attr(largest))
    return Subst(largest, target, where=[x.ndim == 1, x.shape[0] >= 1])


@rule(
    tags={"pool", "identity", "identity-elim"},
    origin="MLIR TOSA: MaxPool2dIsNoOp, one mistake away",
    expect="GSL301",
    twin="max_pool_of_one",
)
def max_pool_of_one_any_stride() -> Subst:
    """max_pool2d{1x1, no padding}(x)  =>  x

    At strides larger than 1 elements are left out.
    """
    x = pat.Wildcard()
    return Subst(op.MaxPool2D(x, pool_size=(1, 1), padding=(0, 0, 0, 0)), x)


@rule(
    tags={"reduction", "relu", "algebraic-distrib"},
    origin="textbook: monotone functions, for the wrong reduction",
    expect="GSL401",
    twin="max_of_relu",
)
def sum_of_relu() -> Subst:
    """sum(relu(x))  =>  relu(sum(x))

    Relu is monotone but not linear.
    """
    x = pat.Wildcard()
    total = op.Sum(op.Relu(x))
    return Subst(total, op.Relu(op.Sum(x, **pat.same_attr(total))))
