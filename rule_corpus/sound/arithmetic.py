"""Absolute values, quotients, powers and roots written in a cheaper way.

What is true over the real numbers may round differently, and may overflow elsewhere.
"""

from gsl import Subst, attr, op, pat, rule

FLOATS = ("float16", "float32", "float64")
REALS = {"algebra", "real"}


@rule(
    tags={"algebra", "strength-reduction", "bit-exact"},
    origin="TensorRight: xla/mul, rule 09",
    flags=(),
)
def product_of_absolutes() -> Subst:
    """abs(x) * abs(x)  =>  x * x

    Signs cancel, also for the smallest integer, which stays negative.
    """
    x = pat.Wildcard()
    size = op.Abs(x)
    return Subst(size * size, x * x)


@rule(
    tags={"algebra", "strength-reduction", "bit-exact"},
    origin="Enzyme-JAX: SignAbsSimplify",
    flags={"nsz"},
)
def sign_times_absolute() -> Subst:
    """sign(x) * abs(x)  =>  x

    The sign and the size make the number. The smallest integer wraps twice; an infinity has a
    sign, and NaN stays NaN.
    """
    x = pat.Wildcard()
    return Subst(op.Sign(x) * op.Abs(x), x)


@rule(
    tags={"algebra", "identity", "bit-exact", "identity-elim"},
    origin="XLA: HandleAbs, abs of abs",
    flags=(),
)
def absolute_of_absolute() -> Subst:
    """abs(abs(x))  =>  abs(x)

    The smallest integer, which stays negative, stays so twice.
    """
    x = pat.Wildcard()
    size = op.Abs(x)
    return Subst(op.Abs(size), size)


@rule(
    tags={"algebra", "identity", "bit-exact", "identity-elim"},
    origin="XLA: HandleAbs, IsNonNegative",
    nan="same",
)
def absolute_of_exponential() -> Subst:
    """abs(exp(x))  =>  exp(x)

    An exponential is not negative.
    """
    x = pat.Wildcard()
    power = op.Exp(x)
    return Subst(op.Abs(power), power)


@rule(
    tags=REALS | {"root", "exact-real", "strength-reduction"},
    origin="XLA: HandleSqrt, sqrt of square",
    twin="root_of_square_as_x",
    flags={"ninf", "reassoc", "afn"},
)
def root_of_square() -> Subst:
    """sqrt(x * x)  =>  abs(x)

    True for real numbers of either sign. The square may overflow, its root is infinite then.
    """
    x = pat.Wildcard()
    return Subst(op.Sqrt(x * x), op.Abs(x))


@rule(
    tags=REALS | {"division", "root", "exact-real", "strength-reduction"},
    origin="XLA: HandleDivide, A/sqrt(B)",
    flags={"arcp"},
)
def divide_by_root() -> Subst:
    """x / sqrt(y)  =>  x * rsqrt(y)

    One operator for the root and its reciprocal.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(x / op.Sqrt(y), x * op.Rsqrt(y))


@rule(
    tags=REALS | {"division", "exponential", "exact-real", "strength-reduction"},
    origin="XLA: HandleDivide, A/exp(B)",
    twin="divide_by_exponential_same_sign",
    flags={"afn"},
)
def divide_by_exponential() -> Subst:
    """x / exp(y)  =>  x * exp(-y)

    The reciprocal of an exponential is that of the negative. Where one of them overflows the
    other vanishes.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(x / op.Exp(y), x * op.Exp(-y))


@rule(
    tags=REALS | {"division", "power", "exact-real", "strength-reduction"},
    origin="XLA: HandleDivide, A/pow(B,C)",
    flags={"nnan", "afn"},
)
def divide_by_power() -> Subst:
    """x / pow(y, z)  =>  x * pow(y, -z)

    The reciprocal of a power is the power of the negative exponent.
    """
    x, y, z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    return Subst(x / op.Power(y, z), x * op.Power(y, -z))


@rule(
    tags=REALS | {"division", "exact-real", "strength-reduction"},
    origin="TensorRight: xla/divmod, rule 02",
    flags={"arcp"},
)
def divide_by_constant() -> Subst:
    """x / c  =>  x * (1 / c) for a constant c of rank 0 of moderate size

    The reciprocal is computed once, before the network runs. It is rounded, and of a very small
    constant it would be infinite. A scalar x is left alone, or the rule would match the reciprocal.
    """
    x, c = pat.Wildcard(), pat.Const(shape=())
    moderate = (attr.Abs(c.value) >= 0.001) & (attr.Abs(c.value) <= 1000.0)
    return Subst(x / c, x * (pat.Const(1.0, dtype=x.dtype) / c), where=[moderate, x.ndim >= 1])


@rule(
    tags=REALS | {"division", "exact-real", "algebraic-reassoc"},
    origin="TensorRight: xla/divmod, rule 03",
    twin="quotient_of_quotients_exchanged",
    flags={"nnan", "ninf", "reassoc", "arcp"},
)
def quotient_of_quotients() -> Subst:
    """(a / b) / (c / d)  =>  (a * d) / (b * c)

    Wherever the source has a value neither b nor c is 0, and nor is d. One division instead of
    three.
    """
    a, b, c, d = pat.Wildcard(), pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    return Subst((a / b) / (c / d), (a * d) / (b * c))


@rule(
    tags=REALS | {"division", "exact-real", "algebraic-reassoc"},
    origin="TensorRight: xla/divmod, rule 04",
    flags={"nnan", "ninf", "reassoc", "arcp"},
)
def divide_by_quotient() -> Subst:
    """a / (b / c)  =>  (a * c) / b

    Wherever the source has a value b is not 0.
    """
    a, b, c = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    return Subst(a / (b / c), (a * c) / b)


@rule(
    tags=REALS | {"division", "exact-real", "algebraic-reassoc"},
    origin="Enzyme-JAX: DivideDivideSimplify",
    flags={"nnan", "ninf", "reassoc", "arcp"},
)
def divide_twice() -> Subst:
    """(a / b) / c  =>  a / (b * c)

    Wherever the source has a value neither b nor c is 0.
    """
    a, b, c = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    return Subst((a / b) / c, a / (b * c))


@rule(
    tags=REALS | {"power", "identity", "exact-real", "identity-elim"},
    origin="XLA: HandlePower, exponent 1",
    flags=(),
)
def power_of_one() -> Subst:
    """pow(x, 1)  =>  x for the constant 1 of rank 0

    For all numbers.
    """
    x = pat.Wildcard()
    return Subst(op.Power(x, 1), x)


@rule(
    tags=REALS | {"power", "exact-real", "const-fold"},
    origin="XLA: HandlePower, exponent 0",
    flags=(),
)
def power_of_zero() -> Subst:
    """pow(x, 0)  =>  ones like x

    By convention also for 0, infinities and NaN.
    """
    x = pat.Wildcard()
    return Subst(op.Power(x, 0), op.OnesLike(x))


@rule(
    tags=REALS | {"power", "exact-real", "strength-reduction"},
    origin="XLA: HandlePower, exponent 2",
    flags=(),
)
def power_of_two() -> Subst:
    """pow(x, 2)  =>  x * x

    A product instead of a general power.
    """
    x = pat.Wildcard()
    return Subst(op.Power(x, 2), x * x)


@rule(
    tags=REALS | {"power", "exact-real", "strength-reduction"},
    origin="XLA: HandlePower, exponent 3",
    flags={"afn"},
)
def power_of_three() -> Subst:
    """pow(x, 3)  =>  x * x * x

    Two products instead of a general power.
    """
    x = pat.Wildcard()
    return Subst(op.Power(x, 3), x * x * x)


@rule(
    tags=REALS | {"power", "division", "exact-real", "strength-reduction"},
    origin="XLA: HandlePower, exponent -1",
    flags=(),
)
def power_of_minus_one() -> Subst:
    """pow(x, -1)  =>  1 / x

    The reciprocal.
    """
    x = pat.Wildcard()
    return Subst(op.Power(x, -1), pat.Const(1.0, dtype=x.dtype) / x)


@rule(
    tags=REALS | {"power", "root", "exact-real", "strength-reduction"},
    origin="XLA: HandlePower, exponent 0.5",
    flags={"ninf", "nsz"},
)
def power_of_half() -> Subst:
    """pow(x, 0.5)  =>  sqrt(x)

    The root. Of minus infinity the power is infinite while the root is NaN.
    """
    x = pat.Wildcard()
    return Subst(op.Power(x, 0.5), op.Sqrt(x))


@rule(
    tags=REALS | {"exponential", "exact-real", "strength-reduction"},
    origin="Enzyme-JAX: LogSimplify, log of exp",
    flags={"ninf", "nsz", "afn"},
)
def logarithm_of_exponential() -> Subst:
    """log(exp(x))  =>  x

    For all real numbers; where the exponential overflows, the target does not.
    """
    x = pat.Wildcard()
    return Subst(op.Log(op.Exp(x)), x)


@rule(
    tags=REALS | {"exponential", "root", "exact-real", "strength-reduction"},
    origin="Enzyme-JAX: LogSimplify, log of sqrt",
    flags={"afn"},
)
def logarithm_of_root() -> Subst:
    """log(sqrt(x))  =>  log(x) / 2

    Where the source has a value x is positive, and so the target has it.
    """
    x = pat.Wildcard()
    return Subst(op.Log(op.Sqrt(x)), op.Log(x) / 2)


@rule(
    tags=REALS | {"exponential", "power", "exact-real", "strength-reduction"},
    origin="XLA: HandleLog, log of pow",
    twin="logarithm_of_power_swapped",
    flags={"nnan", "ninf", "nsz", "afn"},
)
def logarithm_of_power() -> Subst:
    """log(pow(exp(x), y))  =>  y * x

    log(pow(b, y)) is y * log(b) for positive b only, which an exponential is: a negative b has a
    real square with a real logarithm, but no logarithm itself.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(op.Log(op.Power(op.Exp(x), y)), y * x)


@rule(
    tags=REALS | {"root", "clip", "exact-real", "strength-reduction"},
    origin="XLA: HandleSqrt, sqrt of square",
    nan="same",
    twin="root_of_square_of_finite",
)
def root_of_small_square() -> Subst:
    """sqrt(y * y)  =>  abs(y) for y = clip[a, b](x), -255 <= a and b <= 255

    The squares of such limits are finite even in float16, which holds numbers up to 65504: nothing
    becomes infinite on the way. The roots of tiny numbers may still be 0.
    """
    x = pat.Wildcard()
    y = op.Clip(x)
    return Subst(op.Sqrt(y * y), op.Abs(y), where=[y.min >= -255.0, y.max <= 255.0])
