"""Reductions of powers: norms, sums of squares, the logarithm of a sum of exponentials."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np

from gsl.kernel.expression import Expression
from gsl.kernel.meaning import Elements, Index, apply, total
from gsl.operators.create import scalar
from gsl.operators.reduce import placed, reduction, sizes_of
from gsl.types import FLOATING

ReduceL1 = reduction(
    "ReduceL1", "", "The sum of absolute values", of_nothing=True, source="onnx.ReduceL1"
)
ReduceL2 = reduction(
    "ReduceL2",
    "",
    "The root of the sum of squares",
    dtypes=FLOATING,
    of_nothing=True,
    source="onnx.ReduceL2",
)
SumSquare = reduction(
    "SumSquare", "", "The sum of squares", of_nothing=True, source="onnx.ReduceSumSquare"
)
LogSumExp = reduction(
    "LogSumExp",
    "",
    "The logarithm of the sum of exponentials",
    dtypes=FLOATING,
    source="onnx.ReduceLogSumExp",
)


def _sum_of(
    index: Index, data: Elements, axis: Any, keepdims: bool, compute: Callable[..., Expression]
) -> Expression:
    """Return the sum along axes of what is computed from single elements."""

    def element(*inner: Any) -> Expression:
        return compute(data[placed(index, inner, data.ndim, axis, keepdims)])

    return total(sizes_of(data, axis), element)


@ReduceL1.numpy
def _l1(data: Any, axis: Any, keepdims: bool) -> Any:
    return np.sum(np.abs(data), axis=axis, keepdims=keepdims).astype(data.dtype)


@ReduceL1.kernel
def _l1_element(index: Index, data: Elements, axis: Any, keepdims: bool) -> Expression:
    return _sum_of(index, data, axis, keepdims, lambda x: apply("abs", x))


@ReduceL1.relax
def _relax_l1(relax: Any, data: Any, axis: Any, keepdims: bool) -> Any:
    return relax.sum(relax.abs(data), axis, keepdims)


@SumSquare.numpy
def _sum_square(data: Any, axis: Any, keepdims: bool) -> Any:
    return np.sum(np.square(data), axis=axis, keepdims=keepdims).astype(data.dtype)


@SumSquare.kernel
def _sum_square_element(index: Index, data: Elements, axis: Any, keepdims: bool) -> Expression:
    return _sum_of(index, data, axis, keepdims, lambda x: x * x)


@SumSquare.relax
def _relax_sum_square(relax: Any, data: Any, axis: Any, keepdims: bool) -> Any:
    return relax.sum(relax.square(data), axis, keepdims)


@ReduceL2.numpy
def _l2(data: Any, axis: Any, keepdims: bool) -> Any:
    return np.sqrt(_sum_square(data, axis, keepdims))


@ReduceL2.kernel
def _l2_element(index: Index, data: Elements, axis: Any, keepdims: bool) -> Expression:
    return apply("sqrt", _sum_square_element(index, data, axis, keepdims))


@ReduceL2.relax
def _relax_l2(relax: Any, data: Any, axis: Any, keepdims: bool) -> Any:
    return relax.sqrt(_relax_sum_square(relax, data, axis, keepdims))


@LogSumExp.numpy
def _log_sum_exp(data: Any, axis: Any, keepdims: bool) -> Any:
    most = np.max(data, axis=axis, keepdims=True)
    most = np.where(np.isfinite(most), most, np.zeros_like(most))  # inf - inf is no number
    powers = np.sum(np.exp(data - most), axis=axis, keepdims=keepdims)
    return np.log(powers) + np.reshape(most, powers.shape)


@LogSumExp.kernel
def _log_sum_exp_element(index: Index, data: Elements, axis: Any, keepdims: bool) -> Expression:
    return apply("log", _sum_of(index, data, axis, keepdims, lambda x: apply("exp", x)))


@LogSumExp.relax
def _relax_log_sum_exp(relax: Any, data: Any, axis: Any, keepdims: bool) -> Any:
    most = relax.max(data, axis, True)
    is_finite = relax.less(relax.abs(most), scalar(relax, inf, str(data.ty.dtype)))
    most = relax.where(is_finite, most, relax.zeros_like(most))
    powers = relax.sum(relax.exp(relax.subtract(data, most)), axis, True)
    result = relax.add(relax.log(powers), most)
    return result if keepdims or not axis else relax.squeeze(result, axis)
