"""Sums, products and limits in another order, so that constants meet before the network runs."""

from gsl import Subst, attr, op, pat, rule
from gsl.types import INTEGER

ORDER = {"algebra", "reassociation", "algebraic-reassoc"}
RING = {"exact-real-and-int"}
EXTREMA = ORDER | {"lattice", "bit-exact"}


def scalar() -> pat.Const:
    """Return a pattern of a constant without axes, which gives no other tensor any."""
    return pat.Const(shape=())


@rule(
    tags=ORDER | RING, origin="TASO: verify.py, product is associative", flags={"ninf", "reassoc"}
)
def multiply_association() -> Subst:
    """x * (y * z)  =>  (x * y) * z

    Also of integers that wrap, and for any shapes that broadcast.
    """
    x, y, z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    return Subst(x * (y * z), (x * y) * z)


@rule(
    tags={"algebra", "canonicalise", "bit-exact"},
    origin="onnxoptimizer: adjust_add.h; TensorRight: xla/add, rule 04",
    flags=(),
)
def constant_behind_sum() -> Subst:
    """c + x  =>  x + c for a constant c of rank 0 and x with at least one axis

    Addition commutes. The ranks differ, so that the result does not match again.
    """
    c, x = scalar(), pat.Wildcard()
    return Subst(c + x, x + c, where=[x.ndim >= 1])


@rule(
    tags={"algebra", "canonicalise", "bit-exact"},
    origin="StableHLO: CanonicalizeConstantToRhs",
    flags=(),
)
def constant_behind_product() -> Subst:
    """c * x  =>  x * c for a constant c of rank 0 and x with at least one axis

    Multiplication commutes. Other rules then have to look for constants on one side only.
    """
    c, x = scalar(), pat.Wildcard()
    return Subst(c * x, x * c, where=[x.ndim >= 1])


@rule(
    tags=ORDER | RING, origin="OpenVINO: LinOpSequenceFusion, differences", flags={"nsz", "reassoc"}
)
def subtract_two_constants() -> Subst:
    """(x - c) - d  =>  x - (c + d) for constants c and d of rank 0

    What is taken away twice is taken away in one.
    """
    x, c, d = pat.Wildcard(), scalar(), scalar()
    return Subst(x - c - d, x - (c + d))


@rule(
    tags=ORDER | {"scale"} | RING,
    origin="TensorRT: layer fusion, scale and scale",
    flags={"ninf", "nsz", "reassoc"},
)
def scale_of_scale() -> Subst:
    """(x * a + b) * c + d  =>  x * (a * c) + (b * c + d) for constants of rank 0

    Two affine functions after each other are one.
    """
    x, a, b, c, d = pat.Wildcard(), scalar(), scalar(), scalar(), scalar()
    return Subst((x * a + b) * c + d, x * (a * c) + (b * c + d))


@rule(
    tags={"algebra", "negation", "algebraic-reassoc"} | RING,
    origin="tinygrad: symbolic.py, -(x + c)",
    flags={"nsz"},
)
def negative_of_sum() -> Subst:
    """-(x + c)  =>  (-c) - x for a constant c

    A negation less, as that of the constant is computed once.
    """
    x, c = pat.Wildcard(), pat.Const()
    return Subst(-(x + c), -c - x)


@rule(
    tags={"algebra", "negation"} | RING | {"canonicalise"},
    origin="OpenVINO: SubtractFusion, factor -1",
    flags=(),
)
def add_times_minus_one() -> Subst:
    """x + y * -1  =>  x - y for signed dtypes and the constant -1 of rank 0

    A product with -1 is the negative, also of the smallest integer.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    signed = attr.In(x.dtype, ("int8", "int32", "int64", "float16", "float32", "float64"))
    return Subst(x + y * pat.Const(-1, dtype=y.dtype), x - y, where=[signed])


@rule(
    tags={"algebra", "negation"} | RING | {"canonicalise"},
    origin="Grappler: constant folding, differences",
    flags=(),
)
def subtract_negative() -> Subst:
    """x - (-y)  =>  x + y

    Subtraction of the negative adds, also where integers wrap.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(x - (-y), x + y)


@rule(tags=EXTREMA, origin="ONNX Script: _min_max_to_clip, MaxMax", flags=())
def maximum_of_maximum() -> Subst:
    """maximum(maximum(x, c), d)  =>  maximum(x, maximum(c, d)) for constants c and d of rank 0

    The largest of three, in any order. The two constants become one.
    """
    x, c, d = pat.Wildcard(), scalar(), scalar()
    return Subst(op.Maximum(op.Maximum(x, c), d), op.Maximum(x, op.Maximum(c, d)))


@rule(tags=EXTREMA, origin="ONNX Script: _min_max_to_clip, MinMin", flags=())
def minimum_of_minimum() -> Subst:
    """minimum(minimum(x, c), d)  =>  minimum(x, minimum(c, d)) for constants c and d of rank 0

    The smallest of three, in any order.
    """
    x, c, d = pat.Wildcard(), scalar(), scalar()
    return Subst(op.Minimum(op.Minimum(x, c), d), op.Minimum(x, op.Minimum(c, d)))


@rule(
    tags={"lattice", "clip", "relu", "bit-exact", "fusion"},
    origin="TensorFlow Lite: relu6 recognition",
    flags=(),
)
def minimum_of_relu() -> Subst:
    """minimum(relu(x), c)  =>  clip[0, c](x) for a constant c >= 0 of rank 0

    Relu is the lower limit 0. A negative c would be the result everywhere.
    """
    x, c = pat.Wildcard(), scalar()
    limits = (c.value >= 0) & (c.value <= 2**53)
    return Subst(op.Minimum(op.Relu(x), c), op.Clip(x, min=0.0, max=c.value), where=[limits])


@rule(
    tags={"lattice", "relu", "activation-fusion", "bit-exact", "fusion"},
    origin="OpenVINO: LeakyReluFusion",
    twin="leaky_relu_from_maximum_any_slope",
    flags={"ninf"},
)
def leaky_relu_from_maximum() -> Subst:
    """maximum(x, x * a)  =>  leaky_relu[a](x) for floats and a constant a <= 1 of rank 0

    Of positive x the product is not larger, of negative x not smaller. For a > 1 it is the other
    way round.
    """
    x, a = pat.Wildcard(), scalar()
    floats = attr.In(x.dtype, ("float16", "float32", "float64"))
    target = op.LeakyRelu(x, alpha=a.value)
    return Subst(op.Maximum(x, x * a), target, where=[a.value <= 1, floats])


@rule(
    tags={"lattice", "negation", "bit-exact", "canonicalise"},
    origin="textbook: duality of maximum and minimum",
    flags=(),
)
def maximum_of_negatives() -> Subst:
    """maximum(-x, -y)  =>  -minimum(x, y) for floats

    Negation turns the order around; the smallest integer would remain the smallest.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    floats = attr.In(x.dtype, ("float16", "float32", "float64"))
    return Subst(op.Maximum(-x, -y), -op.Minimum(x, y), where=[floats])


@rule(
    tags={"algebra", "division", "integers", "exact-int-only", "algebraic-reassoc"},
    origin="tinygrad: fold_add_divmod_recombine",
    twin="recombine_quotient_truncated",
    flags=(),
)
def recombine_quotient() -> Subst:
    """(x // d) * d + x % d  =>  x for integers, unless d broadcasts x

    This is what a remainder is, whatever the signs.
    """
    x, d = pat.Wildcard(), pat.Wildcard()
    whole = op.FloorDivide(x, d) * d + op.Mod(x, d)
    return Subst(whole, x, where=[whole.shape == x.shape, attr.In(x.dtype, INTEGER)])


@rule(
    tags={"algebra", "division", "integers", "exact-int-only", "algebraic-reassoc"},
    origin="tinygrad: fold_add_divmod_recombine, nested",
    twin="recombine_nested_negative",
    flags=(),
)
def recombine_nested_quotient() -> Subst:
    """((x // c) % d) * c + x % c  =>  x % (c * d) for integers and d > 0

    Two digits of x to the bases c and d. The product of the bases must not wrap.
    """
    x, c, d = pat.Wildcard(), scalar(), scalar()
    digits = op.Mod(op.FloorDivide(x, c), d) * c + op.Mod(x, c)
    small = (c.value > -1000) & (c.value != 0) & (c.value < 1000) & (d.value < 1000)
    wide = attr.In(x.dtype, ("int32", "int64"))
    return Subst(digits, op.Mod(x, c * d), where=[d.value > 0, small, wide])


@rule(
    tags={"cast", "clip", "integers", "exact-int-only", "dtype-cast"},
    origin="TVM Relay: SimplifyClipAndConsecutiveCast",
    twin="cast_of_clipped_there_and_back",
    flags=(),
)
def cast_of_clipped_integers() -> Subst:
    """cast[s](cast[uint8](clip[a, b](x)))  =>  clip[a, b](x) for 0 <= a, b <= 255, integers x

    Within the limits every integer of dtype s is a value of uint8.
    """
    x = pat.Wildcard()
    limited = op.Clip(x)
    back = op.Cast(op.Cast(limited, dtype="uint8"), dtype=x.dtype)
    within = (limited.min >= 0) & (limited.max <= 255)
    return Subst(back, limited, where=[within, attr.In(x.dtype, ("int32", "int64"))])
