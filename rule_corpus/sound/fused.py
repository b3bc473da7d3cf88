"""Operators that runtimes of transformers have as one: sums normalised, biased GELU, attention."""

from typing import Any

from gsl import Subst, op, pat, rule

SKIP = {"normalisation", "norm-fusion", "fusion"}
ATTENTION = {"attention", "attention-fusion", "fusion", "exact-real"}


def is_last(axis: Any, x: pat.Pattern) -> Any:
    """Return the condition that an axis, counted from either end, is the last one of x."""
    return axis % x.ndim == x.ndim - 1


@rule(
    tags=SKIP | {"same-terms", "multiple-outputs"},
    origin="ONNX Runtime: SkipLayerNormFusion; ONNX Script: skip_layer_normalization",
    twin="skip_layer_norm_of_stretched",
    flags=(),
)
def skip_layer_norm_fused() -> Subst:
    """s, layer_norm[-1](s, g, b)  =>  skip_layer_norm(x, y, g, b).1, .0 for s = x + y of one shape

    The sum may be used further, as where the normalisation comes first.
    """
    x, y, g, b = (pat.Wildcard() for _ in range(4))
    both = x + y
    norm = op.LayerNorm(both, g, b, axes=(None,), center=True, scale=True)
    target = op.SkipLayerNorm(x, y, g, b, pat.Absent(), epsilon=norm.epsilon)
    fits = [x.shape == y.shape, is_last(norm.axes[0], x)]
    return Subst([both, norm], [target[1], target[0]], where=fits, aliases=True)


@rule(
    tags=SKIP | {"same-terms", "multiple-outputs"},
    origin="ONNX Script: skip_rms_normalization; vLLM: fused_add_rms_norm",
    twin="skip_rms_norm_with_usual_epsilon",
    flags=(),
)
def skip_rms_norm() -> Subst:
    """s, rms_norm[-1](s, g)  =>  skip_rms_norm(x, y, g).1, .0 for s = x + y of one shape

    The sum goes on as what the next layer adds to.
    """
    x, y, g = (pat.Wildcard() for _ in range(3))
    both = x + y
    norm = op.RmsNorm(both, g, axes=(None,))
    target = op.SkipRmsNorm(x, y, g, pat.Absent(), epsilon=norm.epsilon)
    fits = [x.shape == y.shape, is_last(norm.axes[0], x)]
    return Subst([both, norm], [target[1], target[0]], where=fits, aliases=True)


def norm_of_biased_sum(both: pat.Pattern, operands: list[pat.Pattern], c: pat.Pattern) -> Subst:
    """Return the rule for the normalised sum of two operands and a bias."""
    x, g, b = operands[0], pat.Wildcard(), pat.Wildcard()
    norm = op.LayerNorm(both, g, b, axes=(None,), center=True, scale=True)
    target = op.SkipLayerNorm(*operands, g, b, c, epsilon=norm.epsilon)
    fits = [x.shape == operands[1].shape, c.shape[0] == x.shape[-1], is_last(norm.axes[0], x)]
    return Subst([both, norm], [target[1], target[0]], where=fits, aliases=True)


@rule(
    tags=SKIP | {"bias", "exact-real", "multiple-outputs"},
    origin="ONNX Runtime: SkipLayerNormFusion, bias of the data",
    twin="skip_layer_norm_of_biased_result",
    flags={"nnan", "ninf", "nsz", "reassoc"},
)
def skip_layer_norm_of_biased() -> Subst:
    """s, layer_norm[-1](s, g, b)  =>  skip_layer_norm(x, y, g, b, c).1, .0 for s = (x + c) + y

    For a vector c; only the order of the two sums is another.
    """
    x, y, c = pat.Wildcard(), pat.Wildcard(), pat.Variable(shape=(None,))
    return norm_of_biased_sum((x + c) + y, [x, y], c)


@rule(
    tags=SKIP | {"bias", "exact-real", "multiple-outputs"},
    origin="ONNX Runtime: SkipLayerNormFusion, bias of what is added",
    flags={"nnan", "ninf", "nsz", "reassoc"},
)
def skip_layer_norm_of_biased_skip() -> Subst:
    """s, layer_norm[-1](s, g, b)  =>  skip_layer_norm(x, y, g, b, c).1, .0 for s = y + (x + c)

    As with the sums in the other order.
    """
    x, y, c = pat.Wildcard(), pat.Wildcard(), pat.Variable(shape=(None,))
    return norm_of_biased_sum(y + (x + c), [x, y], c)


@rule(
    tags={"activation", "activation-fusion", "fusion", "bias", "same-terms"},
    origin="ONNX Runtime: BiasGeluFusion",
    flags=(),
)
def bias_gelu() -> Subst:
    """gelu(x + c)  =>  bias_gelu(x, c) for a vector c

    The definition; the bias has the size of the last axis.
    """
    x, c = pat.Wildcard(), pat.Variable(shape=(None,))
    fits = [x.ndim >= 1, c.shape[0] == x.shape[-1]]
    return Subst(op.Gelu(x + c), op.BiasGelu(x, c), where=fits)


def heads_apart(x: pat.Pattern) -> pat.Pattern:
    """Return what lies one behind the other on the last axis as heads before positions."""
    return op.Transpose(op.Reshape(x, shape=(None,) * 4), axes=(0, 2, 1, 3))


def attention_of_projections(mask: pat.Pattern, where: list[Any]) -> Subst:
    """Return the rule for attention with one packed projection, with a mask or without."""
    x = pat.Wildcard()
    w, c = pat.Variable(shape=(None, None)), pat.Variable(shape=(None,))
    projected = op.Matmul(x, w, out_dtype=x.dtype) + c
    cut = op.Split(projected, indices_or_sections=(None, None), axis=-1)
    q, k, v = (heads_apart(cut[place]) for place in range(3))
    mixed = op.MaskedAttention(q, k, v, mask)
    joined = op.Reshape(op.Transpose(mixed, axes=(0, 2, 1, 3)), shape=(None, None, None))
    (b, n, s, h), each = (q.shape[i] for i in range(4)), joined.shape[2]
    how = {"scale": mixed.scale, "is_causal": mixed.is_causal}
    target = op.SelfAttention(x, w, c, mask, num_heads=n, **how)
    own = [b == x.shape[0], s == x.shape[1], k.shape == q.shape, v.shape == q.shape]
    cuts = [cut.indices_or_sections == (each, 2 * each), w.shape[1] == 3 * each]
    whole = [joined.shape[:2] == (b, s), each == n * h, c.shape[0] == w.shape[1]]
    return Subst(joined, target, where=[*where, x.ndim == 3, *own, *cuts, *whole])


@rule(
    tags=ATTENTION | {"bias"}, origin="ONNX Runtime: AttentionFusion, packed projections", flags=()
)
def self_attention() -> Subst:
    """T(attention(q, k, v)), projections q, k, v of x  =>  self_attention(x, w, c)

    q, k, v = split[-1; 3](x @ w + c), each with its heads apart; the result has them joined.
    """
    return attention_of_projections(pat.Absent(), [])


@rule(
    tags=ATTENTION | {"bias"},
    origin="ONNX Runtime: AttentionFusion, with a mask; ONNX Script: attention",
    twin="self_attention_heads_behind",
    flags=(),
)
def self_attention_masked() -> Subst:
    """T(attention(q, k, v, m)), projections q, k, v of x  =>  self_attention(x, w, c, m)

    As without a mask, which has four axes.
    """
    m = pat.Wildcard()
    return attention_of_projections(m, [m.ndim == 4])
