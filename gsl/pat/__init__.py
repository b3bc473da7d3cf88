"""Pattern expressions for rule authors: ``from gsl import pat`` (thesis, section 3.1).

The forms are a closed union: Wildcard, Const, Variable, Call, Tuple, GetItem, Alt, Variadic and
GetInst, and Cond for targets. Absent and Optional are made of these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gsl.errors import did_you_mean
from gsl.pat.copying import same_attr
from gsl.pat.optional import Absent, Optional
from gsl.pat.pattern import (
    INPUTS,
    Alt,
    Call,
    Callee,
    Cond,
    Const,
    GetItem,
    Pattern,
    SameOperator,
    Trait,
    Tuple,
    Variable,
    Wildcard,
    as_pattern,
    call,
)
from gsl.pat.variadic import GetInst, Variadic

__all__ = [
    "INPUTS",
    "Absent",
    "Alt",
    "Call",
    "Callee",
    "Cond",
    "Const",
    "GetInst",
    "GetItem",
    "Optional",
    "Pattern",
    "SameOperator",
    "Trait",
    "Tuple",
    "Variable",
    "Variadic",
    "Wildcard",
    "as_pattern",
    "call",
    "same_attr",
]

if not TYPE_CHECKING:  # a type checker would take every name for known

    def __getattr__(name: str) -> None:
        """Raise AttributeError, which names the form that may be meant."""
        hint = did_you_mean(name, __all__)
        raise AttributeError(f"`pat` has no form `{name}`" + (f"; {hint}" if hint else ""))
