"""Relax functions as TVMScript, to be read, or pasted where neither gsl nor a file is at hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tvm import relax

from gsl.expr import Expr, Var
from gsl.tvm.export import build_function


def module_text(functions: Mapping[str, Sequence[Expr]], variables: Sequence[Var]) -> str:
    """Return a module with a function of `variables` for each name, as TVM prints it.

    Constants that are not scalars stand in metadata, so make them variables first. Raises
    BackendError where TVM refuses a call.
    """
    builder = relax.BlockBuilder()
    for name, outputs in functions.items():
        build_function(builder, name, outputs, variables)
    text: str = builder.finalize().script()
    return text
