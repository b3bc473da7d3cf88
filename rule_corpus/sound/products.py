"""Matrix products that are sums of products in disguise, and products of parts."""

from gsl import Subst, op, pat, rule


@rule(
    tags={"matmul", "concatenate", "same-terms", "algebraic-distrib"},
    origin="TensorRight: xla/dot, rule 01",
    twin="matmul_of_concats_unaligned",
    flags={"reassoc"},
)
def matmul_of_concats() -> Subst:
    """cat[1](x, y) @ cat[0](v, w)  =>  x @ v + y @ w for matrices cut at the same place

    A sum over the concatenated axis in two parts. Accumulated in the dtype of the operands, as
    the sum of two results would wrap or round in another one otherwise.
    """
    x, y, v, w = pat.Wildcard(), pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    left, right = op.Concatenate((x, y)), op.Concatenate((v, w))
    product = op.Matmul(left, right, out_dtype=x.dtype)
    one, two = op.Matmul(x, v, out_dtype=x.dtype), op.Matmul(y, w, out_dtype=x.dtype)
    inner = [left.axis % left.ndim == 1, right.axis % right.ndim == 0]
    ranks = [x.ndim == 2, v.ndim == 2]
    return Subst(product, one + two, where=[*inner, *ranks, x.shape[1] == v.shape[0]])


@rule(
    tags={"matmul", "concatenate", "slice", "same-terms", "algebraic-distrib"},
    origin="XLA: HandleDot, dot of concat with a constant",
    flags={"reassoc"},
)
def matmul_of_concat() -> Subst:
    """cat[1](x, y) @ w  =>  x @ w[:n] + y @ w[n:] for matrices, n the columns of x

    The rows of w that meet x and those that meet y. A constant w is cut before the network runs.
    """
    x, y, w = pat.Wildcard(), pat.Wildcard(), pat.Const(shape=(None, None))
    left = op.Concatenate((x, y))
    product = op.Matmul(left, w, out_dtype=x.dtype)
    n, rows, columns = x.shape[1], w.shape[0], w.shape[1]
    upper = op.StridedSlice(w, begin=(0, 0), end=(n, columns))
    lower = op.StridedSlice(w, begin=(n, 0), end=(rows, columns))
    one, two = op.Matmul(x, upper, out_dtype=x.dtype), op.Matmul(y, lower, out_dtype=x.dtype)
    return Subst(product, one + two, where=[x.ndim == 2, left.axis % left.ndim == 1])


@rule(
    tags={"matmul", "transpose", "same-terms", "algebraic-reassoc"},
    origin="TensorRight: xla/dot, rule 02",
    twin="matmul_exchanged",
    flags=(),
)
def matmul_exchanged_transposed() -> Subst:
    """T(x) @ T(y)  =>  T(y @ x) for matrices

    Row i and column j of the product change places with the operands: one transpose instead of
    two.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    one, two = op.Transpose(x, axes=(1, 0)), op.Transpose(y, axes=(1, 0))
    product = op.Matmul(one, two)
    inside = op.Matmul(y, x, out_dtype=product.out_dtype)
    return Subst(product, op.Transpose(inside, axes=(1, 0)))


@rule(
    tags={"matmul", "strength-reduction", "bit-exact"},
    origin="TensorRight: xla/dot, rule 04",
    flags={"nsz"},
)
def outer_product() -> Subst:
    """x @ y  =>  x * y for x with one column and y with one row

    Sums of one product. The column and the row broadcast to the matrix, leading axes as in the
    source.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    product = op.Matmul(x, y, out_dtype=x.dtype)
    return Subst(product, x * y, where=[x.ndim >= 2, y.ndim >= 2, x.shape[-1] == 1])


@rule(
    tags={"matmul", "reduction", "strength-reduction", "same-terms"},
    origin="TensorRight: xla/dot, rule 06",
    twin="matmul_with_vector_first_axis",
    flags={"nsz", "contract"},
)
def matmul_with_vector() -> Subst:
    """x @ v  =>  sum[-1](x * v) for vectors v

    Each row of x meets v. Of no matrices, x may be a vector itself.
    """
    x, v = pat.Wildcard(), pat.Wildcard()
    product = op.Matmul(x, v, out_dtype=x.dtype)
    return Subst(product, op.Sum(x * v, axis=(-1,)), where=[v.ndim == 1])


@rule(
    tags={"matmul", "reduction", "strength-reduction", "same-terms"},
    origin="XLA: DotStrengthReduction, vector times matrix",
    flags={"nsz", "contract"},
)
def vector_times_matmul() -> Subst:
    """v @ w  =>  sum[0](expand_dims[1](v) * w) for a vector v and a matrix w

    Row k of w is scaled by element k of v before all rows are added.
    """
    v, w = pat.Wildcard(), pat.Wildcard()
    product = op.Matmul(v, w, out_dtype=v.dtype)
    column = op.ExpandDims(v, axis=(1,))
    return Subst(product, op.Sum(column * w, axis=(0,)), where=[v.ndim == 1, w.ndim == 2])


@rule(
    tags={"matmul", "reduction", "same-terms", "fusion"},
    origin="Enzyme-JAX: ReduceMulToDotGeneral",
    flags={"contract"},
)
def inner_product() -> Subst:
    """sum(x * y)  =>  x @ y for two vectors of one size

    If one of them were broadcast, the product would not fit.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    total = op.Sum(x * y, keepdims=False)
    target = op.Matmul(x, y, out_dtype=x.dtype)
    return Subst(total, target, where=[x.ndim == 1, y.ndim == 1, x.shape == y.shape])


@rule(
    tags={"matmul", "reduction", "reshape", "same-terms", "fusion"},
    origin="TensorRight: xla/reduce, rule 06",
    twin="sum_of_batch_unpermuted",
    flags={"reassoc"},
)
def sum_of_batch_matmul() -> Subst:
    """sum[0](x @ y)  =>  reshape(T[1,0,2](x)) @ reshape(y) for batches of one size

    The sum over the batch joins the sum inside of the products: one product of matrices with
    b * k columns and rows, the batch being the slower of the two axes in both.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    total = op.Sum(op.Matmul(x, y, out_dtype=x.dtype), axis=(0,), keepdims=False)
    inner = x.shape[0] * x.shape[2]
    rows = op.Reshape(op.Transpose(x, axes=(1, 0, 2)), shape=(x.shape[1], inner))
    columns = op.Reshape(y, shape=(inner, y.shape[2]))
    target = op.Matmul(rows, columns, out_dtype=x.dtype)
    return Subst(total, target, where=[x.ndim == 3, y.ndim == 3, x.shape[0] == y.shape[0]])


@rule(
    tags={"conv", "matmul", "strength-reduction", "same-terms"},
    origin="TensorRight: xla/conv, rule 03",
    twin="conv1d_of_one_tap_any_stride",
    flags=(),
)
def conv1d_of_one_tap() -> Subst:
    """conv1d{strides 1, no padding, no groups}(x, w)  =>  squeeze[2](w) @ x for kernels of size 1

    Each place by itself: a product over the channels, which come before the places in NCW. The
    dilation of a window of one element does not matter.
    """
    x, w = pat.Wildcard(), pat.Wildcard()
    layouts = {"data_layout": "NCW", "kernel_layout": "OIW"}
    conv = op.Conv1D(x, w, strides=(1,), padding=(0, 0), groups=1, **layouts)
    matrix = op.Squeeze(w, axis=(2,))
    target = op.Matmul(matrix, x, out_dtype=conv.out_dtype)
    return Subst(conv, target, where=[w.shape[2] == 1])


@rule(
    tags={"matmul", "strength-reduction", "diagonal", "same-terms"},
    origin="Enzyme-JAX: DiagonalTensorDotGeneralRewrite",
    twin="matmul_of_diagonal_as_columns",
    flags={"nnan", "nsz"},
)
def matmul_of_diagonal() -> Subst:
    """diag(v) @ x  =>  expand_dims[1](v) * x for a vector v and a matrix x

    Row i of the product is row i of x scaled by v[i]; all else is multiplied by zero, which hides
    infinities of x no longer.
    """
    v, x = pat.Wildcard(), pat.Wildcard()
    zeros = op.Zeros(shape=(None, None))
    diagonal = op.MatrixSetDiag(zeros, v)
    product = op.Matmul(diagonal, x, out_dtype=v.dtype)
    target = op.ExpandDims(v, axis=(1,)) * x
    return Subst(product, target, where=[x.ndim == 2, zeros.shape[0] == zeros.shape[1]])


@rule(
    tags={"matmul", "scale", "exact-real-and-int", "algebraic-distrib"},
    origin="Enzyme-JAX: FactorScalarsInDotGeneral, both operands",
    flags={"ninf", "nsz", "reassoc"},
)
def matmul_of_two_scaled() -> Subst:
    """(x * c) @ (y * d)  =>  (x @ y) * (c * d) for constants c and d of rank 0

    Common factors of all summands, also of integers that wrap in the dtype of the operands.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    c, d = pat.Const(shape=()), pat.Const(shape=())
    product = op.Matmul(x * c, y * d, out_dtype=x.dtype)
    return Subst(product, op.Matmul(x, y, out_dtype=x.dtype) * (c * d))


@rule(
    tags={"matmul", "reduction", "same-terms", "fusion"},
    origin="onnxoptimizer: replace_einsum_with_matmul.h, one of its forms written out",
    twin="matmul_from_repeated_label",
    flags={"nsz", "contract"},
)
def matmul_from_sum_of_products() -> Subst:
    """sum[1](expand_dims[2](x) * expand_dims[0](y))  =>  x @ y: einsum "ik,kj->ij"

    All products of a row of x and a column of y are formed before they are added up. The labels of
    each operand are distinct, and k is as long in both: what broadcasts is no product of matrices.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    pairs = op.ExpandDims(x, axis=(2,)) * op.ExpandDims(y, axis=(0,))
    total = op.Sum(pairs, axis=(1,), keepdims=False)
    target = op.Matmul(x, y, out_dtype=x.dtype)
    return Subst(total, target, where=[x.ndim == 2, y.ndim == 2, x.shape[1] == y.shape[0]])
