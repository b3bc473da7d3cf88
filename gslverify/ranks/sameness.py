"""Whether a kernel without an axis is the kernel with it, seen at one index of that axis.

An axis that an element is combined along drops out of the reduction, and its size out of products.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from gsl.attr.conjuncts import conjuncts
from gsl.attr.evaluate import conjunction
from gsl.attr.term import Constant, Operation, Symbol, Term, free_symbols
from gsl.kernel.expression import Apply, Expression, Number, Read, Reduction, Select
from gsl.types import Bool, Int


def written(value: Any) -> Hashable:
    """Return what values of attributes that are written alike, with the same symbols, share."""
    match value:
        case Constant(value=known):
            return written(known)
        case Operation(head=head, operands=operands):
            return "operation", head, *map(written, operands)
        case tuple():
            return "tuple", *map(written, value)
        case Term():
            return "term", id(value)
        case _:
            return type(value).__name__, value


NOTHING: Mapping[Symbol, Symbol] = MappingProxyType({})


def same_term(one: Any, other: Any, renamed: Mapping[Symbol, Symbol] = NOTHING) -> bool:
    """Tell whether two values of attributes are written alike, with other names for symbols."""
    match one, other:
        case Symbol(), Symbol():
            return renamed.get(one, one) is other
        case Operation(), Operation():
            return one.head == other.head and _all_same(one.operands, other.operands, renamed)
        case tuple(), tuple():
            return _all_same(one, other, renamed)
        case Constant(value=value), _:
            return same_term(value, other, renamed)
        case Term(), _:
            return False
        case _:
            found = _value(other)
            if isinstance(found, tuple | Term):
                return isinstance(one, tuple) and same_term(one, found, renamed)
            return type(one) is type(found) and bool(one == found)


def _value(given: Any) -> Any:
    return given.value if isinstance(given, Constant) else given


def _all_same(ones: Any, others: Any, renamed: Mapping[Symbol, Symbol]) -> bool:
    if len(ones) != len(others):
        return False
    return all(same_term(one, other, renamed) for one, other in zip(ones, others, strict=True))


@dataclass(slots=True)
class Comparison:
    """Compares kernels of which the second lacks an axis.

    `axes` says which axis of each operand is gone, by the operand's number, `index` what results
    are read at along it, and `sizes` how many elements operands have along it, by their numbers;
    those in `units` have one. `others` are all other indices that the kernel speaks of.

    What is found on the way is whether the axis is one to combine along: the `combined` variables,
    and the numbers in which its size was a factor, by their place in the kernel; and whether
    elements are read elsewhere along it than at the index of the result: at what index reads are
    `moved` along it, and which conditions about it `guards` are, by the identity of the expression.
    """

    axes: Mapping[str, int]
    index: Symbol | None
    sizes: Mapping[str, Int]
    size: Int | None = None
    units: frozenset[Symbol] = frozenset()
    others: frozenset[Symbol] = frozenset()
    moved: dict[int, Int] = field(default_factory=dict)
    guards: dict[int, tuple[Term, ...]] = field(default_factory=dict)
    combined: set[Symbol] = field(default_factory=set)
    scaled: list[int] = field(default_factory=list)
    renamed: dict[Symbol, Symbol] = field(default_factory=dict)
    numbers: int = 0

    def same(self, one: Expression, other: Expression) -> bool:
        """Tell whether `one` is what `other` is, at any index along the axis that is gone."""
        match one, other:
            case Number(), Number():
                return self._same_number(one.value, other.value)
            case Read(), Read():
                return self._same_read(one, other)
            case Apply(), Apply():
                same = one.function == other.function
                return same and self._all(one.arguments, other.arguments)
            case Select(), Select():
                sides = (one.then, one.otherwise), (other.then, other.otherwise)
                return self._same_condition(one, other) and self._all(*sides)
            case Reduction(), _:
                return self._same_reduction(one, other)
            case _:
                return False

    def _all(self, ones: tuple[Expression, ...], others: tuple[Expression, ...]) -> bool:
        if len(ones) != len(others):
            return False
        return all(self.same(one, other) for one, other in zip(ones, others, strict=True))

    def _same_number(self, one: Any, other: Any) -> bool:
        self.numbers += 1
        if same_term(one, other, self.renamed):
            return True
        factors, left = _factors(one), _factors(other)
        gone = [factor for factor in factors if self._is_size(factor)]
        if len(gone) != 1:
            return False
        self.scaled.append(self.numbers)
        kept = [factor for factor in factors if factor is not gone[0]]
        return _all_same(kept, left, self.renamed)

    def _same_condition(self, one: Select, other: Select) -> bool:
        """Tell whether a condition is another one, with more that is about the axis alone."""
        left, lost = list(conjuncts(other.condition)), []
        for part in conjuncts(one.condition):
            if left and same_term(part, left[0], self.renamed):
                del left[0]
            elif self._is_along(part):
                lost.append(part)
            else:
                return False
        if lost:
            self.guards[id(one)] = tuple(lost)
        return not left

    def _same_read(self, one: Read, other: Read) -> bool:
        if one.tensor != other.tensor or one.guarded != other.guarded:
            return False
        axis = self.axes.get(one.tensor)
        if axis is None:
            return _all_same(one.indices, other.indices, self.renamed)
        kept = (*one.indices[:axis], *one.indices[axis + 1 :])
        index, size = one.indices[axis], self.sizes[one.tensor]
        if not self._is_plain(index, size):
            if not self._is_along(index):
                return False
            self.moved[id(one)] = index
        if one.guarded and index not in self.combined and not same_term(size, self.size):
            inside = conjunction(index >= 0, index < size)
            self.guards[id(one)] = (inside,) if isinstance(inside, Term) else ()
        return _all_same(kept, other.indices, self.renamed)

    def _is_along(self, term: Bool | Int) -> bool:
        """Tell whether a term speaks of no index but that of the result along the axis."""
        return not isinstance(term, Term) or self.others.isdisjoint(free_symbols(term))

    def _is_size(self, value: Any) -> bool:
        return isinstance(value, Symbol) and any(value is size for size in self.sizes.values())

    def _is_plain(self, index: Int, size: Int) -> bool:
        """Tell whether an axis is read at the index of the result, or where its one element is."""
        match index:
            case Symbol():
                return index is self.index or index in self.combined
            case Operation(
                head="cond",
                operands=(
                    Operation(head="==", operands=(asked, Constant(value=1))),
                    Constant(value=0),
                    Symbol() as at,
                ),
            ):
                return asked is size and at is self.index
            case Constant(value=0):
                return size in self.units
            case _:
                return type(index) is int and index == 0 and size in self.units

    def _same_reduction(self, one: Reduction, other: Expression) -> bool:
        gone = [symbol for symbol, extent in one.variables if self._is_size(extent)]
        if len(gone) > 1:
            return False
        self.combined.update(gone)
        kept = [(symbol, of) for symbol, of in one.variables if not self._is_size(of)]
        if not kept:
            return self.same(one.body, other)
        if not isinstance(other, Reduction) or one.function != other.function:
            return False
        if len(kept) != len(other.variables):
            return False
        for (symbol, _), (renamed, _) in zip(kept, other.variables, strict=True):
            self.renamed[symbol] = renamed
        extents = [extent for _, extent in kept], [extent for _, extent in other.variables]
        return _all_same(*extents, self.renamed) and self.same(one.body, other.body)


def _factors(term: Any) -> list[Any]:
    """Return the factors of a product, without those that are 1."""
    found, stack = [], [term]
    while stack:
        part = stack.pop()
        if isinstance(part, Operation) and part.head == "*":
            stack += reversed(part.operands)
        elif isinstance(part, Symbol) or not same_term(part, 1):
            found.append(part)
    return found
