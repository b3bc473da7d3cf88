"""What can go wrong at the door to TVM."""

from __future__ import annotations

from gsl.errors import GslError


class BackendError(GslError):
    """TVM refuses a graph, an input or a module; the message names the place and TVM's reason.

    When the graph is well formed this is a limitation of TVM, such as a dtype without a kernel.
    """


class TypeMismatchError(BackendError):
    """TVM infers or returns another type than the declaration of the operator says.

    Either the shape rule of the operator is wrong, or TVM's own inference is (tvm-facts, 1).
    """


class UnsupportedError(BackendError):
    """A Relax module contains something that GSL has no expression for.

    The message names binding and operator. Rewrite the module, or declare the operator.
    """


REASON_LIMIT = 500


def reason(error: Exception) -> str:
    """Return what an exception of TVM says, on one line."""
    text = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, MemoryError) or "std::bad_alloc" in text:
        text = f"out of memory: {text}"
    return text if len(text) <= REASON_LIMIT else text[:REASON_LIMIT] + "..."
