"""Products with weights, convolutions, normalisations and attention."""

from __future__ import annotations

from typing import Any

from gsl.fx.table import Site, writes


def _is_uniform(site: Site) -> bool:
    """Tell whether a product is computed in the dtype of its operands, which are floats."""
    return site.is_floating and site["out_dtype"] == site.call.operands[0].dtype


@writes("Matmul")
def _matmul(site: Site, lhs: Any, rhs: Any) -> Any:
    return site.torch.matmul(lhs, rhs) if _is_uniform(site) else NotImplemented


@writes("Dense")
def _dense(site: Site, data: Any, weight: Any) -> Any:
    return site.functional.linear(data, weight) if _is_uniform(site) else NotImplemented


@writes("BiasAdd")
def _bias_add(site: Site, data: Any, bias: Any) -> Any:
    behind = len(site.shape) - 1 - site["axis"] % len(site.shape)
    return data + bias.reshape((-1, *(1 for _ in range(behind))))


@writes("Conv1D", "Conv2D", "Conv3D")
def _convolved(site: Site, data: Any, weight: Any) -> Any:
    rank = len(site.shape) - 2
    begins, ends = site["padding"][:rank], site["padding"][rank:]
    is_usual = site["data_layout"].startswith("NC") and site["kernel_layout"].startswith("OI")
    if not _is_uniform(site) or not is_usual:
        return NotImplemented
    if begins != ends:
        sides = [side for pair in zip(begins, ends, strict=True) for side in pair]
        pairs = zip(sides[-2::-2], sides[::-2], strict=True)
        data, begins = site.functional.pad(data, [w for pair in pairs for w in pair]), (0,) * rank
    function = getattr(site.functional, f"conv{rank}d")
    stride, dilation = tuple(site["strides"]), tuple(site["dilation"])
    how = {"stride": stride, "padding": tuple(begins), "dilation": dilation}
    return function(data, weight, groups=site["groups"], **how)


@writes("Conv1DTranspose", "Conv2DTranspose", "Conv3DTranspose")
def _transposed(site: Site, data: Any, weight: Any) -> Any:
    rank = len(site.shape) - 2
    begins, ends = site["padding"][:rank], site["padding"][rank:]
    if not _is_uniform(site) or begins != ends or not site["data_layout"].startswith("NC"):
        return NotImplemented
    names = {"strides": "stride", "dilation": "dilation", "output_padding": "output_padding"}
    how = {name: tuple(site[attribute]) for attribute, name in names.items()}
    function = getattr(site.functional, f"conv_transpose{rank}d")
    return function(data, weight, padding=tuple(begins), groups=site["groups"], **how)


@writes("AdaptiveAvgPool2D")
def _adaptive_average(site: Site, data: Any) -> Any:
    if site["layout"] != "NCHW":
        return NotImplemented
    return site.functional.adaptive_avg_pool2d(data, tuple(site["output_size"]))


@writes("BatchNorm")
def _batch_norm(site: Site, data: Any, gamma: Any, beta: Any, mean: Any, var: Any) -> Any:
    if site["axis"] % len(site.shape_of(0)) != 1:
        return NotImplemented
    weight, bias = gamma if site["scale"] else None, beta if site["center"] else None
    how = {"weight": weight, "bias": bias, "eps": site["epsilon"]}
    return site.functional.batch_norm(data, mean, var, **how), mean, var


@writes("RmsNorm")
def _rms_norm(site: Site, data: Any, weight: Any) -> Any:
    rank, axes = len(site.shape), tuple(site["axes"])
    if tuple(axis % rank for axis in axes) != tuple(range(rank - len(axes), rank)):
        return NotImplemented
    return site.functional.rms_norm(data, site.shape[rank - len(axes) :], weight, site["epsilon"])


@writes("GroupNorm")
def _group_norm(site: Site, data: Any, gamma: Any, beta: Any) -> Any:
    rank = len(site.shape)
    behind = sorted(axis % rank for axis in site["axes"])
    if site["channel_axis"] % rank != 1 or behind != [*range(2, rank)]:
        return NotImplemented
    weight, bias = gamma if site["scale"] else None, beta if site["center"] else None
    return site.functional.group_norm(data, site["num_groups"], weight, bias, site["epsilon"])


@writes("LayerNorm")
def _layer_norm(site: Site, data: Any, gamma: Any, beta: Any) -> Any:
    rank, axes = len(site.shape), tuple(site["axes"])
    if tuple(axis % rank for axis in axes) != tuple(range(rank - len(axes), rank)):
        return NotImplemented
    weight, bias = gamma if site["scale"] else None, beta if site["center"] else None
    sizes = site.shape[rank - len(axes) :]
    return site.functional.layer_norm(data, sizes, weight, bias, site["epsilon"])


def _mask(site: Site, mask: Any) -> Any:
    """Return a mask with at least two axes, None if it is absent."""
    if isinstance(mask, tuple):
        return None
    shape = site.shape_of(3)
    return mask.reshape((*(1 for _ in range(2 - len(shape))), *shape))


@writes("Attention")
def _plain_attention(site: Site, query: Any, key: Any, value: Any) -> Any:
    heads = [one.permute((0, 2, 1, 3)) for one in (query, key, value)]
    mixed = site.functional.scaled_dot_product_attention(*heads, scale=site["scale"])
    return mixed.permute((0, 2, 1, 3))


@writes("MaskedAttention")
def _attention(site: Site, query: Any, key: Any, value: Any, mask: Any) -> Any:
    if not isinstance(mask, tuple) and site["is_causal"]:
        return NotImplemented
    count, own = site.shape_of(1)[1], site.shape_of(0)[1]
    if count != own:
        key, value = (one.repeat_interleave(own // count, 1) for one in (key, value))
    how = {"is_causal": site["is_causal"], "scale": site["scale"]}
    given = _mask(site, mask)
    return site.functional.scaled_dot_product_attention(query, key, value, given, **how)


@writes("SkipLayerNorm")
def _skip_layer_norm(
    site: Site, data: Any, skip: Any, gamma: Any, beta: Any, bias: Any
) -> tuple[Any, Any]:
    both = data + skip if isinstance(bias, tuple) else data + skip + bias
    sizes = site.shape_of(0)[-1:]
    return site.functional.layer_norm(both, sizes, gamma, beta, site["epsilon"]), both


@writes("SkipRmsNorm")
def _skip_rms_norm(site: Site, data: Any, skip: Any, weight: Any, bias: Any) -> tuple[Any, Any]:
    both = data + skip if isinstance(bias, tuple) else data + skip + bias
    sizes = site.shape_of(0)[-1:]
    return site.functional.rms_norm(both, sizes, weight, site["epsilon"]), both


@writes("SelfAttention")
def _self_attention(site: Site, data: Any, weight: Any, bias: Any, mask: Any) -> Any:
    if not isinstance(mask, tuple) and site["is_causal"]:
        return NotImplemented
    b, s, each = site.shape
    heads = site["num_heads"]
    projected = site.torch.matmul(data, weight) + bias
    apart = projected.reshape((b, s, 3, heads, each // heads)).permute((2, 0, 3, 1, 4))
    query, key, value = (apart[place] for place in range(3))
    how = {"is_causal": site["is_causal"], "scale": site["scale"]}
    given = _mask(site, mask)
    mixed = site.functional.scaled_dot_product_attention(query, key, value, given, **how)
    return mixed.permute((0, 2, 1, 3)).reshape((b, s, each))
