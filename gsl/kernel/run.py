"""Running a kernel by NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gsl.attr.term import Symbol
from gsl.errors import KernelError
from gsl.kernel.evaluate import evaluate, index_value
from gsl.kernel.statement import Kernel


def run(kernel: Kernel, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Return an array for every output, computed in the data types of the inputs.

    Raises KernelError for an input that is missing, unknown or not of its shape.
    """
    for name in inputs:
        if name not in kernel.inputs:
            known = ", ".join(kernel.inputs)
            raise KernelError(f"`{name}` is no input of {kernel.name}, which has {known}")
    arrays = {name: np.asarray(value) for name, value in inputs.items()}
    sizes = sizes_of(kernel, arrays)
    for one in kernel.statements:
        extents = [(symbol, int(index_value(extent, sizes))) for symbol, extent in one.indices]
        arrays[one.tensor] = evaluate(one.value, extents, arrays, sizes)
    return {name: arrays[name] for name in kernel.outputs}


def sizes_of(kernel: Kernel, inputs: Mapping[str, Any]) -> dict[Symbol, int]:
    """Return what the symbols of the dimensions are for inputs; raise KernelError if not fitting.

    A size must be a dimension of some input by itself.
    """
    sizes: dict[Symbol, int] = {}
    for name in kernel.inputs:
        if name not in inputs:
            raise KernelError(f"input `{name}` of {kernel.name} has no value")
        for dim, size in zip(kernel.shapes[name], np.shape(inputs[name]), strict=False):
            if isinstance(dim, Symbol):
                sizes.setdefault(dim, size)
    for size in kernel.sizes:
        if size not in sizes:
            raise KernelError(f"size `{size.name}` is no dimension of an input by itself")
    for name in kernel.inputs:
        wanted = tuple(int(index_value(dim, sizes)) for dim in kernel.shapes[name])
        if np.shape(inputs[name]) != wanted:
            message = f"input `{name}` has shape {np.shape(inputs[name])}, not {wanted}"
            raise KernelError(message)
    return sizes
