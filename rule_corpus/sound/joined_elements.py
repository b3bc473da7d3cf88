"""Operators on each element go through concatenations and transpositions; so do reductions."""

from gsl import Subst, attr, op, pat, rule

JOIN = {"concat", "elementwise", "data-movement", "bit-exact"}
REDUCE = {"reduction"}


def alike(*pairs: tuple[pat.Pattern, pat.Pattern]) -> list[attr.Term]:
    """Return the conditions that the patterns of each pair have one shape."""
    return [one.shape == two.shape for one, two in pairs]


@rule(tags=JOIN, origin="TASO: verify.py, concatenation and products", flags=())
def concat_of_products() -> Subst:
    """cat[a](x * y, u * v)  =>  cat[a](x, u) * cat[a](y, v), x like y and u like v

    As for sums.
    """
    x, y, u, v = pat.Wildcard(), pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    joined = op.Concatenate((x * y, u * v))
    target = op.Concatenate((x, u), axis=joined.axis) * op.Concatenate((y, v), axis=joined.axis)
    return Subst(joined, target, where=alike((x, y), (u, v)))


@rule(tags=JOIN | {"scale"}, origin="TASO: verify.py, concatenation and scalar factors", flags=())
def concat_of_scaled() -> Subst:
    """cat[a](x * s, y * s)  =>  cat[a](x, y) * s for a constant s of rank 0

    One product instead of two; the factor has to be one for all.
    """
    x, y, s = pat.Wildcard(), pat.Wildcard(), pat.Const(shape=())
    joined = op.Concatenate((x * s, y * s))
    target = op.Concatenate((x, y), axis=joined.axis) * s
    return Subst(joined, target, where=[x.ndim >= 1, y.ndim >= 1])


@rule(
    tags=JOIN | {"variadic-inputs"},
    origin="Grappler: HoistCWiseUnaryFromConcat; PyTorch Inductor: sink cat after pointwise",
    flags=(),
)
def concat_of_relus() -> Subst:
    """cat[a](relu(x_0), relu(x_1), ...)  =>  relu(cat[a](x_0, x_1, ...)) for two and more

    An operator on each element does not care where it stands; it runs once instead of n times.
    """
    x = pat.Wildcard()
    limited = op.Relu(x)
    fields = pat.Variadic(limited, templates=[limited, x], min_len=2)
    joined = op.Concatenate(fields)
    i = attr.Symbol("i")
    inner = fields(x, i)
    inputs = pat.Variadic(inner, templates=[inner], index=i, length=fields.length)
    return Subst(joined, op.Relu(op.Concatenate(inputs, axis=joined.axis)))


@rule(
    tags=REDUCE | {"concat", "lattice", "bit-exact", "fusion"},
    origin="OpenVINO: ConcatReduceFusion",
    flags={"nsz"},
)
def max_of_stacked() -> Subst:
    """max[a](cat[a](expand_dims[a](x), expand_dims[a](y)))  =>  maximum(x, y)

    Of two elements along a new axis the larger one. All three operators name the same axis.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    one = op.ExpandDims(x)
    axis = one.axis[0]
    two = op.ExpandDims(y, axis=one.axis)
    joined = op.Concatenate((one, two), axis=axis)
    largest = op.Max(joined, axis=(axis,), keepdims=False)
    single = attr.Length(one.axis) == 1
    return Subst(largest, op.Maximum(x, y), where=[single, x.shape == y.shape])


@rule(
    tags={"concat", "broadcast", "data-movement", "bit-exact"},
    origin="OpenVINO: ConcatToTile",
    flags=(),
)
def concat_of_itself() -> Subst:
    """cat[a](x, x)  =>  tile(x) with 2 for axis `a` and 1 for the others

    The whole tensor twice, one after the other.
    """
    x = pat.Wildcard()
    joined = op.Concatenate((x, x))
    repeats = attr.Variadic(lambda i: attr.Cond(i == joined.axis % x.ndim, 2, 1), length=x.ndim)
    return Subst(joined, op.Tile(x, repeats=repeats))


@rule(
    tags={"transpose", "elementwise", "data-movement", "transpose-push", "bit-exact"},
    origin="PolyJuice: trans-add; ONNX Runtime: TransposeOptimizer",
    flags=(),
)
def sum_of_transposes() -> Subst:
    """T[p](x) + T[p](y)  =>  T[p](x + y) for x and y of one shape

    Both are reordered alike. Of unlike shapes other axes could broadcast after the reordering.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    one = op.Transpose(x)
    two = op.Transpose(y, **pat.same_attr(one))
    return Subst(one + two, op.Transpose(x + y, **pat.same_attr(one)), where=alike((x, y)))


@rule(
    tags=REDUCE | {"exact-real", "fusion"},
    origin="OpenVINO: ReduceMerge, means",
    flags={"ninf", "reassoc"},
)
def mean_of_mean() -> Subst:
    """mean[A](mean[B](x))  =>  mean[A and B](x), both keeping the axes and without a common one

    Every inner mean is of as many elements, so the mean of the means is that of all.
    """
    x = pat.Wildcard()
    inner = op.Mean(x, axis=(0,), keepdims=True)
    outer = op.Mean(inner, axis=(1,), keepdims=True)
    return Subst(outer, op.Mean(x, axis=(0, 1), keepdims=True), where=[x.ndim >= 2])


@rule(
    tags={"constant", "const-fold", "bit-exact"},
    origin="GSL: exp_lang.py, FullElementWise; TVM Relay: FullElementwise",
    twin="add_full_any_shape",
    flags=(),
)
def add_full() -> Subst:
    """x + full[s](v)  =>  x + v for float64 and a constant of rank 0, if the sum is shaped like x

    A single number broadcasts like a tensor of it, but brings no axes. In a narrower dtype both are
    rounded, which the verifier sees in tensors and not in numbers.
    """
    x = pat.Wildcard()
    full = op.Full(dtype=x.dtype)
    added = x + full
    number = pat.Const(full.fill_value, dtype=x.dtype)
    return Subst(added, x + number, where=[added.shape == x.shape, x.dtype == "float64"])


@rule(
    tags={"constant", "const-fold", "relu", "bit-exact"},
    origin="PyTorch Inductor: constant_fold_uniform_value",
    flags=(),
)
def relu_of_full() -> Subst:
    """relu(full[s, t](v))  =>  full[s, t](max(v, 0))

    One element tells about all.
    """
    full = op.Full()
    value = attr.Max(full.fill_value, 0.0)
    target = op.Full(shape=full.shape, fill_value=value, dtype=full.dtype)
    return Subst(op.Relu(full), target)


@rule(
    tags={"constant", "const-fold", "cast", "integers", "bit-exact", "dtype-cast"},
    origin="ONNX Script: _cast_constant_of_shape",
    twin="cast_of_full_any_value",
    flags=(),
)
def cast_of_full() -> Subst:
    """cast[u](full[s, int32](v))  =>  full[s, u](v) if the dtype u has the value

    Integers only: a float would be rounded once more on the way.
    """
    full = op.Full(dtype="int32")
    cast = op.Cast(full)
    integers = attr.In(cast.dtype, ("int32", "int64"))
    target = op.Full(shape=full.shape, fill_value=full.fill_value, dtype=cast.dtype)
    return Subst(cast, target, where=[integers])


@rule(
    tags=JOIN | {"reshape"},
    origin="Glow: SinkCode, Concat(Reshape(x) * N)",
    flags=(),
    twin="concat_of_reshapes_same_axis",
)
def concat_of_reshapes_behind_first_axis() -> Subst:
    """cat[1](reshape[s](x), reshape[s](y))  =>  reshape(cat[1](x, y)) for matrices of s[0] rows

    Rows stay rows, and each gets the elements of the second one behind its own.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    one = op.Reshape(x)
    two = op.Reshape(y, **pat.same_attr(one))
    joined = op.Concatenate((one, two), axis=1)
    target = op.Reshape(op.Concatenate((x, y), axis=1), shape=joined.shape)
    where = [x.shape == y.shape, x.ndim == 2, one.ndim >= 2, one.shape[0] == x.shape[0]]
    return Subst(joined, target, where=where)
