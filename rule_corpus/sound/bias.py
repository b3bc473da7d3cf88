"""Biases: scaled, and one after another."""

from gsl import Subst, attr, op, pat, rule


@rule(
    tags={"bias", "scale", "exact-real-and-int", "algebraic-distrib"},
    origin="ONNX Runtime: ConvBNFusion and ConvMulFusion, where the convolution has a bias",
    twin="scale_of_bias_unaligned",
    flags={"ninf", "nsz", "reassoc"},
)
def scale_of_bias() -> Subst:
    """bias_add[a](x, b) * k  =>  bias_add[a](x * k, b * k'), k having the size of b on axis a

    A product distributes over a sum; k' is k without its axes of size 1. Integers wrap alike.
    """
    x, bias, scale = pat.Wildcard(), pat.Variable(shape=(None,)), pat.Wildcard()
    biased = op.BiasAdd(x, bias)
    axis = biased.axis % x.ndim - x.ndim
    along = attr.All(
        lambda i: scale.shape[i] == attr.Cond(i - scale.ndim == axis, bias.shape[0], 1),
        length=scale.ndim,
    )
    factor = op.Reshape(scale, shape=bias.shape)
    return Subst(
        biased * scale,
        op.BiasAdd(x * scale, bias * factor, axis=biased.axis),
        where=[scale.ndim <= x.ndim, scale.ndim + axis >= 0, along],
    )


@rule(
    tags={"bias", "reassociation", "exact-real-and-int", "fusion"},
    origin="ONNX Runtime: ConvAddFusion, where the convolution has a bias",
    twin="bias_add_bias_add_any_axis",
    flags={"ninf", "reassoc"},
)
def bias_add_bias_add() -> Subst:
    """bias_add[a](bias_add[a](x, b), c)  =>  bias_add[a](x, b + c)

    Addition is associative.
    """
    x, one, two = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    inner = op.BiasAdd(x, one)
    outer = op.BiasAdd(inner, two, axis=inner.axis)
    return Subst(outer, op.BiasAdd(x, one + two, axis=inner.axis))


@rule(
    tags={"activation", "bias", "fusion", "same-terms"},
    origin="ONNX Script: BiasGeluFusion",
    flags=(),
    twin="gelu_of_sum_as_bias",
)
def gelu_of_sum_with_vector_as_bias() -> Subst:
    """gelu(x + y)  =>  gelu(bias_add[-1](x, y)) for a vector y along the last axis of x

    So a sum broadcasts a vector; of size 1, it would be spread along the axis.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    biased = op.BiasAdd(x, y, axis=-1)
    fits = [x.ndim >= 1, y.ndim == 1, x.shape[x.ndim - 1] == y.shape[0]]
    return Subst(op.Gelu(x + y), op.Gelu(biased), where=fits)
