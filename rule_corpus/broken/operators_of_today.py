"""Operators of today's models gone wrong: another attribute, another order, another rounding."""

from gsl import Subst, attr, op, pat, rule
from gsl.types import INTEGER


@rule(
    tags={"activation", "fusion"},
    origin="GSL: softsign_fused with its absolute value forgotten",
    expect="GSL401",
    twin="softsign_fused",
)
def softsign_without_abs() -> Subst:
    """x / (1 + x)  =>  softsign(x)

    For negative x that is another function, and it has a pole at -1.
    """
    x = pat.Wildcard()
    return Subst(x / (1.0 + x), op.Softsign(x))


@rule(
    tags={"activation", "fusion"},
    origin="GSL: mish_fused for every softplus",
    expect="GSL401",
    twin="mish_fused",
)
def mish_of_any_softplus() -> Subst:
    """x * tanh(softplus{A}(x))  =>  mish(x)

    Another beta makes another function.
    """
    x = pat.Wildcard()
    return Subst(x * op.Tanh(op.Softplus(x)), op.Mish(x))


@rule(
    tags={"activation", "fusion"},
    origin="GSL: hard_swish_fused with the slope of torch's older HardSigmoid",
    expect="GSL401",
    twin="hard_swish_fused",
)
def hard_swish_of_any_slope() -> Subst:
    """x * hard_sigmoid[0.2, 1/2](x)  =>  hard_swish(x)

    0.2 is the default of ONNX, 1/6 is what HardSwish needs.
    """
    x = pat.Wildcard()
    return Subst(x * op.HardSigmoid(x, alpha=0.2, beta=0.5), op.HardSwish(x))


@rule(
    tags={"activation", "relu", "identity-elim"},
    origin="GSL: relu_of_elu without its condition",
    expect="GSL401",
    twin="relu_of_elu",
)
def relu_of_any_elu() -> Subst:
    """relu(elu[a](x))  =>  relu(x)

    With a negative a, what is below 0 becomes positive.
    """
    x = pat.Wildcard()
    return Subst(op.Relu(op.Elu(x)), op.Relu(x))


@rule(
    tags={"activation", "canonicalise"},
    origin="GSL: celu_of_one_is_elu for every alpha",
    expect="GSL401",
    twin="celu_of_one_is_elu",
)
def any_celu_is_elu() -> Subst:
    """celu[a](x)  =>  elu[a](x)

    Celu divides by a before the exponential.
    """
    x = pat.Wildcard()
    bent = op.Celu(x)
    return Subst(bent, op.Elu(x, alpha=bent.alpha))


@rule(
    tags={"reduce", "fusion"},
    origin="GSL: log_sum_exp_fused with the axes left at their default",
    expect="GSL301",
    twin="log_sum_exp_fused",
)
def log_sum_exp_of_other_axes() -> Subst:
    """log(sum[a](exp(x)))  =>  logsumexp(x)

    Attributes left out take their defaults in a target: all axes.
    """
    x = pat.Wildcard()
    return Subst(op.Log(op.Sum(op.Exp(x))), op.LogSumExp(x))


@rule(
    tags={"data-movement", "identity-elim"},
    origin="GSL: depth_to_space_undone without looking at the order",
    expect="GSL401",
    twin="depth_to_space_undone",
)
def space_to_depth_of_other_order() -> Subst:
    """space_to_depth[b](depth_to_space[b, CRD](x))  =>  x

    SpaceToDepth has no such order: channels come back in another one.
    """
    x = pat.Wildcard()
    spread = op.DepthToSpace(x, mode="CRD")
    return Subst(op.SpaceToDepth(spread, block_size=spread.block_size), x)


@rule(
    tags={"sort", "canonicalise"},
    origin="JAX: argsort(descending) as a reversed argsort, which is not stable",
    expect="GSL401",
    twin="flipped_sort",
)
def flipped_argsort() -> Subst:
    """flip[a](argsort[a](x))  =>  argsort[a, descending](x)

    Equal elements come in the opposite order.
    """
    x = pat.Wildcard()
    order = op.ArgSort(x, descending=False)
    turned = op.Flip(order, axis=order.axis)
    return Subst(turned, op.ArgSort(x, axis=order.axis, descending=True))


@rule(
    tags={"sort", "identity-elim"},
    origin="GSL: sorted_twice without comparing the orders",
    expect="GSL401",
    twin="sorted_twice",
)
def sorted_twice_in_turn() -> Subst:
    """sort[a, d](sort[a, e](x))  =>  sort[a, e](x)

    The last one decides, not the first.
    """
    x = pat.Wildcard()
    once = op.Sort(x)
    return Subst(op.Sort(once, axis=once.axis), once)


@rule(
    tags={"einsum", "matmul", "canonicalise"},
    origin="GSL: einsum_is_matmul with the axes of the second factor exchanged",
    expect="GSL303",
    twin="einsum_is_matmul",
)
def einsum_of_a_transposed_factor() -> Subst:
    """einsum[ij,kj->ik](x, y)  =>  x @ y

    The second factor has to be transposed.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    source = op.Einsum((x, y), equation="ij,kj->ik")
    return Subst(source, op.Matmul(x, y), where=[x.ndim == 2, y.ndim == 2])


@rule(
    tags={"gemm", "matmul", "canonicalise"},
    origin="GSL: gemm_in_parts that does not look at transposition",
    expect="GSL303",
    twin="gemm_in_parts",
)
def gemm_in_parts_untransposed() -> Subst:
    """gemm[1, 1]{A}(a, b, c)  =>  a @ b + c

    Either matrix may have to be transposed first.
    """
    a, b, c = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    return Subst(op.Gemm(a, b, c, alpha=1.0, beta=1.0), op.Matmul(a, b) + c)


@rule(
    tags={"attention", "softmax", "fusion"},
    origin="GSL: attention_fused with the default scale",
    expect="GSL401",
    twin="attention_fused",
)
def attention_fused_default_scale() -> Subst:
    """softmax[-1](q @ T(k)) @ v  =>  attention(q, k, v)

    Without a scale that is 1 over the root of the size of a head.
    """
    q, k, v = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    keys = op.Transpose(k, axes=(0, 1, 3, 2))
    scores = op.Matmul(q, keys, out_dtype=q.dtype)
    source = op.Matmul(op.Softmax(scores, axis=-1), v, out_dtype=q.dtype)
    same = [q.shape[:2] == k.shape[:2], v.shape[:2] == k.shape[:2]]
    filled = [q.shape[1] >= 1, q.shape[3] >= 1]
    target = op.MaskedAttention(q, k, v, pat.Absent())
    return Subst(source, target, where=[q.ndim == 4, v.ndim == 4, *same, *filled])


@rule(
    tags={"quantization", "identity-elim"},
    origin="GSL: quantized_after_dequantizing the other way round",
    expect="GSL401",
    twin="quantized_after_dequantizing",
)
def dequantized_after_quantizing() -> Subst:
    """dequantize{A}(quantize{A}(x, s, z), s, z)  =>  x

    What is rounded and cut off does not come back.
    """
    x, s, z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    stored = op.QuantizeLinear(x, s, z)
    return Subst(op.DequantizeLinear(stored, s, z, **pat.same_attr(stored)), x)


@rule(
    tags={"resize", "identity-elim"},
    origin="GSL: resized_to_its_sizes without its condition",
    expect="GSL301",
    twin="resized_to_its_sizes",
)
def resized_to_any_sizes() -> Subst:
    """resize{A}(x)  =>  x

    The sizes may be others.
    """
    x = pat.Wildcard()
    return Subst(op.Resize(x), x)


@rule(
    tags={"bits", "identity-elim"},
    origin="GSL: bits_inverted_twice with one of the two forgotten",
    expect="GSL401",
    twin="bits_inverted_twice",
)
def bits_inverted_once() -> Subst:
    """~(-x)  =>  x

    In two's complement that is x - 1.
    """
    x = pat.Wildcard()
    return Subst(op.BitwiseNot(op.Negative(x)), x)


@rule(
    tags={"bits", "strength-reduction"},
    origin="LLVM: a division by two made a shift without mending negative numbers",
    expect="GSL401",
    twin="floor_division_by_two_shifted",
)
def truncating_division_by_two_shifted() -> Subst:
    """truncdiv(x, 2)  =>  x >> 1 for integers

    -1 cut off is 0, shifted it stays -1.
    """
    x = pat.Wildcard()
    integers = attr.In(x.dtype, INTEGER)
    return Subst(op.TruncDivide(x, 2), op.RightShift(x, 1), where=[integers])


@rule(
    tags={"division", "canonicalise"},
    origin="ONNX: Mod with and without fmod taken for one",
    expect="GSL401",
    twin="remainder_in_parts",
)
def remainder_is_modulo() -> Subst:
    """remainder(x, y)  =>  mod(x, y)

    One has the sign of the dividend, the other that of the divisor.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(op.Remainder(x, y), op.Mod(x, y), where=[attr.In(x.dtype, INTEGER)])


@rule(
    tags={"gather", "take", "canonicalise"},
    origin="GSL: gather_nd_is_take that does not look at batches",
    expect="GSL301",
    twin="gather_nd_is_take",
)
def gather_nd_of_batches_is_take() -> Subst:
    """gather_nd[b, 1](x, i)  =>  take[b](x, squeeze[-1](i))

    Axes that are common to both occur once in the source and twice in the target.
    """
    x, i = pat.Wildcard(), pat.Wildcard()
    source = op.GatherND(x, i, depth=1)
    target = op.Take(x, op.Squeeze(i, axis=(-1,)), axis=source.batch_dims)
    return Subst(source, target)


@rule(
    tags={"quantization", "fusion"},
    origin="GSL: fake_quantized with the limits of unsigned bytes",
    expect="GSL401",
    twin="fake_quantized",
)
def fake_quantized_in_other_limits() -> Subst:
    """dequantize{A}(quantize{A}(x, s, z), s, z)  =>  fake_quantize[0, 255](x, s, z) for int8

    Signed bytes end at 127.
    """
    x, s, z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    stored = op.QuantizeLinear(x, s, z, block_size=0)
    source = op.DequantizeLinear(stored, s, z, **pat.same_attr(stored))
    zero = op.Cast(z, dtype="int32")
    target = op.FakeQuantize(x, s, zero, quant_min=0, quant_max=255, axis=stored.axis)
    return Subst(source, target, where=[z.dtype == "int8", x.dtype == "float32"])
