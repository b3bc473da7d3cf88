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

from gsl.tvm import torch_attention, torch_groups, torch_indexing, torch_order, torch_pools

OWN = "torch._decomp.decompositions"
"""Where PyTorch writes operators with others that are operators of models, too."""

GROUPED = (("aten", "_grouped_mm"), ("transformers", "grouped_mm_fallback"))
"""The namespaces and names of products of rows with the matrix of their group."""


def decompositions(torch: Any, program: Any, known: Container[str]) -> Any:
    """Return the decompositions of a program for a frontend that has operators of these names."""
    table, theirs = torch.export.default_decompositions(), _theirs()
    for found, function in theirs.items():
        name = str(found).partition(".")[2]
        if name not in known and inspect.unwrap(function).__module__ == OWN:
            table[found] = function
    aten = torch.ops.aten
    pools = torch_pools.WITH_PLACES if torch_pools.wants_places(program) else {}
    for name, row in {**TABLE, **torch_pools.ADAPTIVE, **pools}.items():
        table[_operator(aten, name)] = partial(row, torch)
    for name in TRIMMED:
        one = _operator(aten, name)
        table[one] = torch_indexing.trimmed(torch, one)
    for name in SCALED:
        one = _operator(aten, name)
        table[one] = partial(_scaled, theirs[one])
    table[aten.grid_sampler_2d.default] = theirs[aten.grid_sampler_2d.default]
    attention = aten.scaled_dot_product_attention.default
    table[attention] = partial(torch_attention.attention, torch, table[attention])
    for namespace, name in GROUPED:
        one = getattr(getattr(torch.ops, namespace), name, None)
        if one is not None:
            table[one.default] = partial(torch_groups.grouped_product, torch)
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


def _scaled_elu(
    torch: Any, data: Any, alpha: float = 1, scale: float = 1, input_scale: float = 1
) -> Any:
    """Write ELU with scales, as SELU is one, of which TVM reads only `alpha`."""
    if scale == input_scale == 1:
        return NotImplemented
    below = ((data * input_scale).exp() - 1) * (alpha * scale)
    return torch.where(data > 0, data * scale, below)


SCALED = ("upsample_bicubic2d.vec", "upsample_bilinear2d.vec", "upsample_nearest2d.vec")
"""Enlargings of which PyTorch has decompositions, for scales that sizes do not have."""

TRIMMED = ("scatter.src", "scatter_add.default")
"""Operators that scatter elements, of which there may be more than indices."""

TABLE: Mapping[str, Callable[..., Any]] = {
    "__lshift__.Scalar": _shifted_left,
    "__lshift__.Tensor": _shifted_left,
    "__rshift__.Scalar": _shifted_right,
    "__rshift__.Tensor": _shifted_right,
    "_adaptive_avg_pool3d.default": torch_pools.averages_of_parts,
    "_cdist_forward.default": _distances,
    "_embedding_bag.default": torch_groups.bags,
    "_embedding_bag_forward_only.default": torch_groups.bags,
    "_trilinear.default": _products_of_three,
    "add.Tensor": _sum,
    "amax.default": _largest,
    "amin.default": _smallest,
    "any.default": _any,
    "arange.default": torch_indexing.steps,
    "arange.start": torch_indexing.steps,
    "arange.start_step": torch_indexing.steps,
    "argmax.default": torch_order.place_of_largest,
    "argmin.default": torch_order.place_of_least,
    "as_strided.default": torch_indexing.strided,
    "avg_pool2d.default": torch_pools.average,
    "avg_pool3d.default": torch_pools.average,
    "bucketize.Tensor": torch_order.buckets,
    "clamp.default": _clamped,
    "clamp_max.default": _at_most,
    "clamp_min.default": _clamped,
    "cummax.default": torch_order.running_largest,
    "cummin.default": torch_order.running_least,
    "diagonal.default": torch_indexing.diagonal,
    "diagonal_scatter.default": torch_indexing.diagonal_written,
    "div.Scalar_mode": _divided,
    "div.Tensor_mode": _divided,
    "elu.default": _scaled_elu,
    "exp2.default": _power_of_two,
    "histc.default": torch_groups.histogram,
    "index.Tensor": torch_indexing.elements_at,
    "index_put.default": torch_indexing.put,
    "kthvalue.default": torch_order.kth_value,
    "logaddexp.default": _sum_of_exponentials,
    "logcumsumexp.default": torch_order.running_log_sum,
    "median.default": torch_order.median,
    "median.dim": torch_order.median_along,
    "min.dim": torch_order.least,
    "native_group_norm.default": _group_norm,
    "rsub.Scalar": _difference_from,
    "rsub.Tensor": _difference_from,
    "scatter_reduce.two": torch_groups.scattered,
    "searchsorted.Tensor": torch_order.places_in_sorted,
    "sort.stable": torch_order.sorted_stably,
    "sub.Tensor": _difference,
    "unfold.default": torch_indexing.windows,
    "var_mean.correction": _variance_and_mean,
}
"""What an operator is written as, by its name and that of the overload."""
