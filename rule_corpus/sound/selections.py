"""Choices by a condition, and logic: fewer choices, fewer negations."""

from gsl import Subst, attr, op, pat, rule

CHOICE = {"select", "bit-exact"}
LOGIC = {"logic", "bit-exact"}


@rule(tags=CHOICE | {"canonicalise"}, origin="tinygrad: symbolic.py, nested where", flags=())
def where_where_else() -> Subst:
    """where(a, where(b, x, c), c)  =>  where(a and b, x, c) for a constant c of rank 0

    x is chosen where both conditions hold, c wherever one of them does not: masks become one.
    """
    a, b = pat.Wildcard(), pat.Wildcard()
    x, c = pat.Wildcard(), pat.Const(shape=())
    return Subst(op.Where(a, op.Where(b, x, c), c), op.Where(op.LogicalAnd(a, b), x, c))


@rule(
    tags={"select", "lattice", "bit-exact", "fusion"},
    origin="StableHLO: CompareSelectIntoMinMax",
    twin="maximum_from_where_any_value",
    flags={"nnan"},
)
def maximum_from_where() -> Subst:
    """where(x > y, x, y)  =>  maximum(x, y)

    Of two numbers the larger one; NaN, for which the source takes y, is left aside.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(op.Where(op.Greater(x, y), x, y), op.Maximum(x, y))


@rule(
    tags={"select", "relu", "bit-exact", "canonicalise"},
    origin="OpenVINO: LeakyReluFusion, choices",
    flags=(),
)
def leaky_relu_from_where() -> Subst:
    """where(x > 0, x, x * a)  =>  leaky_relu[a](x) for floats and a constant a of rank 0

    The definition, for every slope.
    """
    x, a = pat.Wildcard(), pat.Const(shape=())
    floats = attr.In(x.dtype, ("float16", "float32", "float64"))
    chosen = op.Where(op.Greater(x, 0), x, x * a)
    return Subst(chosen, op.LeakyRelu(x, alpha=a.value), where=[floats])


@rule(
    tags=LOGIC | {"compare", "identity", "identity-elim"},
    origin="StableHLO: CompareOp_EqBooleanTrue",
    flags=(),
)
def and_with_itself() -> Subst:
    """x and x  =>  x

    Said twice is said once.
    """
    x = pat.Wildcard()
    return Subst(op.LogicalAnd(x, x), x)


@rule(
    tags=LOGIC | {"predicate"},
    origin="textbook: De Morgan's law",
    twin="both_not_as_not_both",
    flags=(),
)
def both_not() -> Subst:
    """(not x) and (not y)  =>  not (x or y)

    Neither holds if it is not so that one of them does. One negation instead of two.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(
        op.LogicalAnd(op.LogicalNot(x), op.LogicalNot(y)), op.LogicalNot(op.LogicalOr(x, y))
    )


@rule(
    tags={"compare", "logic", "bit-exact", "canonicalise"},
    origin="textbook: negated comparisons",
    flags=(),
)
def not_equal_from_not() -> Subst:
    """not (x == y)  =>  x != y

    Also for NaN, which is equal to nothing and differs from everything.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(op.LogicalNot(op.Equal(x, y)), op.NotEqual(x, y))
