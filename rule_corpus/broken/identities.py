"""Constants and arithmetic gone wrong: signs of zeros, infinities, integers that wrap."""

from gsl import Subst, op, pat, rule


@rule(
    tags={"algebra", "identity", "identity-elim"},
    origin="TVM Relay: tvm-relay-identity-negzero",
    expect="GSL406",
    nan="same",
    twin="add_zero",
)
def add_zero_keeps_sign() -> Subst:
    """x + 0  =>  x, claimed for every bit of the result

    EliminateIdentity does so: -0 + 0 is +0, so that a negative zero changes its sign. True if
    nothing is promised about the signs of zeros.
    """
    x = pat.Wildcard()
    return Subst(x + 0, x)


@rule(
    tags={"algebra", "const-fold"},
    origin="TensorRight: xla/mul, rule 03",
    expect="GSL406",
    nan="same",
    twin="multiply_by_zero",
)
def multiply_by_zero_any_dtype() -> Subst:
    """x * 0  =>  zeros like x

    Proved over the reals, which have neither infinities nor NaN.
    """
    x = pat.Wildcard()
    return Subst(x * 0, op.ZerosLike(x))


@rule(
    tags={"algebra", "const-fold"},
    origin="TensorRight: xla/sub, rule 02",
    expect="GSL406",
    nan="same",
    twin="subtract_itself",
)
def subtract_itself_any_dtype() -> Subst:
    """x - x  =>  zeros like x

    Infinity minus infinity is NaN.
    """
    x = pat.Wildcard()
    return Subst(x - x, op.ZerosLike(x))


@rule(
    tags={"algebra", "distributivity", "algebraic-distrib"},
    origin="TVM Relay: SwitchAddMultiply, one mistake away",
    expect="GSL401",
    twin="switch_add_multiply",
)
def switch_add_multiply_unscaled() -> Subst:
    """(x + c) * d  =>  x * d + c

    The constant is not scaled with the rest.
    """
    x, c, d = pat.Wildcard(), pat.Const(shape=()), pat.Const(shape=())
    return Subst((x + c) * d, x * d + c)


@rule(
    tags={"clip", "identity", "identity-elim"},
    origin="TVM Relay: tvm-relay-clip-inf",
    expect="GSL401",
    twin="clip_to_whole_range",
)
def clip_to_symmetric_range() -> Subst:
    """clip[-127, 127](x)  =>  x for int8

    Quantised networks often use the symmetric range, but the dtype has one number more.
    """
    x = pat.Wildcard()
    return Subst(op.Clip(x, min=-127.0, max=127.0), x, where=[x.dtype == "int8"])


@rule(
    tags={"clip", "lattice", "fusion"},
    origin="XLA: HandleMaximum, one mistake away",
    expect="GSL303",
    twin="clip_from_max_min",
)
def clip_from_max_min_crossed() -> Subst:
    """maximum(minimum(x, b), a)  =>  clip[a, b](x) for any constants a and b of rank 0

    If a exceeds b there is no such interval.
    """
    x, a, b = pat.Wildcard(), pat.Const(shape=()), pat.Const(shape=())
    exact = (a.value >= -(2**53)) & (b.value <= 2**53)
    small = (a.value <= 100) & (b.value >= -100)
    target = op.Clip(x, min=a.value, max=b.value)
    return Subst(op.Maximum(op.Minimum(x, b), a), target, where=[exact, small])


@rule(
    tags={"algebra", "root", "strength-reduction"},
    origin="XLA: xla-sqrt-square",
    expect="GSL401",
    twin="root_of_square",
)
def root_of_square_as_x() -> Subst:
    """sqrt(x * x)  =>  x

    The root of a square is not negative.
    """
    x = pat.Wildcard()
    return Subst(op.Sqrt(x * x), x)


@rule(
    tags={"algebra", "exponential", "strength-reduction"},
    origin="XLA: HandleDivide, one mistake away",
    expect="GSL401",
    twin="divide_by_exponential",
)
def divide_by_exponential_same_sign() -> Subst:
    """x / exp(y)  =>  x * exp(y)

    The exponent keeps its sign.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(x / op.Exp(y), x * op.Exp(y))


@rule(
    tags={"algebra", "division", "algebraic-reassoc"},
    origin="TensorRight: xla/divmod, rule 03, one mistake away",
    expect="GSL401",
    twin="quotient_of_quotients",
)
def quotient_of_quotients_exchanged() -> Subst:
    """(a / b) / (c / d)  =>  (a * c) / (b * d)

    Numerators are multiplied with numerators, as for a product of quotients.
    """
    a, b, c, d = pat.Wildcard(), pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    return Subst((a / b) / (c / d), (a * c) / (b * d))


@rule(
    tags={"algebra", "exponential", "power", "strength-reduction"},
    origin="Enzyme-JAX: enzyme-log-pow",
    expect="GSL401",
    twin="logarithm_of_power",
)
def logarithm_of_power_swapped() -> Subst:
    """log(pow(exp(x), y))  =>  exp(x) * log(y), the roles of base and exponent exchanged

    The published rule got the operands of the power wrong: the exponent comes out of the
    logarithm, not the base.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    base = op.Exp(x)
    return Subst(op.Log(op.Power(base, op.Exp(y))), base * y)


@rule(
    tags={"algebra", "identity", "identity-elim"},
    origin="TensorRight: xla/sub, rule 00, with a promise",
    expect="GSL406",
    nan="same",
    twin="subtract_zero",
)
def subtract_zero_keeps_sign() -> Subst:
    """x - 0  =>  x, signs of zeros included

    Right for the constant 0.0; but -0.0 equals it, and -0.0 - -0.0 is 0.0.
    """
    x = pat.Wildcard()
    return Subst(x - pat.Const(0.0, dtype=x.dtype), x)
