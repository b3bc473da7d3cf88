"""What all rules of a file or of a library take for granted: ``from gsl import assume``.

Rules that come from one place share "one dtype" or "nothing is broadcast". Said once, it is a
condition of every rule: the matcher demands it, the verifier relies on it, and findings name the
line where it was written::

    ASSUME = [assume.one_dtype(), assume.no_broadcast(), lambda x: x.ndim <= 4]

at the top level of a rule file concerns all of its rules; `gsl.rules` does so for a class or a
function of rules. An assumption is one of those below, or a function that is given an input of the
source, a `pat.Wildcard` or `pat.Variable`, and returns a condition or several; one with a parameter
such as ``*inputs`` is given all at once.
"""

from __future__ import annotations

import inspect
import linecache
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from types import FunctionType
from typing import Any

from gsl.assumed_places import always_matched, first_field, places_of, required
from gsl.attr.term import Access, Operation, Reduce, Term, as_term, operation
from gsl.errors import RuleError, did_you_mean
from gsl.flags import wrong_flags
from gsl.operators import Operator
from gsl.pat import INPUTS, Call, Const, Pattern, Trait
from gsl.span import Origin, Span, here, resolve
from gsl.types import ALL_DTYPES

__all__ = ["dtypes", "flags", "no_broadcast", "one_dtype", "operand_dtypes"]

FILE_WIDE = "ASSUME"
"""The name under which a rule file lists what all of its rules assume."""

Outputs = Sequence[Pattern]


@dataclass(frozen=True, slots=True)
class Assumption:
    """Conditions of every rule, made of the outputs of its source, and where this was written.

    With `flags` (`gsl.flags`) it says what the rules need that declare none themselves.
    """

    conditions: Callable[[Outputs], Iterable[Term]]
    origin: Origin | None
    flags: frozenset[str] | None = None

    def of(self, outputs: Outputs) -> Iterator[Term]:
        """Yield the conditions for a source; those made by this package are placed here."""
        for condition in self.conditions(outputs):
            yield _placed(condition, self.origin)


def one_dtype() -> Assumption:
    """Assume that all inputs and constants of a source have the same dtype."""
    return Assumption(_one_dtype, here())


def dtypes(*names: str) -> Assumption:
    """Assume that every input and constant has one of these dtypes, such as "float32".

    Raises RuleError, GSL144, for what is no dtype.
    """
    for name in names:
        if name not in ALL_DTYPES:
            hint = did_you_mean(str(name), ALL_DTYPES) or f"known are {', '.join(ALL_DTYPES)}"
            raise RuleError("GSL144", f"{name!r} is not a dtype", resolve(here()), hint)

    def conditions(outputs: Outputs) -> Iterator[Term]:
        for place in places_of(outputs):
            if isinstance(place.pattern, INPUTS):
                yield required(lambda x: operation("in", _dtype(x), names), place)

    return Assumption(conditions, here())


def no_broadcast() -> Assumption:
    """Assume that operators which work element by element are given tensors of one shape.

    Constants may have any shape, so that ``x * 2`` is still a product with a number.
    """
    return Assumption(_no_broadcast, here())


def operand_dtypes() -> Assumption:
    """Assume that every `out_dtype` is the dtype of the first operand."""
    return Assumption(_operand_dtypes, here())


def flags(*names: str) -> Assumption:
    """Say which flags (`gsl.flags`) the rules need that declare none, such as "reassoc".

    Raises RuleError, GSL108, for what is no flag.
    """
    if wrong := wrong_flags(names):
        raise RuleError("GSL108", wrong, resolve(here()))
    return Assumption(lambda outputs: (), here(), frozenset(names))


def _one_dtype(outputs: Outputs) -> Iterator[Term]:
    inputs = [place for place in places_of(outputs) if isinstance(place.pattern, INPUTS)]
    anchor = next(always_matched(inputs), None)
    if anchor is None:
        for first, second in pairwise(inputs):
            yield required(_same_dtype, first, second)
        return
    dtype = _dtype(first_field(anchor))
    for place in inputs:
        if place is not anchor or place.is_repeated:
            yield required(lambda x: operation("==", _dtype(x), dtype), place)


def _no_broadcast(outputs: Outputs) -> Iterator[Term]:
    for place in places_of(outputs):
        if _is_elementwise(place.pattern):
            operands = [place.below(number) for number in range(len(place.pattern.operands))]
            tensors = [operand for operand in operands if not isinstance(operand.pattern, Const)]
            for first, second in pairwise(dict.fromkeys(tensors)):
                yield required(_same_shape, first, second)


def _operand_dtypes(outputs: Outputs) -> Iterator[Term]:
    for place in places_of(outputs):
        if isinstance(place.pattern, Call) and "out_dtype" in place.pattern.attribute_names():
            yield required(_accumulates_in_place, place, place.below(0))


def _is_elementwise(pattern: Pattern) -> bool:
    callee = pattern.callee if isinstance(pattern, Call) else None
    if isinstance(callee, Operator):
        return "elementwise" in callee.traits
    return isinstance(callee, Trait) and callee.name == "elementwise"


def _same_dtype(left: Pattern, right: Pattern) -> Term:
    return operation("==", _dtype(left), _dtype(right))


def _same_shape(left: Pattern, right: Pattern) -> Term:
    return operation("==", Access(left, "shape"), Access(right, "shape"))


def _accumulates_in_place(call: Pattern, operand: Pattern) -> Term:
    return operation("==", Access(call, "out_dtype"), _dtype(operand))


def _dtype(pattern: Pattern) -> Term:
    return Access(pattern, "dtype")


def as_assumption(given: Any) -> Assumption:
    """Return an assumption for one, or for the function of an input that an author wrote.

    Raises RuleError, GSL108, for anything else.
    """
    if isinstance(given, Assumption):
        return given
    if not isinstance(given, FunctionType):
        message = f"{given!r} is not an assumption"
        cure = f"write {FILE_WIDE} = [assume.one_dtype(), lambda x: x.ndim <= 4]"
        raise RuleError("GSL108", message, resolve(here()), cure)
    origin = (given.__code__, 0, given.__code__.co_firstlineno)
    kinds = [one.kind for one in inspect.signature(given).parameters.values()]
    if kinds == [inspect.Parameter.VAR_POSITIONAL]:
        return Assumption(lambda outputs: _of_all(given, outputs), origin)
    return Assumption(lambda outputs: _of_each(given, outputs), origin)


def _of_all(written: Callable[..., Any], outputs: Outputs) -> Iterator[Term]:
    inputs = [place for place in places_of(outputs) if _is_tensor_input(place.pattern)]
    yield from _listed(written(*(place.pattern for place in inputs if not place.steps)))


def _of_each(written: Callable[..., Any], outputs: Outputs) -> Iterator[Term]:
    for place in places_of(outputs):
        if _is_tensor_input(place.pattern) and place.steps:
            yield required(lambda x: _all_of(_listed(written(x))), place)
        elif _is_tensor_input(place.pattern):
            yield from _listed(written(place.pattern))


def _is_tensor_input(pattern: Pattern) -> bool:
    return isinstance(pattern, INPUTS) and not isinstance(pattern, Const)


def _listed(found: Any) -> list[Term]:
    listed = found if isinstance(found, list | tuple) else [found]
    return [as_term(one) for one in listed]


def _all_of(conditions: Sequence[Term]) -> Term:
    whole, *others = conditions or [as_term(True)]
    for condition in others:
        whole = operation("and", whole, condition)
    return whole


def _placed(condition: Term, origin: Origin | None) -> Term:
    match condition:
        case Operation(origin=None):
            return replace(condition, origin=origin)
        case Reduce(body=body):
            return replace(condition, body=_placed(body, origin))
    return condition


def assumed_in(write: Any) -> Iterator[Assumption]:
    """Yield what the file of a function assumes; raise RuleError where that is no list."""
    listed = getattr(write, "__globals__", {}).get(FILE_WIDE, ())
    if not isinstance(listed, list | tuple):
        cure = f"write {FILE_WIDE} = [assume.one_dtype()]"
        message = f"{FILE_WIDE} = {listed!r} is no list of assumptions"
        raise RuleError("GSL108", message, _list_in(write.__code__.co_filename), cure)
    for one in listed:
        try:
            yield as_assumption(one)
        except RuleError as error:
            error.span = _list_in(write.__code__.co_filename)
            raise


def _list_in(file: str) -> Span:
    """Return where a file lists what its rules assume."""
    lines = linecache.getlines(file)
    found = (number for number, line in enumerate(lines, 1) if line.startswith(FILE_WIDE))
    return Span(file, next(found, 1))
