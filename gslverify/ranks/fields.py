"""Whether what is proved for up to four fields holds for any number of them.

Fields are *independent* where all outputs of a rule are the fields of one variadic pattern, each
with a target of its own, made of what is in the same field, in some fields with a number that is
written down, and of what all fields share. If such a rule fails on a graph, one field fails. Any
other fields may be left out of the graph, but for those with such numbers and as many as a match
needs at least: the rule matches what is left, and its target for the field that fails is the same.
So a graph with few fields fails as well.
"""

from __future__ import annotations

from collections.abc import Iterator

from gsl.attr.conjuncts import conjuncts
from gsl.attr.term import ANYTHING, Access, Constant, Reduce, Symbol, Term, children
from gsl.pat import GetInst, Pattern, Variadic
from gsl.subst import Subst
from gslverify.ranks.kinds import UnlikeError
from gslverify.structures.instance import USUAL


def reason_against_all_lengths(subst: Subst) -> str:
    """Return why a proof for the usual lengths may not hold for longer ones; empty if it does."""
    try:
        needed = _fields_needed(subst)
    except UnlikeError as error:
        return str(error)
    most = USUAL.most_fields
    return "" if needed <= most else f"{needed} fields may matter, and {most} are tried"


def _fields_needed(subst: Subst) -> int:
    """Return how many fields are enough to show a failure; raise UnlikeError if that is open."""
    source, target = subst.variadic, subst.target[0]
    every = {*subst.source_patterns, *subst.target_patterns}
    variadic = {pattern for pattern in every if isinstance(pattern, Variadic)}
    if source is None or not isinstance(target, Variadic):
        raise UnlikeError("the fields of a tuple make one result")
    if not variadic <= {source, target}:
        raise UnlikeError("the fields of several tuples belong together")
    if subst.aliases:
        raise UnlikeError("two inputs may be one tensor")
    numbers = [0] if source.first or target.first else []
    numbers += _numbers(_written(subst, source, target), source)
    return max(source.minimum, max(numbers, default=-1) + 2)


def _written(
    subst: Subst, source: Variadic, target: Variadic
) -> Iterator[tuple[Pattern | Term, Symbol | None]]:
    """Yield terms and instances, each with the symbol that is the number of the field there."""
    yield from ((term, None) for one in subst.source_patterns for term in one.terms())
    for pattern in subst.target_patterns:
        if isinstance(pattern, GetInst):
            yield pattern, target.symbol
        elif pattern is not target or not _is_length_of(source, target.size):
            yield from ((term, target.symbol) for term in pattern.terms())
    for part in (part for condition in subst.where for part in conjuncts(condition)):
        if isinstance(part, Reduce) and part.head == "and" and _is_length_of(source, part.length):
            yield part.body, part.symbol
        else:
            yield part, None


def _is_length_of(variadic: Variadic, term: Term) -> bool:
    return isinstance(term, Access) and term.pattern is variadic and term.name == "length"


def _numbers(
    written: Iterator[tuple[Pattern | Term, Symbol | None]], source: Variadic
) -> Iterator[int]:
    """Yield the numbers of fields that are written down."""
    for start, own in written:
        stack: list[Pattern | Term] = [start]
        while stack:
            part = stack.pop()
            match part:
                case GetInst(variadic=variadic, template=template, index_term=index):
                    if variadic is not source or isinstance(template, GetInst):
                        raise UnlikeError("the fields of several tuples belong together")
                    yield from _number(index, own)
                case Access(pattern=GetInst() as instance):
                    stack.append(instance)
                case Access(pattern=Variadic()):
                    raise UnlikeError("the rule asks how many fields there are")
                case Symbol() if part is own or part is source.symbol:
                    raise UnlikeError("the rule asks for the number of a field")
                case Term() if part is not ANYTHING:
                    stack += children(part)


def _number(index: Term, own: Symbol | None) -> Iterator[int]:
    match index:
        case Constant(value=int() as number) if number >= 0:
            yield number
        case Symbol() if index is own:
            return
        case _:
            raise UnlikeError("a field depends on others")
