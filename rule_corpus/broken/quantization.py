"""Quantisation gone wrong: the smallest number that is stored need not stand for 0."""

from gsl import Subst, op, pat, rule


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
