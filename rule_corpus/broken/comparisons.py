"""Comparisons and choices gone wrong: NaN, wrapping squares, constants that broadcast."""

from gsl import Subst, op, pat, rule


def truth(value: bool) -> pat.Pattern:
    """Return the pattern of a constant truth value of rank 0."""
    return pat.Const(value, dtype="bool")


@rule(
    tags={"compare", "predicate"},
    origin="TensorRight: xla/compare, rule 06",
    expect="GSL406",
    nan="same",
    twin="equal_to_itself",
)
def equal_to_itself_any_dtype() -> Subst:
    """x == x  =>  true everywhere

    Proved over the integers and the reals, and published without a dtype. The NaN of a float does
    not equal itself.
    """
    x = pat.Wildcard()
    return Subst(op.Equal(x, x), op.OnesLike(x, dtype="bool"))


@rule(
    tags={"compare", "predicate"},
    origin="TensorRight: xla/compare, rule 03",
    expect="GSL406",
    nan="same",
    twin="not_equal_to_itself",
)
def not_equal_to_itself_any_dtype() -> Subst:
    """x != x  =>  false everywhere

    The way in which programs test for NaN, removed.
    """
    x = pat.Wildcard()
    return Subst(op.NotEqual(x, x), op.ZerosLike(x, dtype="bool"))


@rule(
    tags={"compare", "predicate"},
    origin="XLA: xla-nonneg-int",
    expect="GSL401",
    twin="square_less_than_zero",
)
def square_less_than_zero_any_dtype() -> Subst:
    """x * x < 0  =>  false everywhere

    The simplifier took every square for non-negative; those of integers wrap.
    """
    x = pat.Wildcard()
    return Subst(op.Less(x * x, 0), op.ZerosLike(x, dtype="bool"))


@rule(
    tags={"compare", "predicate"},
    origin="XLA: xla-nonneg-int",
    expect="GSL401",
    twin="absolute_less_than_zero",
)
def absolute_less_than_zero_any_dtype() -> Subst:
    """abs(x) < 0  =>  false everywhere

    The smallest integer is its own absolute value.
    """
    x = pat.Wildcard()
    return Subst(op.Less(op.Abs(x), 0), op.ZerosLike(x, dtype="bool"))


@rule(
    tags={"compare", "lattice", "predicate"},
    origin="TensorRight: xla/logical, rule 10, one mistake away",
    expect="GSL401",
    twin="maximum_greater_than_second",
)
def maximum_not_less() -> Subst:
    """maximum(x, y) >= y  =>  x >= y

    The maximum is never less than y, also where x is.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(op.GreaterEqual(op.Maximum(x, y), y), op.GreaterEqual(x, y))


@rule(
    tags={"select", "identity", "const-fold"},
    origin="TensorRight: xla/select, rule 02, with broadcasting",
    expect="GSL301",
    twin="where_true",
)
def where_true_any_shape() -> Subst:
    """where(true, x, y)  =>  x

    XLA has no implicit broadcasting. With it, a y of a larger shape repeats x.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(op.Where(truth(True), x, y), x)


@rule(
    tags={"select", "logic", "canonicalise"},
    origin="MLIR TOSA: SelectLogicalNotOp, one mistake away",
    expect="GSL401",
    twin="where_not",
)
def where_not_same_order() -> Subst:
    """where(not p, x, y)  =>  where(p, x, y)

    The negation is dropped and the choices stay in their places.
    """
    condition, x, y = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    return Subst(op.Where(op.LogicalNot(condition), x, y), op.Where(condition, x, y))


@rule(
    tags={"select", "algebra", "algebraic-distrib"},
    origin="Enzyme-JAX: AddSelects, one mistake away",
    expect="GSL401",
    twin="sum_of_choices",
)
def sum_of_choices_two_conditions() -> Subst:
    """where(p, a, b) + where(q, c, d)  =>  where(p, a + c, b + d) for p and q of one shape

    Two conditions of one shape are not one condition.
    """
    p, q, a, b = pat.Wildcard(), pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    c, d = pat.Wildcard(), pat.Wildcard()
    both = op.Where(p, a, b) + op.Where(q, c, d)
    alike = [p.shape == q.shape, a.shape == p.shape, b.shape == a.shape]
    return Subst(
        both,
        op.Where(p, a + c, b + d),
        where=[*alike, c.shape == b.shape, d.shape == c.shape],
    )


@rule(
    tags={"compare", "predicate"},
    origin="TensorRight: xla/compare, rule 04, for floats as well",
    expect="GSL406",
    nan="same",
    twin="at_least_itself",
)
def at_least_itself_any_dtype() -> Subst:
    """x >= x  =>  true everywhere

    NaN is not even as large as itself.
    """
    x = pat.Wildcard()
    return Subst(op.GreaterEqual(x, x), op.OnesLike(x, dtype="bool"))
