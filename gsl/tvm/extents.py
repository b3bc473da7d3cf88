"""Functions of loops that read the sizes of their results off these, not compute them.

TVM writes a size such as ``(height + 2 - kernel) // stride + 1`` wherever it is needed, and passes
that compute with it take the longer, the longer it is.
"""

from __future__ import annotations

from typing import Any

import tvm
import tvm_ffi
from tvm import tirx


def with_known_extents(function: Any) -> Any:
    """Return a function of loops in which a variable stands for every size that is computed.

    The sizes of tensors that a function is given, its results among them, are what such variables
    are bound to when it is called.
    """
    computed: dict[int, list[tuple[Any, Any]]] = {}
    for parameter in function.params:
        for size in getattr(parameter.ty, "shape", ()):
            _name(size, computed)
    if not computed:
        return function
    kinds = tuple({type(size) for pairs in computed.values() for size, _ in pairs})

    def named(expression: Any) -> Any:
        for size, variable in computed.get(tvm_ffi.structural_hash(expression), ()):
            if tvm_ffi.structural_equal(size, expression):
                return variable
        return expression

    return tvm_ffi.structural_map(function, (kinds, named), order="pre")


def _name(size: Any, computed: dict[int, list[tuple[Any, Any]]]) -> None:
    if isinstance(size, tvm.ir.Var | tirx.IntImm):
        return
    pairs = computed.setdefault(tvm_ffi.structural_hash(size), [])
    if not any(tvm_ffi.structural_equal(size, known) for known, _ in pairs):
        pairs.append((size, tirx.Var(f"size{len(computed)}", "int64")))
