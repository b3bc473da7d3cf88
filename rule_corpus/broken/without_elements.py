"""Rules about tensors without elements that take others for such."""

from gsl import Subst, attr, op, pat, rule

TAGS = {"empty", "identity-elim"}


def _matrix() -> pat.Wildcard:
    return pat.Wildcard(ndim=2)


@rule(
    tags=TAGS | {"concat", "data-movement"},
    origin="GSL: concat_with_no_rows, of another axis",
    expect="GSL408",
    twin="concat_with_no_rows",
)
def concat_with_no_columns() -> Subst:
    """cat[0](a, b)  =>  a for matrices, where b has no columns

    Neither matrix has elements then, but the result has the rows of both.
    """
    a, b = _matrix(), _matrix()
    return Subst(op.Concatenate((a, b), axis=0), a, where=[b.shape[1] == 0])


@rule(
    tags=TAGS | {"matmul", "folding"},
    origin="GSL: matmul_over_nothing, with one element more",
    expect="GSL401",
    twin="matmul_over_nothing",
)
def matmul_over_one_element() -> Subst:
    """matmul(a, b)  =>  zeros for matrices, where a has at most one column

    With one column each element of the result is a product.
    """
    a, b = _matrix(), _matrix()
    product = op.Matmul(a, b, out_dtype="float32")
    zeros = op.Full(shape=(a.shape[0], b.shape[1]), fill_value=0.0, dtype="float32")
    return Subst(product, zeros, where=[a.shape[1] <= 1])


@rule(
    tags=TAGS | {"elementwise"},
    origin="GSL: function_of_nothing, of a tensor of rank 0, too",
    expect="GSL401",
    twin="function_of_nothing",
)
def function_of_one_element() -> Subst:
    """exp(x)  =>  zeros like x, where some size of x is 0 or x has no axes

    The product of no sizes is 1: a tensor of rank 0 has an element.
    """
    x = pat.Wildcard()
    size = attr.Product(lambda i: x.shape[i], length=x.ndim)
    return Subst(op.Exp(x), op.ZerosLike(x), where=[(size == 0) | (x.ndim == 0)])
