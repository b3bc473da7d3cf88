"""Operators that share nothing and are put together although they are not alike."""

from gsl import Subst, op, pat, rule

PAIR = {"multiple-outputs", "independent"}


@rule(
    tags={"matmul", "combine-parallel"} | PAIR,
    origin="mistake",
    expect="GSL303",
    twin="independent_products",
)
def independent_products_of_other_widths() -> Subst:
    """x1 @ w1, x2 @ w2  =>  p[0], p[1], p = stack(x1, x2) @ stack(w1, w2)

    Only the data are compared: weights of other widths cannot be stacked.
    """
    x1, x2, w1, w2 = pat.Wildcard(), pat.Wildcard(), pat.Variable(), pat.Variable()
    one = op.Matmul(x1, w1)
    two = op.Matmul(x2, w2, **pat.same_attr(one))
    both = op.Matmul(op.Stack((x1, x2)), op.Stack((w1, w2)), **pat.same_attr(one))
    pieces = op.Split(both, indices_or_sections=2)
    same_dtypes = [x1.dtype == x2.dtype, w1.dtype == w2.dtype]
    return Subst(
        [one, two],
        [op.Squeeze(pieces[0], axis=(0,)), op.Squeeze(pieces[1], axis=(0,))],
        where=[x1.shape == x2.shape, *same_dtypes, x1.ndim == 2, w1.ndim == 2],
    )


@rule(
    tags={"elementwise", "combine-parallel"} | PAIR,
    origin="mistake",
    expect="GSL303",
    twin="independent_relus",
)
def independent_relus_of_other_lengths() -> Subst:
    """relu(x), relu(y)  =>  split[0](relu(cat[0](x, y)))

    The sizes along the axis differ, and the result is cut in the middle.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    both = op.Relu(op.Concatenate((x, y), axis=0))
    pieces = op.Split(both, indices_or_sections=2, axis=0)
    return Subst(
        [op.Relu(x), op.Relu(y)],
        [pieces[0], pieces[1]],
        where=[x.dtype == y.dtype, x.ndim == 1, y.ndim == 1],
    )
