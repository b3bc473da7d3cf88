"""What takes the largest or the mean of windows."""

from __future__ import annotations

from typing import Any

from gsl.fx.table import Site, writes


def _windows(site: Site) -> dict[str, Any] | None:
    """Return what PyTorch is told of windows, None where it has no such."""
    rank = len(site.shape) - 2
    begins, ends, size = site["padding"][:rank], site["padding"][rank:], tuple(site["pool_size"])
    fits = all(2 * one <= other for one, other in zip(begins, size, strict=True))
    usual = site["layout"].startswith("NC") and begins == ends and fits
    if not usual or site["ceil_mode"] or not site.is_floating:
        return None
    return {"kernel_size": size, "stride": tuple(site["strides"]), "padding": tuple(begins)}


@writes("MaxPool1D", "MaxPool2D", "MaxPool3D")
def _largest(site: Site, data: Any) -> Any:
    how = _windows(site)
    if how is None:
        return NotImplemented
    function = getattr(site.functional, f"max_pool{len(site.shape) - 2}d")
    return function(data, **how, dilation=tuple(site["dilation"]))


@writes("AvgPool1D", "AvgPool2D", "AvgPool3D")
def _mean(site: Site, data: Any) -> Any:
    how = _windows(site)
    # PyTorch has none of half precision on processors.
    is_missing = len(site.shape) == 5 and site.call.dtype in ("float16", "bfloat16")
    if how is None or set(site["dilation"]) != {1} or is_missing:
        return NotImplemented
    function = getattr(site.functional, f"avg_pool{len(site.shape) - 2}d")
    return function(data, **how, count_include_pad=site["count_include_pad"])


@writes("GlobalAvgPool2D")
def _whole_mean(site: Site, data: Any) -> Any:
    if site["layout"] != "NCHW" or not site.is_floating:
        return NotImplemented
    return site.torch.mean(data, (2, 3), keepdim=True)
