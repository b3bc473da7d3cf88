"""Biases that do not lie along the axis that the rule takes them to lie along."""

from gsl import Subst, op, pat, rule


@rule(
    tags={"bias", "scale", "algebraic-distrib"},
    origin="ours: scale_of_bias without its condition on axes",
    expect="GSL401",
    twin="scale_of_bias",
)
def scale_of_bias_unaligned() -> Subst:
    """bias_add[a](x, b) * k  =>  bias_add[a](x * k, b * k) for k of the size of b

    The product aligns k with the last axis, not with the axis of the bias.
    """
    x, bias = pat.Wildcard(), pat.Variable(shape=(None,))
    scale = pat.Variable(shape=bias.shape)
    biased = op.BiasAdd(x, bias)
    return Subst(biased * scale, op.BiasAdd(x * scale, bias * scale, axis=biased.axis))


@rule(
    tags={"bias", "reassociation", "fusion"},
    origin="ours: bias_add_bias_add without its condition on the axis",
    expect="GSL303",
    twin="bias_add_bias_add",
)
def bias_add_bias_add_any_axis() -> Subst:
    """bias_add(bias_add[a](x, b), c)  =>  bias_add[a](x, b + c)

    The biases may lie along different axes, and then have different sizes.
    """
    x, one, two = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    inner = op.BiasAdd(x, one)
    outer = op.BiasAdd(inner, two)
    return Subst(outer, op.BiasAdd(x, one + two, axis=inner.axis))
