"""Whether a contradiction only comes from sizes that are taken to be at least 1."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from gsl.attr.conjuncts import rebuilt
from gsl.attr.term import Symbol, Term, free_symbols
from gslverify.semantics.solver import Answer, Solver, new_context
from gslverify.semantics.terms import UntranslatableError
from gslverify.structures.instance import Instance
from gslverify.structures.source_builder import SIZES_ARE_POSITIVE


def may_be_empty(instances: Iterable[Instance], limit: int) -> bool:
    """Return whether some instance may have a solution when sizes are allowed to be 0.

    Also true when the solver, of which `limit` is the resource limit, cannot tell.
    """
    context = new_context()
    for instance in instances:
        claims = [c.term for c in instance.claims if c.reason != SIZES_ARE_POSITIVE]
        try:
            answer = Solver(list(_lowered(claims)), limit, context).check().answer
        except UntranslatableError:
            return True
        if answer is not Answer.UNSAT:
            return True
    return False


def _lowered(claims: list[Term]) -> Iterable[Term]:
    """Yield claims over sizes that may be 0, and may not be negative."""
    sizes = {symbol for claim in claims for symbol in free_symbols(claim) if _is_size(symbol)}
    others = {size: replace(size, low=0) for size in sizes}
    for claim in claims:
        yield rebuilt(claim, lambda part: others.get(part) if isinstance(part, Symbol) else None)


def _is_size(symbol: Symbol) -> bool:
    return ".shape[" in symbol.name and symbol.low == 1
