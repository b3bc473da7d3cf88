"""Names for the symbols of a statement, so that no two that can be confused are called alike."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from gsl.attr.term import Symbol
from gsl.kernel.domain import free_variables
from gsl.kernel.expression import Expression, Reduction, walk
from gsl.kernel.statement import Kernel, Statement


def symbols_of(value: Expression) -> Iterator[Symbol]:
    """Yield all symbols of an expression, those that are bound inside last."""
    yield from free_variables(value)
    for part in walk(value):
        if isinstance(part, Reduction):
            yield from (symbol for symbol, _ in part.variables)


def unused(name: str, taken: Collection[str]) -> str:
    """Return `name`, or with a number behind it if that is taken."""
    number, found = 1, name
    while found in taken:
        found, number = f"{name}{number}", number + 1
    return found


def name_symbols(
    kernel: Kernel, statement: Statement | None, taken: Collection[str] = ()
) -> dict[Symbol, str]:
    """Return a name for every size and symbol of a statement: its own, unless that is taken.

    Tensors, sizes and whatever is in `taken` come first, and indices on the left before others.
    """
    used = {*taken, *kernel.shapes}
    names: dict[Symbol, str] = {}
    symbols = list(kernel.sizes)
    if statement is not None:
        symbols += [symbol for symbol, _ in statement.indices]
        symbols += symbols_of(statement.value)
    for symbol in symbols:
        if symbol not in names:
            names[symbol] = unused(symbol.name, used)
            used.add(names[symbol])
    return names
