"""Index equations solved: what some indices are, expressed by others, as places suggest.

A suggestion only: whoever uses it proves that it is right.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from gsl.attr.term import Operation, Symbol, subterms
from gslverify.prove.indices.forms import Forms
from gslverify.prove.indices.replacing import put
from gslverify.structures.arithmetic.polynomials import Poly, add, frozen, replaced

Pair = tuple[Any, Any]


def solutions(
    equations: Iterable[Pair], unknown: Iterable[Symbol], forms: Forms
) -> dict[Symbol, Any]:
    """Return terms for unknowns that linear equations determine one after the other.

    Quotients in which unknowns occur are determined like them, so that u // d = a and u % d = b,
    which is u - d (u // d), give u = a d + b.
    """
    wanted = set(unknown)
    pairs = [(a, b) for a, b in equations if forms.is_integer(a) and forms.is_integer(b)]
    pairs += [pair for one in pairs for pair in _of_branches(*one, wanted)]
    open_ones = [add(forms.poly(one), forms.poly(other), -1) for one, other in pairs]
    found: dict[Symbol, Any] = {}
    while wanted:
        step = _next(open_ones, wanted, forms)
        if step is None:
            break
        atom, value = step
        symbol = forms.atoms[atom]
        open_ones = [replaced(poly, atom, value) for poly in open_ones]
        if isinstance(symbol, Symbol):
            wanted.discard(symbol)
            place = {symbol: forms.term(value)}
            found = {s: put(t, place) for s, t in found.items()} | place
            open_ones = [forms.poly(put(forms.term(poly), place)) for poly in open_ones]
    return found


def _of_branches(one: Any, other: Any, wanted: Collection[Symbol]) -> Iterator[Pair]:
    """Yield what is equal if the branch of a choice is taken that an unknown is in.

    So a broadcast index `0 if size == 1 else i` suggests i, which is as good as any other for 1.
    """
    for side, rest in ((one, other), (other, one)):
        if isinstance(side, Operation) and side.head == "cond":
            for branch in side.operands[1:]:
                if any(part in wanted for part in subterms(branch)):
                    yield branch, rest


def _next(polys: Sequence[Poly], wanted: set[Symbol], forms: Forms) -> tuple[int, Poly] | None:
    """Return an atom that one of the equations determines, and its value."""
    for poly in polys:
        open_atoms = [a for mono, _ in poly for a in mono if forms.symbols_of(a) & wanted]
        if len(open_atoms) != 1:
            continue
        (atom,) = open_atoms
        number = dict(poly).get((atom,))
        if number in (1, -1) and _is_unknown(forms.atoms[atom]):
            return atom, frozen({m: -number * n for m, n in poly if m != (atom,)})
    return None


def _is_unknown(term: Any) -> bool:
    return isinstance(term, Symbol) or (isinstance(term, Operation) and term.head == "//")
