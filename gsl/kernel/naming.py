"""Names for the symbols of a statement, so that no two that meet are called alike."""

from __future__ import annotations

from collections.abc import Collection

from gsl.attr.term import Symbol
from gsl.kernel.domain import free_variables
from gsl.kernel.expression import Expression, Reduction, parts
from gsl.kernel.statement import Kernel, Statement


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

    Tensors, sizes and whatever is in `taken` come first, then indices on the left. Variables of
    reductions may share a name if neither reduction lies in the other.
    """
    used = {*taken, *kernel.shapes}
    names: dict[Symbol, str] = {}
    everywhere = list(kernel.sizes)
    if statement is not None:
        everywhere += [symbol for symbol, _ in statement.indices]
        everywhere += free_variables(statement.value)
    for symbol in dict.fromkeys(everywhere):
        names[symbol] = unused(symbol.name, used)
        used.add(names[symbol])
    for symbol, around in _meetings(statement.value).items() if statement is not None else ():
        met = {names[other] for other in around if other in names and other is not symbol}
        names[symbol] = unused(symbol.name, used | met)
    return names


def _meetings(value: Expression) -> dict[Symbol, set[Symbol]]:
    """Return for every bound symbol the others that are bound around it or with it, or inside."""
    found: dict[Symbol, set[Symbol]] = {}
    stack: list[tuple[Expression, frozenset[Symbol]]] = [(value, frozenset())]
    while stack:
        current, around = stack.pop()
        if isinstance(current, Reduction):
            around |= {symbol for symbol, _ in current.variables}
            for symbol, _ in current.variables:
                found.setdefault(symbol, set()).update(around)
            for symbol in around:
                found[symbol] |= around
        stack += [(part, around) for part in reversed(parts(current))]
    return found
