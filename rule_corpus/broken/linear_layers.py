"""Mistakes in putting linear layers together."""

from gsl import Subst, op, pat, rule


@rule(
    tags={"matmul", "reassociation", "bias", "algebraic-reassoc"},
    origin="PyTorch Inductor: linear layers in a row, the first bias forgotten in the product",
    expect="GSL401",
    twin="matmul_of_linear",
)
def matmul_of_linear_bias_kept() -> Subst:
    """(x @ w + c) @ v  =>  x @ (w @ v) + c for square weights

    The bias goes through the second layer, too.
    """
    x, c = pat.Wildcard(), pat.Variable(shape=(None,))
    w, v = (pat.Variable(shape=(None, None)) for _ in range(2))
    first = op.Matmul(x, w, out_dtype=x.dtype)
    second = op.Matmul(first + c, v, out_dtype=x.dtype)
    target = op.Matmul(x, op.Matmul(w, v, out_dtype=x.dtype), out_dtype=x.dtype)
    square = [c.shape[0] == w.shape[1], w.shape[0] == w.shape[1], v.shape == w.shape]
    return Subst(second, target + c, where=[x.ndim >= 2, *square])


@rule(
    tags={"matmul", "bias", "reshape", "data-movement"},
    origin="torch.onnx: Linear of batches as Gemm of rows, the columns batched",
    expect="GSL301",
    twin="linear_of_flattened_batch",
)
def linear_of_flattened_batch_by_columns() -> Subst:
    """reshape[(b, n, m)](reshape[(b * m, k)](x) @ w + c)  =>  x @ w + c for a vector c

    The rows of each batch lie behind each other, not its columns.
    """
    x, w, c = pat.Wildcard(), pat.Variable(shape=(None, None)), pat.Variable(shape=(None,))
    rows = op.Reshape(x, shape=(x.shape[0] * x.shape[1], x.shape[2]))
    product = op.Matmul(rows, w)
    batch = op.Reshape(product + c, shape=(x.shape[0], w.shape[1], x.shape[1]))
    target = op.Matmul(x, w, out_dtype=product.out_dtype) + c
    return Subst(batch, target, where=[x.ndim == 3, c.shape[0] == w.shape[1]])


@rule(
    tags={"matmul", "bias", "parallel", "multiple-outputs", "combine-parallel"},
    origin="vLLM: qkv_proj, biases in another order than weights",
    expect="GSL401",
    twin="merge_biased_linear_layers",
)
def merge_biased_pair_in_two_orders() -> Subst:
    """x @ v + a, x @ w + b  =>  split[-1](x @ cat[1](v, w) + cat[0](b, a)), equal widths

    The biases stand in the other order.
    """
    x = pat.Wildcard()
    v, a = pat.Variable(shape=(None, None)), pat.Variable(shape=(None,))
    w, b = pat.Variable(shape=v.shape), pat.Variable(shape=a.shape)
    first = op.Matmul(x, v)
    second = op.Matmul(x, w, out_dtype=first.out_dtype)
    merged = op.Matmul(x, op.Concatenate((v, w), axis=1), out_dtype=first.out_dtype)
    biased = merged + op.Concatenate((b, a), axis=0)
    pieces = op.Split(biased, indices_or_sections=2, axis=-1)
    fits = [a.shape[0] == v.shape[1]]
    return Subst([first + a, second + b], [pieces[0], pieces[1]], where=fits)
