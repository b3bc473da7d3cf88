"""Ranges of whole numbers, which XLA calls iota."""

from gsl import Subst, attr, op, pat, rule

RANGE = {"range", "integers"}
INTEGERS = ("int8", "uint8", "int32", "int64")


@rule(
    tags=RANGE | {"create"},
    origin="TensorRight: xla/iota, rule 01",
    nan="same",
    twin="range_of_one_as_zeros",
)
def range_of_one_number() -> Subst:
    """arange{0, e, s}()  =>  zeros[(1,)]() for 0 < e <= s

    The range has one number, and that is 0.
    """
    numbers = op.Arange(start=0)
    target = op.Zeros(shape=(1,), dtype=numbers.dtype)
    return Subst(numbers, target, where=[numbers.end >= 1, numbers.end <= numbers.step])


@rule(
    tags=RANGE | {"algebra"},
    origin="TensorRight: xla/divmod, rule 06",
    nan="same",
    twin="remainder_of_any_range",
)
def remainder_of_range() -> Subst:
    """arange{b, e, s}() % c  =>  arange{b, e, s}() for integers, 0 <= b and e <= c, c of rank 0

    Numbers below the divisor are their own remainders.
    """
    numbers = op.Arange()
    c = pat.Const(shape=())
    integers = [attr.In(numbers.dtype, INTEGERS), numbers.start >= 0, c.value >= numbers.end]
    return Subst(numbers % c, numbers, where=[*integers, c.value >= 1])


@rule(
    tags=RANGE | {"algebra"},
    origin="TensorRight: xla/divmod, rule 07",
    nan="same",
)
def remainder_of_shifted_range() -> Subst:
    """(arange{0, e, s}() + c) % c  =>  arange{0, e, s}() % c for an int32 c > 0 of rank 0

    A multiple of the divisor does not change a remainder, unless the sum leaves the range of the
    dtype: both numbers are less than a billion.
    """
    numbers = op.Arange(start=0)
    c = pat.Const(shape=())
    most = 10**9
    small = [numbers.dtype == "int32", numbers.end <= most, c.value >= 1, c.value <= most]
    return Subst((numbers + c) % c, numbers % c, where=small)
