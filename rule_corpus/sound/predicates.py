"""Choices and comparisons. Numbers are ordered; NaN, which is not, is left aside."""

from gsl import Subst, attr, op, pat, rule

FLOATS = ("float16", "float32", "float64")


@rule(
    tags={"select", "identity", "bit-exact", "identity-elim"},
    origin="TensorRight: xla/select, rule 01",
    twin="where_same_arms_any_shape",
    flags=(),
)
def where_same_arms() -> Subst:
    """where(c, x, x)  =>  x unless the condition broadcasts x

    Whatever is chosen is x; a condition with more elements repeats it, though.
    """
    c, x = pat.Wildcard(), pat.Wildcard()
    chosen = op.Where(c, x, x)
    return Subst(chosen, x, where=[chosen.shape == x.shape])


@rule(
    tags={"select", "bit-exact", "canonicalise"},
    origin="Enzyme-JAX: SelectSelectSameCond",
    twin="where_same_condition_any_shape",
    flags=(),
)
def where_same_condition() -> Subst:
    """where(c, where(c, x, y), z)  =>  where(c, x, z) if the shape of the result stays

    Where c holds the inner choice is x. What is never chosen still takes part in broadcasting, so
    y must not be what gives the result its shape.
    """
    c, x, y, z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    inner = op.Where(c, x, y)
    return Subst(op.Where(c, inner, z), op.Where(c, x, z), where=[inner.shape == x.shape])


@rule(
    tags={"logic", "identity", "bit-exact", "identity-elim"},
    origin="textbook: double negation; TensorRight: xla/not, rule 01",
    flags=(),
)
def not_not() -> Subst:
    """not (not x)  =>  x

    Truth values have dtype bool, so that no number other than 0 and 1 is lost.
    """
    x = pat.Wildcard()
    return Subst(op.LogicalNot(op.LogicalNot(x)), x)


@rule(
    tags={"logic", "identity", "bit-exact", "identity-elim"},
    origin="TensorRight: xla/logical, rule 05",
    twin="and_with_true_as_true",
    flags=(),
)
def and_with_true() -> Subst:
    """x and true  =>  x

    For the constant of rank 0, which does not broadcast x.
    """
    x = pat.Wildcard()
    return Subst(op.LogicalAnd(x, pat.Const(True, dtype="bool")), x)


@rule(tags={"compare", "bit-exact", "canonicalise"}, origin="StableHLO: CompareOpCanon", flags=())
def greater_as_less() -> Subst:
    """x > y  =>  y < x

    The same relation read from the other side.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(op.Greater(x, y), op.Less(y, x))


@rule(
    tags={"compare", "logic", "bit-exact", "canonicalise"},
    origin="textbook: total orders",
    twin="not_less_strict",
    flags={"nnan"},
)
def not_less() -> Subst:
    """not (x < y)  =>  x >= y

    Of two numbers one is smaller or they are equal. For NaN both comparisons would be false.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(op.LogicalNot(op.Less(x, y)), op.GreaterEqual(x, y))


@rule(
    tags={"compare", "negation", "bit-exact", "predicate"},
    origin="Enzyme-JAX: CompareNegateConstSimplify",
    twin="compare_negated_integers",
    flags=(),
)
def compare_negated() -> Subst:
    """-x < c  =>  x > -c for floats

    Negation turns the order around. The smallest integer is its own negative and breaks it.
    """
    x, c = pat.Wildcard(), pat.Const()
    smaller = op.Less(-x, c)
    return Subst(smaller, op.Greater(x, -c), where=[attr.In(x.dtype, FLOATS)])


@rule(
    tags={"compare", "logic", "bit-exact", "predicate"},
    origin="TensorRight: xla/logical, rule 09",
    flags={"nnan"},
)
def both_less() -> Subst:
    """x < c and x < d  =>  x < min(c, d) for constants c and d of rank 0

    Below both is below the smaller one. The minimum is computed when the rule is applied, in the
    dtype of x, which holds c and d already.
    """
    x, c, d = pat.Wildcard(), pat.Const(shape=()), pat.Const(shape=())
    smallest = attr.Min(c.value, d.value)
    both = op.LogicalAnd(op.Less(x, c), op.Less(x, d))
    return Subst(both, op.Less(x, pat.Const(smallest, dtype=x.dtype)))
