"""Operators that write one tensor into another."""

from __future__ import annotations

from typing import Any

import numpy as np

from gsl.attr.evaluate import conjunction, equal
from gsl.kernel.expression import Expression
from gsl.kernel.meaning import Elements, Index, select
from gsl.operators.declaration import Need, Tensor, operator
from gsl.operators.kinds import Count, OneAxis
from gsl.operators.shapes import known_axis, with_size
from gsl.types import ALL_DTYPES, TensorType


@operator(dtypes=ALL_DTYPES)
def SliceScatter(
    need: Need, data: Tensor, update: Tensor, *, start: Count, axis: OneAxis = 0
) -> TensorType:
    """Replace as many slices of `data` along `axis`, from `start` on, as `update` has.

    The update lies inside of the axis, is not clamped, and has the other sizes of `data`.
    Source: relax.slice_scatter with a step of 1; XLA's DynamicUpdateSlice on one axis.
    """
    along = known_axis(axis, data.ndim)
    need(update.ndim == data.ndim, "the update must have the rank of data")
    size = update.shape[along]
    need(start + size <= data.shape[along], "the update must lie inside data")
    pairs = zip(update.shape, with_size(data.shape, along, size), strict=True)
    need(
        conjunction(*(equal(own, needed) for own, needed in pairs)),
        "the update must have the sizes of data on all other axes",
    )
    return data


@SliceScatter.numpy
def _slice_scatter(data: Any, update: Any, start: int, axis: int) -> Any:
    along = axis % data.ndim
    leading = (slice(None),) * along
    before, behind = data[*leading, :start], data[*leading, start + update.shape[along] :]
    return np.concatenate([before, update, behind], axis)


@SliceScatter.kernel
def _slice_scatter_element(
    index: Index, data: Elements, update: Elements, start: Any, axis: int
) -> Expression:
    along = axis % data.ndim
    place = index[along] - start
    hit = conjunction(place >= 0, place < update.shape[along])
    return select(hit, update[(*index[:along], place, *index[along + 1 :])], data[index])


@SliceScatter.relax
def _relax_slice_scatter(relax: Any, data: Any, update: Any, start: int, axis: int) -> Any:
    # relax.slice_scatter of TVM 0.27 reads behind the end of the update.
    sizes = [int(tensor.ty.shape[axis]) for tensor in (data, update)]
    end = start + sizes[1]
    before = relax.strided_slice(data, [axis], [0], [start])
    behind = relax.strided_slice(data, [axis], [end], [sizes[0]])
    return relax.concat([before, update, behind], axis)
