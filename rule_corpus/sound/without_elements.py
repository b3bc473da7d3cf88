"""Tensors without elements: what is computed of them is known."""

from gsl import Subst, attr, op, pat, rule

TAGS = {"empty", "identity-elim"}


def _matrix() -> pat.Wildcard:
    return pat.Wildcard(ndim=2)


@rule(
    tags=TAGS | {"concat", "data-movement", "bit-exact"},
    origin="XLA: AlgebraicSimplifier, concatenation of an operand without elements",
    twin="concat_with_no_columns",
    flags=(),
)
def concat_with_no_rows() -> Subst:
    """cat[0](a, b)  =>  a for matrices, where b has no rows

    Nothing comes after the rows of a. A matrix may also lack elements as it has no columns, and its
    rows count then.
    """
    a, b = _matrix(), _matrix()
    return Subst(op.Concatenate((a, b), axis=0), a, where=[b.shape[0] == 0])


@rule(
    tags=TAGS | {"matmul", "folding", "bit-exact"},
    origin="XLA: AlgebraicSimplifier, dot of operands without elements",
    twin="matmul_over_one_element",
    flags=(),
)
def matmul_over_nothing() -> Subst:
    """matmul(a, b)  =>  zeros for matrices, where a has no columns

    Every element of the product is a sum of no terms.
    """
    a, b = _matrix(), _matrix()
    product = op.Matmul(a, b, out_dtype="float32")
    zeros = op.Full(shape=(a.shape[0], b.shape[1]), fill_value=0.0, dtype="float32")
    return Subst(product, zeros, where=[a.shape[1] == 0])


@rule(
    tags=TAGS | {"elementwise", "bit-exact"},
    origin="XLA: ZeroSizedHloElimination",
    twin="function_of_one_element",
    flags=(),
)
def function_of_nothing() -> Subst:
    """exp(x)  =>  zeros like x, where x has no elements

    There is no element that could differ.
    """
    x = pat.Wildcard()
    size = attr.Product(lambda i: x.shape[i], length=x.ndim)
    return Subst(op.Exp(x), op.ZerosLike(x), where=[size == 0])
