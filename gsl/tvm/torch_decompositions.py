"""Operators of PyTorch that TVM's frontend lacks or half reads, written with those it has.

What PyTorch itself writes with other operators comes first; the table has the rest. Entries of it
take the arguments of an operator behind the package, and return NotImplemented for a call that is
read as it is.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Container, Mapping
from functools import partial
from importlib import import_module
from typing import Any

from gsl.tvm import torch_indexing

OWN = "torch._decomp.decompositions"
"""Where PyTorch writes operators with others that are operators of models, too."""

GROUPED = (("aten", "_grouped_mm"), ("transformers", "grouped_mm_fallback"))
"""The namespaces and names of products of rows with the matrix of their group."""


def decompositions(torch: Any, known: Container[str]) -> Any:
    """Return the decompositions for a frontend that has operators of these names."""
    table, theirs = torch.export.default_decompositions(), _theirs()
    for found, function in theirs.items():
        name = str(found).partition(".")[2]
        if name not in known and inspect.unwrap(function).__module__ == OWN:
            table[found] = function
    aten = torch.ops.aten
    for name, row in TABLE.items():
        table[_operator(aten, name)] = partial(row, torch)
    for name in TRIMMED:
        one = _operator(aten, name)
        table[one] = torch_indexing.trimmed(torch, one)
    for name in SCALED:
        one = _operator(aten, name)
        table[one] = partial(_scaled, theirs[one])
    table[aten.grid_sampler_2d.default] = theirs[aten.grid_sampler_2d.default]
    for namespace, name in GROUPED:
        one = getattr(getattr(torch.ops, namespace), name, None)
        if one is not None:
            table[one.default] = partial(_grouped_product, torch)
    return table


def _theirs() -> Mapping[Any, Callable[..., Any]]:
    table: Mapping[Any, Callable[..., Any]] = import_module("torch._decomp").decomposition_table
    return table


def _operator(aten: Any, name: str) -> Any:
    packet, overload = name.split(".")
    return getattr(getattr(aten, packet), overload)


def _scaled(theirs: Callable[..., Any], data: Any, sizes: Any, *more: Any) -> Any:
    """Write an enlarging whose scale is not that of its sizes, which TVM computes from these."""
    scales = more[-1] or ()
    whole = all(
        float(n * scale).is_integer() for n, scale in zip(data.shape[2:], scales, strict=False)
    )
    return NotImplemented if whole else theirs(data, sizes, *more)


def _times(operand: Any, alpha: float) -> Any:
    product = operand * alpha
    return product.to(operand.dtype) if hasattr(operand, "dtype") else product


def _sum(torch: Any, left: Any, right: Any, *, alpha: float = 1) -> Any:
    return NotImplemented if alpha == 1 else torch.add(left, _times(right, alpha))


def _difference(torch: Any, left: Any, right: Any, *, alpha: float = 1) -> Any:
    return NotImplemented if alpha == 1 else torch.sub(left, _times(right, alpha))


def _difference_from(torch: Any, left: Any, right: Any, alpha: float = 1) -> Any:
    return torch.sub(right, left if alpha == 1 else _times(left, alpha))


def _clamped(torch: Any, data: Any, min: float | None = None, max: float | None = None) -> Any:
    """Write limits one by one: of integers, to which TVM adds infinity, and those that cross."""
    for limit in (min, max):
        data = data if limit is None else data.to(torch.result_type(data, limit))
    if not data.dtype.is_floating_point:
        low = data if min is None else torch.maximum(data, _tensor(torch, data, min))
        return low if max is None else torch.minimum(low, _tensor(torch, data, max))
    if min is None or max is None or min <= max:
        return NotImplemented
    return data.clamp(min=min).clamp(max=max)


def _at_most(torch: Any, data: Any, max: float) -> Any:
    return _clamped(torch, data, None, max)


def _average(
    torch: Any,
    data: Any,
    kernel: Any,
    stride: Any = (),
    padding: Any = 0,
    ceil: bool = False,
    counted: bool = True,
    divisor: int | None = None,
) -> Any:
    """Write an average whose sum is divided by another number."""
    if divisor is None or ceil:
        return NotImplemented
    axes = data.dim() - 2 if data.dim() > 3 else 2
    kernel = kernel if len(kernel) > 1 else [*kernel] * axes
    pool = torch.nn.functional.avg_pool3d if len(kernel) == 3 else torch.nn.functional.avg_pool2d
    mean = pool(data, kernel, stride or None, padding, False, True)
    return mean * (math.prod(kernel) / divisor)


def _largest_in_parts(torch: Any, data: Any, sizes: Any) -> Any:
    """Write what has parts of several sizes; PyTorch itself writes the rest as a pool."""
    found = torch_indexing.largest_in_parts(torch, data, sizes)
    if found is not NotImplemented:
        return found
    pool = f"adaptive_max_pool{len(sizes)}d"
    return _theirs()[_operator(torch.ops.aten, f"{pool}.default")](data, sizes)


def _group_norm(torch: Any, data: Any, scale: Any, shift: Any, *sizes: Any) -> Any:
    """Write out the scale of 1 and the shift of 0 that are left out, and the wider floats."""
    is_short = data.dtype == torch.bfloat16
    if scale is not None and shift is not None and not is_short:
        return NotImplemented
    own = torch.float32 if is_short else data.dtype
    channels = data.shape[1]
    scale = data.new_ones(channels) if scale is None else scale
    shift = data.new_zeros(channels) if shift is None else shift
    wide = [one.to(own) for one in (data, scale, shift)]
    made = torch.ops.aten.native_group_norm.default(*wide, *sizes)
    return tuple(one.to(data.dtype) for one in made)


def _variance_and_mean(
    torch: Any, data: Any, axes: Any = None, *, correction: Any = None, keepdim: bool = False
) -> Any:
    axes = [*range(data.dim())] if axes is None else axes
    variance = torch.var(data, axes, correction=1 if correction is None else correction,
                         keepdim=keepdim)  # fmt: skip
    return variance, data.mean(axes, keepdim)


def _least(torch: Any, data: Any, axis: int, keepdim: bool = False) -> Any:
    return data.amin(axis, keepdim), data.argmin(axis, keepdim)


def _kth_value(torch: Any, data: Any, k: int, axis: int = -1, keepdim: bool = False) -> Any:
    values, places = data.sort(axis)
    found = [one.narrow(axis, k - 1, 1) for one in (values, places)]
    return tuple(found if keepdim else (one.squeeze(axis) for one in found))


def _largest(torch: Any, data: Any, axes: Any = (), keepdim: bool = False) -> Any:
    own = [*axes] or [*range(data.dim())]
    return data.any(own, keepdim) if data.dtype == torch.bool else NotImplemented


def _smallest(torch: Any, data: Any, axes: Any = (), keepdim: bool = False) -> Any:
    own = [*axes] or [*range(data.dim())]
    return ~(~data).any(own, keepdim) if data.dtype == torch.bool else NotImplemented


def _divided(torch: Any, data: Any, divisor: Any, *, rounding_mode: str | None) -> Any:
    """Write a divisor that is a number as a tensor; TVM makes 32 bits of it."""
    if not isinstance(divisor, int | float) or rounding_mode != "trunc":
        return NotImplemented
    data = data.to(torch.result_type(data, divisor))
    return torch.div(data, _tensor(torch, data, divisor), rounding_mode=rounding_mode)


def _any(torch: Any, data: Any) -> Any:
    return data.reshape(-1).any(0)


def _tensor(torch: Any, data: Any, value: Any) -> Any:
    is_number = isinstance(value, int | float)
    return torch.full((), value, dtype=data.dtype, device=data.device) if is_number else value


def _shifted_left(torch: Any, data: Any, count: Any) -> Any:
    data = data.to(torch.result_type(data, count))
    return torch.bitwise_left_shift(data, _tensor(torch, data, count))


def _shifted_right(torch: Any, data: Any, count: Any) -> Any:
    data = data.to(torch.result_type(data, count))
    return torch.bitwise_right_shift(data, _tensor(torch, data, count))


def _power_of_two(torch: Any, data: Any) -> Any:
    return torch.pow(2.0, data if data.dtype.is_floating_point else data.to(torch.float32))


def _distances(torch: Any, left: Any, right: Any, p: float, mode: int | None = None) -> Any:
    return torch.linalg.vector_norm(left.unsqueeze(-2) - right.unsqueeze(-3), p, -1)


def _products_of_three(torch: Any, first: Any, second: Any, third: Any, *axes: Any) -> Any:
    """Multiply three tensors with new axes, and sum over some of all axes."""
    *expanded, summed = axes[:4]
    for place, own in enumerate(expanded):
        for axis in own:
            if place == 0:
                first = first.unsqueeze(axis)
            elif place == 1:
                second = second.unsqueeze(axis)
            else:
                third = third.unsqueeze(axis)
    return (first * second * third).sum(summed)


def _sum_of_exponentials(torch: Any, left: Any, right: Any) -> Any:
    """Write log(exp(a) + exp(b)) so that nothing is too large."""
    most = torch.maximum(left, right)
    rest = (left - right).abs()
    return torch.where(left == right, most + math.log(2), most + (-rest).exp().log1p())


def _histogram(torch: Any, data: Any, bins: int = 100, min: float = 0, max: float = 0) -> Any:
    """Count elements in intervals of one length; those outside count nowhere.

    Without limits these would be the extreme elements, which are not written down here.
    """
    if not min < max:
        return NotImplemented
    flat = data.reshape(-1, 1)
    place = ((flat - min) * bins / (max - min)).floor().clamp(max=bins - 1)
    inside = (flat >= min) & (flat <= max)
    hit = (place == torch.arange(bins, device=data.device)) & inside
    return hit.to(data.dtype).sum(0)


def _scaled_elu(
    torch: Any, data: Any, alpha: float = 1, scale: float = 1, input_scale: float = 1
) -> Any:
    """Write ELU with scales, as SELU is one, of which TVM reads only `alpha`."""
    if scale == input_scale == 1:
        return NotImplemented
    below = ((data * input_scale).exp() - 1) * (alpha * scale)
    return torch.where(data > 0, data * scale, below)


def _grouped_product(torch: Any, data: Any, weight: Any, offs: Any = None, *more: Any) -> Any:
    """Multiply rows [S, K] by matrices [G, K, N]; rows below offs[g] that are left belong to g.

    Every row is multiplied by every matrix: which rows belong to a group is not known before. Rows
    of no group are 0.
    """
    is_plain = data.dim() == 2 and weight.dim() == 3 and offs is not None
    if not is_plain or any(one is not None for one in more):
        return NotImplemented
    rows = torch.arange(data.shape[0], device=data.device).reshape(1, -1, 1)
    ends = offs.reshape(-1, 1, 1)
    begins = torch.cat([torch.zeros_like(ends[:1]), ends[:-1]])
    own = (rows >= begins) & (rows < ends)
    products = torch.matmul(data.unsqueeze(0), weight)
    return torch.where(own, products, torch.zeros_like(products)).sum(0)


SCALED = ("upsample_bicubic2d.vec", "upsample_bilinear2d.vec", "upsample_nearest2d.vec")
"""Enlargings of which PyTorch has decompositions, for scales that sizes do not have."""

TRIMMED = ("scatter.src", "scatter_add.default", "scatter_reduce.two")
"""Operators that scatter elements, of which there may be more than indices."""

TABLE: Mapping[str, Callable[..., Any]] = {
    "__lshift__.Scalar": _shifted_left,
    "__lshift__.Tensor": _shifted_left,
    "__rshift__.Scalar": _shifted_right,
    "__rshift__.Tensor": _shifted_right,
    "_cdist_forward.default": _distances,
    "_trilinear.default": _products_of_three,
    "adaptive_max_pool2d.default": _largest_in_parts,
    "adaptive_max_pool3d.default": _largest_in_parts,
    "add.Tensor": _sum,
    "amax.default": _largest,
    "amin.default": _smallest,
    "any.default": _any,
    "as_strided.default": torch_indexing.strided,
    "avg_pool2d.default": _average,
    "avg_pool3d.default": _average,
    "clamp.default": _clamped,
    "clamp_max.default": _at_most,
    "clamp_min.default": _clamped,
    "diagonal_scatter.default": torch_indexing.diagonal_written,
    "div.Scalar_mode": _divided,
    "div.Tensor_mode": _divided,
    "elu.default": _scaled_elu,
    "exp2.default": _power_of_two,
    "histc.default": _histogram,
    "index.Tensor": torch_indexing.elements_at,
    "index_put.default": torch_indexing.put,
    "kthvalue.default": _kth_value,
    "logaddexp.default": _sum_of_exponentials,
    "min.dim": _least,
    "native_group_norm.default": _group_norm,
    "rsub.Scalar": _difference_from,
    "rsub.Tensor": _difference_from,
    "sub.Tensor": _difference,
    "unfold.default": torch_indexing.windows,
    "var_mean.correction": _variance_and_mean,
}
"""What an operator is written as, by its name and that of the overload."""
