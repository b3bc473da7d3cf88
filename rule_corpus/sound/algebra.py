"""Laws of arithmetic, element by element; broadcasting never changes which elements meet."""

from gsl import Subst, attr, op, pat, rule
from gsl.types import INTEGER

FLOATS = ("float16", "float32", "float64")


@rule(
    tags={"algebra", "reassociation", "exact-real-and-int", "algebraic-reassoc"},
    origin="PolyJuice: ewadd-assoc",
    flags={"ninf", "reassoc"},
)
def add_association() -> Subst:
    """x + (y + z)  =>  (x + y) + z

    Also of integers that wrap, and for any shapes that broadcast: each axis has at most one size
    other than 1.
    """
    x, y, z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    return Subst(x + (y + z), (x + y) + z)


@rule(
    tags={"algebra", "distributivity", "exact-real-and-int", "algebraic-distrib"},
    origin="TensorRight: xla/mul, rule 08",
    flags={"ninf", "nsz", "reassoc"},
)
def factor_from_sum() -> Subst:
    """x * z + y * z  =>  (x + y) * z

    Rings distribute, wrapping integers too. If x and y did not broadcast to each other, their
    products with z would not either.
    """
    x, y, z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    return Subst(x * z + y * z, (x + y) * z)


@rule(
    tags={"algebra", "negation", "bit-exact", "canonicalise"},
    origin="OpenVINO: SubtractFusion",
    flags=(),
)
def add_of_negative() -> Subst:
    """x + (-y)  =>  x - y

    Subtraction adds the negative; the smallest integer, which is its own negative, is no exception.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(x + (-y), x - y)


@rule(
    tags={"algebra", "negation", "identity", "bit-exact", "identity-elim"},
    origin="textbook: double negation; TensorRight: xla/not, rule 02",
    flags=(),
)
def double_negation() -> Subst:
    """-(-x)  =>  x

    Negation is its own inverse, also where it wraps.
    """
    x = pat.Wildcard()
    negative = -x
    return Subst(-negative, x)


@rule(
    tags={"algebra", "identity", "bit-exact", "identity-elim"},
    origin="ONNX Script: _no_op, mul_1; TensorRight: xla/mul, rule 01",
    twin="add_zeros_any_shape",
    flags=(),
)
def multiply_by_one() -> Subst:
    """x * 1  =>  x for the constant 1 of rank 0

    A constant of rank 0 cannot broadcast x to a larger shape; its dtype is that of x already.
    """
    x = pat.Wildcard()
    return Subst(x * 1, x)


@rule(
    tags={"algebra", "strength-reduction", "bit-exact"},
    origin="XLA: HandleAbs",
    twin="absolute_of_square_any_dtype",
    flags=(),
)
def absolute_of_square() -> Subst:
    """abs(x * x)  =>  x * x for floats

    A square is not negative. Of integers it may wrap to a negative number.
    """
    x = pat.Wildcard()
    square = x * x
    return Subst(op.Abs(square), square, where=[attr.In(x.dtype, FLOATS)])


@rule(
    tags={"algebra", "exponential", "exact-real", "algebraic-reassoc"},
    origin="TensorRight: xla/mul, rule 10",
    flags={"ninf", "reassoc", "afn"},
)
def product_of_exponentials() -> Subst:
    """exp(x) * exp(y)  =>  exp(x + y)

    The law of exponents, for all real numbers.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(op.Exp(x) * op.Exp(y), op.Exp(x + y))


@rule(
    tags={"algebra", "exponential", "exact-real", "strength-reduction"},
    origin="Enzyme-JAX: LogSimplify",
    twin="logarithm_of_product",
    flags={"ninf", "nsz", "afn"},
)
def logarithm_of_exponentials() -> Subst:
    """log(exp(x) * exp(y))  =>  x + y

    Exponentials are positive, so that the logarithm of their product is the sum of theirs; of
    other factors it need not be.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(op.Log(op.Exp(x) * op.Exp(y)), x + y)


@rule(
    tags={"algebra", "division", "exact-real-on-domain", "identity-elim"},
    origin="tinygrad: symbolic.py, (x * y) / y",
    twin="floor_divide_product",
    flags={"nnan", "ninf", "reassoc"},
)
def divide_product() -> Subst:
    """(x * y) / y  =>  x unless y broadcasts x

    Where y is 0 the source has no value. Division is that of floats; products of integers wrap.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    quotient = x * y / y
    return Subst(quotient, x, where=[quotient.shape == x.shape])


@rule(
    tags={"algebra", "division", "integers", "exact-int-only", "algebraic-reassoc"},
    origin="tinygrad: symbolic.py, nested division",
    twin="floor_divide_twice_any_sign",
    flags=(),
)
def floor_divide_twice() -> Subst:
    """(x // c) // d  =>  x // (c * d) for integers and d > 0

    Rounding down twice is rounding down once if the second divisor is positive; a negative one
    turns the direction of the first rounding. The product of the divisors must not wrap.
    """
    x, c, d = pat.Wildcard(), pat.Const(shape=()), pat.Const(shape=())
    quotient = op.FloorDivide(op.FloorDivide(x, c), d)
    small = (c.value > -1000) & (c.value != 0) & (c.value < 1000) & (d.value < 1000)
    wide = attr.In(x.dtype, ("int32", "int64"))
    return Subst(quotient, op.FloorDivide(x, c * d), where=[d.value > 0, small, wide])


@rule(
    tags={"algebra", "division", "integers", "exact-int-only", "identity-elim"},
    origin="tinygrad: symbolic.py, (x % y) % y; "
    "TensorRight: xla/divmod, rule 05, with the sign of the divisor",
    twin="remainder_by_negated",
    flags=(),
)
def remainder_of_remainder() -> Subst:
    """(x % y) % y  =>  x % y for integers

    A remainder lies between 0 and y and is its own remainder, for negative y, too.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    once = op.Mod(x, y)
    return Subst(op.Mod(once, y), once, where=[attr.In(x.dtype, INTEGER)])
