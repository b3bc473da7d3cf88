"""Rules as text that only their meaning decides, whatever their author called things."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from gsl.pat import Call, Cond, Const, GetInst, Pattern, SameOperator, Variadic
from gsl.subst import Subst
from gsl.text.terms import Names, pattern_text, term_text


def rule_hash(subst: Subst) -> str:
    """Return "sha256:..." of the meaning of a rule.

    It survives new names, comments and formatting, and changes with whatever the rule says.
    """
    text = "\n".join(canonical_lines(subst))
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def canonical_lines(subst: Subst) -> Iterator[str]:
    """Yield a line for each pattern, named by number, then outputs and conditions."""
    patterns = dict.fromkeys((*subst.source_patterns, *subst.target_patterns))
    names = {pattern: f"p{number}" for number, pattern in enumerate(patterns)}
    for pattern, name in names.items():
        yield f"{name} = {statement(pattern, names)}"
    for outputs in (subst.source, subst.target):
        yield " ".join(names[output] for output in outputs)
    for condition in subst.where:
        yield term_text(condition, names)
    if subst.aliases:
        yield "aliases"


def statement(pattern: Pattern, names: Names) -> str:
    """Return what a pattern says itself, with `names` for the patterns that it mentions."""
    operands = [pattern_text(operand, names) for operand in pattern.operands]
    own = sorted(f"{name}={term_text(term, names)}" for name, term in pattern.constraints.items())
    return f"{_kind(pattern, names)}({', '.join([*operands, *_details(pattern, names), *own])})"


def _kind(pattern: Pattern, names: Names) -> str:
    match pattern:
        case Call(callee=SameOperator(call=other)):
            return f"same as {pattern_text(other, names)}"
        case Call(callee=callee):
            return str(callee)
        case _:
            return type(pattern).__name__


def _details(pattern: Pattern, names: Names) -> Iterator[str]:
    match pattern:
        case Call(attributes_of=Call() as other):
            yield f"attributes of {pattern_text(other, names)}"
        case Const(like=Pattern() as other):
            yield f"like {pattern_text(other, names)}"
        case Cond(condition=condition):
            yield term_text(condition, names)
        case GetInst(variadic=variadic, template=template, index_term=index):
            yield f"{pattern_text(variadic, names)} {pattern_text(template, names)}"
            yield term_text(index, names)
        case Variadic(symbol=symbol, size=size, minimum=minimum):
            for patterns in (pattern.templates, pattern.first):
                yield " ".join(pattern_text(one, names) for one in patterns)
            yield f"{symbol.name} {term_text(size, names)} {minimum}"
