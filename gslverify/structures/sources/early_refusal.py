"""Operands that an operator refuses whatever its attributes and further fields are.

Most operators say first how many axes their operands must have. So their shape rules are run before
attributes are chosen, with attributes that stop them at the first look. What joins tensors refuses
the first of them that do not fit, whatever others follow.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NoReturn

from gsl.errors import OperatorError
from gsl.match.bindings import Frame, Key, frame_of, instance_of
from gsl.operators import Operator
from gsl.operators.declaration import Need
from gsl.operators.defined import Attributes
from gsl.pat import Call, Pattern, Tuple, Variadic
from gsl.subst import Subst
from gsl.types import Type


class _SeenError(Exception):
    """A shape rule has looked at an attribute."""


def _seen(*_: Any) -> NoReturn:
    raise _SeenError


class _Unseen:
    """An attribute of which nothing may be known; even asking for its class is noticed."""

    __slots__ = ()

    __class__ = property(_seen)


LOOKS = """getattribute getitem iter len contains bool index int float hash eq ne lt le gt ge neg
abs add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod pow rpow and rand or ror
invert str repr format call"""

for _name in LOOKS.split():
    setattr(_Unseen, f"__{_name}__", _seen)

UNSEEN: Any = object.__new__(_Unseen)


def refuse_anyway(operator: Operator, operands: tuple[Type, ...], known: Attributes) -> None:
    """Raise OperatorError if an operator is seen to refuse operands with any other attributes.

    The `known` attributes are as they are.
    """
    if len(known) == len(operator.attributes):
        return
    unseen = {name: known.get(name, UNSEEN) for name in operator.attributes}
    try:
        operator.rule(Need(), *operands, **unseen)
    except OperatorError:
        raise
    except Exception:  # what else a rule raises that has not seen its attributes says nothing
        return


class Joins:
    """The tuples of a source that operators join, by their fields."""

    def __init__(self, subst: Subst) -> None:
        self._tuples: dict[Pattern, list[tuple[Operator, Pattern]]] = defaultdict(list)
        for pattern in subst.source_patterns:
            if not isinstance(pattern, Call) or not isinstance(pattern.callee, Operator):
                continue
            operator, operands = pattern.callee, pattern.operands
            if len(operands) == 1 and operator.operands[0].is_tuple:
                for field in operands[0].operands:
                    self._tuples[field].append((operator, operands[0]))

    def fields_up_to(self, key: Key) -> Iterator[tuple[Operator, list[Key]]]:
        """Yield what joins a field, with the keys of the fields before it and its own."""
        for operator, whole in self._tuples.get(key[0], ()):
            match whole:
                case Variadic(field=field):
                    inner = frame_of(key[1])
                    is_field = inner is not None and inner.variadic is whole
                    last = inner.index if inner is not None and is_field else 0
                    outer = inner.outer if inner is not None and is_field else inner
                    frames = [Frame(whole, number, outer) for number in range(last + 1)]
                    yield operator, [instance_of(field, frame) for frame in frames]
                case Tuple(operands=fields):
                    place, frame = fields.index(key[0]), frame_of(key[1])
                    yield operator, [instance_of(one, frame) for one in fields[: place + 1]]
