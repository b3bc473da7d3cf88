"""Quantisation gone wrong: the smallest number that is stored need not stand for 0."""

from gsl import Subst, attr, op, pat, rule
from gsl.pat import Pattern


def quantized(x: Pattern, scale: Pattern | float) -> Pattern:
    """Return x in steps of a scale, as unsigned bytes."""
    return op.Cast(op.Clip(op.Round(x / scale), min=0.0, max=255.0), dtype="uint8")


@rule(
    tags={"clip", "relu", "cast", "quantization"},
    origin="ONNX Runtime: ReluQuantRewrite, without its test of the zero point",
    expect="GSL401",
    twin="quantized_relu",
)
def quantized_relu_of_signed_bytes() -> Subst:
    """cast[int8](clip{A}(round(relu(x) / s)))  =>  cast[int8](clip{A}(round(x / s)))

    In signed bytes 0 stands for 0 and not the smallest number, so negative values are stored that
    the activation had made 0.
    """
    x, scale = pat.Wildcard(), pat.Const(shape=())
    source = op.Clip(op.Round(op.Relu(x) / scale), min=-128.0, max=127.0)
    target = op.Clip(op.Round(x / scale), min=-128.0, max=127.0)
    return Subst(
        op.Cast(source, dtype="int8"),
        op.Cast(target, dtype="int8"),
        where=[scale.value > 0, x.dtype == "float32"],
    )


@rule(
    tags={"concatenate", "cast", "scale", "quantization"},
    origin="Glow: glow-dequant-sink-kind",
    expect="GSL302",
    twin="concat_of_dequantized",
)
def concat_of_dequantized_default_dtype() -> Subst:
    """cat[a](cast[t](x) * s, cast[t](y) * s)  =>  cast[float32](cat[a](x, y)) * s for int8

    Behind the concatenation a new conversion is made in the default dtype (pytorch/glow#4441), and
    t may be float16.
    """
    x, y, s = pat.Wildcard(), pat.Wildcard(), pat.Const(shape=())
    one = op.Cast(x)
    two = op.Cast(y, **pat.same_attr(one))
    joined = op.Concatenate((one * s, two * s))
    whole = op.Cast(op.Concatenate((x, y), axis=joined.axis), dtype="float32")
    known = [x.dtype == "int8", y.dtype == "int8", attr.In(one.dtype, ("float16", "float32"))]
    return Subst(joined, whole * pat.Const(s.value, dtype="float32"), where=known)


@rule(
    tags={"concatenate", "clip", "cast", "quantization"},
    origin="Glow: glow-quantparam-concat",
    expect="GSL401",
    twin="quantized_clip",
)
def concat_of_clipped_quantized_rescaled() -> Subst:
    """cat[a](x, q[s](clip[0, 6](y)))  =>  cat[a](x, q[6 / 255](y)), q quantises to unsigned bytes

    A clip goes into the quantisation if the scale is chosen to fit it (pytorch/glow#4793). What is
    concatenated with x has to have the scale of x, which is s.
    """
    x, y, s = pat.Wildcard(), pat.Wildcard(), pat.Const(shape=())
    joined = op.Concatenate((x, quantized(op.Clip(y, min=0.0, max=6.0), s)))
    target = op.Concatenate((x, quantized(y, 6 / 255)), axis=joined.axis)
    return Subst(joined, target, where=[s.value > 0, y.dtype == "float32"])
