"""Rules that hold for numbers but promise too much about NaN, infinities and the signs of zeros."""

from gsl import Subst, op, pat, rule

SPECIAL = {"special-values"}


@rule(
    tags=SPECIAL | {"algebra", "identity"},
    origin="TVM Relay: tvm-relay-identity-negzero",
    expect="GSL406",
    twin="add_zero",
    nan="same",
)
def add_zero_keeping_signs() -> Subst:
    """x + 0  =>  x

    EliminateIdentityRewrite in the last release: minus zero plus zero is plus zero.
    """
    x = pat.Wildcard()
    return Subst(x + 0, x)


@rule(
    tags=SPECIAL | {"algebra", "annihilator"},
    origin="Grappler: grp-remove-identity; Glow: simplifyNode of splats",
    expect="GSL406",
    twin="multiply_by_zero",
    nan="same",
)
def multiply_by_zero_float() -> Subst:
    """x * 0  =>  zeros like x

    Two systems accept it for floats, where infinity times zero and NaN times zero are NaN.
    """
    x = pat.Wildcard()
    return Subst(x * 0, op.ZerosLike(x))


@rule(
    tags=SPECIAL | {"algebra", "annihilator"},
    origin="mutation of subtract_itself: the dtype is not asked for",
    expect="GSL406",
    twin="subtract_itself",
    nan="same",
)
def subtract_itself_float() -> Subst:
    """x - x  =>  zeros like x

    Infinity minus infinity is NaN.
    """
    x = pat.Wildcard()
    return Subst(x - x, op.ZerosLike(x))


@rule(
    tags=SPECIAL | {"clip"},
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
    tags=SPECIAL | {"select", "lattice"},
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
