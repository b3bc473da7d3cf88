"""Finds the laws of the table that speak about an expression."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any

from gsl.attr.term import Operation, Symbol, Term, children, subterms
from gsl.kernel.expression import (
    Apply,
    Expression,
    Number,
    Read,
    Reduction,
    Select,
    parts,
    with_parts,
)
from gsl.kernel.meaning import select
from gslverify.certificates.field import key_of
from gslverify.certificates.gathered import HOLE
from gslverify.certificates.inputs import COMPARED, WHOLE
from gslverify.certificates.laws import ROWS, filled
from gslverify.certificates.model import OF_RINGS, Model
from gslverify.prove.indices.replacing import Mapped, put
from gslverify.prove.laws.law import Law, Numbers

Bound = Mapping[str, Expression]

BY_HEAD: Mapping[str, tuple[Law, ...]] = {
    head: tuple(row for row in ROWS if row.left.function == head)
    for head in dict.fromkeys(row.left.function for row in ROWS)
}


def suggested_laws(
    expression: Apply, model: Model, compares: bool
) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Yield laws that say what an expression is, with what they speak about."""
    if compares and expression.function not in OF_RINGS:
        yield from _fitting(expression.arguments, model)
    if expression.function in COMPARED and compares:
        yield from (("arithmetic", (expression, Number(holds))) for holds in (1, 0))
    if expression.function == "cast":
        value, old, new = expression.arguments
        assert isinstance(old, Number)
        assert isinstance(new, Number)
        while isinstance(value, Apply) and value.function == "cast":
            value = value.arguments[0]
        yield "a wider dtype", (value, old.value, new.value)
    else:
        yield from suggested_rows(expression, model)


def _fitting(computed: Iterable[Expression], model: Model) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Yield that integers are what their dtypes hold of them, where that is not known."""
    for one in computed:
        if isinstance(one, Apply) and one.function in WHOLE and not model.fits(one):
            yield "fits", (one, model.inputs.dtype_of(one))


def suggested_rows(expression: Apply, model: Model) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Yield laws that say what an expression is, with what their unknowns are."""
    for row in BY_HEAD.get(expression.function, ()):
        if (row.of is Numbers.REALS) is not model.is_field:
            continue
        for bound in _all(row.left.arguments, expression.arguments, {}, model):
            if row.name == "exp of a multiple" and not _is_count(bound["b"]):
                continue
            yield from _fitting((filled(one, bound) for one in row.fits), model)
            names = sorted(bound)
            yield row.name, tuple(bound[name] for name in names)
            break


def _is_count(expression: Expression) -> bool:
    return isinstance(expression, Number) and isinstance(expression.value, int)


def _all(
    patterns: Sequence[Any], values: Sequence[Expression], bound: Bound, model: Model
) -> Iterator[Bound]:
    if not patterns:
        yield bound
        return
    for first in _one(patterns[0], values[0], bound, model):
        yield from _all(patterns[1:], values[1:], first, model)


def _one(pattern: Any, value: Expression, bound: Bound, model: Model) -> Iterator[Bound]:
    match pattern:
        case Read(tensor=name):
            if name not in bound or _same(bound[name], value, model):
                yield {**bound, name: bound.get(name, value)}
        case Number():
            if _same(pattern, value, model):
                yield bound
        case Apply(function="neg", arguments=(inner,)):
            opposite = _opposite(value, model)
            if opposite is not None:
                yield from _one(inner, opposite, bound, model)
        case Apply(function="+" | "*" as head, arguments=arguments):
            parts = list(_summands(value) if head == "+" else _factors(value))
            for place, part in enumerate(parts if len(parts) > 1 else ()):
                rest = parts[:place] + parts[place + 1 :]
                whole = reduce(lambda a, b: Apply(head, (a, b)), rest)
                for pair in ((part, whole), (whole, part)):
                    yield from _all(arguments, pair, bound, model)
        case Apply(function=head, arguments=arguments):
            if isinstance(value, Apply) and value.function == head:
                yield from _all(arguments, value.arguments, bound, model)


def _same(one: Expression, other: Expression, model: Model) -> bool:
    return bool(key_of(model.value(one)) == key_of(model.value(other)))


def _opposite(value: Expression, model: Model) -> Expression | None:
    match value:
        case Apply(function="neg", arguments=(inner,)):
            return inner
        case Number(value=number) if not isinstance(number, Term) and number < 0:
            return Number(-number)
        case Apply(function="*", arguments=(one, other)):
            for a, b in ((one, other), (other, one)):
                negative = _opposite(a, model)
                if negative is not None:
                    return Apply("*", (negative, b))
    return None


def _summands(value: Expression) -> Iterator[Expression]:
    match value:
        case Apply(function="+", arguments=(one, other)):
            yield from _summands(one)
            yield from _summands(other)
        case Apply(function="-", arguments=(one, other)):
            yield from _summands(one)
            for part in _summands(other):
                yield Apply("neg", (part,))
        case Apply(function="neg", arguments=(inner,)):
            for part in _summands(inner):
                yield Apply("neg", (part,))
        case _:
            yield value


def _factors(value: Expression) -> Iterator[Expression]:
    match value:
        case Apply(function="*", arguments=(one, other)):
            yield from _factors(one)
            yield from _factors(other)
        case _:
            yield value


def made_of(left: Expression, right: Expression) -> list[tuple[Expression, Expression]] | None:
    """Return what two elements are made of, in the same way and over the same indices."""
    match left, right:
        case Apply(function=head), Apply(function=other) if head == other:
            return list(zip(left.arguments, right.arguments, strict=True))
        case Select(), Select():
            return [(left.then, right.then), (left.otherwise, right.otherwise)]
        case Reduction(function=head), Reduction(function=other) if head == other:
            if len(left.variables) != len(right.variables):
                return None
            pairs = zip(left.variables, right.variables, strict=True)
            renamed = {b: a for (a, _), (b, _) in pairs}
            return [(left.body, _put_in(right.body, renamed))]
    return None


def _put_in(expression: Expression, places: Mapped) -> Expression:
    """Return an expression with terms in place of indices."""
    match expression:
        case Number(value=value):
            return Number(put(value, places))
        case Read(tensor=name, indices=indices):
            return Read(name, tuple(put(one, places) for one in indices))
        case Select(condition=condition, then=then, otherwise=otherwise):
            sides = (_put_in(one, places) for one in (then, otherwise))
            return select(put(condition, places), *sides)
        case Reduction(function=head, variables=variables, body=body):
            bound = tuple((symbol, put(extent, places)) for symbol, extent in variables)
            return Reduction(head, bound, _put_in(body, places))
    inner = (_put_in(one, places) for one in parts(expression))
    return with_parts(expression, tuple(inner))


def invented_in(definitions: Sequence[Term]) -> dict[Symbol, Any]:
    """Return the symbols that stand for values, with these."""
    found: dict[Symbol, Any] = {}
    for symbol, value in map(children, definitions):
        assert isinstance(symbol, Symbol)
        found[symbol] = put(value, found)
    return found


def chosen_in(whole: Expression) -> Iterator[tuple[Expression, tuple[Any, ...]]]:
    """Yield the sums in an expression of which one term counts: index, place and term of each."""
    match whole:
        case Reduction("sum", ((symbol, _),), Apply("select", (chosen, body, Number(0)))):
            match chosen:
                case Apply("==", (place, Number(index))) if index is symbol:
                    yield whole, (whole.variables, place, body)
    for part in parts(whole):
        yield from chosen_in(part)


def with_holes(whole: Expression, is_same: Callable[[Expression], bool]) -> Expression:
    """Return an expression with holes where it has the same."""
    if is_same(whole):
        return HOLE
    return with_parts(whole, tuple(with_holes(part, is_same) for part in parts(whole)))


def size_of(term: Any) -> int:
    """Return how many parts a term has."""
    return sum(1 for _ in subterms(term)) if isinstance(term, Term) else 0


def has_quotient(atoms: Iterable[Any]) -> bool:
    """Tell whether one of some terms is a quotient."""
    return any(isinstance(one, Operation) and one.head == "//" for one in atoms)
