"""One row for each operator and each way: what reads an operator of ONNX, what writes one of GSL.

A row names the first opset from which it holds, up to that of the next row of the same operator.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gsl.expr import Expr

OLDEST = 13
"""The oldest opset that models are written in."""

Reader = Callable[..., "Expr | Sequence[Expr | None]"]
"""Makes the expressions of the results of a node, a `gsl.onnx.site.Site`; None where it cannot."""

Writer = Callable[..., Any]
"""Makes the values of a call: `gsl.onnx.emitter.Emitter`, the call, values of its operands."""

READERS: dict[tuple[str, str], list[tuple[int, Reader]]] = {}
WRITERS: dict[str, list[tuple[int, Writer]]] = {}


def reads(*names: str, since: int = 1, domain: str = "") -> Callable[[Reader], Reader]:
    """Declare that a function reads the operators `names` of a domain from an opset on."""

    def declare(row: Reader) -> Reader:
        for name in names:
            _insert(READERS.setdefault((domain, name), []), since, row)
        return row

    return declare


def writes(*names: str, since: int = OLDEST) -> Callable[[Writer], Writer]:
    """Declare that a function writes the operators `names` of GSL from an opset on."""

    def declare(row: Writer) -> Writer:
        for name in names:
            _insert(WRITERS.setdefault(name, []), since, row)
        return row

    return declare


def reader_of(domain: str, name: str, opset: int) -> Reader | None:
    """Return the row that reads an operator of ONNX, None if there is none for the opset."""
    row: Reader | None = _newest(READERS.get((domain, name), []), opset)
    return row


def writer_of(name: str, opset: int) -> Writer | None:
    """Return the row that writes an operator of GSL, None if there is none for the opset."""
    row: Writer | None = _newest(WRITERS.get(name, []), opset)
    return row


def _insert(rows: list[tuple[int, Any]], since: int, row: Any) -> None:
    rows.append((since, row))
    rows.sort(key=lambda one: one[0])


def _newest(rows: list[tuple[int, Any]], opset: int) -> Any:
    return next((row for since, row in reversed(rows) if since <= opset), None)
