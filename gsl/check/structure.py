"""Checks of the pattern graphs: outputs, inputs, connection, templates, projections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gsl.attr.term import ANYTHING, Constant, Term
from gsl.check.finding import Findings, all_patterns, model_of, place_of, target_only, target_places
from gsl.errors import RuleError
from gsl.graph import reverse_post_order
from gsl.operators import Operator
from gsl.pat import (
    Alt,
    Call,
    Cond,
    Const,
    GetItem,
    Pattern,
    Trait,
    Tuple,
    Variable,
    Variadic,
    Wildcard,
)
from gsl.pat.equations import is_bound
from gsl.subst import Subst


def outputs_correspond(subst: Subst) -> Findings:
    """GSL132: source and target have as many outputs as each other, those of the source differ."""
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
    elif len(set(source)) < len(source):
        message = "an output of the source is listed twice, and only one target can replace it"
        yield RuleError("GSL132", message, subst.span, "list every output once")
    else:
        yield from _outputs_differ(subst)


def _outputs_differ(subst: Subst) -> Findings:
    known: set[Pattern] = set()
    cure = "write it a second time for one of the outputs"
    for output in subst.source:
        alternatives = _alternatives(output)
        for pattern in alternatives:
            if pattern in known:
                message = f"{pattern!r} may be two outputs, and only one target can replace it"
                yield RuleError("GSL132", message, place_of(pattern), cure)
        known.update(alternatives)


_MATCHED: Mapping[type[Pattern], str] = {
    Wildcard: "everything",
    Variable: "every such variable",
    Const: "every such constant",
}
"""What a source would match whose output is an input of that kind."""


def source_computes(subst: Subst) -> Findings:
    """GSL135: every source output is the result of an operator or a projection."""
    for pattern in subst.source:
        for output in _alternatives(pattern):
            if type(output) in _MATCHED:
                matched = _MATCHED[type(output)]
                message = f"{output!r} is an output of the source: the rule would match {matched}"
                cure = "start from the call of an operator"
                yield RuleError("GSL135", message, place_of(output), cure)


def _alternatives(output: Pattern) -> list[Pattern]:
    """Return what an output may stand for: fields and arms instead of what is made of them."""
    if not isinstance(output, Variadic | Alt):
        return [output]
    return [one for choice in output.operands for one in _alternatives(choice)]


def kinds_allowed(subst: Subst) -> Findings:
    """GSL136: forms that only make sense in a source, or only in a target."""
    for pattern in subst.source_patterns:
        if isinstance(pattern, Cond):
            message = "pat.Cond chooses in a target only"
            yield RuleError("GSL136", message, place_of(pattern), "use pat.Alt")
    for pattern in target_only(subst):
        if isinstance(pattern, Alt):
            message = "pat.Alt in a target does not say what to build"
            yield RuleError("GSL136", message, place_of(pattern), "use pat.Cond")
        elif isinstance(pattern, Call) and isinstance(pattern.callee, Trait):
            message = f"the target does not say which {pattern.callee} operator to build"
            yield RuleError("GSL136", message, place_of(pattern), "use op.same(call)(...)")


def source_connected(subst: Subst) -> Findings:
    """GSL130: every output shares a pattern with those before it, or an equation binds it."""
    if subst.variadic is not None:
        yield from _fields_connected(subst.variadic, subst.where)
        return
    reached: set[Pattern] = set()
    for index, output in enumerate(subst.source):
        below = set(reverse_post_order([output]))
        if index and not reached & below and not is_bound(output, subst.where, reached):
            message = f"source output {index} is not connected to the ones before it"
            cure = "let them share an input, or demand that an attribute is the same for both"
            yield RuleError("GSL130", message, place_of(output), cure)
        reached |= below


def _fields_connected(variadic: Variadic, conditions: Sequence[Term]) -> Findings:
    head = frozenset(reverse_post_order(variadic.first))
    if not variadic.shared and not is_bound(variadic.field, conditions, head):
        message = "the fields of the source have no pattern in common"
        cure = "leave what they share out of templates, or let a field have attributes of the first"
        yield RuleError("GSL130", message, place_of(variadic), cure)


def target_inputs(subst: Subst) -> Findings:
    """GSL131: the target uses only inputs of the source."""
    reported: set[Pattern] = set()
    source = set(subst.source_patterns)
    for place in subst.derived(target_places):
        pattern = place.pattern
        valueless = isinstance(pattern, Const) and "value" not in pattern.constraints
        if not (valueless or isinstance(pattern, Wildcard | Variable)) or pattern in reported:
            continue
        reported.add(pattern)
        if pattern in source:
            message = f"{pattern!r} has an instance in every field, the target does not say which"
            cure = "use src(pattern, index) where src is the variadic pattern"
        else:
            message = f"{pattern!r} is an input of the target that the source lacks"
            cure = "use a pattern of the source"
        yield RuleError("GSL131", message, place_of(pattern), cure)


def templates_reached(subst: Subst) -> Findings:
    """GSL133: instantiation reaches every template through templates only."""
    variadics = [pattern for pattern in all_patterns(subst) if isinstance(pattern, Variadic)]
    for variadic in variadics:
        reached = _template_closure(variadic)
        for template in variadic.templates:
            if template not in reached:
                message = f"template {template!r} is not reached from the field through templates"
                cure = "list the patterns between it and the field as templates, too"
                yield RuleError("GSL133", message, place_of(template), cure)
    outer = {*subst.source_patterns, *subst.target}
    for variadic in variadics:
        if variadic not in outer and variadic.size is ANYTHING:
            message = "a variadic tuple in a target needs a length"
            yield RuleError("GSL133", message, place_of(variadic), "give length=...")


def numbers_instantiated(subst: Subst) -> Findings:
    """GSL133: a number that takes its dtype from a template is a template itself."""
    reported: set[Pattern] = set()
    for place in subst.derived(target_places):
        for number in place.pattern.operands:
            model = model_of(number)
            if model is None or number in reported:
                continue
            if len(place.see(number).fields) >= len(place.see(model).fields):
                continue
            reported.add(number)
            value = number.constraints.get("value")
            written = repr(value.value) if isinstance(value, Constant) else "..."
            message = f"a number takes its dtype from {model!r}, a template, and is none itself"
            cure = f"write k = pat.Const({written}, like=m) with that template, list k in templates"
            yield RuleError("GSL133", message, place_of(number), cure)


def _template_closure(variadic: Variadic) -> set[Pattern]:
    reached, stack = set[Pattern](), [variadic.field]
    while stack:
        pattern = stack.pop()
        if pattern in variadic.templates and pattern not in reached:
            reached.add(pattern)
            stack.extend(pattern.operands)
    return reached


def projections_in_range(subst: Subst) -> Findings:
    """GSL141: a projection names a field that its tuple has."""
    for pattern in all_patterns(subst):
        if not isinstance(pattern, GetItem):
            continue
        index = pattern.constraints.get("index")
        count = _field_count(pattern.operands[0])
        if isinstance(index, Constant) and count is not None and not 0 <= index.value < count:
            message = f"field {index.value} of a tuple of {count} fields"
            cure = f"fields count from 0 to {count - 1}"
            yield RuleError("GSL141", message, place_of(pattern), cure)


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
