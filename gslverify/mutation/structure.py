"""Mutation operators that give a target the wrong structure, and those of whole rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from gsl.attr.term import Access, Reduce, Symbol, Term, VariadicTuple, subterms
from gsl.check.finding import target_only
from gsl.operators import REGISTRY, Operator, lookup
from gsl.pat import Call, Const, GetItem, Pattern, Variable, Variadic, Wildcard
from gsl.subst import Subst
from gslverify.mutation.draft import Draft, replaced
from gslverify.mutation.registry import Change, Changes, mutation, name_of, target_calls
from gslverify.mutation.terms import perturbed_numbers

COMMUTATIVE = frozenset(
    {"Add", "Multiply", "Maximum", "Minimum", "Equal", "NotEqual", "LogicalAnd", "LogicalOr"}
)
ALIGNING = frozenset({"Reshape", "ExpandDims", "Squeeze", "BroadcastTo", "Flatten"})
SCALING = frozenset({"Multiply", "Divide"})
PAIRS = (
    ("Add", "Subtract"),
    ("Multiply", "Divide"),
    ("Maximum", "Minimum"),
    ("Max", "Min"),
    ("Mean", "Sum"),
    ("Sqrt", "Rsqrt"),
    ("Less", "LessEqual"),
    ("Greater", "GreaterEqual"),
    ("Equal", "NotEqual"),
    ("LogicalAnd", "LogicalOr"),
    ("Exp", "Log"),
    ("Floor", "Ceil"),
    ("Tril", "Triu"),
    ("Argmax", "Argmin"),
    ("Zeros", "Ones"),
    ("ZerosLike", "OnesLike"),
    ("Abs", "Negative"),
)
SIBLINGS = {a: b for one, two in PAIRS for a, b in ((one, two), (two, one))}


def in_target(subst: Subst, old: Pattern, new: Pattern) -> Draft:
    """Return a draft whose target uses `new` wherever it used `old` as an operand or output."""
    draft = Draft.of(subst)
    for pattern in target_only(subst):
        if old in pattern.operands:
            operands = tuple(new if operand is old else operand for operand in pattern.operands)
            draft.operands[pattern] = operands
        if isinstance(pattern, Variadic):
            _exchange_in_variadic(draft, pattern, old, new)
    draft.target = tuple(new if output is old else output for output in subst.target)
    return draft


def _exchange_in_variadic(draft: Draft, variadic: Variadic, old: Pattern, new: Pattern) -> None:
    if variadic.field is old:
        draft.details[variadic, "field"] = new
    if old in variadic.templates:
        templates = [new if one is old else one for one in variadic.templates]
        draft.details[variadic, "templates"] = tuple(dict.fromkeys(templates))


@mutation("M26", "swap two operands")
def swapped(subst: Subst) -> Changes:
    """Exchange the operands of a call of the target that is not commutative."""
    for call in target_calls(subst):
        if len(call.operands) == 2 and str(call.callee) not in COMMUTATIVE:
            draft = Draft.of(subst)
            draft.operands[call] = call.operands[::-1]
            yield Change(call, f"swap the operands of {name_of(subst, call)}", draft)
    for pattern in target_only(subst):
        fields = pattern.operands
        if type(pattern).__name__ == "Tuple" and len(fields) > 1:
            draft = Draft.of(subst)
            draft.operands[pattern] = (fields[1], fields[0], *fields[2:])
            yield Change(pattern, "swap the first two fields of a tuple", draft)


@mutation("M27", "replace an operator by its sibling")
def sibling(subst: Subst) -> Changes:
    """Add for subtract, maximum for minimum, mean for sum and so on."""
    for call in target_calls(subst):
        other = SIBLINGS.get(str(call.callee), "")
        if isinstance(call.callee, Operator) and other in REGISTRY:
            draft = Draft.of(subst)
            draft.details[call, "callee"] = lookup(other)
            yield Change(call, f"{call.callee} becomes {other}", draft)


def _left_out(subst: Subst, only: frozenset[str] | None, never: frozenset[str]) -> Changes:
    for call in target_calls(subst):
        name = str(call.callee)
        if name in never or (only is not None and name not in only):
            continue
        for number, operand in enumerate(call.operands):
            if not isinstance(operand, Const | Variadic) and type(operand).__name__ != "Tuple":
                said = f"operand {number} of {name_of(subst, call)} instead of the call"
                yield Change(call, said, in_target(subst, call, operand))


@mutation("M28", "drop a node")
def dropped(subst: Subst) -> Changes:
    """Use an operand of a call of the target instead of its result."""
    return _left_out(subst, None, ALIGNING | SCALING)


@mutation("M29", "use the wrong captured value")
def other_capture(subst: Subst) -> Changes:
    """Use another input of the source as an operand in the target."""
    inputs = [p for p in subst.source_patterns if isinstance(p, Wildcard | Variable | Const)]
    for call in target_calls(subst):
        for position, operand in enumerate(call.operands):
            for other in inputs:
                if operand in inputs and other is not operand:
                    before, after = call.operands[:position], call.operands[position + 1 :]
                    draft = Draft.of(subst)
                    draft.operands[call] = (*before, other, *after)
                    names = f"{name_of(subst, other)} instead of {name_of(subst, operand)}"
                    said = f"{names} as operand {position} of {name_of(subst, call)}"
                    yield Change(call, said, draft)


@mutation("M30", "forget what aligns a tensor")
def unaligned(subst: Subst) -> Changes:
    """Leave out a reshape, or another operator that only changes the form."""
    return _left_out(subst, ALIGNING, frozenset())


@mutation("M31", "change a constant")
def other_constant(subst: Subst) -> Changes:
    """Perturb the value of a constant of the target."""
    for pattern in target_only(subst):
        if isinstance(pattern, Const) and "value" in pattern.constraints:
            for said, term in perturbed_numbers(pattern.constraints["value"]):
                draft = Draft.of(subst).constrain(pattern, "value", term)
                yield Change(pattern, f"{name_of(subst, pattern)}: {said}", draft)


@mutation("M32", "forget to scale")
def unscaled(subst: Subst) -> Changes:
    """Leave out a multiplication or a division."""
    return _left_out(subst, SCALING, frozenset())


@mutation("M33", "use an operator that not all dtypes have")
def narrower_operator(subst: Subst) -> Changes:
    """Negate the result twice, which no boolean survives."""
    for output in dict.fromkeys(subst.target):
        if isinstance(output, Variadic) or not isinstance(output, Call | GetItem):
            continue
        twice = Call(lookup("Negative"), (Call(lookup("Negative"), (output,)),))
        twice.origin = twice.operands[0].origin = output.origin
        draft = Draft.of(subst)
        draft.target = tuple(twice if one is output else one for one in subst.target)
        yield Change(output, f"{name_of(subst, output)} is negated twice", draft)


@mutation("M34", "permute the outputs, or repeat one")
def other_outputs(subst: Subst) -> Changes:
    """Exchange outputs, return the first for all, take the next field of a tuple."""
    outputs = subst.target
    if len(outputs) > 1:
        for said, new in (
            ("the outputs are reversed", outputs[::-1]),
            ("the first output is returned twice", (outputs[0], outputs[0], *outputs[2:])),
        ):
            draft = Draft.of(subst)
            draft.target = new
            yield Change(None, said, draft)
    for pattern in target_only(subst):
        if isinstance(pattern, GetItem):
            draft = Draft.of(subst)
            draft.constrain(pattern, "index", pattern.constraints["index"] + 1)
            yield Change(pattern, f"{name_of(subst, pattern)}: the next field", draft)


@mutation("M35", "return what lies inside")
def interior(subst: Subst) -> Changes:
    """Return an operand two levels below an output of the target."""
    for number, output in enumerate(subst.target):
        for below in (inner for one in output.operands for inner in one.operands):
            if not isinstance(below, Const | Variadic):
                draft = Draft.of(subst)
                draft.target = (*subst.target[:number], below, *subst.target[number + 1 :])
                said = f"output {number} is {name_of(subst, below)}"
                yield Change(below, said, draft)


@mutation("M36", "let one output feed another")
def fed_output(subst: Subst) -> Changes:
    """Let the second output of the source be computed from the first."""
    if len(subst.source) < 2:
        return
    first, second = subst.source[:2]
    for position, operand in enumerate(second.operands):
        if isinstance(operand, Wildcard):
            draft = Draft.of(subst)
            before, after = second.operands[:position], second.operands[position + 1 :]
            draft.operands[second] = (*before, first, *after)
            yield Change(second, f"operand {position} of the second output is the first", draft)


@mutation("M39", "reverse the rule")
def reversed_rule(subst: Subst) -> Changes:
    """Exchange source and target; attributes that refer to the old source become free."""
    if any(isinstance(p, Variadic) for p in (*subst.source, *subst.target)):
        return
    draft = Draft(subst, subst.target, subst.source)
    new_source, copied = set(subst.target_patterns), dict[tuple[Pattern, str], Access]()
    for call in target_only(subst):
        kept: dict[str, Term] = {}
        for name, term in call.constraints.items():
            if isinstance(term, Access) and term.pattern not in new_source:
                copied.setdefault((term.pattern, term.name), Access(call, name, term.origin))
            elif not _refers(term, new_source):
                kept[name] = term
        draft.constraints[call] = MappingProxyType(kept)
    for pattern in set(subst.source_patterns) - new_source:
        draft.constraints[pattern] = MappingProxyType(_taken_from(pattern, copied))
    yield Change(None, "source and target are exchanged", draft)


def _refers(term: Term, inside: set[Pattern]) -> bool:
    """Tell whether a term refers to a pattern that is not among `inside`."""
    return any(isinstance(part, Access) and part.pattern not in inside for part in subterms(term))


def _taken_from(pattern: Pattern, copied: Mapping[tuple[Pattern, str], Access]) -> dict[str, Term]:
    own = dict(pattern.constraints)
    for (owner, name), access in copied.items():
        if owner is pattern:
            own.setdefault(name, access)
    return {name: replaced(term, _through(term, copied)) for name, term in own.items()}


def _through(term: Term, copied: Mapping[tuple[Pattern, str], Access]) -> dict[Term, Term]:
    accesses = [part for part in subterms(term) if isinstance(part, Access)]
    return {
        part: copied[part.pattern, part.name]
        for part in accesses
        if (part.pattern, part.name) in copied
    }


@mutation("M41", "make the conditions contradict")
def contradiction(subst: Subst) -> Changes:
    """Ask for a rank below zero."""
    for pattern in subst.source_patterns:
        if "ndim" in pattern.attribute_names():
            draft = Draft.of(subst)
            draft.where = (*subst.where, Access(pattern, "ndim", pattern.origin) < 0)
            yield Change(pattern, f"{name_of(subst, pattern)} has a rank below 0", draft)
            return


@mutation("M42", "compare the source with itself")
def itself(subst: Subst) -> Changes:
    """Let the target be the source."""
    draft = Draft.of(subst)
    draft.target = subst.source
    yield Change(None, "the target is the source", draft)


@mutation("M43", "give two symbols one name")
def one_symbol(subst: Subst) -> Changes:
    """Let the inner of two indices be the outer one."""
    for pattern in target_only(subst):
        for name, term in pattern.constraints.items():
            for outer, inner in _nested(term):
                new = replaced(term, {inner: _with_symbol(inner, outer)})
                draft = Draft.of(subst).constrain(pattern, name, new)
                said = f"`{name}` of {name_of(subst, pattern)}: the inner index is the outer one"
                yield Change(pattern, said, draft)


def _nested(term: Term) -> Iterator[tuple[Symbol, VariadicTuple | Reduce]]:
    for outer in subterms(term):
        if isinstance(outer, VariadicTuple | Reduce):
            for inner in subterms(outer.body):
                if isinstance(inner, VariadicTuple | Reduce):
                    yield outer.symbol, inner


def _with_symbol(inner: VariadicTuple | Reduce, symbol: Symbol) -> Term:
    body = replaced(inner.body, {inner.symbol: symbol})
    if isinstance(inner, Reduce):
        return Reduce(inner.head, body, symbol, inner.length)
    return VariadicTuple(body, symbol, inner.length)
