"""Quantisation written out: divide by a scale, round, clip to what one byte holds, convert."""

from gsl import Subst, assume, attr, op, pat, rule
from gsl.pat import Pattern

ASSUME = [assume.flags()]


def quantized(x: Pattern, scale: Pattern) -> Pattern:
    """Return x in steps of a scale, as unsigned bytes."""
    return op.Cast(op.Clip(op.Round(x / scale), min=0.0, max=255.0), dtype="uint8")


@rule(
    tags={"clip", "relu", "cast", "bit-exact", "quantization"},
    origin="ONNX Runtime: ReluQuantRewrite",
    twin="quantized_relu_of_signed_bytes",
)
def quantized_relu() -> Subst:
    """cast[uint8](clip[0, 255](round(relu(x) / s)))  =>  cast[uint8](clip[0, 255](round(x / s)))

    What is below 0 stays there when it is divided by s > 0, and is clipped to 0; so the smallest
    number of the bytes must stand for 0.
    """
    x, scale = pat.Wildcard(), pat.Const(shape=())
    return Subst(
        quantized(op.Relu(x), scale),
        quantized(x, scale),
        where=[scale.value > 0, attr.In(x.dtype, ("float32", "float64"))],
    )


@rule(
    tags={"concatenate", "cast", "scale", "bit-exact", "quantization"},
    origin="Glow: SinkConversions, for Dequantize",
    twin="concat_of_dequantized_default_dtype",
)
def concat_of_dequantized() -> Subst:
    """cat[a](cast[t](x) * s, cast[t](y) * s)  =>  cast[t](cat[a](x, y)) * s, s of rank 0

    One conversion instead of two, of one dtype to one dtype, and one scale.
    """
    x, y, s = pat.Wildcard(), pat.Wildcard(), pat.Const(shape=())
    one = op.Cast(x)
    two = op.Cast(y, **pat.same_attr(one))
    joined = op.Concatenate((one * s, two * s))
    whole = op.Cast(op.Concatenate((x, y), axis=joined.axis), **pat.same_attr(one))
    return Subst(joined, whole * s, where=[x.dtype == y.dtype])


@rule(
    tags={"clip", "cast", "bit-exact", "quantization"},
    origin="Glow: optimizeQuantizeClip, without a change of the scale",
    twin="concat_of_clipped_quantized_rescaled",
)
def quantized_clip() -> Subst:
    """q[s](clip[a, b](x))  =>  q[s](x) for a <= 0 and b >= 255 * s, q as above

    Whatever is clipped would be stored as 0 or 255 anyway. Other limits could go into another
    scale, but who reads the bytes knows the old one.
    """
    x, scale = pat.Wildcard(), pat.Const(shape=())
    limited = op.Clip(x)
    return Subst(
        quantized(limited, scale),
        quantized(x, scale),
        where=[
            scale.value > 0,
            limited.min <= 0,
            limited.max >= 255 * scale.value,
            attr.In(x.dtype, ("float32", "float64")),
        ],
    )
