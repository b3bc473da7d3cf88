"""Rules that say the same: compared after everything that makes no difference is removed."""

from __future__ import annotations

from collections.abc import Mapping

from gsl.attr.term import Access, Constant, Operation, Term, subterms
from gsl.canonical import statement
from gsl.check.finding import target_only
from gsl.operators import Operator
from gsl.pat import Call, GetInst, Pattern
from gsl.subst import Subst
from gsl.text.terms import pattern_text, term_text
from gslverify.mutation.draft import Draft, replaced
from gslverify.mutation.structure import COMMUTATIVE

Form = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]


def normal_form(subst: Subst) -> Form:
    """Return source, target and conditions as text in which equal meanings look equal.

    Operands of commutative operators are sorted, equal nodes are one, attributes that the source
    equates are those of the node matched first, and what has its default is left out. Rules with
    one normal form say the same; some that say the same have several.
    """
    plain = _without_detours(subst)
    names = {pattern: f"p{number}" for number, pattern in enumerate(plain.source_patterns)}
    source = tuple(f"{name} = {statement(p, names)}" for p, name in names.items())
    known = {_matched_text(p, names): name for p, name in names.items() if isinstance(p, Call)}
    for pattern in target_only(plain):
        text = _target_text(pattern, names)
        names[pattern] = known.get(text, text)
    outputs = tuple(names[output] for output in (*plain.source, *plain.target))
    conditions = {_condition_text(condition, names) for condition in plain.where}
    aliases = ("aliases",) if plain.aliases else ()
    return (source, outputs, (*aliases, *sorted(conditions)))


def _condition_text(condition: Term, names: Mapping[Pattern, str]) -> str:
    """Return the text of a condition; it is the same whichever side of an equation comes first."""
    match condition:
        case Operation(head="==" | "!=" as head, operands=operands):
            return f" {head} ".join(sorted(term_text(operand, names) for operand in operands))
        case _:
            return term_text(condition, names)


def _target_text(pattern: Pattern, names: Mapping[Pattern, str]) -> str:
    if not isinstance(pattern, Call) or not isinstance(pattern.callee, Operator):
        return f"({statement(pattern, names)})"
    return _call_text(pattern, pattern.callee, pattern.constraints, names)


def _matched_text(call: Call, names: Mapping[Pattern, str]) -> str:
    """Return the text of a target that would compute once more what a call has matched."""
    if not isinstance(call.callee, Operator):
        return ""
    attributes = {name: _origin_of(Access(call, name)) for name in call.callee.attributes}
    return _call_text(call, call.callee, attributes, names)


def _call_text(
    call: Call, operator: Operator, attributes: Mapping[str, Term], names: Mapping[Pattern, str]
) -> str:
    operands = [pattern_text(operand, names) for operand in call.operands]
    if operator.name in COMMUTATIVE:
        operands.sort()
    written = sorted(
        f"{name}={term_text(term, names)}"
        for name, term in attributes.items()
        if not _is_default(operator, name, term)
    )
    return f"{operator}({', '.join([*operands, *written])})"


def _is_default(operator: Operator, name: str, term: Term) -> bool:
    if not isinstance(term, Constant):
        return False
    default = operator.attributes[name].default
    return type(default) is type(term.value) and bool(default == term.value)


def _without_detours(subst: Subst) -> Subst:
    """Return the rule with every attribute taken from where the source first has it."""
    draft = Draft.of(subst)
    for pattern in target_only(subst):
        for name, term in pattern.constraints.items():
            draft.constrain(pattern, name, _direct(term))
    draft.where = tuple(map(_direct, subst.where))
    return draft.build()


def _direct(term: Term) -> Term:
    known: dict[Term, Term] = {}
    for part in subterms(term):
        if isinstance(part, Access):
            known[part] = _origin_of(part)
    return replaced(term, known)


def _origin_of(access: Access) -> Term:
    """Follow constraints "equal to that attribute" to their end, or to a constant."""
    current = access
    while not isinstance(current.pattern, GetInst):
        term = current.pattern.constraints.get(current.name)
        if isinstance(term, Constant):
            return term
        if not isinstance(term, Access):
            return current
        current = term
    return current
