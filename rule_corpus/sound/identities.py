"""Operators that change nothing, or of which one number is all that is left."""

from gsl import Subst, attr, op, pat, rule

INTEGERS = ("int8", "uint8", "int32", "int64")
NEUTRAL = {"algebra", "identity", "identity-elim", "bit-exact"}
SELF = {"algebra", "annihilator"}


@rule(tags=NEUTRAL, origin="ONNX Script: _no_op, add_0", twin="add_zeros_any_shape")
def add_zero() -> Subst:
    """x + 0  =>  x for the constant 0 of rank 0

    A constant without axes gives x none. Minus zero plus zero is plus zero, so the sign of a zero
    may change.
    """
    x = pat.Wildcard()
    return Subst(x + 0, x)


@rule(tags=NEUTRAL, origin="StableHLO: SubtractOp_RemoveNoop", nan="same")
def subtract_zero() -> Subst:
    """x - 0  =>  x for the constant 0 of rank 0

    Unlike a sum, the difference keeps minus zero.
    """
    x = pat.Wildcard()
    return Subst(x - 0, x)


@rule(tags=NEUTRAL, origin="ONNX Script: _no_op, div_1", nan="same")
def divide_by_one() -> Subst:
    """x / 1  =>  x for the constant 1 of rank 0

    Every number, infinity and NaN divided by 1 is itself.
    """
    x = pat.Wildcard()
    return Subst(x / 1, x)


@rule(tags=NEUTRAL, origin="PyTorch Inductor: no-op registry, pow", nan="same")
def power_of_one() -> Subst:
    """power(x, 1)  =>  x for the exponent 1 of rank 0

    The first power of every number is the number.
    """
    x = pat.Wildcard()
    return Subst(op.Power(x, 1), x)


@rule(tags=NEUTRAL | {"cast"}, origin="onnxoptimizer: eliminate_nop_cast.h", nan="same")
def cast_to_same() -> Subst:
    """cast[t](x)  =>  x for x of dtype t

    Nothing is converted.
    """
    x = pat.Wildcard()
    return Subst(op.Cast(x, dtype=x.dtype), x)


@rule(
    tags=NEUTRAL | {"broadcast", "shape-op"},
    origin="GSL: exp_lang.py, EliminateIdentity",
    twin="add_zeros_any_shape",
)
def add_zeros() -> Subst:
    """x + zeros[s]  =>  broadcast_to(x) with the shape of the sum

    Zeros change no number, but they may bring axes and sizes; these are kept by a broadcast.
    """
    x = pat.Wildcard()
    added = x + op.Zeros(dtype=x.dtype)
    return Subst(added, op.BroadcastTo(x, shape=added.shape))


@rule(
    tags=NEUTRAL | {"broadcast", "shape-op"},
    origin="TVM Relay: EliminateIdentityRewrite",
    nan="same",
)
def multiply_by_ones() -> Subst:
    """x * ones[s]  =>  broadcast_to(x) with the shape of the product

    As for zeros and sums; a product with 1 keeps NaN, infinities and the signs of zeros, too.
    """
    x = pat.Wildcard()
    product = x * op.Ones(dtype=x.dtype)
    return Subst(product, op.BroadcastTo(x, shape=product.shape))


@rule(
    tags=NEUTRAL | {"broadcast", "shape-op"},
    origin="onnxoptimizer: eliminate_nop_expand.h",
    nan="same",
)
def broadcast_to_same() -> Subst:
    """broadcast_to[s](x)  =>  x if s is the shape of x

    A broadcast that repeats nothing and adds no axis.
    """
    x = pat.Wildcard()
    repeated = op.BroadcastTo(x)
    return Subst(repeated, x, where=[repeated.shape == x.shape])


@rule(
    tags={"algebra", "broadcast", "shape-op", "bit-exact"},
    origin="ONNX Script: _remove_expand_before_binary_op",
    nan="same",
)
def add_to_broadcast() -> Subst:
    """broadcast_to[s](x) + y  =>  x + y if the sum keeps its shape

    The sum broadcasts by itself; only what s alone made larger would be missing.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    added = op.BroadcastTo(x) + y
    direct = x + y
    alike = attr.All(
        lambda i: (
            (added.shape[i] == 1)
            | attr.Exists(
                lambda k: (k + added.ndim - x.ndim == i) & (x.shape[k] == added.shape[i]),
                length=x.ndim,
            )
            | attr.Exists(
                lambda k: (k + added.ndim - y.ndim == i) & (y.shape[k] == added.shape[i]),
                length=y.ndim,
            )
        ),
        length=added.ndim,
    )
    long_enough = (added.ndim == x.ndim) | (added.ndim == y.ndim)
    return Subst(added, direct, where=[long_enough, alike])


@rule(
    tags=SELF | {"integers", "exact-int-only"},
    origin="StableHLO: MulOp_FoldToZero",
    twin="multiply_by_zero_float",
)
def multiply_by_zero() -> Subst:
    """x * 0  =>  zeros like x for integers and the constant 0 of rank 0

    Of floats, infinity times zero is NaN.
    """
    x = pat.Wildcard()
    return Subst(x * 0, op.ZerosLike(x), where=[attr.In(x.dtype, INTEGERS)])


@rule(
    tags=SELF | {"integers", "exact-int-only"},
    origin="StableHLO: SubtractOp_FoldToZero",
    twin="subtract_itself_float",
)
def subtract_itself() -> Subst:
    """x - x  =>  zeros like x for integers

    Of floats, infinity minus itself is NaN.
    """
    x = pat.Wildcard()
    return Subst(x - x, op.ZerosLike(x), where=[attr.In(x.dtype, INTEGERS)])


@rule(tags=SELF | {"division", "exact-real-on-domain"}, origin="tinygrad: symbolic.py, x / x")
def divide_by_itself() -> Subst:
    """x / x  =>  ones like x

    Where x is 0 or infinite the source has no value.
    """
    x = pat.Wildcard()
    return Subst(x / x, op.OnesLike(x))


@rule(
    tags=SELF | {"division", "integers", "exact-int-only"},
    origin="tinygrad: symbolic.py, x // x",
)
def floor_divide_by_itself() -> Subst:
    """x // x  =>  ones like x for integers

    No integer that may divide, which excludes 0, is an exception.
    """
    x = pat.Wildcard()
    return Subst(op.FloorDivide(x, x), op.OnesLike(x), where=[attr.In(x.dtype, INTEGERS)])


@rule(
    tags=SELF | {"division", "integers", "exact-int-only"},
    origin="tinygrad: symbolic.py, x % x",
)
def remainder_by_itself() -> Subst:
    """x % x  =>  zeros like x for integers

    Every integer other than 0 divides itself.
    """
    x = pat.Wildcard()
    return Subst(op.Mod(x, x), op.ZerosLike(x), where=[attr.In(x.dtype, INTEGERS)])


@rule(
    tags=SELF | {"compare", "bit-exact"},
    origin="tinygrad: symbolic.py, x < x",
    nan="same",
)
def less_than_itself() -> Subst:
    """x < x  =>  false everywhere

    Nothing is smaller than itself; comparisons with NaN are false anyway.
    """
    x = pat.Wildcard()
    return Subst(op.Less(x, x), op.ZerosLike(x, dtype="bool"))


@rule(
    tags=SELF | {"compare", "integers", "exact-int-only"},
    origin="StableHLO: CompareOpCanon, equal operands",
)
def equal_to_itself() -> Subst:
    """x == x  =>  true everywhere for integers

    NaN is not equal to itself, and no integer is NaN.
    """
    x = pat.Wildcard()
    same = op.OnesLike(x, dtype="bool")
    return Subst(op.Equal(x, x), same, where=[attr.In(x.dtype, INTEGERS)])


@rule(
    tags=SELF | {"compare", "integers", "exact-int-only"},
    origin="XLA: HandleCompare, tautologies",
)
def unsigned_not_negative() -> Subst:
    """x < 0  =>  false everywhere for unsigned x

    No number of dtype uint8 is negative.
    """
    x = pat.Wildcard()
    never = op.ZerosLike(x, dtype="bool")
    return Subst(op.Less(x, 0), never, where=[x.dtype == "uint8"])


@rule(
    tags={"like", "shape-op", "bit-exact"},
    origin="GSL: exp_lang.py, ConcretizeZerosLike",
    nan="same",
)
def zeros_like_as_zeros() -> Subst:
    """zeros_like[t](x)  =>  zeros[shape(x), t]

    The result depends on the type of x only, so x need not be computed.
    """
    x = pat.Wildcard()
    like = op.ZerosLike(x)
    return Subst(like, op.Zeros(shape=x.shape, dtype=like.dtype))


@rule(
    tags={"like", "shape-op", "bit-exact"},
    origin="TVM Relay: ConcretizeFullLike",
    nan="same",
)
def full_like_as_full() -> Subst:
    """full_like[v, t](x)  =>  full[shape(x), v, t]

    As for zeros.
    """
    x = pat.Wildcard()
    like = op.FullLike(x)
    return Subst(like, op.Full(shape=x.shape, fill_value=like.fill_value, dtype=like.dtype))


@rule(tags=NEUTRAL | {"rounding"}, origin="onnxoptimizer: eliminate_consecutive_idempotent_ops.h")
def floor_of_ceil() -> Subst:
    """floor(ceil(x))  =>  ceil(x)

    What has been rounded, whichever way, is a whole number, and rounding leaves these alone.
    """
    x = pat.Wildcard()
    rounded = op.Ceil(x)
    return Subst(op.Floor(rounded), rounded)


@rule(
    tags=NEUTRAL | {"rounding"},
    origin="onnxoptimizer: eliminate_consecutive_idempotent_ops.h",
    nan="same",
)
def round_round() -> Subst:
    """round(round(x))  =>  round(x)

    A whole number is the nearest whole number of itself.
    """
    x = pat.Wildcard()
    once = op.Round(x)
    return Subst(op.Round(once), once)
