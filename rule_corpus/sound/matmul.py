"""Matrix products: order of operands, association, sums, and several products made one.

Operands are converted to the dtype of the result first. It matters whether something is computed
before or after that: the sum of two int8 weights wraps, in an int32 product it does not.
"""

from gsl import Subst, attr, op, pat, rule
from gsl.types import INTEGER

WIDENING = (("float16", "float32"), ("float16", "float64"), ("float32", "float64"))


def swapped(matrix: pat.Pattern) -> attr.Term:
    """Return the permutation that exchanges the last two axes of at least two."""
    n = matrix.ndim
    return attr.Variadic(
        lambda i: attr.Cond(i < n - 2, i, attr.Cond(i == n - 2, n - 1, n - 2)), length=n
    )


def transposed(matrix: pat.Pattern) -> pat.Call:
    """Exchange the last two axes."""
    return op.Transpose(matrix, axes=swapped(matrix))


def sums_alike(product: pat.Call) -> attr.Term:
    """Return the condition that operands may be added before or after they are converted.

    Integers must not be converted at all and floats not to a narrower dtype, which loses digits.
    """
    given = product.operands[0].dtype
    return (product.out_dtype == given) | attr.In((given, product.out_dtype), WIDENING)


@rule(
    tags={"matmul", "transpose", "same-terms", "algebraic-reassoc"},
    origin="TASO: verify.py, matmul and transpose",
    twin="transpose_of_matmul_kept_order",
    flags=(),
)
def transpose_of_matmul() -> Subst:
    """T(x @ y)  =>  T(y) @ T(x), T exchanging the last two axes

    Row i and column j of the product change places, and with them the operands. Vectors have no
    two axes to exchange; leading axes broadcast as before.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    product = op.Matmul(x, y)
    target = op.Matmul(transposed(y), transposed(x), out_dtype=product.out_dtype)
    return Subst(transposed(product), target, where=[x.ndim >= 2, y.ndim >= 2])


@rule(
    tags={"matmul", "reassociation", "exact-real-and-int", "algebraic-reassoc"},
    origin="TVM Relax: AdjustMatmulOrder; TensorRight: xla/dot, rule 03",
    twin="matmul_association_any_dtype",
    flags={"ninf", "reassoc"},
)
def matmul_association() -> Subst:
    """(x @ y) @ z  =>  x @ (y @ z)

    True of matrices and of batches of them in any ring, wrapping integers included, as long as
    all is computed in one dtype. A vector in the middle would be a row here and a column there.
    """
    x, y, z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    whole = op.Matmul(op.Matmul(x, y, out_dtype=x.dtype), z, out_dtype=x.dtype)
    target = op.Matmul(x, op.Matmul(y, z, out_dtype=x.dtype), out_dtype=x.dtype)
    return Subst(whole, target, where=[x.ndim >= 2, y.ndim >= 2, z.ndim >= 2])


@rule(
    tags={"matmul", "distributivity", "exact-real-and-int", "algebraic-distrib"},
    origin="TVM Relax: ExpandMatmulOfSum",
    twin="expand_matmul_of_sum_published",
    flags={"ninf", "reassoc", "lossy"},
)
def expand_matmul_of_sum() -> Subst:
    """x @ (y + z)  =>  x @ y + x @ z when y and z have one shape

    If the sum broadcasts, a summand need not be a matrix that fits x. The accumulator is copied
    to both products.
    """
    x, y, z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    product = op.Matmul(x, y + z)
    parts = [op.Matmul(x, part, out_dtype=product.out_dtype) for part in (y, z)]
    return Subst(product, parts[0] + parts[1], where=[y.shape == z.shape, sums_alike(product)])


@rule(
    tags={"matmul", "distributivity", "exact-real-and-int", "algebraic-distrib"},
    origin="TASO: graph_subst.pb, factored products",
    twin="factor_matmul_from_sum_wide",
    flags={"ninf", "reassoc", "lossy"},
)
def factor_matmul_from_sum() -> Subst:
    """x @ w + y @ w  =>  (x + y) @ w when x and y have one shape

    Two products become one, of a sum that is computed in the dtype of x.
    """
    x, y, w = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    one = op.Matmul(x, w)
    two = op.Matmul(y, w, out_dtype=one.out_dtype)
    target = op.Matmul(x + y, w, out_dtype=one.out_dtype)
    return Subst(one + two, target, where=[x.shape == y.shape, sums_alike(one)])


@rule(
    tags={"matmul", "reshape", "same-terms", "shape-op"},
    origin="ONNX Script: _broadcast_to_matmul",
    twin="matmul_between_reshapes",
    flags=(),
)
def matmul_of_flattened_batch() -> Subst:
    """reshape[(b, m, n)](reshape[(b * m, k)](x) @ w)  =>  x @ w for x of shape (b, m, k)

    The rows of all matrices of a batch, one after the other, and back again. Both reshapes have
    to be these: any others with the same ranks mix rows with columns.
    """
    x, w = pat.Wildcard(), pat.Wildcard()
    rows = op.Reshape(x, shape=(x.shape[0] * x.shape[1], x.shape[2]))
    product = op.Matmul(rows, w)
    batch = op.Reshape(product, shape=(x.shape[0], x.shape[1], w.shape[1]))
    target = op.Matmul(x, w, out_dtype=product.out_dtype)
    return Subst(batch, target, where=[x.ndim == 3, w.ndim == 2])


@rule(
    tags={"matmul", "transpose", "dense", "same-terms", "fusion"},
    origin="ONNX Runtime: GemmTransposeFusion",
    twin="matmul_as_dense_any_order",
    flags=(),
)
def matmul_as_dense() -> Subst:
    """x @ T[(1, 0)](w)  =>  dense(x, w)

    A dense layer takes its weight by outputs. The other permutation of two axes moves nothing.
    """
    x, w = pat.Wildcard(), pat.Wildcard()
    product = op.Matmul(x, op.Transpose(w, axes=(1, 0)))
    return Subst(product, op.Dense(x, w, out_dtype=product.out_dtype))


@rule(
    tags={"matmul", "scale", "exact-real-and-int", "algebraic-distrib"},
    origin="Enzyme-JAX: FactorScalarsInDotGeneral",
    twin="matmul_of_scaled_any_shape",
    flags={"ninf", "nsz", "reassoc"},
)
def matmul_of_scaled() -> Subst:
    """(x * s) @ y  =>  (x @ y) * s for a constant s of rank 0

    A factor of every product is a factor of their sum. A constant with one element but more axes
    could add axes to x and change which of them are multiplied.
    """
    x, y, s = pat.Wildcard(), pat.Wildcard(), pat.Const(shape=())
    product = op.Matmul(x * s, y, out_dtype=x.dtype)
    return Subst(product, op.Matmul(x, y, out_dtype=x.dtype) * s)


@rule(
    tags={"matmul", "scale", "exact-real-and-int", "algebraic-distrib"},
    origin="TensorFlow Lite: FuseMulAndFullyConnected",
    twin="matmul_of_scaled_columns_expanding",
    flags={"ninf", "nsz", "reassoc"},
)
def matmul_of_scaled_columns() -> Subst:
    """(x * s) @ w  =>  x @ (w * s[:, None]) for a matrix w and a vector s, if x * s is not larger

    Column k of x and row k of w only meet in one product. If s made x larger, x alone would not
    fit w any more, or only by accident.
    """
    x, s, w = pat.Wildcard(), pat.Variable(shape=(None,)), pat.Variable(shape=(None, None))
    scaled = x * s
    product = op.Matmul(scaled, w, out_dtype=x.dtype)
    rows = op.ExpandDims(s, axis=(1,))
    target = op.Matmul(x, w * rows, out_dtype=x.dtype)
    return Subst(product, target, where=[scaled.shape == x.shape])


@rule(
    tags={"matmul", "parallel", "multiple-outputs", "same-terms", "combine-parallel"},
    origin="onnxoptimizer: fuse_qkv.h",
    twin="merge_qkv_by_sizes",
    flags=(),
)
def merge_qkv() -> Subst:
    """x @ q, x @ k, x @ v  =>  split[-1](x @ cat[1](q, k, v)) cut behind q and behind k

    Columns of the weights are columns of the products. Cuts are positions, not sizes.
    """
    x = pat.Wildcard()
    q, k, v = (pat.Variable(shape=(None, None)) for _ in range(3))
    first = op.Matmul(x, q)
    others = [op.Matmul(x, w, out_dtype=first.out_dtype) for w in (k, v)]
    merged = op.Matmul(x, op.Concatenate((q, k, v), axis=1), out_dtype=first.out_dtype)
    cuts = (q.shape[1], q.shape[1] + k.shape[1])
    pieces = op.Split(merged, indices_or_sections=cuts, axis=-1)
    return Subst([first, *others], [pieces[i] for i in range(3)])


@rule(
    tags={"matmul", "parallel", "transpose", "variadic-outputs", "same-terms", "combine-parallel"},
    origin="TVM Relay: CombineParallelBatchMatmul",
    twin="combine_parallel_batch_matmul_same_axis",
    flags=(),
)
def combine_parallel_batch_matmul() -> Subst:
    """x @ T(y_i), i = 0, 1, ...  =>  split[-1](x @ T(cat[1](y_0, y_1, ...))), T = [0, 2, 1]

    Batches of matrices that are stored by columns are put together by rows. There must be as many
    matrices in every y_i, and two products at least.
    """
    x, y0 = pat.Wildcard(), pat.Variable(shape=(None, None, None))
    y = pat.Variable(shape=(y0.shape[0], None, y0.shape[2]))
    turned0, turned = op.Transpose(y0, axes=(0, 2, 1)), op.Transpose(y, axes=(0, 2, 1))
    first = op.Matmul(x, turned0)
    product = op.Matmul(x, turned, out_dtype=first.out_dtype)
    templates = [product, turned, y]
    source = pat.Variadic(product, templates=templates, first=[first, turned0, y0], min_len=2)
    i = attr.Symbol("i")
    weight = source(y, i)
    weights = pat.Variadic(weight, templates=[weight], index=i, length=source.length)
    joined = op.Transpose(op.Concatenate(weights, axis=1), axes=(0, 2, 1))
    cuts = attr.Variadic(
        lambda j: attr.Sum(lambda k: source(y, k).shape[1], length=j + 1),
        length=source.length - 1,
    )
    merged = op.Matmul(x, joined, out_dtype=first.out_dtype)
    pieces = op.Split(merged, indices_or_sections=cuts, axis=-1)
    j = attr.Symbol("j")
    piece = pieces[j]
    return Subst(source, pat.Variadic(piece, templates=[piece], index=j))


@rule(
    tags={"matmul", "dense", "reshape", "lowering", "same-terms"},
    origin="TensorFlow Lite: matrix products as fully connected layers",
    twin="matmul_as_dense_of_one_row",
    flags=(),
)
def matmul_as_dense_of_rows() -> Subst:
    """x @ w  =>  reshape(dense(reshape[(r, k)](x), T(w))) for w of shape (k, n)

    All axes of x in front of the last one are rows, r altogether.
    """
    x, w = pat.Wildcard(), pat.Variable(shape=(None, None))
    product = op.Matmul(x, w)
    count = attr.Product(lambda i: x.shape[i], length=x.ndim - 1)
    rows = op.Reshape(x, shape=(count, w.shape[0]))
    dense = op.Dense(rows, op.Transpose(w, axes=(1, 0)), out_dtype=product.out_dtype)
    return Subst(product, op.Reshape(dense, shape=product.shape))


@rule(
    tags={"matmul", "transpose", "distributivity", "exact-real-and-int", "algebraic-distrib"},
    origin="TVM Relax: ExpandMatmulOfSum, for linear layers",
    twin="expand_matmul_of_transposed_sum_untransposed",
    flags={"ninf", "reassoc", "lossy"},
)
def expand_matmul_of_transposed_sum() -> Subst:
    """x @ T(y + z)  =>  x @ T(y) + x @ T(z) when y and z have one shape

    T exchanges the last two axes, as for the weight of a linear layer, of both summands.
    """
    x, y, z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    product = op.Matmul(x, transposed(y + z))
    parts = [op.Matmul(x, transposed(part), out_dtype=product.out_dtype) for part in (y, z)]
    return Subst(product, parts[0] + parts[1], where=[y.shape == z.shape, sums_alike(product)])


@rule(
    tags={"matmul", "identity-elim", "integers", "exact-int-only"},
    origin="PyTorch: addmm with beta = 0",
    flags=(),
    twin="matmul_plus_multiple_by_zero_any_dtype",
)
def matmul_plus_multiple_by_zero() -> Subst:
    """a @ b + c * 0  =>  a @ b for integers and c of the shape of the product

    Of floats it takes what c has of NaN and infinities away.
    """
    a, b, c = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    product = op.Matmul(a, b)
    integers = attr.In(c.dtype, INTEGER)
    return Subst(product + c * 0, product, where=[c.shape == product.shape, integers])
