"""Integers: quotients that round, remainders with signs, dtypes without signs or with few bits."""

from gsl import Subst, attr, op, pat, rule

WIDE = ("int32", "int64")
DIVISION = {"algebra", "division", "integers"}


def small(*constants: pat.Const) -> list[attr.Term]:
    """Return the conditions that constants are not 0 and that no product of two wraps."""
    return [(c.value > -1000) & (c.value != 0) & (c.value < 1000) for c in constants]


@rule(
    tags=DIVISION | {"algebraic-reassoc"},
    origin="tinygrad: tinygrad-divmod-hotfix",
    expect="GSL401",
    twin="recombine_nested_quotient",
)
def recombine_nested_negative() -> Subst:
    """((x // c) % d) * c + x % c  =>  x % (c * d) for integers

    Removed from tinygrad: nothing asked for the signs. With d = -2 the first digit is negative,
    and with c = -1 so is the product although d is not.
    """
    x, c, d = pat.Wildcard(), pat.Const(shape=()), pat.Const(shape=())
    digits = op.Mod(op.FloorDivide(x, c), d) * c + op.Mod(x, c)
    return Subst(digits, op.Mod(x, c * d), where=[*small(c, d), attr.In(x.dtype, WIDE)])


@rule(
    tags=DIVISION | {"algebraic-reassoc"},
    origin="mutation of recombine_quotient: the remainder of C, which takes the sign of x",
    expect="GSL401",
    twin="recombine_quotient",
)
def recombine_quotient_truncated() -> Subst:
    """(x // d) * d + (abs(x) % abs(d))  =>  x for integers, unless d broadcasts x

    A remainder without sign belongs to a quotient that rounds towards zero.
    """
    x, d = pat.Wildcard(), pat.Wildcard()
    whole = op.FloorDivide(x, d) * d + op.Mod(op.Abs(x), op.Abs(d))
    return Subst(whole, x, where=[whole.shape == x.shape, attr.In(x.dtype, WIDE)])


@rule(
    tags=DIVISION | {"algebraic-reassoc"},
    origin="tinygrad: tinygrad-div-zero",
    expect="GSL401",
    twin="floor_divide_of_negated",
)
def floor_divide_by_negated() -> Subst:
    """x // d  =>  -(x // -d) for integers

    tinygrad#11073 for d <= 0. Rounding down is not odd either: 1 // -2 is -1, -(1 // 2) is 0.
    """
    x, d = pat.Wildcard(), pat.Wildcard()
    quotient = op.FloorDivide(x, d)
    return Subst(quotient, -op.FloorDivide(x, -d), where=[attr.In(x.dtype, WIDE)])


@rule(
    tags=DIVISION | {"compare", "predicate"},
    origin="tinygrad: tinygrad-div-lt",
    expect="GSL401",
    twin="less_of_quotient_by_positive",
)
def less_of_quotient() -> Subst:
    """x // d < c  =>  x < c * d for integers and constants of rank 0

    tinygrad#10148 got the bound wrong for quotients that round towards zero. For those that round
    down it is right, but only for d > 0: a negative d turns the comparison around.
    """
    x, d, c = pat.Wildcard(), pat.Const(shape=()), pat.Const(shape=())
    less = op.Less(op.FloorDivide(x, d), c)
    return Subst(less, op.Less(x, c * d), where=[*small(c, d), attr.In(x.dtype, WIDE)])


@rule(
    tags=DIVISION | {"compare", "predicate"},
    origin="tinygrad: rule of c0 * x < c1, one mistake away",
    expect="GSL401",
    twin="less_of_product_by_integers",
)
def less_of_product() -> Subst:
    """x * d < c  =>  x < c // d for integers and a constant d > 0

    The bound has to be rounded up. 3 * 2 < 7 holds, 3 < 3 does not.
    """
    x, d, c = pat.Wildcard(), pat.Const(shape=()), pat.Const(shape=())
    less = op.Less(x * d, c)
    bound = op.FloorDivide(c, d)
    return Subst(less, op.Less(x, bound), where=[*small(c, d), d.value > 0, x.dtype == "int64"])


@rule(
    tags=DIVISION | {"compare", "predicate", "cast"},
    origin="tinygrad: tinygrad-mul-lt-float",
    expect="GSL401",
    twin="less_of_product_by_integers",
)
def less_of_product_by_quotient_of_floats() -> Subst:
    """x * d < c  =>  x < cast[int64](ceil(cast[float64](c) / d)), d = 2^30 and c = 2^60 + 1

    tinygrad#17290: the bound was rounded up from a quotient of floats, which cannot count beyond
    2^53: c becomes 2^60, and the bound 2^30, which is smaller than it should be by 1. No product
    of an int32 wraps.
    """
    narrow = pat.Wildcard()
    x = op.Cast(narrow, dtype="int64")
    less = op.Less(x * 2**30, pat.Const(2**60 + 1, dtype="int64"))
    quotient = op.Cast(pat.Const(2**60 + 1, dtype="int64"), dtype="float64") / 2.0**30
    bound = op.Cast(op.Ceil(quotient), dtype="int64")
    return Subst(less, op.Less(x, bound), where=[narrow.dtype == "int32"])


@rule(
    tags=DIVISION | {"identity", "identity-elim"},
    origin="Enzyme-JAX: enzyme-rem-one",
    expect="GSL401",
    twin="remainder_by_one_as_zeros",
)
def remainder_by_one() -> Subst:
    """x % 1  =>  x for integers and the constant 1 of rank 0

    Enzyme-JAX#924 took the remainder for the quotient; it is 0.
    """
    x = pat.Wildcard()
    return Subst(op.Mod(x, 1), x, where=[attr.In(x.dtype, WIDE)])


@rule(
    tags={"compare", "integers", "predicate"},
    origin="MLIR-HLO: mhlo-fold-unsigned",
    expect="GSL401",
    twin="compare_unsigned_in_wider",
)
def compare_unsigned_as_signed() -> Subst:
    """x < y  =>  cast[int8](x) < cast[int8](y) for x and y of uint8

    Constants were folded as if all integers had signs: 100 < 200 became 100 < -56.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    signed = op.Less(op.Cast(x, dtype="int8"), op.Cast(y, dtype="int8"))
    return Subst(op.Less(x, y), signed, where=[x.dtype == "uint8"])


@rule(
    tags={"cast", "logic", "dtype-cast"},
    origin="TOSA: tosa-cast-bool",
    expect="GSL401",
    twin="cast_of_truth_as_choice",
)
def cast_true_to_minus_one() -> Subst:
    """cast[int8](x)  =>  -cast[int8](x) for truth values x

    llvm/llvm-project#57951: one bit that is read as a number with a sign is -1; true is 1.
    """
    x = pat.Wildcard()
    number = op.Cast(x, dtype="int8")
    target = op.Negative(op.Cast(x, dtype="int8"))
    return Subst(number, target, where=[x.dtype == "bool"])


@rule(
    tags={"cast", "constant", "const-fold"},
    origin="ONNX Script: onnxscript-castcos-overflow",
    expect="GSL303",
    twin="cast_of_full",
)
def cast_of_full_any_value() -> Subst:
    """cast[uint8](full[s, int32](v))  =>  full[s, uint8](v)

    Live in 0.7.2: uint8 has no 300 and no -1; a cast wraps them.
    """
    full = op.Full(dtype="int32")
    target = op.Full(shape=full.shape, fill_value=full.fill_value, dtype="uint8")
    return Subst(op.Cast(full, dtype="uint8"), target)


@rule(
    tags={"cast", "mixed-precision", "dtype-cast"},
    origin="TVM Relay: tvm-relay-mixedprec-range",
    expect="GSL401",
    twin="multiply_in_single_precision",
)
def multiply_in_half_precision() -> Subst:
    """x * c  =>  cast[float32](cast[float16](x) * cast[float16](c)) for a constant c, x of float32

    apache/tvm#15461: 1e10 has no float16 but infinity. Other constants lose digits.
    """
    x, c = pat.Wildcard(), pat.Const(shape=())
    half = op.Cast(x, dtype="float16") * op.Cast(c, dtype="float16")
    return Subst(x * c, op.Cast(half, dtype="float32"), where=[x.dtype == "float32"])


@rule(
    tags=DIVISION | {"compare", "predicate"},
    origin="LLVM InstCombine: icmp of two sums with a common operand, without nsw",
    expect="GSL401",
    twin="less_of_sums",
    flags=(),
)
def less_of_sums_that_wrap() -> Subst:
    """x + c < y + c  =>  x < y for integers

    With c = 1 the largest number becomes the least one, which is less than all others.
    """
    x, y, c = pat.Wildcard(), pat.Wildcard(), pat.Const(shape=())
    where = [x.shape == y.shape, attr.In(x.dtype, WIDE)]
    return Subst(op.Less(x + c, y + c), op.Less(x, y), where=where)
