"""Data movement: transposes, reshapes, slices, concatenations and flips that meet each other."""

from gsl import Subst, attr, op, pat, rule

MOVE = {"data-movement"}


@rule(
    tags=MOVE | {"transpose", "bit-exact"},
    origin="onnxoptimizer: fuse_consecutive_transposes.h; TensorRight: xla/relabel, rule 01",
    twin="transpose_transpose_swapped",
    flags=(),
)
def transpose_transpose() -> Subst:
    """T[q](T[p](x))  =>  T[r](x) with r[i] = p[q[i]]

    Axis i of the result is axis q[i] of the inner result, which is axis p[q[i]] of x. It does not
    matter whether the axes are counted from the front or from the end.
    """
    x = pat.Wildcard()
    inner = op.Transpose(x)
    outer = op.Transpose(inner)
    axes = attr.Variadic(lambda i: inner.axes[outer.axes[i]], length=x.ndim)
    return Subst(outer, op.Transpose(x, axes=axes))


@rule(
    tags=MOVE | {"transpose", "identity", "bit-exact"},
    origin="ONNX Script: TransposeIdentity; TensorRight: xla/relabel, rule 02",
    twin="transposes_cancel_by_shape",
    flags=(),
)
def transpose_identity() -> Subst:
    """T[(0, 1, ...)](x)  =>  x

    Only the permutation says that nothing moves; an unchanged shape does not.
    """
    x = pat.Wildcard()
    moved = op.Transpose(x)
    stays = attr.All(lambda i: moved.axes[i] % x.ndim == i, length=x.ndim)
    return Subst(moved, x, where=[stays])


@rule(tags=MOVE | {"transpose", "elementwise", "bit-exact"}, origin="Glow: SinkCode", flags=())
def sink_transpose_below_unary() -> Subst:
    """f{A}(T[p](x))  =>  T[p](f{A}(x)) for an element-wise f

    What is computed from one element alone does not depend on where the element is.
    """
    x = pat.Wildcard()
    moved = op.Transpose(x)
    call = op.trait("unary")(moved)
    inside = op.same(call)(x, **pat.same_attr(call))
    return Subst(call, op.Transpose(inside, axes=moved.axes))


@rule(
    tags=MOVE | {"transpose", "concatenate", "bit-exact"},
    origin="TVM Relax: ReorderPermuteDimsAfterConcat",
    twin="concat_of_transposes_axis_one",
    flags=(),
)
def concat_of_transposes() -> Subst:
    """cat[a](T[p](x_0), T[p](x_1), ...)  =>  T[p](cat[p[a]](x_0, x_1, ...))

    Axis a of a transposed tensor is axis p[a] of the tensor itself, also when a is negative.
    """
    x0, x = pat.Wildcard(), pat.Wildcard()
    first = op.Transpose(x0)
    moved = op.Transpose(x, axes=first.axes)
    fields = pat.Variadic(moved, templates=[moved, x], first=[first, x0], min_len=2)
    whole = op.Concatenate(fields)
    i = attr.Symbol("i")
    operand = fields(x, i)
    operands = pat.Variadic(operand, templates=[operand], index=i, length=fields.length)
    joined = op.Concatenate(operands, axis=first.axes[whole.axis])
    return Subst(whole, op.Transpose(joined, axes=first.axes))


@rule(
    tags=MOVE | {"reshape", "bit-exact"},
    origin="StableHLO: ReshapeOp_MergeComposition",
    twin="reshape_reshape_to_inner",
    flags=(),
)
def reshape_reshape() -> Subst:
    """reshape[s](reshape[t](x))  =>  reshape[s](x)

    Every reshape keeps the row-major order of the elements. The shapes of a matched graph are
    resolved: neither -1 nor a code for "as before" is left that could refer to the wrong operand.
    """
    x = pat.Wildcard()
    outer = op.Reshape(op.Reshape(x))
    return Subst(outer, op.Reshape(x, shape=outer.shape))


@rule(
    tags=MOVE | {"squeeze", "expand-dims", "bit-exact"},
    origin="onnxoptimizer: fuse_consecutive_squeeze_unsqueeze.h",
    flags=(),
)
def squeeze_of_expand_dims() -> Subst:
    """squeeze[a](expand_dims[a](x))  =>  x

    Both count the axes in the expanded tensor, so that equal attributes mean equal axes even when
    some are negative.
    """
    x = pat.Wildcard()
    expanded = op.ExpandDims(x)
    return Subst(op.Squeeze(expanded, axis=expanded.axis), x)


@rule(
    tags=MOVE | {"squeeze", "bit-exact"},
    origin="onnxoptimizer: fuse_consecutive_squeezes.h",
    twin="squeeze_squeeze_unshifted",
    flags=(),
)
def squeeze_squeeze() -> Subst:
    """squeeze[b](squeeze[a](x))  =>  squeeze[(a, b')](x), b' = b or b + 1

    Counted from the front of x, b moves back by one where axis a has disappeared before it. An
    axis counted from the end has to be counted from the front first.
    """
    x = pat.Wildcard()
    inner = op.Squeeze(x, axis=(None,))
    outer = op.Squeeze(inner, axis=(None,))
    a, b = inner.axis[0] % x.ndim, outer.axis[0] % inner.ndim
    moved = attr.Cond(b < a, b, b + 1)
    return Subst(outer, op.Squeeze(x, axis=(a, moved)))


@rule(
    tags=MOVE | {"expand-dims", "bit-exact"},
    origin="ONNX Script: UnsqueezeUnsqueeze",
    twin="expand_dims_expand_dims_unshifted",
    flags=(),
)
def expand_dims_expand_dims() -> Subst:
    """expand_dims[b](expand_dims[a](x))  =>  expand_dims[(a', b)](x), a' = a or a + 1

    Counted from the front of the result, axis b is new already; the earlier new axis moves back
    by one when b is inserted at its place or before.
    """
    x = pat.Wildcard()
    inner = op.ExpandDims(x, axis=(None,))
    outer = op.ExpandDims(inner, axis=(None,))
    a, b = inner.axis[0] % inner.ndim, outer.axis[0] % outer.ndim
    moved = attr.Cond(b <= a, a + 1, a)
    return Subst(outer, op.ExpandDims(x, axis=(moved, b)))


@rule(
    tags=MOVE | {"broadcast", "bit-exact"}, origin="TensorRight: xla/broadcast, rule 08", flags=()
)
def broadcast_broadcast() -> Subst:
    """broadcast[s](broadcast[t](x))  =>  broadcast[s](x)

    Broadcasting aligns last axes, so that what t has added is in s, too.
    """
    x = pat.Wildcard()
    outer = op.BroadcastTo(op.BroadcastTo(x))
    return Subst(outer, op.BroadcastTo(x, shape=outer.shape))


@rule(tags=MOVE | {"flip", "bit-exact"}, origin="TensorRight: xla/reverse, rule 02", flags=())
def flip_flip() -> Subst:
    """flip[a](flip[b](x))  =>  x when a and b are the same axis

    Reversing twice restores the order. One axis may have two names, a and a - rank.
    """
    x = pat.Wildcard()
    inner = op.Flip(x)
    outer = op.Flip(inner)
    return Subst(outer, x, where=[inner.axis % x.ndim == outer.axis % x.ndim])


@rule(tags=MOVE | {"concatenate", "bit-exact"}, origin="TensorRight: xla/concat, rule 07", flags=())
def concat_concat() -> Subst:
    """cat[a](x, cat[a](y, z))  =>  cat[a](x, y, z)

    One after the other along one axis, however they are grouped. The axis may be counted from
    either end.
    """
    x, y, z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    inner = op.Concatenate((y, z))
    outer = op.Concatenate((x, inner))
    same = inner.axis % inner.ndim == outer.axis % outer.ndim
    return Subst(outer, op.Concatenate((x, y, z), axis=outer.axis), where=[same])


@rule(
    tags=MOVE | {"concatenate", "bit-exact"},
    origin="PolyJuice: geometry-of-concatenation",
    twin="concat_geometry_same_axis",
    flags=(),
)
def concat_geometry() -> Subst:
    """cat[b](cat[a](x, y), cat[a](z, w))  =>  cat[a](cat[b](x, z), cat[b](y, w)), a other than b

    Four blocks of a matrix of blocks, put together by rows or by columns. The blocks have to meet
    at one line, which equal sizes of x and z along a ensure.
    """
    x, y, z, w = (pat.Wildcard() for _ in range(4))
    upper = op.Concatenate((x, y))
    lower = op.Concatenate((z, w), axis=upper.axis)
    whole = op.Concatenate((upper, lower))
    columns = op.Concatenate((x, z), axis=whole.axis), op.Concatenate((y, w), axis=whole.axis)
    meet = x.shape[upper.axis] == z.shape[upper.axis]
    other = upper.axis % whole.ndim != whole.axis % whole.ndim
    return Subst(whole, op.Concatenate(columns, axis=upper.axis), where=[meet, other])


@rule(
    tags=MOVE | {"reshape", "transpose", "take", "fusion", "bit-exact"},
    origin="Glow: FoldChannelShuffle, with the shuffle written out",
    flags=(),
    twin="channel_shuffle_any_shape",
)
def channel_shuffle() -> Subst:
    """reshape[s](T[0,2,1,3,4](reshape[(n, g, k, h, w)](x)))  =>  take[1](x, i) if s is x's shape

    The first channels of all groups, then the second ones: i is the transposed g x k matrix of
    their numbers, which int64 has to hold. Without channels there is nothing to take from.
    """
    x = pat.Wildcard()
    n, channels, *plane = (x.shape[i] for i in range(4))
    grouped = op.Reshape(x, shape=(n, None, None, *plane))
    groups, each = grouped.shape[1], grouped.shape[2]
    shuffled = op.Reshape(op.Transpose(grouped, axes=(0, 2, 1, 3, 4)))
    numbers = op.Arange(start=0, end=channels, step=1, dtype="int64")
    turns = op.Transpose(op.Reshape(numbers, shape=(groups, each)), axes=(1, 0))
    target = op.Take(x, op.Reshape(turns, shape=(channels,)), axis=1)
    fits = [groups * each == channels, channels >= 1, channels < 2**63]
    return Subst(shuffled, target, where=[x.ndim == 4, *fits, shuffled.shape == x.shape])


@rule(
    tags=MOVE | {"reshape", "shape-op", "bit-exact"},
    origin="ONNX Script: _basic_rules, Flatten2Reshape",
    flags=(),
    twin="flatten_to_matrix_any_size",
)
def flatten_to_matrix() -> Subst:
    """reshape[(m, n)](flatten(x))  =>  reshape[(m, -1)](x) for m >= 1

    The number of columns follows from that of the rows, unless there are none. What follows for
    the size of x is written out for the solver.
    """
    x = pat.Wildcard()
    flat = op.Reshape(op.Flatten(x), shape=(None, None))
    rows = flat.shape[0]
    size = attr.Product(lambda i: x.shape[i], length=x.ndim)
    follows = [size // rows == flat.shape[1], rows * (size // rows) == size]
    return Subst(flat, op.Reshape(x, shape=(rows, -1)), where=[rows >= 1, *follows])
