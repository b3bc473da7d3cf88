"""Index variables that are summed over, and the domains that their uses give them.

A variable takes the values from 0. Where it is an index of its own, the dimension there is its
extent. Otherwise it takes the values for which an index that it enters upwards stays inside,
whatever the other variables are: r < 3 for A<10>[i+r] with i < 8.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from gsl.attr.term import Symbol, Term, free_symbols, subterms
from gsl.errors import KernelError
from gsl.kernel.expression import Expression, Number, Read, Reduction, Select, parts, reads_of, walk
from gsl.kernel.terms import Bounds, Extents, alike, bounds, shown
from gsl.types import Int

MOST_VALUES = 1 << 31
"""A variable that could take more values has no domain."""

Shapes = Mapping[str, tuple[Int, ...]]


def free_variables(expression: Expression, bound: Collection[Symbol] = ()) -> list[Symbol]:
    """Return the symbols that an expression does not bind itself, in the order of their use."""
    found: dict[Symbol, None] = {}
    stack = [(expression, frozenset(bound))]
    while stack:
        current, inside = stack.pop()
        for term in _terms(current):
            used = (part for part in subterms(term) if isinstance(part, Symbol))
            found |= dict.fromkeys(symbol for symbol in used if symbol not in inside)
        if isinstance(current, Reduction):
            inside |= {symbol for symbol, _ in current.variables}
        stack += [(part, inside) for part in reversed(parts(current))]
    return list(found)


def _terms(expression: Expression) -> Iterator[Term]:
    match expression:
        case Number(value=value):
            terms: tuple[Int, ...] = (value,)
        case Read(indices=indices):
            terms = indices
        case Select(condition=condition):
            terms = (condition,)
        case Reduction(variables=variables):
            terms = tuple(extent for _, extent in variables)
        case _:
            terms = ()
    return (term for term in terms if isinstance(term, Term))


def domains(
    expression: Expression, variables: Collection[Symbol], shapes: Shapes, known: Extents
) -> dict[Symbol, Int]:
    """Return the extents of variables, in their order, by how an additive term uses them.

    Raises KernelError for a variable without a domain, or with two; `known` are the extents of the
    variables around.
    """
    reads = reads_of(expression)
    inner = [part for part in walk(expression) if isinstance(part, Reduction)]
    extents = dict(known) | {s: extent for one in inner for s, extent in one.variables}
    for variable in variables:
        extents |= _own_index(variable, reads, shapes)
    while open_ones := [variable for variable in variables if variable not in extents]:
        found = {v: e for v in open_ones if (e := _room(v, reads, shapes, extents)) is not None}
        if not found:
            raise NoDomainError(open_ones[0])
        extents |= found
    return {variable: extents[variable] for variable in variables}


class NoDomainError(KernelError):
    """The uses of an index variable do not say which values it takes."""

    def __init__(self, variable: Symbol, reason: str = "") -> None:
        name = variable.name
        cure = f"use it as an index of its own, or write sum<{name}:8>(...)"
        super().__init__(reason or f"index variable `{name}` has no domain; {cure}")
        self.variable = variable


def _own_index(variable: Symbol, reads: list[Read], shapes: Shapes) -> dict[Symbol, Int]:
    found: dict[Symbol, Int] = {}
    first = ""
    for read in reads:
        for index, dim in zip(read.indices, shapes[read.tensor], strict=True):
            if index is not variable:
                continue
            if variable in found and not alike(found[variable], dim):
                name, cure = variable.name, "write the sum out"
                dims = shown(found[variable]), shown(dim)
                uses = f"{dims[0]} for `{first}` and {dims[1]} for `{read.tensor}`"
                reason = f"dimension mismatch: `{name}` takes {uses}; {cure}, as sum<{name}:8>(...)"
                raise NoDomainError(variable, reason)
            found, first = {variable: dim}, first or read.tensor
    return found


def _room(variable: Symbol, reads: list[Read], shapes: Shapes, known: Extents) -> int | None:
    rooms = [
        room
        for read in reads
        for index, dim in zip(read.indices, shapes[read.tensor], strict=True)
        if isinstance(index, Term) and isinstance(dim, int) and variable in free_symbols(index)
        if (room := _room_in(variable, index, dim, known)) is not None
    ]
    return min(rooms, default=None)


def _room_in(variable: Symbol, index: Term, dim: int, known: Extents) -> int | None:
    """Return how many values of a variable keep an index inside, if that is a matter of these."""

    def reach(extent: int) -> Bounds | None:
        return bounds(index, {**known, variable: extent})

    def fits(extent: int) -> bool:
        found = reach(extent)
        return found is not None and found[0] >= 0 and found[1] < dim

    low, high = 1, 2
    if not fits(low):
        return None
    while fits(high):
        low, high = high, 2 * high
        if high > MOST_VALUES:
            return None
    far, is_alone = reach(high), free_symbols(index) == {variable}
    if far is None or (far[0] < 0 and not is_alone):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low
