"""Operators that share nothing become one, bound to each other by equal attributes.

Experts, towers and branches compute alike with tensors of their own. What neither depends on the
other may be computed at once, so that a machine starts one large operator instead of two.
"""

from gsl import Subst, op, pat, rule

PAIR = {"multiple-outputs", "independent"}


@rule(
    tags={"matmul", "same-terms", "combine-parallel"} | PAIR,
    origin="horizontal fusion: Wang et al., HFTA (MLSys 2021)",
    twin="independent_products_of_other_widths",
    flags=(),
)
def independent_products() -> Subst:
    """x1 @ w1, x2 @ w2  =>  p[0], p[1], p = stack(x1, x2) @ stack(w1, w2)

    A batched product computes one matrix after the other. Both have the same sizes and dtypes, so
    that they can be stacked.
    """
    x1, x2, w1, w2 = pat.Wildcard(), pat.Wildcard(), pat.Variable(), pat.Variable()
    one = op.Matmul(x1, w1)
    two = op.Matmul(x2, w2, **pat.same_attr(one))
    both = op.Matmul(op.Stack((x1, x2)), op.Stack((w1, w2)), **pat.same_attr(one))
    pieces = op.Split(both, indices_or_sections=2)
    alike = [x1.shape == x2.shape, w1.shape == w2.shape]
    same_dtypes = [x1.dtype == x2.dtype, w1.dtype == w2.dtype]
    matrices = [x1.ndim == 2, w1.ndim == 2]
    return Subst(
        [one, two],
        [op.Squeeze(pieces[0], axis=(0,)), op.Squeeze(pieces[1], axis=(0,))],
        where=[*alike, *same_dtypes, *matrices],
    )


@rule(
    tags={"elementwise", "bit-exact", "combine-parallel"} | PAIR,
    origin="horizontal fusion: XLA, horizontal_loop_fusion.cc",
    twin="independent_relus_of_other_lengths",
    flags=(),
)
def independent_relus() -> Subst:
    """relu(x), relu(y)  =>  split[0](relu(cat[0](x, y)))

    What is done to every element by itself is done to all of two tensors at once.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    both = op.Relu(op.Concatenate((x, y), axis=0))
    pieces = op.Split(both, indices_or_sections=2, axis=0)
    return Subst(
        [op.Relu(x), op.Relu(y)],
        [pieces[0], pieces[1]],
        where=[x.shape == y.shape, x.dtype == y.dtype, x.ndim >= 1],
    )
