"""Kernels in C, compiled by the compiler of the system and called."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gsl.kernel.c import emit_c
from gsl.kernel.evaluate import index_value
from gsl.kernel.run import sizes_of
from gsl.kernel.statement import DATA_TYPES, Kernel

FLAGS = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]


def run_c(kernel: Kernel, inputs: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return the outputs of a kernel as compiled C computes them."""
    source, library = folder / f"{kernel.name}.c", folder / f"{kernel.name}.so"
    source.write_text(emit_c(kernel))
    subprocess.run(["cc", *FLAGS, str(source), "-o", str(library), "-lm"], check=True)
    dtype = DATA_TYPES[kernel.data_type]
    arrays = {name: np.array(value, dtype, order="C") for name, value in inputs.items()}
    sizes = sizes_of(kernel, arrays)
    results = {
        name: np.full([index_value(dim, sizes) for dim in kernel.shapes[name]], np.nan, dtype)
        for name in kernel.outputs
    }
    numbers = [ctypes.c_int64(sizes[size]) for size in kernel.sizes]
    given = [arrays[name] for name in kernel.inputs] + list(results.values())
    pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in given]
    getattr(ctypes.CDLL(str(library)), kernel.name)(*numbers, *pointers)
    return results
