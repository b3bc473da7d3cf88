"""Operators on matrices, or batches of them, that look at the place relative to a diagonal."""

from __future__ import annotations

from typing import Any

import numpy as np

from gsl.attr.evaluate import equal, minimum
from gsl.kernel.expression import Expression
from gsl.kernel.meaning import Elements, Index, select
from gsl.operators.declaration import Need, Operator, Tensor, operator
from gsl.operators.kinds import AnyInt
from gsl.types import ALL_DTYPES, TensorType

FAR = 2**30
"""Farther than any diagonal; Relax takes 32 bits."""


def need_matrix(need: Need, data: TensorType) -> None:
    """Demand at least two axes."""
    need(data.ndim >= 2, "a matrix has at least two axes")


def offsets(data: Any) -> Any:
    """Return for each place of a matrix on which diagonal it is."""
    rows, columns = data.shape[-2:]
    return np.arange(columns) - np.expand_dims(np.arange(rows), 1)


def triangle(name: str, relax: str, kept: str) -> Operator:
    """Declare the part of matrices on one side of a diagonal."""

    def rule(need: Need, data: Tensor, *, k: AnyInt = 0) -> TensorType:
        need_matrix(need, data)
        return data

    rule.__name__ = name
    rule.__doc__ = (
        f"Matrices of shape (..., rows, columns) with 0 for all but diagonal `k` and those "
        f"{kept} it. Diagonal 0 starts in the first row and column; those above are positive. "
        f"Source: relax.{relax}."
    )
    declared = operator(dtypes=ALL_DTYPES, relax=relax)(rule)

    def lowering(namespace: Any, data: Any, k: int) -> Any:
        return getattr(namespace, relax)(data, max(-FAR, min(k, FAR)))

    declared.relax(lowering)
    return declared


Tril = triangle("Tril", "tril", "below")
Triu = triangle("Triu", "triu", "above")


@Tril.numpy
def _tril(data: Any, k: int) -> Any:
    return np.where(offsets(data) <= k, data, np.zeros_like(data))


@Triu.numpy
def _triu(data: Any, k: int) -> Any:
    return np.where(offsets(data) >= k, data, np.zeros_like(data))


@Tril.kernel
def _tril_element(index: Index, data: Elements, k: Any) -> Expression:
    return select(index[-1] - index[-2] <= k, data[index], 0)


@Triu.kernel
def _triu_element(index: Index, data: Elements, k: Any) -> Expression:
    return select(index[-1] - index[-2] >= k, data[index], 0)


@operator(dtypes=ALL_DTYPES)
def MatrixSetDiag(need: Need, data: Tensor, diagonal: Tensor) -> TensorType:
    """Replace the main diagonal of matrices (..., n, m) by vectors (..., min(n, m)).

    Source: relax.where of relax.eye (Relay: matrix_set_diag).
    """
    need_matrix(need, data)
    *batch, rows, columns = data.shape
    fits = equal(diagonal.shape, (*batch, minimum(rows, columns)))
    need(fits, "the diagonal must have the length of the shorter axis of each matrix")
    return data


def _spread_axis(rows: int, columns: int) -> int:
    """Return the new axis along which a diagonal meets each row or column once."""
    return -1 if rows <= columns else -2


@MatrixSetDiag.numpy
def _matrix_set_diag(data: Any, diagonal: Any) -> Any:
    spread = np.expand_dims(diagonal, _spread_axis(*data.shape[-2:]))
    return np.where(offsets(data) == 0, spread, data)


@MatrixSetDiag.kernel
def _matrix_set_diag_element(index: Index, data: Elements, diagonal: Elements) -> Expression:
    return select(equal(index[-2], index[-1]), diagonal[index[:-1]], data[index])


@MatrixSetDiag.relax
def _relax_matrix_set_diag(relax: Any, data: Any, diagonal: Any) -> Any:
    rows, columns = (int(size) for size in list(data.ty.shape)[-2:])
    spread = relax.expand_dims(diagonal, _spread_axis(rows, columns))
    return relax.where(relax.eye(rows, columns, dtype="bool"), spread, data)
