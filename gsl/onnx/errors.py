"""What can go wrong at the door to ONNX."""

from __future__ import annotations

from gsl.errors import GslError, ModelError


class NotReadableError(ModelError):
    """An ONNX model contains something that GSL has no expression for; the message names the node.

    Rewrite the model, or declare the operator. `wanted` are the inputs of the model that would
    have to be known, if that is the reason.
    """

    def __init__(self, message: str, wanted: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.wanted = wanted


class NotWritableError(ModelError):
    """A workload contains something that ONNX has no operator for; the message names the call."""


class RowError(GslError):
    """A row of the table does not cover a node in this form; the node stays opaque then.

    `wanted` is the place of an input that would have to be known.
    """

    def __init__(self, message: str, wanted: int | None = None) -> None:
        super().__init__(message)
        self.wanted = wanted
