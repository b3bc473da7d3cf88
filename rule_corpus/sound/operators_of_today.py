"""Operators of today's models: written out in parts, undone, or said by a simpler one."""

from gsl import Subst, attr, op, pat, rule
from gsl.types import INTEGER

EXACT_FLOATS = ("float32", "float64")


@rule(
    tags={"activation", "same-terms", "fusion"},
    origin="ONNX Runtime and torch-to-ONNX exporters: Softsign written out",
    twin="softsign_without_abs",
    flags=(),
)
def softsign_fused() -> Subst:
    """x / (1 + abs(x))  =>  softsign(x)

    The divisor is at least 1, so nothing can be divided by 0.
    """
    x = pat.Wildcard()
    return Subst(x / (1.0 + op.Abs(x)), op.Softsign(x))


@rule(
    tags={"activation", "exact-real", "fusion"},
    origin="ONNX Runtime: Mish as exporters write it",
    twin="mish_of_any_softplus",
    flags=(),
)
def mish_fused() -> Subst:
    """x * tanh(softplus(x))  =>  mish(x), softplus with beta 1 and a threshold from 20 on

    Beyond 20 a hyperbolic tangent is 1 in every dtype, whichever form of softplus comes before.
    """
    x = pat.Wildcard()
    soft = op.Softplus(x, beta=1.0)
    return Subst(x * op.Tanh(soft), op.Mish(x), where=[soft.threshold == 20.0])


@rule(
    tags={"activation", "exact-real", "fusion"},
    origin="ONNX: HardSwish as a function",
    twin="hard_swish_of_any_slope",
    flags={"arcp"},
)
def hard_swish_fused() -> Subst:
    """x * hard_sigmoid[1/6, 1/2](x)  =>  hard_swish(x)

    The slope is the float64 nearest to 1/6, as ONNX writes it.
    """
    x = pat.Wildcard()
    return Subst(x * op.HardSigmoid(x, alpha=1 / 6, beta=0.5), op.HardSwish(x))


@rule(
    tags={"activation", "relu", "bit-exact", "identity-elim"},
    origin="GSL: activations that keep what is positive",
    twin="relu_of_any_elu",
    flags=(),
)
def relu_of_elu() -> Subst:
    """relu(elu[a](x))  =>  relu(x) for a >= 0

    What is positive stays, and a * (exp(x) - 1) is not positive for x <= 0.
    """
    x = pat.Wildcard()
    bent = op.Elu(x)
    return Subst(op.Relu(bent), op.Relu(x), where=[bent.alpha >= 0])


@rule(
    tags={"activation", "exact-real", "canonicalise"}, origin="torch: selu is scale * elu", flags=()
)
def selu_in_parts() -> Subst:
    """selu[a, g](x)  =>  elu[a](x) * g

    The same function of the same numbers, in two operators.
    """
    x = pat.Wildcard()
    whole = op.Selu(x)
    return Subst(whole, op.Elu(x, alpha=whole.alpha) * whole.gamma)


@rule(
    tags={"activation", "exact-real", "canonicalise"},
    origin="torch: celu with alpha 1 is elu",
    twin="any_celu_is_elu",
    flags=(),
)
def celu_of_one_is_elu() -> Subst:
    """celu[1](x)  =>  elu[1](x)

    Only then dividing by alpha before the exponential makes no difference.
    """
    x = pat.Wildcard()
    return Subst(op.Celu(x, alpha=1.0), op.Elu(x, alpha=1.0))


@rule(
    tags={"reduce", "exact-real", "fusion"},
    origin="XLA and torch inductor: logsumexp",
    twin="log_sum_exp_of_other_axes",
    flags={"ninf", "reassoc", "afn"},
)
def log_sum_exp_fused() -> Subst:
    """log(sum[a](exp(x)))  =>  logsumexp[a](x) where no axis is empty

    The fused form does not overflow where the source would, and has no value of nothing.
    """
    x = pat.Wildcard()
    total = op.Sum(op.Exp(x))
    target = op.LogSumExp(x, **pat.same_attr(total))
    filled = attr.All(lambda i: x.shape[i] >= 1, length=x.ndim)
    return Subst(op.Log(total), target, where=[filled])


@rule(tags={"reduce", "exact-real", "fusion"}, origin="ONNX Runtime: ReduceL2", flags=())
def reduce_l2_fused() -> Subst:
    """sqrt(sum[a](square(x)))  =>  reduce_l2[a](x)

    Both compute the root of the same sum.
    """
    x = pat.Wildcard()
    total = op.Sum(op.Square(x))
    return Subst(op.Sqrt(total), op.ReduceL2(x, **pat.same_attr(total)))


@rule(tags={"reduce", "bit-exact", "fusion"}, origin="ONNX Runtime: ReduceL1", flags=())
def reduce_l1_fused() -> Subst:
    """sum[a](abs(x))  =>  reduce_l1[a](x)

    Integers wrap alike: abs of the least one is itself in both.
    """
    x = pat.Wildcard()
    total = op.Sum(op.Abs(x))
    return Subst(total, op.ReduceL1(x, **pat.same_attr(total)))


@rule(
    tags={"data-movement", "bit-exact", "identity-elim"},
    origin="ONNX Runtime: SpaceToDepth after DepthToSpace",
    twin="space_to_depth_of_other_order",
    flags=(),
)
def depth_to_space_undone() -> Subst:
    """space_to_depth[b](depth_to_space[b, DCR](x))  =>  x

    In this order of channels they are inverse to each other.
    """
    x = pat.Wildcard()
    spread = op.DepthToSpace(x, mode="DCR")
    return Subst(op.SpaceToDepth(spread, block_size=spread.block_size), x)


@rule(
    tags={"sort", "bit-exact", "canonicalise"},
    origin="JAX: descending sort as a reversed one",
    twin="flipped_argsort",
    flags={"nsz"},
)
def flipped_sort() -> Subst:
    """flip[a](sort[a](x))  =>  sort[a, descending](x)

    Of equal elements the first comes first in either order. They can be told apart by the signs of
    zeros only.
    """
    x = pat.Wildcard()
    order = op.Sort(x, descending=False)
    turned = op.Flip(order, axis=order.axis)
    return Subst(turned, op.Sort(x, axis=order.axis, descending=True))


@rule(
    tags={"sort", "bit-exact", "identity-elim"},
    origin="GSL: idempotent operators",
    twin="sorted_twice_in_turn",
    flags={"nsz"},
)
def sorted_twice() -> Subst:
    """sort{A}(sort{A}(x))  =>  sort{A}(x)

    What is in order stays as it is.
    """
    x = pat.Wildcard()
    once = op.Sort(x)
    return Subst(op.Sort(once, **pat.same_attr(once)), once)


@rule(
    tags={"einsum", "matmul", "exact-real-and-int", "canonicalise"},
    origin="XLA: EinsumExpander",
    twin="einsum_of_a_transposed_factor",
    flags=(),
)
def einsum_is_matmul() -> Subst:
    """einsum[ij,jk->ik](x, y)  =>  x @ y

    The contracted axis is the last of x and the first of y.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    source = op.Einsum((x, y), equation="ij,jk->ik")
    return Subst(source, op.Matmul(x, y), where=[x.ndim == 2, y.ndim == 2])


@rule(
    tags={"gemm", "matmul", "exact-real", "canonicalise"},
    origin="TVM and onnxsim: Gemm in parts",
    twin="gemm_in_parts_untransposed",
    flags=(),
)
def gemm_in_parts() -> Subst:
    """gemm[1, 1](a, b, c)  =>  a @ b + c, nothing transposed

    The bias broadcasts to the product, as it does in a sum.
    """
    a, b, c = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    source = op.Gemm(a, b, c, alpha=1.0, beta=1.0, trans_a=False, trans_b=False)
    return Subst(source, op.Matmul(a, b) + c)


@rule(
    tags={"attention", "softmax", "exact-real", "fusion"},
    origin="torch and ONNX Runtime: attention fusion, without a mask",
    twin="attention_fused_default_scale",
    flags=("ninf", "nsz"),
)
def attention_fused() -> Subst:
    """softmax[-1]((q @ T(k)) * s) @ v  =>  attention[s](q, k, v), heads in front of positions

    As many heads of keys and values as of queries, but not none; the mask is absent. A weight that
    is 0 in the source may be very small in the target, which an infinite value shows.
    """
    q, k, v, s = pat.Wildcard(), pat.Wildcard(), pat.Wildcard(), pat.Const(shape=())
    keys = op.Transpose(k, axes=(0, 1, 3, 2))
    scores = op.Matmul(q, keys, out_dtype=q.dtype) * s
    source = op.Matmul(op.Softmax(scores, axis=-1), v, out_dtype=q.dtype)
    target = op.MaskedAttention(q, k, v, pat.Absent(), scale=s.value, is_causal=False)
    return Subst(
        source,
        target,
        where=[
            q.ndim == 4,
            v.ndim == 4,
            q.shape[1] >= 1,
            q.shape[:2] == k.shape[:2],
            v.shape[:2] == k.shape[:2],
        ],
    )


@rule(
    tags={"quantization", "exact-real", "identity-elim"},
    origin="ONNX Runtime: QDQ pairs removed",
    twin="dequantized_after_quantizing",
    flags={"nnan", "ninf"},
)
def quantized_after_dequantizing() -> Subst:
    """quantize{A}(dequantize{A}(q, s, z), s, z)  =>  q for integers of 8 bits

    Rounding takes back what multiplying and dividing by s have lost.
    """
    q, s, z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    real = op.DequantizeLinear(q, s, z)
    source = op.QuantizeLinear(real, s, z, **pat.same_attr(real))
    narrow = attr.In(q.dtype, ("int8", "uint8"))
    return Subst(source, q, where=[narrow, attr.In(s.dtype, EXACT_FLOATS)])


@rule(
    tags={"resize", "bit-exact", "identity-elim"},
    origin="onnxsim and XLA: resizing to the same sizes",
    twin="resized_to_any_sizes",
    flags=(),
)
def resized_to_its_sizes() -> Subst:
    """resize{A}(x)  =>  x where the sizes are those of x

    Every place then lies at an element, whatever the coordinates are.
    """
    x = pat.Wildcard()
    whole = op.Resize(x)
    return Subst(whole, x, where=[whole.sizes == x.shape])


@rule(
    tags={"bits", "bit-exact", "identity-elim"},
    origin="LLVM: InstCombine, not of not",
    twin="bits_inverted_once",
    flags=(),
)
def bits_inverted_twice() -> Subst:
    """~(~x)  =>  x

    Every bit changes twice.
    """
    x = pat.Wildcard()
    return Subst(op.BitwiseNot(op.BitwiseNot(x)), x)


@rule(
    tags={"bits", "bit-exact", "strength-reduction"},
    origin="LLVM: InstCombine, division by a power of two",
    twin="truncating_division_by_two_shifted",
    flags=(),
)
def floor_division_by_two_shifted() -> Subst:
    """floor(x / 2)  =>  x >> 1 for integers

    Copies of the sign come in, which rounds down.
    """
    x = pat.Wildcard()
    integers = attr.In(x.dtype, INTEGER)
    return Subst(op.FloorDivide(x, 2), op.RightShift(x, 1), where=[integers])


@rule(
    tags={"division", "exact-int-only", "canonicalise"},
    origin="LLVM: InstCombine, urem",
    twin="remainder_is_modulo",
    flags=(),
)
def remainder_in_parts() -> Subst:
    """x - truncdiv(x, y) * y  =>  remainder(x, y) for integers

    That is what a remainder is.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    integers = attr.In(x.dtype, INTEGER)
    return Subst(x - op.TruncDivide(x, y) * y, op.Remainder(x, y), where=[integers])


@rule(
    tags={"gather", "take", "bit-exact", "canonicalise"},
    origin="ONNX Runtime: GatherND on one axis",
    twin="gather_nd_of_batches_is_take",
    flags=(),
)
def gather_nd_is_take() -> Subst:
    """gather_nd[0, 1](x, i)  =>  take[0](x, squeeze[-1](i))

    Places on one axis are indices in a further axis of size 1.
    """
    x, i = pat.Wildcard(), pat.Wildcard()
    source = op.GatherND(x, i, batch_dims=0, depth=1)
    return Subst(source, op.Take(x, op.Squeeze(i, axis=(-1,)), axis=0))


@rule(
    tags={"quantization", "exact-real", "fusion"},
    origin="torch: fake quantisation in the place of a pair of quantisers",
    twin="fake_quantized_in_other_limits",
    flags={"nnan", "ninf"},
)
def fake_quantized() -> Subst:
    """dequantize{A}(quantize{A}(x, s, z), s, z)  =>  fake_quantize[-128, 127](x, s, z) for int8

    Without blocks, of which fake quantisation knows nothing.
    """
    x, s, z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    stored = op.QuantizeLinear(x, s, z, block_size=0)
    source = op.DequantizeLinear(stored, s, z, **pat.same_attr(stored))
    zero = op.Cast(z, dtype="int32")
    target = op.FakeQuantize(x, s, zero, quant_min=-128, quant_max=127, axis=stored.axis)
    return Subst(source, target, where=[z.dtype == "int8", attr.In(x.dtype, EXACT_FLOATS)])
