"""Element-wise operators: sums with biases, equal calls that become one, tuples taken apart."""

from gsl import Subst, attr, op, pat, rule


@rule(
    tags={"elementwise", "bias_add", "reassociation", "exact-real-and-int", "algebraic-reassoc"},
    origin="GSL: bias_add_add",
    twin="bias_add_add_published",
    flags={"ninf", "reassoc"},
)
def bias_add_add() -> Subst:
    """bias_add[a](x1, b1) + bias_add[a](x2, b2)  =>  bias_add[a](x1 + x2, b1 + b2)

    Sums may be taken in any order, also of integers that wrap. Broadcasting aligns the last axes,
    so the biases follow the same axis of the sum when both axes are equal counted from the end;
    ranks may then differ, and an operand of size 1 there brings a bias of size 1.
    """
    x1, b1, x2, b2 = pat.Wildcard(), pat.Variable(), pat.Wildcard(), pat.Variable()
    one, two = op.BiasAdd(x1, b1), op.BiasAdd(x2, b2)
    from_end = one.axis % x1.ndim - x1.ndim
    return Subst(
        one + two,
        op.BiasAdd(x1 + x2, b1 + b2, axis=from_end),
        where=[from_end == two.axis % x2.ndim - x2.ndim],
    )


@rule(
    tags={"elementwise", "merge", "multiple-outputs", "bit-exact", "cse"},
    origin="GSL: merge_element_wise",
    twin="merge_element_wise_published",
    flags=(),
)
def merge_element_wise() -> Subst:
    """f{A}(x), f{A}(x)  =>  y, y with y = f{A}(x)

    Operators are functions: the same one with the same attributes has the same result. Which
    operator it is does not matter as long as it has one operand.
    """
    x = pat.Wildcard()
    one = op.trait("unary")(x)
    two = op.same(one)(x, **pat.same_attr(one))
    return Subst([one, two], [one, one])


@rule(
    tags={"elementwise", "merge", "multiple-outputs", "bit-exact", "cse"},
    origin="GSL: exp_alg.py, merge_three_element_wise",
    twin="merge_element_wise_published",
    flags=(),
)
def merge_three_element_wise() -> Subst:
    """f{A}(x), f{A}(x), f{A}(x)  =>  y, y, y with y = f{A}(x)

    As for two; the third call is compared with the first.
    """
    x = pat.Wildcard()
    one = op.trait("unary")(x)
    two, three = (op.same(one)(x, **pat.same_attr(one)) for _ in range(2))
    return Subst([one, two, three], [one, one, one])


@rule(
    tags={"elementwise", "merge", "variadic-outputs", "bit-exact", "cse"},
    origin="GSL: merge_element_wise_variadic",
    twin="merge_element_wise_variadic_published",
    flags=(),
)
def merge_element_wise_variadic() -> Subst:
    """f{A}(x), f{A}(x), ...  =>  y, y, ... with y = f{A}(x)

    As for two calls, but all there are at once. A single call must not match: it would be
    replaced by itself for ever.
    """
    x = pat.Wildcard()
    first = op.trait("unary")(x)
    call = op.same(first)(x, **pat.same_attr(first))
    calls = pat.Variadic(call, templates=[call], first=[first], min_len=2)
    only = calls(call, 0)
    return Subst(calls, pat.Variadic(only, templates=[only], length=calls.length))


@rule(
    tags={"tuple", "data-movement", "variadic-outputs", "bit-exact"},
    origin="GSL: dispatch_tuple",
    twin="dispatch_tuple_reversed",
    flags=(),
)
def dispatch_tuple() -> Subst:
    """(x_0, x_1, ...).j for any number of j  =>  x_j for each j

    A field of a tuple that has just been built is what it was built from. Projections may name
    fields in any order, repeatedly or not at all; a projection out of range is no expression.
    """
    field = pat.Wildcard()
    whole = pat.Variadic(field, templates=[field])
    projection = whole[None]
    projections = pat.Variadic(projection, templates=[projection])
    i = attr.Symbol("i")
    chosen = whole(field, projections(projection, i).index)
    return Subst(projections, pat.Variadic(chosen, templates=[chosen], index=i))


@rule(
    tags={"split", "data-movement", "identity-elim", "bit-exact"},
    origin="Glow: arithmetic simplification",
    flags=(),
    twin="first_piece_of_split_of_identity",
)
def piece_of_split_of_identity() -> Subst:
    """split{A}(x * 1).j  =>  split{A}(x).j

    Piece j stays piece j.
    """
    x = pat.Wildcard()
    before = op.Split(x * 1)
    piece = before[None]
    return Subst(piece, op.Split(x, **pat.same_attr(before))[piece.index])
