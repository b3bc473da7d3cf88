"""Operators that move elements."""

from __future__ import annotations

from typing import Any

from gsl.fx.table import Site, writes
from gsl.types import FLOATING, STORED, TensorType, TupleType


@writes("Reshape", "Flatten", "Squeeze", "ExpandDims")
def _reshape(site: Site, data: Any) -> Any:
    return data.reshape(site.shape)


@writes("Transpose")
def _transpose(site: Site, data: Any) -> Any:
    return data.permute(tuple(site["axes"]))


@writes("BroadcastTo")
def _broadcast(site: Site, data: Any) -> Any:
    return data.expand(site.shape)


@writes("Concatenate")
def _concatenate(site: Site, fields: Any) -> Any:
    return site.torch.cat(fields, site["axis"]) if fields else NotImplemented


@writes("Stack")
def _stack(site: Site, fields: Any) -> Any:
    return site.torch.stack(fields, site["axis"])


@writes("Split")
def _split(site: Site, data: Any) -> Any:
    axis = site["axis"] % len(site.shape_of(0))
    assert isinstance(site.call.type, TupleType)
    sizes = [field.shape[axis] for field in site.call.type.fields if isinstance(field, TensorType)]
    parts = site.torch.split(data, sizes, axis)
    return tuple(parts[place] for place in range(len(sizes)))


@writes("StridedSlice")
def _slice(site: Site, data: Any) -> Any:
    return data[tuple(map(slice, site["begin"], site["end"], site["strides"]))]


@writes("Take")
def _take(site: Site, data: Any, indices: Any) -> Any:
    axis = site["axis"]
    if not isinstance(axis, int):
        return NotImplemented
    return site.torch.index_select(data, axis, indices.reshape(-1)).reshape(site.shape)


@writes("Full", "Zeros", "Ones", "FullLike", "ZerosLike", "OnesLike")
def _filled(site: Site, *_: Any) -> Any:
    name = site.call.operator.name
    value = site["fill_value"] if name.startswith("Full") else int(name.startswith("Ones"))
    if site.call.dtype in STORED:
        return NotImplemented
    if site.call.dtype not in FLOATING:
        value = int(value)
    dtype = site.dtype(site.call.dtype)
    return site.created(site.torch.full, site.shape, value, dtype=dtype)


@writes("Flip")
def _flip(site: Site, data: Any) -> Any:
    axis = site["axis"]
    return data.flip((axis,) if isinstance(axis, int) else tuple(axis))


@writes("Tril", "Triu")
def _triangle(site: Site, data: Any) -> Any:
    return getattr(site.torch, site.call.operator.name.lower())(data, site["k"])


@writes("Tile")
def _tile(site: Site, data: Any) -> Any:
    return site.torch.tile(data, tuple(site["repeats"]))


@writes("Einsum")
def _einsum(site: Site, fields: Any) -> Any:
    if site.call.dtype not in FLOATING:
        return NotImplemented
    return site.torch.einsum(site["equation"], *fields)


@writes("Pad")
def _pad(site: Site, data: Any) -> Any:
    widths = site["pad_width"]
    pairs = zip(widths[-2::-2], widths[::-2], strict=True)
    value = site["pad_value"] if site.is_floating else int(site["pad_value"])
    return site.functional.pad(data, [width for pair in pairs for width in pair], value=value)


@writes("Sort", "ArgSort")
def _sorted(site: Site, data: Any) -> Any:
    if site.is_floating or site.call.operands[0].dtype == "bool":
        return NotImplemented  # PyTorch has another place for NaN
    how = {"descending": site["descending"], "stable": True}
    found = site.torch.sort(data, dim=site["axis"], **how)
    return found[0 if site.call.operator.name == "Sort" else 1]
