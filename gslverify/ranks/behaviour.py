"""What calls do along axes, found out by taking an axis away.

The call that is left has to be of the type, and its kernel has to be the one, that are left of the
type and the kernel before. Of sizes and dtypes nothing is known but which are the same, so what is
found holds for all calls of an operator with tensors of the same ranks and the same attributes.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any

from gsl.attr.conjuncts import conjuncts
from gsl.attr.term import Symbol, Term, free_symbols
from gsl.errors import GslError
from gsl.expr import Call
from gsl.kernel.expression import Expression, Read, Reduction, walk
from gsl.kernel.meaning import Elements, named
from gsl.operators import Operator
from gsl.operators.declaration import Need
from gsl.types import Int, TensorType, TupleType, Type
from gslverify.ranks.attributes import Around, without_axis
from gslverify.ranks.sameness import Comparison, same_term, written
from gslverify.ranks.tensors import Tensor, dropped, tensors_of


class Along(Enum):
    """What a call does along an axis.

    PLAIN: every element is computed from elements at its own index, whatever it is. COMBINED: the
    elements along the axis are combined, in any order. SPECIAL: anything else.
    """

    PLAIN = "plain"
    COMBINED = "combined"
    SPECIAL = "special"


@dataclass(frozen=True, slots=True)
class Removal:
    """What a call does along an axis, and which of its demands are lost where that is gone.

    `scaled` are the numbers of the kernel in which the size along the axis is a factor.
    """

    along: Along
    lost: tuple[int, ...] = ()
    scaled: tuple[int, ...] = ()


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
        if not all(same_term(canonical[name], value) for name, value in attributes.items()):
            return SPECIAL
        result = self.operator.infer(operands, attributes, need)
        if not self._has_results(result, types):
            return SPECIAL
        left = set(_parts(need))
        if not left <= set(self.demands):
            return SPECIAL
        lost = [number for number, part in enumerate(self.demands) if part not in left]
        along, scaled = self._compared(axes, types, attributes)
        return Removal(along, tuple(lost), scaled)

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
    ) -> tuple[Along, tuple[int, ...]]:
        """Compare the kernel with that of the call without the axis."""
        read = {str(n): axis for n, axis in axes.items() if n < self.operand_count}
        sizes = frozenset(
            size
            for number, axis in axes.items()
            if number < self.operand_count
            for size in [self.types[number].shape[axis]]
            if isinstance(size, Symbol)
        )
        gone = [axes.get(self.operand_count + n) for n in range(len(self.indices))]
        left = [dropped(index, axis) for index, axis in zip(self.indices, gone, strict=True)]
        parts = self._elements(types[: self.operand_count], attributes, left)
        scaled: list[int] = []
        is_combined = False
        for one, other, index, axis in zip(self.elements, parts, self.indices, gone, strict=True):
            comparison = Comparison(read, None if axis is None else index[axis], sizes)
            if not comparison.same(one, other):
                return Along.SPECIAL, ()
            is_combined |= bool(comparison.combined)
            scaled += comparison.scaled
        if scaled and not is_combined:
            return Along.SPECIAL, ()
        return (Along.COMBINED if is_combined else Along.PLAIN), tuple(scaled)


def _single(views: Sequence[Elements], group: Group) -> Elements:
    return views[group[0]]


def _parts(need: Need) -> list[Hashable]:
    return [written(part) for term, _ in need.claims for part in conjuncts(term)]


class Behaviours:
    """The behaviours of all calls of a rule, each found out once."""

    def __init__(self) -> None:
        self._known: dict[Hashable, Behaviour] = {}

    def of(self, call: Call) -> tuple[Behaviour, list[Tensor]]:
        """Return the behaviour of a call, and its tensors by their numbers."""
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
        ranks = tuple((one.ndim, names.key(one.dtype)) for one in declared)
        attributes = tuple((name, names.key(value)) for name, value in call.attributes.items())
        key = call.operator.name, attributes, tuple(groups), is_tuple, ranks
        if key not in self._known:
            self._known[key] = _behaviour(call, tuple(groups), is_tuple, declared, names)
        return self._known[key], [*numbers, *(tensor for tensor, _ in made)]


class _Names:
    """Symbols of one call by numbers, so that calls that differ in their names only are one."""

    def __init__(self) -> None:
        self._symbols: dict[int, Symbol] = {}

    def generic(self, value: Any) -> Any:
        """Return a value with another symbol for each that is in it by itself or in a tuple."""
        if isinstance(value, tuple):
            return tuple(map(self.generic, value))
        if not isinstance(value, Symbol):
            return value
        name = f"a{len(self._symbols)}"
        made = Symbol(name, value.sort, value.low, value.high)
        return self._symbols.setdefault(id(value), made)

    def key(self, value: Any) -> Hashable:
        """Return what tells attributes and dtypes apart; other terms have their identities."""
        found = self.generic(value)
        match found:
            case tuple():
                return tuple(map(self.key, value))
            case Symbol():
                return "symbol", found.name, found.sort, found.low, found.high
            case Term():
                return "term", id(value)
            case _:
                return type(value).__name__, value


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
    attributes = {name: names.generic(value) for name, value in call.attributes.items()}
    many = isinstance(call.type, TupleType)
    known = tuple(types)
    behaviour = Behaviour(call.operator, attributes, groups, is_tuple, known, len(known), many)
    result = call.operator.infer(behaviour.as_taken(types), attributes, Need())
    fields = (result,) if isinstance(result, TensorType) else result.fields
    behaviour.types += tuple(field for field in fields if isinstance(field, TensorType))
    return behaviour
