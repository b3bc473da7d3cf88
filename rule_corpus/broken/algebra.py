"""Arithmetic gone wrong: integers wrap, divisors have signs, logarithms have domains."""

from gsl import Subst, attr, op, pat, rule
from gsl.types import INTEGER


@rule(
    tags={"algebra", "identity", "identity-elim"},
    origin="ONNX Script: onnxscript-scalar-const",
    expect="GSL301",
    twin="multiply_by_one",
)
def add_zeros_any_shape() -> Subst:
    """x + zeros[(1, 1, 1)]  =>  x

    One element is not rank 0 (onnxscript#2672): the sum has rank 3 at least, whatever x has.
    """
    x = pat.Wildcard()
    return Subst(x + op.Zeros(shape=(1, 1, 1), dtype=x.dtype), x)


@rule(
    tags={"algebra", "strength-reduction", "integers"},
    origin="XLA: xla-nonneg-int",
    expect="GSL401",
    twin="absolute_of_square",
)
def absolute_of_square_any_dtype() -> Subst:
    """abs(x * x)  =>  x * x

    Of integers the square may wrap to a negative number (openxla/xla#41784): in int8, 12 * 12 is
    -112.
    """
    x = pat.Wildcard()
    square = x * x
    return Subst(op.Abs(square), square)


@rule(
    tags={"algebra", "exponential", "strength-reduction"},
    origin="Enzyme-JAX: enzyme-log-pow",
    expect="GSL401",
    twin="logarithm_of_exponentials",
)
def logarithm_of_product() -> Subst:
    """log(x * y)  =>  log(x) + log(y)

    The product of two negative numbers has a logarithm, they have none (Enzyme-JAX#2570).
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(op.Log(x * y), op.Log(x) + op.Log(y))


@rule(
    tags={"algebra", "division", "integers", "identity-elim"},
    origin="tinygrad: symbolic.py, (x * y) // y with integers that wrap",
    expect="GSL401",
    twin="divide_product",
)
def floor_divide_product() -> Subst:
    """(x * y) // y  =>  x for integers, unless y broadcasts x

    Cancelling needs a product that does not wrap; Halide keeps such rules for types without
    overflow (halide#6207). In int8, 100 * 2 // 2 is -28.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    quotient = op.FloorDivide(x * y, y)
    exact = attr.In(x.dtype, INTEGER)
    return Subst(quotient, x, where=[quotient.shape == x.shape, exact])


@rule(
    tags={"algebra", "division", "integers", "algebraic-reassoc"},
    origin="tinygrad: tinygrad-divdiv",
    expect="GSL401",
    twin="floor_divide_twice",
)
def floor_divide_twice_any_sign() -> Subst:
    """(x // c) // d  =>  x // (c * d) for integers

    Rounding down and then dividing by a negative number rounds up (tinygrad#16054): 1 // 2 // -3
    is 0, 1 // -6 is -1.
    """
    x, c, d = pat.Wildcard(), pat.Const(shape=()), pat.Const(shape=())
    quotient = op.FloorDivide(op.FloorDivide(x, c), d)
    small = [(k.value > -1000) & (k.value != 0) & (k.value < 1000) for k in (c, d)]
    wide = attr.In(x.dtype, ("int32", "int64"))
    return Subst(quotient, op.FloorDivide(x, c * d), where=[*small, wide])


@rule(
    tags={"algebra", "division", "integers", "identity-elim"},
    origin="tinygrad: tinygrad-mod-neg",
    expect="GSL401",
    twin="remainder_of_remainder",
)
def remainder_by_negated() -> Subst:
    """x % y  =>  -(x % -y) for integers

    Neither the remainder that rounds down nor that of C is odd in its divisor (tinygrad#10832):
    5 % -3 is -1, and -(5 % 3) is -2.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    rest = op.Mod(x, y)
    return Subst(rest, -op.Mod(x, -y), where=[attr.In(x.dtype, ("int32", "int64"))])
