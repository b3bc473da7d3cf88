"""Semantic checks of a rule before anything runs (thesis, section 4.3).

What a single expression can get wrong is refused when it is written; here follows what concerns a
rule as a whole: scopes, the order of matching, and the demands on source and target graphs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from gsl.attr.term import (
    ANYTHING,
    Access,
    Constant,
    Operation,
    Symbol,
    Term,
    free_symbols,
    subterms,
)
from gsl.errors import RuleError
from gsl.graph import reverse_post_order
from gsl.operators import Operator
from gsl.operators.declaration import REQUIRED
from gsl.pat import (
    INPUTS,
    Alt,
    Call,
    Cond,
    Const,
    GetInst,
    GetItem,
    Pattern,
    SameOperator,
    Trait,
    Tuple,
    Variable,
    Variadic,
    Wildcard,
)
from gsl.span import Span, resolve
from gsl.subst import Subst

Findings = Iterator[RuleError]


def check(subst: Subst) -> list[RuleError]:
    """Return everything that is wrong or suspicious about a rule, in the order of its source."""
    findings: list[RuleError] = []
    for one in CHECKS:
        findings.extend(one(subst))
    return findings


def require_well_formed(subst: Subst) -> None:
    """Raise the first RuleError of `check` that is not a warning."""
    for finding in check(subst):
        if not finding.warning:
            raise finding


def _at(pattern: Pattern) -> Span | None:
    return resolve(pattern.origin)


def _owned(subst: Subst) -> list[Pattern]:
    """Return the patterns that only the target has, in reverse post-order."""
    source = set(subst.source_patterns)
    return [pattern for pattern in subst.target_patterns if pattern not in source]


def outputs_correspond(subst: Subst) -> Findings:
    """GSL132: source and target have as many outputs as each other."""
    source, target = subst.source, subst.target
    if not source or not target:
        yield RuleError("GSL132", "a rule needs at least one output on each side", subst.span)
        return
    variadic = [isinstance(pattern, Variadic) for pattern in (*source, *target)]
    if variadic == [True, True]:
        return
    if any(variadic):
        message = "a variadic source needs one variadic target, and nothing beside them"
        yield RuleError(
            "GSL132", message, subst.span, "write Subst(pat.Variadic(...), pat.Variadic(...))"
        )
    elif len(source) != len(target):
        message = f"the source has {len(source)} outputs, the target {len(target)}"
        yield RuleError("GSL132", message, subst.span, "list one target for every source")


def source_computes(subst: Subst) -> Findings:
    """GSL135: every source output is the result of an operator or a projection."""
    for pattern in subst.source:
        output = pattern.field if isinstance(pattern, Variadic) else pattern
        if isinstance(output, INPUTS):
            message = f"{output!r} is an output of the source: the rule would match everything"
            yield RuleError("GSL135", message, _at(output), "start from the call of an operator")


def kinds_allowed(subst: Subst) -> Findings:
    """GSL136: forms that only make sense in a source, or only in a target."""
    for pattern in subst.source_patterns:
        if isinstance(pattern, Cond):
            yield RuleError(
                "GSL136", "pat.Cond chooses in a target only", _at(pattern), "use pat.Alt"
            )
    for pattern in _owned(subst):
        if isinstance(pattern, Alt):
            message = "pat.Alt in a target does not say what to build"
            yield RuleError("GSL136", message, _at(pattern), "use pat.Cond")
        elif isinstance(pattern, Call) and isinstance(pattern.callee, Trait):
            message = f"the target does not say which {pattern.callee} operator to build"
            yield RuleError("GSL136", message, _at(pattern), "use op.same(call)(...)")


def source_connected(subst: Subst) -> Findings:
    """GSL130: every output shares a pattern with those before it (equation 1 of the definition)."""
    if subst.variadic is not None:
        variadic = subst.variadic
        shared = [p for p in reverse_post_order([variadic.field]) if p not in variadic.templates]
        if not shared:
            message = "the fields of the source have no pattern in common"
            yield RuleError(
                "GSL130", message, _at(variadic), "leave what they share out of templates"
            )
        return
    reached: set[Pattern] = set()
    for index, output in enumerate(subst.source):
        below = set(reverse_post_order([output]))
        if index and not reached & below:
            message = f"source output {index} is not connected to the ones before it"
            yield RuleError("GSL130", message, _at(output), "let them share an input")
        reached |= below


def target_inputs(subst: Subst) -> Findings:
    """GSL131: the target uses only inputs of the source."""
    for pattern in _owned(subst):
        unbound = isinstance(pattern, Wildcard | Variable)
        if unbound or (isinstance(pattern, Const) and "value" not in pattern.constraints):
            message = f"{pattern!r} is an input of the target that the source lacks"
            yield RuleError("GSL131", message, _at(pattern), "use a pattern of the source")


def templates_reached(subst: Subst) -> Findings:
    """GSL133: instantiation reaches every template through templates only."""
    for variadic in _variadics(subst):
        reached = set(_template_closure(variadic))
        for template in variadic.templates:
            if template not in reached:
                message = f"template {template!r} is not reached from the field through templates"
                cure = "list the patterns between it and the field as templates, too"
                yield RuleError("GSL133", message, _at(template), cure)
    for variadic in _variadics(subst):
        inside_target = variadic not in subst.source_patterns and variadic not in subst.target
        if inside_target and variadic.size is ANYTHING:
            message = "a variadic tuple in a target needs a length"
            yield RuleError("GSL133", message, _at(variadic), "give length=...")


def _variadics(subst: Subst) -> list[Variadic]:
    patterns = dict.fromkeys((*subst.source_patterns, *subst.target_patterns))
    return [pattern for pattern in patterns if isinstance(pattern, Variadic)]


def _template_closure(variadic: Variadic) -> list[Pattern]:
    reached, stack = [], [variadic.field]
    while stack:
        pattern = stack.pop()
        if pattern in variadic.templates and pattern not in reached:
            reached.append(pattern)
            stack.extend(pattern.operands)
    return reached


def symbols_bound(subst: Subst) -> Findings:
    """GSL120: every symbol belongs to a variadic pattern around the place where it is used."""
    scopes = _symbols_in_scope(subst)
    for pattern in dict.fromkeys((*subst.source_patterns, *subst.target_patterns)):
        for term in pattern.terms():
            for symbol in free_symbols(term) - scopes.get(pattern, frozenset()):
                yield _unbound(symbol, _at(pattern))
    for term in subst.where:
        for symbol in free_symbols(term):
            yield _unbound(symbol, _term_span(term) or subst.span)


def _unbound(symbol: Symbol, span: Span | None) -> RuleError:
    cure = "give it as index=... of a pat.Variadic that has this pattern among its templates"
    return RuleError("GSL120", f"symbol `{symbol.name}` is not bound here", span, cure)


def _symbols_in_scope(subst: Subst) -> dict[Pattern, frozenset[Symbol]]:
    scopes: dict[Pattern, frozenset[Symbol]] = {}
    for variadic in _variadics(subst):
        for template in variadic.templates:
            scopes[template] = scopes.get(template, frozenset()) | {variadic.symbol}
    for variadic in _variadics(subst):
        outer = scopes.get(variadic, frozenset())
        for template in variadic.templates:
            scopes[template] |= outer
    return scopes


def _accesses(terms: Iterable[Term]) -> Iterator[Access]:
    for term in terms:
        for part in subterms(term):
            if isinstance(part, Access):
                yield part


def matched_before_used(subst: Subst) -> Findings:
    """GSL121, GSL122: an attribute is used only after the pattern that has it was matched."""
    known: set[Pattern] = set()
    source = set(subst.source_patterns)
    for pattern in subst.source_patterns:
        yield from _order(pattern, known, source, subst)
        known.add(pattern)
    for term in subst.where:
        yield from _unknown([term], known, source, subst)
    for pattern in _owned(subst):
        yield from _order(pattern, known, source, subst)
        known.add(pattern)


def _order(pattern: Pattern, known: set[Pattern], source: set[Pattern], subst: Subst) -> Findings:
    unused_length = isinstance(pattern, Variadic) and pattern in source
    terms = [] if unused_length else list(pattern.terms())
    if isinstance(pattern, Call):
        for other in _other_calls(pattern):
            terms.append(Access(other, "operator", pattern.origin))
    yield from _unknown(terms, known, source, subst)


def _other_calls(pattern: Call) -> list[Call]:
    same = [pattern.callee.call] if isinstance(pattern.callee, SameOperator) else []
    return [*same, *([pattern.attributes_of] if pattern.attributes_of is not None else [])]


def _unknown(
    terms: Iterable[Term], known: set[Pattern], source: set[Pattern], subst: Subst
) -> Findings:
    for access in _accesses(terms):
        owner = access.pattern
        needed = owner.variadic if isinstance(owner, GetInst) else owner
        if needed in known or needed in subst.target:
            continue
        span = resolve(access.origin)
        if needed in source:
            message = f"attribute `{access.name}` of {owner!r} is used before it is matched"
            cure = "state the constraint at the pattern that is matched later"
            yield RuleError("GSL121", message, span, cure)
        else:
            message = f"attribute `{access.name}` of {owner!r}, which is not part of the source"
            yield RuleError("GSL122", message, span, "use patterns of the source")


def target_complete(subst: Subst) -> Findings:
    """GSL115, GSL123: the target determines every attribute that has no default."""
    for pattern in _owned(subst):
        for name, term in pattern.constraints.items():
            if any(part is ANYTHING for part in subterms(term)) and not _in_slice(term):
                message = f"attribute `{name}` of {pattern!r} is left open in the target"
                yield RuleError("GSL123", message, _at(pattern), "give it a value")
        for name in _missing(pattern):
            message = f"{pattern!r} in the target needs attribute `{name}`"
            yield RuleError("GSL115", message, _at(pattern), f"give {name}=...")


def _in_slice(term: Term) -> bool:
    from_slices = [part for part in subterms(term) if type(part).__name__ == "Slice"]
    return bool(from_slices)


def _missing(pattern: Pattern) -> list[str]:
    if isinstance(pattern, GetItem):
        return [] if "index" in pattern.constraints else ["index"]
    if isinstance(pattern, Call) and isinstance(pattern.callee, Operator):
        required = [a.name for a in pattern.callee.attributes.values() if a.default is REQUIRED]
        return [name for name in required if name not in pattern.constraints]
    return []


def projections_in_range(subst: Subst) -> Findings:
    """GSL141: a projection names a field that its tuple has."""
    for pattern in dict.fromkeys((*subst.source_patterns, *subst.target_patterns)):
        if not isinstance(pattern, GetItem):
            continue
        index = pattern.constraints.get("index")
        count = _field_count(pattern.operands[0])
        if isinstance(index, Constant) and count is not None and not 0 <= index.value < count:
            message = f"field {index.value} of a tuple of {count} fields"
            yield RuleError("GSL141", message, _at(pattern), f"fields count from 0 to {count - 1}")


def _field_count(pattern: Pattern) -> int | None:
    match pattern:
        case Tuple(operands=operands):
            return len(operands)
        case Call(callee=Operator(name="Split"), constraints=constraints):
            pieces = constraints.get("indices_or_sections")
            if isinstance(pieces, Constant):
                value: Any = pieces.value
                return len(value) + 1 if isinstance(value, tuple) else int(value)
    return None


def conditions_open(subst: Subst) -> Findings:
    """GSL142, GSL143: a condition is a comparison that a match can decide."""
    for term in subst.where:
        span = _term_span(term) or subst.span
        if isinstance(term, Constant):
            message = f"the condition is always {term.value!r}"
            yield RuleError("GSL142", message, span, "remove it, or compare attributes of patterns")
        elif isinstance(term, Operation) and term.head not in _LOGICAL:
            message = f"the condition is the value of `{term.head}`, not a comparison"
            yield RuleError("GSL143", message, span, "compare it with something")


_LOGICAL = frozenset({"==", "!=", "<", "<=", ">", ">=", "and", "or", "not", "in", "cond"})


def _term_span(term: Term) -> Span | None:
    return resolve(getattr(term, "origin", None))


def defaults_meant(subst: Subst) -> Findings:
    """GSL140 (warning): the target silently fixes attributes that the source leaves free."""
    for pattern in _owned(subst):
        if not isinstance(pattern, Call) or not isinstance(pattern.callee, Operator):
            continue
        free = _free_in_source(subst, pattern.callee)
        names = [n for n in free if n not in pattern.constraints and not pattern.attributes_of]
        if names:
            listed = ", ".join(f"`{name}`" for name in names)
            message = (
                f"{listed} of {pattern!r} {'take' if len(names) > 1 else 'takes'} the default in "
                f"the target, but the source leaves {'them' if len(names) > 1 else 'it'} free"
            )
            cure = f"copy with pat.same_attr, or pin in the source, such as {names[0]}=..."
            yield RuleError("GSL140", message, _at(pattern), cure, warning=True)


def _free_in_source(subst: Subst, operator: Operator) -> list[str]:
    calls = [p for p in subst.source_patterns if isinstance(p, Call) and p.callee is operator]
    return [
        name
        for name, attribute in operator.attributes.items()
        if attribute.default is not REQUIRED
        and any(
            p.constraints.get(name, ANYTHING) is ANYTHING and not p.attributes_of for p in calls
        )
    ]


CHECKS: tuple[Callable[[Subst], Findings], ...] = (
    outputs_correspond,
    source_computes,
    kinds_allowed,
    source_connected,
    target_inputs,
    templates_reached,
    symbols_bound,
    matched_before_used,
    target_complete,
    projections_in_range,
    conditions_open,
    defaults_meant,
)
