"""Slices of what other operators have put together, turned around or computed."""

from gsl import Subst, attr, op, pat, rule

SLICE = {"data-movement", "slice", "bit-exact"}


def moved_along(axis: attr.Term, values: attr.Term, by: attr.Term, rank: attr.Term) -> attr.Term:
    """Return positions on all axes with that on `axis`, counted from the front, reduced by `by`."""
    return attr.Variadic(lambda i: attr.Cond(i == axis, values[i] - by, values[i]), length=rank)


def replaced_along(
    axis: attr.Term, values: attr.Term, value: attr.Term | int, rank: attr.Term
) -> attr.Term:
    """Return positions on all axes with `value` on `axis`, which is counted from the front."""
    return attr.Variadic(lambda i: attr.Cond(i == axis, value, values[i]), length=rank)


@rule(
    tags=SLICE | {"identity"},
    origin="TensorRight: xla/slice, rule 01",
    flags=(),
    twin="slice_from_start",
)
def slice_of_everything() -> Subst:
    """x[0:n:1]  =>  x with n the sizes of x

    A slice of the shape of x at stride 1 has to begin at 0. At a larger stride it could not have
    the shape, unless an axis has size 1 or less, along which the stride is not used.
    """
    x = pat.Wildcard()
    part = op.StridedSlice(x)
    return Subst(part, x, where=[part.shape == x.shape])


@rule(
    tags=SLICE | {"concatenate"},
    origin="TensorRight: xla/slice, rule 10",
    flags=(),
)
def slice_of_concat_in_first() -> Subst:
    """cat[a](x, y)[b:e:s]  =>  x[b:e:s] when e[a] <= n, the size of x along a

    What ends before y begins reads x only, where the positions are the same.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    whole = op.Concatenate((x, y))
    part = op.StridedSlice(whole)
    target = op.StridedSlice(x, **pat.same_attr(part))
    return Subst(part, target, where=[part.end[whole.axis] <= x.shape[whole.axis]])


@rule(
    tags=SLICE | {"concatenate"},
    origin="TensorRight: xla/slice, rule 08",
    flags=(),
)
def slice_of_concat_at_border() -> Subst:
    """cat[a](x, y)[b:e:s]  =>  y[b':e':s] with b'[a] = 0 when b[a] = n, the size of x along a

    What begins where y begins; the other axes may be sliced in any way.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    whole = op.Concatenate((x, y))
    part = op.StridedSlice(whole)
    axis, size = whole.axis % whole.ndim, x.shape[whole.axis]
    begin = replaced_along(axis, part.begin, 0, whole.ndim)
    end = moved_along(axis, part.end, size, whole.ndim)
    target = op.StridedSlice(y, begin=begin, end=end, strides=part.strides)
    return Subst(part, target, where=[part.begin[whole.axis] == size])


@rule(
    tags=SLICE | {"concatenate"},
    origin="TensorRight: xla/slice, rule 12",
    nan="same",
)
def slice_of_last_two_of_three() -> Subst:
    """cat[a](x, y, z)[b:e:s]  =>  cat[a](y, z)[b':e':s] with b'[a] = b[a] - n when b[a] >= n

    n is the size of x along a. Nothing of x is read, so it need not be put in front.
    """
    x, y, z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    whole = op.Concatenate((x, y, z))
    part = op.StridedSlice(whole)
    axis, size = whole.axis % whole.ndim, x.shape[whole.axis]
    begin = moved_along(axis, part.begin, size, whole.ndim)
    end = moved_along(axis, part.end, size, whole.ndim)
    rest = op.Concatenate((y, z), axis=whole.axis)
    target = op.StridedSlice(rest, begin=begin, end=end, strides=part.strides)
    return Subst(part, target, where=[part.begin[whole.axis] >= size])


@rule(
    tags=SLICE | {"concatenate"},
    origin="Enzyme-JAX: SliceConcat",
    nan="same",
    twin="slice_of_concat_across_any_stride",
)
def slice_of_concat_across() -> Subst:
    """cat[a](x, y)[b:e]  =>  cat[a](x[b:n], y[0:e - n]) when b[a] <= n <= e[a], at stride 1 along a

    n is the size of x along a. At a larger stride the first element read of y need not be its
    first one.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    whole = op.Concatenate((x, y))
    part = op.StridedSlice(whole)
    axis, size = whole.axis % whole.ndim, x.shape[whole.axis]
    first_end = replaced_along(axis, part.end, size, whole.ndim)
    first = op.StridedSlice(x, begin=part.begin, end=first_end, strides=part.strides)
    begin = replaced_along(axis, part.begin, 0, whole.ndim)
    end = moved_along(axis, part.end, size, whole.ndim)
    second = op.StridedSlice(y, begin=begin, end=end, strides=part.strides)
    across = (part.begin[whole.axis] <= size) & (size <= part.end[whole.axis])
    target = op.Concatenate((first, second), axis=whole.axis)
    return Subst(part, target, where=[across, part.strides[whole.axis] == 1])


@rule(
    tags=SLICE | {"padding"},
    origin="TensorRight: xla/slice, rule 04",
    flags=(),
    twin="slice_of_pad_shape_only",
)
def slice_undoes_pad() -> Subst:
    """pad{p, q}(x)[p:p + n]  =>  x with n the sizes of x

    Exactly what the padding has put around x is cut away. The shape alone does not tell: as much
    could be cut away elsewhere, or every other element be read, half of them padding.
    """
    x = pat.Wildcard()
    padded = op.Pad(x)
    part = op.StridedSlice(padded)

    def exact(i: attr.Term) -> attr.Term:
        before = padded.pad_width[2 * i]
        return (part.begin[i] == before) & (part.end[i] == before + x.shape[i])

    bounds = attr.All(exact, length=x.ndim)
    return Subst(part, x, where=[bounds, part.shape == x.shape])


@rule(
    tags=SLICE | {"padding", "create"},
    origin="TensorRight: xla/slice, rule 05",
    flags=(),
)
def slice_of_padding() -> Subst:
    """pad{p, q, v}(x)[b:e:s]  =>  full(v) if the slice lies in front of or behind x on some axis

    Nothing of x is read then. It is enough if that is so on one axis.
    """
    x = pat.Wildcard()
    padded = op.Pad(x)
    part = op.StridedSlice(padded)

    def outside(i: attr.Term) -> attr.Term:
        before = padded.pad_width[2 * i]
        return (part.end[i] <= before) | (part.begin[i] >= before + x.shape[i])

    target = op.Full(shape=part.shape, fill_value=padded.pad_value, dtype=x.dtype)
    return Subst(part, target, where=[attr.Exists(outside, length=x.ndim)])


@rule(
    tags=SLICE | {"flip"},
    origin="Enzyme-JAX: SliceReverse; TensorRight: xla/slice, rule 13, at stride 1",
    flags=(),
    twin="slice_of_flip_same_bounds",
)
def slice_of_flip() -> Subst:
    """flip[a](x)[b:e:s]  =>  flip[a](x[b':e':s]) with b'[a] = n - e[a], e'[a] = n - b[a], s[a] = 1

    Counted from the other end of an axis of size n, begin and end change places. At a larger
    stride the mirrored slice would begin with another element.
    """
    x = pat.Wildcard()
    turned = op.Flip(x)
    part = op.StridedSlice(turned)
    axis, size = turned.axis % x.ndim, x.shape[turned.axis]
    begin = replaced_along(axis, part.begin, size - part.end[turned.axis], x.ndim)
    end = replaced_along(axis, part.end, size - part.begin[turned.axis], x.ndim)
    inside = op.StridedSlice(x, begin=begin, end=end, strides=part.strides)
    target = op.Flip(inside, axis=turned.axis)
    return Subst(part, target, where=[part.strides[turned.axis] == 1])


@rule(
    tags=SLICE | {"elementwise"},
    origin="Enzyme-JAX: SliceElementwise",
    nan="same",
    twin="slice_of_sum_default_strides",
)
def slice_of_sum() -> Subst:
    """(x + y)[b:e:s]  =>  x[b:e:s] + y[b:e:s] for x and y of one shape

    What is not read need not be computed. An operand that is broadcast has other positions.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    part = op.StridedSlice(x + y)
    one, two = (op.StridedSlice(side, **pat.same_attr(part)) for side in (x, y))
    return Subst(part, one + two, where=[x.shape == y.shape])


@rule(tags=SLICE | {"elementwise"}, origin="Enzyme-JAX: SliceElementwise, one operand", flags=())
def slice_of_unary() -> Subst:
    """f{A}(x)[b:e:s]  =>  f{A}(x[b:e:s]) for an element-wise f

    What is not read need not be computed.
    """
    x = pat.Wildcard()
    call = op.trait("unary")(x)
    part = op.StridedSlice(call)
    inside = op.StridedSlice(x, **pat.same_attr(part))
    return Subst(part, op.same(call)(inside, **pat.same_attr(call)))


@rule(
    tags={"slice", "matmul", "same-terms", "data-movement"},
    origin="Enzyme-JAX: SliceDotGeneral",
    flags=(),
)
def slice_of_matmul() -> Subst:
    """(x @ y)[b:e:s]  =>  x[b:e:s, :] @ y[:, b:e:s] for matrices

    Rows of the product are those of x, columns those of y. What is summed over is not sliced.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    product = op.Matmul(x, y)
    part = op.StridedSlice(product)
    inner = x.shape[1]
    rows = op.StridedSlice(
        x, begin=(part.begin[0], 0), end=(part.end[0], inner), strides=(part.strides[0], 1)
    )
    columns = op.StridedSlice(
        y, begin=(0, part.begin[1]), end=(inner, part.end[1]), strides=(1, part.strides[1])
    )
    target = op.Matmul(rows, columns, out_dtype=product.out_dtype)
    return Subst(part, target, where=[x.ndim == 2, y.ndim == 2])


@rule(
    tags=SLICE | {"reshape"},
    origin="AMD MIGraphX: simplify_reshapes, find_reshape_split",
    flags=(),
    twin="reshape_of_slice_flattened",
)
def reshape_of_rows_flattened() -> Subst:
    """reshape[(k * n,)](x[0:k, :])  =>  reshape[(m * n,)](x)[0:k * n] for a matrix (m, n)

    What is cut off along the first axis lies behind what stays.
    """
    x = pat.Wildcard()
    part = op.StridedSlice(x, begin=(0, 0), strides=(1, 1))
    count = part.shape[0] * part.shape[1]
    flat = op.Reshape(part, shape=(count,))
    whole = op.Reshape(x, shape=(x.shape[0] * x.shape[1],))
    target = op.StridedSlice(whole, begin=(0,), end=(count,), strides=(1,))
    return Subst(flat, target, where=[x.ndim == 2, part.shape[1] == x.shape[1]])


@rule(
    tags=SLICE | {"elementwise"},
    origin="Enzyme-JAX: SliceElementwise",
    flags=(),
    twin="slice_of_relu_off_stride",
)
def slice_of_relu_on_stride() -> Subst:
    """relu(x)[b:n:2]  =>  relu(x[0:n:2])[b // 2:(n + 1) // 2:1] for a vector x of size n, b even

    Every second element from 0 on is at an even place, and every such place is met.
    """
    x = pat.Wildcard()
    n = x.shape[0]
    part = op.StridedSlice(op.Relu(x), end=(n,), strides=(2,))
    begin = part.begin[0]
    every = op.Relu(op.StridedSlice(x, begin=(0,), end=(n,), strides=(2,)))
    half = (begin // 2,)
    target = op.StridedSlice(every, begin=half, end=((n + 1) // 2,), strides=(1,))
    return Subst(part, target, where=[x.ndim == 1, begin % 2 == 0, begin >= 0, begin < n])
