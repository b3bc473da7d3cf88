"""Products gone wrong: operands that do not meet, axes that are not permuted, strides."""

from gsl import Subst, op, pat, rule


@rule(
    tags={"matmul", "concatenate", "algebraic-distrib"},
    origin="TensorRight: xla/dot, rule 01, without equal split points",
    expect="GSL303",
    twin="matmul_of_concats",
)
def matmul_of_concats_unaligned() -> Subst:
    """cat[1](x, y) @ cat[0](v, w)  =>  x @ v + y @ w for matrices

    Only the sums of the sizes are equal; x need not fit v.
    """
    x, y, v, w = pat.Wildcard(), pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    left, right = op.Concatenate((x, y), axis=1), op.Concatenate((v, w), axis=0)
    product = op.Matmul(left, right, out_dtype=x.dtype)
    one, two = op.Matmul(x, v, out_dtype=x.dtype), op.Matmul(y, w, out_dtype=x.dtype)
    return Subst(product, one + two, where=[x.ndim == 2, v.ndim == 2])


@rule(
    tags={"matmul", "transpose", "algebraic-reassoc"},
    origin="TensorRight: xla/dot, rule 02, one mistake away",
    expect="GSL401",
    twin="matmul_exchanged_transposed",
)
def matmul_exchanged() -> Subst:
    """T(x) @ T(y)  =>  y @ x for square matrices

    The product itself is transposed, too.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    product = op.Matmul(op.Transpose(x, axes=(1, 0)), op.Transpose(y, axes=(1, 0)))
    square = [x.shape[0] == x.shape[1], y.shape[0] == y.shape[1]]
    return Subst(product, op.Matmul(y, x, out_dtype=product.out_dtype), where=square)


@rule(
    tags={"matmul", "reduction", "strength-reduction"},
    origin="TensorRight: xla/dot, rule 06, one mistake away",
    expect="GSL401",
    twin="matmul_with_vector",
)
def matmul_with_vector_first_axis() -> Subst:
    """x @ v  =>  sum[0](x * v) for a square matrix x and a vector v

    The sum runs along rows of x, not columns.
    """
    x, v = pat.Wildcard(), pat.Wildcard()
    product = op.Matmul(x, v, out_dtype=x.dtype)
    square = [x.ndim == 2, v.ndim == 1, x.shape[0] == x.shape[1]]
    return Subst(product, op.Sum(x * v, axis=(0,)), where=square)


@rule(
    tags={"matmul", "reduction", "reshape", "fusion"},
    origin="TensorRight: xla/reduce, rule 06, one mistake away",
    expect="GSL401",
    twin="sum_of_batch_matmul",
)
def sum_of_batch_unpermuted() -> Subst:
    """sum[0](x @ y)  =>  reshape(x) @ reshape(y) for batches of one size

    Reshaped without a transpose, rows of x consist of pieces of several rows.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    total = op.Sum(op.Matmul(x, y, out_dtype=x.dtype), axis=(0,), keepdims=False)
    inner = x.shape[0] * x.shape[2]
    rows = op.Reshape(x, shape=(x.shape[1], inner))
    columns = op.Reshape(y, shape=(inner, y.shape[2]))
    target = op.Matmul(rows, columns, out_dtype=x.dtype)
    return Subst(total, target, where=[x.ndim == 3, y.ndim == 3, x.shape[0] == y.shape[0]])


@rule(
    tags={"conv", "matmul", "strength-reduction"},
    origin="TensorRight: xla/conv, rule 03, without the condition on strides",
    expect="GSL301",
    twin="conv1d_of_one_tap",
)
def conv1d_of_one_tap_any_stride() -> Subst:
    """conv1d{no padding, no groups}(x, w)  =>  squeeze[2](w) @ x for kernels of size 1

    At larger strides places are left out.
    """
    x, w = pat.Wildcard(), pat.Wildcard()
    layouts = {"data_layout": "NCW", "kernel_layout": "OIW"}
    conv = op.Conv1D(x, w, padding=(0, 0), groups=1, **layouts)
    target = op.Matmul(op.Squeeze(w, axis=(2,)), x, out_dtype=conv.out_dtype)
    return Subst(conv, target, where=[w.shape[2] == 1])


@rule(
    tags={"matmul", "diagonal", "strength-reduction"},
    origin="Enzyme-JAX: enzyme-diag-dot",
    expect="GSL401",
    twin="matmul_of_diagonal",
)
def matmul_of_diagonal_as_columns() -> Subst:
    """diag(v) @ x  =>  v * x for a vector v and a square matrix x

    Broadcasting aligns v with the columns of x; the product scales rows.
    """
    v, x = pat.Wildcard(), pat.Wildcard()
    zeros = op.Zeros(shape=(None, None))
    product = op.Matmul(op.MatrixSetDiag(zeros, v), x, out_dtype=v.dtype)
    return Subst(
        product,
        v * x,
        where=[x.ndim == 2, zeros.shape[0] == zeros.shape[1], x.shape[0] == x.shape[1]],
    )


@rule(
    tags={"matmul", "diagonal", "strength-reduction"},
    origin="Enzyme-JAX: enzyme-diag-dot",
    expect="GSL401",
    twin="matmul_of_diagonal",
)
def matmul_of_diagonals_second_axis() -> Subst:
    """diag(v) @ x  =>  expand_dims[1](v) * x for vectors v and square matrices x in one batch

    DiagonalTensorDotGeneralRewrite did not count the axes (EnzymeAD/Enzyme-JAX#1842). Axis 1
    makes a column of a vector. Behind an axis of a batch it makes rows, which scale columns of x.
    """
    v, x = pat.Wildcard(), pat.Wildcard()
    zeros = op.Zeros(shape=(None, None, None))
    product = op.Matmul(op.MatrixSetDiag(zeros, v), x, out_dtype=v.dtype)
    target = op.ExpandDims(v, axis=(1,)) * x
    square = zeros.shape[1] == zeros.shape[2]
    return Subst(product, target, where=[square, x.shape == zeros.shape])


@rule(
    tags={"matmul", "reduction", "diagonal", "fusion"},
    origin="onnxoptimizer: onnxopt-einsum-diag",
    expect="GSL401",
    twin="matmul_from_sum_of_products",
)
def matmul_from_repeated_label() -> Subst:
    """expand_dims[1](sum[1](x * eye())) * y  =>  x @ y for square matrices: einsum "ii,ij->ij"

    replace_einsum_with_matmul does not ask whether the labels of an operand are distinct, live in
    0.4.2. A label that is repeated reads the diagonal only, the product all elements of x.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    unit = op.Eye(k=0, dtype=x.dtype)
    diagonal = op.Sum(x * unit, axis=(1,), keepdims=False)
    scaled = op.ExpandDims(diagonal, axis=(1,)) * y
    rows, columns = x.shape[0], x.shape[1]
    square = [x.ndim == 2, rows == columns, unit.n == rows, unit.m == rows, y.shape == x.shape]
    return Subst(scaled, op.Matmul(x, y, out_dtype=x.dtype), where=square)
