"""Normalisation: shift and scale the elements by statistics of their neighbours.

The variance is the mean squared deviation from the mean, computed in two passes: the kernels of
TVM that subtract the squared mean from the mean square lose all digits when the mean is large.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from gsl.attr.evaluate import disjunction, equal, negation
from gsl.kernel.expression import Expression
from gsl.kernel.meaning import Elements, Index, apply, total
from gsl.numpy_dtypes import finfo
from gsl.operators.create import scalar
from gsl.operators.declaration import Need, Tensor, operator
from gsl.operators.defined import Values
from gsl.operators.kinds import Epsilon, Flag, ManyAxes, OneAxis, Positive, SomeAxes
from gsl.operators.norm_lowering import (
    other_axes,
    relax_affine,
    relax_layer_norm,
    relax_rms_norm,
    relax_root,
    relax_standardise,
)
from gsl.operators.reduce import need_elements
from gsl.operators.shapes import Shape, known_axis, need_vectors
from gsl.operators.standard import affine_element, counted, replaced, standard_element
from gsl.types import FLOATING, Int, TensorType


@operator(dtypes=FLOATING, values={"moving_var": Values(low=0.0)})
def BatchNorm(
    need: Need,
    data: Tensor,
    gamma: Tensor,
    beta: Tensor,
    moving_mean: Tensor,
    moving_var: Tensor,
    *,
    axis: OneAxis = 1,
    epsilon: Epsilon = 1e-5,
    center: Flag = True,
    scale: Flag = True,
) -> list[TensorType]:
    """Normalise each channel by a known mean and variance, as in inference.

    The channels lie along `axis`; the other operands are vectors with one element for each.
    Computes (data - moving_mean) / sqrt(moving_var + epsilon), times gamma if `scale`, plus beta
    if `center`, and returns the tuple of that, moving_mean and moving_var.
    Source: relax.nn.batch_norm with training=False.
    """
    need_vectors(need, gamma, beta, moving_mean, moving_var)
    need_per_channel(need, data, axis, gamma, beta, moving_mean, moving_var)
    need_epsilon(need, epsilon, data.dtype)
    return [data, moving_mean, moving_var]


@BatchNorm.numpy
def _batch_norm(
    data: Any, gamma: Any, beta: Any, moving_mean: Any, moving_var: Any, **attributes: Any
) -> Any:
    others = other_axes(data.ndim, (attributes["axis"],))
    deviation = data - np.expand_dims(moving_mean, others)
    spread = np.sqrt(np.expand_dims(moving_var, others) + attributes["epsilon"])
    result = _affine(deviation / spread, gamma, beta, others, attributes)
    return result, moving_mean, moving_var


@BatchNorm.relax
def _relax_batch_norm(
    relax: Any, data: Any, gamma: Any, beta: Any, mean: Any, var: Any, **attributes: Any
) -> Any:
    dtype = str(data.ty.dtype)
    if dtype not in ("float16", "bfloat16"):
        return relax.nn.batch_norm(data, gamma, beta, mean, var, training=False, **attributes)
    # In those that kernel returns float32, whatever its type says.
    others = other_axes(data.ty.ndim, (attributes["axis"],))
    deviation = relax.subtract(data, relax.expand_dims(mean, others))
    epsilon = scalar(relax, attributes["epsilon"], dtype)
    spread = relax_root(relax, relax.expand_dims(var, others), epsilon)
    result = relax.divide(deviation, spread)
    result = relax_affine(relax, result, gamma, beta, others, attributes)
    return relax.base.tvm.relax.Tuple([result, mean, var])


@operator(dtypes=FLOATING)
def LayerNorm(
    need: Need,
    data: Tensor,
    gamma: Tensor,
    beta: Tensor,
    *,
    axes: ManyAxes = (-1,),
    epsilon: Epsilon = 1e-5,
    center: Flag = True,
    scale: Flag = True,
) -> TensorType:
    """Normalise by the mean and variance over `axes`, which are in increasing order.

    Gamma and beta have the sizes of those axes; gamma multiplies the result if `scale`, beta is
    added if `center`. Source: relax.nn.layer_norm, which ignores these two flags.
    """
    sizes = _reduced_sizes(need, data, axes)
    need(equal(gamma.shape, sizes), "`gamma` must have the sizes of the axes")
    need(equal(beta.shape, sizes), "`beta` must have the sizes of the axes")
    need_epsilon(need, epsilon, data.dtype)
    return data


@LayerNorm.numpy
def _layer_norm(data: Any, gamma: Any, beta: Any, **attributes: Any) -> Any:
    result = _standardise(data, attributes["axes"], attributes["epsilon"])
    return _affine(result, gamma, beta, other_axes(data.ndim, attributes["axes"]), attributes)


@LayerNorm.relax
def _relax_layer_norm(relax: Any, data: Any, gamma: Any, beta: Any, **attributes: Any) -> Any:
    return relax_layer_norm(relax, data, gamma, beta, data.ty, **attributes)


@operator(dtypes=FLOATING)
def RmsNorm(
    need: Need,
    data: Tensor,
    weight: Tensor,
    *,
    axes: ManyAxes = (-1,),
    epsilon: Epsilon = 1e-5,
) -> TensorType:
    """Divide by the root of the mean square over `axes`, then multiply by `weight`.

    The axes are in increasing order, the weight has their sizes. Source: relax.nn.rms_norm.
    """
    sizes = _reduced_sizes(need, data, axes)
    need(equal(weight.shape, sizes), "`weight` must have the sizes of the axes")
    need_epsilon(need, epsilon, data.dtype)
    return data


@RmsNorm.numpy
def _rms_norm(data: Any, weight: Any, axes: Any, epsilon: float) -> Any:
    square = np.mean(np.square(data), axis=axes, keepdims=True)
    return data / np.sqrt(square + epsilon) * np.expand_dims(weight, other_axes(data.ndim, axes))


@RmsNorm.relax
def _relax_rms_norm(relax: Any, data: Any, weight: Any, axes: Any, epsilon: float) -> Any:
    return relax_rms_norm(relax, data, weight, data.ty, axes, epsilon)


@operator(dtypes=FLOATING)
def GroupNorm(
    need: Need,
    data: Tensor,
    gamma: Tensor,
    beta: Tensor,
    *,
    num_groups: Positive,
    channel_axis: OneAxis,
    axes: SomeAxes,
    epsilon: Epsilon = 1e-5,
    center: Flag = True,
    scale: Flag = True,
) -> TensorType:
    """Normalise each group of neighbouring channels by its mean and variance.

    They are taken over the channels of the group and over `axes`, which leave out the channel
    axis. Gamma and beta are vectors with one element for each channel; gamma multiplies the
    result if `scale`, beta is added if `center`. Source: relax.nn.group_norm.
    """
    need_vectors(need, gamma, beta)
    channels = data.shape[known_axis(channel_axis, data.ndim)]
    _needother_axes(need, data, axes, channel_axis)
    need_elements(need, data.shape, (channel_axis,))
    need(equal(channels % num_groups, 0), "num_groups must divide the number of channels")
    need_per_channel(need, data, channel_axis, gamma, beta)
    need_epsilon(need, epsilon, data.dtype)
    return data


@GroupNorm.numpy
def _group_norm(data: Any, gamma: Any, beta: Any, **attributes: Any) -> Any:
    channel = attributes["channel_axis"] % data.ndim
    grouped = np.reshape(data, _grouped(data.shape, channel, attributes["num_groups"]))
    axes = _axes_of_group(attributes["axes"], channel, data.ndim)
    result = np.reshape(_standardise(grouped, axes, attributes["epsilon"]), data.shape)
    return _affine(result, gamma, beta, other_axes(data.ndim, (channel,)), attributes)


@GroupNorm.relax
def _relax_group_norm(relax: Any, data: Any, gamma: Any, beta: Any, **attributes: Any) -> Any:
    rank, shape = data.ty.ndim, data.ty.shape
    channel = attributes["channel_axis"] % rank
    grouped = relax.reshape(data, _grouped(tuple(shape), channel, attributes["num_groups"]))
    axes = _axes_of_group(attributes["axes"], channel, rank)
    epsilon = scalar(relax, attributes["epsilon"], str(data.ty.dtype))
    result = relax_standardise(relax, grouped, axes, epsilon)
    others = other_axes(rank, (channel,))
    return relax_affine(relax, relax.reshape(result, shape), gamma, beta, others, attributes)


def _grouped(shape: Shape, channel: int, num_groups: Int) -> Shape:
    return (*shape[:channel], num_groups, shape[channel] // num_groups, *shape[channel + 1 :])


def _axes_of_group(axes: Sequence[int], channel: int, rank: int) -> tuple[int, ...]:
    counted = (axis % rank for axis in axes)
    return (channel + 1, *(axis + 1 if axis > channel else axis for axis in counted))


@operator(dtypes=FLOATING)
def InstanceNorm(
    need: Need,
    data: Tensor,
    gamma: Tensor,
    beta: Tensor,
    *,
    channel_axis: OneAxis,
    axes: ManyAxes,
    epsilon: Epsilon = 1e-5,
    center: Flag = True,
    scale: Flag = True,
) -> TensorType:
    """Normalise by the mean and variance over `axes`, which leave out the channel axis.

    Gamma and beta are vectors with one element for each channel; gamma multiplies the result if
    `scale`, beta is added if `center`. Source: relax.nn.instance_norm.
    """
    need_vectors(need, gamma, beta)
    _needother_axes(need, data, axes, channel_axis)
    need_per_channel(need, data, channel_axis, gamma, beta)
    need_epsilon(need, epsilon, data.dtype)
    return data


@InstanceNorm.numpy
def _instance_norm(data: Any, gamma: Any, beta: Any, **attributes: Any) -> Any:
    others = other_axes(data.ndim, (attributes["channel_axis"],))
    result = _standardise(data, attributes["axes"], attributes["epsilon"])
    return _affine(result, gamma, beta, others, attributes)


@InstanceNorm.relax
def _relax_instance_norm(relax: Any, data: Any, gamma: Any, beta: Any, **attributes: Any) -> Any:
    others = other_axes(data.ty.ndim, (attributes["channel_axis"],))
    epsilon = scalar(relax, attributes["epsilon"], str(data.ty.dtype))
    result = relax_standardise(relax, data, attributes["axes"], epsilon)
    return relax_affine(relax, result, gamma, beta, others, attributes)


@BatchNorm.kernel
def _batch_norm_element(
    field: int,
    index: Index,
    data: Elements,
    gamma: Elements,
    beta: Elements,
    moving_mean: Elements,
    moving_var: Elements,
    **attributes: Any,
) -> Expression:
    if field:
        return (moving_mean, moving_var)[field - 1][index]
    channel = (index[attributes["axis"] % data.ndim],)
    spread = apply("sqrt", moving_var[channel] + attributes["epsilon"])
    result = (data[index] - moving_mean[channel]) / spread
    return affine_element(result, gamma[channel], beta[channel], attributes)


@LayerNorm.kernel
def _layer_norm_element(
    index: Index, data: Elements, gamma: Elements, beta: Elements, **attributes: Any
) -> Expression:
    axes = counted(attributes["axes"], data.ndim)
    extents, own = [data.shape[axis] for axis in axes], tuple(index[axis] for axis in axes)
    result = standard_element(
        data[index], extents, attributes["epsilon"], lambda *i: data[replaced(index, axes, i)]
    )
    return affine_element(result, gamma[own], beta[own], attributes)


@RmsNorm.kernel
def _rms_norm_element(
    index: Index, data: Elements, weight: Elements, axes: Any, epsilon: Any
) -> Expression:
    own = counted(axes, data.ndim)
    extents = [data.shape[axis] for axis in own]

    def square(*inner: Any) -> Expression:
        element = data[replaced(index, own, inner)]
        return element * element

    root = apply("sqrt", total(extents, square) / prod(extents) + epsilon)
    return data[index] / root * weight[tuple(index[axis] for axis in own)]


@GroupNorm.kernel
def _group_norm_element(
    index: Index, data: Elements, gamma: Elements, beta: Elements, **attributes: Any
) -> Expression:
    channel = attributes["channel_axis"] % data.ndim
    each = data.shape[channel] // attributes["num_groups"]
    first = index[channel] // each * each
    axes = [channel, *counted(attributes["axes"], data.ndim)]
    result = standard_element(
        data[index],
        [each, *(data.shape[axis] for axis in axes[1:])],
        attributes["epsilon"],
        lambda c, *i: data[replaced(index, axes, (first + c, *i))],
    )
    own = (index[channel],)
    return affine_element(result, gamma[own], beta[own], attributes)


@InstanceNorm.kernel
def _instance_norm_element(
    index: Index, data: Elements, gamma: Elements, beta: Elements, **attributes: Any
) -> Expression:
    axes = counted(attributes["axes"], data.ndim)
    result = standard_element(
        data[index],
        [data.shape[axis] for axis in axes],
        attributes["epsilon"],
        lambda *i: data[replaced(index, axes, i)],
    )
    own = (index[attributes["channel_axis"] % data.ndim],)
    return affine_element(result, gamma[own], beta[own], attributes)


def need_per_channel(need: Need, data: Tensor, axis: Int, *vectors: Tensor) -> None:
    """Demand that each vector has one element for each index of an axis of the data."""
    channels = (data.shape[known_axis(axis, data.ndim)],)
    for vector in vectors:
        need(equal(vector.shape, channels), "a parameter must have one element for each channel")


def need_epsilon(need: Need, epsilon: Any, dtype: Any) -> None:
    """Demand an epsilon that keeps a variance of 0 from dividing, also when rounded to `dtype`."""
    for name in FLOATING:
        seen = epsilon >= float(finfo(name).smallest_subnormal)
        need(disjunction(negation(equal(dtype, name)), seen), f"epsilon vanishes in {name}")


def _reduced_sizes(need: Need, data: Tensor, axes: Any) -> Shape:
    need(data.ndim >= 1, "`data` must have at least one axis")
    counted = [known_axis(axis, data.ndim) for axis in axes]
    need(counted == sorted(counted), "the axes must be in increasing order")
    need_elements(need, data.shape, counted)
    return tuple(data.shape[axis] for axis in counted)


def _needother_axes(need: Need, data: Tensor, axes: Any, channel_axis: Int) -> None:
    counted = [known_axis(axis, data.ndim) for axis in axes]
    channel = known_axis(channel_axis, data.ndim)
    need(channel not in counted, "the axes must not contain the channel axis")
    need_elements(need, data.shape, counted)


def _standardise(data: Any, axes: Any, epsilon: float) -> Any:
    deviation = data - np.mean(data, axis=axes, keepdims=True)
    variance = np.mean(np.square(deviation), axis=axes, keepdims=True)
    return deviation / np.sqrt(variance + epsilon)


def _affine(data: Any, gamma: Any, beta: Any, others: Any, attributes: Any) -> Any:
    if attributes["scale"]:
        data = data * np.expand_dims(gamma, others)
    if attributes["center"]:
        data = data + np.expand_dims(beta, others)
    return data
