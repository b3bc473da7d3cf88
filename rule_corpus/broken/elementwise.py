"""Rules about element-wise operators that forget broadcasting or attributes."""

from gsl import Subst, attr, op, pat, rule

BIAS = {"elementwise", "bias_add", "reassociation"}
MERGE = {"elementwise", "merge"}


@rule(
    tags=BIAS | {"algebraic-reassoc"},
    origin="GSL: bias_add_add",
    expect="GSL303",
    twin="bias_add_add",
)
def bias_add_add_published() -> Subst:
    """bias_add[1](x1, b1) + bias_add[1](x2, b2)  =>  bias_add[1](x1 + x2, b1 + b2)

    When x1 and x2 differ in rank, axis 1 of one is not axis 1 of the other, and the biases may
    not even have sizes that can be added.
    """
    x1, b1, x2, b2 = pat.Wildcard(), pat.Variable(), pat.Wildcard(), pat.Variable()
    one, two = op.BiasAdd(x1, b1, axis=1), op.BiasAdd(x2, b2, axis=1)
    return Subst(one + two, op.BiasAdd(x1 + x2, b1 + b2, axis=1))


@rule(
    tags=BIAS | {"algebraic-reassoc"},
    origin="GSL: bias_add_add",
    expect="GSL401",
    twin="bias_add_add",
)
def bias_add_add_equal_sizes() -> Subst:
    """bias_add[1](x1, b1) + bias_add[1](x2, b2)  =>  bias_add[1](x1 + x2, b1 + b2), |b1| = |b2|

    Equal sizes make the target legal, not right: of a matrix and a tensor of rank 3 that are
    added, one bias runs along the last axis and the other along the middle one.
    """
    x1, b1, x2, b2 = pat.Wildcard(), pat.Variable(), pat.Wildcard(), pat.Variable()
    one, two = op.BiasAdd(x1, b1, axis=1), op.BiasAdd(x2, b2, axis=1)
    total = one + two
    alike = [b1.shape == b2.shape, total.shape[1] == b1.shape[0]]
    return Subst(total, op.BiasAdd(x1 + x2, b1 + b2, axis=1), where=alike)


@rule(
    tags=MERGE | {"multiple-outputs", "cse"},
    origin="GSL: merge_element_wise",
    expect="GSL302",
    twin="merge_element_wise",
)
def merge_element_wise_published() -> Subst:
    """f(x), f(x)  =>  y, y with y = f(x)

    The same operator may have other attributes: a cast to another dtype, for one.
    """
    x = pat.Wildcard()
    one = op.trait("unary")(x)
    two = op.same(one)(x)
    return Subst([one, two], [one, one])


@rule(
    tags=MERGE | {"multiple-outputs", "cse"},
    origin="GSL: merge_element_wise",
    expect="GSL401",
    twin="merge_element_wise",
)
def merge_element_wise_leaky_relu() -> Subst:
    """leaky_relu(x), leaky_relu(x)  =>  y, y with y = leaky_relu(x)

    Where the type of the result does not tell, the value does: the slopes may differ.
    """
    x = pat.Wildcard()
    one, two = op.LeakyRelu(x), op.LeakyRelu(x)
    return Subst([one, two], [one, one])


@rule(
    tags=MERGE | {"variadic-outputs", "cse"},
    origin="GSL: merge_element_wise_variadic",
    expect="GSL302",
    twin="merge_element_wise_variadic",
)
def merge_element_wise_variadic_published() -> Subst:
    """f(x), f(x), ...  =>  y, y, ... with y = f(x)

    As for two calls: nothing compares the attributes.
    """
    x = pat.Wildcard()
    first = op.trait("unary")(x)
    call = op.same(first)(x)
    calls = pat.Variadic(call, templates=[call], first=[first], min_len=2)
    only = calls(call, 0)
    return Subst(calls, pat.Variadic(only, templates=[only], length=calls.length))


@rule(
    tags={"tuple", "data-movement", "variadic-outputs"},
    origin="GSL: dispatch_tuple, counted by output",
    expect="GSL301",
    twin="dispatch_tuple",
)
def dispatch_tuple_by_output() -> Subst:
    """(x_0, x_1, ...).j for any number of j  =>  x_0, x_1, ...

    Output i need not be field i, and there may be more outputs than fields.
    """
    field = pat.Wildcard()
    whole = pat.Variadic(field, templates=[field])
    projection = whole[None]
    i = attr.Symbol("i")
    chosen = whole(field, i)
    target = pat.Variadic(chosen, templates=[chosen], index=i)
    return Subst(pat.Variadic(projection, templates=[projection]), target)


@rule(
    tags={"tuple", "data-movement", "variadic-outputs"},
    origin="GSL: dispatch_tuple, counted from the end",
    expect="GSL301",
    twin="dispatch_tuple",
)
def dispatch_tuple_reversed() -> Subst:
    """(x_0, ..., x_n).j for any number of j  =>  x_(n-j) for each j

    Fields are counted from the front.
    """
    field = pat.Wildcard()
    whole = pat.Variadic(field, templates=[field])
    projection = whole[None]
    projections = pat.Variadic(projection, templates=[projection])
    i = attr.Symbol("i")
    chosen = whole(field, whole.length - 1 - projections(projection, i).index)
    return Subst(projections, pat.Variadic(chosen, templates=[chosen], index=i))


@rule(
    tags={"split", "data-movement", "identity-elim"},
    origin="Glow: glow-multiresult",
    expect="GSL401",
    twin="piece_of_split_of_identity",
)
def first_piece_of_split_of_identity() -> Subst:
    """split[2]{axis}(x * 1).j  =>  split[2]{axis}(x).0

    Simplifications in Glow replaced nodes and not their values, so that all users got result 0
    (pytorch/glow, commits 4683f3db2 and 74693eeb5).
    """
    x = pat.Wildcard()
    before = op.Split(x * 1, indices_or_sections=2)
    return Subst(before[None], op.Split(x, **pat.same_attr(before))[0])
