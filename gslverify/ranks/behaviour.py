"""What calls do along axes, found out by taking an axis away.

The call that is left has to be of the type, and its kernel has to be the one, that are left of the
type and the kernel before. Of sizes and dtypes nothing is known but which are the same, so what is
found holds for all calls of an operator with tensors of the same ranks and the same attributes.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from typing import Any

from gsl.attr.conjuncts import conjuncts
from gsl.attr.term import Symbol, Term, free_symbols, operation
from gsl.errors import GslError
from gsl.expr import Call
from gsl.kernel.expression import Expression, Read, Reduction, walk
from gsl.kernel.meaning import Elements, named
from gsl.operators import Operator
from gsl.operators.declaration import Need
from gsl.operators.domain import Sizes
from gsl.types import Int, TensorType, TupleType, Type
from gslverify.ranks.attributes import Around, without_axis
from gslverify.ranks.sameness import Comparison, same_term, written
from gslverify.ranks.tensors import Tensor, dropped, tensors_of


class Along(Enum):
    """What a call does along an axis.

    PLAIN: every element is computed from elements at its own index, whatever it is. MOVED: it is
    computed from elements at one index that may be another one, or only under conditions about the
    index. COMBINED: the elements along the axis are combined, in any order. SPECIAL: anything else.
    """

    PLAIN = "plain"
    MOVED = "moved"
    COMBINED = "combined"
    SPECIAL = "special"


@dataclass(frozen=True, slots=True)
class Removal:
    """What a call does along an axis, and which of its demands are lost where that is gone.

    `scaled` are the numbers of the kernel in which the size along the axis is a factor. `moved` are
    the indices of reads along the axis that are not that of the result, and `guards` the conditions
    about it, by the identities of the expressions that they are in.
    """

    along: Along
    lost: tuple[int, ...] = ()
    scaled: tuple[int, ...] = ()
    moved: Mapping[int, Int] = field(default_factory=dict)
    guards: Mapping[int, tuple[Term, ...]] = field(default_factory=dict)


SPECIAL = Removal(Along.SPECIAL)

Axes = tuple[tuple[int, int], ...]
"""One axis of some tensors, which are numbered: operands first, then results."""

ReadAt = tuple[int | str, int]
"""An axis of a tensor, or "bound" and the identity of an index that a kernel combines along."""

Group = tuple[int, ...]
"""An operand: the number of a tensor, or those of the fields of a tuple."""


@dataclass(eq=False)
class Behaviour:
    """What an operator does with tensors of some ranks.

    Operands that are one tensor have one number; `is_tuple` tells which groups are tuples.
    """

    operator: Operator
    attributes: Mapping[str, Any]
    groups: tuple[Group, ...]
    is_tuple: tuple[bool, ...]
    types: tuple[TensorType, ...]
    operand_count: int
    makes_tuple: bool

    @cached_property
    def indices(self) -> list[tuple[Symbol, ...]]:
        """The index of an element of each result."""
        made = self.types[self.operand_count :]
        return [tuple(Symbol(f"i{axis}", low=0) for axis in range(one.ndim)) for one in made]

    @cached_property
    def elements(self) -> list[Expression]:
        """What an element of each result is."""
        return self._elements(self.types, self.attributes, self.indices)

    @cached_property
    def demands(self) -> list[Hashable]:
        """What the operator demands of the sizes, as it is written."""
        need = Need()
        self.operator.infer(self.as_taken(self.types), self.attributes, need)
        return _parts(need)

    @cached_property
    def _removals(self) -> dict[Axes, Removal]:
        return {}

    def removal(self, axes: Axes) -> Removal:
        """Return what the operator does along an axis that its tensors share."""
        if axes not in self._removals:
            try:
                self._removals[axes] = self._removal(dict(axes))
            except GslError:
                self._removals[axes] = SPECIAL
        return self._removals[axes]

    def joined(self) -> Iterator[tuple[tuple[int, int], ReadAt]]:
        """Yield axes of operands with what they are read at: axes of results, bound indices."""
        names: dict[Symbol, ReadAt] = {
            symbol: (self.operand_count + number, axis)
            for number, index in enumerate(self.indices)
            for axis, symbol in enumerate(index)
        }
        parts = [part for element in self.elements for part in walk(element)]
        for part in parts:
            if isinstance(part, Reduction):
                names.update((symbol, ("bound", id(symbol))) for symbol, _ in part.variables)
        for read in (part for part in parts if isinstance(part, Read)):
            for axis, index in enumerate(read.indices):
                for symbol in free_symbols(index) if isinstance(index, Term) else ():
                    if symbol in names:
                        yield (int(read.tensor), axis), names[symbol]

    def combines_together(self, removals: Sequence[Removal], axes: set[tuple[int, int]]) -> bool:
        """Tell whether the operator combines along all of some axes of operands at once."""
        if len({one.scaled for one in removals}) > 1:
            return False
        owners = {
            id(size): (number, axis)
            for number, one in enumerate(self.types[: self.operand_count])
            for axis, size in enumerate(one.shape)
        }
        for part in (part for element in self.elements for part in walk(element)):
            if isinstance(part, Reduction):
                along = {owners.get(id(extent)) for _, extent in part.variables}
                if along & axes and not axes <= along:
                    return False
        return True

    def _elements(
        self, types: Sequence[TensorType], attributes: Mapping[str, Any], indices: Any
    ) -> list[Expression]:
        """Return what an element of each result is; the tensors it reads are named by numbers."""
        views = [named(str(number), one) for number, one in enumerate(types)]
        given = [
            tuple(views[number] for number in group) if many else _single(views, group)
            for group, many in zip(self.groups, self.is_tuple, strict=True)
        ]
        return [
            self.operator.element(index, given, attributes, n if self.makes_tuple else None)
            for n, index in enumerate(indices)
        ]

    def as_taken(self, types: Sequence[TensorType]) -> tuple[Type, ...]:
        """Return the types of operands as the operator takes them."""
        return tuple(
            TupleType(tuple(types[number] for number in group)) if many else types[group[0]]
            for group, many in zip(self.groups, self.is_tuple, strict=True)
        )

    def _removal(self, axes: Mapping[int, int]) -> Removal:
        types = [
            one.with_shape(dropped(one.shape, axes.get(number)))
            for number, one in enumerate(self.types)
        ]
        attributes = without_axis(self.operator, self.attributes, self._around(axes))
        if attributes is None:
            return SPECIAL
        operands, need = self.as_taken(types), Need()
        canonical = self.operator.normalise(attributes, operands)
        whole = self.operator.normalise(self.attributes, self.as_taken(self.types))
        expected = without_axis(self.operator, whole, self._around(axes))
        if expected is None or not all(
            same_term(canonical[name], value) for name, value in expected.items()
        ):
            return SPECIAL
        result = self.operator.infer(operands, attributes, need)
        if not self._has_results(result, types):
            return SPECIAL
        left = set(_parts(need))
        if not left <= set(self.demands):
            return SPECIAL
        lost = [number for number, part in enumerate(self.demands) if part not in left]
        return replace(self._compared(axes, types, attributes), lost=tuple(lost))

    def _around(self, axes: Mapping[int, int]) -> Around:
        first = next((number for group in self.groups for number in group), None)
        rank, gone = (0, None) if first is None else (self.types[first].ndim, axes.get(first))
        made = self.operand_count
        return Around(rank, gone, self.types[made].ndim, axes.get(made))

    def _has_results(self, result: Type, types: Sequence[TensorType]) -> bool:
        """Tell whether results are of the types that are left of theirs."""
        fields = [result] if isinstance(result, TensorType) else list(result.fields)
        made = list(self._made(types))
        if len(fields) != len(made):
            return False
        return all(
            isinstance(one, TensorType)
            and same_term(one.shape, other.shape)
            and same_term(one.dtype, other.dtype)
            for one, other in zip(fields, made, strict=True)
        )

    def _made(self, types: Sequence[TensorType]) -> Sequence[TensorType]:
        return types[self.operand_count :]

    def _compared(
        self, axes: Mapping[int, int], types: Sequence[TensorType], attributes: Mapping[str, Any]
    ) -> Removal:
        """Compare the kernel with that of the call without the axis."""
        count = self.operand_count
        read = {str(n): axis for n, axis in axes.items() if n < count}
        sizes = {str(n): self.types[n].shape[axis] for n, axis in axes.items() if n < count}
        units = {size for size in sizes.values() if isinstance(size, Symbol) and self._is_one(size)}
        gone = [axes.get(count + n) for n in range(len(self.indices))]
        left = [dropped(index, axis) for index, axis in zip(self.indices, gone, strict=True)]
        parts = self._elements(types[:count], attributes, left)
        found = Removal(Along.PLAIN)
        for number, (one, other, axis) in enumerate(zip(self.elements, parts, gone, strict=True)):
            at = None if axis is None else self.indices[number][axis]
            size = None if axis is None else self.types[count + number].shape[axis]
            others = self._others(number, at)
            comparison = Comparison(read, at, sizes, size, frozenset(units), others)
            if not comparison.same(one, other):
                return SPECIAL
            found = _both(found, comparison)
        return SPECIAL if found.scaled and found.along is not Along.COMBINED else found

    def _is_one(self, size: Symbol) -> bool:
        """Tell whether the operator demands of a size that it is 1."""
        return written(operation("==", size, 1)) in self.demands

    def _others(self, number: int, index: Symbol | None) -> frozenset[Symbol]:
        """Return all indices of which an element of a result speaks, but one."""
        bound = [
            symbol
            for part in walk(self.elements[number])
            if isinstance(part, Reduction)
            for symbol, _ in part.variables
        ]
        return frozenset((*self.indices[number], *bound)) - {index}


def _both(found: Removal, comparison: Comparison) -> Removal:
    """Return what a call does along an axis that makes several results."""
    moved = {**found.moved, **comparison.moved}
    guards = {**found.guards, **comparison.guards}
    is_combined = found.along is Along.COMBINED or bool(comparison.combined)
    if found.along is Along.SPECIAL or (is_combined and (moved or guards)):
        return SPECIAL
    along = Along.COMBINED if is_combined else Along.MOVED if moved or guards else Along.PLAIN
    scaled = (*found.scaled, *comparison.scaled)
    return Removal(along, scaled=scaled, moved=moved, guards=guards)


def _single(views: Sequence[Elements], group: Group) -> Elements:
    return views[group[0]]


def _parts(need: Need) -> list[Hashable]:
    return [written(part) for term, _ in need.claims for part in conjuncts(term)]


class Behaviours:
    """The behaviours of all calls of a rule, each found out once."""

    def __init__(self) -> None:
        self._known: dict[Hashable, tuple[Behaviour, list[Symbol]]] = {}

    def of(self, call: Call) -> tuple[Behaviour, list[Tensor], dict[Symbol, Int]]:
        """Return the behaviour of a call, its tensors by their numbers, and what symbols are."""
        numbers: dict[Tensor, int] = {}
        declared: list[TensorType] = []
        groups = []
        for operand in call.operands:
            for tensor, one in tensors_of(operand):
                if tensor not in numbers:
                    numbers[tensor] = len(declared)
                    declared.append(one)
            groups.append(tuple(numbers[tensor] for tensor, _ in tensors_of(operand)))
        made = tensors_of(call)
        is_tuple = tuple(isinstance(operand.type, TupleType) for operand in call.operands)
        names = _Names()
        ranks = tuple((one.ndim, names.key(names.generic(one.dtype))) for one in declared)
        attributes = tuple((name, names.key(v)) for name, v in names.attributes(call).items())
        key = call.operator.name, attributes, tuple(groups), is_tuple, ranks
        if key not in self._known:
            made_behaviour = _behaviour(call, tuple(groups), is_tuple, declared, names)
            self._known[key] = made_behaviour, names.symbols
        behaviour, symbols = self._known[key]
        values = dict(zip(symbols, names.values, strict=True))
        for general, one in zip(behaviour.types, declared, strict=False):
            values.update(zip(general.shape, one.shape, strict=True))
        return behaviour, [*numbers, *(tensor for tensor, _ in made)], values


class _Names:
    """Symbols of one call by numbers, so that calls that differ in their names only are one.

    A term among `sizes` is one symbol too, of which nothing is known.
    """

    def __init__(self) -> None:
        self._known: dict[int, Symbol] = {}
        self.values: list[Term] = []

    @property
    def symbols(self) -> list[Symbol]:
        """The symbols in the order in which they were made."""
        return list(self._known.values())

    def generic(self, value: Any, sizes: bool = False) -> Any:
        """Return a value with another symbol for each that is in it by itself or in a tuple."""
        if isinstance(value, tuple):
            return tuple(self.generic(field, sizes) for field in value)
        if not isinstance(value, Symbol) and not (sizes and isinstance(value, Term)):
            return value
        if id(value) not in self._known:
            self._known[id(value)] = self._made(value)
            self.values.append(value)
        return self._known[id(value)]

    def _made(self, value: Term) -> Symbol:
        name = f"a{len(self._known)}"
        if isinstance(value, Symbol):
            return Symbol(name, value.sort, value.low, value.high)
        return Symbol(name)

    def attributes(self, call: Call) -> dict[str, Any]:
        """Return the attributes of a call with other symbols."""
        domains = {name: one.domain for name, one in call.operator.attributes.items()}
        return {
            name: self.generic(value, isinstance(domains[name], Sizes))
            for name, value in call.attributes.items()
        }

    def key(self, generic: Any) -> Hashable:
        """Return what tells attributes and dtypes apart; other terms have their identities."""
        match generic:
            case tuple():
                return tuple(map(self.key, generic))
            case Symbol():
                return "symbol", generic.name, generic.sort, generic.low, generic.high
            case Term():
                return "term", id(generic)
            case _:
                return type(generic).__name__, generic


def _behaviour(
    call: Call,
    groups: tuple[Group, ...],
    is_tuple: tuple[bool, ...],
    declared: Sequence[TensorType],
    names: _Names,
) -> Behaviour:
    types: list[TensorType] = []
    for number, one in enumerate(declared):
        sizes: tuple[Int, ...] = tuple(Symbol(f"n{number}.{a}", low=1) for a in range(one.ndim))
        types.append(TensorType(sizes, names.generic(one.dtype)))
    attributes = names.attributes(call)
    many = isinstance(call.type, TupleType)
    known = tuple(types)
    behaviour = Behaviour(call.operator, attributes, groups, is_tuple, known, len(known), many)
    result = call.operator.infer(behaviour.as_taken(types), attributes, Need())
    fields = (result,) if isinstance(result, TensorType) else result.fields
    behaviour.types += tuple(field for field in fields if isinstance(field, TensorType))
    return behaviour
