"""The fixed forms of pattern expressions (thesis, section 3.1.1), `Alt` and `Cond`.

Patterns carry no match state, are equal only when they are the same object, and remember where
they were written. ``p.name`` is the attribute `name` of whatever `p` matches; arithmetic on
patterns builds calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import Any

import numpy as np

from gsl.attr.term import ANYTHING, Access, Term, as_term
from gsl.errors import OperatorError, RuleError, UnknownNameError, counted, did_you_mean
from gsl.operators import REGISTRY, Operator, lookup
from gsl.pat.arithmetic import Arithmetic
from gsl.pat.value import checked_constraints, checked_name
from gsl.span import here, keyword_span, resolve

TYPE_ATTRIBUTES = ("shape", "dtype", "ndim")

NO_CONSTRAINTS: Mapping[str, Term] = MappingProxyType({})


class Pattern(Arithmetic):
    """Base of all patterns.

    `operands` are the direct subpatterns in order, `constraints` the attribute expressions that
    attributes of the matched expression have to satisfy (source) or are set to (target).
    `written_name` is what its author calls it in reports, None where that is up to us.
    """

    __slots__ = ("constraints", "operands", "origin", "written_name")

    operands: tuple[Pattern, ...]
    constraints: Mapping[str, Term]

    def __init__(
        self,
        operands: tuple[Pattern, ...] = (),
        constraints: Mapping[str, Term] = NO_CONSTRAINTS,
        name: str | None = None,
    ) -> None:
        self.operands = operands
        self.constraints = constraints
        self.written_name = checked_name(name)
        self.origin = here()

    def attribute_names(self) -> tuple[str, ...]:
        """Return the names that can be accessed on whatever this pattern matches."""
        return TYPE_ATTRIBUTES

    def terms(self) -> tuple[Term, ...]:
        """Return the attribute expressions that are written in this pattern itself."""
        return tuple(self.constraints.values())

    def __getattr__(self, name: str) -> Term:
        if name.startswith("_") or hasattr(type(self), name):
            raise AttributeError(name)
        known = self.attribute_names()
        if name not in known:
            raise UnknownNameError(
                "GSL114",
                f"{self!r} has no attribute `{name}`",
                resolve(here()),
                did_you_mean(name, known) or f"it has {', '.join(known)}",
            )
        return Access(self, name, here())

    def __getitem__(self, index: Any) -> GetItem:
        return GetItem(self, index)

    def __iter__(self) -> Iterator[Pattern]:
        raise TypeError("the number of fields of a pattern is not known; index it instead")

    def _build(self, operator: str, *operands: Any) -> Call:
        return call(lookup(operator), operands)

    def original(self) -> Pattern:
        """Return the pattern that the author wrote: the template, for an instance of one."""
        return self

    def location(self) -> tuple[Term, ...]:
        """Return the attribute expressions that say which instance of a template this is."""
        return ()

    def __repr__(self) -> str:
        return f"the {type(self).__name__} pattern"


class Wildcard(Pattern):
    """Matches any expression, or only tensors where it has constraints; an input of the rule.

    Args:
        name: what reports call it; by default the variable that it is assigned to.
        shape: attribute expression or tuple; None, or None for an element, is any.
        dtype: attribute expression or name; None is any.
        ndim: number of axes, a natural number or an attribute expression; None is any.

    Raises:
        RuleError: GSL113 for what is no name, shape, dtype or number of axes; GSL112 for other
            attributes, which are conditions of the rule.
    """

    __slots__ = ()

    def __init__(
        self,
        name: str | None = None,
        *,
        shape: Any = None,
        dtype: Any = None,
        ndim: Any = None,
        **attributes: Any,
    ) -> None:
        for other in attributes:
            message = f"a wildcard has no `{other}`, only `shape`, `dtype` and `ndim`"
            cure = did_you_mean(other, TYPE_ATTRIBUTES) or "write a condition with where=[...]"
            raise RuleError("GSL112", message, keyword_span(resolve(here()), other), cure)
        super().__init__((), checked_constraints(shape=shape, dtype=dtype, ndim=ndim), name)


class Variable(Pattern):
    """Matches a variable of the network, such as a weight; an input of the rule.

    Args:
        name: what reports call it; by default the variable that it is assigned to.
        shape: attribute expression or tuple; None, or None for an element, is any.
        dtype: attribute expression or name; None is any.
        ndim: number of axes, a natural number or an attribute expression; None is any.
    """

    __slots__ = ()

    def __init__(
        self, name: str | None = None, *, shape: Any = None, dtype: Any = None, ndim: Any = None
    ) -> None:
        super().__init__((), checked_constraints(shape=shape, dtype=dtype, ndim=ndim), name)


class Const(Pattern):
    """Matches, or in a target builds, a tensor known when the network is written.

    Args:
        value: number, nested tuple or attribute expression; None is any constant. A number means
            a tensor of rank 0; it matches what a float constant has of it after rounding.
        dtype: element type; in a target it defaults to that of `like`, else to float32.
        shape: constraint on the shape, for sources.
        like: a pattern of the target; numbers beside a pattern are written like that pattern.
        ndim: constraint on the number of axes, for sources.
        name: what reports call it; by default the variable that it is assigned to.
    """

    __slots__ = ("like",)

    def __init__(
        self,
        value: Any = None,
        dtype: Any = None,
        shape: Any = None,
        like: Pattern | None = None,
        *,
        ndim: Any = None,
        name: str | None = None,
    ) -> None:
        given = checked_constraints(value=value, dtype=dtype, shape=shape, ndim=ndim)
        super().__init__((), given, name)
        self.like = like

    def attribute_names(self) -> tuple[str, ...]:
        """Return type attributes and the value."""
        return (*TYPE_ATTRIBUTES, "value")


class Trait:
    """Stands for any operator with a property, such as "elementwise"."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def operators(self) -> list[Operator]:
        """Return the operators that have the trait, by name."""
        return [REGISTRY[name] for name in sorted(REGISTRY) if self.name in REGISTRY[name].traits]

    def __repr__(self) -> str:
        return self.name


class SameOperator:
    """Stands for the operator that another call pattern has matched."""

    __slots__ = ("call",)

    def __init__(self, call: Call) -> None:
        self.call = call

    def __repr__(self) -> str:
        return f"same operator as {self.call!r}"


Callee = Operator | Trait | SameOperator


class Call(Pattern):
    """Matches or builds the call of an operator; authors write ``op.Conv2D(...)`` instead.

    `attributes_of` is a call whose attributes must all be the same, for operators known only by a
    trait; `name` is what reports call it.
    """

    __slots__ = ("attributes_of", "callee")

    def __init__(
        self,
        callee: Callee,
        operands: tuple[Pattern, ...],
        constraints: Mapping[str, Term] = NO_CONSTRAINTS,
        attributes_of: Call | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(operands, constraints, name)
        self.callee = callee
        self.attributes_of = attributes_of

    def attribute_names(self) -> tuple[str, ...]:
        """Return type attributes and those of the operator, or of all that it may be."""
        return (*TYPE_ATTRIBUTES, *_attribute_names(self.callee))

    def __repr__(self) -> str:
        return f"the call of {self.callee}"


class Tuple(Pattern):
    """Matches or builds a tuple of a known number of fields."""

    __slots__ = ()

    def __init__(self, *fields: Any, name: str | None = None) -> None:
        super().__init__(tuple(as_pattern(field) for field in fields), name=name)

    def attribute_names(self) -> tuple[str, ...]:
        """A tuple only has a length."""
        return ("length",)


class GetItem(Pattern):
    """Matches or builds the projection of one field of a tuple, counted from 0."""

    __slots__ = ()

    def __init__(self, whole: Any, index: Any = None, *, name: str | None = None) -> None:
        if isinstance(index, slice):
            raise TypeError("a pattern cannot be sliced; use pat.Variadic for several fields")
        if not isinstance(index, Term | None) and type(index) is not int:
            message = f"attribute `index` of a projection: {index!r} is not an integer"
            raise RuleError("GSL113", message, resolve(here()))
        super().__init__((as_pattern(whole),), checked_constraints(index=index), name)

    def attribute_names(self) -> tuple[str, ...]:
        """Return type attributes and the index."""
        return (*TYPE_ATTRIBUTES, "index")


class Alt(Pattern):
    """Matches what one of its alternatives matches, tried in order; `arm` is its number."""

    __slots__ = ()

    def __init__(self, *alternatives: Any, name: str | None = None) -> None:
        super().__init__(tuple(as_pattern(alternative) for alternative in alternatives), name=name)

    def attribute_names(self) -> tuple[str, ...]:
        """Return type attributes and the number of the alternative that matched."""
        return (*TYPE_ATTRIBUTES, "arm")


class Cond(Pattern):
    """In a target: builds `then` or `otherwise`, as the condition says."""

    __slots__ = ("condition",)

    def __init__(self, condition: Any, then: Any, otherwise: Any) -> None:
        super().__init__((as_pattern(then), as_pattern(otherwise)))
        self.condition = as_term(condition)

    def terms(self) -> tuple[Term, ...]:
        """Return the condition."""
        return (self.condition,)


INPUTS = (Wildcard, Variable, Const)
"""Kinds of patterns without operands that may stand for what the rule does not own."""


def as_pattern(value: Any, like: Pattern | None = None) -> Pattern:
    """Coerce a number to a constant like `like`, and a tuple or list to a tuple pattern."""
    if isinstance(value, Pattern):
        return value
    if isinstance(value, tuple | list):
        return Tuple(*value)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, int | float | Term) and not isinstance(value, bool):
        return Const(value, like=like)
    cure = "use pat.Wildcard, pat.Variable, pat.Const or a call of an operator"
    if isinstance(value, bool):
        cure = f"write op.Equal(x, y) to compare, pat.Const({value}, dtype='bool') for a constant"
    elif isinstance(value, np.ndarray):
        cure = f"write pat.Const(array.tolist(), dtype='{value.dtype}')"
    what = "an array" if isinstance(value, np.ndarray) else repr(value)
    raise RuleError("GSL116", f"{what} is not a pattern", resolve(here()), cure)


def call(
    callee: Callee, operands: Iterable[Any], attributes: Mapping[str, Any] = MappingProxyType({})
) -> Call:
    """Build a call pattern; raise RuleError for operands or attributes that do not exist."""
    given = tuple(operands)
    like = _first_tensor(given) if _shares_dtype(callee) else None
    patterns = tuple(as_pattern(operand, like) for operand in given)
    named = dict(attributes)
    attributes_of = named.pop("attributes_of", None)
    name = None if "name" in _attribute_names(callee) else named.pop("name", None)
    if isinstance(callee, Operator):
        _check_operand_count(callee, len(patterns))
    return Call(callee, patterns, _call_constraints(callee, patterns, named), attributes_of, name)


def _first_tensor(operands: Iterable[Any]) -> Pattern | None:
    patterns = (operand for operand in operands if isinstance(operand, Pattern))
    return next((pattern for pattern in patterns if "dtype" in pattern.attribute_names()), None)


def _shares_dtype(callee: Callee) -> bool:
    return not isinstance(callee, Operator) or callee.dtypes is not None


def _check_operand_count(operator: Operator, count: int) -> None:
    if count != len(operator.operands):
        message = f"{operator} takes {counted(len(operator.operands), 'operand')}, not {count}"
        raise RuleError("GSL111", message, resolve(here()), _operands_of(operator))


def _operands_of(operator: Operator) -> str:
    """Return how to give an operator its operands."""
    if len(operator.operands) == 1 and operator.operands[0].is_tuple:
        return f"write them as one tuple: op.{operator}((a, b))"
    names = ", ".join(operand.name for operand in operator.operands)
    return f"operands: {names or 'none'}"


def _call_constraints(
    callee: Callee, operands: Sequence[Pattern], attributes: Mapping[str, Any]
) -> Mapping[str, Term]:
    known = _attribute_names(callee)
    for name in attributes:
        if name not in known:
            hint = did_you_mean(name, known) or f"it has {', '.join(known) or 'none'}"
            message = f"attribute `{name}` is not an attribute of {callee}"
            raise RuleError("GSL112", message, keyword_span(resolve(here()), name), hint)
    return MappingProxyType(
        {name: _written(callee, operands, name, value) for name, value in attributes.items()}
    )


def _written(callee: Callee, operands: Sequence[Pattern], name: str, value: Any) -> Term:
    if value is None or isinstance(value, Term) or not isinstance(callee, Operator):
        return as_term(value)
    try:
        domain = callee.attributes[name].domain
        return as_term(domain.written(domain.normalise(_open(value), ()), operands))
    except (ValueError, OperatorError) as error:
        message = f"attribute `{name}` of {callee}: {error}"
        raise RuleError("GSL113", message, keyword_span(resolve(here()), name)) from error


def _open(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return tuple(ANYTHING if item is None else item for item in value)
    return value


def _attribute_names(callee: Callee) -> tuple[str, ...]:
    match callee:
        case Operator(attributes=attributes):
            return tuple(attributes)
        case Trait():
            every = chain.from_iterable(operator.attributes for operator in callee.operators())
            return tuple(dict.fromkeys(every))
        case SameOperator(call=call):
            return _attribute_names(call.callee)
    raise TypeError(f"{callee!r} cannot be called")
