"""The conditions of a rule (`where`), and which of them more fields cannot satisfy any more."""

from __future__ import annotations

import operator
from collections.abc import Iterable

from gsl.attr.evaluate import evaluate
from gsl.attr.term import (
    Access,
    Constant,
    Operation,
    Reduce,
    Symbol,
    Term,
    Value,
    children,
    free_symbols,
    subterms,
)
from gsl.errors import EvaluationError
from gsl.graph import reverse_post_order
from gsl.match.bindings import Mismatch, Scope
from gsl.pat import GetInst, Pattern, Variadic
from gsl.subst import Subst


def violated(conditions: Iterable[Term], scope: Scope) -> Mismatch | None:
    """Return the first of the conditions of a rule that does not hold."""
    for term in conditions:
        try:
            if evaluate(term, scope) is not True:
                return Mismatch("a condition of the rule does not hold", term=term)
        except EvaluationError as error:
            return Mismatch(f"a condition of the rule has no value: {error}", term=term)
    return None


def hopeless(term: Term, variadic: Variadic, scope: Scope, more: float) -> bool:
    """Tell whether a condition fails, and still fails after up to `more` fields are added.

    Decides conditions that do not speak about `variadic`, bounds on its length, demands on each of
    its fields, and what `&` and `|` make of these. Of others it says that there is hope.
    """
    if isinstance(term, Operation) and term.head in ("and", "or"):
        quantifier = any if term.head == "and" else all
        return quantifier(hopeless(part, variadic, scope, more) for part in term.operands)
    try:
        if isinstance(term, Operation) and len(term.operands) == 2:
            bounded = _bounded(term, variadic)
            if bounded is not None:
                return not _reachable(*bounded, scope, more)
        return _only_shrinks(term, variadic) and evaluate(term, scope) is not True
    except EvaluationError:
        return False


def fields_are_numbered(rule: Subst, variadic: Variadic) -> bool:
    """Tell whether it matters which output of a variadic source is which field."""
    inside = reverse_post_order([variadic.field])
    return any(
        variadic.symbol in free_symbols(term) for pattern in inside for term in pattern.terms()
    ) or any(_numbers(term, variadic) for term in rule.where)


def _numbers(term: Term, variadic: Variadic) -> bool:
    """Tell whether a condition speaks about fields otherwise than about all of them alike.

    Reductions over all fields do not, unless they use the number of a field as a value.
    """
    parts = [*subterms(term)]
    over_all = {
        part.symbol
        for part in parts
        if isinstance(part, Reduce)
        and isinstance(part.length, Access)
        and part.length.pattern is variadic
    }
    values = {child for part in parts if not isinstance(part, Access) for child in children(part)}
    fields = [p for p in _about(term, variadic) if isinstance(p, GetInst)]
    return any(p.index_term not in over_all - values for p in fields)


_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "=="}
_COMPARE = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def _bounded(term: Operation, variadic: Variadic) -> tuple[str, Term, Term] | None:
    """Read a comparison as a bound on the length of `variadic`: its head, the length, the bound."""
    head, (left, right) = term.head, term.operands
    if head not in _MIRRORED:
        return None
    if _is_length(right, variadic):
        head, left, right = _MIRRORED[head], right, left
    return (
        (head, left, right) if _is_length(left, variadic) and not _about(right, variadic) else None
    )


def _reachable(head: str, length: Term, bound: Term, scope: Scope, more: float) -> Value:
    least, limit = evaluate(length, scope), evaluate(bound, scope)
    if not isinstance(limit, int | float):
        return True
    if head == "==":
        return least <= limit <= least + more
    return _COMPARE[head](least if head in ("<", "<=") else least + more, limit)


def _only_shrinks(term: Term, variadic: Variadic) -> bool:
    """Tell whether more fields can only make the condition false."""
    if isinstance(term, Reduce) and term.head == "and" and _is_length(term.length, variadic):
        return all(_is_field(part, term.symbol) for part in _about(term.body, variadic))
    return not _about(term, variadic)


def _is_length(term: Term, variadic: Variadic) -> bool:
    if isinstance(term, Operation) and term.head == "-" and isinstance(term.operands[1], Constant):
        return _is_length(term.operands[0], variadic)
    return isinstance(term, Access) and term.pattern is variadic


def _about(term: Term, variadic: Variadic) -> list[Pattern]:
    """Return the patterns in `term` that are `variadic` or one of its fields."""
    patterns = [part.pattern for part in subterms(term) if isinstance(part, Access)]
    return [p for p in patterns if p is variadic or _belongs(p, variadic)]


def _belongs(pattern: Pattern, variadic: Variadic) -> bool:
    return isinstance(pattern, GetInst) and pattern.variadic is variadic


def _is_field(pattern: Pattern, symbol: Symbol) -> bool:
    return isinstance(pattern, GetInst) and pattern.index_term is symbol
