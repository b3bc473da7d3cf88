"""Rules that hold for numbers but promise too much about NaN, infinities and the signs of zeros."""

from gsl import Subst, op, pat, rule

SPECIAL = {"special-values"}


@rule(
    tags=SPECIAL | {"clip", "identity-elim"},
    origin="TVM Relay: tvm-relay-clip-inf",
    expect="GSL406",
    nan="same",
)
def clip_to_finite_range() -> Subst:
    """clip[-65504, 65504](x)  =>  x for x of float16

    SimplifyClip in the last release: these are the least and the largest finite numbers, but
    infinities are clipped, too.
    """
    x = pat.Wildcard()
    limited = op.Clip(x, min=-65504.0, max=65504.0)
    return Subst(limited, x, where=[x.dtype == "float16"])


@rule(
    tags=SPECIAL | {"select", "lattice", "fusion"},
    origin="StableHLO: CompareSelectIntoMinMax, disabled upstream",
    expect="GSL406",
    twin="maximum_from_where",
    nan="same",
)
def maximum_from_where_any_value() -> Subst:
    """where(x > y, x, y)  =>  maximum(x, y)

    If x is NaN, the comparison is false and y is taken; the maximum is NaN.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(op.Where(op.Greater(x, y), x, y), op.Maximum(x, y))


@rule(
    tags=SPECIAL | {"root", "strength-reduction"},
    origin="XLA: xla-sqrt-square",
    expect="GSL406",
    twin="root_of_small_square",
    nan="same",
)
def root_of_square_of_finite() -> Subst:
    """sqrt(y * y)  =>  abs(y) for any finite y of float16, y = clip[-65504, 65504](x)

    openxla/xla#42732: nothing keeps the square from overflowing. The source is infinite for the
    largest finite number, and the target is that number.
    """
    x = pat.Wildcard()
    y = op.Clip(x, min=-65504.0, max=65504.0)
    return Subst(op.Sqrt(y * y), op.Abs(y), where=[x.dtype == "float16"])
