"""Integers: quotients and remainders with signs, conversions that keep the number."""

from gsl import Subst, attr, op, pat, rule

WIDE = ("int32", "int64")
DIVISION = {"algebra", "division", "integers"}


@rule(
    tags=DIVISION | {"compare", "predicate", "exact-int-only"},
    origin="tinygrad: rule of x // c < d",
    twin="less_of_quotient",
    flags=(),
)
def less_of_quotient_by_positive() -> Subst:
    """x // d < c  =>  x < c * d for integers, d > 0 and a product that does not wrap around

    Quotients round down, so x // d < c says that x / d < c.
    """
    x, d, c = pat.Wildcard(), pat.Const(shape=()), pat.Const(shape=())
    less = op.Less(op.FloorDivide(x, d), c)
    small = [c.value > -1000, c.value < 1000, d.value > 0, d.value < 1000]
    return Subst(less, op.Less(x, c * d), where=[*small, attr.In(x.dtype, WIDE)])


@rule(
    tags=DIVISION | {"identity", "identity-elim", "bit-exact"},
    origin="Enzyme-JAX: RemSimplify, for 1",
    twin="remainder_by_one",
    flags=(),
)
def remainder_by_one_as_zeros() -> Subst:
    """x % 1  =>  zeros like x for integers and the constant 1 of rank 0

    Every integer is a multiple of 1. Of floats the remainder is the part behind the point.
    """
    x = pat.Wildcard()
    return Subst(op.Mod(x, 1), op.ZerosLike(x), where=[attr.In(x.dtype, WIDE)])


@rule(
    tags=DIVISION | {"algebraic-reassoc", "exact-int-only"},
    origin="tinygrad: signs of quotients",
    twin="floor_divide_by_negated",
    flags=(),
)
def floor_divide_of_negated() -> Subst:
    """-x // -d  =>  x // d for int32 that comes from int8

    The least number of a dtype has no opposite; int8 in int32 does not reach it. No d is 0 where
    the source is defined.
    """
    x, d = pat.Wildcard(), pat.Wildcard()
    above, below = op.Cast(x, dtype="int32"), op.Cast(d, dtype="int32")
    quotient = op.FloorDivide(-above, -below)
    where = [x.dtype == "int8", d.dtype == "int8"]
    return Subst(quotient, op.FloorDivide(above, below), where=where)


@rule(
    tags={"cast", "logic", "dtype-cast", "bit-exact"},
    origin="MLIR TOSA: cast of truth values",
    twin="cast_true_to_minus_one",
    flags=(),
)
def cast_of_truth_as_choice() -> Subst:
    """cast[int8](x)  =>  where(x, 1, 0) for truth values x

    True is 1 as a number, in every dtype.
    """
    x = pat.Wildcard()
    one, zero = pat.Const(1, dtype="int8"), pat.Const(0, dtype="int8")
    return Subst(op.Cast(x, dtype="int8"), op.Where(x, one, zero), where=[x.dtype == "bool"])


@rule(
    tags={"compare", "integers", "predicate", "bit-exact"},
    origin="MLIR-HLO: folding of comparisons",
    twin="compare_unsigned_as_signed",
    flags=(),
)
def compare_unsigned_in_wider() -> Subst:
    """x < y  =>  cast[int32](x) < cast[int32](y) for x and y of uint8

    Numbers of uint8 are numbers of int32, in the same order.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    wide = op.Less(op.Cast(x, dtype="int32"), op.Cast(y, dtype="int32"))
    return Subst(op.Less(x, y), wide, where=[x.dtype == "uint8"])


@rule(
    tags=DIVISION | {"compare", "predicate", "exact-int-only"},
    origin="LLVM InstCombine: icmp of two sums with a common operand, under nsw",
    twin="less_of_sums_that_wrap",
    flags={"nowrap"},
)
def less_of_sums() -> Subst:
    """x + c < y + c  =>  x < y for integers whose sums do not wrap

    Whole numbers keep their order where the same number is added to both.
    """
    x, y, c = pat.Wildcard(), pat.Wildcard(), pat.Const(shape=())
    where = [x.shape == y.shape, attr.In(x.dtype, WIDE)]
    return Subst(op.Less(x + c, y + c), op.Less(x, y), where=where)
