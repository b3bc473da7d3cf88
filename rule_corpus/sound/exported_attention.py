"""Attention and its surroundings as exporters of PyTorch write them, in the operators of gsl."""

from math import pi, sqrt

from gsl import Subst, attr, op, pat, rule

ATTENTION = {"attention", "attention-fusion", "fusion"}


@rule(
    tags={"transpose", "reshape", "data-movement", "canonicalise", "bit-exact"},
    origin="torch.onnx: keys of scaled_dot_product_attention",
    twin="transpose_of_joined_heads_by_sizes",
    flags=(),
)
def transpose_of_joined_heads() -> Subst:
    """reshape[(b, h, m, n)](T(x))  =>  transpose[0, 1, 3, 2](reshape[(b, h, n, m)](x))

    T = transpose[0, 2, 1]. Matrices of batches and heads, stored one after the other: transposed
    before they are told apart or behind.
    """
    x = pat.Wildcard()
    apart = op.Reshape(op.Transpose(x, axes=(0, 2, 1)), shape=(None, None, None, None))
    b, h, m, n = (apart.shape[i] for i in range(4))
    target = op.Transpose(op.Reshape(x, shape=(b, h, n, m)), axes=(0, 1, 3, 2))
    return Subst(apart, target, where=[x.ndim == 3, m == x.shape[2], n == x.shape[1]])


@rule(
    tags={"softmax", "predicate", "identity-elim", "same-terms"},
    origin="torch.onnx: safe softmax of scaled_dot_product_attention",
    twin="softmax_is_below_one",
    flags={"nnan"},
)
def softmax_is_a_number() -> Subst:
    """where(is_nan(softmax(x)), c, softmax(x))  =>  softmax(x) for numbers x

    A softmax of numbers is one. Rows of minus infinity, or with NaN, have NaN on the right.
    """
    x, c = pat.Wildcard(), pat.Const(shape=())
    weights = op.Softmax(x)
    return Subst(op.Where(op.IsNaN(weights), c, weights), weights)


@rule(
    tags={"softmax", "predicate", "identity-elim", "same-terms"},
    origin="torch: safe softmax of scaled_dot_product_attention",
    flags={"nnan", "ninf"},
)
def softmax_of_something() -> Subst:
    """where(max[a](x) == -inf, c, softmax[a](x))  =>  softmax[a](x) for finite x

    A line of which something is left has another maximum.
    """
    x, c = pat.Wildcard(), pat.Const(shape=())
    weights = op.Softmax(x)
    largest = op.Max(x, axis=(None,), keepdims=True)
    source = op.Where(op.Equal(largest, float("-inf")), c, weights)
    same = largest.axis[0] % x.ndim == weights.axis % x.ndim
    return Subst(source, weights, where=[same])


@rule(
    tags={"softmax", "canonicalise", "bit-exact"},
    origin="torch.export: axes counted from the front",
    flags=(),
)
def softmax_from_end() -> Subst:
    """softmax[a](x)  =>  softmax[-1](x) for the last axis a, counted from the front

    The same axis; rules look for the last one from the end.
    """
    x = pat.Wildcard()
    weights = op.Softmax(x)
    return Subst(weights, op.Softmax(x, axis=-1), where=[weights.axis == x.ndim - 1])


@rule(
    tags=ATTENTION | {"softmax", "exact-real"},
    origin="torch and ONNX Runtime: attention fusion, with a mask",
    twin="masked_attention_scaled_behind",
    flags=(),
)
def masked_attention_fused() -> Subst:
    """softmax[-1]((q @ T(k)) * s + m) @ v  =>  attention[s](q, k, v, m), heads before positions

    As many heads of keys and values as of queries, but not none; the mask broadcasts to the
    products and is added to them.
    """
    q, k, v, m, s = *(pat.Wildcard() for _ in range(4)), pat.Const(shape=())
    scores = op.Matmul(q, op.Transpose(k, axes=(0, 1, 3, 2)), out_dtype=q.dtype) * s + m
    source = op.Matmul(op.Softmax(scores, axis=-1), v, out_dtype=q.dtype)
    target = op.MaskedAttention(q, k, v, m, scale=s.value, is_causal=False)
    heads = [q.shape[1] >= 1, q.shape[:2] == k.shape[:2], v.shape[:2] == k.shape[:2]]
    whole = (q.shape[0], q.shape[1], q.shape[2], k.shape[2])
    return Subst(source, target, where=[q.ndim == 4, v.ndim == 4, *heads, scores.shape == whole])


def repeated_heads(x: pat.Pattern) -> pat.Pattern:
    """Return keys or values each of whose heads stands several times, one behind the other."""
    several = op.BroadcastTo(op.ExpandDims(x, axis=(2,)), shape=(None,) * 5)
    whole = (x.shape[0], x.shape[1] * several.shape[2], x.shape[2], x.shape[3])
    return op.Reshape(several, shape=whole)


@rule(
    tags=ATTENTION | {"broadcast", "exact-real", "grouped-query"},
    origin="transformers: repeat_kv of grouped-query attention",
    twin="grouped_query_attention_of_tiled_heads",
    flags=(),
)
def grouped_query_attention() -> Subst:
    """attention(q, repeat(k), repeat(v), m)  =>  attention(q, k, v, m), every head several times

    Neighbouring heads of the queries share one of keys and values, as the operator has it.
    """
    q, k, v, m = (pat.Wildcard() for _ in range(4))
    keys, values = repeated_heads(k), repeated_heads(v)
    source = op.MaskedAttention(q, keys, values, m)
    target = op.MaskedAttention(q, k, v, m, **pat.same_attr(source))
    shared = [k.shape[1] >= 1, v.shape[1] == k.shape[1], q.shape[1] % k.shape[1] == 0]
    return Subst(source, target, where=[k.ndim == 4, v.ndim == 4, *shared])


@rule(
    tags={"matmul", "bias", "parallel", "multiple-outputs", "combine-parallel", "same-terms"},
    origin="ONNX Runtime: attention fusion, projections with biases",
    twin="merge_biased_projections_by_sizes",
    flags=(),
)
def merge_biased_projections() -> Subst:
    """x @ q + a, x @ k + b, x @ v + c  =>  split[-1](x @ cat[1](q, k, v) + cat[0](a, b, c))

    Cut behind q and behind k. A bias has one element for each column of its weight.
    """
    x = pat.Wildcard()
    q, k, v = (pat.Variable(shape=(None, None)) for _ in range(3))
    a, b, c = (pat.Variable(shape=(None,)) for _ in range(3))
    first = op.Matmul(x, q)
    others = [op.Matmul(x, w, out_dtype=first.out_dtype) for w in (k, v)]
    merged = op.Matmul(x, op.Concatenate((q, k, v), axis=1), out_dtype=first.out_dtype)
    cuts = (q.shape[1], q.shape[1] + k.shape[1])
    pieces = op.Split(merged + op.Concatenate((a, b, c), axis=0), indices_or_sections=cuts, axis=-1)
    sums = [product + one for product, one in zip((first, *others), (a, b, c), strict=True)]
    fits = [one.shape[0] == w.shape[1] for one, w in ((a, q), (b, k), (c, v))]
    return Subst(sums, [pieces[i] for i in range(3)], where=fits, aliases=True)


@rule(
    tags={"normalisation", "norm-fusion", "fusion", "exact-real"},
    origin="transformers: LlamaRMSNorm as torch exports it",
    twin="rms_norm_by_reciprocal_root_outside",
    flags={"reassoc", "afn"},
)
def rms_norm_by_reciprocal_root() -> Subst:
    """g * (x * rsqrt(mean[-1](x ** 2) + e))  =>  rms_norm[-1, e](x, g) for a vector g

    The epsilon is a constant of rank 0 and not so small that it vanishes.
    """
    x, g = pat.Wildcard(), pat.Variable(shape=(None,))
    e, two = pat.Const(shape=()), pat.Const(shape=())
    square = op.Mean(op.Power(x, two), axis=(-1,), keepdims=True)
    scaled = g * (x * op.Rsqrt(square + e))
    target = op.RmsNorm(x, g, axes=(-1,), epsilon=e.value)
    fits = [g.shape[0] == x.shape[-1], e.value >= 9e-7, two.value == 2.0]
    return Subst(scaled, target, where=fits)


@rule(
    tags={"normalisation", "norm-fusion", "fusion", "exact-real"},
    origin="transformers: GemmaRMSNorm as torch exports it",
    twin="rms_norm_by_reciprocal_root_of_sum",
    flags={"reassoc", "afn"},
)
def rms_norm_scaled_behind() -> Subst:
    """(x * rsqrt(mean[-1](x ** 2) + e)) * g  =>  rms_norm[-1, e](x, g) for a vector g

    The weight stands behind; it may be 1 more than what is stored, which is folded before.
    """
    x, g = pat.Wildcard(), pat.Variable(shape=(None,))
    e, two = pat.Const(shape=()), pat.Const(shape=())
    square = op.Mean(op.Power(x, two), axis=(-1,), keepdims=True)
    scaled = (x * op.Rsqrt(square + e)) * g
    target = op.RmsNorm(x, g, axes=(-1,), epsilon=e.value)
    fits = [g.shape[0] == x.shape[-1], e.value >= 9e-7, two.value == 2.0]
    return Subst(scaled, target, where=fits)


@rule(
    tags={"matmul", "parallel", "variadic-outputs", "same-terms", "combine-parallel"},
    origin="vLLM: gate_up_proj, qkv_proj",
    twin="merge_projections_in_two_orders",
    flags=(),
)
def merge_projections() -> Subst:
    """x @ w_i for i < n  =>  split[-1; N_0, N_0 + N_1, ...](x @ cat[1](w_i))

    At least two products, cut at the n - 1 proper sums of their widths.
    """
    x, first_w, w = pat.Wildcard(), *(pat.Variable(shape=(None, None)) for _ in range(2))
    first = op.Matmul(x, first_w)
    product = op.Matmul(x, w, **pat.same_attr(first))
    products = pat.Variadic(product, templates=[product, w], first=[first, first_w], min_len=2)
    i, k = attr.Symbol("i"), attr.Symbol("k")
    weight = products(w, i)
    weights = pat.Variadic(weight, templates=[weight], index=i, length=products.length)
    every = op.Matmul(x, op.Concatenate(weights, axis=1), **pat.same_attr(first))
    cuts = attr.Variadic(
        lambda j: attr.Sum(lambda m: products(w, m).shape[1], length=j + 1),
        length=products.length - 1,
    )
    piece = op.Split(every, indices_or_sections=cuts, axis=-1)[k]
    return Subst(products, pat.Variadic(piece, templates=[piece], index=k))


@rule(
    tags={"activation", "activation-fusion", "fusion", "exact-real"},
    origin="transformers: NewGELUActivation as torch exports it",
    twin="tanh_gelu_from_parts_of_square",
    flags={"afn"},
)
def tanh_gelu_from_parts() -> Subst:
    """x * 0.5 * (1 + tanh((x + x ** 3 * 0.044715) * r))  =>  gelu_tanh(x), r = sqrt(2 / pi)

    The definition. In float64 there are more digits than models of narrower floats have of r.
    """
    x = pat.Wildcard()
    inner = (x + op.Power(x, 3.0) * 0.044715) * sqrt(2 / pi)
    source = (x * 0.5) * (op.Tanh(inner) + 1.0)
    return Subst(source, op.GeluTanh(x))
