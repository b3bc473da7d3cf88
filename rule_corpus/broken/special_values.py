"""Rules that hold for numbers but promise too much about NaN, infinities and the signs of zeros."""

from gsl import Subst, op, pat, rule

SPECIAL = {"special-values"}


@rule(
    tags=SPECIAL | {"clip", "identity-elim"},
    origin="TVM Relay: tvm-relay-clip-inf",
    expect="GSL406",
    nan="same",
    twin="clip_to_whole_range",
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
    tags=SPECIAL | {"softmax", "reduction", "scale", "algebraic-distrib"},
    origin="PyTorch Inductor: inductor-mul-softmax-inf",
    expect="GSL406",
    twin="shift_of_scaled",
    nan="same",
)
def shift_of_scaled_any_factor() -> Subst:
    """x * c - max[a, keep](x * c)  =>  (x - max[a, keep](x)) * c for a constant c > 0 of float16

    mul_softmax_pattern rewrites what softmax takes exponentials of (pytorch#161150), and does not
    ask whether the products are finite, as c is. If they overflow, the source subtracts infinities
    and is NaN, and the target is 0.
    """
    x, c = pat.Wildcard(), pat.Const(shape=())
    scaled = x * c
    largest = op.Max(scaled, axis=(None,), keepdims=True)
    target = (x - op.Max(x, **pat.same_attr(largest))) * c
    finite = [c.value > 0, c.value <= 65504.0]
    return Subst(scaled - largest, target, where=[*finite, x.dtype == "float16"])


@rule(
    tags=SPECIAL | {"reduction", "exponential", "strength-reduction"},
    origin="onnxoptimizer: onnxopt-argmax-exp",
    expect="GSL406",
    twin="argmax_of_exponential_of_bytes",
    nan="same",
)
def argmax_of_exponential_any_dtype() -> Subst:
    """argmax[a](exp(x * 1000))  =>  argmax[a](x * 1000)

    eliminate_nop_monotone_argmax, live in 0.4.2, does so for any operand; this one is large. Unlike
    numbers have equal exponentials where these overflow or vanish, and of equal ones the first
    counts.
    """
    x = pat.Wildcard()
    scaled = x * 1000
    place = op.Argmax(op.Exp(scaled))
    return Subst(place, op.Argmax(scaled, **pat.same_attr(place)))


@rule(
    tags=SPECIAL | {"reduction", "logarithm", "strength-reduction"},
    origin="onnxoptimizer: onnxopt-argmax-log",
    expect="GSL406",
    twin="argmax_of_logarithm_of_size",
    nan="same",
)
def argmax_of_logarithm_any_sign() -> Subst:
    """argmax[a](log(x) or sqrt(x))  =>  argmax[a](x)

    eliminate_nop_monotone_argmax, live in 0.4.2, does not ask where the function is defined: a
    negative element becomes NaN, which is taken for the largest. (The one found is infinite, since
    negative numbers are not drawn for these functions.)
    """
    x = pat.Wildcard()
    place = op.Argmax(pat.Alt(op.Log(x), op.Sqrt(x)))
    return Subst(place, op.Argmax(x, **pat.same_attr(place)))


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
