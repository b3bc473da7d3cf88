"""Which symbols of an instance are defined by others, and what the rest may be.

Most constraints of rules are definitions: one size equals another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from gsl.attr.conjuncts import conjuncts
from gsl.attr.term import ANYTHING, Constant, Operation, Symbol, Term, subterms

Definitions = dict[Symbol, Term]
"""What symbols equal; following definitions leads to no symbol again."""
Options = dict[Symbol, tuple[Any, ...]]
"""What symbols may be, where claims list it."""


def read_definitions(claims: Iterable[Term]) -> tuple[Definitions, Options, list[Term]]:
    """Return definitions, options, and the conditions beside the definitions."""
    definitions: Definitions = {}
    options: Options = {}
    conditions: list[Term] = []
    for claim in claims:
        for conjunct in conjuncts(claim):
            if not _define(conjunct, definitions, options):
                conditions.append(conjunct)
    for symbol, term in definitions.items():
        _narrow(symbol, term, definitions, options)
    return definitions, options, conditions


def _define(claim: Term, definitions: Definitions, options: Options) -> bool:
    """Note what a claim says about a symbol; tell whether it is the definition of one."""
    match claim:
        case Operation(head="in", operands=(Symbol() as item, Constant(value=listed))):
            known: tuple[Any, ...] = options.get(item, tuple(listed))
            options[item] = tuple(option for option in known if option in listed)
        case Operation(head="==", operands=(left, right)):
            for symbol, term in ((left, right), (right, left)):
                if not isinstance(symbol, Symbol) or symbol in definitions:
                    continue
                if symbol not in reachable(term, definitions):
                    definitions[symbol] = term
                    return True
    return False


def reachable(term: Term, definitions: Mapping[Symbol, Term]) -> dict[Symbol, None]:
    """Return the symbols that a term depends on, those that others of them define included."""
    reached: dict[Symbol, None] = {}
    stack = [term]
    while stack:
        for part in subterms(stack.pop()):
            if isinstance(part, Symbol) and part not in reached:
                reached[part] = None
                if part in definitions:
                    stack.append(definitions[part])
    return reached


def _narrow(symbol: Symbol, term: Term, definitions: Definitions, options: Options) -> None:
    """What a symbol may be restricts the symbol that it is defined to equal."""
    allowed = options.get(symbol)
    while isinstance(term, Symbol) and allowed is not None:
        known = options.get(term, allowed)
        allowed = options[term] = tuple(o for o in known if o in allowed)
        term = definitions.get(term, ANYTHING)


def in_order(definitions: Definitions) -> Iterator[Symbol]:
    """Yield the symbols that are defined, each after those that its definition needs."""
    done: set[Symbol] = set()
    stack = list(reversed(definitions))
    while stack:
        symbol = stack[-1]
        below = [
            part
            for part in subterms(definitions[symbol])
            if isinstance(part, Symbol) and part in definitions and part not in done
        ]
        if below and symbol not in done:
            stack.extend(below)
            continue
        stack.pop()
        if symbol not in done:
            done.add(symbol)
            yield symbol
