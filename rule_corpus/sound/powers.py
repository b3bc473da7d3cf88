"""Powers, roots, quotients and exponentials: cheaper or simpler forms of one number."""

from gsl import Subst, op, pat, rule

CHEAPER = {"algebra", "strength-reduction"}
POWER = CHEAPER | {"power"}
ROOT = CHEAPER | {"root", "exact-real"}
QUOTIENT = CHEAPER | {"division", "exact-real"}


@rule(
    tags=POWER | {"exact-real-on-domain"},
    origin="Grappler: ConvertPow, exponent -0.5",
    flags={"ninf", "afn"},
)
def power_of_minus_half() -> Subst:
    """power(x, -0.5)  =>  rsqrt(x) for the exponent -0.5 of rank 0

    The reciprocal of the root, for x > 0.
    """
    x = pat.Wildcard()
    return Subst(op.Power(x, -0.5), op.Rsqrt(x))


@rule(tags=QUOTIENT | {"power"}, origin="OpenVINO: DivideFusion", flags={"ninf", "afn"})
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


@rule(tags=QUOTIENT, origin="ONNX Runtime: DivMulFusion", flags={"arcp"})
def multiply_reciprocal() -> Subst:
    """(1 / x) * y  =>  y / x for the constant 1 of rank 0

    A product with the reciprocal is a quotient.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(1 / x * y, y / x)
