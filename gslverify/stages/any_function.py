"""Rules about any operator of a trait are rules about any function.

An operator that works element by element, keeps the type and has a value for every element is some
function of one element, so what is proved of a function of which nothing is known holds for all of
them. A rule about a trait is shown right for this function and, one by one, for the operators of
the trait that are not like that: those that are undefined somewhere or return another dtype.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from types import MappingProxyType
from typing import Any

from gsl.attr.term import Access, Symbol, Term, free_symbols, subterms
from gsl.errors import GslError
from gsl.kernel.expression import Expression, Number, Read, Reduction, Select, walk
from gsl.kernel.meaning import named
from gsl.operators import Operator
from gsl.operators.declaration import REQUIRED, Need, Operand, Tensor
from gsl.operators.domain import DtypeName
from gsl.operators.elementwise import UNARY, pointwise
from gsl.pat import Call, Pattern, SameOperator, Trait
from gsl.pat.pattern import TYPE_ATTRIBUTES
from gsl.subst import Subst
from gsl.types import ALL_DTYPES, TensorType
from gslverify.mutation.draft import Draft


class Among(Trait):
    """Stands for some of the operators with a property."""

    __slots__ = ("chosen",)

    def __init__(self, name: str, chosen: Sequence[Operator]) -> None:
        super().__init__(f"{name}: {', '.join(map(str, chosen))}")
        self.chosen = list(chosen)

    def operators(self) -> list[Operator]:
        """Return the operators."""
        return self.chosen


def of_any_function(subst: Subst) -> list[Subst] | None:
    """Return rules such that a rule is sound if all are; None where it is about no trait.

    In the first, calls of traits are calls of functions of which nothing is known.
    """
    calls = [one for one in subst.source_patterns if isinstance(one, Call) and _has_trait(one)]
    if not calls or not all(_may_be_any(subst, call) for call in calls) or _changes_dtypes(subst):
        return None
    options, rules = [], []
    for number, call in enumerate(calls):
        others = [one for one in _operators(call) if not is_function_of_elements(one)]
        changing = [one for one in others if _may_change_dtypes(one)]
        keeping = [one for one in others if one not in changing]
        function = any_function(number)
        options.append([function, Among(str(call.callee), keeping)] if keeping else [function])
        if changing:  # beside these, functions of which nothing is known are of several dtypes
            rules.append(_with_callees(subst, {call: Among(str(call.callee), changing)}))
    chosen = (dict(zip(calls, callees, strict=True)) for callees in product(*options))
    return [*(_with_callees(subst, callees) for callees in chosen), *rules]


def _with_callees(subst: Subst, callees: dict[Call, Any]) -> Subst:
    draft = Draft.of(subst)
    draft.details |= {(call, "callee"): callee for call, callee in callees.items()}
    return draft.build()


def _has_trait(call: Call) -> bool:
    return isinstance(call.callee, Trait)


def _operators(call: Call) -> list[Operator]:
    assert isinstance(call.callee, Trait)
    return [one for one in call.callee.operators() if len(one.operands) == len(call.operands)]


def _may_be_any(subst: Subst, call: Call) -> bool:
    """Tell whether a rule asks nothing of the operator of a call, and some are such functions."""
    if len(call.operands) != 1 or call.constraints or isinstance(call.callee, Among):
        return False
    again = [one for one in _calls(subst) if one is not call and _is_again(one, call)]
    if not all(one.attributes_of is call and not one.constraints for one in again):
        return False
    read = [part for part in _accesses(subst) if part.pattern in (call, *again)]
    if not all(part.name in TYPE_ATTRIBUTES for part in read):
        return False
    operators = _operators(call)
    elementwise = all("elementwise" in one.traits for one in operators)
    return elementwise and any(map(is_function_of_elements, operators))


def _calls(subst: Subst) -> Iterator[Call]:
    patterns: dict[Pattern, None] = dict.fromkeys((*subst.source_patterns, *subst.target_patterns))
    yield from (one for one in patterns if isinstance(one, Call))


def _is_again(one: Call, call: Call) -> bool:
    return isinstance(one.callee, SameOperator) and one.callee.call is call


def _accesses(subst: Subst) -> Iterator[Access]:
    patterns = (*subst.source_patterns, *subst.target_patterns)
    terms = [*subst.where, *(term for pattern in patterns for term in pattern.terms())]
    yield from (part for term in terms for part in subterms(term) if isinstance(part, Access))


def _changes_dtypes(subst: Subst) -> bool:
    """Tell whether an operator may keep a value in another dtype, in which functions differ."""
    callees = [one.callee for one in _calls(subst)]
    return any(_may_change_dtypes(one) for one in callees if isinstance(one, Operator))


def _may_change_dtypes(one: Operator) -> bool:
    return any(isinstance(attribute.domain, DtypeName) for attribute in one.attributes.values())


@cache
def is_function_of_elements(declared: Operator) -> bool:
    """Tell whether an operator is a function of one element, of its dtype and always defined."""
    is_total = not declared.values and declared.undefined is None
    if not is_total or declared.meaning is None or "elementwise" not in declared.traits:
        return False
    sizes = Symbol("n", low=0), Symbol("m", low=0)
    data = TensorType(sizes, Symbol("dtype", "text"))
    try:
        attributes = {
            name: next(iter(one.domain.instances((data,), Symbol)))
            if one.default is REQUIRED
            else one.domain.normalise(one.default, (data,))
            for name, one in declared.attributes.items()
        }
        index = Symbol("i", low=0), Symbol("j", low=0)
        element = declared.element(index, [named("data", data)], attributes, None)
        result = declared.infer((data,), attributes, Need())
    except (GslError, TypeError, ValueError):
        return False
    if not isinstance(result, TensorType) or result.dtype is not data.dtype:
        return False
    return _are_same(result.shape, sizes) and _reads_one_element(element, index, sizes)


def _reads_one_element(
    element: Expression, index: tuple[Symbol, ...], sizes: tuple[Symbol, ...]
) -> bool:
    """Tell whether a kernel reads its own index alone, on which nothing else depends."""
    return all(_depends_on_values_only(node, index, sizes) for node in walk(element))


def _are_same(terms: Sequence[Any], symbols: Sequence[Symbol]) -> bool:
    return len(terms) == len(symbols) and all(map(operator.is_, terms, symbols))


def _depends_on_values_only(
    node: Expression, index: tuple[Symbol, ...], sizes: tuple[Symbol, ...]
) -> bool:
    match node:
        case Read(indices=indices):
            return _are_same(indices, index)
        case Number(value=Term() as term) | Select(condition=Term() as term):
            return free_symbols(term).isdisjoint((*index, *sizes))
        case _:
            return not isinstance(node, Reduction)


@cache
def any_function(number: int) -> Operator:
    """Return an operator that is some function of one element; two numbers are two functions."""

    def rule(need: Need, data: Tensor) -> TensorType:
        return data

    return Operator(
        name=f"AnyFunction{number}",
        operands=(Operand("data", is_tuple=False),),
        attributes=MappingProxyType({}),
        rule=rule,
        dtypes=ALL_DTYPES,
        traits=UNARY,
        documentation="Any function of one element.",
        reference=lambda data: data,
        meaning=pointwise(f"any function {number}"),
    )
