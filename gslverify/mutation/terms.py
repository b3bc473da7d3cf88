"""Small changes of attribute expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from gsl.attr.evaluate import is_symbolic
from gsl.attr.term import (
    ANYTHING,
    Access,
    Anything,
    Constant,
    Operation,
    Projection,
    Reduce,
    Symbol,
    Term,
    TupleOf,
    VariadicTuple,
    as_term,
    operation,
    subterms,
)
from gslverify.mutation.draft import replaced

Variation = tuple[str, Term]
"""What was done to a term, in words, and the term that it gives."""

COMPARISONS = {"<": ("<=",), "<=": ("<",), ">": (">=",), ">=": (">",), "==": (">=", "<=", "!=")}
STRICTER = {("<=", "<"), (">=", ">"), ("or", "and")}
SIBLINGS = {"and": "or", "or": "and", "min": "max", "max": "min", "floor": "ceil", "ceil": "floor"}


def fields_of(term: Term) -> tuple[Term, ...]:
    """Return the elements of a tuple whose length is written down; nothing for other terms."""
    match term:
        case TupleOf(fields=fields):
            return fields
        case Constant(value=tuple() as values):
            return tuple(map(as_term, values))
        case _:
            return ()


def is_constant(term: Term) -> bool:
    """Tell whether a term has the same value in every match."""
    leaves = (Access, Anything, Symbol)
    return not any(isinstance(part, leaves) for part in subterms(term))


def perturbed_numbers(term: Term) -> Iterator[Variation]:
    """Yield the term with one of its numbers changed."""
    if fields_of(term):
        yield from _each_field(term, perturbed_numbers)
        return
    indices = {part.index for part in subterms(term) if isinstance(part, Projection)}
    for part in subterms(term):
        if isinstance(part, Constant) and _is_number(part.value) and part not in indices:
            for value in _neighbours(part.value):
                said = f"{part.value} becomes {value}"
                yield said, replaced(term, {part: Constant(value)})


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _neighbours(value: Any) -> list[Any]:
    found = [value + 1, value - 1, 2 * value, -value]
    return [item for item in dict.fromkeys(found) if item != value]


def _each_field(term: Term, vary: Callable[[Term], Iterator[Variation]]) -> Iterator[Variation]:
    fields = fields_of(term)
    for position, part in enumerate(fields):
        for said, new in vary(part):
            changed = (*fields[:position], new, *fields[position + 1 :])
            yield f"element {position}: {said}", TupleOf(changed)


def rearranged(term: Term) -> Iterator[Variation]:
    """Yield a tuple with its elements in other orders."""
    fields = fields_of(term)
    if len(fields) < 2:
        if isinstance(term, Access):
            yield "reversed", _reversed(term)
        return
    yield "reversed", TupleOf(fields[::-1])
    if len(fields) > 2:
        yield "rotated", TupleOf((*fields[1:], fields[0]))
        yield "first two swapped", TupleOf((fields[1], fields[0], *fields[2:]))


def _reversed(term: Term) -> Term:
    symbol = Symbol("i")
    length = operation("length", term)
    return VariadicTuple(Projection(term, length - 1 - symbol), symbol, length)


def shifted_axis(term: Term) -> Iterator[Variation]:
    """Yield other axes."""
    if fields_of(term):
        yield from _each_field(term, shifted_axis)
    elif isinstance(term, Constant) and isinstance(term.value, int):
        for value in (term.value + 1, term.value - 1):
            yield f"{term.value} becomes {value}", Constant(value)
    elif not isinstance(term, VariadicTuple | Anything) and not _is_tuple_access(term):
        yield "one more", term + 1
        yield "one less", term - 1
        yield "always 0", Constant(0)


def _is_tuple_access(term: Term) -> bool:
    return isinstance(term, Access) and term.name in ("axes", "shape", "strides", "padding")


def other_arithmetic(term: Term) -> Iterator[Variation]:
    """Yield the term with one operation done differently, or left out."""
    for part in subterms(term):
        if not isinstance(part, Operation):
            continue
        for said, new in _other_operation(part):
            yield said, replaced(term, {part: new})


def _other_operation(part: Operation) -> Iterator[Variation]:
    head, operands = part.head, part.operands
    swaps = {"+": "-", "-": "+", **SIBLINGS}
    if head in swaps and len(operands) == 2:
        yield f"`{head}` becomes `{swaps[head]}`", operation(swaps[head], *operands)
    if head == "//":
        left, right = operands
        yield "rounded up", operation("neg", operation("//", operation("neg", left), right))
    if head in ("+", "-", "*", "//") and len(operands) == 2:
        yield f"without what `{head}` does", operands[0]
    if head == "cond":
        condition, then, otherwise = operands
        yield "arms swapped", operation("cond", condition, otherwise, then)


def other_sums(term: Term) -> Iterator[Variation]:
    """Yield the term with sums over prefixes replaced by their last summand, or one too short."""
    for part in subterms(term):
        if isinstance(part, Reduce):
            last = replaced(part.body, {part.symbol: part.length - 1})
            yield "the last summand instead of the sum", replaced(term, {part: last})
            shorter = Reduce(part.head, part.body, part.symbol, part.length - 1)
            yield "a sum of one less", replaced(term, {part: shorter})


def other_elements(term: Term) -> Iterator[Variation]:
    """Yield the term with another element of a tuple, such as the size of another dimension."""
    for part in subterms(term):
        match part:
            case Projection(tuple=Access(name=name) as whole, index=Constant(value=int(index))):
                other = index + 1 if index == 0 else index - 1
                said = f"{name}[{index}] becomes {name}[{other}]"
                yield said, replaced(term, {part: Projection(whole, Constant(other))})


def other_comparisons(term: Term) -> Iterator[Variation]:
    """Yield a condition with one comparison or connective done differently."""
    yield "negated", operation("not", term)
    for part in subterms(term):
        if not isinstance(part, Operation):
            continue
        for head in COMPARISONS.get(part.head, ()):
            if head == "!=" or not any(map(_may_be_text, part.operands)):
                new = operation(head, *part.operands)
                yield f"`{part.head}` becomes `{head}`", replaced(term, {part: new})
        if part.head in ("and", "or"):
            other = SIBLINGS[part.head]
            yield (
                f"`{part.head}` becomes `{other}`",
                replaced(term, {part: operation(other, *part.operands)}),
            )


def is_stricter(new: Term, old: Term) -> bool:
    """Tell whether a changed condition plainly holds nowhere else than the one it was made from."""
    if not isinstance(new, Operation) or not isinstance(old, Operation):
        return False
    pairs = list(zip(new.operands, old.operands, strict=False))
    if all(mine is before for mine, before in pairs):
        return (old.head, new.head) in STRICTER
    same = new.head == old.head and new.head in ("and", "or")
    return same and all(mine is before or is_stricter(mine, before) for mine, before in pairs)


def _may_be_text(term: Term) -> bool:
    """Tell whether a term may be something that has no order."""
    if isinstance(term, Constant):
        return not _is_number(term.value)
    named = ("shape", "dtype", "layout", "value")
    return isinstance(term, Access) and term.name.endswith(named)


def loosened_fields(term: Term) -> Iterator[Variation]:
    """Yield a tuple with one element left open."""
    fields = fields_of(term)
    for position, part in enumerate(fields):
        if not isinstance(part, Anything):
            changed = (*fields[:position], ANYTHING, *fields[position + 1 :])
            yield f"element {position} may be anything", TupleOf(changed)


def plain_value(term: Term) -> Any:
    """Return the value of a constant term, or None when it has none that is known."""
    if isinstance(term, Constant):
        return term.value
    if isinstance(term, TupleOf) and all(isinstance(part, Constant) for part in term.fields):
        values = tuple(part.value for part in term.fields if isinstance(part, Constant))
        return None if is_symbolic(values) else values
    return None
