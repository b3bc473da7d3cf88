"""Choices and comparisons gone wrong: broadcasting, ties and the smallest integer."""

from gsl import Subst, op, pat, rule


@rule(
    tags={"select", "identity", "identity-elim"},
    origin="StableHLO: SelectOpCanon without its shape test",
    expect="GSL301",
    twin="where_same_arms",
)
def where_same_arms_any_shape() -> Subst:
    """where(c, x, x)  =>  x

    A condition of another shape broadcasts x.
    """
    c, x = pat.Wildcard(), pat.Wildcard()
    return Subst(op.Where(c, x, x), x)


@rule(
    tags={"select", "canonicalise"},
    origin="Enzyme-JAX: SelectSelectSameCond on operands that broadcast",
    expect="GSL301",
    twin="where_same_condition",
)
def where_same_condition_any_shape() -> Subst:
    """where(c, where(c, x, y), z)  =>  where(c, x, z)

    No element of y is ever chosen, but y may be what gives the result its shape.
    """
    c, x, y, z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    return Subst(op.Where(c, op.Where(c, x, y), z), op.Where(c, x, z))


@rule(
    tags={"logic", "identity", "identity-elim"},
    origin="Enzyme-JAX: enzyme-xor-true, for conjunctions",
    expect="GSL401",
    twin="and_with_true",
)
def and_with_true_as_true() -> Subst:
    """x and true  =>  true

    The constant in the place of the other operand (Enzyme-JAX#1414).
    """
    x = pat.Wildcard()
    return Subst(op.LogicalAnd(x, pat.Const(True, dtype="bool")), op.OnesLike(x))


@rule(
    tags={"compare", "logic", "canonicalise"},
    origin="mutation of not_less: the boundary is lost",
    expect="GSL401",
    twin="not_less",
)
def not_less_strict() -> Subst:
    """not (x < y)  =>  x > y

    Of equal numbers neither is less nor greater. Random reals are never equal.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(op.LogicalNot(op.Less(x, y)), op.Greater(x, y))


@rule(
    tags={"compare", "negation", "integers", "predicate"},
    origin="Enzyme-JAX: CompareNegateConstSimplify, with the smallest integer",
    expect="GSL401",
    twin="compare_negated",
)
def compare_negated_integers() -> Subst:
    """-x < c  =>  x > -c

    -(-128) is -128 in int8, so that both x = -128 and its negative are less than 0.
    """
    x, c = pat.Wildcard(), pat.Const()
    return Subst(op.Less(-x, c), op.Greater(x, -c))


@rule(
    tags={"compare", "integers", "predicate"},
    origin="Halide: halide-nooverflow",
    expect="GSL401",
    twin="compare_negated",
)
def compare_shifted() -> Subst:
    """x + z < y + z  =>  x < y

    Only types that do not overflow allow it (halide#6207): 100 < 120, but 100 + 10 is greater
    than 120 + 10 in int8.
    """
    x, y, z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    compared = op.Less(x + z, y + z)
    same = [x.shape == y.shape, z.shape == x.shape]
    return Subst(compared, op.Less(x, y), where=same)
