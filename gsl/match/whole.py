"""What concerns a match as a whole: its outputs, its borders, cycles and conditions.

Thesis, definition "graph substitution", condition 4, and what several outputs add to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gsl.attr.evaluate import evaluate
from gsl.attr.term import Access, Constant, Operation, Reduce, Symbol, Term, subterms
from gsl.errors import EvaluationError
from gsl.graph import Node
from gsl.match.bindings import Bindings, Frame, Key, Mismatch, Scope
from gsl.pat import INPUTS, GetInst, Pattern, Variadic
from gsl.subst import Subst

OUTSIDE = "inside the match, but used outside of it"

Taken = dict[Node, Key]
"""The pattern instance that has matched a node."""


def output_nodes(subst: Subst, bindings: Bindings) -> dict[Node, None]:
    """Return the nodes of the outputs of a match, in the order of the outputs."""
    variadic = subst.variadic
    if variadic is None:
        places = [(pattern, Scope(bindings)) for pattern in subst.source]
    else:
        fields = range(bindings.lengths[(variadic, ())])
        scopes = [Scope(bindings, Frame(variadic, index)) for index in fields]
        places = [(variadic.field, scope) for scope in scopes]
    return {bindings.nodes[bindings.locate(*place)]: None for place in places}


def escaping(nodes: Iterable[Node], taken: Taken, outputs: Iterable[Node]) -> Iterator[Mismatch]:
    """Yield a mismatch for every interior node that something outside of the match uses.

    Outside is what no pattern has matched, what only an input pattern has, and the workload.
    """
    exempt = set(outputs)
    for node in nodes:
        key = taken[node]
        if isinstance(key[0], INPUTS) or node in exempt:
            continue
        if node.output_count or any(_is_outside(user, taken) for user in node.users):
            yield Mismatch(OUTSIDE, key[0], node.expr)


def _is_outside(user: Node, taken: Taken) -> bool:
    key = taken.get(user)
    return key is None or isinstance(key[0], INPUTS)


def cycle(taken: Taken, outputs: Iterable[Node]) -> Mismatch | None:
    """Decline when an input depends on an output: replacing both would close a cycle."""
    tops = set(outputs)
    if len(tops) < 2:
        return None
    lowest = min(node.level for node in tops)
    stack = [node for node, key in taken.items() if isinstance(key[0], INPUTS)]
    seen = set[Node]()
    while stack:
        node = stack.pop()
        if node in tops:
            return Mismatch("an input depends on an output of the match", None, node.expr)
        if node not in seen and node.level > lowest:
            seen.add(node)
            stack.extend(node.operands)
    return None


def violated(conditions: Iterable[Term], scope: Scope) -> Mismatch | None:
    """Return the first of the conditions of a rule that does not hold."""
    for term in conditions:
        try:
            if evaluate(term, scope) is not True:
                return Mismatch("a condition of the rule does not hold", term=term)
        except EvaluationError as error:
            return Mismatch(f"a condition of the rule has no value: {error}", term=term)
    return None


def hopeless(term: Term, variadic: Variadic, scope: Scope) -> bool:
    """Tell whether a condition fails and will still fail with more fields in `variadic`.

    Answers False when that cannot be told from the form of the condition.
    """
    if isinstance(term, Operation) and term.head in ("and", "or"):
        choose = any if term.head == "and" else all
        return choose(hopeless(part, variadic, scope) for part in term.operands)
    bound = _bound_on_length(term, variadic)
    if bound is None and _grows(term, variadic):
        return False
    try:
        return evaluate(term if bound is None else bound, scope) is not True
    except EvaluationError:
        return False


def _bound_on_length(term: Term, variadic: Variadic) -> Term | None:
    """Return the upper bound that a comparison puts on the length of `variadic`."""
    if not isinstance(term, Operation) or len(term.operands) != 2:
        return None
    left, right = term.operands
    if term.head in ("<", "<=") and _is_length(left, variadic):
        return None if _mentions(right, variadic) else term
    if term.head in (">", ">=") and _is_length(right, variadic):
        return None if _mentions(left, variadic) else term
    if term.head == "==" and _is_length(left, variadic) and not _mentions(right, variadic):
        return left <= right
    return None


def _grows(term: Term, variadic: Variadic) -> bool:
    """Tell whether more fields could make a failing condition hold."""
    if isinstance(term, Reduce) and term.head == "and" and _is_length(term.length, variadic):
        fields = [access.pattern for access in _accesses(term.body, variadic)]
        return any(not _is_field(field, term.symbol) for field in fields)
    return _mentions(term, variadic)


def _is_field(pattern: Pattern, symbol: Symbol) -> bool:
    return isinstance(pattern, GetInst) and pattern.index_term is symbol


def _is_length(term: Term, variadic: Variadic) -> bool:
    if isinstance(term, Operation) and term.head == "-" and isinstance(term.operands[1], Constant):
        return _is_length(term.operands[0], variadic)
    return isinstance(term, Access) and term.pattern is variadic


def _mentions(term: Term, variadic: Variadic) -> bool:
    return bool(_accesses(term, variadic))


def _accesses(term: Term, variadic: Variadic) -> list[Access]:
    """Return the accesses in `term` to `variadic` and to its fields."""
    return [
        part
        for part in subterms(term)
        if isinstance(part, Access)
        and (
            part.pattern is variadic
            or (isinstance(part.pattern, GetInst) and part.pattern.variadic is variadic)
        )
    ]
