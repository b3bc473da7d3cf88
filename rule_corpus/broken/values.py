"""Limits and conversions gone wrong: empty intervals, and dtypes that do not hold every value."""

from gsl import Subst, attr, op, pat, rule


@rule(
    tags={"clip", "fusion"},
    origin="ONNX Script: onnxscript-clipclip-disjoint",
    expect="GSL303",
    twin="clip_clip",
)
def clip_clip_disjoint() -> Subst:
    """clip[c, d](clip[a, b](x))  =>  clip[max(a, c), min(b, d)](x)

    Live in 0.7.2: of [0, 1] and [2, 3] the interval from 2 to 1 is left.
    """
    x = pat.Wildcard()
    inner = op.Clip(x)
    outer = op.Clip(inner)
    low, high = attr.Max(inner.min, outer.min), attr.Min(inner.max, outer.max)
    return Subst(outer, op.Clip(x, min=low, max=high))


@rule(
    tags={"clip", "relu", "fusion"},
    origin="ONNX Script: onnxscript-reluclip-negmax",
    expect="GSL303",
    twin="clip_of_relu",
)
def clip_of_relu_negative_limit() -> Subst:
    """clip[a, b](relu(x))  =>  clip[max(a, 0), b](x)

    If b is negative, nothing lies between 0 and b; the source is b everywhere.
    """
    x = pat.Wildcard()
    limited = op.Clip(op.Relu(x))
    return Subst(limited, op.Clip(x, min=attr.Max(limited.min, 0.0), max=limited.max))


@rule(
    tags={"clip", "relu", "fusion"},
    origin="mutation of relu_of_clip: the operators exchanged",
    expect="GSL401",
    twin="relu_of_clip",
)
def relu_below_clip() -> Subst:
    """relu(clip[a, b](x))  =>  clip[a, b](relu(x))

    The two commute unless b is negative: then the source is 0 and the target b.
    """
    x = pat.Wildcard()
    limited = op.Clip(x)
    return Subst(op.Relu(limited), op.Clip(op.Relu(x), **pat.same_attr(limited)))


@rule(
    tags={"clip", "lattice", "fusion"},
    origin="ONNX Script: onnxscript-minmax-rank; Glow: glow-unwind-broadcast",
    expect="GSL301",
    twin="clip_from_min_max",
)
def clip_from_min_max_any_shape() -> Subst:
    """minimum(maximum(x, full[(1, 1)](a)), full[(1, 1)](b))  =>  clip[a, b](x) for a <= b

    Live in 0.7.2: limits with one element but two axes make a matrix of a vector, clip does not.
    """
    x = pat.Wildcard()
    low = op.Full(shape=(1, 1), dtype=x.dtype)
    high = op.Full(shape=(1, 1), dtype=x.dtype)
    source = op.Minimum(op.Maximum(x, low), high)
    target = op.Clip(x, min=low.fill_value, max=high.fill_value)
    return Subst(source, target, where=[low.fill_value <= high.fill_value])


@rule(
    tags={"lattice", "identity", "identity-elim"},
    origin="TASO: taso-gen-bcast, for the law of absorption",
    expect="GSL301",
    twin="absorption",
)
def absorption_any_shape() -> Subst:
    """minimum(x, maximum(x, y))  =>  x

    The value is that of x, the shape may be that of y.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(op.Minimum(x, op.Maximum(x, y)), x)


@rule(
    tags={"cast", "integers", "dtype-cast"},
    origin="TVM Relay: tvm-relay-castcast-bits",
    expect="GSL401",
    twin="cast_of_lossless_cast",
)
def cast_through_narrower_integer() -> Subst:
    """cast[float32](cast[int32](x))  =>  cast[float32](x) for x of int64

    SimplifyConsecutiveCast drops the truncation to 32 bits (apache/tvm#13056).
    """
    x = pat.Wildcard()
    outer = op.Cast(op.Cast(x, dtype="int32"), dtype="float32")
    return Subst(outer, op.Cast(x, dtype="float32"), where=[x.dtype == "int64"])


@rule(
    tags={"cast", "integers", "dtype-cast"},
    origin="TVM Relay: tvm-relay-castcast-sign",
    expect="GSL401",
    twin="cast_of_lossless_cast",
)
def cast_through_unsigned() -> Subst:
    """cast[int32](cast[uint8](x))  =>  cast[int32](x) for x of int8

    An order of kinds of dtypes takes uint8 for wide enough, in the last release: -1 becomes 255
    on the way and stays -1 without it.
    """
    x = pat.Wildcard()
    outer = op.Cast(op.Cast(x, dtype="uint8"), dtype="int32")
    return Subst(outer, op.Cast(x, dtype="int32"), where=[x.dtype == "int8"])


@rule(
    tags={"cast", "dtype-cast"},
    origin="Glow: glow-castcast",
    expect="GSL401",
    twin="cast_there_and_back",
)
def cast_there_and_back_half() -> Subst:
    """cast[float32](cast[float16](x))  =>  x for x of float32

    What float16 cannot hold is rounded on the way (pytorch/glow#3209). Small integers come back
    unharmed.
    """
    x = pat.Wildcard()
    back = op.Cast(op.Cast(x, dtype="float16"), dtype="float32")
    return Subst(back, x, where=[x.dtype == "float32"])


@rule(
    tags={"cast", "dtype-cast"},
    origin="ONNX Script: onnxscript-castcast-double",
    expect="GSL401",
    twin="cast_of_lossless_cast",
)
def cast_rounding_twice() -> Subst:
    """cast[float16](cast[float32](x))  =>  cast[float16](x) for x of float64

    Live in 0.7.2. Rounding to float32 first may hit a tie between two float16 numbers that x is
    only near, and a tie is broken without knowing where x was. One in thousands of random numbers
    shows it.
    """
    x = pat.Wildcard()
    outer = op.Cast(op.Cast(x, dtype="float32"), dtype="float16")
    return Subst(outer, op.Cast(x, dtype="float16"), where=[x.dtype == "float64"])


@rule(
    tags={"cast", "clip", "dtype-cast"},
    origin="TVM Relay: tvm-relay-clipcast-trunc",
    expect="GSL401",
    twin="cast_there_and_back",
)
def cast_of_clipped_there_and_back() -> Subst:
    """cast[float32](cast[uint8](clip[0, 255](x)))  =>  clip[0, 255](x) for x of float32

    After clipping every value is in range, but 1.5 is no integer.
    """
    x = pat.Wildcard()
    limited = op.Clip(x, min=0.0, max=255.0)
    back = op.Cast(op.Cast(limited, dtype="uint8"), dtype="float32")
    return Subst(back, limited, where=[x.dtype == "float32"])
