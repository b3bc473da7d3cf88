"""What index terms are: their bounds, their structure, and what becomes of them elsewhere."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from gsl.attr.evaluate import PYTHON
from gsl.attr.term import Constant, Operation, Symbol, Term, bottom_up
from gsl.errors import EvaluationError, KernelError
from gsl.types import Int

Extents = Mapping[Symbol, Int]
"""How many values a symbol takes, from 0; a symbol that is not among them is not known."""

Bounds = tuple[int, int]
"""The least and the largest value."""


def substitute(term: Int, values: Mapping[Symbol, Int]) -> Int:
    """Return a term with other values for its symbols; arithmetic on ints is done at once."""
    if not isinstance(term, Term):
        return term
    known: dict[Term, Int] = {}
    for part in bottom_up(term):
        match part:
            case Constant(value=value):
                known[part] = value
            case Symbol():
                known[part] = values.get(part, part)
            case Operation(head=head, operands=operands) if head in PYTHON:
                try:
                    known[part] = PYTHON[head](*(known[operand] for operand in operands))
                except EvaluationError as error:
                    raise KernelError("an index divides by zero") from error
            case _:
                raise KernelError(f"{part!r} is no index arithmetic")
    return known[term]


def structure(term: Int) -> Hashable:
    """Return a key that two terms share if and only if they are written alike."""
    if isinstance(term, Symbol):
        return ("symbol", id(term))
    if not isinstance(term, Term):
        return int(term)
    known: dict[Term, Hashable] = {}
    for part in bottom_up(term):
        match part:
            case Constant(value=value):
                known[part] = value
            case Operation(head=head, operands=operands):
                known[part] = (head, *(known[operand] for operand in operands))
            case _:
                known[part] = ("symbol", id(part))
    return known[term]


def alike(left: Int, right: Int) -> bool:
    """Tell whether two terms are written alike, so that they have the same value."""
    return structure(left) == structure(right)


def bounds(term: Int, extents: Extents) -> Bounds | None:
    """Return bounds of a term by interval arithmetic, or None when they are not known."""
    if not isinstance(term, Term):
        return (int(term), int(term))
    known: dict[Term, Bounds | None] = {}
    for part in bottom_up(term):
        match part:
            case Constant(value=int(value)):
                known[part] = (value, value)
            case Symbol():
                extent = extents.get(part)
                known[part] = (0, max(0, extent - 1)) if isinstance(extent, int) else None
            case Operation(head=head, operands=operands):
                known[part] = _combined(head, [known[operand] for operand in operands])
            case _:
                known[part] = None
    return known[term]


def _combined(head: str, operands: list[Bounds | None]) -> Bounds | None:
    if head == "%":
        return _remainder(operands[0], operands[1])
    if any(operand is None for operand in operands):
        return None
    first, *others = [operand for operand in operands if operand is not None]
    if head == "neg":
        return (-first[1], -first[0])
    second = others[0] if others else first
    if head == "+":
        return (first[0] + second[0], first[1] + second[1])
    if head == "-":
        return (first[0] - second[1], first[1] - second[0])
    if head in ("*", "//", "min", "max") and (head != "//" or second[0] > 0):
        corners = [PYTHON[head](a, b) for a in first for b in second]
        return (min(corners), max(corners))
    return None


def _remainder(dividend: Bounds | None, divisor: Bounds | None) -> Bounds | None:
    if divisor is None or divisor[0] <= 0:
        return None
    if dividend is not None and dividend[0] >= 0 and dividend[1] < divisor[0]:
        return dividend
    return (0, divisor[1] - 1)


def shown(term: Int) -> str:
    """Return a term as text for messages, with the names that its symbols have."""
    if not isinstance(term, Term):
        return str(term)
    known: dict[Term, str] = {}
    for part in bottom_up(term):
        match part:
            case Constant(value=value):
                known[part] = str(value)
            case Symbol(name=name):
                known[part] = name
            case Operation(head=head, operands=(left, right)):
                known[part] = f"{known[left]} {head} {known[right]}"
            case Operation(head=head, operands=operands):
                known[part] = f"{head}({', '.join(known[operand] for operand in operands)})"
            case _:
                known[part] = repr(part)
    return known[term]


def lies_in(index: Int, dim: Int, extents: Extents) -> bool:
    """Tell whether an index is certain to be at least 0 and less than `dim`."""
    if isinstance(index, Symbol) and index in extents and alike(extents[index], dim):
        return True
    found = bounds(index, extents)
    return found is not None and isinstance(dim, int) and found[0] >= 0 and found[1] < dim
