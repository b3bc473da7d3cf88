"""Data movement gone wrong: order of composition, axes of the wrong tensor, shapes as proofs."""

from gsl import Subst, attr, op, pat, rule

MOVE = {"data-movement"}


def is_cube(x: pat.Pattern) -> attr.Term:
    """Return the condition that all sizes are equal, so that no shape tells axes apart."""
    return attr.All(lambda i: x.shape[i] == x.shape[0], length=x.ndim)


@rule(
    tags=MOVE | {"transpose"},
    origin="ONNX, PyTorch: onnx-transpose-compose",
    expect="GSL301",
    twin="transpose_transpose",
)
def transpose_transpose_swapped() -> Subst:
    """T[q](T[p](x))  =>  T[r](x) with r[i] = q[p[i]]

    Composed in the wrong order: onnx#2446 and pytorch#7868. Equal for permutations that commute,
    such as all swaps of two axes with each other, but not for p = (1, 0, 2) and q = (0, 2, 1).
    """
    x = pat.Wildcard()
    inner = op.Transpose(x)
    outer = op.Transpose(inner)
    axes = attr.Variadic(lambda i: outer.axes[inner.axes[i]], length=x.ndim)
    return Subst(outer, op.Transpose(x, axes=axes))


@rule(
    tags=MOVE | {"transpose"},
    origin="ONNX, PyTorch: onnx-transpose-compose",
    expect="GSL401",
    twin="transpose_transpose",
)
def transpose_transpose_swapped_cube() -> Subst:
    """T[q](T[p](x))  =>  T[r](x) with r[i] = q[p[i]], all sizes of x equal

    The same mistake where no shape gives it away, only values do.
    """
    x = pat.Wildcard()
    inner = op.Transpose(x)
    outer = op.Transpose(inner)
    axes = attr.Variadic(lambda i: outer.axes[inner.axes[i]], length=x.ndim)
    return Subst(outer, op.Transpose(x, axes=axes), where=[is_cube(x)])


@rule(
    tags=MOVE | {"transpose", "identity"},
    origin="TVM Relax: tvm-relax-optlt-shape-equal",
    expect="GSL401",
    twin="transpose_identity",
)
def transposes_cancel_by_shape() -> Subst:
    """T[q](T[p](x))  =>  x if the shape is that of x

    OptimizeLayoutTransform drops a pair of layout changes when the shape comes back, live in
    0.27.0. A square matrix has the shape of its transpose.
    """
    x = pat.Wildcard()
    outer = op.Transpose(op.Transpose(x))
    return Subst(outer, x, where=[outer.shape == x.shape])


@rule(
    tags=MOVE | {"transpose", "concatenate"},
    origin="tf2onnx: tf2onnx-concat-axis",
    expect="GSL301",
    twin="concat_of_transposes",
)
def concat_of_transposes_axis_one() -> Subst:
    """cat[a](T[p](x), T[p](y))  =>  T[p](cat[1](x, y))

    The transpose optimizer assumed that channels are joined (tensorflow-onnx#600). It showed when
    a network joined batches: the axis has to be p[a].
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    one = op.Transpose(x)
    two = op.Transpose(y, axes=one.axes)
    whole = op.Concatenate((one, two))
    target = op.Transpose(op.Concatenate((x, y), axis=1), axes=one.axes)
    return Subst(whole, target, where=[x.shape == y.shape, x.ndim >= 2])


@rule(
    tags=MOVE | {"reshape"},
    origin="onnxoptimizer: onnxopt-reshape-zero-copy",
    expect="GSL301",
    twin="reshape_reshape",
)
def reshape_reshape_to_inner() -> Subst:
    """reshape[(shape(y)[0], -1)](y), y = reshape[s](x)  =>  reshape[(shape(x)[0], -1)](x)

    ONNX writes 0 for an extent that is copied from the operand. Merging two reshapes without
    resolving it copies from another operand: (4, 6) to (6, 4) and back. Live in 0.4.2.
    """
    x = pat.Wildcard()
    inner = op.Reshape(x, shape=(None, None))
    outer = op.Reshape(inner, shape=(inner.shape[0], None))
    return Subst(outer, op.Reshape(x, shape=(x.shape[0], -1)), where=[x.ndim == 2])


@rule(
    tags=MOVE | {"squeeze"},
    origin="onnxoptimizer: onnxopt-squeeze-neg",
    expect="GSL303",
    twin="squeeze_squeeze",
)
def squeeze_squeeze_unshifted() -> Subst:
    """squeeze[b](squeeze[a](x))  =>  squeeze[(a, b')](x) with b' = b or b + 1 as written

    The axes are renumbered as if they were counted from the front (onnx/optimizer#253): two
    times -1 becomes (-1, -1).
    """
    x = pat.Wildcard()
    inner = op.Squeeze(x, axis=(None,))
    outer = op.Squeeze(inner, axis=(None,))
    a, b = inner.axis[0], outer.axis[0]
    moved = attr.Cond(b < a, b, attr.Cond(b < 0, b, b + 1))
    return Subst(outer, op.Squeeze(x, axis=(a, moved)))


@rule(
    tags=MOVE | {"expand-dims"},
    origin="onnxsim: onnxsim-unsqueeze-157",
    expect="GSL301",
    twin="expand_dims_expand_dims",
)
def expand_dims_expand_dims_unshifted() -> Subst:
    """expand_dims[b](expand_dims[a](x))  =>  expand_dims[(a, b)](x), a other than b

    The first axis refers to the intermediate rank (onnxsim#157): inserted behind b it ends up one
    place further back.
    """
    x = pat.Wildcard()
    inner = op.ExpandDims(x, axis=(None,))
    outer = op.ExpandDims(inner, axis=(None,))
    a, b = inner.axis[0], outer.axis[0]
    target = op.ExpandDims(x, axis=(a, b))
    return Subst(outer, target, where=[a >= 0, b >= 0, a != b])


@rule(
    tags=MOVE | {"concatenate"},
    origin="PolyJuice: polyjuice-geometry-same-axis",
    expect="GSL401",
    twin="concat_geometry",
)
def concat_geometry_same_axis() -> Subst:
    """cat[b](cat[a](x, y), cat[a](z, w))  =>  cat[a](cat[b](x, z), cat[b](y, w)), any a and b

    In the head of the repository. Along one and the same axis the order x, y, z, w becomes
    x, z, y, w.
    """
    x, y, z, w = (pat.Wildcard() for _ in range(4))
    upper = op.Concatenate((x, y))
    lower = op.Concatenate((z, w), axis=upper.axis)
    whole = op.Concatenate((upper, lower))
    columns = op.Concatenate((x, z), axis=whole.axis), op.Concatenate((y, w), axis=whole.axis)
    meet = x.shape[upper.axis] == z.shape[upper.axis]
    return Subst(whole, op.Concatenate(columns, axis=upper.axis), where=[meet])


@rule(
    tags=MOVE | {"reshape", "transpose", "take", "fusion"},
    origin="Glow: glow-channelshuffle",
    expect="GSL301",
    twin="channel_shuffle",
)
def channel_shuffle_any_shape() -> Subst:
    """reshape[s](T[0,2,1,3,4](reshape[(n, g, k, h, w)](x)))  =>  take[1](x, i), i channels by turns

    FoldChannelShuffle did not compare the types of x and of the result, so that pytorch/glow#2983
    turned it off: shuffled channels have the shape of x, whatever s is.
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
    return Subst(shuffled, target, where=[x.ndim == 4, *fits])


@rule(
    tags=MOVE | {"reshape", "shape-op"},
    origin="ONNX Script: onnxscript-flatten-zero",
    expect="GSL303",
    twin="flatten_to_matrix",
)
def flatten_to_matrix_any_size() -> Subst:
    """reshape[(m, n)](flatten(x))  =>  reshape[(m, -1)](x) for a slice x, which may be empty

    Flatten2Reshape in 0.7.2 leaves one extent of the matrix to be inferred. Beside m = 0 it can be
    any.
    """
    x = pat.Wildcard()
    part = op.StridedSlice(x)
    flat = op.Reshape(op.Flatten(part), shape=(None, None))
    return Subst(flat, op.Reshape(part, shape=(flat.shape[0], -1)))
