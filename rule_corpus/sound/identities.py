"""Neutral and absorbing constants, and constants that can be put together beforehand."""

from gsl import Subst, attr, op, pat, rule
from gsl.types import INTEGER, UNSIGNED

FLOATS = ("float16", "float32", "float64")
INFINITY = float("inf")


@rule(
    tags={"algebra", "identity", "bit-exact", "identity-elim"},
    origin="TensorRight: xla/add, rule 02",
    twin="add_zero_keeps_sign",
    flags={"nsz"},
)
def add_zero() -> Subst:
    """x + 0  =>  x for the constant 0 of rank 0

    Of rank 0, the constant does not broadcast x. A negative zero stays one, which the sum with a
    positive zero is not.
    """
    x = pat.Wildcard()
    return Subst(x + 0, x)


@rule(
    tags={"algebra", "identity", "bit-exact", "identity-elim"},
    origin="TensorRight: xla/add, rule 03",
    flags={"nsz"},
)
def zero_add() -> Subst:
    """0 + x  =>  x for the constant 0 of rank 0

    The same with the constant in front.
    """
    x = pat.Wildcard()
    return Subst(0 + x, x)


@rule(
    tags={"algebra", "identity", "exact-real-and-int", "identity-elim"},
    origin="TensorRight: xla/sub, rule 00",
    twin="subtract_zero_keeps_sign",
    flags={"nsz"},
)
def subtract_zero() -> Subst:
    """x - 0  =>  x for the constant 0 of rank 0

    No promise about signs of zeros: the pattern stands for the constant -0.0 as well.
    """
    x = pat.Wildcard()
    return Subst(x - pat.Const(0.0, dtype=x.dtype), x)


@rule(
    tags={"algebra", "identity", "bit-exact", "identity-elim"},
    origin="TensorRight: xla/mul, rule 02",
    flags=(),
)
def one_multiply() -> Subst:
    """1 * x  =>  x for the constant 1 of rank 0

    The same as for x * 1.
    """
    x = pat.Wildcard()
    return Subst(1 * x, x)


@rule(
    tags={"algebra", "identity", "division", "bit-exact", "identity-elim"},
    origin="TensorRight: xla/divmod, rule 01",
    flags=(),
)
def divide_by_one() -> Subst:
    """x / 1  =>  x for the constant 1 of rank 0

    Dividing by one changes nothing, not even the sign of a zero.
    """
    x = pat.Wildcard()
    return Subst(x / 1, x)


@rule(
    tags={"algebra", "integers", "exact-int-only", "const-fold"},
    origin="TensorRight: xla/mul, rule 03",
    flags=(),
    twin="multiply_by_zero_any_dtype",
)
def multiply_by_zero() -> Subst:
    """x * 0  =>  zeros like x, for integers and the constant 0 of rank 0

    Of floats, an infinity or NaN times zero is NaN, and a negative number times zero is -0.
    """
    x = pat.Wildcard()
    return Subst(x * 0, op.ZerosLike(x), where=[attr.In(x.dtype, INTEGER)])


@rule(
    tags={"algebra", "integers", "exact-int-only", "const-fold"},
    origin="TensorRight: xla/mul, rule 04",
    nan="same",
)
def zero_multiply() -> Subst:
    """0 * x  =>  zeros like x, for integers and the constant 0 of rank 0

    The same with the constant in front.
    """
    x = pat.Wildcard()
    return Subst(0 * x, op.ZerosLike(x), where=[attr.In(x.dtype, INTEGER)])


@rule(
    tags={"algebra", "integers", "exact-int-only", "const-fold"},
    origin="TensorRight: xla/sub, rule 02",
    flags=(),
    twin="subtract_itself_any_dtype",
)
def subtract_itself() -> Subst:
    """x - x  =>  zeros like x, for integers

    An infinite float minus itself is NaN.
    """
    x = pat.Wildcard()
    return Subst(x - x, op.ZerosLike(x), where=[attr.In(x.dtype, INTEGER)])


@rule(
    tags={"algebra", "negation", "bit-exact", "canonicalise"},
    origin="TensorRight: xla/sub, rule 01",
    flags=(),
)
def subtract_constant() -> Subst:
    """x - c  =>  x + (-c) for a constant c of a signed dtype

    The constant is negated once, before the network runs; the smallest integer, which is its own
    negative, wraps to the same sum. Unsigned integers have no negation.
    """
    x, c = pat.Wildcard(), pat.Const()
    return Subst(x - c, x + (-c), where=[~attr.In(x.dtype, UNSIGNED)])


@rule(
    tags={"algebra", "reassociation", "exact-real-and-int", "algebraic-reassoc"},
    origin="TensorRight: xla/add, rule 01",
    flags={"ninf", "reassoc"},
)
def add_constants() -> Subst:
    """(x + c) + d  =>  x + (c + d) for constants c and d

    The constants are added once, before the network runs. All shapes broadcast in any order, as
    all three have to fit on both sides.
    """
    x, c, d = pat.Wildcard(), pat.Const(), pat.Const()
    return Subst((x + c) + d, x + (c + d))


@rule(
    tags={"algebra", "reassociation", "exact-real-and-int", "algebraic-reassoc"},
    origin="TensorRight: xla/mul, rule 06",
    flags={"ninf", "reassoc"},
)
def multiply_constants() -> Subst:
    """(x * c) * d  =>  x * (c * d) for constants c and d

    Also of integers that wrap. Of floats the product of the constants may be infinite where both
    steps are not.
    """
    x, c, d = pat.Wildcard(), pat.Const(shape=()), pat.Const(shape=())
    return Subst((x * c) * d, x * (c * d))


@rule(
    tags={"algebra", "reassociation", "exact-real-and-int", "algebraic-reassoc"},
    origin="TensorRight: xla/mul, rule 05",
    flags={"ninf", "reassoc"},
)
def multiply_scaled() -> Subst:
    """(x * c) * (y * d)  =>  (x * y) * (c * d) for constants c and d of rank 0

    Factors may be taken in any order. The constants are multiplied before the network runs.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    c, d = pat.Const(shape=()), pat.Const(shape=())
    return Subst((x * c) * (y * d), (x * y) * (c * d))


@rule(
    tags={"algebra", "distributivity", "exact-real-and-int", "algebraic-distrib"},
    origin="TVM Relay: SwitchAddMultiply",
    twin="switch_add_multiply_unscaled",
    flags={"ninf", "nsz", "reassoc"},
)
def switch_add_multiply() -> Subst:
    """(x + c) * d  =>  x * d + c * d for constants c and d of rank 0

    Rings distribute. The sum moves behind the product, where it may become a bias.
    """
    x, c, d = pat.Wildcard(), pat.Const(shape=()), pat.Const(shape=())
    return Subst((x + c) * d, x * d + c * d)


@rule(
    tags={"algebra", "strength-reduction", "bit-exact"},
    origin="TVM Relay: SimplifyAdd",
    nan="same",
)
def add_itself() -> Subst:
    """x + x  =>  x * 2

    Doubling is exact in floats, and of integers both sides wrap alike.
    """
    x = pat.Wildcard()
    return Subst(x + x, x * 2)


@rule(
    tags={"lattice", "identity", "bit-exact", "identity-elim"},
    origin="TensorRight: xla/max, rule 01",
    flags=(),
)
def maximum_with_lowest() -> Subst:
    """maximum(x, -inf)  =>  x for the constant of rank 0

    No float is smaller. Whether NaN counts as larger is not the same everywhere.
    """
    x = pat.Wildcard()
    return Subst(op.Maximum(x, -INFINITY), x)


@rule(
    tags={"lattice", "identity", "bit-exact", "identity-elim"},
    origin="TensorRight: xla/max, rule 02",
    flags=(),
)
def minimum_with_highest() -> Subst:
    """minimum(x, inf)  =>  x for the constant of rank 0

    No float is larger. Whether NaN counts as smaller is not the same everywhere.
    """
    x = pat.Wildcard()
    return Subst(op.Minimum(x, INFINITY), x)


@rule(
    tags={"clip", "identity", "integers", "exact-int-only", "identity-elim"},
    origin="MLIR TOSA: ClampIsNoOp",
    flags=(),
    twin="clip_to_symmetric_range",
)
def clip_to_whole_range() -> Subst:
    """clip[-128, 127](x)  =>  x for int8

    The limits are those of the dtype.
    """
    x = pat.Wildcard()
    limited = op.Clip(x, min=-128.0, max=127.0)
    return Subst(limited, x, where=[x.dtype == "int8"])


@rule(
    tags={"clip", "lattice", "bit-exact", "fusion"},
    origin="XLA: HandleMaximum, clamp of constants; TensorRight: xla/clamp, rule 02",
    twin="clip_from_max_min_crossed",
    flags={"nsz"},
)
def clip_from_max_min() -> Subst:
    """maximum(minimum(x, b), a)  =>  clip[a, b](x) for constants a <= b of rank 0

    Clip applies the lower limit first; the order matters only if the limits are exchanged.
    Integers of more than 53 bits could change when they become limits, which are floats.
    """
    x, a, b = pat.Wildcard(), pat.Const(shape=()), pat.Const(shape=())
    target = op.Clip(x, min=a.value, max=b.value)
    exact = (a.value >= -(2**53)) & (b.value <= 2**53)
    return Subst(op.Maximum(op.Minimum(x, b), a), target, where=[a.value <= b.value, exact])
