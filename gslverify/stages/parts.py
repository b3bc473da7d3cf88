"""Rules that together say what a rule says: what both of its sides do alike is left out.

Sides are compared from their outputs on. Two calls of one operator with the same attributes are
equal where their operands are (congruence), so these are compared instead. What is left are pairs
of a source and a target. Where every pair is a sound rule, under the conditions on its own
patterns, so is the whole: no structure of one pair needs to be tried with each of the others.
In a pair, a call that both sides have and whose operands nothing else uses is any tensor.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from gsl.attr.term import ANYTHING, Access, Constant, Term, subterms
from gsl.canonical import rule_hash
from gsl.operators import Operator
from gsl.pat import Alt, Call, Const, GetInst, Pattern, SameOperator, Variadic, Wildcard
from gsl.pat.pattern import TYPE_ATTRIBUTES
from gsl.subst import Subst
from gslverify.mutation.draft import Draft, mentioned, patterns_in
from gslverify.structures.sources.tuples import tuple_valued

Pair = tuple[Pattern, Pattern]

NO_STRUCTURE = frozenset({"dtype", "value"})
"""Attributes on which the structure of a match does not depend."""


@dataclass(slots=True)
class Part:
    """Outputs of a source and a target, and the patterns of the source that these need."""

    pairs: list[Pair]
    bound: frozenset[Pattern]
    needed: frozenset[Pattern]


def taken_apart(subst: Subst, keeping_related: bool = True) -> list[Subst] | None:
    """Return rules, each once, such that a rule is sound if all are; None if it is in one piece.

    What conditions relate stays together, or else is taken apart without these conditions. Rules of
    any number of outputs or fields are not taken apart.
    """
    patterns = (*subst.source_patterns, *subst.target_patterns)
    if any(isinstance(pattern, Variadic | GetInst) for pattern in patterns):
        return None
    for pairs in (_outputs(subst), _operands(subst)):
        parts = _joined(subst, pairs, [*_related(subst)] if keeping_related else [])
        if parts is not None and not _is_whole(subst, parts):
            made = [_draft(subst, part).build() for part in parts]
            return list({rule_hash(part): part for part in made}.values())
    return _of_tensors(subst, keeping_related)


def _is_whole(subst: Subst, parts: Sequence[Part]) -> bool:
    return len(parts) == 1 and {pair[0] for pair in parts[0].pairs} == subst.outputs


def _outputs(subst: Subst) -> list[Pair]:
    """Return the outputs in pairs, without what is one and the same."""
    pairs = dict.fromkeys(zip(subst.source, subst.target, strict=True))
    return [(source, target) for source, target in pairs if not _is_equal(source, target)]


def _operands(subst: Subst) -> list[Pair]:
    """Return what has to be equal for the outputs to be, where both sides do one thing with it."""
    left: dict[Pair, None] = {}
    stack = _outputs(subst)[::-1]
    while stack:
        pair = stack.pop()
        operands = _operands_to_compare(*pair)
        if not operands:
            left[pair] = None
        stack += [one for one in reversed(operands) if not _is_equal(*one)]
    return list(left)


def _operands_to_compare(source: Pattern, target: Pattern) -> list[Pair]:
    """Return pairs of operands that are equal if two calls are, as far as it seems.

    `f(f(x)) => f(x)` is true, and `f(x) => x` need not be.
    """
    if not is_same_call(source, target):
        return []
    pairs = list(zip(source.operands, target.operands, strict=True))
    if len(pairs) == 1 and not is_same_call(*pairs[0]):
        return []
    return pairs if all(_has_same_inputs(*pair) for pair in pairs) else []


def _has_same_inputs(source: Pattern, target: Pattern) -> bool:
    """Tell whether two patterns could be equal: what has other inputs is not."""
    both = (_below([one]) for one in (source, target))
    inputs, others = ({one for one in below if not one.operands} for below in both)
    return {one for one in others if not isinstance(one, Const)} <= inputs


def is_same_call(source: Pattern, target: Pattern) -> bool:
    """Tell whether two calls are of one operator, with the same attributes whatever these are."""
    if not (isinstance(source, Call) and isinstance(target, Call)):
        return False
    again = isinstance(target.callee, SameOperator) and target.callee.call is source
    if not again and not (isinstance(source.callee, Operator) and source.callee == target.callee):
        return False
    if len(source.operands) != len(target.operands):
        return False
    return all(_is_same_attribute(source, target, name) for name in _attributes(source))


def _attributes(call: Call) -> tuple[str, ...]:
    return tuple(name for name in call.attribute_names() if name not in TYPE_ATTRIBUTES)


def _is_same_attribute(source: Call, target: Call, name: str) -> bool:
    theirs, its = (call.constraints.get(name, ANYTHING) for call in (source, target))
    if its is ANYTHING:
        return target.attributes_of is source
    if isinstance(its, Access):
        return its.pattern is source and its.name == name
    if not (isinstance(its, Constant) and isinstance(theirs, Constant)):
        return False
    return type(its.value) is type(theirs.value) and bool(its.value == theirs.value)


def _reached(outputs: Iterable[Pattern], stops: frozenset[Pattern] = frozenset()) -> set[Pattern]:
    """Return the patterns that some are written with, but for those behind `stops`."""
    reached: set[Pattern] = set()
    stack = list(outputs)
    while stack:
        pattern = stack.pop()
        if pattern not in reached:
            reached.add(pattern)
            stack += () if pattern in stops else mentioned(pattern)
    return reached


def _below(outputs: Iterable[Pattern]) -> set[Pattern]:
    """Return the patterns that some consist of."""
    below: set[Pattern] = set()
    stack = list(outputs)
    while stack:
        pattern = stack.pop()
        if pattern not in below:
            below.add(pattern)
            stack += pattern.operands
    return below


def _joined(
    subst: Subst, pairs: Sequence[Pair], related: Sequence[frozenset[Pattern]]
) -> list[Part] | None:
    """Return pairs, together where one needs what the other binds; None where nothing binds it.

    Pairs with patterns that are `related` stay together, too.
    """
    source = frozenset(subst.source_patterns)
    parts = [
        Part([pair], frozenset(_below(pair[:1])), frozenset(_reached(pair) & source))
        for pair in pairs
    ]
    missing = (part.needed - part.bound | {part.pairs[0][0]} for part in tuple(parts))
    for patterns in (*related, *missing):
        touched = [part for part in parts if patterns & part.bound]
        if not any(patterns <= part.bound for part in touched):
            parts = [*(part for part in parts if part not in touched), *_together(touched)]
    return parts if all(part.needed <= part.bound for part in parts) else None


def _together(parts: Sequence[Part]) -> list[Part]:
    """Return one part instead of some, none for none."""
    bound, needed = frozenset[Pattern](), frozenset[Pattern]()
    pairs = [pair for part in parts for pair in part.pairs]
    bound = bound.union(*(part.bound for part in parts))
    return [Part(pairs, bound, needed.union(*(part.needed for part in parts)))] if parts else []


def _related(subst: Subst) -> Iterator[frozenset[Pattern]]:
    """Yield patterns of which a condition asks something together that is part of a structure."""
    for term in subst.where:
        accesses = [part for part in subterms(term) if isinstance(part, Access)]
        yield frozenset(one.pattern for one in accesses if one.name not in NO_STRUCTURE)


def _draft(subst: Subst, part: Part) -> Draft:
    draft = Draft.of(subst)
    draft.source = tuple(source for source, _ in part.pairs)
    draft.target = tuple(target for _, target in part.pairs)
    draft.where = tuple(term for term in subst.where if part.bound.issuperset(patterns_in(term)))
    return draft


def _of_tensors(subst: Subst, keeping_related: bool) -> list[Subst] | None:
    """Return the rule in which calls that both sides have are any tensors."""
    draft = Draft.of(subst)
    for calls, inner in _common_calls(subst, draft):
        where = [term for term in draft.where if not _goes_with(term, inner, keeping_related)]
        if _is_private(draft, calls, inner, where):
            draft.instead |= dict.fromkeys(calls, Wildcard())
            draft.where = tuple(where)
    return [draft.build()] if draft.instead else None


def _goes_with(condition: Term, patterns: frozenset[Pattern], keeping_related: bool) -> bool:
    """Tell whether a condition is left out with some patterns, as it asks something of them."""
    asked = frozenset(patterns_in(condition))
    return asked <= patterns if keeping_related else not asked.isdisjoint(patterns)


def _common_calls(subst: Subst, draft: Draft) -> list[tuple[list[Pattern], frozenset[Pattern]]]:
    """Return calls that both sides have, the largest first, with what they consist of."""
    in_source, in_target = _below(draft.source), _below(draft.target)
    excluded = {*draft.source, *tuple_valued(subst)}
    found = []
    for call in in_source - excluded:
        if not isinstance(call, Call):
            continue
        alike = [one for one in in_target if _is_equal(call, one)]
        below = _below([call])
        if alike and not any(isinstance(one, Alt) for one in below):
            calls = list(dict.fromkeys([call, *alike]))
            found.append((calls, frozenset(below | _below(alike))))
    return sorted(found, key=lambda one: -len(one[1]))


def _is_equal(source: Pattern, target: Pattern) -> bool:
    stack = [(source, target)]
    while stack:
        one, other = stack.pop()
        if one is other:
            continue
        if not is_same_call(one, other):
            return False
        stack += zip(one.operands, other.operands, strict=True)
    return True


def _is_private(
    draft: Draft, calls: Sequence[Pattern], inner: frozenset[Pattern], where: Sequence[Term]
) -> bool:
    """Tell whether the rest of a rule asks no more of some calls than which tensor they are."""
    stops = frozenset({*calls, *draft.instead})
    outer = _reached((*draft.source, *draft.target), stops)
    rest = {*outer, *(one for term in where for one in patterns_in(term))} - {*calls}
    terms = [*where, *(term for one in rest for term in one.terms())]
    accesses = [part for term in terms for part in subterms(term) if isinstance(part, Access)]
    of_calls = [one for one in accesses if one.pattern in calls]
    return rest.isdisjoint(inner) and all(one.name in TYPE_ATTRIBUTES for one in of_calls)
