"""Operators that share nothing become one, bound to each other by equal attributes.

Experts, towers and branches compute alike with tensors of their own. What neither depends on the
other may be computed at once, so that a machine starts one large operator instead of two.
"""

from gsl import Subst, attr, op, pat, rule
from gsl.pat import Pattern

PAIR = {"multiple-outputs", "independent"}
ANY_NUMBER = {"variadic-outputs", "independent"}


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
    tags={"matmul", "same-terms", "combine-parallel"} | ANY_NUMBER,
    origin="horizontal fusion: Wang et al., HFTA (MLSys 2021)",
    twin="independent_products_variadic_of_other_widths",
    flags=(),
)
def independent_products_variadic() -> Subst:
    """x_i @ w_i for i < n  =>  the n parts of stack(x_i) @ stack(w_i)

    As for two; every product has the sizes and dtypes of the first one.
    """
    first_x, first_w = pat.Wildcard(ndim=2), pat.Variable(shape=(None, None))
    first = op.Matmul(first_x, first_w)
    x = pat.Wildcard(shape=first_x.shape, dtype=first_x.dtype)
    w = pat.Variable(shape=first_w.shape, dtype=first_w.dtype)
    one = op.Matmul(x, w, **pat.same_attr(first))
    products = pat.Variadic(one, templates=[one, x, w], first=[first, first_x, first_w], min_len=2)

    def stacked(template: Pattern) -> Pattern:
        i = attr.Symbol("i")
        field = products(template, i)
        fields = pat.Variadic(field, templates=[field], index=i, length=products.length)
        return op.Stack(fields)

    all_of_them = op.Matmul(stacked(x), stacked(w), **pat.same_attr(first))
    pieces = op.Split(all_of_them, indices_or_sections=products.length)
    k = attr.Symbol("k")
    piece = pieces[k]
    matrix = op.Squeeze(piece, axis=(0,))
    return Subst(products, pat.Variadic(matrix, templates=[matrix, piece], index=k))


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
