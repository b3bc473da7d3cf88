"""Operators that change nothing, or of which one number is all that is left."""

from gsl import Subst, attr, op, pat, rule
from gsl.types import INTEGER

NEUTRAL = {"algebra", "identity", "identity-elim", "bit-exact"}
SELF = {"algebra", "annihilator"}


@rule(tags=NEUTRAL | {"cast", "dtype-cast"}, origin="onnxoptimizer: eliminate_nop_cast.h", flags=())
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
    flags={"nsz"},
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
    tags=SELF | {"division", "exact-real-on-domain", "const-fold"},
    origin="tinygrad: symbolic.py, x / x",
    flags={"nnan"},
)
def divide_by_itself() -> Subst:
    """x / x  =>  ones like x

    Where x is 0 or infinite the source has no value.
    """
    x = pat.Wildcard()
    return Subst(x / x, op.OnesLike(x))


@rule(
    tags=SELF | {"division", "integers", "exact-int-only", "const-fold"},
    origin="tinygrad: symbolic.py, x // x",
    flags=(),
)
def floor_divide_by_itself() -> Subst:
    """x // x  =>  ones like x for integers

    No integer that may divide, which excludes 0, is an exception.
    """
    x = pat.Wildcard()
    return Subst(op.FloorDivide(x, x), op.OnesLike(x), where=[attr.In(x.dtype, INTEGER)])


@rule(
    tags=SELF | {"division", "integers", "exact-int-only", "const-fold"},
    origin="tinygrad: symbolic.py, x % x",
    flags=(),
)
def remainder_by_itself() -> Subst:
    """x % x  =>  zeros like x for integers

    Every integer other than 0 divides itself.
    """
    x = pat.Wildcard()
    return Subst(op.Mod(x, x), op.ZerosLike(x), where=[attr.In(x.dtype, INTEGER)])


@rule(
    tags=NEUTRAL | {"rounding"},
    origin="onnxoptimizer: eliminate_consecutive_idempotent_ops.h",
    flags=(),
)
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
    flags=(),
)
def round_round() -> Subst:
    """round(round(x))  =>  round(x)

    A whole number is the nearest whole number of itself.
    """
    x = pat.Wildcard()
    once = op.Round(x)
    return Subst(op.Round(once), once)
