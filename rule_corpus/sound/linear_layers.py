"""Linear layers: one after another, beside each other, and through the reshapes of exporters."""

from gsl import Subst, attr, op, pat, rule

ASSOCIATED = {"matmul", "reassociation", "exact-real-and-int", "algebraic-reassoc"}


@rule(
    tags=ASSOCIATED,
    origin="TASO: graph_subst.pb, associativity; PyTorch Inductor: linear layers in a row",
    flags={"ninf", "reassoc"},
)
def matmul_of_matmul() -> Subst:
    """(x @ w) @ v  =>  x @ (w @ v) for weights, where the product is no larger than both

    A product of matrices is associative. A narrow middle is kept, as it saves time and memory.
    """
    x = pat.Wildcard()
    w, v = (pat.Variable(shape=(None, None)) for _ in range(2))
    first = op.Matmul(x, w, out_dtype=x.dtype)
    second = op.Matmul(first, v, out_dtype=x.dtype)
    k, m, n = w.shape[0], w.shape[1], v.shape[1]
    target = op.Matmul(x, op.Matmul(w, v, out_dtype=x.dtype), out_dtype=x.dtype)
    return Subst(second, target, where=[x.ndim >= 2, k * n <= k * m + m * n])


@rule(
    tags=ASSOCIATED | {"bias", "algebraic-distrib"},
    origin="PyTorch Inductor: linear layers with biases in a row",
    twin="matmul_of_linear_bias_kept",
    flags={"ninf", "nsz", "reassoc"},
)
def matmul_of_linear() -> Subst:
    """(x @ w + c) @ v  =>  x @ (w @ v) + c @ v for weights and a vector c

    As without a bias, over which the second product distributes.
    """
    x, c = pat.Wildcard(), pat.Variable(shape=(None,))
    w, v = (pat.Variable(shape=(None, None)) for _ in range(2))
    first = op.Matmul(x, w, out_dtype=x.dtype)
    second = op.Matmul(first + c, v, out_dtype=x.dtype)
    k, m, n = w.shape[0], w.shape[1], v.shape[1]
    target = op.Matmul(x, op.Matmul(w, v, out_dtype=x.dtype), out_dtype=x.dtype)
    bias = op.Matmul(c, v, out_dtype=x.dtype)
    fits = [x.ndim >= 2, c.shape[0] == m, k * n <= k * m + m * n]
    return Subst(second, target + bias, where=fits)


@rule(
    tags={
        "matmul",
        "bias",
        "reshape",
        "data-movement",
        "same-terms",
        "canonicalise",
        "multiple-outputs",
    },
    origin="torch.onnx: Linear of batches as Gemm of rows",
    twin="linear_of_flattened_batch_by_columns",
    flags=(),
)
def linear_of_flattened_batch() -> Subst:
    """r, reshape[(b, m, n)](r @ w + c)  =>  r, x @ w + c for a vector c, r = reshape[(b * m, k)](x)

    Rows stay rows; so products of several batches can be compared with each other. Other products
    may use the rows.
    """
    x, w, c = pat.Wildcard(), pat.Variable(shape=(None, None)), pat.Variable(shape=(None,))
    rows = op.Reshape(x, shape=(x.shape[0] * x.shape[1], x.shape[2]))
    product = op.Matmul(rows, w)
    batch = op.Reshape(product + c, shape=(x.shape[0], x.shape[1], w.shape[1]))
    targets = [op.Reshape(x, shape=rows.shape), op.Matmul(x, w, out_dtype=product.out_dtype) + c]
    return Subst([rows, batch], targets, where=[x.ndim == 3, c.shape[0] == w.shape[1]])


@rule(
    tags={"bias", "reassociation", "exact-real-and-int", "algebraic-reassoc"},
    origin="GSL: biases that are left when linear layers become one",
    flags={"ninf", "reassoc"},
)
def sum_of_vectors() -> Subst:
    """(x + c) + d  =>  x + (c + d) for parameters c and d that are vectors of one length

    Addition is associative; parameters are folded.
    """
    x, c = pat.Wildcard(), pat.Variable(shape=(None,))
    d = pat.Variable(shape=c.shape)
    return Subst((x + c) + d, x + (c + d))


@rule(
    tags={"matmul", "bias", "canonicalise", "bit-exact"},
    origin="torch.onnx: Linear as a bias plus a product",
    flags=(),
)
def bias_behind_matmul() -> Subst:
    """c + x @ w  =>  x @ w + c for a vector c

    Addition is commutative; rules look for the bias behind the product.
    """
    x, w, c = pat.Wildcard(), pat.Variable(shape=(None, None)), pat.Variable(shape=(None,))
    product = op.Matmul(x, w)
    return Subst(c + product, product + c)


@rule(
    tags={"matmul", "bias", "parallel", "variadic-outputs", "combine-parallel", "same-terms"},
    origin="vLLM: qkv_proj, gate_up_proj with biases",
    twin="merge_biased_pair_in_two_orders",
    flags=(),
)
def merge_biased_linear_layers() -> Subst:
    """x @ w_i + c_i for i < n  =>  split[-1; N_0, ...](x @ cat[1](w_i) + cat[0](c_i))

    At least two, cut at the n - 1 proper sums of their widths. A bias has one element for each
    column of its weight.
    """
    x = pat.Wildcard()
    first_w, w = (pat.Variable(shape=(None, None)) for _ in range(2))
    first_c, c = (pat.Variable(shape=(weight.shape[1],)) for weight in (first_w, w))
    first = op.Matmul(x, first_w)
    product = op.Matmul(x, w, **pat.same_attr(first))
    first_sum, total = first + first_c, product + c
    sums = pat.Variadic(
        total,
        templates=[total, product, w, c],
        first=[first_sum, first, first_w, first_c],
        min_len=2,
    )
    i, j, k = (attr.Symbol(name) for name in "ijk")
    weight, bias = sums(w, i), sums(c, j)
    weights = pat.Variadic(weight, templates=[weight], index=i, length=sums.length)
    biases = pat.Variadic(bias, templates=[bias], index=j, length=sums.length)
    every = op.Matmul(x, op.Concatenate(weights, axis=1), **pat.same_attr(first))
    cuts = attr.Variadic(
        lambda n: attr.Sum(lambda m: sums(w, m).shape[1], length=n + 1),
        length=sums.length - 1,
    )
    biased = every + op.Concatenate(biases, axis=0)
    piece = op.Split(biased, indices_or_sections=cuts, axis=-1)[k]
    target = pat.Variadic(piece, templates=[piece], index=k)
    return Subst(sums, target)
