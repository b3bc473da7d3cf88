"""Slices, pieces and gathered rows: reading part of what another operator has moved."""

from gsl import Subst, attr, op, pat, rule

SLICE = {"data-movement", "slice"}


@rule(
    tags=SLICE | {"bit-exact"},
    origin="Enzyme-JAX: SliceSlice; TensorRight: xla/slice, rule 07, for all strides",
    twin="slice_slice_scaled_limit",
    flags=(),
)
def slice_slice() -> Subst:
    """x[b:e:s][c:d:t]  =>  x[b + s*c : min(b + s*d, e) : s*t]

    Element k of the outer slice is c + t*k of the inner one and b + s*(c + t*k) of x. The limit
    b + s*d may lie beyond the inner slice when s does not divide its length, hence the minimum;
    with an empty outer slice so may the start.
    """
    x = pat.Wildcard()
    inner = op.StridedSlice(x)
    outer = op.StridedSlice(inner)

    def place(position: attr.Term, i: attr.Term) -> attr.Term:
        return attr.Min(inner.begin[i] + inner.strides[i] * position[i], inner.end[i])

    begin = attr.Variadic(lambda i: place(outer.begin, i), length=x.ndim)
    end = attr.Variadic(lambda i: place(outer.end, i), length=x.ndim)
    strides = attr.Variadic(lambda i: inner.strides[i] * outer.strides[i], length=x.ndim)
    return Subst(outer, op.StridedSlice(x, begin=begin, end=end, strides=strides))


@rule(
    tags=SLICE | {"transpose", "bit-exact"},
    origin="Enzyme-JAX: SliceTranspose",
    twin="slice_of_transpose_forward",
    flags=(),
)
def slice_of_transpose() -> Subst:
    """T[p](x)[b:e:s]  =>  T[p](x[b':e':s']) with b'[p[i]] = b[i], and e', s' likewise

    Axis j of x is the axis i of the transposed tensor for which p[i] = j: the bounds are permuted
    by the inverse of p.
    """
    x = pat.Wildcard()
    moved = op.Transpose(x)
    part = op.StridedSlice(moved)

    place = attr.inverse(moved.axes)

    def back(values: attr.Term) -> attr.Term:
        return attr.Variadic(lambda j: values[place[j]], length=x.ndim)

    begin, end, strides = back(part.begin), back(part.end), back(part.strides)
    inside = op.StridedSlice(x, begin=begin, end=end, strides=strides)
    return Subst(part, op.Transpose(inside, axes=moved.axes))


@rule(
    tags=SLICE | {"concatenate", "bit-exact"},
    origin="TensorRight: xla/slice, rule 11",
    twin="slice_of_concat_negative_axis",
    flags=(),
)
def slice_of_concat_in_second() -> Subst:
    """cat[a](x, y)[b:e:s]  =>  y[b - n:e - n:s] along a, when b[a] >= n, the size of x along a

    What begins behind x reads y from the start of y. Only the bounds of axis a move; it has to be
    counted from the front to be found among the axes.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    whole = op.Concatenate((x, y))
    part = op.StridedSlice(whole)
    axis, size = whole.axis % whole.ndim, x.shape[whole.axis]

    def shifted(values: attr.Term) -> attr.Term:
        return attr.Variadic(
            lambda i: attr.Cond(i == axis, values[i] - size, values[i]), length=whole.ndim
        )

    begin, end = shifted(part.begin), shifted(part.end)
    target = op.StridedSlice(y, begin=begin, end=end, strides=part.strides)
    return Subst(part, target, where=[part.begin[whole.axis] >= size])


@rule(
    tags=SLICE | {"concatenate", "bit-exact"},
    origin="Glow: combineConcatSlices; TensorRight: xla/concat, rule 04",
    twin="concat_of_slices_unordered",
    flags=(),
)
def concat_of_slices() -> Subst:
    """cat[a](x[b:m], x[m:e])  =>  x[b:e], cut along a only and at stride 1

    The second slice has to begin where the first ends. On the other axes both read the same range,
    at any stride.
    """
    x = pat.Wildcard()
    one, two = op.StridedSlice(x), op.StridedSlice(x)
    whole = op.Concatenate((one, two))
    axis = whole.axis % x.ndim
    steps = (one.strides == two.strides) & (one.strides[axis] == 1)
    others = attr.All(
        lambda i: (i == axis) | ((one.begin[i] == two.begin[i]) & (one.end[i] == two.end[i])),
        length=x.ndim,
    )
    end = attr.Variadic(lambda i: attr.Cond(i == axis, two.end[i], one.end[i]), length=x.ndim)
    target = op.StridedSlice(x, begin=one.begin, end=end, strides=one.strides)
    return Subst(whole, target, where=[steps, others, one.end[axis] == two.begin[axis]])


@rule(
    tags={"data-movement", "split", "elementwise", "multiple-outputs", "bit-exact"},
    origin="Glow: HoistTanhAboveSplit, for any element-wise operator",
    flags=(),
)
def unary_of_pieces() -> Subst:
    """f{A}(split(x).0), f{A}(split(x).1)  =>  split(f{A}(x)).0, split(f{A}(x)).1

    One call on the whole instead of one on each piece; both must be the same function with the
    same attributes.
    """
    x = pat.Wildcard()
    pieces = op.Split(x)
    one = op.trait("unary")(pieces[0])
    two = op.same(one)(pieces[1], **pat.same_attr(one))
    whole = op.Split(op.same(one)(x, **pat.same_attr(one)), **pat.same_attr(pieces))
    return Subst([one, two], [whole[0], whole[1]])


@rule(
    tags={"data-movement", "take", "split", "multiple-outputs", "bit-exact"},
    origin="ONNX Runtime: GatherToSplit",
    twin="take_each_row_of_more",
    flags=(),
)
def take_each_row() -> Subst:
    """take[a](x, 0), take[a](x, 1)  =>  squeeze[a](split[a; 2](x).0), squeeze[a](split[a; 2](x).1)

    An index of rank 0 removes the axis. Every row has to be taken once: of an axis longer than 2
    the halves are no rows.
    """
    x = pat.Wildcard()
    one = op.Take(x, pat.Const(0))
    two = op.Take(x, pat.Const(1), axis=one.axis)
    halves = op.Split(x, indices_or_sections=2, axis=one.axis)
    rows = [op.Squeeze(halves[i], axis=(one.axis,)) for i in (0, 1)]
    return Subst([one, two], rows, where=[x.shape[one.axis] == 2])


@rule(
    tags={"data-movement", "take", "matmul", "same-terms"},
    origin="TVM Relax: ReorderTakeAfterMatmul",
    twin="take_after_matmul_any_rank",
    flags=(),
)
def take_after_matmul() -> Subst:
    """x @ take[1](w, i)  =>  take[-1](x @ w, i) for matrices w and vectors i

    Choosing columns of w chooses columns of the product. A vector w would lose the axis of the
    sum, and indices of rank 2 turn the rows of w into a batch. The product is converted as before.
    """
    x, w, indices = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    columns = op.Take(w, indices)
    product = op.Matmul(x, columns)
    whole = op.Matmul(x, w, out_dtype=product.out_dtype)
    ranks = [w.ndim == 2, indices.ndim == 1, columns.axis % w.ndim == 1]
    return Subst(product, op.Take(whole, indices, axis=-1), where=ranks)


@rule(
    tags={"data-movement", "take", "bit-exact"},
    origin="XLA: HandleDynamicSlice, nested dynamic slices",
    flags=(),
    twin="window_of_window_clamped_as_one",
)
def take_of_window() -> Subst:
    """take[a](take[a](x, i + arange(m)), j)  =>  take[a](x, i + j) for i of rank 0

    Row j of a window that begins at i. Dynamic slices clamp their starts so that they stay inside:
    in i the one of the window, in j the one of its part, each with its own bound.
    """
    x, i, j = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    rows = op.Arange(start=0, step=1)
    window = op.Take(x, i + rows)
    part = op.Take(window, j, axis=window.axis)
    target = op.Take(x, i + j, axis=window.axis)
    return Subst(part, target, where=[i.ndim == 0, i.dtype == j.dtype])
