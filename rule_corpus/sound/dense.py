"""Dense layers and products of matrices: sums, factors and neighbours that go into one of them.

Operands are converted to `out_dtype` first, so sums and factors are moved in front of a product
only where that is the dtype of the operands.
"""

from gsl import Subst, attr, op, pat, rule

DISTRIBUTE = {"dense", "distribution", "algebraic-distrib", "exact-real-and-int"}
SCALE = {"dense", "scale", "algebraic-reassoc", "exact-real-and-int"}
MATMUL = {"matmul", "distribution", "exact-real-and-int"}
JOIN = {"matmul", "concat", "combine-parallel", "same-terms"}


def matrices(*patterns: pat.Pattern) -> list[attr.Term]:
    """Return the conditions that data have two axes."""
    return [pattern.ndim == 2 for pattern in patterns]


def matrix() -> pat.Variable:
    """Return a pattern of a weight with two axes."""
    return pat.Variable(shape=(None, None))


@rule(
    tags=DISTRIBUTE,
    origin="GSL: diamond_conv_add, for dense layers",
    twin="dense_add_wide",
    flags={"ninf", "reassoc"},
)
def dense_add() -> Subst:
    """dense(x, w1) + dense(x, w2)  =>  dense(x, w1 + w2)

    A product is linear in the weight. The sum of the weights is computed in their own dtype: were
    `out_dtype` wider, it would wrap where the sum of the results does not.
    """
    x, w1 = pat.Wildcard(), pat.Variable()
    w2 = pat.Variable(shape=w1.shape)
    one = op.Dense(x, w1, out_dtype=w1.dtype)
    two = op.Dense(x, w2, **pat.same_attr(one))
    return Subst(one + two, op.Dense(x, w1 + w2, **pat.same_attr(one)))


@rule(
    tags=DISTRIBUTE,
    origin="TASO: graph_subst.pb, factored products, for dense layers",
    flags={"ninf", "reassoc"},
)
def dense_of_sum() -> Subst:
    """dense(x, w) + dense(y, w)  =>  dense(x + y, w) when x and y have one shape

    A product is linear in the data.
    """
    x, y, w = pat.Wildcard(), pat.Wildcard(), matrix()
    one = op.Dense(x, w, out_dtype=x.dtype)
    two = op.Dense(y, w, **pat.same_attr(one))
    target = op.Dense(x + y, w, **pat.same_attr(one))
    return Subst(one + two, target, where=[x.shape == y.shape])


@rule(
    tags={"dense", "concat", "distribution", "exact-real-and-int", "algebraic-distrib"},
    origin="GSL: two_conv_add, for dense layers",
    flags={"ninf", "reassoc"},
)
def dense_of_concat() -> Subst:
    """dense(x, v) + dense(y, w)  =>  dense(cat[-1](x, y), cat[1](v, w))

    Two sums of products are one sum over the features of both. All but the numbers of features
    has to agree, as nothing may broadcast.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    v, w = matrix(), matrix()
    one = op.Dense(x, v)
    two = op.Dense(y, w, **pat.same_attr(one))
    target = op.Dense(
        op.Concatenate((x, y), axis=-1), op.Concatenate((v, w), axis=1), **pat.same_attr(one)
    )
    alike = [x.shape[0] == y.shape[0], v.shape[0] == w.shape[0], x.dtype == y.dtype]
    return Subst(one + two, target, where=[*alike, *matrices(x, y)])


@rule(
    tags={"dense", "transpose", "canonicalise", "same-terms"},
    origin="TVM Relay: SimplifyFCTranspose",
    flags=(),
)
def dense_of_transposed() -> Subst:
    """dense(x, T[(1, 0)](w))  =>  x @ w

    A dense layer takes its weight by outputs; a product of matrices by inputs.
    """
    x, w = pat.Wildcard(), pat.Wildcard()
    dense = op.Dense(x, op.Transpose(w, axes=(1, 0)))
    return Subst(dense, op.Matmul(x, w, out_dtype=dense.out_dtype))


@rule(
    tags=SCALE,
    origin="TensorFlow Lite: FuseFullyConnectedAndMul",
    twin="scale_of_dense_rows",
    flags={"ninf", "nsz", "reassoc"},
)
def scale_of_dense() -> Subst:
    """dense(x, w) * s  =>  dense(x, w * s[:, None]) for a vector s, an element for each output

    A factor of output j is a factor of row j of the weight.
    """
    x, w = pat.Wildcard(), matrix()
    s = pat.Variable(shape=(w.shape[0],))
    dense = op.Dense(x, w, out_dtype=w.dtype)
    target = op.Dense(x, w * op.ExpandDims(s, axis=(1,)), **pat.same_attr(dense))
    return Subst(dense * s, target)


@rule(tags=SCALE, origin="TVM Relay: FoldScaleAxis, dense", flags={"ninf", "reassoc"})
def dense_of_scaled() -> Subst:
    """dense(x * s, w)  =>  dense(x, w * s) for a vector s, if x * s is not larger than x

    Feature k of x and column k of w only meet in one product.
    """
    x, s, w = pat.Wildcard(), pat.Variable(shape=(None,)), matrix()
    scaled = x * s
    dense = op.Dense(scaled, w, out_dtype=x.dtype)
    target = op.Dense(x, w * s, **pat.same_attr(dense))
    return Subst(dense, target, where=[scaled.shape == x.shape])


@rule(
    tags={"dense", "bias", "reassociation", "algebraic-reassoc", "exact-real-and-int"},
    origin="TensorFlow Lite: FuseFullyConnectedAndAdd",
    flags={"ninf", "reassoc"},
)
def bias_plus_vector() -> Subst:
    """bias_add[a](x, b) + c  =>  bias_add[a](x, b + c) for the last axis and a vector c like b

    A vector broadcasts along the last axis, where the bias lies, too.
    """
    x, b = pat.Wildcard(), pat.Variable(shape=(None,))
    c = pat.Variable(shape=b.shape)
    biased = op.BiasAdd(x, b)
    last = biased.axis % x.ndim == x.ndim - 1
    return Subst(biased + c, op.BiasAdd(x, b + c, axis=biased.axis), where=[last])


@rule(
    tags={"bias", "lowering", "bit-exact"},
    origin="TVM Relay: CanonicalizeOps; GSL: exp_lang.py, SimplifyBiasAdd",
    twin="lower_bias_add_last_axis",
    nan="same",
)
def lower_bias_add() -> Subst:
    """bias_add[a](x, b)  =>  x + reshape(b), with a size of 1 for each axis of x behind `a`

    That is how a vector broadcasts along an axis other than the last.
    """
    x, b = pat.Wildcard(), pat.Wildcard()
    biased = op.BiasAdd(x, b)
    behind = x.ndim - biased.axis % x.ndim
    upright = attr.Variadic(lambda i: attr.Cond(i == 0, b.shape[0], 1), length=behind)
    return Subst(biased, x + op.Reshape(b, shape=upright))


@rule(
    tags={"matmul", "identity", "exact-real", "identity-elim"},
    origin="TASO: verify.py, identity matrix",
    flags={"nnan", "nsz"},
)
def matmul_by_identity() -> Subst:
    """x @ eye(n, n)  =>  x

    Every element is multiplied by 1, and zeros are added, unless the others are infinite.
    """
    x = pat.Wildcard()
    unit = op.Eye(k=0, dtype=x.dtype)
    product = op.Matmul(x, unit, out_dtype=x.dtype)
    return Subst(product, x, where=[unit.n == unit.m])


@rule(
    tags={"matmul", "scale", "algebraic-reassoc", "exact-real-and-int"},
    origin="ONNX Runtime: MatMulScaleFusion, right operand",
    flags={"ninf", "nsz", "reassoc"},
)
def matmul_by_scaled() -> Subst:
    """x @ (y * s)  =>  (x @ y) * s for a constant s of rank 0

    A factor of every product is a factor of their sum.
    """
    x, y, s = pat.Wildcard(), pat.Wildcard(), pat.Const(shape=())
    product = op.Matmul(x, y * s, out_dtype=y.dtype)
    return Subst(product, op.Matmul(x, y, out_dtype=y.dtype) * s)


@rule(
    tags={"matmul", "scale", "division", "exact-real", "algebraic-distrib"},
    origin="ONNX Script: fused_matmul_rule_sets, division",
    flags={"ninf", "nsz", "reassoc"},
)
def matmul_of_divided() -> Subst:
    """(x / s) @ y  =>  (x @ y) / s for a constant s of rank 0

    A division of the scores of attention may move from one side of a product to the other.
    """
    x, y, s = pat.Wildcard(), pat.Wildcard(), pat.Const(shape=())
    product = op.Matmul(x / s, y, out_dtype=x.dtype)
    return Subst(product, op.Matmul(x, y, out_dtype=x.dtype) / s)


@rule(
    tags=MATMUL | {"algebraic-distrib"},
    origin="TASO: graph_subst.pb, rules 5-7",
    flags={"ninf", "reassoc"},
)
def factor_repeated_matmul() -> Subst:
    """x @ w + (x @ w) @ v  =>  x @ (w + w @ v) for matrices

    One product with x instead of two; the weights are combined before the network runs.
    """
    x, w, v = pat.Wildcard(), matrix(), matrix()
    once = op.Matmul(x, w, out_dtype=x.dtype)
    twice = op.Matmul(once, v, out_dtype=x.dtype)
    target = op.Matmul(x, w + op.Matmul(w, v, out_dtype=x.dtype), out_dtype=x.dtype)
    square = (v.shape[0] == v.shape[1]) & (w.shape[1] == v.shape[0])
    return Subst(once + twice, target, where=[*matrices(x), square])


@rule(tags=JOIN, origin="TASO: graph_subst.pb, rules 76-79", flags=())
def concat_of_matmuls_by_rows() -> Subst:
    """cat[0](x @ w, y @ w)  =>  cat[0](x, y) @ w for matrices

    Rows of the product are rows of the left operand.
    """
    x, y, w = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    one = op.Matmul(x, w)
    two = op.Matmul(y, w, out_dtype=one.out_dtype)
    rows = op.Concatenate((x, y), axis=0)
    target = op.Matmul(rows, w, out_dtype=one.out_dtype)
    return Subst(op.Concatenate((one, two), axis=0), target, where=matrices(x, y, w))


@rule(tags=JOIN, origin="TASO: graph_subst.pb, rules 76-79", flags=())
def concat_of_matmuls_by_columns() -> Subst:
    """cat[1](x @ v, x @ w)  =>  x @ cat[1](v, w) for matrices

    Columns of the product are columns of the right operand.
    """
    x, v, w = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    one = op.Matmul(x, v)
    two = op.Matmul(x, w, out_dtype=one.out_dtype)
    columns = op.Concatenate((v, w), axis=1)
    target = op.Matmul(x, columns, out_dtype=one.out_dtype)
    return Subst(op.Concatenate((one, two), axis=1), target, where=matrices(x, v, w))


@rule(tags=JOIN | {"multiple-outputs"}, origin="Glow: MergeMatMulOnLHS", flags=())
def merge_matmuls_by_rows() -> Subst:
    """x @ w, y @ w  =>  split[0](cat[0](x, y) @ w) cut behind x

    One larger product reads the weight once.
    """
    x, y, w = pat.Wildcard(), pat.Wildcard(), matrix()
    one = op.Matmul(x, w)
    two = op.Matmul(y, w, out_dtype=one.out_dtype)
    merged = op.Matmul(op.Concatenate((x, y), axis=0), w, out_dtype=one.out_dtype)
    pieces = op.Split(merged, indices_or_sections=(x.shape[0],), axis=0)
    return Subst([one, two], [pieces[0], pieces[1]], where=matrices(x, y))


@rule(
    tags=JOIN | {"reassociation"}, origin="TASO: graph_subst.pb, rule 2", flags={"ninf", "reassoc"}
)
def matmul_of_rows_and_product() -> Subst:
    """cat[0](w, x @ w) @ v  =>  cat[0](w @ v, x @ (w @ v)) for matrices

    The product w @ v, which is known before the network runs, is used twice.
    """
    x, w, v = pat.Wildcard(), matrix(), matrix()
    rows = op.Concatenate((w, op.Matmul(x, w, out_dtype=x.dtype)), axis=0)
    product = op.Matmul(rows, v, out_dtype=x.dtype)
    small = op.Matmul(w, v, out_dtype=x.dtype)
    return Subst(
        product,
        op.Concatenate((small, op.Matmul(x, small, out_dtype=x.dtype)), axis=0),
        where=matrices(x),
    )


@rule(
    tags={"matmul", "padding", "bit-exact"},
    origin="PyTorch Inductor: pad_mm, the padding of the inner axis undone",
    flags=(),
)
def matmul_of_padded() -> Subst:
    """pad{(0, 0, p, q)}(x) @ pad{(p, q, 0, 0)}(y)  =>  x @ y for zeros

    Zeros that are multiplied by zeros add nothing. The same numbers of columns and of rows have
    to be added on the same sides.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    left, right = op.Pad(x, pad_value=0.0), op.Pad(y, pad_value=0.0)
    product = op.Matmul(left, right)
    inner = [left.pad_width[2 + i] == right.pad_width[i] for i in (0, 1)]
    outer = [left.pad_width[i] == 0 for i in (0, 1)] + [right.pad_width[2 + i] == 0 for i in (0, 1)]
    return Subst(
        product,
        op.Matmul(x, y, out_dtype=product.out_dtype),
        where=[*matrices(x, y), *inner, *outer],
    )


@rule(
    tags={"matmul", "lowering", "reduction", "same-terms"},
    origin="PyTorch Inductor: decompose_mem_bound_mm",
    flags={"contract"},
)
def matmul_as_sum() -> Subst:
    """x @ y  =>  sum[1](x[:, :, None] * y[None, :, :]) for matrices in one dtype

    The definition, with all products written out. For thin matrices this needs no special kernel.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    product = op.Matmul(x, y, out_dtype=x.dtype)
    spread = op.ExpandDims(x, axis=(2,)) * op.ExpandDims(y, axis=(0,))
    return Subst(product, op.Sum(spread, axis=(1,), keepdims=False), where=matrices(x, y))
