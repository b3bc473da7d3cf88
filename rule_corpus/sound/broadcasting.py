"""Repeated elements: what is computed or chosen from them can be repeated afterwards."""

from gsl import Subst, attr, op, pat, rule

REPEAT = {"data-movement", "broadcast"}


@rule(
    tags=REPEAT | {"algebra", "bit-exact"},
    origin="TensorRight: xla/broadcast, rule 01",
    flags=(),
)
def sum_of_broadcasts() -> Subst:
    """broadcast[s](x) + broadcast[s](y)  =>  broadcast[s](x + y)

    Equal elements have equal sums. What broadcasts to one shape broadcasts to each other.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    one = op.BroadcastTo(x)
    two = op.BroadcastTo(y, shape=one.shape)
    return Subst(one + two, op.BroadcastTo(x + y, shape=one.shape))


@rule(
    tags=REPEAT | {"algebra", "bit-exact"},
    origin="TensorRight: xla/broadcast, rule 02",
    flags=(),
)
def product_of_broadcasts() -> Subst:
    """broadcast[s](x) * broadcast[t](y)  =>  broadcast[u](x * y), u the shape of the product

    As for sums, also where the two shapes are different but broadcast to each other.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    both = op.BroadcastTo(x) * op.BroadcastTo(y)
    return Subst(both, op.BroadcastTo(x * y, shape=both.shape))


@rule(
    tags=REPEAT | {"transpose", "bit-exact"},
    origin="TensorRight: xla/broadcast, rule 03",
    flags=(),
)
def transpose_of_broadcast_scalar() -> Subst:
    """T[p](broadcast[s](x))  =>  broadcast[t](x) for a scalar x, t the permuted s

    All elements are one and the same; only the shape is permuted.
    """
    x = pat.Wildcard()
    moved = op.Transpose(op.BroadcastTo(x))
    return Subst(moved, op.BroadcastTo(x, shape=moved.shape), where=[x.ndim == 0])


@rule(
    tags=REPEAT | {"flip", "bit-exact"},
    origin="TensorRight: xla/broadcast, rule 04",
    flags=(),
)
def flip_of_broadcast_scalar() -> Subst:
    """flip[a](broadcast[s](x))  =>  broadcast[s](x) for a scalar x

    In whichever order they are read, all elements are the same.
    """
    x = pat.Wildcard()
    wide = op.BroadcastTo(x)
    return Subst(op.Flip(wide), wide, where=[x.ndim == 0])


@rule(
    tags=REPEAT | {"flip", "bit-exact"},
    origin="TensorRight: xla/broadcast, rule 04, for one repeated axis",
    flags=(),
    twin="flip_of_broadcast_any_axis",
)
def flip_of_broadcast_axis() -> Subst:
    """flip[a](broadcast[s](x))  =>  broadcast[s](x) if x has size 1 along a

    Both tensors have one rank, so that axis a is the same axis of x, from whichever end it is
    counted. It is the repeated axis alone that has nothing to reverse.
    """
    x = pat.Wildcard()
    wide = op.BroadcastTo(x)
    flipped = op.Flip(wide)
    return Subst(flipped, wide, where=[x.ndim == wide.ndim, x.shape[flipped.axis] == 1])


@rule(
    tags=REPEAT | {"take", "bit-exact"},
    origin="TensorRight: xla/broadcast, rule 06",
    nan="same",
)
def take_of_broadcast_scalar() -> Subst:
    """take[a](broadcast[s](x), i)  =>  broadcast[t](x) for a scalar x, t the shape of the rows

    Whatever is chosen is x. The indices are valid in the source and not read in the target.
    """
    x, indices = pat.Wildcard(), pat.Wildcard()
    rows = op.Take(op.BroadcastTo(x), indices)
    return Subst(rows, op.BroadcastTo(x, shape=rows.shape), where=[x.ndim == 0])


@rule(
    tags=REPEAT | {"slice", "bit-exact"},
    origin="TensorRight: xla/slice, rule 03; TensorRight: xla/slice, rule 09",
    flags=(),
)
def slice_of_broadcast() -> Subst:
    """broadcast[s](x)[b:e:p]  =>  broadcast[t](x[b':e':p'])

    Axes of x are the last ones of s. Along an axis of size 1 of x, which may have been repeated,
    all of it is kept and repeated as often as the slice has elements; the others are sliced.
    """
    x = pat.Wildcard()
    wide = op.BroadcastTo(x)
    part = op.StridedSlice(wide)
    new = wide.ndim - x.ndim

    def own(values: attr.Term, kept: int) -> attr.Term:
        return attr.Variadic(
            lambda i: attr.Cond(x.shape[i] == 1, kept, values[i + new]), length=x.ndim
        )

    begin, end, strides = own(part.begin, 0), own(part.end, 1), own(part.strides, 1)
    inside = op.StridedSlice(x, begin=begin, end=end, strides=strides)
    return Subst(part, op.BroadcastTo(inside, shape=part.shape))


@rule(
    tags=REPEAT | {"slice", "create", "bit-exact"},
    origin="TensorRight: xla/slice, rule 02; TensorRight: xla/broadcast, rule 05",
    nan="same",
)
def slice_of_full() -> Subst:
    """full[s](v)[b:e:p]  =>  full[t](v), t the shape of the slice

    Its sizes are (e - b) / p rounded up, which is what the shape of the slice says.
    """
    whole = op.Full()
    part = op.StridedSlice(whole)
    target = op.Full(shape=part.shape, fill_value=whole.fill_value, dtype=whole.dtype)
    return Subst(part, target)


@rule(
    tags=REPEAT | {"reshape", "bit-exact"},
    origin="XLA: HandleReshape, reshape of broadcast",
    flags=(),
)
def reshape_of_broadcast_scalar() -> Subst:
    """reshape[t](broadcast[s](x))  =>  broadcast[t](x) for a scalar x

    Both shapes hold as many copies of x.
    """
    x = pat.Wildcard()
    shaped = op.Reshape(op.BroadcastTo(x))
    return Subst(shaped, op.BroadcastTo(x, shape=shaped.shape), where=[x.ndim == 0])


@rule(
    tags=REPEAT | {"elementwise", "bit-exact"},
    origin="Enzyme-JAX: BinBroadcastSplat",
    flags=(),
)
def add_to_broadcast() -> Subst:
    """broadcast[s](x) + c  =>  broadcast[s](x + c) for a constant c of rank 0

    The sum is computed once for each element of x instead of once for each copy.
    """
    x, c = pat.Wildcard(), pat.Const(shape=())
    wide = op.BroadcastTo(x)
    return Subst(wide + c, op.BroadcastTo(x + c, shape=wide.shape))


@rule(
    tags=REPEAT | {"identity", "bit-exact"},
    origin="TVM Relay: EliminateIdentityRewrite",
    nan="same",
    twin="broadcast_of_same_rank",
)
def broadcast_to_own_shape() -> Subst:
    """broadcast[s](x)  =>  x if s is the shape of x

    Nothing is repeated.
    """
    x = pat.Wildcard()
    wide = op.BroadcastTo(x)
    return Subst(wide, x, where=[wide.shape == x.shape])


@rule(
    tags=REPEAT | {"padding", "bit-exact"},
    origin="TensorRight: xla/pad, rule 03",
    flags=(),
    twin="pad_of_broadcast_any_axis",
)
def pad_of_broadcast() -> Subst:
    """pad{q, v}(broadcast[s](x))  =>  broadcast[t](pad{q, v}(x)) if no repeated axis is padded

    Repeated elements along a padded axis are followed by other ones, which no repetition makes.
    """
    x = pat.Wildcard()
    wide = op.BroadcastTo(x)
    padded = op.Pad(wide)

    def apart(i: attr.Term) -> attr.Term:
        bare = (padded.pad_width[2 * i] == 0) & (padded.pad_width[2 * i + 1] == 0)
        return (x.shape[i] == wide.shape[i]) | bare

    inside = op.Pad(x, **pat.same_attr(padded))
    target = op.BroadcastTo(inside, shape=padded.shape)
    return Subst(padded, target, where=[x.ndim == wide.ndim, attr.All(apart, length=x.ndim)])


@rule(
    tags={"broadcast", "elementwise", "reassociation", "exact-real-and-int", "algebraic-reassoc"},
    origin="TensorRight: xla/mul, rule 07",
    flags={"ninf", "reassoc"},
)
def scale_before_broadcast() -> Subst:
    """(x * c) * broadcast[s](y)  =>  broadcast[s](y * c) * x for a constant c of rank 0

    The smaller tensor is scaled.
    """
    x, y, c = pat.Wildcard(), pat.Wildcard(), pat.Const(shape=())
    spread = op.BroadcastTo(y)
    scaled = op.BroadcastTo(y * c, shape=spread.shape)
    return Subst((x * c) * spread, scaled * x)


@rule(
    tags=REPEAT | {"take", "bit-exact"},
    origin="TensorRight: xla/dyslice, rule 03",
    flags=(),
)
def take_of_broadcast() -> Subst:
    """take[a](broadcast[s](x), i)  =>  broadcast[t](take[a](x, i)) if a is not repeated

    Rows are chosen along an axis of x itself. With vectors of indices no axis moves, so that the
    rows broadcast to the shape that they had.
    """
    x, indices = pat.Wildcard(), pat.Wildcard()
    wide = op.BroadcastTo(x)
    rows = op.Take(wide, indices)
    own = x.shape[rows.axis] == wide.shape[rows.axis]
    target = op.BroadcastTo(op.Take(x, indices, axis=rows.axis), shape=rows.shape)
    return Subst(rows, target, where=[x.ndim == wide.ndim, own, indices.ndim == 1])
