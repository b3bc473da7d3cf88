"""Comparisons and truth values whose outcome is known, and choices that they decide.

Most rules promise to treat NaN as the source does: a comparison with NaN is false, only "not
equal" is true.
"""

from gsl import Subst, attr, op, pat, rule
from gsl.types import INTEGER

FLOATS = ("float16", "float32", "float64")


def truth(value: bool) -> pat.Pattern:
    """Return the pattern of a constant truth value of rank 0."""
    return pat.Const(value, dtype="bool")


@rule(
    tags={"compare", "predicate", "bit-exact"},
    origin="TensorRight: xla/compare, rule 01",
    nan="same",
)
def greater_than_itself() -> Subst:
    """x > x  =>  false everywhere

    Nothing is larger than itself, and NaN not even comparable.
    """
    x = pat.Wildcard()
    return Subst(op.Greater(x, x), op.ZerosLike(x, dtype="bool"))


@rule(
    tags={"compare", "predicate", "bit-exact"},
    origin="TensorRight: xla/compare, rule 02",
    flags=(),
)
def less_than_itself() -> Subst:
    """x < x  =>  false everywhere

    Nothing is smaller than itself.
    """
    x = pat.Wildcard()
    return Subst(op.Less(x, x), op.ZerosLike(x, dtype="bool"))


@rule(
    tags={"compare", "predicate", "integers", "exact-int-only"},
    origin="TensorRight: xla/compare, rule 03",
    flags=(),
    twin="not_equal_to_itself_any_dtype",
)
def not_equal_to_itself() -> Subst:
    """x != x  =>  false everywhere, for integers

    The test is how programs look for NaN, which is the one number that differs from itself.
    """
    x = pat.Wildcard()
    differs = op.NotEqual(x, x)
    return Subst(differs, op.ZerosLike(x, dtype="bool"), where=[attr.In(x.dtype, INTEGER)])


@rule(
    tags={"compare", "predicate", "integers", "exact-int-only"},
    origin="TensorRight: xla/compare, rule 06",
    flags=(),
    twin="equal_to_itself_any_dtype",
)
def equal_to_itself() -> Subst:
    """x == x  =>  true everywhere, for integers

    Floats have NaN, which does not equal itself.
    """
    x = pat.Wildcard()
    same = op.Equal(x, x)
    return Subst(same, op.OnesLike(x, dtype="bool"), where=[attr.In(x.dtype, INTEGER)])


@rule(
    tags={"compare", "predicate", "integers", "exact-int-only"},
    origin="TensorRight: xla/compare, rule 04",
    nan="same",
    twin="at_least_itself_any_dtype",
)
def at_least_itself() -> Subst:
    """x >= x  =>  true everywhere, for integers

    As for equality, only NaN is not as large as itself.
    """
    x = pat.Wildcard()
    compared = op.GreaterEqual(x, x)
    return Subst(compared, op.OnesLike(x, dtype="bool"), where=[attr.In(x.dtype, INTEGER)])


@rule(
    tags={"compare", "predicate", "integers", "exact-int-only"},
    origin="TensorRight: xla/compare, rule 05",
    nan="same",
)
def at_most_itself() -> Subst:
    """x <= x  =>  true everywhere, for integers

    The same from the other side.
    """
    x = pat.Wildcard()
    compared = op.LessEqual(x, x)
    return Subst(compared, op.OnesLike(x, dtype="bool"), where=[attr.In(x.dtype, INTEGER)])


@rule(
    tags={"logic", "predicate", "bit-exact"},
    origin="TensorRight: xla/logical, rule 01",
    flags=(),
)
def or_with_true() -> Subst:
    """x or true  =>  true everywhere

    The shape is that of x, since the constant has rank 0.
    """
    x = pat.Wildcard()
    return Subst(op.LogicalOr(x, truth(True)), op.OnesLike(x))


@rule(
    tags={"logic", "predicate", "bit-exact"},
    origin="TensorRight: xla/logical, rule 02",
    nan="same",
)
def true_or() -> Subst:
    """true or x  =>  true everywhere

    The same with the constant in front, as patterns do not exchange operands by themselves.
    """
    x = pat.Wildcard()
    return Subst(op.LogicalOr(truth(True), x), op.OnesLike(x))


@rule(
    tags={"logic", "identity", "bit-exact", "identity-elim"},
    origin="TensorRight: xla/logical, rule 03",
    flags=(),
)
def or_with_false() -> Subst:
    """x or false  =>  x

    False is the neutral element of "or"; of rank 0, it does not broadcast x.
    """
    x = pat.Wildcard()
    return Subst(op.LogicalOr(x, truth(False)), x)


@rule(
    tags={"logic", "identity", "bit-exact", "identity-elim"},
    origin="TensorRight: xla/logical, rule 04",
    nan="same",
)
def false_or() -> Subst:
    """false or x  =>  x

    The same with the constant in front.
    """
    x = pat.Wildcard()
    return Subst(op.LogicalOr(truth(False), x), x)


@rule(
    tags={"logic", "identity", "bit-exact", "identity-elim"},
    origin="TensorRight: xla/logical, rule 06",
    nan="same",
)
def true_and() -> Subst:
    """true and x  =>  x

    The same as for x and true. Of integers, all bits would have to be set in the constant.
    """
    x = pat.Wildcard()
    return Subst(op.LogicalAnd(truth(True), x), x)


@rule(
    tags={"logic", "predicate", "bit-exact"},
    origin="TensorRight: xla/logical, rule 07",
    flags=(),
)
def and_with_false() -> Subst:
    """x and false  =>  false everywhere

    In the shape of x.
    """
    x = pat.Wildcard()
    return Subst(op.LogicalAnd(x, truth(False)), op.ZerosLike(x))


@rule(
    tags={"logic", "predicate", "bit-exact"},
    origin="TensorRight: xla/logical, rule 08",
    flags=(),
)
def false_and() -> Subst:
    """false and x  =>  false everywhere

    In the shape of x.
    """
    x = pat.Wildcard()
    return Subst(op.LogicalAnd(truth(False), x), op.ZerosLike(x))


@rule(
    tags={"compare", "lattice", "bit-exact", "predicate"},
    origin="TensorRight: xla/logical, rule 10",
    flags=(),
    twin="maximum_not_less",
)
def maximum_greater_than_second() -> Subst:
    """maximum(x, y) > y  =>  x > y

    The maximum exceeds y only where it is x. If one of them is NaN so is the maximum, and both
    sides are false.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(op.Greater(op.Maximum(x, y), y), op.Greater(x, y))


@rule(
    tags={"compare", "lattice", "bit-exact", "predicate"},
    origin="TensorRight: xla/logical, rule 11",
    nan="same",
)
def maximum_greater_than_first() -> Subst:
    """maximum(x, y) > x  =>  y > x

    As for the second operand.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(op.Greater(op.Maximum(x, y), x), op.Greater(y, x))


@rule(
    tags={"compare", "predicate", "integers", "exact-int-only"},
    origin="XLA: HandleCompare, unsigned less than zero",
    nan="same",
)
def unsigned_less_than_zero() -> Subst:
    """x < 0  =>  false everywhere, for unsigned integers

    They have no sign.
    """
    x = pat.Wildcard()
    negative = op.Less(x, 0)
    return Subst(negative, op.ZerosLike(x, dtype="bool"), where=[x.dtype == "uint8"])


@rule(
    tags={"compare", "predicate", "integers", "exact-int-only"},
    origin="XLA: HandleCompare, unsigned at least zero",
    flags=(),
)
def unsigned_at_least_zero() -> Subst:
    """x >= 0  =>  true everywhere, for unsigned integers

    They have no sign.
    """
    x = pat.Wildcard()
    return Subst(op.GreaterEqual(x, 0), op.OnesLike(x, dtype="bool"), where=[x.dtype == "uint8"])


@rule(
    tags={"compare", "predicate", "bit-exact"},
    origin="XLA: HandleCompare, IsNonNegative",
    flags=(),
    twin="square_less_than_zero_any_dtype",
)
def square_less_than_zero() -> Subst:
    """x * x < 0  =>  false everywhere, for floats

    XLA once believed it of integers, too, whose squares wrap to negative numbers.
    """
    x = pat.Wildcard()
    negative = op.Less(x * x, 0)
    return Subst(negative, op.ZerosLike(x, dtype="bool"), where=[attr.In(x.dtype, FLOATS)])


@rule(
    tags={"compare", "predicate", "bit-exact"},
    origin="XLA: HandleCompare, IsNonNegative",
    flags=(),
    twin="absolute_less_than_zero_any_dtype",
)
def absolute_less_than_zero() -> Subst:
    """abs(x) < 0  =>  false everywhere, for floats

    The smallest integer of a signed dtype is its own absolute value and negative.
    """
    x = pat.Wildcard()
    negative = op.Less(op.Abs(x), 0)
    return Subst(negative, op.ZerosLike(x, dtype="bool"), where=[attr.In(x.dtype, FLOATS)])


@rule(
    tags={"compare", "predicate", "division", "integers", "bit-exact"},
    origin="tinygrad: rule of c0 * x < c1, by integers",
    twin="less_of_product",
    flags=(),
)
def less_of_product_by_integers() -> Subst:
    """x * d < c  =>  x < -(-c // d) for x of int32, products in int64, and d > 0

    The quotient is rounded up. No product of an int32 and a d below 2^31 wraps around.
    """
    small, d, c = pat.Wildcard(), pat.Const(shape=()), pat.Const(shape=())
    x = op.Cast(small, dtype="int64")
    bound = -op.FloorDivide(-c, d)
    fits = [d.value > 0, d.value < 2**31, c.value > -(2**62), c.value < 2**62]
    return Subst(op.Less(x * d, c), op.Less(x, bound), where=[*fits, small.dtype == "int32"])
