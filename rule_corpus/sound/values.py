"""Limits, extrema and conversions: what happens to a value on its way through several of them."""

from gsl import Subst, attr, op, pat, rule

LOSSLESS = (
    ("float16", "float32"),
    ("float16", "float64"),
    ("float32", "float64"),
    ("int8", "int32"),
    ("int8", "int64"),
    ("int32", "int64"),
    ("uint8", "int32"),
    ("uint8", "int64"),
    ("bool", "int8"),
    ("bool", "uint8"),
    ("bool", "int32"),
    ("bool", "int64"),
    ("bool", "float16"),
    ("bool", "float32"),
    ("bool", "float64"),
)
"""Pairs of dtypes of which the second holds every value of the first, and wraps like it."""


@rule(
    tags={"clip", "bit-exact", "fusion"},
    origin="ONNX Script: _fuse_relus_clips; "
    "TensorRight: xla/clamp, rule 01, for any two intervals that intersect",
    twin="clip_clip_disjoint",
    flags=(),
)
def clip_clip() -> Subst:
    """clip[c, d](clip[a, b](x))  =>  clip[max(a, c), min(b, d)](x) if the intervals intersect

    Both limits apply. Intervals without a common point leave one constant, which no interval
    says: the bound of the second one that is nearer.
    """
    x = pat.Wildcard()
    inner = op.Clip(x)
    outer = op.Clip(inner)
    low, high = attr.Max(inner.min, outer.min), attr.Min(inner.max, outer.max)
    return Subst(outer, op.Clip(x, min=low, max=high), where=[low <= high])


@rule(
    tags={"clip", "relu", "bit-exact", "fusion"},
    origin="ONNX Script: _fuse_relus_clips",
    twin="clip_of_relu_negative_limit",
    flags=(),
)
def clip_of_relu() -> Subst:
    """clip[a, b](relu(x))  =>  clip[max(a, 0), b](x) for b >= 0

    Relu is the interval from 0 upwards, which a negative b does not meet.
    """
    x = pat.Wildcard()
    limited = op.Clip(op.Relu(x))
    target = op.Clip(x, min=attr.Max(limited.min, 0.0), max=limited.max)
    return Subst(limited, target, where=[limited.max >= 0])


@rule(
    tags={"clip", "relu", "bit-exact", "fusion"},
    origin="ONNX Script: _fuse_relus_clips",
    twin="relu_below_clip",
    flags=(),
)
def relu_of_clip() -> Subst:
    """relu(clip[a, b](x))  =>  clip[max(a, 0), max(b, 0)](x)

    Relu lifts both limits to 0; if both are negative, all becomes 0.
    """
    x = pat.Wildcard()
    limited = op.Clip(x)
    low, high = attr.Max(limited.min, 0.0), attr.Max(limited.max, 0.0)
    return Subst(op.Relu(limited), op.Clip(x, min=low, max=high))


@rule(
    tags={"relu", "identity", "bit-exact", "identity-elim"},
    origin="onnxoptimizer: eliminate_consecutive_idempotent_ops.h",
    flags=(),
)
def relu_relu() -> Subst:
    """relu(relu(x))  =>  relu(x)

    What is not negative stays.
    """
    x = pat.Wildcard()
    once = op.Relu(x)
    return Subst(op.Relu(once), once)


@rule(
    tags={"clip", "lattice", "bit-exact", "fusion"},
    origin="ONNX Script: _min_max_to_clip, MinMax; TensorRight: xla/clamp, rule 03",
    twin="clip_from_min_max_any_shape",
    flags=(),
)
def clip_from_min_max() -> Subst:
    """minimum(maximum(x, a), b)  =>  clip[a, b](x) for constants a <= b of rank 0

    That is what clip does. Constants with more axes could add axes to x, and integers of more than
    53 bits could change when they become bounds, which are floats.
    """
    x, a, b = pat.Wildcard(), pat.Const(shape=()), pat.Const(shape=())
    target = op.Clip(x, min=a.value, max=b.value)
    exact = (a.value >= -(2**53)) & (b.value <= 2**53)
    return Subst(op.Minimum(op.Maximum(x, a), b), target, where=[a.value <= b.value, exact])


@rule(
    tags={"lattice", "identity", "bit-exact", "identity-elim"},
    origin="textbook: law of absorption",
    twin="absorption_any_shape",
    flags={"nnan", "nsz"},
)
def absorption() -> Subst:
    """minimum(x, maximum(x, y))  =>  x unless y broadcasts x

    The maximum is not smaller than x.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    least = op.Minimum(x, op.Maximum(x, y))
    return Subst(least, x, where=[least.shape == x.shape])


@rule(
    tags={"cast", "bit-exact", "dtype-cast"},
    origin="Enzyme-JAX: ConvertConvertFloat and ConvertConvertInt",
    twin="cast_through_narrower_integer",
    flags=(),
)
def cast_of_lossless_cast() -> Subst:
    """cast[u](cast[t](x))  =>  cast[u](x) if t holds every value of the dtype of x

    The first conversion changes no value, so the second one may start from x. Integers on their
    way through floats are left out: what is too large for the last dtype wraps on the direct way
    only.
    """
    x = pat.Wildcard()
    inner = op.Cast(x)
    outer = op.Cast(inner)
    lossless = attr.In((x.dtype, inner.dtype), LOSSLESS)
    return Subst(outer, op.Cast(x, dtype=outer.dtype), where=[lossless])


@rule(
    tags={"cast", "bit-exact", "dtype-cast"},
    origin="tinygrad: symbolic.py, cast there and back",
    twin="cast_there_and_back_half",
    flags=(),
)
def cast_there_and_back() -> Subst:
    """cast[s](cast[t](x))  =>  x for x of dtype s, if t holds every value of s

    Nothing is lost on the way there.
    """
    x = pat.Wildcard()
    inner = op.Cast(x)
    lossless = attr.In((x.dtype, inner.dtype), LOSSLESS)
    return Subst(op.Cast(inner, dtype=x.dtype), x, where=[lossless])


@rule(
    tags={"cast", "mixed-precision", "dtype-cast", "bit-exact"},
    origin="TVM Relay: ToMixedPrecision, the other way",
    flags=(),
    twin="multiply_in_half_precision",
)
def multiply_in_single_precision() -> Subst:
    """x * c  =>  cast[float16](cast[float32](x) * cast[float32](c)) for a constant c, x of float16

    The product of two numbers of 11 digits has 22, which float32 holds: it is rounded once.
    """
    x, c = pat.Wildcard(), pat.Const(shape=())
    single = op.Cast(x, dtype="float32") * op.Cast(c, dtype="float32")
    return Subst(x * c, op.Cast(single, dtype="float16"), where=[x.dtype == "float16"])


@rule(
    tags={"clip", "fusion", "bit-exact"},
    origin="Hidet: fusion of clip with its neighbour",
    flags=(),
    twin="clip_of_sum_without_limits",
)
def clip_of_sum_keeps_limits() -> Subst:
    """clip[a, b](x - (-y))  =>  clip[a, b](x + y)

    Whatever is fused below it, the limits stay those that were asked for.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    limited = op.Clip(x - (-y))
    return Subst(limited, op.Clip(x + y, **pat.same_attr(limited)))
