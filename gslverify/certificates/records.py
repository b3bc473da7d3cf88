"""Certificates as plain records, to be written as JSON and read again.

Atoms are called by their numbers, and beside each step stands what the numbers mean as text. The
checker compares the text with what it sees itself, so a record that was edited is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from gsl.attr.term import Symbol
from gslverify.certificates.checker import Step
from gslverify.certificates.places import RefusedError
from gslverify.certificates.ring import Atom, Sum

Record = dict[str, Any]


class Symbols:
    """The symbols of a scenario by their places in the order of its claims."""

    def __init__(self, symbols: Sequence[Symbol]) -> None:
        self.symbols = list(symbols)
        self.places: Mapping[Symbol, int] = {s: n for n, s in enumerate(self.symbols)}

    def written(self, symbol: Symbol) -> Record:
        """Return a symbol as a record; raise RefusedError where no claim has it."""
        if symbol not in self.places:
            raise RefusedError(f"no claim says anything about {symbol.name}")
        return {"symbol": self.places[symbol], "name": symbol.name}

    def read(self, record: Record) -> Symbol:
        """Return the symbol of a record."""
        found = self.symbols[record["symbol"]]
        if found.name != record["name"]:
            raise RefusedError(f"{record['name']} is called {found.name}")
        return found


def written_step(step: Step, symbols: Symbols, place: str, value: str) -> Record:
    """Return a step as a record, with texts of where it is and of what it leads to."""
    record: Record = {"law": step.law, "atom": step.atom, "place": place}
    if step.law:
        record |= {"value": written_sum(step.value), "becomes": value}
    if step.claims:
        record["claims"] = list(step.claims)
    if step.fresh:
        record["fresh"] = [_written_atom(atom, symbols) for atom in step.fresh]
    return record


def read_step(record: Record, symbols: Symbols) -> Step:
    """Return the step of a record; raise RefusedError where it is none."""
    try:
        fresh = tuple(_read_atom(atom, symbols) for atom in record.get("fresh", ()))
        value, claims = read_sum(record.get("value", [])), tuple(record.get("claims", ()))
        return Step(int(record["atom"]), str(record["law"]), value, claims, fresh)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise RefusedError(f"a step cannot be read: {error}") from error


def written_sum(value: Sum) -> list[Any]:
    """Return a sum as lists of numbers."""
    return [
        [number if isinstance(number, int) else str(number), [list(pair) for pair in mono]]
        for mono, number in sorted(value, key=lambda pair: pair[0])
    ]


def read_sum(record: Any) -> Sum:
    """Return the sum that lists of numbers stand for."""
    return frozenset(
        (
            tuple((int(atom), int(power)) for atom, power in mono),
            number if isinstance(number, int) else Fraction(number),
        )
        for number, mono in record
    )


def _written_atom(atom: Atom, symbols: Symbols) -> list[Any]:
    head, what, arguments = atom
    kept: Any = what
    if isinstance(what, Symbol):
        kept = symbols.written(what)
    elif isinstance(what, tuple):
        kept = {"names": list(what)}
    return [head, kept, [written_sum(one) for one in arguments]]


def _read_atom(record: Any, symbols: Symbols) -> Atom:
    head, what, arguments = record
    if isinstance(what, dict):
        what = symbols.read(what) if "symbol" in what else tuple(what["names"])
    return head, what, tuple(read_sum(one) for one in arguments)
