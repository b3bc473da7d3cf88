"""The operators as rule authors write them: ``from gsl import op; op.Conv2D(x, w, groups=1)``.

Every declared operator is here under its name; an attribute left out is free in a source pattern
and takes its default in a target. `Elementwise` stands for any operator with that trait, `same`
for the operator that another call has matched.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gsl.errors import OperatorError, UnknownNameError, did_you_mean
from gsl.operators import REGISTRY, Operator, lookup
from gsl.pat import Call, Callee, SameOperator, Trait, call
from gsl.span import here, resolve

Constructor = Callable[..., Call]


def _constructor(callee: Callee, name: str, documentation: str) -> Constructor:
    def construct(*operands: Any, **attributes: Any) -> Call:
        return call(callee, operands, attributes)

    construct.__name__ = construct.__qualname__ = name
    construct.__doc__ = documentation
    return construct


def _describe(operator: Operator) -> str:
    operands = ", ".join(operand.name for operand in operator.operands)
    attributes = "".join(f", {name}=..." for name in operator.attributes)
    return f"{operator.name}({operands}{attributes})\n\n{operator.documentation}"


def __getattr__(name: str) -> Constructor:
    if name.startswith("_"):
        raise AttributeError(name)
    try:
        operator = lookup(name)
    except OperatorError as error:
        raise UnknownNameError(
            "GSL110", str(error), resolve(here()), "see `gslverify list --operators`"
        ) from error
    return _constructor(operator, name, _describe(operator))


def __dir__() -> list[str]:
    return sorted([*REGISTRY, "Elementwise", "same", "trait"])


def trait(name: str) -> Constructor:
    """Return a constructor for calls of any operator that has the trait `name`.

    Raises UnknownNameError when no operator has it.
    """
    known = sorted({trait for operator in REGISTRY.values() for trait in operator.traits})
    if name not in known:
        hint = did_you_mean(name, known) or f"known are {', '.join(known)}"
        message = f"no operator has the trait `{name}`"
        raise UnknownNameError("GSL110", message, resolve(here()), hint)
    return _constructor(Trait(name), name, f"Any operator with the trait {name}.")


def same(matched: Call) -> Constructor:
    """Return a constructor for calls of the operator that `matched` has matched.

    Attributes are free unless ``**pat.same_attr(matched)`` is given.
    """
    return _constructor(SameOperator(matched), "same", "The operator of another call.")


def Elementwise(*operands: Any, **attributes: Any) -> Call:
    """Call of any operator that computes each element from those at the same place."""
    return call(Trait("elementwise"), operands, attributes)
