"""Powers, roots, quotients and exponentials: cheaper or simpler forms of one number."""

from gsl import Subst, op, pat, rule

CHEAPER = {"algebra", "strength-reduction"}
POWER = CHEAPER | {"power"}
ROOT = CHEAPER | {"root", "exact-real"}
QUOTIENT = CHEAPER | {"division", "exact-real"}


@rule(tags=POWER | {"bit-exact"}, origin="XLA: HandlePower, exponent 0")
def power_of_zero() -> Subst:
    """power(x, 0)  =>  ones like x for the exponent 0 of rank 0

    The empty product.
    """
    x = pat.Wildcard()
    return Subst(op.Power(x, 0), op.OnesLike(x))


@rule(tags=POWER | {"exact-real"}, origin="Grappler: ConvertPow, exponent 2")
def power_of_two() -> Subst:
    """power(x, 2)  =>  square(x) for the exponent 2 of rank 0

    One product instead of a logarithm and an exponential.
    """
    x = pat.Wildcard()
    return Subst(op.Power(x, 2), op.Square(x))


@rule(tags=POWER | {"exact-real"}, origin="Grappler: ConvertPow, exponent 3")
def power_of_three() -> Subst:
    """power(x, 3)  =>  x * x * x for the exponent 3 of rank 0

    Two products.
    """
    x = pat.Wildcard()
    return Subst(op.Power(x, 3), x * x * x)


@rule(tags=POWER | {"exact-real-on-domain"}, origin="Grappler: ConvertPow, exponent 0.5")
def power_of_half() -> Subst:
    """power(x, 0.5)  =>  sqrt(x) for the exponent 0.5 of rank 0

    For x >= 0. Minus infinity and minus zero have other powers than roots.
    """
    x = pat.Wildcard()
    return Subst(op.Power(x, 0.5), op.Sqrt(x))


@rule(tags=POWER | {"exact-real-on-domain"}, origin="Grappler: ConvertPow, exponent -0.5")
def power_of_minus_half() -> Subst:
    """power(x, -0.5)  =>  rsqrt(x) for the exponent -0.5 of rank 0

    The reciprocal of the root, for x > 0.
    """
    x = pat.Wildcard()
    return Subst(op.Power(x, -0.5), op.Rsqrt(x))


@rule(tags=POWER | {"exact-real"}, origin="XLA: HandlePower, exponent -1")
def power_of_minus_one() -> Subst:
    """power(x, -1)  =>  1 / x for the exponent -1 of rank 0

    The reciprocal; x is not 0 where the source has a value.
    """
    x = pat.Wildcard()
    return Subst(op.Power(x, -1), 1 / x)


@rule(tags=QUOTIENT | {"power"}, origin="OpenVINO: DivideFusion")
def multiply_by_reciprocal_power() -> Subst:
    """x * power(y, -1)  =>  x / y for the exponent -1 of rank 0

    A product with the reciprocal is a quotient.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(x * op.Power(y, -1), x / y)


@rule(tags=POWER | {"bit-exact"}, origin="Grappler: ReplaceMulWithSquare", nan="same")
def multiply_by_itself() -> Subst:
    """x * x  =>  square(x)

    The same product; one operand is read instead of two.
    """
    x = pat.Wildcard()
    return Subst(x * x, op.Square(x))


@rule(tags=ROOT, origin="Grappler: SqrtDivToRsqrtMul")
def divide_by_root() -> Subst:
    """x / sqrt(y)  =>  x * rsqrt(y)

    For y > 0, where the source has a value.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(x / op.Sqrt(y), x * op.Rsqrt(y))


@rule(tags=ROOT | {"exact-real-on-domain"}, origin="XLA: HandleSqrt")
def root_of_square() -> Subst:
    """sqrt(x * x)  =>  abs(x)

    The root is the one that is not negative. The square must not overflow nor underflow.
    """
    x = pat.Wildcard()
    return Subst(op.Sqrt(x * x), op.Abs(x))


@rule(tags=CHEAPER | {"identity", "bit-exact"}, origin="XLA: HandleAbs, abs of abs", nan="same")
def absolute_of_absolute() -> Subst:
    """abs(abs(x))  =>  abs(x)

    Once taken, the absolute value stays; the smallest integer, which remains negative, as well.
    """
    x = pat.Wildcard()
    once = op.Abs(x)
    return Subst(op.Abs(once), once)


@rule(
    tags=CHEAPER | {"exponential", "identity", "bit-exact"},
    origin="XLA: HandleAbs, of what is not negative",
)
def absolute_of_exponential() -> Subst:
    """abs(exp(x))  =>  exp(x)

    Exponentials are positive.
    """
    x = pat.Wildcard()
    power = op.Exp(x)
    return Subst(op.Abs(power), power)


@rule(tags=QUOTIENT | {"exponential"}, origin="XLA: HandleDivide, by an exponential")
def divide_by_exponential() -> Subst:
    """x / exp(y)  =>  x * exp(-y)

    The reciprocal of an exponential is that of the negative.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(x / op.Exp(y), x * op.Exp(-y))


@rule(tags=QUOTIENT | {"power"}, origin="XLA: HandleDivide, by a power")
def divide_by_power() -> Subst:
    """x / power(y, c)  =>  x * power(y, -c) for a constant c of rank 0

    The reciprocal of a power has the negative exponent.
    """
    x, y, c = pat.Wildcard(), pat.Wildcard(), pat.Const(shape=())
    return Subst(x / op.Power(y, c), x * op.Power(y, pat.Const(-c.value, dtype=y.dtype)))


@rule(
    tags=CHEAPER | {"logarithm", "power"},
    origin="XLA: HandleLog",
    twin="logarithm_of_power_any_base",
)
def logarithm_of_power() -> Subst:
    """log(power(c, x))  =>  x * log(c) for a constant c > 0 of rank 0

    The logarithm of c is computed once. Zero has powers, but no logarithm, and a negative number
    has powers with even exponents.
    """
    c, x = pat.Const(shape=()), pat.Wildcard()
    return Subst(op.Log(op.Power(c, x)), x * op.Log(c), where=[c.value >= 1e-3])


@rule(tags=QUOTIENT | {"reassociation"}, origin="tinygrad: symbolic.py, (x / y) / z")
def divide_twice() -> Subst:
    """(x / y) / z  =>  x / (y * z)

    One division and a product, which must not overflow, instead of two divisions.
    """
    x, y, z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    return Subst(x / y / z, x / (y * z))


@rule(tags=QUOTIENT, origin="ONNX Runtime: DivMulFusion")
def multiply_reciprocal() -> Subst:
    """(1 / x) * y  =>  y / x for the constant 1 of rank 0

    A product with the reciprocal is a quotient.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(1 / x * y, y / x)


@rule(tags=QUOTIENT, origin="TVM Relay: DivToMul")
def divide_by_constant() -> Subst:
    """x / c  =>  x * (1 / c) for a constant c of rank 0, not close to 0

    The reciprocal is computed once, before the network runs. That of a number near 0 would
    overflow where the quotient need not.
    """
    x, c = pat.Wildcard(), pat.Const(shape=())
    size = (c.value * c.value >= 1e-4) & (c.value * c.value <= 1e4)
    return Subst(x / c, x * pat.Const(1 / c.value, dtype=x.dtype), where=[size])


@rule(tags=ROOT, origin="XLA: HandleDivide, reciprocal of a root")
def reciprocal_of_root() -> Subst:
    """1 / sqrt(x)  =>  rsqrt(x) for the constant 1 of rank 0

    The definition.
    """
    x = pat.Wildcard()
    return Subst(1 / op.Sqrt(x), op.Rsqrt(x))
