"""Matrix products gone wrong: order, vectors, broadcasting and accumulators that get lost."""

from gsl import Subst, attr, op, pat, rule


def swapped(matrix: pat.Pattern) -> attr.Term:
    """Return the permutation that exchanges the last two axes of at least two."""
    n = matrix.ndim
    return attr.Variadic(
        lambda i: attr.Cond(i < n - 2, i, attr.Cond(i == n - 2, n - 1, n - 2)), length=n
    )


def transposed(matrix: pat.Pattern) -> pat.Call:
    """Exchange the last two axes."""
    return op.Transpose(matrix, axes=swapped(matrix))


@rule(
    tags={"matmul", "transpose", "algebraic-reassoc"},
    origin="PolyJuice: polyjuice-matmul-trans",
    expect="GSL401",
    twin="transpose_of_matmul",
)
def transpose_of_matmul_kept_order() -> Subst:
    """T(x @ y)  =>  T(x) @ T(y) for square x and y of one shape

    In the active rules of the repository: the operands keep their order, which computes y @ x.
    Other than square matrices would not even fit.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    product = op.Matmul(x, y)
    target = op.Matmul(transposed(x), transposed(y), out_dtype=product.out_dtype)
    square = [x.ndim >= 2, x.shape == y.shape, x.shape[-1] == x.shape[x.ndim - 2]]
    return Subst(transposed(product), target, where=square)


@rule(
    tags={"matmul", "reassociation", "algebraic-reassoc"},
    origin="TVM Relax: tvm-relax-adjmm-outdtype",
    expect="GSL302",
    twin="matmul_association",
)
def matmul_association_any_dtype() -> Subst:
    """(x @ y) @ z in any dtype  =>  x @ (y @ z) in the dtype of x

    AdjustMatmulOrder builds its products without out_dtype, live in 0.27.0, so that float16 stays
    float16 where float32 was asked for.
    """
    x, y, z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    whole = op.Matmul(op.Matmul(x, y, out_dtype=x.dtype), z)
    return Subst(whole, x @ (y @ z), where=[x.ndim >= 2, y.ndim >= 2, z.ndim >= 2])


@rule(
    tags={"matmul", "reassociation", "algebraic-reassoc"},
    origin="TVM Relax: tvm-relax-adjmm-outdtype, the dtype kept outside",
    expect="GSL401",
    twin="matmul_association",
)
def matmul_association_wide() -> Subst:
    """(x @ y) @ z in dtype d  =>  x @ (y @ z) in dtype d, the inner products in that of x

    With the type right the values are still wrong: x @ y wraps in int8 and y @ z at another
    place, and in int32 the difference remains.
    """
    x, y, z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    whole = op.Matmul(op.Matmul(x, y, out_dtype=x.dtype), z)
    target = op.Matmul(x, op.Matmul(y, z, out_dtype=x.dtype), out_dtype=whole.out_dtype)
    return Subst(whole, target, where=[x.ndim >= 2, y.ndim >= 2, z.ndim >= 2])


@rule(
    tags={"matmul", "reassociation", "algebraic-reassoc"},
    origin="TVM Relax: tvm-relax-adjmm-1d",
    expect="GSL401",
    twin="matmul_association",
)
def matmul_association_vector() -> Subst:
    """(x @ y) @ z  =>  x @ (y @ z) for a vector y and square x and z

    x @ y takes y for a column, y @ z for a row: the results are z^T x y and x z^T y.
    """
    x, y, z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    whole = op.Matmul(op.Matmul(x, y, out_dtype=x.dtype), z, out_dtype=x.dtype)
    target = op.Matmul(x, op.Matmul(y, z, out_dtype=x.dtype), out_dtype=x.dtype)
    square = [x.ndim == 2, x.shape == z.shape, x.shape[0] == x.shape[1], y.ndim == 1]
    return Subst(whole, target, where=square)


@rule(
    tags={"matmul", "distributivity", "algebraic-distrib"},
    origin="TVM Relax: tvm-relax-expandmm-illegal",
    expect="GSL303",
    twin="expand_matmul_of_sum",
)
def expand_matmul_of_sum_published() -> Subst:
    """x @ (y + z)  =>  x @ y + x @ z

    ExpandMatmulOfSum does not ask whether the sum broadcasts, live in 0.27.0. A bias z of shape
    (1, N) or rank 0 is no matrix that x can be multiplied by.
    """
    x, y, z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    product = op.Matmul(x, y + z, out_dtype=x.dtype)
    parts = [op.Matmul(x, part, out_dtype=x.dtype) for part in (y, z)]
    return Subst(product, parts[0] + parts[1])


@rule(
    tags={"matmul", "distributivity", "algebraic-distrib"},
    origin="TVM Relax: tvm-relax-expandmm-outdtype",
    expect="GSL302",
    twin="expand_matmul_of_sum",
)
def expand_matmul_of_sum_default_dtype() -> Subst:
    """x @ (y + z) in any dtype  =>  x @ y + x @ z in that of x, when y and z have one shape

    Neither product gets the accumulator of the original (apache/tvm#20198).
    """
    x, y, z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    return Subst(op.Matmul(x, y + z), x @ y + x @ z, where=[y.shape == z.shape])


@rule(
    tags={"matmul", "distributivity", "integers", "algebraic-distrib"},
    origin="TASO: graph_subst.pb, factored products, with an accumulator",
    expect="GSL401",
    twin="factor_matmul_from_sum",
)
def factor_matmul_from_sum_wide() -> Subst:
    """x @ w + y @ w  =>  (x + y) @ w when x and y have one shape

    An int32 product of int8 matrices does not wrap, their sum does: 100 + 100 is -56.
    """
    x, y, w = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    one = op.Matmul(x, w)
    two = op.Matmul(y, w, out_dtype=one.out_dtype)
    target = op.Matmul(x + y, w, out_dtype=one.out_dtype)
    return Subst(one + two, target, where=[x.shape == y.shape])


@rule(
    tags={"matmul", "transpose", "dense", "fusion"},
    origin="ONNX Runtime: ort-gemm-transpose-identity",
    expect="GSL401",
    twin="matmul_as_dense",
)
def matmul_as_dense_any_order() -> Subst:
    """x @ T[p](w)  =>  dense(x, w) for square w and any p

    A transpose of matrices need not move anything (onnxruntime#32228). For a square operand the
    shapes agree and the product is that with T(w).
    """
    x, w = pat.Wildcard(), pat.Wildcard()
    product = op.Matmul(x, op.Transpose(w))
    target = op.Dense(x, w, out_dtype=product.out_dtype)
    return Subst(product, target, where=[w.ndim == 2, w.shape[0] == w.shape[-1]])


@rule(
    tags={"matmul", "scale", "algebraic-distrib"},
    origin="ONNX Runtime: ort-mmscale-leading and ort-mmscale-scalar-x",
    expect="GSL301",
    twin="matmul_of_scaled",
)
def matmul_of_scaled_any_shape() -> Subst:
    """(x * s) @ y  =>  (x @ y) * s for a constant s with one element

    One element is not rank 0 (onnxruntime#10950, #24407). The product of two vectors is a number,
    and multiplied by a vector of one element it is none any more; a rank-0 x on the other hand
    only becomes a vector by its factor.
    """
    x, y, s = pat.Wildcard(), pat.Wildcard(), pat.Const()
    product = op.Matmul(x * s, y, out_dtype=x.dtype)
    single = attr.All(lambda i: s.shape[i] == 1, length=s.ndim)
    return Subst(product, op.Matmul(x, y, out_dtype=x.dtype) * s, where=[single])


@rule(
    tags={"matmul", "scale", "algebraic-distrib"},
    origin="TensorFlow Lite: tflite-fusion-61967",
    expect="GSL303",
    twin="matmul_of_scaled_columns",
)
def matmul_of_scaled_columns_expanding() -> Subst:
    """(x * s) @ w  =>  x @ (w * s[:, None]) for a matrix w and a vector s

    Fused although the product with the constants makes x larger (tensorflow#61967): an x of one
    column that s repeats has too few columns for w by itself.
    """
    x, s, w = pat.Wildcard(), pat.Variable(shape=(None,)), pat.Variable(shape=(None, None))
    product = op.Matmul(x * s, w, out_dtype=x.dtype)
    rows = op.ExpandDims(s, axis=(1,))
    return Subst(product, op.Matmul(x, w * rows, out_dtype=x.dtype))


@rule(
    tags={"matmul", "reshape", "shape-op"},
    origin="ONNX Script: onnxscript-reshape-mm-shapes",
    expect="GSL401",
    twin="matmul_of_flattened_batch",
)
def matmul_between_reshapes() -> Subst:
    """reshape[(n, 1, 1)](reshape[s](x) @ reshape[t](y))  =>  x @ y for x, y of shape (n, 1, 1)

    Only ranks and the final shape are looked at, live in 0.7.2: as 2 x 2 matrices four numbers
    make other products than one by one.
    """
    x = pat.Variable(shape=(None, 1, 1))
    y = pat.Variable(shape=x.shape)
    factors = [op.Reshape(part, shape=(None, None)) for part in (x, y)]
    product = op.Matmul(factors[0], factors[1], out_dtype=x.dtype)
    return Subst(op.Reshape(product, shape=x.shape), op.Matmul(x, y, out_dtype=x.dtype))


@rule(
    tags={"matmul", "parallel", "multiple-outputs", "combine-parallel"},
    origin="onnxoptimizer: onnxopt-qkv-split-opset, sizes for positions",
    expect="GSL301",
    twin="merge_qkv",
)
def merge_qkv_by_sizes() -> Subst:
    """x @ q, x @ k, x @ v  =>  split[-1](x @ cat[1](q, k, v)) cut at the widths of q and of k

    Sizes of the pieces where positions are asked for; ONNX has had both conventions. With three
    equal weights the second piece is empty.
    """
    x, q = pat.Wildcard(), pat.Variable(shape=(None, None))
    k, v = pat.Variable(shape=q.shape), pat.Variable(shape=q.shape)
    first = op.Matmul(x, q)
    others = [op.Matmul(x, w, out_dtype=first.out_dtype) for w in (k, v)]
    merged = op.Matmul(x, op.Concatenate((q, k, v), axis=1), out_dtype=first.out_dtype)
    cuts = (q.shape[1], k.shape[1])
    pieces = op.Split(merged, indices_or_sections=cuts, axis=-1)
    return Subst([first, *others], [pieces[i] for i in range(3)])


@rule(
    tags={"matmul", "parallel", "multiple-outputs", "combine-parallel"},
    origin="GSL: gsl-cpbmm-transpose",
    expect="GSL303",
    twin="combine_parallel_batch_matmul",
)
def combine_parallel_batch_matmul_same_axis() -> Subst:
    """x @ y, x @ z  =>  split[-1](x @ cat[1](y, z)) as if y and z were stored by columns

    exp_lang.py of GSL joins along axis 1 without asking for transpose_b. Plain factors get more
    rows then, which x has no columns for.
    """
    x, y = pat.Wildcard(), pat.Variable(shape=(None, None, None))
    z = pat.Variable(shape=y.shape)
    one = op.Matmul(x, y)
    two = op.Matmul(x, z, out_dtype=one.out_dtype)
    merged = op.Matmul(x, op.Concatenate((y, z), axis=1), out_dtype=one.out_dtype)
    pieces = op.Split(merged, indices_or_sections=(y.shape[2],), axis=-1)
    return Subst([one, two], [pieces[0], pieces[1]])


@rule(
    tags={"matmul", "dense", "reshape", "lowering"},
    origin="TensorFlow Lite: tflite-fc-reshape",
    expect="GSL303",
    twin="matmul_as_dense_of_rows",
)
def matmul_as_dense_of_one_row() -> Subst:
    """x @ w  =>  reshape(dense(reshape[(1, k)](x), T(w))) for w of shape (k, n)

    tensorflow/tensorflow#124013: made for one row, whose number of elements is that of a column of
    w. Data of more rows does not fit into it: 2 elements into 1 in the report.
    """
    x, w = pat.Wildcard(), pat.Variable(shape=(None, None))
    product = op.Matmul(x, w)
    row = op.Reshape(x, shape=(1, w.shape[0]))
    dense = op.Dense(row, op.Transpose(w, axes=(1, 0)), out_dtype=product.out_dtype)
    return Subst(product, op.Reshape(dense, shape=product.shape))


@rule(
    tags={"matmul", "transpose", "distributivity", "algebraic-distrib"},
    origin="TVM Relax: tvm-relax-expandmm-permute",
    expect="GSL401",
    twin="expand_matmul_of_transposed_sum",
)
def expand_matmul_of_transposed_sum_untransposed() -> Subst:
    """x @ T(y + z)  =>  x @ y + x @ z for square matrices y and z

    apache/tvm#16590: ExpandMatmulOfSum knew nothing of the transposition that a linear layer puts
    before its product. There it did not match; a pattern that looks through T has to give it to
    both summands. Square matrices hide it from the shapes.
    """
    x, y, z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    product = op.Matmul(x, op.Transpose(y + z, axes=(1, 0)), out_dtype=x.dtype)
    parts = [op.Matmul(x, part, out_dtype=x.dtype) for part in (y, z)]
    square = [y.ndim == 2, y.shape[0] == y.shape[1], y.shape == z.shape]
    return Subst(product, parts[0] + parts[1], where=square)


@rule(
    tags={"matmul", "identity-elim"},
    origin="PyTorch Inductor: inductor-addmm-beta0",
    expect="GSL406",
    nan="same",
    twin="matmul_plus_multiple_by_zero",
)
def matmul_plus_multiple_by_zero_any_dtype() -> Subst:
    """a @ b + c * 0  =>  a @ b for c of the shape of the product

    addmm with beta = 0 ignores c, the sum spelled out does not: NaN times 0 is NaN. Decompositions
    took one for the other (pytorch#178040 and three more).
    """
    a, b, c = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    product = op.Matmul(a, b)
    return Subst(product + c * 0, product, where=[c.shape == product.shape])
