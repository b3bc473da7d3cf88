"""Sets of rules that share assumptions: a class or a function of rules under ``@rules(...)``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from types import FunctionType
from typing import Any, TypeVar

from gsl import assume
from gsl.assume import Assumption, as_assumption
from gsl.errors import RuleError
from gsl.rule_collector import added, collecting, exchanged
from gsl.span import here, resolve
from gsl.subst import Rule

Set = TypeVar("Set", bound=type)


@dataclass(frozen=True, slots=True)
class RuleSet(Sequence[Rule]):
    """The rules that a function declares, in their order."""

    name: str
    rules: tuple[Rule, ...]

    def __getitem__(self, number: Any) -> Any:
        return self.rules[number]

    def __len__(self) -> int:
        return len(self.rules)


def rules(
    *,
    where: Iterable[Any] = (),
    dtypes: Iterable[str] | None = None,
    broadcast: bool = True,
    flags: Iterable[str] | None = None,
) -> Callable[[Any], Any]:
    """Give all rules in a class, or in a function, assumptions that they share.

    Each is a function under @rule as anywhere else. Of a class its rules are attributes; a function
    is called once, and becomes the sequence of rules that it declares::

        @rules(dtypes={"float32"}, broadcast=False)
        class Elementwise:
            @rule
            def add_zero() -> Subst: ...

    Args:
        where: assumptions (`gsl.assume`), or functions that are given an input of the source and
            return conditions.
        dtypes: what inputs and constants may have; None is any.
        broadcast: False if operators that work element by element have operands of one shape.
        flags: what the rules need (`gsl.flags`) that declare no flags themselves.

    Raises RuleError, GSL108, for what is no assumption and for anything but a class or a function.
    """
    if isinstance(where, str) or not isinstance(where, Iterable):
        raise RuleError(
            "GSL108", "where= of @rules is a list", resolve(here()), "write where=[...]"
        )
    shared = [as_assumption(one) for one in where]
    shared += [] if dtypes is None else [assume.dtypes(*_words("dtypes", dtypes))]
    shared += [] if broadcast else [assume.no_broadcast()]
    shared += [] if flags is None else [assume.flags(*_words("flags", flags))]

    def declare(written: Any) -> Any:
        if isinstance(written, type):
            return _in_class(written, tuple(shared))
        if isinstance(written, FunctionType):
            return _in_function(written, tuple(shared))
        message = f"@rules stands above {written!r}, which is no class or function"
        raise RuleError("GSL108", message, resolve(here()), "write @rule above a single rule")

    return declare


def _words(name: str, given: Any) -> tuple[str, ...]:
    if isinstance(given, str):
        cure = f'write {name}={{"{given}"}}'
        raise RuleError("GSL108", f"{name}={given!r} is no set of words", resolve(here()), cure)
    return tuple(given)


def _in_class(written: type, shared: tuple[Assumption, ...]) -> type:
    for name, one in list(vars(written).items()):
        if isinstance(one, Rule):
            setattr(written, name, changed := _with(one, shared))
            exchanged(one, changed)
    return written


def _in_function(written: Callable[[], Any], shared: tuple[Assumption, ...]) -> RuleSet:
    with collecting() as declared:
        written()
    found = tuple(_with(one, shared) for one in declared)
    for one in found:
        added(one)
    return RuleSet(getattr(written, "__name__", ""), found)


def _with(rule: Rule, shared: tuple[Assumption, ...]) -> Rule:
    return replace(rule, assumptions=(*shared, *rule.assumptions))
