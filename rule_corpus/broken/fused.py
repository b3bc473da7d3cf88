"""Mistakes in putting sums, normalisations and attention into one operator."""

from gsl import Subst, op, pat, rule


@rule(
    tags={"normalisation", "norm-fusion", "fusion", "multiple-outputs"},
    origin="ONNX Runtime: SkipLayerNormFusion, sums that broadcast",
    expect="GSL303",
    twin="skip_layer_norm_fused",
)
def skip_layer_norm_of_stretched() -> Subst:
    """s, layer_norm[-1](s, g, b)  =>  skip_layer_norm(x, y, g, b).1, .0 for any s = x + y

    The operator does not broadcast what it adds.
    """
    x, y, g, b = (pat.Wildcard() for _ in range(4))
    both = x + y
    norm = op.LayerNorm(both, g, b, axes=(-1,), center=True, scale=True)
    target = op.SkipLayerNorm(x, y, g, b, pat.Absent(), epsilon=norm.epsilon)
    return Subst([both, norm], [target[1], target[0]])


@rule(
    tags={"normalisation", "norm-fusion", "fusion", "multiple-outputs"},
    origin="vLLM: fused_add_rms_norm, the epsilon forgotten",
    expect="GSL401",
    twin="skip_rms_norm",
)
def skip_rms_norm_with_usual_epsilon() -> Subst:
    """s, rms_norm[-1, e](s, g)  =>  skip_rms_norm(x, y, g).1, .0 for s = x + y of one shape

    The epsilon of the target is the usual one, whatever that of the source is.
    """
    x, y, g = (pat.Wildcard() for _ in range(3))
    both = x + y
    norm = op.RmsNorm(both, g, axes=(-1,))
    target = op.SkipRmsNorm(x, y, g, pat.Absent())
    return Subst([both, norm], [target[1], target[0]], where=[x.shape == y.shape])


@rule(
    tags={"normalisation", "norm-fusion", "fusion", "bias", "multiple-outputs"},
    origin="ONNX Runtime: SkipLayerNormFusion, the sum without the bias",
    expect="GSL401",
    twin="skip_layer_norm_of_biased",
)
def skip_layer_norm_of_biased_result() -> Subst:
    """s, layer_norm[-1](s + c, g, b)  =>  skip_layer_norm(x, y, g, b, c).1, .0 for s = x + y

    The second result of the operator has the bias in it.
    """
    x, y, g, b = (pat.Wildcard() for _ in range(4))
    c = pat.Variable(shape=(None,))
    both = x + y
    norm = op.LayerNorm(both + c, g, b, axes=(-1,), center=True, scale=True)
    target = op.SkipLayerNorm(x, y, g, b, c, epsilon=norm.epsilon)
    fits = [x.shape == y.shape, c.shape[0] == x.shape[-1]]
    return Subst([both, norm], [target[1], target[0]], where=fits)


@rule(
    tags={"attention", "attention-fusion", "fusion", "bias"},
    origin="ONNX Runtime: AttentionFusion, heads behind their elements",
    expect="GSL401",
    twin="self_attention_masked",
)
def self_attention_heads_behind() -> Subst:
    """T(attention(q, k, v, m)), projections q, k, v of x  =>  self_attention(x, w, c, m)

    Neighbouring columns belong to different heads here, and to one head in the operator.
    """
    x, m = pat.Wildcard(), pat.Wildcard()
    w, c = pat.Variable(shape=(None, None)), pat.Variable(shape=(None,))
    projected = op.Matmul(x, w, out_dtype=x.dtype) + c
    cut = op.Split(projected, indices_or_sections=(None, None), axis=-1)
    apart = [op.Reshape(cut[i], shape=(None,) * 4) for i in range(3)]
    q, k, v = (op.Transpose(one, axes=(0, 3, 1, 2)) for one in apart)
    mixed = op.MaskedAttention(q, k, v, m)
    joined = op.Reshape(op.Transpose(mixed, axes=(0, 2, 3, 1)), shape=(None, None, None))
    (b, n, s, h), each = (q.shape[i] for i in range(4)), joined.shape[2]
    how = {"scale": mixed.scale, "is_causal": mixed.is_causal}
    target = op.SelfAttention(x, w, c, m, num_heads=n, **how)
    own = [b == x.shape[0], s == x.shape[1], k.shape == q.shape, v.shape == q.shape]
    cuts = [cut.indices_or_sections == (each, 2 * each), w.shape[1] == 3 * each]
    whole = [joined.shape[:2] == (b, s), each == n * h, c.shape[0] == w.shape[1]]
    return Subst(joined, target, where=[m.ndim == 4, x.ndim == 3, *own, *cuts, *whole])
