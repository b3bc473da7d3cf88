"""One row for each operator: what computes it in PyTorch, on proxies that record what is called."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gsl.expr import Call
from gsl.types import FLOATING


@dataclass(frozen=True, slots=True)
class Site:
    """A call that is written, and the package `torch`."""

    torch: Any
    call: Call
    created: Callable[..., Any]
    """Records the call of a function of no tensors."""

    def __getitem__(self, name: str) -> Any:
        """Return an attribute of the call."""
        return self.call.attributes[name]

    @property
    def functional(self) -> Any:
        """The functions of neural networks."""
        return self.torch.nn.functional

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the result."""
        return self.call.shape

    def shape_of(self, place: int) -> tuple[int, ...]:
        """Return the shape of an operand."""
        return self.call.operands[place].shape

    @property
    def is_floating(self) -> bool:
        """Whether the first operand has floats."""
        return self.call.operands[0].dtype in FLOATING

    def dtype(self, name: str) -> Any:
        """Return what PyTorch calls a dtype, None if it has no such."""
        return getattr(self.torch, name, None)


Row = Callable[..., Any]
"""Takes a `Site` and proxies; returns a proxy, a tuple of them, or NotImplemented."""

ROWS: dict[str, Row] = {}


def writes(*names: str) -> Callable[[Row], Row]:
    """Declare that a function writes operators."""

    def declare(row: Row) -> Row:
        ROWS.update(dict.fromkeys(names, row))
        return row

    return declare


def row_of(name: str) -> Row | None:
    """Return the row of an operator, None if there is none."""
    return ROWS.get(name)
