"""Slices, rows and repetitions gone wrong: borders, strides, axes of the wrong tensor."""

from gsl import Subst, attr, op, pat, rule

SLICE = {"data-movement", "slice"}


@rule(
    tags=SLICE | {"identity"},
    origin="XLA: HandleSlice, one mistake away",
    expect="GSL301",
    twin="slice_of_everything",
)
def slice_from_start() -> Subst:
    """x[0:e:s]  =>  x

    A slice that begins at the start may end early or leave elements out.
    """
    x = pat.Wildcard()
    part = op.StridedSlice(x)
    starts = attr.All(lambda i: part.begin[i] == 0, length=x.ndim)
    return Subst(part, x, where=[starts])


@rule(
    tags=SLICE | {"concatenate"},
    origin="Enzyme-JAX: SliceConcat, one mistake away",
    expect="GSL401",
    twin="slice_of_concat_across",
)
def slice_of_concat_across_any_stride() -> Subst:
    """cat[0](x, y)[b:e:2]  =>  cat[0](x[b:n:2], y[0:e - n:2]) for vectors, x of even size n

    A slice with a stride need not meet the first element of y: its remainder is not that of n.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    part = op.StridedSlice(op.Concatenate((x, y), axis=0), strides=(2,))
    n, first, last = x.shape[0], part.begin[0], part.end[0]
    one = op.StridedSlice(x, begin=(first,), end=(n,), strides=(2,))
    two = op.StridedSlice(y, begin=(0,), end=(last - n,), strides=(2,))
    across = [first <= n, n <= last, n % 2 == 0, (last - n) % 2 == 0]
    return Subst(part, op.Concatenate((one, two), axis=0), where=[x.ndim == 1, *across])


@rule(
    tags=SLICE | {"padding"},
    origin="TensorRight: xla/slice, rule 04, one mistake away",
    expect="GSL401",
    twin="slice_undoes_pad",
)
def slice_of_pad_shape_only() -> Subst:
    """pad{p}(x)[b:e:s]  =>  x if the slice has the shape of x

    As much may be cut away on the other side.
    """
    x = pat.Wildcard()
    part = op.StridedSlice(op.Pad(x))
    return Subst(part, x, where=[part.shape == x.shape])


@rule(
    tags=SLICE | {"flip"},
    origin="Enzyme-JAX: SliceReverse, one mistake away",
    expect="GSL401",
    twin="slice_of_flip",
)
def slice_of_flip_same_bounds() -> Subst:
    """flip[a](x)[b:e:s]  =>  flip[a](x[b:e:s])

    The positions are counted from the other end afterwards.
    """
    x = pat.Wildcard()
    turned = op.Flip(x)
    part = op.StridedSlice(turned)
    inside = op.StridedSlice(x, **pat.same_attr(part))
    return Subst(part, op.Flip(inside, axis=turned.axis))


@rule(
    tags=SLICE | {"elementwise"},
    origin="Enzyme-JAX: enzyme-slice-elementwise-stride",
    expect="GSL401",
    twin="slice_of_sum",
)
def slice_of_sum_default_strides() -> Subst:
    """(x + y)[b:e:s]  =>  x[b:e:s] + y[b:e] where both have one shape and the slices one element

    One operand is sliced at stride 1. Only its first elements agree, and with a stride that is
    not copied others are read.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    part = op.StridedSlice(x + y)
    one = op.StridedSlice(x, **pat.same_attr(part))
    end = attr.Variadic(lambda i: part.begin[i] + part.shape[i], length=x.ndim)
    two = op.StridedSlice(y, begin=part.begin, end=end)
    return Subst(part, one + two, where=[x.shape == y.shape])


@rule(
    tags={"data-movement", "take", "transpose"},
    origin="TensorRight: xla/dyslice, rule 04, one mistake away",
    expect="GSL301",
    twin="take_of_transpose",
)
def take_of_transpose_same_axis() -> Subst:
    """take[a](T[p](x), i)  =>  T[p](take[a](x, i)) for vectors i

    Axis a of the transposed tensor is another axis of x, so that the rows of another axis are
    chosen.
    """
    x, indices = pat.Wildcard(), pat.Wildcard()
    moved = op.Transpose(x)
    rows = op.Take(moved, indices)
    inside = op.Take(x, indices, axis=rows.axis)
    return Subst(rows, op.Transpose(inside, axes=moved.axes), where=[indices.ndim == 1])


@rule(
    tags={"data-movement", "take"},
    origin="TensorRight: xla/dyslice, rule 05, one mistake away",
    expect="GSL401",
    twin="take_of_take",
)
def take_of_take_exchanged() -> Subst:
    """take[0](take[0](x, i), j)  =>  take[0](x, take[0](j, i)) for vectors i and j of one size

    Composed in the wrong order, which no shape gives away where x has as many rows.
    """
    x, i, j = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    outer = op.Take(op.Take(x, i, axis=0), j, axis=0)
    target = op.Take(x, op.Take(j, i, axis=0), axis=0)
    alike = [i.ndim == 1, j.ndim == 1, i.shape == j.shape, i.shape[0] == x.shape[0]]
    return Subst(outer, target, where=[*alike, i.dtype == j.dtype])


@rule(
    tags={"data-movement", "take", "identity"},
    origin="XLA: HandleGather, one mistake away",
    expect="GSL301",
    twin="take_of_both_rows",
)
def take_of_two_rows_of_more() -> Subst:
    """take[a](x, (0, 1))  =>  x

    An axis may have more rows than two.
    """
    x, indices = pat.Wildcard(), pat.Const((0, 1))
    return Subst(op.Take(x, indices), x)


@rule(
    tags={"data-movement", "broadcast", "flip"},
    origin="TensorRight: xla/broadcast, rule 04, one mistake away",
    expect="GSL401",
    twin="flip_of_broadcast_axis",
)
def flip_of_broadcast_any_axis() -> Subst:
    """flip[a](broadcast[s](x))  =>  broadcast[s](x)

    Only along repeated axes there is nothing to reverse.
    """
    x = pat.Wildcard()
    wide = op.BroadcastTo(x)
    return Subst(op.Flip(wide), wide)


@rule(
    tags={"data-movement", "broadcast", "identity"},
    origin="TVM Relay: EliminateIdentityRewrite, one mistake away",
    expect="GSL301",
    twin="broadcast_to_own_shape",
)
def broadcast_of_same_rank() -> Subst:
    """broadcast[s](x)  =>  x if s has as many axes as x

    Axes of size 1 may be repeated in place.
    """
    x = pat.Wildcard()
    wide = op.BroadcastTo(x)
    return Subst(wide, x, where=[wide.ndim == x.ndim])


@rule(
    tags={"data-movement", "broadcast", "padding"},
    origin="TensorRight: xla/pad, rule 03, one mistake away",
    expect="GSL303",
    twin="pad_of_broadcast",
)
def pad_of_broadcast_any_axis() -> Subst:
    """pad{q, v}(broadcast[s](x))  =>  broadcast[t](pad{q, v}(x)) for x of as many axes

    A repeated axis that is padded has two kinds of elements; padded first, it is not of size 1
    any more.
    """
    x = pat.Wildcard()
    wide = op.BroadcastTo(x)
    padded = op.Pad(wide)
    inside = op.Pad(x, **pat.same_attr(padded))
    return Subst(padded, op.BroadcastTo(inside, shape=padded.shape), where=[x.ndim == wide.ndim])
