"""Mistakes in reading attention from what exporters of PyTorch write."""

from gsl import Subst, op, pat, rule


@rule(
    tags={"transpose", "reshape", "data-movement"},
    origin="torch.onnx: keys of scaled_dot_product_attention, any sizes",
    expect="GSL401",
    twin="transpose_of_joined_heads",
)
def transpose_of_joined_heads_by_sizes() -> Subst:
    """reshape[(b, h, m, n)](T(x))  =>  transpose[0, 1, 3, 2](reshape[(b, h, n, m)](x)), any m, n

    Four new axes need not be the batches and heads of the old ones.
    """
    x = pat.Wildcard()
    apart = op.Reshape(op.Transpose(x, axes=(0, 2, 1)), shape=(None, None, None, None))
    b, h, m, n = (apart.shape[i] for i in range(4))
    target = op.Transpose(op.Reshape(x, shape=(b, h, n, m)), axes=(0, 1, 3, 2))
    return Subst(apart, target, where=[x.ndim == 3])


@rule(
    tags={"softmax", "predicate", "identity-elim"},
    origin="torch.onnx: safe softmax, another comparison",
    expect="GSL401",
    twin="softmax_is_a_number",
)
def softmax_is_below_one() -> Subst:
    """where(softmax(x) < 1, softmax(x), c)  =>  softmax(x)

    An element alone along the axis has all the weight.
    """
    x, c = pat.Wildcard(), pat.Const(shape=())
    weights = op.Softmax(x)
    return Subst(op.Where(op.Less(weights, 1), weights, c), weights)


@rule(
    tags={"attention", "softmax", "fusion"},
    origin="torch and ONNX Runtime: attention fusion, the scale behind the mask",
    expect="GSL401",
    twin="masked_attention_fused",
)
def masked_attention_scaled_behind() -> Subst:
    """softmax[-1]((q @ T(k) + m) * s) @ v  =>  attention[s](q, k, v, m)

    The operator adds the mask to what is scaled already.
    """
    q, k, v, m, s = *(pat.Wildcard() for _ in range(4)), pat.Const(shape=())
    scores = (op.Matmul(q, op.Transpose(k, axes=(0, 1, 3, 2)), out_dtype=q.dtype) + m) * s
    source = op.Matmul(op.Softmax(scores, axis=-1), v, out_dtype=q.dtype)
    target = op.MaskedAttention(q, k, v, m, scale=s.value, is_causal=False)
    heads = [q.shape[1] >= 1, q.shape[:2] == k.shape[:2], v.shape[:2] == k.shape[:2]]
    whole = (q.shape[0], q.shape[1], q.shape[2], k.shape[2])
    return Subst(source, target, where=[q.ndim == 4, v.ndim == 4, *heads, scores.shape == whole])


@rule(
    tags={"attention", "softmax", "broadcast", "fusion"},
    origin="onnxscript: onnxscript-mha-mask",
    expect="GSL303",
    twin="masked_attention_fused",
)
def masked_attention_any_mask() -> Subst:
    """softmax[-1](q @ T(k) * s + m) @ v  =>  attention[s](q, k, v, m), whatever the shape of m

    A mask of more batches than the queries have, or of more axes, makes the scores larger; the
    operator only takes one that is broadcast to them.
    """
    q, k, v, m, s = *(pat.Wildcard() for _ in range(4)), pat.Const(shape=())
    scores = op.Matmul(q, op.Transpose(k, axes=(0, 1, 3, 2)), out_dtype=q.dtype) * s + m
    source = op.Matmul(op.Softmax(scores, axis=-1), v, out_dtype=q.dtype)
    target = op.MaskedAttention(q, k, v, m, scale=s.value, is_causal=False)
    heads = [q.shape[1] >= 1, q.shape[:2] == k.shape[:2], v.shape[:2] == k.shape[:2]]
    return Subst(source, target, where=[q.ndim == 4, v.ndim == 4, *heads])


@rule(
    tags={"attention", "broadcast", "grouped-query", "fusion"},
    origin="transformers: repeat_kv, tile for repeat",
    expect="GSL401",
    twin="grouped_query_attention",
)
def grouped_query_attention_of_tiled_heads() -> Subst:
    """attention(q, tile(k), tile(v), m)  =>  attention(q, k, v, m), all heads several times

    Heads that are repeated as a whole stand in another order than those that queries share.
    """
    q, k, v, m = (pat.Wildcard() for _ in range(4))
    tiled = []
    for x in (k, v):
        several = op.BroadcastTo(op.ExpandDims(x, axis=(1,)), shape=(None,) * 5)
        whole = (x.shape[0], several.shape[1] * x.shape[1], x.shape[2], x.shape[3])
        tiled.append(op.Reshape(several, shape=whole))
    source = op.MaskedAttention(q, *tiled, m)
    target = op.MaskedAttention(q, k, v, m, **pat.same_attr(source))
    shared = [k.shape[1] >= 1, v.shape[1] == k.shape[1], q.shape[1] % k.shape[1] == 0]
    return Subst(source, target, where=[k.ndim == 4, v.ndim == 4, *shared])


@rule(
    tags={"matmul", "bias", "parallel", "multiple-outputs", "combine-parallel"},
    origin="ONNX Runtime: attention fusion, sizes for positions",
    expect="GSL303",
    twin="merge_biased_projections",
)
def merge_biased_projections_by_sizes() -> Subst:
    """x @ q + a, x @ k + b, x @ v + c  =>  split[-1](x @ cat[1](q, k, v) + cat[0](a, b, c))

    Cut at the sizes of q and of k instead of behind them.
    """
    x = pat.Wildcard()
    q, k, v = (pat.Variable(shape=(None, None)) for _ in range(3))
    a, b, c = (pat.Variable(shape=(None,)) for _ in range(3))
    first = op.Matmul(x, q)
    others = [op.Matmul(x, w, out_dtype=first.out_dtype) for w in (k, v)]
    merged = op.Matmul(x, op.Concatenate((q, k, v), axis=1), out_dtype=first.out_dtype)
    cuts = (q.shape[1], k.shape[1])
    pieces = op.Split(merged + op.Concatenate((a, b, c), axis=0), indices_or_sections=cuts, axis=-1)
    sums = [product + one for product, one in zip((first, *others), (a, b, c), strict=True)]
    fits = [one.shape[0] == w.shape[1] for one, w in ((a, q), (b, k), (c, v))]
    return Subst(sums, [pieces[i] for i in range(3)], where=fits)


@rule(
    tags={"normalisation", "norm-fusion", "fusion"},
    origin="transformers: LlamaRMSNorm, epsilon outside",
    expect="GSL401",
    twin="rms_norm_by_reciprocal_root",
)
def rms_norm_by_reciprocal_root_outside() -> Subst:
    """g * (x * (rsqrt(mean[-1](x ** 2)) + e))  =>  rms_norm[-1, e](x, g) for a vector g

    The epsilon belongs below the root.
    """
    x, g = pat.Wildcard(), pat.Variable(shape=(None,))
    e, two = pat.Const(shape=()), pat.Const(shape=())
    square = op.Mean(op.Power(x, two), axis=(-1,), keepdims=True)
    scaled = g * (x * (op.Rsqrt(square) + e))
    target = op.RmsNorm(x, g, axes=(-1,), epsilon=e.value)
    fits = [g.shape[0] == x.shape[-1], e.value >= 9e-7, two.value == 2.0]
    return Subst(scaled, target, where=fits)


@rule(
    tags={"normalisation", "norm-fusion", "fusion"},
    origin="transformers: GemmaRMSNorm, sum for mean",
    expect="GSL401",
    twin="rms_norm_scaled_behind",
)
def rms_norm_by_reciprocal_root_of_sum() -> Subst:
    """(x * rsqrt(sum[-1](x ** 2) + e)) * g  =>  rms_norm[-1, e](x, g) for a vector g

    A sum is not a mean, unless it has one element.
    """
    x, g = pat.Wildcard(), pat.Variable(shape=(None,))
    e, two = pat.Const(shape=()), pat.Const(shape=())
    square = op.Sum(op.Power(x, two), axis=(-1,), keepdims=True)
    scaled = (x * op.Rsqrt(square + e)) * g
    target = op.RmsNorm(x, g, axes=(-1,), epsilon=e.value)
    fits = [g.shape[0] == x.shape[-1], e.value >= 9e-7, two.value == 2.0]
    return Subst(scaled, target, where=fits)


@rule(
    tags={"matmul", "parallel", "multiple-outputs", "combine-parallel"},
    origin="vLLM: gate_up_proj, up_gate",
    expect="GSL401",
    twin="merge_projections",
)
def merge_projections_in_two_orders() -> Subst:
    """x @ v, x @ w  =>  split[-1](x @ cat[1](w, v)) cut in the middle, for equal widths

    The second weight stands first.
    """
    x = pat.Wildcard()
    v = pat.Variable(shape=(None, None))
    w = pat.Variable(shape=v.shape)
    first = op.Matmul(x, v)
    second = op.Matmul(x, w, out_dtype=first.out_dtype)
    merged = op.Matmul(x, op.Concatenate((w, v), axis=1), out_dtype=first.out_dtype)
    pieces = op.Split(merged, indices_or_sections=2, axis=-1)
    return Subst([first, second], [pieces[0], pieces[1]])


@rule(
    tags={"activation", "activation-fusion", "fusion"},
    origin="transformers: NewGELUActivation, square for cube",
    expect="GSL401",
    twin="tanh_gelu_from_parts",
)
def tanh_gelu_from_parts_of_square() -> Subst:
    """x * 0.5 * (1 + tanh((x + x ** 2 * 0.044715) * r))  =>  gelu_tanh(x), r = sqrt(2 / pi)

    The correction grows with the cube.
    """
    x = pat.Wildcard()
    inner = (x + op.Power(x, 2.0) * 0.044715) * 0.7978845608
    source = (x * 0.5) * (op.Tanh(inner) + 1.0)
    return Subst(source, op.GeluTanh(x), where=[x.dtype == "float32"])
