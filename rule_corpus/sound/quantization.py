"""Quantisation written out: divide by a scale, round, clip to what one byte holds, convert."""

from gsl import Subst, attr, op, pat, rule
from gsl.pat import Pattern


def quantized(x: Pattern, scale: Pattern) -> Pattern:
    """Return x in steps of a scale, as unsigned bytes."""
    return op.Cast(op.Clip(op.Round(x / scale), min=0.0, max=255.0), dtype="uint8")


@rule(
    tags={"clip", "relu", "cast", "bit-exact", "quantization"},
    origin="ONNX Runtime: ReluQuantRewrite",
    nan="same",
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
